"""A `Robot` as a `System`: forward kinematics of the design pose gives the geometry."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, ancestors, common_ancestor
from ce_dynamics.mechanism.couplings import LinearCoupling
from ce_dynamics.mechanism.forces.actuator import Actuator
from ce_dynamics.mechanism.forces.laws import DryFriction
from ce_dynamics.mechanism.forces.stop import JointStop
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges import Fixed, Free, Hinge, Screw, Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.design_frames import ReadingOptions, find_design_frames, find_leads
from ce_dynamics.readers.frames import WORLD, Pose, close_between, ordinary
from ce_dynamics.readers.robot import (
    GROUND,
    WITH_COORDINATE,
    CouplingOf,
    Robot,
    RobotJoint,
    RobotLink,
    RobotLoop,
    root_of,
)
from ce_dynamics.readers.survey import Finding, locate
from ce_dynamics.readers.tree import choose_independent, locate_errors, massless_tip, taken_names
from ce_dynamics.readers.xml_file import Element


def add_couplings(system: System, robot: Robot) -> None:
    """Add all couplings of a robot."""
    carriers = {joint.child: joint for joint in robot.joints.values()}
    for coupling in robot.couplings.values():
        couple(system, coupling, carriers)
    for joint in robot.joints.values():
        if joint.mimic is not None:
            follow(system, joint, robot.joints)


def couple(system: System, coupling: CouplingOf, carriers: dict[str, RobotJoint]) -> None:
    """Impose Σ q on the way to the successor = ratio × Σ q on the way to the predecessor."""
    element = coupling.element
    for name in (coupling.predecessor, coupling.successor):
        if name not in carriers:
            raise element.error(f"there is no link {checks.show(name)} that a joint carries")
    ends = [system.find(name) for name in (coupling.predecessor, coupling.successor)]
    root = common_ancestor(*ends)
    if root in ends:
        raise element.error(
            f"link {root.name!r} carries the other one; a coupling joins links on two branches of the tree"
        )
    if coupling.ratio == 0.0:
        raise element.error("the ratio is zero; fix the joint instead")
    chains = [moving(end, root, carriers, element) for end in ends]
    coefficients = [coupling.ratio] * len(chains[0]) + [-1.0] * len(chains[1])
    with locate_errors(element.place):
        system.couple(coupling.name, [*chains[0], *chains[1]], LinearCoupling(coefficients))


def moving(end: Body, root: Body, carriers: dict[str, RobotJoint], element: Element) -> list[Body]:
    """Return bodies from the root to an end whose hinges move, each of which must have one coordinate."""
    chain = ancestors(end)
    bodies = [body for body in reversed(chain[: chain.index(root)]) if body.inboard.n_v > 0]
    for body in bodies:
        need_coordinate(carriers[body.name], element)
    if not bodies:
        raise element.error(f"link {end.name!r} does not move against link {root.name!r}")
    return bodies


def follow(system: System, joint: RobotJoint, joints: dict[str, RobotJoint]) -> None:
    """Impose the joint's coordinate = multiplier × that of another + offset."""
    mimic = joint.mimic
    assert mimic is not None
    if mimic.joint not in joints:
        raise mimic.element.error(
            f"there is no joint {checks.show(mimic.joint)} for joint {joint.name!r} to follow"
        )
    if mimic.joint == joint.name:
        raise mimic.element.error(f"joint {joint.name!r} follows itself; name another")
    if mimic.multiplier == 0.0:
        raise mimic.element.error(f"multiplier=0 of joint {joint.name!r}: fix the joint instead")
    other = joints[mimic.joint]
    for each in (joint, other):
        need_coordinate(each, mimic.element)
    with locate_errors(joint.element.place):
        law = LinearCoupling((-mimic.multiplier, 1.0), mimic.offset)
        system.couple(f"{joint.name} follows {other.name}", [other.child, joint.child], law)


def need_coordinate(joint: RobotJoint, element: Element) -> None:
    """Refuse to couple a joint that has not one coordinate."""
    if joint.kind not in WITH_COORDINATE:
        raise element.error(
            f"joint {joint.name!r} is {joint.kind}; only joints with one coordinate are coupled"
        )


def build(
    robot: Robot, options: ReadingOptions, gravity: ArrayLike, motors: Collection[str], base: str = "fixed"
) -> tuple[System, list[str]]:
    """Return the system, and notes on it."""
    system = System(gravity, name=robot.name, tolerance=options.tolerance)
    given = check_armature(robot, options.armature)
    robot, joints, at, frames = find_design_frames(robot, options, motors, base)
    root = robot.links[root_of(robot)]
    declared = {joint.name: joint.independent for joint in joints}
    leads = find_leads(options, motors, joints)
    if root.name != GROUND:
        add_link(system, root, WORLD, GROUND, Fixed() if base == "fixed" else Free())
    for joint in joints:
        added = hinge(joint, frames[joint.child], at.q.get(joint.name, 0.0))
        armature = given.get(joint.name, joint.armature) or None
        body = add_link(system, robot.links[joint.child], frames[joint.child], joint.parent, added, armature)
        if joint.kind in (*WITH_COORDINATE, "screw"):
            add_loads(system, joint, body, options.stops)
        add_axis_loads(system, joint, body)
    notes = list(at.notes)
    for loop in robot.loops.values():
        close(system, loop, robot, frames, at.precision)
    add_couplings(system, robot)
    for joint in joints:
        if massless_tip(system, system.find(joint.child)):
            raise robot.links[joint.child].element.error(
                f"joint {joint.name!r} moves it, but neither it nor anything it carries has mass; give it an "
                f"<inertial>, or fix the joint"
            )
    if options.independent or motors:
        led = {robot.joints[name].child for name in at.lead}
        requested = {robot.joints[name].child for name in leads}
        choose_independent(system, lambda bodies: leading(bodies, led, requested))
    else:
        by_link = {joint.child: declared[joint.name] for joint in joints}
        choose_independent(system, lambda bodies: independent(bodies, by_link))
    notes += [
        f"{robot.element.path.name}: joint {name!r} is not independent: with the others the loops hold it"
        for name in at.dropped
    ]
    for name in motors:
        notes += add_motor(system, robot.joints[name])
    return system, notes


def add_link(
    system: System, link: RobotLink, frame: Pose, parent: str, hinge: Hinge, armature: float | None = None
) -> Body:
    """Return a link as a body."""
    with locate_errors(link.element.place):
        if link.inertial is None:
            return system.add_body(
                link.name, mass=0.0, com=frame.r, parent=parent, hinge=hinge, armature=armature
            )
        at_mass = frame @ link.inertial.frame
        return system.add_body(
            link.name,
            mass=link.inertial.mass,
            com=at_mass.r,
            inertia=at_mass.inertia(link.inertial.inertia),
            parent=parent,
            hinge=hinge,
            armature=armature,
        )


def hinge(joint: RobotJoint, frame: Pose, q: float) -> Hinge:
    """Return a joint as a hinge; ``frame`` is that of its child, at the coordinate q."""
    axis = frame.direction(joint.axis)
    if joint.kind == "floating":
        return Free(frame.r)
    if joint.kind == "screw":
        return Screw(axis, joint.pitch, frame.r)
    if joint.kind == "cardan":
        return Universal(frame.direction(joint.axes[0]), frame.direction(joint.axes[1]), frame.r)
    return ordinary(joint.kind, axis, frame.r, q)


def add_loads(system: System, joint: RobotJoint, body: Body, stops: tuple[float, float] | None) -> None:
    """Add viscous and dry friction of a joint, and its stops on request."""
    with locate_errors(joint.element.place):
        if joint.damping:
            system.add_force(TorsionSpringDamper(f"damping of {joint.name}", body, damper=joint.damping))
        if joint.friction:
            law = DryFriction(joint.friction)
            system.add_force(TorsionSpringDamper(f"friction of {joint.name}", body, damper=law))
        if stops is not None and joint.limit is not None and joint.limit.stoppable(joint.kind):
            lower, upper = joint.limit.lower, joint.limit.upper
            system.add_force(JointStop(f"stop of {joint.name}", body, lower, upper, *map(float, stops)))


def add_axis_loads(system: System, joint: RobotJoint, body: Body) -> None:
    """Add springs, viscous and dry friction of single coordinates."""
    for load in joint.loads:
        of = joint.name if body.inboard.n_v == 1 else f"{joint.name} {load.component + 1}"
        with locate_errors(joint.element.place):
            if load.damping or load.stiffness:
                element = TorsionSpringDamper(
                    f"spring of {of}",
                    body,
                    spring=load.stiffness,
                    damper=load.damping,
                    free=load.rest,
                    component=load.component,
                )
                system.add_force(element)
            if load.friction:
                law = DryFriction(load.friction)
                system.add_force(
                    TorsionSpringDamper(f"friction of {of}", body, damper=law, component=load.component)
                )


def add_motor(system: System, joint: RobotJoint) -> list[str]:
    """Return an actuator whose input is called as its joint, and a note if it has to be called otherwise."""
    body = system.find(joint.child)
    name, notes = joint.name, []
    if valid_name(name) in taken_names(system):
        name = f"{joint.name} command"
        notes.append(
            f"{joint.element.place}: its motor's input is {name!r}, as results call something else "
            f"{joint.name!r}"
        )
    system.add_input(name, "N" if joint.kind == "prismatic" else "N*m")
    effort = None if joint.limit is None or not joint.limit.drives else joint.limit.effort
    force_range = None if effort is None else (-effort, effort)
    system.add_force(Actuator(f"motor {joint.name}", body, command=name, force_range=force_range))
    return notes


def close(system: System, loop: RobotLoop, robot: Robot, frames: dict[str, Pose], precision: float) -> None:
    """Add a loop."""
    at_predecessor = frames[loop.predecessor] @ loop.at_predecessor
    at_successor = frames[loop.successor] @ loop.at_successor
    closure, _ = close_between(loop.kind, at_predecessor, at_successor, loop.axis, precision)
    with locate_errors(loop.element.place):
        system.close_loop(loop.name, loop.predecessor, loop.successor, closure)


def leading(bodies: Collection[Body], found: Collection[str], requested: Collection[str]) -> list[Body]:
    """Return hinges that lead a loop: those found with its design pose, for hinges of one coordinate only.

    Loops with others use the requested hinges, or an automatic choice.
    """
    simple = all(body.inboard.n_v <= 1 for body in bodies)
    return [body for body in bodies if body.name in (found if simple else requested)]


def independent(bodies: Collection[Body], declared: dict[str, bool | None]) -> list[Body]:
    """Return independent hinges of an aggregated body, as far as the file names them.

    ``independent`` counts as true where it is missing, but a file that names none of a loop, or only
    some that are, leaves the others open.
    """
    moving = [body for body in bodies if body.inboard.n_v > 0]
    if any(declared.get(body.name) is False for body in moving):
        return [body for body in moving if declared.get(body.name) is not False]
    return [body for body in moving if declared.get(body.name) is True]


BASES = ("fixed", "floating")
FRICTION, DAMPING, ARMATURE = "dynamics@friction", "dynamics@damping", "dynamics@armature"


def losses(robot: Robot, ignore: Collection[str]) -> Iterator[Finding]:
    """Yield joints with friction, and no single coordinate for it to act on or none that it is to act on."""
    for joint in robot.joints.values():
        simple, name = joint.kind in WITH_COORDINATE, joint.name
        for kind, value in ((FRICTION, joint.friction), (DAMPING, joint.damping), (ARMATURE, joint.armature)):
            if value != 0.0 and (not simple or kind in ignore):
                yield Finding(kind, locate(joint.element), noted=joint.kind == "fixed", name=name)
        for load in joint.loads:
            for kind, value in ((FRICTION, load.friction), (DAMPING, load.damping)):
                not_here = joint.kind in ("spherical", "fixed", "floating")
                if value != 0.0 and (not_here or kind in ignore):
                    yield Finding(kind, locate(joint.element), name=name)


def check_armature(robot: Robot, given: Mapping[str, float] | None) -> dict[str, float]:
    """Return the armature of joints as a caller gives it."""
    found = {}
    for name, value in checks.mapping("read_urdf: armature", {} if given is None else given).items():
        if name not in robot.joints or robot.joints[name].kind not in WITH_COORDINATE:
            raise ModelError(f"read_urdf: armature: {checks.show(name)} is no joint with one coordinate")
        found[name] = checks.number(f"read_urdf: armature[{name!r}]", value, at_least=0.0)
    return found


def limits(
    robot: Robot, stops: tuple[float, float] | None, motors: Collection[str] = ()
) -> Iterator[Finding]:
    """Yield limits that the model does not keep: of positions unless there are stops, of loads and of rates.

    A requested motor is limited to its load.
    """
    for joint in robot.joints.values():
        given, place = joint.limit, locate(joint.element)
        if given is None:
            continue
        if given.is_bounded and (stops is None or not given.stoppable(joint.kind)):
            yield Finding("limit@lower, limit@upper", place, noted=True, name=joint.name)
        for kind, value in (("limit@effort", given.effort), ("limit@velocity", given.velocity)):
            kept = kind == "limit@effort" and joint.name in motors and given.drives
            if math.isfinite(value) and not kept:
                yield Finding(kind, place, noted=True, name=joint.name)


def without(robot: Robot, ignore: Collection[str]) -> Robot:
    """Return the robot less the friction that is to be left out."""
    joints = {
        name: replace(
            joint,
            friction=0.0 if FRICTION in ignore else joint.friction,
            damping=0.0 if DAMPING in ignore else joint.damping,
            armature=0.0 if ARMATURE in ignore or joint.kind not in WITH_COORDINATE else joint.armature,
            loads=tuple(
                replace(
                    load,
                    friction=0.0 if FRICTION in ignore else load.friction,
                    damping=0.0 if DAMPING in ignore else load.damping,
                )
                for load in (joint.loads if joint.kind != "spherical" else ())
            ),
        )
        for name, joint in robot.joints.items()
    }
    return replace(robot, joints=joints)
