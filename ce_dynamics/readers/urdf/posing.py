"""The pose in which a URDF robot is put together: zero, the one that is wanted, or one that is found."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.chains import ChainLaw, ChainLink, ChainLoop, Chains, parts, turns
from ce_dynamics.readers.closures import ROUNDING
from ce_dynamics.readers.design_pose import DesignPoseSearch
from ce_dynamics.readers.pose import WORLD, Pose
from ce_dynamics.readers.posing import gaps_of, report
from ce_dynamics.readers.urdf.model import WITH_COORDINATE, Robot, UrdfJoint

KINDS = {"revolute": "turn", "continuous": "turn", "prismatic": "slide"}


@dataclass(frozen=True)
class PosedRobot:
    """Coordinates of the joints in the design pose, and which of them are to lead.

    Attributes
    ----------
    q : dict of str to float
        By the name of the joint.
    lead : tuple of str
        Joints of the loops whose coordinates are independent: those wished for, and others with them.
    dropped : tuple of str
        Joints wished for that cannot lead beside the others.
    precision : float
        Frames that are no farther apart in the design pose are taken to meet [m and rad].
    notes : tuple of str
    """

    q: dict[str, float] = field(default_factory=dict)
    lead: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    precision: float = ROUNDING
    notes: tuple[str, ...] = ()


def move_joint(joint: UrdfJoint, q: float) -> Pose:
    """The pose of a joint's child in the joint's frame at a coordinate."""
    if q == 0.0:
        return WORLD
    if joint.kind == "prismatic":
        return Pose(np.eye(3), q * joint.axis)
    return Pose(turns(joint.axis, np.array((q,)))[0], np.zeros(3))


def place_robot(
    robot: Robot,
    joints: list[UrdfJoint],
    root: str,
    pose: Mapping[str, float],
    wished: Collection[str],
    tolerance: float,
    must_lead: bool,
) -> PosedRobot:
    """Return the design pose of a robot whose loops are known; for the last arguments see `DesignPoseSearch`.

    Raises
    ------
    DataError
        If no pose is found in which the loops are closed.
    """
    moving = [joint for joint in joints if joint.kind in WITH_COORDINATE]
    wanted = np.array([pose.get(joint.name, 0.0) for joint in moving])
    if not robot.loops:
        return PosedRobot({joint.name: value for joint, value in zip(moving, wanted.tolist(), strict=True)})
    names = [joint.name for joint in moving]
    wishes = [k for k, name in enumerate(names) if name in wished]
    q, precision = wanted.copy(), ROUNDING
    lead: list[str] = []
    dropped: list[str] = []
    notes: list[str] = []
    places = {name: loop.element.place for name, loop in robot.loops.items()}
    for chains in parts(chains_of(robot, joints, root)):
        search = DesignPoseSearch(chains, wanted, wishes, limits_of(moving), tolerance, must_lead)
        found = search.find()
        if found is None:
            raise explain_open_loop(robot, search)
        q[search.seen] = found.q[search.seen]
        if search.wished:
            lead += [names[k] for k in found.lead]
        dropped += [names[k] for k in search.wished if k not in found.lead]
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


def chains_of(robot: Robot, joints: list[UrdfJoint], root: str) -> Chains:
    """The robot as links, loops and laws; what has several coordinates is held."""
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
    return Chains(links, loops, [*laws(joints, column), *ratios(robot, joints, column)])


def ratios(robot: Robot, joints: list[UrdfJoint], column: dict[str, int]) -> Iterator[ChainLaw]:
    """Yield the laws of `<coupling>`: Σ q on the way to the successor = ratio × Σ q to the predecessor.

    Joints on the way to both links are left out of the sums.
    """
    carrier = {joint.child: joint for joint in joints}

    def way(link: str) -> list[str]:
        found = []
        while link in carrier:
            found.append(carrier[link].name)
            link = carrier[link].parent
        return found

    for coupling in robot.couplings.values():
        ways = way(coupling.predecessor), way(coupling.successor)
        factors = {
            column[name]: factor
            for mine, other, factor in ((ways[0], ways[1], coupling.ratio), (ways[1], ways[0], -1.0))
            for name in mine
            if name not in other and name in column
        }
        if factors:
            yield ChainLaw(tuple(factors), tuple(factors.values()))


def laws(joints: list[UrdfJoint], column: dict[str, int]) -> Iterator[ChainLaw]:
    """Yield the laws of `<mimic>` between joints with one coordinate."""
    for joint in joints:
        mimic = joint.mimic
        if mimic is not None and joint.name in column and mimic.joint in column:
            yield ChainLaw(
                (column[joint.name],), (1.0,), column[mimic.joint], (mimic.offset, mimic.multiplier)
            )


def limits_of(joints: list[UrdfJoint]) -> Array:
    """Ranges of the coordinates, infinite where there is none."""
    infinite = (-math.inf, math.inf)
    return np.array(
        [infinite if j.limit is None else (j.limit.lower, j.limit.upper) for j in joints]
    ).reshape(-1, 2)


def check_pose(robot: Robot, pose: Mapping[str, float] | None) -> dict[str, float]:
    """Coordinates of joints as a caller wants them.

    Raises
    ------
    ModelError
        For a joint that does not exist or has not one coordinate, or a value that is no finite number.
    """
    if pose is None:
        return {}
    if not isinstance(pose, Mapping):
        raise ModelError(f"read_urdf: pose {checks.show(pose)} must name joints: {{'knee': 0.5}}")
    for name in pose:
        if name not in robot.joints or robot.joints[name].kind not in WITH_COORDINATE:
            known = [joint.name for joint in robot.joints.values() if joint.kind in WITH_COORDINATE]
            raise ModelError(f"read_urdf: pose: {checks.show(name)} is no joint with a coordinate: {known}")
    return {name: checks.number(f"read_urdf: pose[{name!r}]", value) for name, value in pose.items()}
