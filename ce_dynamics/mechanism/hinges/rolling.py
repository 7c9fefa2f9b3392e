"""Rolling hinge: a ball that rolls without slipping on a plane of its parent, in minimal velocities.

The ball is an aggregated body with a non-holonomic velocity map.  Of the six velocities of a free hinge at
its centre, [ω; v], only three are independent: the material point at the contact is at rest on the plane,
v + ω × (−r n) = 0, so

    [ω; v] = X_S θ̇(S),   θ̇(S) = ω,   X_S = [1; −r ñ],   H(S) = X_Sᵀ H_S,

in the parent's axes, where n, and with it X_S, is constant: Ẋ_S = 0.  No coordinates have these rates
(rolling a ball around a loop turns it), so θ̇(S) are quasi-velocities and there are more coordinates than
velocities: two for the contact point and a quaternion.  Newton and Euler's equations projected by H(S), which
is all the recursions do, stay true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, dot, skew, zeros
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, across, finite_number, finite_vector
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane, JointEnd, Twist

UNIT_TOLERANCE = 1e-6
"""A normal whose length differs from 1 by more than this is refused; the rest is rounding, and removed."""


@dataclass(frozen=True, eq=False)
class Touching(InPlane):
    """The sphere touches the plane: gap n · (x_c − x_p) − radius = 0; its multiplier is the normal force.

    The sphere is on the side of the unit normal n; the radius is in m.
    """

    radius: float

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return super().residual(p, c) - self.radius


@dataclass(frozen=True, eq=False)
class NoSlip(Condition):
    """The two bodies' points at C have the same velocity along the plane; its multipliers are friction."""

    rows: ClassVar[int] = 2
    holonomic: ClassVar[bool] = False

    normal_on_parent: Array  # (3,): Unit normal n of the plane in the design pose
    radius: float  # [m]
    # x_axis, y_axis (3,): Unit vectors t along the plane in the design pose: the directions of the two rows
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
        """Return n, ρ = half the sum of the centre's height and the radius, and e = C − x_p."""
        n = p.R @ self.normal_on_parent
        rho = 0.5 * (dot(n, c.x - p.x) + self.radius)
        return n, rho, c.x - p.x - rho * n


def unit_normal(
    value: object, owner: str, what: str = "plane normal", tolerance: float = UNIT_TOLERANCE
) -> Array:
    """Return a user's unit vector; refuses one that is not of length one to within the tolerance."""
    vector = finite_vector(value, owner, what)
    length = float(np.linalg.norm(vector))
    if not abs(length - 1.0) <= tolerance:
        raise ModelError(
            f"{owner}: {what} {tuple(vector.tolist())} has length {length:g}; it must be a unit vector,"
            " such as (0, 0, 1)"
        )
    return np.asarray(vector / length)


def positive(value: object, owner: str, what: str, unit: str) -> float:
    """Return a user's positive number."""
    number = finite_number(value, owner, what)
    if number <= 0.0:
        raise ModelError(f"{owner}: {what} {number:g} must be > 0 {unit}")
    return number


class RollingOnPlane(Hinge):
    """Rolling without slipping of a sphere of the child on a plane of the parent.

    q = [x y, qw qx qy qz]: displacement of the contact point along e1 and e2, fixed on the parent, and the
    ball's orientation; v = [wx wy wz]: angular velocity relative to the parent, in the parent's axes.  The
    contact is bilateral and friction unlimited; see the reactions for the forces.

    Parameters
    ----------
    normal : sequence of 3 floats
        Unit normal of the plane in the design pose; the ball is on this side of it.
    at : sequence of 3 floats
        Centre of the sphere in the design pose [m]; the plane is ``radius`` below it.
    radius : float
        [m], positive.
    x_axis : sequence of 3 floats, optional
        Unit vector e1 along the plane; as for `Planar` if not given.
    """

    n_q = 6
    n_v = 3
    coordinate_names = ("x", "y", "qw", "qx", "qy", "qz")
    velocity_names = ("wx", "wy", "wz")
    coordinate_units = ("m", "m", "1", "1", "1", "1")
    velocity_units = ("rad/s", "rad/s", "rad/s")

    def __init__(
        self, normal: ArrayLike, at: ArrayLike, radius: float, x_axis: ArrayLike | None = None
    ) -> None:
        self.normal = unit_normal(normal, "RollingOnPlane", "normal")
        self.at = finite_vector(at, "RollingOnPlane", "at")
        self.radius = positive(radius, "RollingOnPlane", "radius", "m")
        self.e1, self.e2 = plane_axes(self.normal, x_axis, "RollingOnPlane")

    @property
    def at_parent(self) -> Array:
        """The contact point in the design pose."""
        return self.at - self.radius * self.normal

    @property
    def neutral(self) -> Array:
        return array((0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    @property
    def velocity_map(self) -> Array:
        """X_S (6, 3): the free hinge's [ω; v] of the centre from θ̇(S) = ω, in the parent's axes."""
        return np.vstack((IDENTITY, -self.radius * skew(self.normal)))  # v = ω × r n

    def configuration(self, q: Array) -> Array:
        """Return c = [x y, quaternion of unit length]."""
        return concatenate((q[:2], normalise(q[2:])))

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_from_quaternion(c[2:]), c[0] * self.e1 + c[1] * self.e2

    def H(self, c: Array) -> Array:
        """Return H(S) = X_Sᵀ H_S, where a free hinge's H_S is the identity."""
        return self.velocity_map.T

    def q_dot(self, q: Array, v: Array) -> Array:
        """Return the velocity of the contact point over the plane, then ½ (0, ω) ⊗ quaternion."""
        centre = self.velocity_map[3:] @ v
        return concatenate((array((self.e1 @ centre, self.e2 @ centre)), quaternion_rate(q[2:], v)))

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (Touching(self.normal, self.radius), NoSlip(self.normal, self.radius, self.e1, self.e2))


def plane_axes(normal: Array, x_axis: ArrayLike | None, owner: str) -> tuple[Array, Array]:
    """Return unit vectors e1, e2 along a plane, (e1, e2, normal) right-handed."""
    if x_axis is None:
        return across(normal)
    x = unit_normal(x_axis, owner, "x_axis")
    if abs(x @ normal) > ANGULAR_TOLERANCE:
        raise ModelError(f"{owner}: x_axis {x_axis!r} is not perpendicular to the normal {normal.tolist()}")
    e2 = np.cross(normal, x)
    e2 = e2 / np.linalg.norm(e2)
    return np.cross(e2, normal), e2
