"""The robot of a URDF file as a `System`: forward kinematics of the zero pose gives the design geometry."""

from __future__ import annotations

from collections.abc import Collection

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges import Fixed, Free, Hinge, Planar, Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.closures import between
from ce_dynamics.readers.pose import WORLD, Pose
from ce_dynamics.readers.tree import choose_independent, gap_note, located, massless_tip
from ce_dynamics.readers.urdf.couplings import add_couplings
from ce_dynamics.readers.urdf.model import WITH_COORDINATE, Robot, UrdfJoint, UrdfLink, UrdfLoop
from ce_dynamics.readers.xml_file import Element

GROUND = "ground"


def build(robot: Robot, base: str, gravity: ArrayLike) -> tuple[System, list[str]]:
    """The system, and notes on it."""
    system = System(gravity, name=robot.name)
    joints = ordered(robot)
    root = robot.links[root_of(robot)]
    frames = {root.name: WORLD}
    if not (root.name == GROUND and base == "fixed"):
        add_link(system, root, WORLD, GROUND, Fixed() if base == "fixed" else Free())
    for joint in joints:
        frames[joint.child] = frame = frames[joint.parent] @ joint.frame
        body = add_link(system, robot.links[joint.child], frame, joint.parent, hinge(joint, frame))
        if joint.damping and joint.kind in WITH_COORDINATE:
            add_damping(system, joint, body)
    notes = [note for loop in robot.loops.values() for note in close(system, loop, robot, frames)]
    add_couplings(system, robot)
    for joint in joints:
        if massless_tip(system, system.find(joint.child)):
            raise robot.links[joint.child].element.error(
                f"joint {joint.name!r} moves it, but neither it nor anything it carries has mass; give it an "
                f"<inertial>, or fix the joint"
            )
    said = {joint.child: joint.independent for joint in joints}
    choose_independent(system, lambda bodies: independent(bodies, said))
    return system, notes


def root_of(robot: Robot) -> str:
    """The link that no joint carries."""
    carried = {joint.child for joint in robot.joints.values()}
    roots = [name for name in robot.links if name not in carried]
    if len(roots) != 1:
        found = f"links {roots}" if roots else "no link: the joints form a cycle"
        raise robot.element.error(
            f"one link must be the root, carried by no joint, but there is {found}; join the links to one "
            f"tree by <joint>, and close cycles by <loop>"
        )
    return roots[0]


def ordered(robot: Robot) -> list[UrdfJoint]:
    """Joints from the root to the tips, in the order of the file where the tree leaves a choice."""
    check_ends(robot)
    placed = {root_of(robot)}
    waiting, result = list(robot.joints.values()), []
    while waiting:
        ready = next((joint for joint in waiting if joint.parent in placed), None)
        if ready is None:
            names = ", ".join(repr(joint.name) for joint in waiting)
            raise waiting[0].element.error(
                f"joints {names} form a cycle that does not hang on the root {root_of(robot)!r}; "
                f"close cycles by <loop>"
            )
        waiting.remove(ready)
        result.append(ready)
        placed.add(ready.child)
    return result


def check_ends(robot: Robot) -> None:
    """Refuse joints between unknown links, and links that two joints carry."""
    carrier: dict[str, UrdfJoint] = {}
    for joint in robot.joints.values():
        need_link(robot, joint.parent, joint.element)
        need_link(robot, joint.child, joint.element)
        other = carrier.setdefault(joint.child, joint)
        if other is not joint:
            raise joint.element.error(
                f"link {joint.child!r} is carried by joint {other.name!r} already; a second connection "
                f"closes a loop: write it as <loop>"
            )
        if joint.child == GROUND:
            raise joint.element.error(
                f"link {GROUND!r} moves, but that is the name of what does not; rename it"
            )


def need_link(robot: Robot, name: str, element: Element) -> None:
    """Refuse a link that does not exist."""
    if name not in robot.links:
        raise element.error(f"there is no link {checks.shown(name)}")


def add_link(system: System, link: UrdfLink, frame: Pose, parent: str, hinge: Hinge) -> Body:
    """A link as a body."""
    with located(link.element.place):
        if link.inertial is None:
            return system.add_body(link.name, mass=0.0, com=frame.r, parent=parent, hinge=hinge)
        at_mass = frame @ link.inertial.frame
        return system.add_body(
            link.name,
            mass=link.inertial.mass,
            com=at_mass.r,
            inertia=at_mass.inertia(link.inertial.inertia),
            parent=parent,
            hinge=hinge,
        )


def hinge(joint: UrdfJoint, frame: Pose) -> Hinge:
    """A joint as a hinge; ``frame`` is that of its child."""
    axis = frame.direction(joint.axis)
    if joint.kind == "prismatic":
        return Prismatic(axis, frame.r)
    if joint.kind == "planar":
        return Planar(axis, frame.r)
    if joint.kind == "floating":
        return Free(frame.r)
    return Fixed(frame.r) if joint.kind == "fixed" else Revolute(axis, frame.r)


def add_damping(system: System, joint: UrdfJoint, body: Body) -> None:
    """Viscous friction of a joint."""
    with located(joint.element.place):
        system.add_force(TorsionSpringDamper(f"damping of {joint.name}", body, damper=joint.damping))


def close(system: System, loop: UrdfLoop, robot: Robot, frames: dict[str, Pose]) -> list[str]:
    """Add a loop, and say how far it is open."""
    for name in (loop.predecessor, loop.successor):
        need_link(robot, name, loop.element)
    at_predecessor = frames[loop.predecessor] @ loop.at_predecessor
    at_successor = frames[loop.successor] @ loop.at_successor
    closure, gap = between(loop.kind, at_predecessor, at_successor, loop.axis)
    notes = gap_note(gap, loop.element.place)
    with located(loop.element.place):
        system.close_loop(loop.name, loop.predecessor, loop.successor, closure)
    return notes


def independent(bodies: Collection[Body], said: dict[str, bool | None]) -> list[Body]:
    """Independent hinges of an aggregated body, as far as the file says which.

    ``independent`` counts as true where it is missing, but a file that says nothing of a loop, or names only
    some that are, leaves the others open.
    """
    moving = [body for body in bodies if body.inboard.n_v > 0]
    if any(said.get(body.name) is False for body in moving):
        return [body for body in moving if said.get(body.name) is not False]
    return [body for body in moving if said.get(body.name) is True]
