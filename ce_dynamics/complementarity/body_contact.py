"""Contact between two bodies of an embedded system: ψ ≥ 0 at every point where their shapes meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross
from ce_dynamics.complementarity.element import Row, UnilateralElement
from ce_dynamics.complementarity.friction import (
    Friction,
    checked_restitution,
    contact_kinds,
    contact_rows,
    resistance,
)
from ce_dynamics.complementarity.nearest import Meeting, frame
from ce_dynamics.complementarity.pairs import pair_of
from ce_dynamics.complementarity.shapes import Placed, Shape
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, checked_body, ground_of
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import Observer, PointLoad


class BodyContact(UnilateralElement):
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
        See `ce_dynamics.complementarity.Contact`.
    restitution : float
        e in 0 … 1.
    rolling, spinning : float
        See `ce_dynamics.complementarity.Contact`.

    Raises
    ------
    ModelError
        For one body twice, bodies of two systems, shapes that cannot touch, numbers out of range.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        shape: Shape,
        other: Body,
        other_shape: Shape,
        *,
        mu: float = 0.0,
        friction: Friction = "disc",
        restitution: float = 0.0,
        rolling: float = 0.0,
        spinning: float = 0.0,
    ) -> None:
        owner = f"contact {name!r}"
        checks.name_of("BodyContact: name", name)
        checked_body(body, owner)
        if body is checked_body(other, owner):
            raise ModelError(f"{owner}: {body.name!r} cannot touch itself; name two bodies")
        if body.is_ground:
            raise ModelError(f"{owner}: name the body that can move first, and then the ground")
        if not other.is_ground and ground_of(other) is not ground_of(body):
            raise ModelError(f"{owner}: {body.name!r} and {other.name!r} belong to different systems")
        self.name, self.body, self.other = name, body, other
        self.shape, self.other_shape = shape, other_shape
        self.pair, self.ground = pair_of(shape, other_shape), ground_of(body)
        self.mu = finite_number(mu, owner, "mu", at_least=0.0)
        self.law = resistance(friction, rolling, spinning, owner)
        e = checked_restitution(restitution, owner)
        count = len(self.pair(as_designed(shape), as_designed(other_shape)))
        size = len(contact_kinds(self.law, e))
        self.kinds = tuple(
            kind
            for k in range(count)
            for kind in contact_kinds(self.law, e, k * size, f"{k}." if count > 1 else "")
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
        return contact_rows(self.law, axes, meeting.psi, self.mu, v_1 - v_2, w_1 - w_2, loads)

    def _placed(self, observer: Observer, body: Body, shape: Shape) -> Placed:
        points = [observer.point(body, at, self.ground).r for at in shape.points]
        return Placed(
            points, [observer.direction(body, axis, self.ground) for axis in shape.axes], shape.sizes
        )

    def _velocity(self, observer: Observer, body: Body, shape: Shape, C: Array) -> tuple[Array, Array]:
        """Velocity of the body's material point at C, and its angular velocity, in world axes."""
        at = observer.point(body, shape.points[0], self.ground)
        w = observer.angular_velocity(body, self.ground)
        return at.v + cross(w, C - at.r), w


def as_designed(shape: Shape) -> Placed:
    """A shape in the design pose."""
    return Placed(shape.points, shape.axes, shape.sizes)
