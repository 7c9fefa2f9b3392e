"""Actuators of MuJoCo: on one coordinate, on a tendon, or pushing a site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.actuator import Actuator, FixedTendon, Range
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.mechanism.forces.cord import Cord
from ce_dynamics.mechanism.forces.wrench import Thruster
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.model import ONE_COORDINATE, Compiled, nonlinear
from ce_dynamics.readers.mjcf.tendons import cord_of, is_cord, joints_of, plain_tendon, terms_of
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.tree import locate_errors, taken_names

KNOWN = {
    "mjtDyn": ("NONE", "INTEGRATOR", "FILTER", "FILTEREXACT"),
    "mjtGain": ("FIXED", "AFFINE"),
    "mjtBias": ("NONE", "AFFINE"),
}
ADDED = (
    "actuator_armature",
    "actuator_damping",
    "actuator_dampingpoly",
    "actuator_delay",
    "actuator_history",
    "actuator_actearly",
)
"""Model fields of what an actuator adds to a joint, and of delays; older versions of MuJoCo lack some."""


def active(file: Compiled) -> list[int]:
    """Return actuators that the file does not switch off."""
    off = int(file.model.opt.disableactuator)
    groups = file.model.actuator_group
    if file.is_disabled("ACTUATION"):
        return []
    return [k for k in range(len(groups)) if not off & (1 << int(groups[k]))]


def other_actuators(file: Compiled) -> Iterator[Finding]:
    """Yield findings for actuators, and for their limits at joints, that a `System` cannot represent."""
    limited = set[int]()
    for k in active(file):
        name = file.actuator(k)
        if not representable(file, k):
            yield Finding("actuator", file.locate("actuators", k, name), name=name)
            continue
        limited |= {joint for joint in find_driven_joints(file, k) if file.model.jnt_actfrclimited[joint]}
    for joint in sorted(limited):
        name = file.joint(joint)
        where = file.locate("joints", joint, name)
        if len(pulling(file, joint)) > 1 or on_tendon(file, pulling(file, joint)[0]):
            yield Finding("joint@actuatorfrcrange", where, name=name)
        elif file.model.jnt_actgravcomp[joint] and np.any(file.model.body_gravcomp):
            yield Finding("joint@actuatorgravcomp", where, name=name)


def representable(file: Compiled, k: int) -> bool:
    """Return True if a `System` can represent an actuator.

    Its force must depend on its command, one length and the rate of that length only, and its transmission
    must be known here.
    """
    model = file.model
    known = all(file.kind(each, types(file, each)[k]) in KNOWN[each] for each in KNOWN)
    if not known or int(model.actuator_actnum[k]) > 1 or any(nonlinear(model, field, k) for field in ADDED):
        return False
    way, first = transmission(file, k), int(model.actuator_trnid[k][0])
    if way == "TENDON":
        return plain_tendon(file, first) or is_cord(file, first)
    if way == "SITE":
        return int(model.actuator_trnid[k][1]) < 0
    return way in ("JOINT", "JOINTINPARENT") and file.joint_kind(first) in ONE_COORDINATE


def transmission(file: Compiled, k: int) -> str:
    """Return the transmission type of an actuator, such as JOINT, TENDON or SITE."""
    return file.kind("mjtTrn", file.model.actuator_trntype[k])


def on_tendon(file: Compiled, k: int) -> bool:
    """Return True if an actuator acts on a tendon."""
    return transmission(file, k) == "TENDON"


def find_driven_joints(file: Compiled, k: int) -> list[int]:
    """Return the joints whose coordinates an actuator acts on."""
    first = int(file.model.actuator_trnid[k][0])
    if on_tendon(file, k):
        return list(joints_of(file, first))
    return [] if transmission(file, k) == "SITE" else [first]


def pulling(file: Compiled, joint: int) -> list[int]:
    """Return the actuators that act on a joint's coordinate."""
    return [k for k in active(file) if representable(file, k) and joint in find_driven_joints(file, k)]


def driven_joints(file: Compiled) -> set[str]:
    """Return names of the joints whose coordinates actuators act on."""
    acting = (k for k in active(file) if representable(file, k))
    return {file.joint(joint) for k in acting for joint in find_driven_joints(file, k)}


def types(file: Compiled, enumeration: str) -> list[int]:
    """Return types of all actuators' dynamics, gains or biases."""
    field = {"mjtDyn": "actuator_dyntype", "mjtGain": "actuator_gaintype", "mjtBias": "actuator_biastype"}
    return [int(value) for value in getattr(file.model, field[enumeration])]


def add_actuators(system: System, file: Compiled, carried: dict[int, Body], key: Any) -> list[str]:
    """Add representable actuators, each with an input of its name; a keyframe has the inputs' defaults.

    Where the name is that of a coordinate, as with motors that are called after their joints, the input is
    called ``<name> command``; notes list them.
    """
    model = file.model
    notes: list[str] = []
    taken = taken_names(system)
    for k in active(file):
        if not representable(file, k):
            continue
        name = file.actuator(k)
        place = file.place("actuators", k, name)
        command = name if valid_name(name) not in taken else f"{name} command"
        if command != name:
            notes.append(f"{place}: its input is {command!r}, as results call a coordinate {name!r}")
        with locate_errors(place):
            default = 0.0 if key is None else float(key.ctrl[int(model.actuator_ctrladr[k])])
            system.add_input(command, "1", default)
            law = law_of(file, k, command, key)
            system.add_force(actuator(system, file, k, law, carried))
    return notes


def actuator(
    system: System, file: Compiled, k: int, law: dict[str, Any], carried: dict[int, Body]
) -> ForceElement:
    """Return an actuator on one hinge, on a sum of several, on a cord, or fixed on a body."""
    model, name, first = file.model, f"actuator {file.actuator(k)}", int(file.model.actuator_trnid[k][0])
    gear = np.array(model.actuator_gear[k], dtype=float)
    if transmission(file, k) == "SITE":
        body, in_body = file.site(first)
        site = file.frame(body) @ in_body
        force, torque = site.direction(gear[:3]), site.direction(gear[3:])
        return Thruster(name, system.find(file.body(body)), site.r, force=force, torque=torque, **law)
    law["gear"] = float(gear[0])
    if not on_tendon(file, k):
        law["force_range"] = keep_in_joint_range(file, first, law["gear"], law["force_range"])
        zero = -float(model.qpos0[file.coordinates(first).start])
        return Actuator(name, carried[first], zero=zero, **law)
    if is_cord(file, first):
        paths, divisors = cord_of(system, file, first)
        return Cord(name, *paths, divisors=divisors, **law)
    terms = terms_of(file, first, carried)
    return FixedTendon(name, terms, zero=-float(model.tendon_length0[first]), **law)


def law_of(file: Compiled, k: int, command: str, key: Any) -> dict[str, Any]:
    """Return the arguments of `ActuatorLaw` for an actuator."""
    model = file.model
    law: dict[str, Any] = {
        "command": command,
        "gain": coefficients(file, k, "mjtGain", "actuator_gainprm"),
        "bias": coefficients(file, k, "mjtBias", "actuator_biasprm"),
        "command_range": limits(file, k, "ctrl", not file.is_disabled("CLAMPCTRL")),
        "force_range": limits(file, k, "force", True),
    }
    dynamics = file.kind("mjtDyn", types(file, "mjtDyn")[k])
    if dynamics == "NONE":
        return law
    at = int(model.actuator_actadr[k])
    law["activation"] = 0.0 if key is None else float(key.act[at])
    law["activation_range"] = limits(file, k, "act", True)
    if dynamics == "INTEGRATOR":
        law["integrates"] = True
    else:
        law["lag"] = max(float(model.actuator_dynprm[k][0]), float(file.mujoco.mjMINVAL))
    return law


def keep_in_joint_range(file: Compiled, joint: int, gear: float, own: Range | None) -> Range | None:
    """Return the range of an actuator's force with that in which its joint keeps gear times it."""
    if not file.model.jnt_actfrclimited[joint] or gear == 0.0:
        return own
    low, high = sorted(float(end) / gear for end in file.model.jnt_actfrcrange[joint])
    if own is None:
        return low, high
    return min(max(own[0], low), high), min(max(own[1], low), high)


def coefficients(file: Compiled, k: int, enumeration: str, parameters: str) -> list[float]:
    """Return the three coefficients of a gain or a bias: constant, per length, per velocity."""
    used = {"NONE": 0, "FIXED": 1, "AFFINE": 3}[file.kind(enumeration, types(file, enumeration)[k])]
    given: Array = np.array(getattr(file.model, parameters)[k], dtype=float)
    return [*given[:used].tolist(), 0.0, 0.0, 0.0][:3]


def limits(file: Compiled, k: int, what: str, hold: bool) -> Range | None:
    """Return the range of the command, the activation or the force, if there is one."""
    if not (hold and getattr(file.model, f"actuator_{what}limited")[k]):
        return None
    low, high = getattr(file.model, f"actuator_{what}range")[k].tolist()
    return low, high
