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
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane

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

    def residual(self, R_p: Array, x_p: Array, R_c: Array, x_c: Array) -> Array:
        return InPlane(self.normal_on_parent).residual(R_p, x_p, R_c, x_c) - self.radius

    def velocity_rows(self, R_p: Array, x_p: Array, R_c: Array, x_c: Array) -> Array:
        return InPlane(self.normal_on_parent).velocity_rows(R_p, x_p, R_c, x_c)

    def acceleration_bias(
        self,
        R_p: Array,
        x_p: Array,
        R_c: Array,
        x_c: Array,
        w_p: Array,
        v_p: Array,
        w_c: Array,
        v_c: Array,
    ) -> Array:
        return InPlane(self.normal_on_parent).acceleration_bias(R_p, x_p, R_c, x_c, w_p, v_p, w_c, v_c)


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

    def residual(self, R_p: Array, x_p: Array, R_c: Array, x_c: Array) -> Array:
        return zeros(2)

    def velocity_rows(self, R_p: Array, x_p: Array, R_c: Array, x_c: Array) -> Array:
        # t · (v_c + ω_c × (C − x_c) − v_p − ω_p × e) with C − x_c = −ρ n and e = C − x_p
        n, rho, e = self._contact(R_p, x_p, x_c)
        return np.stack(
            [
                concatenate((cross(t, e), -t, rho * cross(t, n), t))
                for t in (R_p @ self.x_axis, R_p @ self.y_axis)
            ]
        )

    def acceleration_bias(
        self,
        R_p: Array,
        x_p: Array,
        R_c: Array,
        x_c: Array,
        w_p: Array,
        v_p: Array,
        w_c: Array,
        v_c: Array,
    ) -> Array:
        n, rho, e = self._contact(R_p, x_p, x_c)
        n_dot, delta_dot = cross(w_p, n), v_c - v_p
        rho_dot = 0.5 * (dot(n_dot, x_c - x_p) + dot(n, delta_dot))
        e_dot = delta_dot - rho_dot * n - rho * n_dot
        slip = delta_dot - rho * cross(w_c, n) - cross(w_p, e)
        slip_dot = -rho_dot * cross(w_c, n) - rho * cross(w_c, n_dot) - cross(w_p, e_dot)
        axes = (R_p @ self.x_axis, R_p @ self.y_axis)
        return array(dot(cross(w_p, t), slip) + dot(t, slip_dot) for t in axes)

    def _contact(self, R_p: Array, x_p: Array, x_c: Array) -> tuple[Array, Scalar, Array]:
        """n, ρ = half the sum of the centre's height and the radius, and e = C − x_p."""
        n = R_p @ self.normal_on_parent
        rho = 0.5 * (dot(n, x_c - x_p) + self.radius)
        return n, rho, x_c - x_p - rho * n


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
