"""Poses of bodies as homogeneous transforms: a product of exponentials, sharing nothing with the solver.

A transform moves the design position of a point to where the point is; so the transforms of a chain are
multiplied from the ground outward.  Time derivatives come from central differences of sixth order.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

import ce_dynamics as ce

Floats = NDArray[np.float64]

H_STEP = 5e-3
"""Step of the difference formulas: their error is about (5e-3)⁶ = 2e-14 times a 7th or 8th derivative."""


def vector(x: ArrayLike) -> Floats:
    return np.asarray(x, dtype=float)


def turn(axis: Floats, at: Floats, angle: float, pitch: float = 0.0) -> Floats:
    """Rotation about a line, with a displacement along it."""
    return about(Rotation.from_rotvec(angle * axis), at) + shift(pitch * angle * axis) - np.eye(4)


def shift(d: ArrayLike) -> Floats:
    transform = np.eye(4)
    transform[:3, 3] = d
    return transform


def turn_by(quaternion: Floats, at: Floats) -> Floats:
    """Rotation by a quaternion (w, x, y, z) of any length about a point."""
    return about(Rotation.from_quat(quaternion, scalar_first=True), at)


def about(rotation: Rotation, at: Floats) -> Floats:
    """Rotation about a point."""
    transform = np.eye(4)
    transform[:3, :3] = rotation.as_matrix()
    transform[:3, 3] = at - transform[:3, :3] @ at
    return transform


def hinge_transform(hinge: ce.Hinge, q: Floats) -> Floats:
    """Return the motion of the child's design positions by the hinge."""
    at = hinge.at
    if isinstance(hinge, ce.Revolute):
        return turn(hinge.axis, at, q[0])
    if isinstance(hinge, ce.Prismatic):
        return shift(q[0] * hinge.axis)
    if isinstance(hinge, ce.Screw):
        return turn(hinge.axis, at, q[0], hinge.pitch)
    if isinstance(hinge, ce.Cylindrical):
        return vector(shift(q[1] * hinge.axis) @ turn(hinge.axis, at, q[0]))
    if isinstance(hinge, ce.Universal):
        return vector(turn(hinge.axis1, at, q[0]) @ turn(hinge.axis2, at, q[1]))
    if isinstance(hinge, ce.Planar):
        return vector(shift(q[0] * hinge.e1 + q[1] * hinge.e2) @ turn(hinge.normal, at, q[2]))
    if isinstance(hinge, ce.Spherical):
        return turn_by(q, at)
    if isinstance(hinge, ce.Free):
        return vector(shift(q[:3]) @ turn_by(q[3:], at))
    assert isinstance(hinge, ce.Fixed)
    return np.eye(4)


def transform(body: ce.Body, q_of: Callable[[ce.Body], Floats]) -> Floats:
    """Return the motion of a body's design positions, in world axes."""
    if body.is_ground:
        return np.eye(4)
    return vector(transform(body.carrier, q_of) @ hinge_transform(body.inboard, q_of(body)))


def seen(T_body: Floats, T_frame: Floats, frame: ce.Body, at: ArrayLike) -> Floats:
    """A point from the centre of mass of a frame body, in that body's axes."""
    back = np.linalg.inv(T_frame) @ T_body
    return vector(back[:3, :3] @ vector(at) + back[:3, 3] - frame.com)


def coasting(hinge: ce.Hinge, q: Floats, v: Floats, v_dot: Floats, t: float) -> Floats:
    """Coordinates after the time t of velocities v + v̇ t; quaternions turn at a constant angular velocity."""
    if isinstance(hinge, ce.Spherical):
        assert not np.any(v_dot)
        return rotated(q, v * t)
    if isinstance(hinge, ce.Free):
        assert not np.any(v_dot)
        return np.concatenate((q[:3] + v[3:] * t, rotated(q[3:], v[:3] * t)))
    return vector(q + v * t + 0.5 * v_dot * t * t)


def rotated(quaternion: Floats, rotation: Floats) -> Floats:
    turned = Rotation.from_rotvec(rotation) * Rotation.from_quat(quaternion, scalar_first=True)
    return vector(turned.as_quat(scalar_first=True))


def first_derivative(f: Callable[[float], Floats], h: float = H_STEP) -> Floats:
    """f'(0)."""
    weights = {1: 3.0 / 4.0, 2: -3.0 / 20.0, 3: 1.0 / 60.0}
    return vector(sum(w * (f(k * h) - f(-k * h)) for k, w in weights.items()) / h)


def second_derivative(f: Callable[[float], Floats], h: float = H_STEP) -> Floats:
    """f''(0)."""
    weights = {1: 3.0 / 2.0, 2: -3.0 / 20.0, 3: 1.0 / 90.0}
    total = sum(w * (f(k * h) + f(-k * h)) for k, w in weights.items())
    return vector((total - 49.0 / 18.0 * f(0.0)) / (h * h))


def angular_velocity(R_dot: Floats, R: Floats) -> Floats:
    """ω of Ṙ = ω̃ R."""
    W = R_dot @ R.T
    return 0.5 * np.array((W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]))
