"""Contact of points, spheres and discs with a surface on the ground: ψ ≥ 0, with dry friction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, norm, where
from ce_dynamics.complementarity.element import Row, UnilateralElement
from ce_dynamics.complementarity.friction import (
    Friction,
    checked_restitution,
    contact_kinds,
    contact_rows,
    resistance,
)
from ce_dynamics.complementarity.surfaces import Surface, meet
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, checked_body, ground_of
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import Observer, PointLoad

FLAT = 1e-9
"""Sine of the angle between a disc's axis and a surface's normal, below which the disc lies flat."""


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
        Bound of the friction impulse: |p_t| ≤ μ p_n (Coulomb), or each tangential component by itself (a
        pyramid), or no sliding friction.  μ is the surface's.
    restitution : float
        e in 0 … 1: ψ̇⁺ = −e ψ̇⁻ after an impact.
    rolling, spinning : float
        Resistance to rolling and to spinning about the normal, as lengths: torques are at most rolling × p_n
        and spinning × p_n, and oppose the angular velocity [m].

    Raises
    ------
    ModelError
        For a negative radius, restitution outside 0 … 1, a disc without radius, a negative length of rolling
        or spinning, or the ground as body.
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
        rolling: float = 0.0,
        spinning: float = 0.0,
    ) -> None:
        owner = f"contact {name!r}"
        checks.name_of("Contact: name", name)
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
        self.law = resistance(friction, rolling, spinning, owner)
        self.kinds = tuple(contact_kinds(self.law, e))
        self.ground = ground_of(body)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.at),)

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        centre = observer.point(self.body, self.at, self.ground)
        r, touch = meet(self.surface, centre.r, lambda n: self._lever(observer, n))
        w = observer.angular_velocity(self.body, self.ground)
        v = centre.v + cross(w, r - centre.r) if self.radius > 0.0 else centre.v

        def loads(force: Array, torque: Array) -> list[PointLoad]:
            return [PointLoad(self.body, self.ground, r, force, torque)]

        axes = (touch.normal, touch.tangent_1, touch.tangent_2)
        return contact_rows(self.law, axes, touch.distance, touch.mu, v, w, loads)

    def _lever(self, observer: Observer, n: Array) -> Array:
        """From the centre to the point nearest to the surface.

        A disc that lies flat has no such point: its centre is taken, as for a thin disc it is in the same
        plane.
        """
        if self.axis is None:
            return -self.radius * n
        a = observer.direction(self.body, self.axis, self.ground)
        down = n - a * dot(a, n)
        span = norm(down)
        upright = span > FLAT
        return np.asarray(where(upright, -self.radius * down / where(upright, span, 1.0), 0.0 * down))
