"""Steered wheels against each other: Ackermann's condition and turning circles."""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, arctan2, cos, sin, sqrt, where

STRAIGHT = 1e-10
"""[rad²] Product of two steer angles up to which the wheels count as straight: 1e-5 rad each, which is what
six digits of a data file leave; the circle would be 500 km wide."""


class Ackermann(NamedTuple):
    """Steer angles of an axle against those with which all wheels would roll about one point.

    All are NaN where the wheels do not turn the same way, or are parallel to the vehicle.

    Attributes
    ----------
    ideal_outer : float
        Steer angle of the outer wheel that goes with that of the inner one [rad], signed as it.
    error : float
        Outer wheel's angle less the ideal one, positive where it turns further [rad].
    percentage : float
        100 (inner − outer)/(inner − ideal outer).
    turning_diameter : float
        Kerb to kerb: of the outer wheel's path, with the inner wheel's angle and Ackermann's geometry [m].
    """

    ideal_outer: Scalar
    error: Scalar
    percentage: Scalar
    turning_diameter: Scalar


def ackermann(left: Scalar, right: Scalar, track: Scalar, wheelbase: Scalar) -> Ackermann:
    """From steer angles to the left [rad], track and wheelbase [m].

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
