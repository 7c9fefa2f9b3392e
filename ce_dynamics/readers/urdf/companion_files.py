"""Loops and motors given in addition to a URDF file, which describes trees only."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import yaml

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.frames import KINDS, Pose
from ce_dynamics.readers.robot import Beside, Robot, RobotLoop
from ce_dynamics.readers.survey import EVERYTHING

HELD = {"3d": "spherical", "6d": "fixed"}
"""Kind of joint for each word for the type of a loop."""


@dataclass(frozen=True)
class Additions:
    """Additions to a URDF file: loops, motors, and joints of other kinds."""

    place: str  # Source of the additions, for messages
    pairs: tuple[tuple[str, str, str], ...]  # Two frames, and the kind of joint that keeps them together
    motors: tuple[str, ...] = ()  # Names of joints
    # Joints of another kind than in the URDF file
    types: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # Notes on parts of the file that were not read
    # part_of_motors, part_of_balls: Parts of the names of joints with motors, and of ball joints; empty for
    # none
    part_of_motors: str = ""
    part_of_balls: str = ""
    part_of_loops: str = ""  # Links whose names begin so, followed by a number, are joined in pairs
    held: str = "fixed"  # Kind of joint that joins those pairs
    others: tuple[str, ...] = ()  # Keys of the file that are not known


def kind_of(word: str, owner: str, error: type[DataError] | type[ModelError]) -> str:
    """Return the kind of joint that a word means."""
    found = HELD.get(word.lower(), word)
    if found not in KINDS:
        raise error(f"{owner} {checks.show(word)} is not known; it must be one of {[*HELD, *KINDS]}")
    return found


LARGEST_FILE = 2**20
"""Bytes of a file with loops."""
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
COUNTS = ("closed_loop_number", "Lidmot", "Lidvmot")
OLDER_KEYS = ("rotule_name", "name_closedloop", *COUNTS)
JOINT_TYPES = {"SPHERICAL": "spherical", "CARDAN": "cardan", "FIXED": "fixed"} | {
    f"UJOINT_{first}{second}": f"cardan {first}{second}".lower() for first, second in permutations("XYZ", 2)
}
"""Kind of joint for each word of ``joint_type``.

The axes of a cardan joint are x and y of its frame; those of a universal joint are the named ones, from the
carrier outward."""


def from_file(path: Path, ignore: Collection[str]) -> Additions:
    """Return the content of a YAML file."""
    content = files.read("file with loops", path, LARGEST_FILE)
    try:
        entries = yaml.safe_load(content.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise DataError(f"{path.name}: lists stand too deep in one another") from error
    if not isinstance(entries, Mapping):
        raise DataError(f"{path.name}: must be a mapping with {', '.join(KEYS)}")
    others = [str(key) for key in entries if key not in (*KEYS, *OLDER_KEYS)]
    refused = [key for key in others if key not in ignore and EVERYTHING not in ignore]
    if refused:
        raise DataError(
            f"{path.name}: {', '.join(map(checks.show, refused))} not known; it may hold {', '.join(KEYS)}; "
            f"leave it out of the model with ignore={set(refused)!r}"
        )
    pairs = [
        texts(f"{path.name}: closed_loop[{k}]", pair)
        for k, pair in enumerate(read_list(path, entries, "closed_loop"))
    ]
    for k, pair in enumerate(pairs):
        if len(pair) != 2:
            raise DataError(f"{path.name}: closed_loop[{k}] {list(pair)} must be two names of frames")
    kinds = kinds_of(path, entries, len(pairs))
    by_part = isinstance(entries.get("name_mot"), str)
    return Additions(
        path.name,
        tuple((a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=False)),
        () if by_part else texts(f"{path.name}: name_mot", read_list(path, entries, "name_mot")),
        types_of(path, entries),
        (
            *(f"{path.name}: {key}: left out as asked" for key in others),
            *(f"{path.name}: {key}: not read, as names give it" for key in COUNTS if key in entries),
        ),
        part_of(path, entries, "name_mot") if by_part else "",
        part_of(path, entries, "rotule_name"),
        "" if pairs else part_of(path, entries, "name_closedloop"),
        kinds[0],
        tuple(others),
    )


def kinds_of(path: Path, content: Mapping[Any, Any], number: int) -> tuple[str, ...]:
    """Return the kinds of joint of the pairs, one per pair.

    One text holds for all pairs.  Without pairs, the first kind is that of loops found by names of links.
    """
    owner, given = f"{path.name}: type", content.get("type")
    if isinstance(given, str):
        if given.lower() not in HELD:
            raise DataError(f"{owner} {checks.show(given)} is not known; it must be one of {[*HELD]}")
        return (HELD[given.lower()],) * max(number, 1)
    words = texts(owner, read_list(path, content, "type")) or ("6d",) * max(number, 1)
    if number and len(words) != number:
        raise DataError(f"{owner} has {len(words)} words for {number} pairs of closed_loop")
    return tuple(kind_of(word, owner, DataError) for word in words)


def part_of(path: Path, content: Mapping[Any, Any], key: str) -> str:
    """Return a part of names; empty if it is not there."""
    value = content.get(key, "")
    if not isinstance(value, str) or (key in content and not value.strip()):
        raise DataError(f"{path.name}: {key} {checks.show(value)} must be a part of names")
    return value


def types_of(path: Path, content: Mapping[Any, Any]) -> dict[str, str]:
    """Return joints and the kinds that they are to be of."""
    names, words = (
        texts(f"{path.name}: {key}", read_list(path, content, key)) for key in ("joint_name", "joint_type")
    )
    if len(names) != len(words):
        raise DataError(
            f"{path.name}: joint_type has {len(words)} words for {len(names)} joints of joint_name"
        )
    for word in words:
        if word.upper() not in JOINT_TYPES:
            raise DataError(
                f"{path.name}: joint_type {checks.show(word)} is not known; it must be one of "
                f"{[*JOINT_TYPES]}"
            )
    return {name: JOINT_TYPES[word.upper()] for name, word in zip(names, words, strict=True)}


def read_list(path: Path, content: Mapping[Any, Any], key: str) -> list[Any]:
    """Return a list of the file; empty if it is not there."""
    value = content.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise DataError(f"{path.name}: {key} {checks.show(value)} must be a list")
    return value


def texts(owner: str, values: Any) -> tuple[str, ...]:
    """Return names of the file."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DataError(f"{owner} {checks.show(values)} must be a list of names")
    return tuple(values)


FramePair: TypeAlias = Sequence[str]
Loops: TypeAlias = str | PathLike[str] | Sequence[FramePair]


def additions(given: Loops | None, ignore: Collection[str]) -> Additions:
    """Return loops and motors from a file, or from a list of pairs."""
    if given is None:
        return Additions("loops", ())
    if isinstance(given, (str, PathLike)):
        return from_file(files.path_of("file with loops", given), ignore)
    pairs = []
    for k, item in enumerate(checks.items("read_urdf: loops", given)):
        owner = f"read_urdf: loops[{k}]"
        words = () if isinstance(item, str) else checks.texts(owner, item)
        if len(words) not in (2, 3):
            raise ModelError(f"{owner} {checks.show(item)} must be two frames, and perhaps '3d' or '6d'")
        pairs.append((words[0], words[1], kind_of(words[2] if len(words) == 3 else "6d", owner, ModelError)))
    return Additions("loops", tuple(pairs))


def with_loops(robot: Robot, beside: Additions) -> Robot:
    """Return the robot with the loops that are given beside its file."""
    robot = retype_joints(robot, beside)
    beside = replace(beside, pairs=(*beside.pairs, *find_numbered_pairs(robot, beside)))
    loops = dict(robot.loops)
    for a, b, kind in beside.pairs:
        name = f"{a} to {b}"
        where = Beside(f"{beside.place}, closed loop {name!r}")
        if name in loops:
            raise where.error("is given twice")
        ends = [link_of(robot, frame, where) for frame in (a, b)]
        here = Pose(np.eye(3), np.zeros(3))
        axis = np.array((0.0, 0.0, 1.0))
        loops[name] = RobotLoop(where, name, kind, ends[0], here, ends[1], here, axis)
    for motor in beside.motors:
        if motor not in robot.joints:
            place = Beside(f"{beside.place}, name_mot")
            raise place.error(f"there is no joint {checks.show(motor)}")
    return replace(robot, loops=loops)


def find_numbered_pairs(robot: Robot, beside: Additions) -> list[tuple[str, str, str]]:
    """Return pairs of links that are, or whose joints are, named by a word and a number."""
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
        raise place.error(f"there is no joint or link whose name is {checks.show(word)} and a number")
    for number, links in ends.items():
        if len(links) != 2:
            raise place.error(
                f"{word}{number} is to close a loop, for which it takes two links; it has {links}"
            )
        pairs.append((links[0], links[1], beside.held))
    return pairs


def find_motors(robot: Robot, beside: Additions) -> tuple[str, ...]:
    """Return joints with motors: those that are listed, or of whose names a part is given."""
    part = beside.part_of_motors
    if not part:
        return beside.motors
    return tuple(name for name, joint in robot.joints.items() if part in name and joint.kind != "fixed")


def retype_joints(robot: Robot, beside: Additions) -> Robot:
    """Return the robot with joints of the kinds that are given beside its file."""
    joints = dict(robot.joints)
    part = beside.part_of_balls
    balls = [name for name, joint in joints.items() if part and part in name and joint.kind != "fixed"]
    for name, kind in (dict.fromkeys(balls, "spherical") | dict(beside.types)).items():
        place = Beside(f"{beside.place}, joint_name")
        if name not in joints:
            raise place.error(f"there is no joint {checks.show(name)}")
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
    """Return the link whose frame a name stands for: that of a joint is the frame of the link it carries."""
    joint = robot.joints.get(frame)
    if joint is not None:
        return joint.child
    if frame not in robot.links:
        raise where.error(f"there is no joint or link {checks.show(frame)}")
    return frame
