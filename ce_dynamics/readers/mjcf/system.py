"""A compiled MuJoCo model as a `System`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.laws import DryFriction
from ce_dynamics.mechanism.forces.stop import JointStop
from ce_dynamics.mechanism.forces.torsion import HingeDamper, TorsionSpringDamper
from ce_dynamics.mechanism.forces.wrench import AppliedWrench, DragBox
from ce_dynamics.mechanism.hinges import Fixed, Free, Hinge, Prismatic, Revolute, Spherical
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.actuators import add_actuators, driven_joints
from ce_dynamics.readers.mjcf.model import (
    ONE_COORDINATE,
    Compiled,
    friction,
    is_limited,
    unsupported_of_joint,
)
from ce_dynamics.readers.mjcf.posing import key_named, move_to_design_pose, start_from
from ce_dynamics.readers.mjcf.tendons import add_equalities, add_tendons
from ce_dynamics.readers.tree import choose_independent, locate_errors


def add_surroundings(system: System, file: Compiled) -> None:
    """Add forces of gravity compensation and of the surrounding fluid on bodies that move."""
    model = file.model
    gravity = np.array(model.opt.gravity, dtype=float)
    medium = {name: float(getattr(model.opt, name)) for name in ("density", "viscosity")}
    for index in range(1, model.nbody):
        if model.body_weldid[index] == 0:
            continue
        name = file.body(index)
        body, mass = system.find(name), float(model.body_mass[index])
        borne = 0.0 if file.is_disabled("GRAVITY") else model.body_gravcomp[index]
        with locate_errors(file.place("bodies", index, name)):
            if borne and mass:
                force = -float(borne) * mass * gravity
                system.add_force(AppliedWrench(f"gravcomp of {name}", body, body.com, force=force.tolist()))
            if any(medium.values()) and mass > file.mujoco.mjMINVAL:
                wind, axes = np.array(model.opt.wind), file.principal_frame(index).R.T
                system.add_force(DragBox(f"drag of {name}", body, **medium, wind=wind, axes=axes))


def build(
    file: Compiled,
    keyframe: str | None,
    independent: Collection[str],
    ignore: Collection[str],
    stops: tuple[float, float] | None = None,
    pose: str | Mapping[str, float] | None = None,
    tolerance: float = TOLERANCE,
) -> tuple[System, list[str]]:
    """Return the system, and notes on it."""
    model = file.model
    acting = () if "actuator" in ignore else driven_joints(file)
    lead, notes = move_to_design_pose(file, pose, independent, acting, tolerance)
    gravity = np.zeros(3) if file.is_disabled("GRAVITY") else np.array(model.opt.gravity)
    names = file.spec.modelname
    system = System(gravity, name=names or file.file, tolerance=tolerance)
    carried: dict[int, Body] = {}
    for index in range(1, model.nbody):
        add_body(system, file, index, carried)
    for joint, body in carried.items():
        add_spring(system, file, joint, body, ignore)
        add_friction(system, file, joint, body, ignore)
        if stops is not None:
            add_stop(system, file, joint, body, stops)
    add_tendons(system, file, carried)
    add_surroundings(system, file)
    notes += add_equalities(system, file, carried)
    chosen = [*find_joints(file, carried, independent), *(carried[joint] for joint in lead)]
    choose_independent(system, lambda bodies: [body for body in bodies if body in chosen])
    key = None if keyframe is None else key_named(file, keyframe)
    if "actuator" not in ignore:
        notes += add_actuators(system, file, carried, key)
    if key is not None:
        notes += start_from(system, file, key, carried)
    return system, notes


def add_body(system: System, file: Compiled, index: int, carried: dict[int, Body]) -> None:
    """Add a body, preceded by a massless one for each of its joints but the last."""
    name = file.body(index)
    parent = file.body(int(file.model.body_parentid[index]))
    joints = list(file.joints(index))
    with locate_errors(file.place("bodies", index, name)):
        for joint in joints[:-1]:
            between = f"{name}/{file.joint(joint)}"
            carried[joint] = system.add_body(
                between, mass=0.0, parent=parent, hinge=hinge(file, joint), armature=armature(file, joint)
            )
            parent = between
        frame = file.principal_frame(index)
        body = system.add_body(
            name,
            mass=float(file.model.body_mass[index]),
            com=frame.r,
            inertia=frame.inertia(np.diag(file.model.body_inertia[index])),
            parent=parent,
            hinge=hinge(file, joints[-1]) if joints else Fixed(file.frame(index).r),
            armature=armature(file, joints[-1]) if joints else None,
        )
        if joints:
            carried[joints[-1]] = body


def hinge(file: Compiled, joint: int) -> Hinge:
    """Return a joint as a hinge."""
    at, axis = np.array(file.data.xanchor[joint]), np.array(file.data.xaxis[joint])
    kind = file.joint_kind(joint)
    if kind == "FREE":
        return Free(file.frame(int(file.model.jnt_bodyid[joint])).r)
    if kind == "BALL":
        return Spherical(at)
    axis = np.where(np.abs(axis) < 1e-15, 0.0, axis)
    start = file.coordinates(joint).start
    q = float(file.data.qpos[start] - file.model.qpos0[start])
    return Prismatic(axis, at, q_design=q) if kind == "SLIDE" else Revolute(axis, at, q_design=q)


def add_spring(system: System, file: Compiled, joint: int, body: Body, ignore: Collection[str]) -> None:
    """Add spring and damper of a joint, unless they are ignored."""
    model, dof = file.model, file.dofs(joint).start
    left_out = {f.kind for f in unsupported_of_joint(file, joint) if f.is_ignored(ignore) and not f.noted}
    if file.joint_kind(joint) not in ONE_COORDINATE:
        damping = 0.0 if file.is_disabled("DAMPER") or dof is None else float(model.dof_damping[dof])
        if damping and "joint@damping" not in left_out:
            with locate_errors(file.place("joints", joint, file.joint(joint))):
                system.add_force(HingeDamper(f"damper of {file.joint(joint)}", body, damping))
        return
    spring = 0.0 if file.is_disabled("SPRING") else float(model.jnt_stiffness[joint])
    damper = 0.0 if file.is_disabled("DAMPER") else float(model.dof_damping[dof])
    spring = 0.0 if "joint@stiffness" in left_out else spring
    damper = 0.0 if "joint@damping" in left_out else damper
    if spring or damper:
        at = file.coordinates(joint).start
        free = float(model.qpos_spring[at] - model.qpos0[at])
        name = f"spring of {file.joint(joint)}"
        with locate_errors(file.place("joints", joint, file.joint(joint))):
            system.add_force(TorsionSpringDamper(name, body, spring=spring, damper=damper, free=free))


def add_friction(system: System, file: Compiled, joint: int, body: Body, ignore: Collection[str]) -> None:
    """Add dry friction of a joint with one coordinate, smooth through rest."""
    level = friction(file, joint)
    if level and file.joint_kind(joint) in ONE_COORDINATE and "joint@frictionloss" not in ignore:
        with locate_errors(file.place("joints", joint, file.joint(joint))):
            name = f"friction of {file.joint(joint)}"
            system.add_force(TorsionSpringDamper(name, body, damper=DryFriction(level)))


def add_stop(system: System, file: Compiled, joint: int, body: Body, stops: tuple[float, float]) -> None:
    """Add compliant stops at the range of a joint with one coordinate."""
    if is_limited(file, joint) and file.joint_kind(joint) in ONE_COORDINATE:
        ref = float(file.model.qpos0[file.coordinates(joint).start])
        lower, upper = (float(end) - ref for end in file.model.jnt_range[joint])
        with locate_errors(file.place("joints", joint, file.joint(joint))):
            system.add_force(JointStop(f"stop of {file.joint(joint)}", body, lower, upper, *stops))


def armature(file: Compiled, joint: int) -> Array:
    """Return MuJoCo's armature A of a joint, with the energy ½ θ̇ᵀ A θ̇ of its velocities, as here."""
    return np.array(file.model.dof_armature[file.dofs(joint)])


def find_joints(file: Compiled, carried: dict[int, Body], names: Collection[str]) -> list[Body]:
    """Return bodies whose hinges are joints of the given names."""
    known = {file.joint(joint): body for joint, body in carried.items()}
    for name in names:
        if name not in known:
            shown = checks.show(name)
            raise DataError(
                f"{file.file}: there is no joint {shown} to be independent; joints are {list(known)}"
            )
    return [known[name] for name in names]
