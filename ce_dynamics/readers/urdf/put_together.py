"""The tree of a URDF robot, and where its links are in the design pose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.readers.pose import WORLD, Pose
from ce_dynamics.readers.urdf.model import Beside, Robot, UrdfJoint, UrdfLink, UrdfLoop
from ce_dynamics.readers.urdf.posing import PosedRobot, move_joint, place_robot
from ce_dynamics.readers.xml_file import Element

SHORT = 1e-9
"""Distance of two points that counts as none [m]."""


def with_single_hinges(robot: Robot, whole: Collection[str] = ()) -> Robot:
    """The robot with balls and cardan joints in its loops as hinges of one coordinate each, but for some.

    All but the last stand before links without mass, named after the joint's link: ``link/1``, ``link/2``.
    """
    inside = find_loop_joints(robot) - set(whole)
    joints: dict[str, UrdfJoint] = {}
    links = dict(robot.links)
    for name, joint in robot.joints.items():
        if name not in inside or joint.kind not in ("spherical", "cardan") or joint.loads:
            joints[name] = joint
            continue
        axes = joint.axes if joint.kind == "cardan" else across(direction_of(robot, joint))
        parent, frame = joint.parent, joint.frame
        for k, axis in enumerate(axes[:-1], start=1):
            link, hinge = (
                make_name(f"{each}/{k}", (*links, *joints, *robot.joints)) for each in (joint.child, name)
            )
            links[link] = UrdfLink(robot.links[joint.child].element, link, None)
            joints[hinge] = replace(
                joint, name=hinge, kind="continuous", parent=parent, child=link, frame=frame, axis=axis
            )
            parent, frame = link, WORLD
        joints[name] = replace(joint, kind="continuous", parent=parent, frame=frame, axis=axes[-1])
    return replace(robot, joints=joints, links=links)


def find_loop_joints(robot: Robot) -> set[str]:
    """Joints between the ends of loops."""
    carrier = {joint.child: joint for joint in robot.joints.values()}

    def way(link: str) -> set[str]:
        found = set[str]()
        while link in carrier and carrier[link].name not in found:
            found.add(carrier[link].name)
            link = carrier[link].parent
        return found

    return {name for loop in robot.loops.values() for name in way(loop.predecessor) ^ way(loop.successor)}


def make_name(name: str, taken: tuple[str, ...]) -> str:
    """A name that nothing has yet."""
    while name in taken:
        name += "'"
    return name


def across(direction: Array) -> tuple[Array, Array, Array]:
    """Three perpendicular axes, the last along a direction."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first = first / np.linalg.norm(first)
    return first, np.cross(direction, first), direction


def direction_of(robot: Robot, joint: UrdfJoint) -> Array:
    """Along the rod behind or before a ball, in the frame of what the ball carries; z if it is no rod's."""
    along = rod_from(robot, joint.child)
    if along is None:
        for loop in robot.loops.values():
            for end, at, other, at_other in ends_of(loop):
                if end == joint.child and np.linalg.norm(at.r) <= SHORT and loop.kind == "fixed":
                    reached = rod_through(robot, other, at_other)
                    along = None if reached is None else at.R @ at_other.R.T @ reached
    return np.array((0.0, 0.0, 1.0)) if along is None else along


def rod_from(robot: Robot, link: str) -> Array | None:
    """From a link's origin to the one other point that anything holds; along a slide that it carries."""
    points: list[Array] = []
    for name, at in rigid(robot, link):
        points += [
            (at @ own).r for loop in robot.loops.values() for end, own, _, _ in ends_of(loop) if end == name
        ]
        for joint in robot.joints.values():
            if joint.parent == name and joint.kind == "prismatic":
                return (at @ joint.frame).direction(joint.axis)
            if joint.parent == name and joint.kind != "fixed":
                points.append((at @ joint.frame).r)
    far = [point for point in points if np.linalg.norm(point) > SHORT]
    if not far or any(np.linalg.norm(point - far[0]) > SHORT for point in far):
        return None
    return np.asarray(far[0] / np.linalg.norm(far[0]))


def rod_through(robot: Robot, link: str, at: Pose) -> Array | None:
    """Along the rod that a frame of a link ends, in the link's axes."""
    for joint in robot.joints.values():
        for name, where in rigid(robot, joint.child):
            if name == link and joint.kind in ("spherical", "cardan"):
                apart = where.r + where.R @ at.r
                if np.linalg.norm(apart) > SHORT:
                    return np.asarray(where.R.T @ apart / np.linalg.norm(apart))
    return None


def rigid(robot: Robot, link: str) -> Iterator[tuple[str, Pose]]:
    """A link and all that is fixed to it outward, with their frames in its own."""
    waiting = [(link, WORLD)]
    while waiting:
        name, at = waiting.pop()
        yield name, at
        waiting += [
            (joint.child, at @ joint.frame)
            for joint in robot.joints.values()
            if joint.parent == name and joint.kind == "fixed"
        ]


def ends_of(loop: UrdfLoop) -> tuple[tuple[str, Pose, str, Pose], ...]:
    """Both ends of a loop, each with the other."""
    a, b = (loop.predecessor, loop.at_predecessor), (loop.successor, loop.at_successor)
    return (*a, *b), (*b, *a)


GROUND = "ground"
WORLD_LINK = "world"
"""Link that joints may hang on without its being described: what does not move."""


@dataclass(frozen=True)
class Wishes:
    """Options of the caller for the system, beside the file.

    Attributes
    ----------
    base : str
    gravity : (3,) array_like
    pose : dict of str to float
        Wanted coordinates of joints in the design pose.
    independent : tuple of str
        Joints that are to lead their loops.
    motors : tuple of str
        Joints that get an actuator.
    stops : (float, float), optional
        Stiffness and damping of stops at the joints' limits.
    armature : mapping of str to float
        Inertia on joints' own rates, by name; the file gives those of the other joints.
    creep : float
        Rate at which dry friction nearly reaches its full value.
    tolerance : float
        Precision of the geometry [rad, or sizes of a loop].
    """

    base: str
    gravity: ArrayLike
    pose: Mapping[str, float]
    independent: tuple[str, ...] = ()
    motors: tuple[str, ...] = ()
    stops: tuple[float, float] | None = None
    creep: float = 1e-2
    tolerance: float = TOLERANCE
    armature: Mapping[str, float] = field(default_factory=dict)


class PutTogether(NamedTuple):
    """A robot whose loops have single hinges only, its joints from the root outward, and the design pose."""

    robot: Robot
    joints: list[UrdfJoint]
    at: PosedRobot
    frames: dict[str, Pose]


def put_together(robot: Robot, wishes: Wishes) -> PutTogether:
    """Frames of all links in the design pose."""
    robot = with_world(robot, wishes.base)
    order_joints(robot)
    check_loops(robot)
    robot = with_single_hinges(robot, wishes.independent)
    joints = order_joints(robot)
    root = root_of(robot)
    at = place_robot(
        robot,
        joints,
        root,
        wishes.pose,
        wishes_of(wishes, joints),
        wishes.tolerance,
        must_lead=bool(wishes.independent),
    )
    frames = {root: WORLD}
    for joint in joints:
        frames[joint.child] = (
            frames[joint.parent] @ joint.frame @ move_joint(joint, at.q.get(joint.name, 0.0))
        )
    return PutTogether(robot, joints, at, frames)


def with_world(robot: Robot, base: str) -> Robot:
    """Return the robot on the ground, where its joints hang on a link ``world`` that is not described.

    Links that no joint carries are held by the ground or free, as ``base`` says.
    """
    if WORLD_LINK in robot.links or all(joint.parent != WORLD_LINK for joint in robot.joints.values()):
        return robot
    joints = {
        name: replace(joint, parent=GROUND) if joint.parent == WORLD_LINK else joint
        for name, joint in robot.joints.items()
    }
    loops = {
        name: replace(
            loop,
            predecessor=GROUND if loop.predecessor == WORLD_LINK else loop.predecessor,
            successor=GROUND if loop.successor == WORLD_LINK else loop.successor,
        )
        for name, loop in robot.loops.items()
    }
    carried = {joint.child for joint in joints.values()}
    if base == "floating" and carried >= {*robot.links}:
        raise robot.element.error(
            f"base={base!r}: its joints hold it on {WORLD_LINK!r}, which does not move; leave base out"
        )
    pattern = next(joint for joint in joints.values() if joint.parent == GROUND)
    for link in (link for name, link in robot.links.items() if name not in carried):
        name = make_name(f"base {link.name}", tuple(joints))
        kind = "fixed" if base == "fixed" else "floating"
        joints[name] = UrdfJoint(
            link.element, name, kind, GROUND, link.name, WORLD, pattern.axis, 0.0, 0.0, 0.0, None, None, None
        )
    links = {GROUND: UrdfLink(robot.element, GROUND, None), **robot.links}
    return replace(robot, joints=joints, loops=loops, links=links)


def wishes_of(wishes: Wishes, joints: Sequence[UrdfJoint]) -> tuple[str, ...]:
    """Joints that are to lead: those asked for, else those with motors, else those that the file says."""
    said = tuple(joint.name for joint in joints if joint.independent)
    return wishes.independent or wishes.motors or said


def root_of(robot: Robot) -> str:
    """The link that no joint carries."""
    carried = {joint.child for joint in robot.joints.values()}
    roots = [name for name in robot.links if name not in carried]
    if len(roots) != 1:
        cycle = "no link: the joints form a cycle" if robot.links else "no <link> at all"
        found = f"links {roots}" if roots else cycle
        raise robot.element.error(
            f"one link must be the root, carried by no joint, but there is {found}; join the links to one "
            f"tree by <joint>, and close cycles by <loop>"
        )
    return roots[0]


def order_joints(robot: Robot) -> list[UrdfJoint]:
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


def check_loops(robot: Robot) -> None:
    """Refuse loops between unknown links, or a link and itself."""
    for loop in robot.loops.values():
        for name in (loop.predecessor, loop.successor):
            need_link(robot, name, loop.element)
        if loop.predecessor == loop.successor:
            raise loop.element.error(
                f"closure {loop.name!r} joins body {loop.successor!r} to itself; name two different links"
            )


def need_link(robot: Robot, name: str, element: Element | Beside) -> None:
    """Refuse a link that does not exist."""
    if name not in robot.links:
        raise element.error(f"there is no link {checks.show(name)}")
