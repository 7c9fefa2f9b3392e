"""Frames in the design pose, and closures between two of them, which need not meet there.

A hinge of the library is placed in the design pose, where the frames of both bodies coincide.  In a robot
file each end of a loop has a frame of its own, and the zero pose may leave them apart: the loop is then
assembled from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.hinges import Closure, Fixed, Hinge, Planar, Prismatic, Revolute, Spherical
from ce_dynamics.mechanism.hinges.closures import KINDS as KINDS, BetweenFrames as BetweenFrames

CLEAN = 1e-15


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame in the world."""

    R: Array  # (3, 3): From the frame's axes to the world's
    r: Array  # (3,): Its origin [m]

    def __matmul__(self, other: Pose) -> Pose:
        """Return a frame given in this one."""
        return Pose(clean_rotation(self.R @ other.R), self.r + self.R @ other.r)

    def direction(self, axis: Array) -> Array:
        """Return a direction given in this frame."""
        return np.asarray(self.R @ axis)

    def inertia(self, inertia: Array) -> Array:
        """Return a symmetric tensor given in this frame."""
        turned = self.R @ inertia @ self.R.T
        return np.asarray(0.5 * (turned + turned.T))


WORLD = Pose(np.eye(3), np.zeros(3))


def clean_rotation(R: Array) -> Array:
    """Return a rotation matrix without the rounding errors beside its entries."""
    return np.where(np.abs(R) < CLEAN, 0.0, R)


def from_rpy(rpy: Array, right_angles: float) -> Array:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll); angles within `right_angles` of a right one count as such."""
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


ROUNDING = 1e-12
"""Frames closer than this, in metres and radians, coincide: what forward kinematics loses."""
RIGHT_ANGLE = 0.5 * math.pi


@dataclass(frozen=True)
class Gap:
    """Gap of a closure: the length [m] and the angle [rad] that the closure would keep at zero."""

    distance: float
    angle: float

    @property
    def is_closed(self) -> bool:
        """True if the gap is zero to within rounding."""
        return self.distance <= ROUNDING and self.angle <= ROUNDING

    def __str__(self) -> str:
        return f"{self.distance:.3g} m and {math.degrees(self.angle):.3g} deg"


def close_between(
    kind: str, a: Pose, b: Pose, axis: Array, precision: float = ROUNDING
) -> tuple[Closure, Gap]:
    """Return a closure between two frames, one on each body, and its gap in the design pose."""
    axis_a = a.direction(axis)
    gap = gap_between(kind, a, b, axis)
    if max(gap.distance, gap.angle) <= precision:
        return ordinary(kind, axis_a, a.r), gap
    return BetweenFrames(kind, a.r, b.r, a.R, b.R, axis), gap


def gap_between(kind: str, a: Pose, b: Pose, axis: Array) -> Gap:
    """Return the gap of a closure between two frames; ``axis`` has the same components in both frames."""
    axis_a, axis_b = a.direction(axis), b.direction(axis)
    return Gap(distance(kind, a, b, axis_a), misalignment(kind, a, b, axis_a, axis_b))


def ordinary(kind: str, axis: Array, at: Array, q: float = 0.0) -> Hinge:
    """Return the library's own hinge, for frames that coincide at the coordinate q."""
    if kind == "prismatic":
        return Prismatic(axis, at, q_design=q)
    if kind == "planar":
        return Planar(axis, at)
    if kind == "spherical":
        return Spherical(at)
    return Fixed(at) if kind == "fixed" else Revolute(axis, at, q_design=q)


def distance(kind: str, a: Pose, b: Pose, axis: Array) -> float:
    """Return the distance of the origins along the directions that the closure does not leave free [m]."""
    apart = b.r - a.r
    along = axis * (axis @ apart)
    if kind == "prismatic":
        apart = apart - along
    elif kind == "planar":
        apart = along
    return float(np.linalg.norm(apart))


def misalignment(kind: str, a: Pose, b: Pose, axis_a: Array, axis_b: Array) -> float:
    """Return the angle about the directions that the closure holds; for two axes, that of their lines."""
    if kind == "spherical":
        return 0.0
    if kind in ("prismatic", "fixed"):
        R = a.R.T @ b.R
        sine = 0.5 * np.array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
        return math.atan2(float(np.linalg.norm(sine)), 0.5 * (float(np.trace(R)) - 1.0))
    return math.atan2(float(np.linalg.norm(np.cross(axis_a, axis_b))), abs(float(axis_a @ axis_b)))
