"""Loops and motors given beside a URDF file, which by itself knows trees only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from os import PathLike
from typing import TypeAlias

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import ModelError
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.urdf.additions import Additions, kind_of
from ce_dynamics.readers.urdf.beside_file import from_file
from ce_dynamics.readers.urdf.model import Beside, Robot, UrdfLoop

FramePair: TypeAlias = Sequence[str]
Loops: TypeAlias = str | PathLike[str] | Sequence[FramePair]


def additions(given: Loops | None, ignore: Collection[str]) -> Additions:
    """Loops and motors from a file, or from a list of pairs.

    Raises
    ------
    DataError
        For a file that cannot be read or says what is not known.
    ModelError
        For a list of anything but pairs, or triples, of names.
    """
    if given is None:
        return Additions("loops", ())
    if isinstance(given, (str, PathLike)):
        return from_file(files.path_of("file with loops", given), ignore)
    pairs = []
    for k, item in enumerate(checks.items("read_urdf: loops", given)):
        owner = f"read_urdf: loops[{k}]"
        words = () if isinstance(item, str) else checks.texts(owner, item)
        if len(words) not in (2, 3):
            raise ModelError(f"{owner} {checks.shown(item)} must be two frames, and perhaps '3d' or '6d'")
        pairs.append((words[0], words[1], kind_of(words[2] if len(words) == 3 else "6d", owner, ModelError)))
    return Additions("loops", tuple(pairs))


def with_loops(robot: Robot, beside: Additions) -> Robot:
    """The robot with the loops that are given beside its file.

    Raises
    ------
    DataError
        For a frame that is neither joint nor link, or a motor that is no joint.
    """
    robot = retyped(robot, beside)
    beside = replace(beside, pairs=(*beside.pairs, *numbered(robot, beside)))
    loops = dict(robot.loops)
    for a, b, kind in beside.pairs:
        name = f"{a} to {b}"
        where = Beside(f"{beside.place}, closed loop {name!r}")
        if name in loops:
            raise where.error("is given twice")
        ends = [link_of(robot, frame, where) for frame in (a, b)]
        here = Pose(np.eye(3), np.zeros(3))
        axis = np.array((0.0, 0.0, 1.0))
        loops[name] = UrdfLoop(where, name, kind, ends[0], here, ends[1], here, axis)
    for motor in beside.motors:
        if motor not in robot.joints:
            place = Beside(f"{beside.place}, name_mot")
            raise place.error(f"there is no joint {checks.shown(motor)}")
    return replace(robot, loops=loops)


def numbered(robot: Robot, beside: Additions) -> list[tuple[str, str, str]]:
    """Pairs of links that are, or whose joints are, named by a word and a number.

    Raises
    ------
    DataError
        If a number has not two links.
    """
    word, pairs = beside.part_of_loops, []
    if not word:
        return []
    ends: dict[str, list[str]] = {}
    for name in (*robot.joints, *robot.links):
        found = re.search(rf"{re.escape(word)}(\d+)", name)
        if found is not None:
            link = robot.joints[name].child if name in robot.joints else name
            ends[found[1]] = list(dict.fromkeys((*ends.get(found[1], ()), link)))
    place = Beside(f"{beside.place}, name_closedloop")
    if not ends:
        raise place.error(f"there is no joint or link whose name is {checks.shown(word)} and a number")
    for number, links in ends.items():
        if len(links) != 2:
            raise place.error(
                f"{word}{number} is to close a loop, for which it takes two links; it has {links}"
            )
        pairs.append((links[0], links[1], beside.held))
    return pairs


def named_motors(robot: Robot, beside: Additions) -> tuple[str, ...]:
    """Joints with motors: those that are listed, or of whose names a part is given."""
    part = beside.part_of_motors
    if not part:
        return beside.motors
    return tuple(name for name, joint in robot.joints.items() if part in name and joint.kind != "fixed")


def retyped(robot: Robot, beside: Additions) -> Robot:
    """The robot with joints of the kinds that are given beside its file."""
    joints = dict(robot.joints)
    part = beside.part_of_balls
    balls = [name for name, joint in joints.items() if part and part in name and joint.kind != "fixed"]
    for name, kind in (dict.fromkeys(balls, "spherical") | dict(beside.types)).items():
        place = Beside(f"{beside.place}, joint_name")
        if name not in joints:
            raise place.error(f"there is no joint {checks.shown(name)}")
        if joints[name].mimic is not None:
            raise place.error(
                f"joint {name!r} follows another, which takes one coordinate; leave it as it is"
            )
        kind, _, named = kind.partition(" ")
        joints[name] = replace(joints[name], kind=kind, limit=None)
        if named:
            axes = [np.eye(3)["xyz".index(letter)] for letter in named]
            joints[name] = replace(joints[name], axis=axes[0], second_axis=axes[1])
    return replace(robot, joints=joints)


def link_of(robot: Robot, frame: str, where: Beside) -> str:
    """The link whose frame a name stands for: that of a joint is the frame of the link it carries."""
    joint = robot.joints.get(frame)
    if joint is not None:
        return joint.child
    if frame not in robot.links:
        raise where.error(f"there is no joint or link {checks.shown(frame)}")
    return frame
