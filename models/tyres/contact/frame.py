"""A wheel on an effective plane: contact point, axes, deflection and velocities."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, sqrt

_TINY = 1e-24
_UP = array((0.0, 0.0, 1.0))


class WheelPose(NamedTuple):
    """A wheel without its motion, in ground axes.

    Attributes
    ----------
    r0, width : float
        Unloaded radius and width of the tyre [m].
    r : (3,) array
        Wheel centre [m].
    axis : (3,) array
        Unit spin axis, to the left.
    """

    r0: float
    width: float
    r: Array
    axis: Array

    @property
    def up(self) -> Array:
        """In the wheel plane, as steeply up as it goes; unit vector."""
        up = _UP - dot(_UP, self.axis) * self.axis
        direction: Array = up / length(up)
        return direction

    @property
    def low(self) -> Array:
        """The lowest point of the unloaded wheel [m]."""
        up = _UP - dot(_UP, self.axis) * self.axis
        lowest: Array = self.r - (self.r0 / length(up)) * up
        return lowest


class GroundPlane(NamedTuple):
    """The plane on which a wheel counts as standing.

    Attributes
    ----------
    point, normal : (3,) array
        In ground axes; the normal is a unit vector upwards.
    share : scalar
        By how much less the road pushes than a plane would that deflects the tyre as much: the resultant of
        forces that do not all point the same way.
    friction : scalar
        Friction coefficient of the road.
    """

    point: Array
    normal: Array
    share: Scalar
    friction: Scalar


class WheelContact(NamedTuple):
    """Contact point and motion of a wheel on the road; vectors in ground axes.

    Attributes
    ----------
    r : (3,) array
        Contact point [m].
    e_x, e_y, e_n : (3,) array
        Forward and leftward in the road plane, and its normal.
    radius : scalar
        Static radius r_S: distance of the wheel centre from the road in the wheel plane [m].
    deflection, deflection_rate : scalar
        r0 − r_S [m], negative in the air, and its rate [m/s].
    v_x, v_y : scalar
        Velocity of the contact point without the wheel's spin, in the road plane [m/s].
    spin : scalar
        Angular velocity about the spin axis Ω [rad/s].
    friction : scalar
        Friction coefficient of the road.
    share : scalar
        As of `GroundPlane`.
    v : (3,) array
        Velocity of the wheel centre [m/s].
    """

    r: Array
    e_x: Array
    e_y: Array
    e_n: Array
    radius: Scalar
    deflection: Scalar
    deflection_rate: Scalar
    v_x: Scalar
    v_y: Scalar
    spin: Scalar
    friction: Scalar
    share: Scalar
    v: Array


def length(a: Array) -> Scalar:
    """Return length of a vector, never quite zero: a wheel lying flat has no direction, but no NaN either."""
    return sqrt(dot(a, a) + _TINY)


def contact_on(plane: GroundPlane, wheel: WheelPose, v: Array, omega: Array) -> WheelContact:
    """Return the contact of a wheel with a plane.

    Parameters
    ----------
    plane : GroundPlane
    wheel : WheelPose
    v : (3,) array
        Velocity of the wheel centre in ground axes.
    omega : (3,) array
        Angular velocity of the wheel in ground axes.
    """
    r, axis, e_n = wheel.r, wheel.axis, plane.normal
    forward = cross(axis, e_n)
    e_x = forward / length(forward)
    e_y = cross(e_n, e_x)
    radial = cross(e_x, axis)  # up, in the wheel plane
    cos_camber = length(forward)  # = radial · e_n
    radius = dot(r - plane.point, e_n) / cos_camber
    arm = -radius * radial
    spin = dot(omega, axis)
    v_contact = v + cross(omega - spin * axis, arm)
    # The contact point stays in the road plane: e_n · (v_contact − ṙ_S radial) = 0.
    radius_rate = dot(e_n, v_contact) / cos_camber
    v_road = v_contact - radius_rate * radial
    return WheelContact(
        r + arm,
        e_x,
        e_y,
        e_n,
        radius,
        wheel.r0 - radius,
        -plane.share * radius_rate,
        dot(e_x, v_road),
        dot(e_y, v_road),
        spin,
        plane.friction,
        plane.share,
        v,
    )
