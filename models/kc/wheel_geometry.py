"""Wheel angles and offsets, turning circles, and instant centres.

Axes are those of ISO 8855: x forward, y to the left, z up, fixed on the chassis, which is level.  `side` is
1 of a left wheel and −1 of a right one; spin axes e point to the left on both sides.

A carrier moves like a screw: its angular velocity ω and the velocity v of one of its points, here per metre
of wheel travel.  In a projection its instant centre is where the velocity in the plane vanishes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import (
    PLAIN,
    Array,
    Scalar,
    arctan2,
    array,
    cos,
    cross,
    dot,
    norm,
    sin,
    sqrt,
    where,
)


class WheelPlane(NamedTuple):
    """Directions of a wheel on a level road: along its plane and across it in the road, up in its plane."""

    forward: Array
    left: Array
    up: Array


def wheel_plane(e: Array) -> WheelPlane:
    """Return directions of a wheel with the spin axis e."""
    across = array((e[1], -e[0], 0.0))
    forward = across / norm(across)
    left = array((-forward[1], forward[0], 0.0))
    return WheelPlane(forward, left, cross(forward, e))


def contact(W: Array, e: Array, radius: Scalar) -> Array:
    """Return the contact centre: where the wheel plane meets the road, `radius` below the wheel centre."""
    centre: Array = W - radius * wheel_plane(e).up
    return centre


def steer_angle(e: Array) -> Scalar:
    """Return the angle of the wheel plane about z [rad], positive to the left."""
    return arctan2(-e[0], e[1])


def toe_angle(e: Array, side: int) -> Scalar:
    """Return the toe angle, positive where the wheel's front points inward (toe-in) [rad]."""
    return -side * steer_angle(e)


def camber_angle(e: Array, side: int) -> Scalar:
    """Return the camber angle, positive where the wheel's top leans outward [rad]."""
    return -side * arctan2(e[2], norm(e[:2]))


def steer_rate(e: Array, de: Array) -> Scalar:
    """Change of the steer angle with a change of the spin axis."""
    return (e[0] * de[1] - e[1] * de[0]) / dot(e[:2], e[:2])


def camber_rate(e: Array, de: Array, side: int) -> Scalar:
    """Change of the camber angle with a change of the spin axis."""
    return -side * de[2] / norm(e[:2])


def side_view_angle(R: Array) -> Scalar:
    """Turn of the carrier in the side view since the design pose [rad], positive where its top goes back."""
    return arctan2(-R[0, 2], R[2, 2])


def front_view_angle(R: Array, side: int) -> Scalar:
    """Turn of the carrier in the front view since the design pose [rad], positive where its top goes out."""
    return arctan2(side * R[1, 2], R[2, 2])


class SteeringAxis(NamedTuple):
    """A line: a point on it, and its direction, upwards."""

    point: Array
    direction: Array

    def at_height(self, z: Scalar) -> Array:
        """Return the point at which the axis passes the height z [m]."""
        point, along = self
        passed: Array = point + ((z - point[2]) / along[2]) * along
        return passed


def caster_angle(axis: SteeringAxis) -> Scalar:
    """Return the tilt of the steering axis in side view [rad], positive if its top leans back."""
    return arctan2(-axis.direction[0], axis.direction[2])


def kingpin_inclination(axis: SteeringAxis, side: int) -> Scalar:
    """Return the tilt of the steering axis in front view [rad], positive if its top leans to the middle."""
    return arctan2(-side * axis.direction[1], axis.direction[2])


class Offsets(NamedTuple):
    """Offsets of a point of the wheel from the steering axis at its height [m].

    They are positive where the axis passes on the inner side, and ahead.
    """

    lateral: Scalar
    longitudinal: Scalar


def offsets(point: Array, axis: SteeringAxis, e: Array, side: int) -> Offsets:
    """Return scrub radius and caster trail of the contact centre; of the wheel centre, the offsets there."""
    forward, left, _ = wheel_plane(e)
    away = point - axis.at_height(point[2])
    return Offsets(side * dot(away, left), -dot(away, forward))


STRAIGHT = 1e-10
"""[rad²] Product of two steer angles up to which the wheels count as straight: 1e-5 rad each, which is what
six digits of a data file leave; the circle would be 500 km wide."""


class Ackermann(NamedTuple):
    """Steer angles of an axle against those with which all wheels would roll about one point.

    All are NaN where the wheels do not turn the same way, or are parallel to the vehicle.  ``ideal_outer`` is
    the outer wheel's angle for that of the inner one [rad], with the same sign, ``error`` the outer wheel's
    less that, positive where it turns further [rad], ``percentage`` 100 (inner − outer)/(inner − ideal
    outer), ``turning_diameter`` that of the outer wheel's path with the inner wheel's angle and Ackermann's
    geometry, kerb to kerb [m].
    """

    ideal_outer: Scalar
    error: Scalar
    percentage: Scalar
    turning_diameter: Scalar


def ackermann(left: Scalar, right: Scalar, track: Scalar, wheelbase: Scalar) -> Ackermann:
    """Return the Ackermann figure from steer angles to the left [rad], track and wheelbase [m].

    The turning centre is on the other axle's line, R from the middle: R = track/2 + L/tan(inner) and
    outer = atan(L/(R + track/2)).
    """
    to_the_left = left + right > 0.0
    sign = where(left * right > STRAIGHT, where(to_the_left, 1.0, -1.0), math.nan)
    inner, outer = sign * where(to_the_left, left, right), sign * where(to_the_left, right, left)
    beyond = track * sin(inner)
    along = wheelbase * cos(inner)
    ideal = arctan2(wheelbase * sin(inner), along + beyond)  # L/(L/tan(inner) + track)
    to_outer = along / sin(inner) + track  # R + track/2
    return Ackermann(
        sign * ideal,
        outer - ideal,
        100.0 * (inner - outer) / (inner - ideal),
        2.0 * sqrt(to_outer * to_outer + wheelbase * wheelbase),
    )


STILL = 1e-12
"""Turning that rounding makes, in rad per metre of travel: the carrier does not turn."""

PARALLEL = 1e-12
"""Difference of the slopes of two lines that rounding makes: they are parallel."""


class CarrierScrew(NamedTuple):
    """Motion of a carrier per unit of its coordinate: angular velocity w, a point r and its velocity v."""

    w: Array
    r: Array
    v: Array

    def at(self, r: Array) -> Array:
        """Return the velocity of the carrier at a point."""
        velocity: Array = self.v + cross(self.w, r - self.r)
        return velocity

    @property
    def axis_point(self) -> Array:
        """The point of the axis that is nearest to r: r + ω × v / ω²."""
        nearest: Array = self.r + cross(self.w, self.v) / dot(self.w, self.w)
        return nearest


def turning(R: Array, dR: Array) -> Array:
    """Return ω of a rotation matrix and its derivative: the vector of dR Rᵀ."""
    W = dR @ R.T
    return array((W[2, 1], W[0, 2], W[1, 0]))


def quotient(a: Scalar, b: Scalar) -> Scalar:
    """Return a/b as in IEEE 754, both possibly zero: a trailing arm has no instant centre ahead."""
    if isinstance(a, PLAIN) and isinstance(b, PLAIN):
        with np.errstate(all="ignore"):
            return float(np.float64(a) / np.float64(b))
    return a / b


def turning_about(w: Scalar) -> Scalar:
    """Return a component of ω, 0 where it is of rounding alone."""
    return where(w * w < STILL * STILL, 0.0, w)


class WheelSwingArm(NamedTuple):
    """Swing arm of a wheel in one view, from the contact centre to the instant centre.

    ``length`` is horizontal, positive towards the middle of the vehicle [m], infinite where the carrier does
    not turn; ``angle`` is that of its line above the horizontal, towards the middle [rad]; ``centre`` is
    (y, z) in the front view, (x, z) in the side view [m].
    """

    length: Scalar
    angle: Scalar
    centre: tuple[Scalar, Scalar]


def front_swing_arm(screw: CarrierScrew, P: Array, side: int) -> WheelSwingArm:
    """Return the front-view swing arm: v_y(P) − ω_x Δz and v_z(P) + ω_x Δy vanish at the instant centre."""
    v, w = screw.at(P), turning_about(screw.w[0])
    y, z = quotient(-v[2], w), quotient(v[1], w)
    return WheelSwingArm(-side * y, arctan2(side * v[1], v[2]), (P[1] + y, P[2] + z))


def side_swing_arm(screw: CarrierScrew, P: Array, towards: float) -> WheelSwingArm:
    """Return the side-view swing arm: v_x(P) + ω_y Δz and v_z(P) − ω_y Δx vanish at the instant centre.

    `towards` is −1 of a front axle, whose middle of the vehicle is behind it, and 1 of a rear one.
    """
    v, w = screw.at(P), turning_about(screw.w[1])
    x, z = quotient(v[2], w), quotient(-v[0], w)
    return WheelSwingArm(towards * x, arctan2(-towards * v[0], v[2]), (P[0] + x, P[2] + z))


def roll_centre(left: tuple[Array, Array], right: tuple[Array, Array]) -> tuple[Scalar, Scalar]:
    """Return height above the road and y of the roll centre, from contact centres and their roll velocities.

    The line through a contact centre at right angles to its velocity has the slope m = −v_y/v_z; the roll
    centre is where the two lines meet.  Where they are parallel its y is NaN, and its height that half-way
    between both in the middle.
    """
    (P, v), (Q, w) = left, right
    m, n = -v[1] / v[2], -w[1] / w[2]
    parallel = (m - n) * (m - n) < PARALLEL * PARALLEL
    y = where(parallel, float("nan"), quotient(m * P[1] - n * Q[1] + Q[2] - P[2], m - n))
    middle = 0.25 * (m - n) * (Q[1] - P[1])
    return where(parallel, middle, P[2] + m * (y - P[1]) - 0.5 * (P[2] + Q[2])), y


def support_angle(v: Array) -> Scalar:
    """Return φ of tan φ = v_x/v_z: how far a point of the carrier goes forward as it goes up.

    A force F_x there adds F_x tan φ to what the springs carry.
    """
    return v[0] / v[2]
