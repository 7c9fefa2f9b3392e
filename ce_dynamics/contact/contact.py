"""Contacts of a body with a surface and of two bodies: rows of the gap and of friction.

Contact of points, spheres and discs with a surface on the ground: ψ ≥ 0, with dry friction.

Rows that a contact adds to its gap: sliding, rolling and spinning friction.

Contact between two bodies of an embedded system: ψ ≥ 0 at every point where their shapes meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, norm, where, zeros
from ce_dynamics.contact.conditions import Kind
from ce_dynamics.contact.element import Row, RowKind, UnilateralElement
from ce_dynamics.contact.pairs import pair_of
from ce_dynamics.contact.shapes import Meeting, PlacedShape, Shape, check_shape, frame
from ce_dynamics.contact.surfaces import Surface, meet
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body, ground_of
from ce_dynamics.mechanism.checked import Checked, Named, Number, Vector, number, unit_axis, vector
from ce_dynamics.mechanism.forces.base import Observer, PointLoad

Friction = Literal["disc", "box", "none"]
UnitLoads = Callable[[Array, Array], Sequence[PointLoad]]


def check_friction(value: Friction, owner: str, what: str) -> Friction:
    """Return a user's kind of friction."""
    return cast("Friction", checks.choice(f"{owner}: {what}", value, ("disc", "box", "none")))


@dataclass(eq=False, repr=False, kw_only=True)
class ContactLaw:
    """Resistance of a contact to sliding, rolling and spinning, and its coefficient of restitution."""

    friction: Checked[Friction, Friction] = Checked(check_friction, "Friction", "disc")
    restitution: Number = number(0.0, at_least=0.0, at_most=1.0)
    rolling: Number = number(0.0, at_least=0.0)
    spinning: Number = number(0.0, at_least=0.0)

    def point_kinds(self, first: int = 0, prefix: str = "") -> list[RowKind]:
        """Return the kinds of the rows of one contact point, the normal one being row ``first``."""
        kinds = [RowKind(f"{prefix}normal", Kind.UNILATERAL, restitution=self.restitution)]

        def add(name: str, one: Kind, other: Kind, unit: str) -> None:
            kinds.append(RowKind(f"{prefix}{name}_1", one, first, unit=unit))
            kinds.append(RowKind(f"{prefix}{name}_2", other, first, unit=unit))

        if self.friction == "disc":
            add("friction", Kind.DISC_1, Kind.DISC_2, "N")
        elif self.friction == "box":
            add("friction", Kind.FRICTION, Kind.FRICTION, "N")
        if self.rolling > 0.0:
            add("rolling", Kind.DISC_1, Kind.DISC_2, "N m")
        if self.spinning > 0.0:
            kinds.append(RowKind(f"{prefix}spinning", Kind.FRICTION, first, unit="N m"))
        return kinds

    def point_rows(
        self, axes: Sequence[Array], psi: Scalar, mu: Scalar, rates: tuple[Array, Array], loads: UnitLoads
    ) -> list[Row]:
        """Return the rows of one contact point, in the order of `point_kinds`.

        ``axes`` are the normal and two tangents, ``rates`` the relative velocity at the point and that of
        turning; ``loads`` returns the loads of a unit force and a unit torque.
        """
        v, w = rates

        def push(direction: Array, gap: Scalar = 0.0, bound: Scalar = 0.0) -> Row:
            return Row(loads(direction, zeros(3)), dot(direction, v), gap, bound)

        def turn(direction: Array, bound: Scalar) -> Row:
            return Row(loads(zeros(3), direction), dot(direction, w), 0.0, bound)

        n, *tangents = axes
        rows = [push(n, psi, mu)]
        if self.friction != "none":
            rows += [push(t, 0.0, mu) for t in tangents]
        if self.rolling > 0.0:
            rows += [turn(t, self.rolling) for t in tangents]
        if self.spinning > 0.0:
            rows.append(turn(n, self.spinning))
        return rows


FLAT = 1e-9
"""Sine of the angle between a disc's axis and a surface's normal, below which the disc lies flat."""


def check_surface(value: Surface, owner: str, what: str) -> Surface:
    """Return a user's surface."""
    needed = "a surface, such as Plane(friction=0.8): an object with touch(r)"
    return checks.provides(f"{owner}: {what}", value, ("touch",), needed)


def check_axis(value: ArrayLike | None, owner: str, what: str) -> Array | None:
    """Return a user's direction, if it is given."""
    return None if value is None else unit_axis(value, owner, what)


@dataclass(eq=False, repr=False)
class Contact(ContactLaw, Named, UnilateralElement):
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

    noun: ClassVar[str] = "contact"

    body: Body
    at: Vector = vector()
    surface: Checked[Surface, Surface] = Checked(check_surface, "Surface")
    _: KW_ONLY
    radius: Number = number(0.0, at_least=0.0)
    axis: Checked[ArrayLike | None, Array | None] = Checked(check_axis, "ArrayLike | None", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if check_body(self.body, self._owner).is_ground:
            raise ModelError(f"{self._owner}: the ground cannot touch itself; name a body that can move")
        if self.axis is not None and self.radius == 0.0:
            raise ModelError(f"{self._owner}: a disc needs a positive radius")
        self.kinds = tuple(self.point_kinds())
        self.ground = ground_of(self.body)

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
        return self.point_rows(axes, touch.distance, touch.mu, (v, w), loads)

    def _lever(self, observer: Observer, n: Array) -> Array:
        """Return the vector from the centre to the point nearest to the surface.

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


@dataclass(eq=False, repr=False)
class BodyContact(ContactLaw, Named, UnilateralElement):
    """Two bodies that can touch.

    Equal and opposite forces act on both at the middle C between the points a and b where their shapes are
    nearest.

    Parameters
    ----------
    name : str
    body : Body
    shape : Sphere, Capsule, Box or HalfSpace
        Fixed on it, in the design pose.
    other : Body
        May be the ground.
    other_shape : as ``shape``
    mu : float
        Friction coefficient.
    friction : {"disc", "box", "none"}
        See `ce_dynamics.contact.Contact`.
    restitution : float
        e in 0 … 1.
    rolling, spinning : float
        See `ce_dynamics.contact.Contact`.

    Raises
    ------
    ModelError
        For one body twice, bodies of two systems, shapes that cannot touch, numbers out of range.
    """

    noun: ClassVar[str] = "contact"

    body: Body
    shape: Shape
    other: Body
    other_shape: Shape
    _: KW_ONLY
    mu: Number = number(0.0, at_least=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, body = self._owner, check_body(self.body, self._owner)
        if body is check_body(self.other, owner, "other"):
            raise ModelError(f"{owner}: {body.name!r} cannot touch itself; name two bodies")
        if body.is_ground:
            raise ModelError(f"{owner}: name the body that can move first, and then the ground")
        if not self.other.is_ground and ground_of(self.other) is not ground_of(body):
            raise ModelError(f"{owner}: {body.name!r} and {self.other.name!r} belong to different systems")
        shapes = self.shape, self.other_shape
        for what, shape in zip(("shape", "other_shape"), shapes, strict=True):
            check_shape(shape, f"{owner}: {what}")
        self.pair, self.ground = pair_of(*shapes), ground_of(body)
        count = len(self.pair(*(PlacedShape(one.points, one.axes, one.sizes) for one in shapes)))
        size = len(self.point_kinds())
        self.kinds = tuple(
            kind for k in range(count) for kind in self.point_kinds(k * size, f"{k}." if count > 1 else "")
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (
            *((self.body, np.asarray(at)) for at in self.shape.points),
            *((self.other, np.asarray(at)) for at in self.other_shape.points),
        )

    def rows(self, observer: Observer, t: Scalar) -> Sequence[Row]:
        one = self._placed(observer, self.body, self.shape)
        other = self._placed(observer, self.other, self.other_shape)
        return [row for meeting in self.pair(one, other) for row in self._rows_at(observer, meeting)]

    def _rows_at(self, observer: Observer, meeting: Meeting) -> list[Row]:
        C = 0.5 * (meeting.a + meeting.b)
        v_1, w_1 = self._velocity(observer, self.body, self.shape, C)
        v_2, w_2 = self._velocity(observer, self.other, self.other_shape, C)

        def loads(force: Array, torque: Array) -> list[PointLoad]:
            return [
                PointLoad(self.body, self.ground, C, force, torque),
                PointLoad(self.other, self.ground, C, -force, -torque),
            ]

        axes = (meeting.n, *frame(meeting.n))
        return self.point_rows(axes, meeting.psi, self.mu, (v_1 - v_2, w_1 - w_2), loads)

    def _placed(self, observer: Observer, body: Body, shape: Shape) -> PlacedShape:
        points = [observer.point(body, at, self.ground).r for at in shape.points]
        return PlacedShape(
            points, [observer.direction(body, axis, self.ground) for axis in shape.axes], shape.sizes
        )

    def _velocity(self, observer: Observer, body: Body, shape: Shape, C: Array) -> tuple[Array, Array]:
        """Return the velocity of the body's material point at C, and its angular velocity, in world axes."""
        at = observer.point(body, shape.points[0], self.ground)
        w = observer.angular_velocity(body, self.ground)
        return at.v + cross(w, C - at.r), w
