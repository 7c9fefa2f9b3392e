"""Rotations: about an axis, from a quaternion, and the kinematics of both."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, is_plain, skew, sqrt
from ce_dynamics.algebra.spatial import IDENTITY

ROUNDING = 1e-15


def rotation_about(axis: Array, cosine: Scalar, sine: Scalar) -> Array:
    """Rotation matrix about a unit axis by the angle with the given cosine and sine (Rodrigues)."""
    along = np.outer(axis, axis)
    rotated: Array = along + cosine * (IDENTITY - along) + sine * skew(axis)
    return rotated


def rotate_about(axis: Array, cosine: Scalar, sine: Scalar, vector: Array) -> Array:
    """A vector rotated about a unit axis by the angle with the given cosine and sine."""
    height = dot(axis, vector)
    if (
        is_plain(vector)
        and is_plain(height)
        and abs(height) < ROUNDING * np.linalg.norm(vector.astype(float))
    ):
        height = 0.0  # perpendicular but for rounding: a structural zero, which costs nothing when traced
    along = axis * height
    rotated: Array = along + cosine * (vector - along) + sine * cross(axis, vector)
    return rotated


def normalised(q: Array) -> Array:
    """The unit quaternion along q."""
    unit: Array = q * (1.0 / sqrt(dot(q, q)))
    return unit


def rotation_from_quaternion(q: Array) -> Array:
    """Rotation matrix of a unit quaternion (w, x, y, z): v ↦ q v q*."""
    w, x, y, z = q
    return array(
        (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    )


def quaternion_rate(q: Array, omega: Array) -> Array:
    """q̇ = ½ (0, ω) ⊗ q for an angular velocity ω in the parent's axes."""
    w, x, y, z = q
    a, b, c = omega
    return 0.5 * array(
        (
            -a * x - b * y - c * z,
            a * w + b * z - c * y,
            b * w + c * x - a * z,
            c * w + a * y - b * x,
        )
    )
