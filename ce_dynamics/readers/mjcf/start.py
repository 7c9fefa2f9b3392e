"""The keyframe of an MJCF file as the initial state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.pose import Pose


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
        raise DataError(
            f"{file.file}: there is no keyframe {checks.show(name)}; those with a name are {names}"
        )
    return model.key(names.index(name))


def start_from(system: System, file: Compiled, key: Any, carried: dict[int, Body]) -> list[str]:
    """Start the independent hinges from a keyframe, and say how far the loops put the others from it.

    Raises
    ------
    AssemblyError
        If the loops cannot be assembled there.
    """
    independent = embed(system).q_of
    states = {
        joint: hinge_state(
            file, joint, np.array(key.qpos[file.coordinates(joint)]), np.array(key.qvel[file.dofs(joint)])
        )
        for joint in carried
    }
    for joint, body in carried.items():
        if body.name in independent:
            system.start(body, *states[joint])
    dependent = {joint: body for joint, body in carried.items() if body.name not in independent}
    if not dependent:
        return []
    found = assemble(Model(system))
    off = {joint: difference(found[body.name], states[joint][0]) for joint, body in dependent.items()}
    worst = max(off, key=lambda joint: off[joint])
    names = [file.joint(joint) for joint in dependent]
    return [
        f"{file.file}: keyframe {key.name!r}: joints {names} follow from the loops, which put them up to "
        f"{off[worst]:.3g} (rad or m; {file.joint(worst)!r}) from it"
    ]


def assemble(model: Model) -> dict[str, Array]:
    """Coordinates of all hinges in the initial state."""
    motions = model.instant(model.y0, model.u0).outward.motions
    return {
        name: model.system.find(name).inboard.coordinates(hinge.c).astype(float)
        for motion in motions.values()
        for name, hinge in motion.hinge_motions.items()
    }


def difference(a: Array, b: Array) -> float:
    """Largest difference of coordinates; angles a turn apart and opposite quaternions are the same."""
    if len(a) == 1:
        return min(abs(float(a[0] - b[0] + turn)) for turn in (-2.0 * math.pi, 0.0, 2.0 * math.pi))
    return float(min(np.abs(a - b).max(), np.abs(a + b).max()))


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
    reference = np.array(file.data.qpos[file.coordinates(joint)], dtype=float)
    if kind == "BALL":
        there = normalise(reference)
        unturned = design.R @ rotation_from_quaternion(there).astype(float).T
        q = rotate_quaternion(product(normalise(qpos), conjugate(there)), unturned)
        R = rotation_from_quaternion(q).astype(float) @ design.R
        return q, R @ qvel
    q = product(normalise(qpos[3:]), conjugate(normalise(reference[3:])))
    R = rotation_from_quaternion(normalise(qpos[3:])).astype(float)
    return np.concatenate((qpos[:3] - reference[:3], q)), np.concatenate((R @ qvel[3:], qvel[:3]))


def rotate_quaternion(q: Array, R: Array) -> Array:
    """The same rotation in axes that R takes q's axes to: R rot(q) Rᵀ."""
    return np.concatenate((q[:1], R @ q[1:]))


def product(p: Array, q: Array) -> Array:
    """p ⊗ q of quaternions (w, x, y, z)."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], vector))


def conjugate(q: Array) -> Array:
    """The inverse rotation."""
    return np.asarray(q * np.array((1.0, -1.0, -1.0, -1.0)))
