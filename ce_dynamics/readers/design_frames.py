"""Design pose of a robot: zero, a given one, or one in which its loops close."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.assumptions import COARSEST, TOLERANCE
from ce_dynamics.readers.chains import ChainLaw, ChainLink, ChainLoop, Chains, parts, turns
from ce_dynamics.readers.design_pose import DesignPoseSearch, gaps_of, report
from ce_dynamics.readers.frames import ROUNDING, WORLD, Pose
from ce_dynamics.readers.robot import (
    WITH_COORDINATE,
    Robot,
    RobotJoint,
    RobotLink,
    RobotLoop,
    check_loops,
    find_loop_joints,
    make_name,
    order_joints,
    root_of,
    with_world,
)
from ce_dynamics.readers.survey import check_names

KINDS = {"revolute": "turn", "continuous": "turn", "prismatic": "slide"}
RIGHT_ANGLES = 1e-11
"""Angles as near as this to right ones are taken as such [rad]."""
MOST_OFF = 0.1
"""Angles that are taken as right ones may be off by so much at most [rad]."""


@dataclass(frozen=True)
class PosedRobot:
    """Coordinates of the joints in the design pose, and which of them are to lead."""

    q: dict[str, float] = field(default_factory=dict)  # By the name of the joint
    # Joints of the loops whose coordinates are independent: requested ones, and others with them
    lead: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()  # Requested joints that cannot lead beside the others
    # Frames that are no farther apart in the design pose are taken to meet [m and rad]
    precision: float = ROUNDING
    notes: tuple[str, ...] = ()


def move_joint(joint: RobotJoint, q: float) -> Pose:
    """Return the pose of a joint's child in the joint's frame at a coordinate."""
    if q == 0.0:
        return WORLD
    if joint.kind == "prismatic":
        return Pose(np.eye(3), q * joint.axis)
    return Pose(turns(joint.axis, np.array((q,)))[0], np.zeros(3))


def place_robot(
    robot: Robot,
    joints: list[RobotJoint],
    root: str,
    pose: Mapping[str, float],
    requested: Collection[str],
    tolerance: float,
    must_lead: bool,
) -> PosedRobot:
    """Return the design pose of a robot, in which its loops are closed; see `DesignPoseSearch`."""
    moving = [joint for joint in joints if joint.kind in WITH_COORDINATE]
    wanted = np.array([pose.get(joint.name, 0.0) for joint in moving])
    if not robot.loops:
        return PosedRobot({joint.name: value for joint, value in zip(moving, wanted.tolist(), strict=True)})
    names = [joint.name for joint in moving]
    options = [k for k, name in enumerate(names) if name in requested]
    q, precision = wanted.copy(), ROUNDING
    lead: list[str] = []
    dropped: list[str] = []
    notes: list[str] = []
    places = {name: loop.element.place for name, loop in robot.loops.items()}
    for chains in parts(chains_of(robot, joints, root)):
        search = DesignPoseSearch(chains, wanted, options, limits_of(moving), tolerance, must_lead)
        found = search.find()
        if found is None:
            raise explain_open_loop(robot, search)
        q[search.seen] = found.q[search.seen]
        if search.requested:
            lead += [names[k] for k in found.lead]
        dropped += [names[k] for k in search.requested if k not in found.lead]
        notes += report(search, found, names, places, robot.element.path.name)
        precision = max(precision, 3.0 * found.error * max(1.0, chains.size))  # norms of three components
    at = dict(zip(names, q.tolist(), strict=True))
    return PosedRobot(at, tuple(lead), tuple(dropped), precision, tuple(notes))


def explain_open_loop(robot: Robot, search: DesignPoseSearch) -> DataError:
    """Return the error for a robot whose loops no pose closes, with the loop that is open furthest."""
    gaps = list(gaps_of(search.chains, search.wanted))
    if not gaps:
        return robot.element.error("no pose was found in which what couples the joints holds; check <mimic>")
    name, gap = max(gaps, key=lambda each: each[1].distance + each[1].angle)
    return robot.loops[name].element.error(
        f"no pose was found in which the loops are closed: of {search.tried} starts none led to one, and "
        f"this loop is open by {gap} in the wanted pose; check its frames, give a pose close to an "
        f"assembled one: pose={{joint: value}}, or a tolerance if the file is no more precise"
    )


def chains_of(robot: Robot, joints: list[RobotJoint], root: str) -> Chains:
    """Return the robot as links, loops and laws; joints with several coordinates are held."""
    number = {root: -1}
    links: list[ChainLink] = []
    column: dict[str, int] = {}
    for joint in joints:
        number[joint.child] = len(links)
        kind = KINDS.get(joint.kind, "still")
        links.append(ChainLink(number[joint.parent], joint.frame, kind, joint.axis))
        if kind != "still":
            column[joint.name] = len(column)
    loops = [
        ChainLoop(
            loop.name,
            "revolute" if loop.kind == "continuous" else loop.kind,
            number[loop.predecessor],
            loop.at_predecessor,
            number[loop.successor],
            loop.at_successor,
            loop.axis,
        )
        for loop in robot.loops.values()
    ]
    return Chains(links, loops, [*laws(joints, column), *ratios(robot, column)])


def ratios(robot: Robot, column: dict[str, int]) -> Iterator[ChainLaw]:
    """Yield the laws of `<coupling>`: Σ q on the way to the successor = ratio × Σ q to the predecessor.

    Joints on the way to both links are left out of the sums.
    """
    for coupling in robot.couplings.values():
        ways = robot.path_to_root(coupling.predecessor), robot.path_to_root(coupling.successor)
        factors = {
            column[name]: factor
            for mine, other, factor in ((ways[0], ways[1], coupling.ratio), (ways[1], ways[0], -1.0))
            for name in mine
            if name not in other and name in column
        }
        if factors:
            yield ChainLaw(tuple(factors), tuple(factors.values()))


def laws(joints: list[RobotJoint], column: dict[str, int]) -> Iterator[ChainLaw]:
    """Yield the laws of `<mimic>` between joints with one coordinate."""
    for joint in joints:
        mimic = joint.mimic
        if mimic is not None and joint.name in column and mimic.joint in column:
            yield ChainLaw(
                (column[joint.name],), (1.0,), column[mimic.joint], (mimic.offset, mimic.multiplier)
            )


def limits_of(joints: list[RobotJoint]) -> Array:
    """Return ranges of the coordinates, infinite where there is none."""
    infinite = (-math.inf, math.inf)
    return np.array(
        [infinite if j.limit is None else (j.limit.lower, j.limit.upper) for j in joints]
    ).reshape(-1, 2)


SHORT = 1e-9
"""Distance of two points that counts as none [m]."""


def with_single_hinges(robot: Robot, whole: Collection[str] = ()) -> Robot:
    """Return the robot with the balls and cardan joints of its loops as single hinges, except those named.

    All but the last stand before links without mass, named after the joint's link: ``link/1``, ``link/2``.
    """
    inside = find_loop_joints(robot) - set(whole)
    joints: dict[str, RobotJoint] = {}
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
            links[link] = RobotLink(robot.links[joint.child].element, link, None)
            joints[hinge] = replace(
                joint, name=hinge, kind="continuous", parent=parent, child=link, frame=frame, axis=axis
            )
            parent, frame = link, WORLD
        joints[name] = replace(joint, kind="continuous", parent=parent, frame=frame, axis=axes[-1])
    return replace(robot, joints=joints, links=links)


def across(direction: Array) -> tuple[Array, Array, Array]:
    """Return three perpendicular axes, the last along a direction."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first = first / np.linalg.norm(first)
    return first, np.cross(direction, first), direction


def direction_of(robot: Robot, joint: RobotJoint) -> Array:
    """Return the direction of the rod at a ball, in the frame of the carried link; z without a rod."""
    along = rod_from(robot, joint.child)
    if along is None:
        for loop in robot.loops.values():
            for end, at, other, at_other in ends_of(loop):
                if end == joint.child and np.linalg.norm(at.r) <= SHORT and loop.kind == "fixed":
                    reached = rod_through(robot, other, at_other)
                    along = None if reached is None else at.R @ at_other.R.T @ reached
    return np.array((0.0, 0.0, 1.0)) if along is None else along


def rod_from(robot: Robot, link: str) -> Array | None:
    """Return the direction from a link's origin to the only other held point; of a slide that it carries."""
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
    """Return the direction of the rod that a frame of a link ends, in the link's axes."""
    for joint in robot.joints.values():
        for name, where in rigid(robot, joint.child):
            if name == link and joint.kind in ("spherical", "cardan"):
                apart = where.r + where.R @ at.r
                if np.linalg.norm(apart) > SHORT:
                    return np.asarray(where.R.T @ apart / np.linalg.norm(apart))
    return None


def rigid(robot: Robot, link: str) -> Iterator[tuple[str, Pose]]:
    """Yield a link and all that is fixed to it outward, with their frames in its own."""
    waiting = [(link, WORLD)]
    while waiting:
        name, at = waiting.pop()
        yield name, at
        waiting += [
            (joint.child, at @ joint.frame)
            for joint in robot.joints.values()
            if joint.parent == name and joint.kind == "fixed"
        ]


def ends_of(loop: RobotLoop) -> tuple[tuple[str, Pose, str, Pose], ...]:
    """Return both ends of a loop, each with the other."""
    a, b = (loop.predecessor, loop.at_predecessor), (loop.successor, loop.at_successor)
    return (*a, *b), (*b, *a)


@dataclass(frozen=True, kw_only=True)
class PoseOptions:
    """Options of a reader that the design pose depends on; `read_urdf` describes them."""

    pose: Mapping[str, float] | None = None
    independent: Collection[str] = ()
    ignore: Collection[str] = ()
    tolerance: float = TOLERANCE

    def check(self, reader: str) -> None:
        """Reject options that no file could take."""
        check_names(f"{reader}: ignore", self.ignore)
        check_names(f"{reader}: independent", self.independent)
        checks.number(f"{reader}: tolerance", self.tolerance, at_least=0.0, at_most=COARSEST)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(PoseOptions):
    """Options of a reader; `read_urdf` describes them."""

    stops: tuple[float, float] | None = None
    right_angles: float = RIGHT_ANGLES
    armature: Mapping[str, float] | None = None

    def check(self, reader: str) -> None:
        super().check(reader)
        if self.stops is not None:
            checks.vector(f"{reader}: stops", self.stops, 2)
        checks.number(
            f"{reader}: right_angles", self.right_angles, at_least=0.0, at_most=MOST_OFF, unit="rad"
        )


class PutTogether(NamedTuple):
    """A robot whose loops have single hinges only, its joints from the root outward, and the design pose."""

    robot: Robot
    joints: list[RobotJoint]
    at: PosedRobot
    frames: dict[str, Pose]


def find_design_frames(
    robot: Robot, options: PoseOptions, motors: Collection[str] = (), base: str = "fixed"
) -> PutTogether:
    """Return frames of all links in the design pose."""
    pose = check_pose(robot, options.pose)
    robot = with_world(robot, base)
    order_joints(robot)
    check_loops(robot)
    robot = with_single_hinges(robot, options.independent)
    joints = order_joints(robot)
    root = root_of(robot)
    at = place_robot(
        robot,
        joints,
        root,
        pose,
        find_leads(options, motors, joints),
        options.tolerance,
        must_lead=bool(options.independent),
    )
    frames = {root: WORLD}
    for joint in joints:
        frames[joint.child] = (
            frames[joint.parent] @ joint.frame @ move_joint(joint, at.q.get(joint.name, 0.0))
        )
    return PutTogether(robot, joints, at, frames)


def find_leads(
    options: PoseOptions, motors: Collection[str], joints: Sequence[RobotJoint]
) -> tuple[str, ...]:
    """Return the independent joints: those requested, else those with motors, else those of the file."""
    declared = tuple(joint.name for joint in joints if joint.independent)
    return tuple(options.independent) or tuple(motors) or declared


def check_pose(robot: Robot, pose: Mapping[str, float] | None) -> dict[str, float]:
    """Return coordinates of joints in the order of the request."""
    if pose is None:
        return {}
    if not isinstance(pose, Mapping):
        raise ModelError(f"read_urdf: pose {checks.show(pose)} must name joints: {{'knee': 0.5}}")
    for name in pose:
        if name not in robot.joints or robot.joints[name].kind not in WITH_COORDINATE:
            known = [joint.name for joint in robot.joints.values() if joint.kind in WITH_COORDINATE]
            raise ModelError(f"read_urdf: pose: {checks.show(name)} is no joint with a coordinate: {known}")
    return {name: checks.number(f"read_urdf: pose[{name!r}]", value) for name, value in pose.items()}
