"""A robot as plain data, between a URDF or SDF file and a `System`: links, joints, loops and couplings.

The model is that of URDF+ (Chignoli, Slotine, Wensing and Kim: URDF+: An Enhanced URDF for Robots with
Kinematic Loops, 2024): a loop joins two links by a further joint, a coupling ties the motion of one joint to
that of another, and ``independent`` names the joints whose coordinates describe a loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError
from ce_dynamics.readers.frames import WORLD, Pose
from ce_dynamics.readers.xml_file import Element

WITH_COORDINATE = ("revolute", "continuous", "prismatic")
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], and the inertia [kg m²] about the origin and in the axes of a frame of the link."""

    frame: Pose
    mass: float
    inertia: Array


@dataclass(frozen=True, eq=False)
class RobotLink:
    """A rigid body; ``inertial`` is None where the file gives it no mass."""

    element: Element
    name: str
    inertial: Inertial | None


@dataclass(frozen=True, eq=False)
class Mimic:
    """q = multiplier × (coordinate of ``joint``) + offset."""

    element: Element
    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class AxisLoad:
    """Damper, dry friction and spring of one coordinate of a joint."""

    component: int = 0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True, eq=False)
class RobotJoint:
    """A joint of the tree."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    frame: Pose
    axis: Array
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None
    independent: bool | None = None  # Coordinate of the joint in the file; None if absent
    limit: JointRange | None = None
    second_axis: Array | None = None  # (3,): Of a cardan joint
    pitch: float = 0.0  # Of a screw joint [m/rad]
    loads: tuple[AxisLoad, ...] = ()  # Other loads on its coordinates

    @property
    def axes(self) -> tuple[Array, Array]:
        """Both axes of a cardan joint, by default x and y of its frame."""
        x, y, _ = np.eye(3)
        return (x, y) if self.second_axis is None else (self.axis, self.second_axis)


@dataclass(frozen=True, eq=False)
class JointRange:
    """Limits of a joint: of its coordinate, which may be infinite, of its load, and of its rate."""

    element: Element
    lower: float
    upper: float
    effort: float
    velocity: float

    @property
    def is_bounded(self) -> bool:
        """True if the coordinate has a range."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    @property
    def drives(self) -> bool:
        """True if the load has a limit; many files write zero for an unknown limit."""
        return 0.0 < self.effort < math.inf

    def stoppable(self, kind: str) -> bool:
        """Return True if a stop can keep a joint in it: turns are not counted."""
        return self.is_bounded and (kind == "prismatic" or self.upper - self.lower < 2.0 * math.pi)


@dataclass(frozen=True)
class Beside:
    """A place beside the file, which can be blamed as an element is."""

    place: str

    def error(self, problem: str) -> DataError:
        """Return an error at this place."""
        return DataError(f"{self.place}: {problem}")


@dataclass(frozen=True, eq=False)
class RobotLoop:
    """A joint that closes a loop, between a frame on the predecessor and one on the successor."""

    element: Element | Beside
    name: str
    kind: str
    predecessor: str
    at_predecessor: Pose
    successor: str
    at_successor: Pose
    axis: Array


@dataclass(frozen=True, eq=False)
class CouplingOf:
    """Turn of the successor = ratio × turn of the predecessor, both relative to their common carrier."""

    element: Element
    name: str
    predecessor: str
    successor: str
    ratio: float


@dataclass(frozen=True, eq=False)
class Robot:
    """Everything of a file that moves something."""

    element: Element
    name: str
    links: dict[str, RobotLink]
    joints: dict[str, RobotJoint]
    loops: dict[str, RobotLoop]
    couplings: dict[str, CouplingOf]

    def path_to_root(self, link: str) -> list[str]:
        """Return the names of the joints from a link to the root."""
        carrier = {joint.child: joint for joint in self.joints.values()}
        found: list[str] = []
        while link in carrier and carrier[link].name not in found:
            found.append(carrier[link].name)
            link = carrier[link].parent
        return found


def find_loop_joints(robot: Robot) -> set[str]:
    """Return joints between the ends of loops."""
    ends = ((loop.predecessor, loop.successor) for loop in robot.loops.values())
    return {name for one, other in ends for name in {*robot.path_to_root(one)} ^ {*robot.path_to_root(other)}}


def make_name(name: str, taken: tuple[str, ...]) -> str:
    """Return a name that nothing has yet."""
    while name in taken:
        name += "'"
    return name


GROUND = "ground"
WORLD_LINK = "world"
"""Link that joints may hang on without its being described: what does not move."""


def with_world(robot: Robot, base: str) -> Robot:
    """Return the robot on the ground, where its joints hang on a link ``world`` that is not described.

    Links without a joint are fixed to the ground or free, by ``base``.
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
        joints[name] = RobotJoint(link.element, name, kind, GROUND, link.name, WORLD, pattern.axis)
    links = {GROUND: RobotLink(robot.element, GROUND, None), **robot.links}
    return replace(robot, joints=joints, loops=loops, links=links)


def root_of(robot: Robot) -> str:
    """Return the link that no joint carries."""
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


def order_joints(robot: Robot) -> list[RobotJoint]:
    """Return joints from the root to the tips, in the order of the file where the tree leaves a choice."""
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
    carrier: dict[str, RobotJoint] = {}
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
