"""A sphere that touches a plane, and does not slip on it.

The plane {n · (x − x_p) = 0} is fixed on the parent and the sphere's centre x_c on the child.  CB is the
point of the sphere straight below the centre (against n), CP the point of the plane below it, and the contact
point C is midway: C = x_c − ρ n with ρ = radius + gap / 2.  The forces on both bodies act at C.

`Touching` is a position (holonomic) condition, `NoSlip` a velocity (non-holonomic) one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, dot, zeros
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane, JointEnd, Twist

UNIT_TOLERANCE = 1e-6
"""A normal whose length differs from 1 by more than this is refused; the rest is rounding, and removed."""


@dataclass(frozen=True, eq=False)
class Touching(Condition):
    """The sphere touches the plane: gap n · (x_c − x_p) − radius = 0; its multiplier is the normal force.

    Parameters
    ----------
    normal_on_parent : (3,) array
        Unit normal n of the plane in the design pose; the sphere is on this side.
    radius : float
        [m].
    """

    normal_on_parent: Array
    radius: float

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return InPlane(self.normal_on_parent).residual(p, c) - self.radius

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        return InPlane(self.normal_on_parent).velocity_rows(p, c)

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        return InPlane(self.normal_on_parent).acceleration_bias(p, c, V_p, V_c)


@dataclass(frozen=True, eq=False)
class NoSlip(Condition):
    """The two bodies' points at C have the same velocity along the plane; its multipliers are friction.

    Parameters
    ----------
    normal_on_parent : (3,) array
        Unit normal n of the plane in the design pose.
    radius : float
        [m].
    x_axis, y_axis : (3,) arrays
        Unit vectors t along the plane in the design pose: the directions of the two rows.
    """

    rows: ClassVar[int] = 2
    holonomic: ClassVar[bool] = False

    normal_on_parent: Array
    radius: float
    x_axis: Array
    y_axis: Array

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return zeros(2)

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        # t · (v_c + ω_c × (C − x_c) − v_p − ω_p × e) with C − x_c = −ρ n and e = C − x_p
        n, rho, e = self._contact(p, c)
        return np.stack(
            [
                concatenate((cross(t, e), -t, rho * cross(t, n), t))
                for t in (p.R @ self.x_axis, p.R @ self.y_axis)
            ]
        )

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        n, rho, e = self._contact(p, c)
        n_dot, delta_dot = cross(V_p.w, n), V_c.v - V_p.v
        rho_dot = 0.5 * (dot(n_dot, c.x - p.x) + dot(n, delta_dot))
        e_dot = delta_dot - rho_dot * n - rho * n_dot
        slip = delta_dot - rho * cross(V_c.w, n) - cross(V_p.w, e)
        slip_dot = -rho_dot * cross(V_c.w, n) - rho * cross(V_c.w, n_dot) - cross(V_p.w, e_dot)
        axes = (p.R @ self.x_axis, p.R @ self.y_axis)
        return array(dot(cross(V_p.w, t), slip) + dot(t, slip_dot) for t in axes)

    def _contact(self, p: JointEnd, c: JointEnd) -> tuple[Array, Scalar, Array]:
        """n, ρ = half the sum of the centre's height and the radius, and e = C − x_p."""
        n = p.R @ self.normal_on_parent
        rho = 0.5 * (dot(n, c.x - p.x) + self.radius)
        return n, rho, c.x - p.x - rho * n


class RollingContact(NamedTuple):
    """A closure between the body of a plane and that of a ball: the ball rolls."""

    at_parent: Array
    at_child: Array
    constraints: tuple[Condition, ...]


def unit_normal(value: object, owner: str, what: str = "plane normal") -> Array:
    """A user's unit vector; refuses one that is not of length one.

    Raises
    ------
    ModelError
        If it is not three finite numbers of length 1 (within `UNIT_TOLERANCE`).
    """
    vector = finite_vector(value, owner, what)
    length = float(np.linalg.norm(vector))
    if not abs(length - 1.0) <= UNIT_TOLERANCE:
        raise ModelError(
            f"{owner}: {what} {tuple(vector.tolist())} has length {length:g}; it must be a unit vector,"
            " such as (0, 0, 1)"
        )
    return np.asarray(vector / length)


def positive(value: object, owner: str, what: str, unit: str) -> float:
    """A user's positive number.

    Raises
    ------
    ModelError
        If it is not a finite number above zero.
    """
    number = finite_number(value, owner, what)
    if number <= 0.0:
        raise ModelError(f"{owner}: {what} {number:g} must be > 0 {unit}")
    return number
