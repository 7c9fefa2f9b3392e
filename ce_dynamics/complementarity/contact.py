"""Contact of points, spheres and discs with a surface on the ground: ψ ≥ 0, with Coulomb friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, norm
from ce_dynamics.complementarity.element import Row, RowKind, UnilateralElement
from ce_dynamics.complementarity.problem import Kind
from ce_dynamics.complementarity.surfaces import Surface
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, checked_body, ground_of
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import Observer, PointLoad

Friction = Literal["disc", "box", "none"]


class Contact(UnilateralElement):
    """A body that can touch a surface.

    Parameters
    ----------
    name : str
    body : Body
    at : sequence of 3 floats
        The point, or the centre of the sphere or disc, in the design pose [m].
    surface : Surface
    radius : float
        Of the sphere or disc; zero for a point [m].
    axis : sequence of 3 floats, optional
        Normal of the disc (of a thin wheel); a sphere if not given.
    friction : {"disc", "box", "none"}
        Bound of the friction impulse: |p_t| ≤ μ p_n (Coulomb), or each tangential component by itself, or
        nothing but the normal row.  μ is the surface's.
    restitution : float
        e in 0 … 1: ψ̇⁺ = −e ψ̇⁻ after an impact.

    Raises
    ------
    ModelError
        For a negative radius, restitution outside 0 … 1, a disc without radius, or the ground as body.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        at: ArrayLike,
        surface: Surface,
        *,
        radius: float = 0.0,
        axis: ArrayLike | None = None,
        friction: Friction = "disc",
        restitution: float = 0.0,
    ) -> None:
        owner = f"contact {name!r}"
        checks.text("Contact: name", name)
        if checked_body(body, owner).is_ground:
            raise ModelError(f"{owner}: the ground cannot touch itself; name a body that can move")
        what = "a surface, such as Plane(friction=0.8): an object with touch(r)"
        self.surface = checks.provides(f"{owner}: surface", surface, ("touch",), what)
        self.name, self.body = name, body
        self.at = finite_vector(at, owner, "at")
        self.radius = finite_number(radius, owner, "radius", at_least=0.0)
        self.axis = None if axis is None else unit_axis(axis, owner)
        if self.axis is not None and self.radius == 0.0:
            raise ModelError(f"{owner}: a disc needs a positive radius")
        e = checked_restitution(restitution, owner)
        kinds = [RowKind("normal", Kind.UNILATERAL, restitution=e)]
        checks.choice(f"{owner}: friction", friction, ("disc", "box", "none"))
        if friction != "none":
            first, second = (
                (Kind.DISC_1, Kind.DISC_2) if friction == "disc" else (Kind.FRICTION, Kind.FRICTION)
            )
            kinds += [RowKind("friction_1", first, 0), RowKind("friction_2", second, 0)]
        self.kinds = tuple(kinds)
        self.ground = ground_of(body)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.at),)

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        centre = observer.point(self.body, self.at, self.ground)
        n = self.surface.touch(centre.r).normal
        lever = self._lever(observer, n)
        r = centre.r + lever
        touch = self.surface.touch(r)
        v = centre.v
        if self.radius > 0.0:
            v = v + cross(observer.angular_velocity(self.body, self.ground), lever)

        def row(direction: Array, psi: Scalar = 0.0) -> Row:
            return Row((PointLoad(self.body, self.ground, r, direction),), dot(direction, v), psi, touch.mu)

        normal = row(touch.normal, touch.distance)
        return (normal, row(touch.tangent_1), row(touch.tangent_2))[: len(self.kinds)]

    def _lever(self, observer: Observer, n: Array) -> Array:
        """From the centre to the point nearest to the surface."""
        if self.axis is None:
            return -self.radius * n
        a = observer.direction(self.body, self.axis, self.ground)
        down = n - a * dot(a, n)
        return np.asarray(-self.radius * down / norm(down))


def checked_restitution(value: object, owner: str) -> float:
    """A user's coefficient of restitution.

    Raises
    ------
    ModelError
        If it is not between 0 and 1.
    """
    return finite_number(value, owner, "restitution", at_least=0.0, at_most=1.0)
