"""Actuators of MuJoCo that act on one coordinate and have no states of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.variables import plain
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.actuator import Actuator, Range
from ce_dynamics.mechanism.forces.fixed_tendon import FixedTendon
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.checks import ONE_COORDINATE, nonlinear
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.mjcf.tendons import joints_of, plain_tendon, terms_of
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.tree import located, taken_names

ALGEBRAIC = {"mjtDyn": ("NONE",), "mjtGain": ("FIXED", "AFFINE"), "mjtBias": ("NONE", "AFFINE")}
ADDED = (
    "actuator_armature",
    "actuator_damping",
    "actuator_dampingpoly",
    "actuator_delay",
    "actuator_history",
)
"""What an actuator may add to a joint, or keep in mind; not there in older versions of MuJoCo."""


def active(file: Compiled) -> list[int]:
    """Actuators that the file does not switch off."""
    off = int(file.model.opt.disableactuator)
    groups = file.model.actuator_group
    if file.disabled("ACTUATION"):
        return []
    return [k for k in range(len(groups)) if not off & (1 << int(groups[k]))]


def other_actuators(file: Compiled) -> Iterator[Finding]:
    """Those that cannot be represented, and limits on what several do to one joint."""
    for k in active(file):
        if not representable(file, k):
            yield Finding("actuator", file.where("actuators", k, file.actuator(k)))
        for joint in pulled(file, k) if representable(file, k) else ():
            if file.model.jnt_actfrclimited[joint]:
                yield Finding("joint@actuatorfrcrange", file.where("joints", joint, file.joint(joint)))


def representable(file: Compiled, k: int) -> bool:
    """Whether an actuator is a function of its command, one coordinate and its rate."""
    model = file.model
    on_joint = file.kind("mjtTrn", model.actuator_trntype[k]) in ("JOINT", "JOINTINPARENT")
    on_sum = on_tendon(file, k) and plain_tendon(file, int(model.actuator_trnid[k][0]))
    algebraic = all(file.kind(each, types(file, each)[k]) in ALGEBRAIC[each] for each in ALGEBRAIC)
    simple = on_sum or (on_joint and file.joint_kind(joint_of(file, k)) in ONE_COORDINATE)
    return simple and algebraic and not any(nonlinear(model, field, k) for field in ADDED)


def on_tendon(file: Compiled, k: int) -> bool:
    """Whether an actuator acts on a tendon."""
    return file.kind("mjtTrn", file.model.actuator_trntype[k]) == "TENDON"


def pulled(file: Compiled, k: int) -> list[int]:
    """The joints that an actuator acts on."""
    first = int(file.model.actuator_trnid[k][0])
    return list(joints_of(file, first)) if on_tendon(file, k) else [first]


def types(file: Compiled, enumeration: str) -> list[int]:
    """Types of all actuators' dynamics, gains or biases."""
    field = {"mjtDyn": "actuator_dyntype", "mjtGain": "actuator_gaintype", "mjtBias": "actuator_biastype"}
    return [int(value) for value in getattr(file.model, field[enumeration])]


def joint_of(file: Compiled, k: int) -> int:
    """The joint that an actuator acts on."""
    return int(file.model.actuator_trnid[k][0])


def add_actuators(system: System, file: Compiled, carried: dict[int, Body], ctrl: Array | None) -> list[str]:
    """All that can be represented, each with an input of its name; ``ctrl`` are the inputs' defaults.

    Where the name is that of a coordinate, as with motors that are called after their joints, the input is
    called ``<name> command``; notes say so.
    """
    model = file.model
    notes: list[str] = []
    taken = taken_names(system)
    for k in active(file):
        if not representable(file, k):
            continue
        name = file.actuator(k)
        place = file.place("actuators", k, name)
        command = name if plain(name) not in taken else f"{name} command"
        if command != name:
            notes.append(f"{place}: its input is {command!r}, as results call a coordinate {name!r}")
        with located(place):
            system.add_input(
                command, "1", 0.0 if ctrl is None else float(ctrl[int(model.actuator_ctrladr[k])])
            )
            system.add_force(actuator(file, k, command, carried))
    return notes


def actuator(file: Compiled, k: int, command: str, carried: dict[int, Body]) -> Actuator | FixedTendon:
    """On one hinge, or on the sum of several."""
    model, name, first = file.model, f"actuator {file.actuator(k)}", int(file.model.actuator_trnid[k][0])
    law: dict[str, Any] = {
        "command": command,
        "gear": float(model.actuator_gear[k][0]),
        "gain": coefficients(file, k, "mjtGain", "actuator_gainprm"),
        "bias": coefficients(file, k, "mjtBias", "actuator_biasprm"),
        "command_range": limits(file, k, "ctrl", not file.disabled("CLAMPCTRL")),
        "force_range": limits(file, k, "force", True),
    }
    if on_tendon(file, k):
        terms = terms_of(file, first, carried)
        return FixedTendon(name, terms, zero=-float(model.tendon_length0[first]), **law)
    zero = -float(model.qpos0[file.coordinates(first).start])
    return Actuator(name, carried[first], zero=zero, **law)


def coefficients(file: Compiled, k: int, enumeration: str, parameters: str) -> list[float]:
    """Of a gain or a bias: constant, per length, per velocity."""
    used = {"NONE": 0, "FIXED": 1, "AFFINE": 3}[file.kind(enumeration, types(file, enumeration)[k])]
    given = getattr(file.model, parameters)[k].tolist()
    return [*given[:used], 0.0, 0.0, 0.0][:3]


def limits(file: Compiled, k: int, what: str, hold: bool) -> Range | None:
    """The range of the command or of the force, if there is one."""
    if not (hold and getattr(file.model, f"actuator_{what}limited")[k]):
        return None
    low, high = getattr(file.model, f"actuator_{what}range")[k].tolist()
    return low, high
