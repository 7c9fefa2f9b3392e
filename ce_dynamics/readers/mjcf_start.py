"""The keyframe of an MJCF file as the initial state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ce_dynamics.arrays import Array
from ce_dynamics.body import Body
from ce_dynamics.embedding import embed
from ce_dynamics.errors import DataError
from ce_dynamics.readers.mjcf_model import Compiled
from ce_dynamics.readers.pose import Pose
from ce_dynamics.rotation import normalised, rotation_from_quaternion
from ce_dynamics.system import System


def key_named(file: Compiled, name: str) -> Any:
    """The keyframe of a name.

    Raises
    ------
    DataError
        If there is none.
    """
    model = file.model
    names = [str(model.key(k).name) for k in range(model.nkey)]
    if name not in names:
        raise DataError(f"{file.file}: there is no keyframe {name!r}; those with a name are {names}")
    return model.key(names.index(name))


def start_from(system: System, file: Compiled, key: Any, carried: dict[int, Body]) -> list[str]:
    """Start the independent hinges from a keyframe."""
    independent = embed(system).q_of
    for joint, body in carried.items():
        if body.name in independent:
            qpos = np.array(key.qpos[file.coordinates(joint)], dtype=float)
            qvel = np.array(key.qvel[file.dofs(joint)], dtype=float)
            system.start(body, *hinge_state(file, joint, qpos, qvel))
    dependent = [file.joint(joint) for joint, body in carried.items() if body.name not in independent]
    if not dependent:
        return []
    return [f"{file.file}: keyframe {key.name!r}: joints {dependent} follow from the loops, not from it"]


def hinge_state(file: Compiled, joint: int, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """Coordinates and velocities of a hinge from those of MuJoCo's joint.

    MuJoCo counts the rotation of free and ball joints from the axes of the parent (free: the world) to those
    of the body, and gives angular velocities in the body's; here both are counted from the design pose, in
    the parent's axes in the design pose, the world's.
    """
    model = file.model
    kind = file.joint_kind(joint)
    start = file.coordinates(joint).start
    if kind not in ("FREE", "BALL"):
        return qpos - np.array(model.qpos0[start : start + 1]), qvel
    design: Pose = file.frame(int(model.jnt_bodyid[joint]))
    if kind == "BALL":
        q = turned(normalised(qpos), design.R)
        R = rotation_from_quaternion(q).astype(float) @ design.R
        return q, R @ qvel
    reference = np.array(model.qpos0[start : start + 7], dtype=float)
    q = product(normalised(qpos[3:]), conjugate(normalised(reference[3:])))
    R = rotation_from_quaternion(normalised(qpos[3:])).astype(float)
    return np.concatenate((qpos[:3] - reference[:3], q)), np.concatenate((R @ qvel[3:], qvel[:3]))


def turned(q: Array, R: Array) -> Array:
    """The same rotation in axes that R takes q's axes to: R rot(q) Rᵀ."""
    return np.concatenate((q[:1], R @ q[1:]))


def product(p: Array, q: Array) -> Array:
    """p ⊗ q of quaternions (w, x, y, z)."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], vector))


def conjugate(q: Array) -> Array:
    """The inverse rotation."""
    return np.asarray(q * np.array((1.0, -1.0, -1.0, -1.0)))
