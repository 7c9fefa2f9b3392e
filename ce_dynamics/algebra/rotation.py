"""Rotations: about an axis, from a quaternion, and the kinematics of both."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    arctan2,
    array,
    cos,
    cross,
    dot,
    is_plain,
    sin,
    skew,
    sqrt,
    where,
)
from ce_dynamics.algebra.spatial import IDENTITY

ROUNDING = 1e-15
SMALL = 1e-6  # square of the sine of half an angle below which series are as exact as the functions


def rotation_about(axis: Array, cosine: Scalar, sine: Scalar) -> Array:
    """Return rotation matrix about a unit axis by the angle with the given cosine and sine (Rodrigues)."""
    along = np.outer(axis, axis)
    rotated: Array = along + cosine * (IDENTITY - along) + sine * skew(axis)
    return rotated


def rotate_about(axis: Array, cosine: Scalar, sine: Scalar, vector: Array) -> Array:
    """Return a vector rotated about a unit axis by the angle with the given cosine and sine."""
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


def normalise(q: Array) -> Array:
    """Return the unit quaternion along q."""
    unit: Array = q * (1.0 / sqrt(dot(q, q)))
    return unit


def rotation_from_quaternion(q: Array) -> Array:
    """Return the rotation matrix of a unit quaternion (w, x, y, z): v ↦ q v q*."""
    w, x, y, z = q
    return array(
        (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
    )


def quaternion_rate(q: Array, omega: Array) -> Array:
    """Return q̇ = ½ (0, ω) ⊗ q for an angular velocity ω in the parent's axes."""
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


def half_turn_of(R: Array) -> tuple[Array, Scalar]:
    """Return the unit quaternion of a rotation by less than half a turn: (v, w), w > 0."""
    w = 0.5 * sqrt(1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    v: Array = array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])) * (0.25 / w)
    return v, w


def rotation_vector(R: Array) -> Array:
    """Return the axis times angle of a rotation by less than half a turn; smooth at none."""
    v, w = half_turn_of(R)
    squared = dot(v, v)
    small = squared < SMALL
    sine = sqrt(where(small, 1.0, squared))
    series = 1.0 + squared * (1.0 / 6.0 + squared * (3.0 / 40.0))  # arcsin(s)/s
    phi: Array = v * (2.0 * where(small, series, arctan2(sine, w) / sine))
    return phi


def rotation_vector_of(R: Array) -> Array:
    """Return the axis times angle of a rotation (floats), the angle at most π; NaN stays NaN.

    4 q qᵀ of the unit quaternion q is linear in R: its longest column is along q, also at half a turn.
    """
    R = np.asarray(R, dtype=float)
    if not np.isfinite(R).all():
        return np.full(3, np.nan)
    trace = float(np.trace(R))
    Q = np.empty((4, 4))
    Q[0, 0] = 1.0 + trace
    Q[0, 1:] = Q[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    Q[1:, 1:] = R + R.T + (1.0 - trace) * np.eye(3)
    q = Q[:, int(np.argmax(np.diag(Q)))]
    w, v = (q[0], q[1:]) if q[0] >= 0.0 else (-q[0], -q[1:])
    sine = float(np.linalg.norm(v))
    return v * (2.0 * math.atan2(sine, w) / sine) if sine > 0.0 else np.zeros(3)


def turning_rate(phi: Array) -> Array:
    """Return J⁻¹ with φ̇ = J⁻¹ ω: of a rotation vector φ by the angular velocity ω, both in the fixed axes.

    J⁻¹ = 1 − ½ φ× + (1 − (θ/2) cot(θ/2))/θ² φ× φ×, θ = |φ| < 2π (Bullo and Murray, 1995).
    """
    squared = dot(phi, phi)
    small = squared < SMALL
    theta = sqrt(where(small, 1.0, squared))
    exact = (1.0 - 0.5 * theta * cos(0.5 * theta) / sin(0.5 * theta)) / where(small, 1.0, squared)
    factor = where(small, 1.0 / 12.0 + squared / 720.0, exact)
    twist = skew(phi)
    rate: Array = IDENTITY - 0.5 * twist + factor * (twist @ twist)
    return rate
