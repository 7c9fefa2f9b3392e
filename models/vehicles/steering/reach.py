"""Computes the angle of a wheel and the reach of a mechanism from the hardpoints alone."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.base import Steering

LOCKS = 1.0, -1.0
"""Steering inputs at full lock: to the left, to the right."""


def steered_angle(mechanism: Steering, corner: Corner, steering: float) -> Scalar:
    """Angle of a wheel about the vertical, positive to the left [rad]; NaN where the linkage is open."""
    return corner.wheel_angle(mechanism.moved(corner.tie_rod_end, steering))


def steering_reach(mechanism: Steering, corner: Corner, lock: float) -> float:
    """Return the steering input reachable from 0 towards a lock; 1 if the linkage can be assembled there."""
    with np.errstate(invalid="ignore"):
        if not math.isnan(nominal(steered_angle(mechanism, corner, lock))):
            return 1.0
        reached, beyond = 0.0, 1.0
        for _ in range(40):
            middle = 0.5 * (reached + beyond)
            if math.isnan(nominal(steered_angle(mechanism, corner, lock * middle))):
                beyond = middle
            else:
                reached = middle
    return reached
