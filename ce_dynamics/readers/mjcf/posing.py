"""The design pose of an MJCF robot, and a keyframe as its initial state."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.chains import ChainLaw, ChainLink, ChainLoop, Chains, parts, turns
from ce_dynamics.readers.design_pose import DesignPoseSearch, report
from ce_dynamics.readers.frames import Pose
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.mjcf.tendons import active, frames_of, linear_row


def key_named(file: Compiled, name: str) -> Any:
    """Return the keyframe of a name."""
    model = file.model
    names = [str(model.key(k).name) for k in range(model.nkey)]
    if name not in names:
        raise DataError(
            f"{file.file}: there is no keyframe {checks.show(name)}; those with a name are {names}"
        )
    return model.key(names.index(name))


def start_from(system: System, file: Compiled, key: Any, carried: dict[int, Body]) -> list[str]:
    """Start the independent hinges from a keyframe, and note the distance of the others from it."""
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
    """Return coordinates of all hinges in the initial state."""
    motions = model.instant(model.y0, model.u0).outward.motions
    return {
        name: model.system.find(name).inboard.coordinates(hinge.c).astype(float)
        for motion in motions.values()
        for name, hinge in motion.hinge_motions.items()
    }


def difference(a: Array, b: Array) -> float:
    """Return largest difference of coordinates; angles a turn apart and opposite quaternions are the same."""
    if len(a) == 1:
        return min(abs(float(a[0] - b[0] + turn)) for turn in (-2.0 * math.pi, 0.0, 2.0 * math.pi))
    return float(min(np.abs(a - b).max(), np.abs(a + b).max()))


def hinge_state(file: Compiled, joint: int, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """Return coordinates and velocities of a hinge from those of MuJoCo's joint.

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
        q = product(normalise(qpos), conjugate(there))
        q[1:] = unturned @ q[1:]  # the same rotation in axes that `unturned` takes q's axes to
        R = rotation_from_quaternion(q).astype(float) @ design.R
        return q, R @ qvel
    q = product(normalise(qpos[3:]), conjugate(normalise(reference[3:])))
    R = rotation_from_quaternion(normalise(qpos[3:])).astype(float)
    return np.concatenate((qpos[:3] - reference[:3], q)), np.concatenate((R @ qvel[3:], qvel[:3]))


def product(p: Array, q: Array) -> Array:
    """Return p ⊗ q of quaternions (w, x, y, z)."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], vector))


def conjugate(q: Array) -> Array:
    """Return the inverse rotation."""
    return np.asarray(q * np.array((1.0, -1.0, -1.0, -1.0)))


AXES = np.eye(3)
X = AXES[0]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The chains of a file."""

    chains: Chains
    # The joint of every coordinate; a ball has three, its turns about x, y and z one after the other
    joint_of: list[int]


def move_to_design_pose(
    file: Compiled,
    pose: str | Mapping[str, float] | None,
    independent: Collection[str],
    motors: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[set[int], list[str]]:
    """Move the file's kinematics into the design pose; return independent joints and notes on choices.

    Those of ``independent`` lead, with others where they are too few.  Where a loop has none of them, its
    ``motors`` lead if they can in the design pose.
    """
    qpos = choose_pose(file, pose)
    file.take_pose(qpos)
    skeleton = skeleton_of(file)
    chains, joints = skeleton.chains, skeleton.joint_of
    if not chains.loops:
        return set(), []
    simple = [file.joint_kind(j) != "BALL" for j in joints]
    wanted = np.array(
        [offset(file, j, qpos) if plain else 0.0 for j, plain in zip(joints, simple, strict=True)]
    )
    names = [file.joint(j) for j in joints]
    options, driven = (
        [k for k, name in enumerate(names) if simple[k] and name in of] for of in (independent, motors)
    )
    limits = np.array(
        [limits_of(file, j) if plain else (-np.inf, np.inf) for j, plain in zip(joints, simple, strict=True)]
    )
    places = {file.equality(k): file.place("equalities", k, file.equality(k)) for k in range(file.model.neq)}
    q, notes, lead = wanted.copy(), [], set[int]()
    for part in parts(chains):
        requested = any(part.moved_by_loops()[options])
        search = DesignPoseSearch(part, wanted, options, limits.reshape(-1, 2), tolerance, requested)
        found = search.find()
        if found is None:  # the assembly of the loops reports errors
            continue
        q[search.seen] = found.q[search.seen]
        notes += report(search, found, names, places, file.file)
        acting = [k for k in driven if search.seen[k]]
        leaders = found.lead if requested else search.choose_leads(acting, found)
        led = [k for k in (search.requested if requested else acting) if k in leaders]
        if led == search.requested or not requested:
            alone = all(simple[k] for k in leaders)  # else components of balls lead beside them
            lead |= {joints[k] for k in (leaders if alone else led)}
        if acting and not requested and not led:
            notes.append(
                f"{file.file}: joints {[names[k] for k in acting]} have motors, but lead their loop badly or "
                f"not at all in the design pose; independent={{...}} finds another pose for them"
            )
    file.take_pose(set_coordinates(file, qpos, joints, q))
    return lead, notes


def choose_pose(file: Compiled, pose: str | Mapping[str, float] | None) -> Array:
    """Return ``qpos`` of the target pose."""
    qpos = np.array(file.model.qpos0, dtype=float)
    if pose is None:
        return qpos
    if isinstance(pose, str):
        return np.array(key_named(file, pose).qpos, dtype=float)
    if not isinstance(pose, Mapping):
        raise ModelError(
            f"read_mjcf: pose {checks.show(pose)} must be a keyframe, or name joints: {{'a': 0.5}}"
        )
    known = {file.joint(j): j for j in range(file.model.njnt) if file.joint_kind(j) in ("HINGE", "SLIDE")}
    for name, value in pose.items():
        if name not in known:
            raise DataError(f"{file.file}: pose: {checks.show(name)} is no hinge or slide: {list(known)}")
        number = checks.number(f"read_mjcf: pose[{name!r}]", value)
        qpos[file.coordinates(known[name]).start] += number
    return qpos


def offset(file: Compiled, joint: int, qpos: Array) -> float:
    """Return the coordinate of a hinge or slide: its ``qpos`` less ``ref``."""
    at = file.coordinates(joint).start
    return float(qpos[at] - file.model.qpos0[at])


def limits_of(file: Compiled, joint: int) -> tuple[float, float]:
    """Return the range of a hinge's or slide's coordinate."""
    if not file.model.jnt_limited[joint]:
        return -np.inf, np.inf
    ref = float(file.model.qpos0[file.coordinates(joint).start])
    lower, upper = file.model.jnt_range[joint].tolist()
    return lower - ref, upper - ref


def set_coordinates(file: Compiled, qpos: Array, joints: list[int], q: Array) -> Array:
    """Return ``qpos`` with coordinates as found."""
    result = np.array(qpos)
    for joint in dict.fromkeys(joints):
        at = file.coordinates(joint)
        values = [value for j, value in zip(joints, q.tolist(), strict=True) if j == joint]
        if file.joint_kind(joint) != "BALL":
            result[at.start] = file.model.qpos0[at.start] + values[0]
        elif any(values):
            R = rotation_from_quaternion(result[at]).astype(float)
            for axis, angle in zip(AXES, values, strict=True):
                R = R @ turns(axis, np.array((angle,)))[0]
            file.mujoco.mju_mat2Quat(result[at], R.ravel())
    return result


def skeleton_of(file: Compiled) -> Skeleton:
    """Return bodies and their joints one by one, with the closures of the file; free joints stand still."""
    model = file.model
    links: list[ChainLink] = []
    joint_of: list[int] = []
    number, column = {0: -1}, dict[int, int]()

    def add(parent: int, frame: Pose, kind: str, axis: Array) -> int:
        links.append(ChainLink(parent, frame, kind, axis))
        return len(links) - 1

    for body in range(1, model.nbody):
        parent = number[int(model.body_parentid[body])]
        joints = list(file.joints(body))
        if any(file.joint_kind(j) == "FREE" for j in joints):
            number[body] = add(-1, file.frame(body), "still", X)
            continue
        R = rotation_from_quaternion(np.array(model.body_quat[body])).astype(float)
        frame, at = Pose(R, np.array(model.body_pos[body])), np.zeros(3)
        for joint in joints:
            foot = frame @ Pose(np.eye(3), np.array(model.jnt_pos[joint]) - at)
            at = np.array(model.jnt_pos[joint])
            kind = file.joint_kind(joint)
            if kind == "BALL":
                start = file.coordinates(joint)
                foot = foot @ Pose(
                    rotation_from_quaternion(np.array(file.data.qpos[start])).astype(float), np.zeros(3)
                )
            column.setdefault(joint, len(joint_of))
            for axis in AXES if kind == "BALL" else (np.array(model.jnt_axis[joint]),):
                parent = add(parent, foot, "slide" if kind == "SLIDE" else "turn", axis)
                foot = Pose(np.eye(3), np.zeros(3))
                joint_of.append(joint)
            frame = Pose(np.eye(3), np.zeros(3))
        number[body] = add(parent, frame @ Pose(np.eye(3), -at), "still", X)
    return Skeleton(Chains(links, list(loops(file, number)), list(laws(file, column))), joint_of)


def loops(file: Compiled, number: dict[int, int]) -> Iterator[ChainLoop]:
    """Yield points and frames that two bodies share."""
    for kind in ("CONNECT", "WELD"):
        for index in active(file, kind):
            (one, on_one), (other, on_other) = frames_of(file, index, kind == "WELD")
            name = file.equality(index)
            if one == other:
                continue
            held = "fixed" if kind == "WELD" else "spherical"
            yield ChainLoop(name, held, number[one], on_one, number[other], on_other, X)


def laws(file: Compiled, column: dict[int, int]) -> Iterator[ChainLaw]:
    """Yield joints that are polynomials of others, or held."""
    for index in active(file, "JOINT"):
        joint, other = int(file.model.eq_obj1id[index]), int(file.model.eq_obj2id[index])
        coefficients = tuple(float(c) for c in file.model.eq_data[index][:5])
        if other < 0:
            yield ChainLaw((column[joint],), (1.0,), -1, coefficients[:1])
        else:
            yield ChainLaw((column[joint],), (1.0,), column[other], coefficients)
    for index in active(file, "TENDON"):
        row = linear_row(file, index)
        if row is not None:
            yield ChainLaw(tuple(column[joint] for joint in row[0]), tuple(row[0].values()), -1, (row[1],))
