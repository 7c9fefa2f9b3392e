"""Checks of hardpoints, and uprights that turn about an axis DF when the tie rod KL moves."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, arctan2, cross, norm
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Numbers
from ce_dynamics.models.vehicles.bodies import SMALLEST_LENGTH, Vector

NEGLIGIBLE = 1e-9
"""[m]."""


def check_apart(name: str, pairs: Iterable[tuple[str, Numbers, str, Numbers]]) -> None:
    """Refuse points that coincide; pairs of name and point, twice."""
    for first, a, second, b in pairs:
        coincide = f"{name}: {first} and {second} coincide; they must be 1 mm apart or more"
        if decide(norm(np.subtract(a, b)) < SMALLEST_LENGTH, coincide):
            raise DataError(
                f"{name}: {first} and {second} coincide at {at(a)}; they must be 1 mm apart or more"
            )


def check_off(name: str, rows: Iterable[tuple[str, Numbers, str, Numbers, Numbers]]) -> None:
    """Refuse points on a line: name and point, name of the line and two points of it."""
    for point, r, line, a, b in rows:
        off = f"{name}.{point} lies on {line}; it must be 1 mm off or more"
        if decide(distance_to_line(r, a, b) < SMALLEST_LENGTH, off):
            raise DataError(f"{name}.{point}: {at(r)} lies on {line}; it must be 1 mm off or more")


def check_along(name: str, point: Numbers, component: int, expected: Scalar) -> None:
    """Refuse a point that is not where it is expected along its own axis, on which nothing depends."""
    axis, value = "xyz"[component], np.asarray(point)[component]
    aside = f"{name}.{axis}: the axis through {name.rpartition('.')[2]} lies along {axis}"
    if decide(abs(value - expected) > NEGLIGIBLE, f"{aside}, so that it has no effect"):
        raise DataError(f"{aside}, so that {value:g} m has no effect; give {expected:g} m")


def distance_to_line(point: Numbers, a: Numbers, b: Numbers) -> Scalar:
    """Distance of a point from the line through a and b."""
    along = np.subtract(b, a)
    return magnitude(cross(np.subtract(point, a), along)) / magnitude(along)


def at(point: Numbers) -> str:
    """A point, for messages."""
    return f"({', '.join(f'{x:g}' for x in point)}) m"


def measure_wheel_turn(
    owner: str, D: Vector, F: Vector, K: Vector, L: Vector, L_now: Vector, axis: Vector
) -> Scalar:
    """Angle of a wheel about the vertical, positive to the left, when L has moved to `L_now` [rad].

    Parameters
    ----------
    owner : str
        For messages.
    D, F, K, L : (3,) arrays
        Kingpin and tie rod in the design position [m].
    L_now : (3,) array
        The tie rod's inner end.
    axis : (3,) array
        Spin axis in the design position.
    """
    kingpin = Revolute(F - D, at=D)
    spindle = RotationToDistance(kingpin, K, L, f"{owner} spindle", "KL")
    forward, left = wheel_frame(axis)
    c, s = spindle.configuration(L_now - D)
    turned = rotate_about(kingpin.axis, c, s, left)
    return number(arctan2(-(turned @ forward), turned @ left))


def wheel_frame(axis: Vector) -> tuple[Vector, Vector]:
    """Forward and left of a wheel in the design position, horizontal unit vectors."""
    y = np.array([axis[0], axis[1], 0.0])
    left = y / magnitude(y)
    return np.array([left[1], -left[0], 0.0]), left
