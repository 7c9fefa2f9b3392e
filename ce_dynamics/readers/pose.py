"""Poses of frames in the design pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array

ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame in the world."""

    R: Array  # (3, 3): From the frame's axes to the world's
    r: Array  # (3,): Its origin [m]

    def __matmul__(self, other: Pose) -> Pose:
        """A frame given in this one."""
        return Pose(clean_rotation(self.R @ other.R), self.r + self.R @ other.r)

    def direction(self, axis: Array) -> Array:
        """A direction given in this frame."""
        return np.asarray(self.R @ axis)

    def inertia(self, inertia: Array) -> Array:
        """A symmetric tensor given in this frame."""
        turned = self.R @ inertia @ self.R.T
        return np.asarray(0.5 * (turned + turned.T))


WORLD = Pose(np.eye(3), np.zeros(3))


def clean_rotation(R: Array) -> Array:
    """A rotation matrix without the rounding errors beside its entries."""
    return np.where(np.abs(R) < ROUNDING, 0.0, R)


def from_rpy(rpy: Array, right_angles: float) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll); angles that near to a multiple of a right angle are taken as such."""
    (cr, sr), (cp, sp), (cy, sy) = (cosine_and_sine(float(angle), right_angles) for angle in rpy)
    return np.array(
        (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
    )


def cosine_and_sine(angle: float, right_angles: float) -> tuple[float, float]:
    """Return cosine and sine of an angle [rad], exact within ``right_angles`` of multiples of π/2."""
    quarters = round(angle / (0.5 * math.pi))
    if abs(angle - quarters * 0.5 * math.pi) <= right_angles:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)
