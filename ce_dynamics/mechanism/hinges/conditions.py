"""Scalar conditions between two bodies, for formulations that cut hinges.

A condition uses the two ends of a joint, p on the parent and c on the child, in any common
axes.  Directions are kept as they are in the design pose, where all axes are parallel.  With the twists of
both ends stacked as V = [w_p, v_p, w_c, v_c] and V̇ their derivatives, every condition satisfies

    d/dt residual = velocity_rows V,        d²/dt² residual = velocity_rows V̇ + acceleration_bias.

Residuals are smooth for all poses, not only for those that satisfy them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate, cos, cross, dot, sin, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.mechanism.checked import across


class JointEnd(NamedTuple):
    """One end of a joint."""

    R: Array  # (3, 3): From the body's axes to the common ones
    x: Array  # (3,): The hinge point (``at_parent`` or ``at_child``), common axes [m]


class Twist(NamedTuple):
    """Angular velocity w [rad/s] of a body and velocity v [m/s] of its hinge point, common axes."""

    w: Array
    v: Array


class Condition(ABC):
    """One or several scalar conditions between two ends.

    A condition on velocities that is no derivative of one on positions (rolling) is not ``holonomic``: its
    residual is zero everywhere, velocity_rows V itself must vanish, and d/dt (velocity_rows V) =
    velocity_rows V̇ + acceleration_bias.
    """

    rows: ClassVar[int] = 1
    holonomic: ClassVar[bool] = True
    is_length: ClassVar[bool] = True
    """True if the residual is in m, False if it is a cosine."""

    @abstractmethod
    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        """Return the residual (rows,), cosines [-] or lengths [m], which must be zero."""

    @abstractmethod
    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        """Return the Jacobian (rows, 12) over [w_p, v_p, w_c, v_c]."""

    @abstractmethod
    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        """Return the second derivative of the residual (rows,) while no body is accelerated."""


class Closure(Protocol):
    """Contract of an object that may close a loop: every hinge, and `Distance`."""

    @property
    def at_parent(self) -> Array:
        """Design position of the point x_p, fixed on the parent, (3,) [m]."""

    @property
    def at_child(self) -> Array:
        """Design position of the point x_c, fixed on the child, (3,) [m]."""

    @property
    def constraints(self) -> tuple[Condition, ...]:
        """The conditions it imposes on them."""


class AtOnePoint:
    """A closure or hinge in whose point parent and child meet in the design pose."""

    at: Array
    """The point in the design pose, (3,) [m]."""

    @property
    def at_parent(self) -> Array:
        """Design position of the point on the parent."""
        return self.at

    @property
    def at_child(self) -> Array:
        """Design position of the point on the child."""
        return self.at


class BetweenPoints(NamedTuple):
    """A closure between two points that need not coincide in the design pose."""

    at_parent: Array
    at_child: Array
    constraints: tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class InPart:
    """A closure that keeps some conditions of another one."""

    whole: Closure
    constraints: tuple[Condition, ...]

    @property
    def at_parent(self) -> Array:
        """Design position of the point on the parent."""
        return self.whole.at_parent

    @property
    def at_child(self) -> Array:
        """Design position of the point on the child."""
        return self.whole.at_child

    @property
    def kind(self) -> str:
        """Type of the whole closure, for people."""
        return f"{getattr(self.whole, 'kind', type(self.whole).__name__)}, in part"


@dataclass(frozen=True, eq=False)
class Coincident(Condition):
    """The two hinge points coincide: x_c − x_p = 0, in the common axes."""

    rows: ClassVar[int] = 3

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return c.x - p.x

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        return np.hstack((zeros(3, 3), -IDENTITY, zeros(3, 3), IDENTITY))

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        return zeros(3)


@dataclass(frozen=True, eq=False)
class Angle(Condition):
    """A direction on the parent and one on the child keep their angle: a · b = cosine."""

    is_length: ClassVar[bool] = False

    # axis_on_parent, axis_on_child (3,): Unit vectors a and b in the design pose; must not be parallel, where
    # the condition is singular
    axis_on_parent: Array
    axis_on_child: Array
    cosine: float = 0.0  # Cosine of the angle, zero for perpendicular directions

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return array((dot(p.R @ self.axis_on_parent, c.R @ self.axis_on_child) - self.cosine,))

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        # (w_p × a) · b + a · (w_c × b) = (w_p − w_c) · (a × b)
        m = cross(p.R @ self.axis_on_parent, c.R @ self.axis_on_child)
        return concatenate((m, zeros(3), -m, zeros(3)))[np.newaxis]

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        a, b = p.R @ self.axis_on_parent, c.R @ self.axis_on_child
        m_dot = cross(cross(V_p.w, a), b) + cross(a, cross(V_c.w, b))
        return array((dot(V_p.w - V_c.w, m_dot),))


@dataclass(frozen=True, eq=False)
class InPlane(Condition):
    """The child's point stays in the parent's plane through the parent's point: n · (x_c − x_p) = 0."""

    normal_on_parent: Array  # (3,): Unit normal n of the plane in the design pose

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return array((dot(p.R @ self.normal_on_parent, c.x - p.x),))

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        # (w_p × n) · Δ + n · Δ̇
        n = p.R @ self.normal_on_parent
        return concatenate((cross(n, c.x - p.x), -n, zeros(3), n))[np.newaxis]

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        n_dot = cross(V_p.w, p.R @ self.normal_on_parent)
        return array((dot(cross(V_p.w, n_dot), c.x - p.x) + 2.0 * dot(n_dot, V_c.v - V_p.v),))


@dataclass(frozen=True, eq=False)
class Screwed(Condition):
    """Turning and sliding along one axis go together: displacement δ = pitch × angle.

    The direction e2 cos(δ / pitch) − e1 sin(δ / pitch) on the parent, which turns as the child slides, stays
    perpendicular to the child's e1: pitch e1_c · (sin(δ / pitch) e1_p − cos(δ / pitch) e2_p) = 0.  To first
    order this is δ − pitch × angle, without its jump at half a turn: it distinguishes any number of
    turns.  (A child turned by π too far satisfies it as well, but cannot get there continuously.)
    """

    axis: Array  # (3,): Unit vector of the axis in the design pose
    pitch: float  # Displacement per angle [m/rad], not zero (a screw without pitch keeps `InPlane`)

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        _, u, b = self._directions(p, c)
        return array((self.pitch * dot(u, b),))

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        # seen from the parent pitch u̇ = w δ̇, whence (w · b) δ̇ + pitch (w_p − w_c) · (u × b)
        w, u, b = self._directions(p, c)
        n = p.R @ self.axis
        turning = self.pitch * cross(u, b)
        sliding = dot(w, b)
        on_parent = turning + sliding * cross(n, c.x - p.x)
        return concatenate((on_parent, -sliding * n, -turning, sliding * n))[np.newaxis]

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        w, u, b = self._directions(p, c)
        n = p.R @ self.axis
        delta_dot = dot(cross(V_p.w, n), c.x - p.x) + dot(n, V_c.v - V_p.v)
        u_dot = cross(V_p.w, u) + w * (delta_dot / self.pitch)
        w_dot = cross(V_p.w, w) - u * (delta_dot / self.pitch)
        b_dot = cross(V_c.w, b)
        slide = InPlane(self.axis).acceleration_bias(p, c, V_p, V_c)[0]
        sliding = (dot(w_dot, b) + dot(w, b_dot)) * delta_dot + dot(w, b) * slide
        turning = self.pitch * dot(V_p.w - V_c.w, cross(u_dot, b) + cross(u, b_dot))
        return array((sliding + turning,))

    def _directions(self, p: JointEnd, c: JointEnd) -> tuple[Array, Array, Array]:
        """Return w, u on the parent at the angle δ / pitch from e1 and −e2, and b = e1 on the child."""
        e1, e2 = across(self.axis)
        angle = dot(p.R @ self.axis, c.x - p.x) / self.pitch
        s, k = sin(angle), cos(angle)
        return p.R @ (k * e1 + s * e2), p.R @ (s * e1 - k * e2), c.R @ e1


@dataclass(frozen=True, eq=False)
class Separation(Condition):
    """The two hinge points keep their distance: (|x_c − x_p|² − length²) / (2 length) = 0.

    To first order this is the change of the distance, and it is smooth even where the points meet.
    """

    length: float  # Distance [m], positive

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        delta = c.x - p.x
        return array(((dot(delta, delta) / self.length - self.length) * 0.5,))

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        u = (c.x - p.x) / self.length
        return concatenate((zeros(3), -u, zeros(3), u))[np.newaxis]

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        delta_dot = V_c.v - V_p.v
        return array((dot(delta_dot, delta_dot) / self.length,))


def align_axes(axis: Array) -> tuple[Condition, ...]:
    """Return ``axis`` is common to both bodies (two rows)."""
    e1, e2 = across(axis)
    return Angle(e1, axis), Angle(e2, axis)


def on_line(axis: Array) -> tuple[Condition, ...]:
    """Return the child's point stays on the parent's line along ``axis`` (two rows)."""
    e1, e2 = across(axis)
    return InPlane(e1), InPlane(e2)


def parallel_axes() -> tuple[Condition, ...]:
    """Return the child does not turn relative to the parent (three rows)."""
    x, y, z = IDENTITY
    return Angle(x, y), Angle(y, z), Angle(z, x)


def one_by_one(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Return conditions with points that coincide as three planes through one of them, fixed on its body."""
    found: list[Condition] = []
    for condition in conditions:
        found += [InPlane(e) for e in IDENTITY] if isinstance(condition, Coincident) else [condition]
    return tuple(found)
