"""Uprights that turn about an axis DF when the tie rod KL moves."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, arctan2
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.vehicles.bodies import Vector


def turned_wheel(
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
