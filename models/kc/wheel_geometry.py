"""Angles and offsets of one wheel, from its centre, its spin axis and its steering axis.

Axes are those of ISO 8855: x forward, y to the left, z up, fixed on the chassis, which is level.  `side` is
1 of a left wheel and −1 of a right one; spin axes e point to the left on both sides.
"""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, cross, dot, norm


class WheelPlane(NamedTuple):
    """Directions of a wheel on a level road.

    Attributes
    ----------
    forward, left : (3,) arrays
        Along the wheel plane and across it, in the road.
    up : (3,) array
        In the wheel plane, at right angles to `forward`.
    """

    forward: Array
    left: Array
    up: Array


def wheel_plane(e: Array) -> WheelPlane:
    """Directions of a wheel with the spin axis e."""
    across = array((e[1], -e[0], 0.0))
    forward = across / norm(across)
    left = array((-forward[1], forward[0], 0.0))
    return WheelPlane(forward, left, cross(forward, e))


def contact(W: Array, e: Array, radius: Scalar) -> Array:
    """Contact centre: where the wheel plane through the wheel centre meets the road, `radius` below it."""
    centre: Array = W - radius * wheel_plane(e).up
    return centre


def steer_angle(e: Array) -> Scalar:
    """Angle of the wheel plane about z [rad], positive to the left."""
    return arctan2(-e[0], e[1])


def toe_angle(e: Array, side: int) -> Scalar:
    """Positive where the wheel's front points to the middle of the vehicle (toe-in) [rad]."""
    return -side * steer_angle(e)


def camber_angle(e: Array, side: int) -> Scalar:
    """Positive where the wheel's top leans outward [rad]."""
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
    """Offsets of a point of the wheel from the steering axis, at the height of the point.

    Attributes
    ----------
    lateral : float
        Positive where the axis passes on the inner side [m].
    longitudinal : float
        Positive where the axis passes ahead [m].
    """

    lateral: Scalar
    longitudinal: Scalar


def offsets(point: Array, axis: SteeringAxis, e: Array, side: int) -> Offsets:
    """Scrub radius and caster trail of the contact centre; of the wheel centre, the offsets there."""
    forward, left, _ = wheel_plane(e)
    away = point - axis.at_height(point[2])
    return Offsets(side * dot(away, left), -dot(away, forward))
