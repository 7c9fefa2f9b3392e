"""Loops and motors given beside a URDF file, which by itself knows trees only.

The form is that of example-parallel-robots (Gepetto): ``closed_loop`` lists pairs of frames, each the name of
a joint or a link of the file; ``type`` says of each pair what it holds, ``6d`` all six motions and ``3d`` the
three displacements; ``name_mot`` lists the joints with motors; ``joint_name`` and ``joint_type`` which joints
are of another kind than the format can tell.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import yaml

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.closures import KINDS
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.survey import EVERYTHING
from ce_dynamics.readers.urdf.model import Beside, Robot, UrdfLoop

LARGEST_FILE = 2**20
"""Bytes of a file with loops."""
HELD = {"3d": "spherical", "6d": "fixed"}
"""What the words for the types of a loop mean."""
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
JOINT_TYPES = {"SPHERICAL": "spherical", "CARDAN": "cardan", "FIXED": "fixed"}
"""What ``joint_type`` makes of the joints of ``joint_name``; the axes of a cardan joint are its x and y."""
SETTINGS = ("rotor_inertia", "gear_ratio", "damping", "friction", "armature")
"""Keys for numbers of the motors, which are refused: a robot with them is another one."""

FramePair: TypeAlias = Sequence[str]
Loops: TypeAlias = str | PathLike[str] | Sequence[FramePair]


@dataclass(frozen=True)
class Additions:
    """What is given beside a file.

    Attributes
    ----------
    place : str
        Where, for messages.
    pairs : tuple of (str, str, str)
        Two frames, and the kind of joint that keeps them together.
    motors : tuple of str
        Names of joints.
    types : mapping of str to str
        Joints that are of another kind than the URDF says.
    notes : tuple of str
        What was read past.
    """

    place: str
    pairs: tuple[tuple[str, str, str], ...]
    motors: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


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


def from_file(path: Path, ignore: Collection[str]) -> Additions:
    """The content of a YAML file."""
    content = files.read("file with loops", path, LARGEST_FILE)
    try:
        said = yaml.safe_load(content.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise DataError(f"{path.name}: lists stand too deep in one another") from error
    if not isinstance(said, Mapping):
        raise DataError(f"{path.name}: must be a mapping with {', '.join(KEYS)}")
    others = [str(key) for key in said if key not in KEYS]
    refused = [key for key in others if key not in ignore and EVERYTHING not in ignore]
    if refused:
        raise DataError(
            f"{path.name}: {', '.join(map(checks.shown, refused))} not known; it may hold {', '.join(KEYS)}; "
            f"leave it out of the model with ignore={set(refused)!r}"
        )
    pairs = [
        texts(f"{path.name}: closed_loop[{k}]", pair)
        for k, pair in enumerate(listed(path, said, "closed_loop"))
    ]
    kinds = texts(f"{path.name}: type", listed(path, said, "type")) or ("6d",) * len(pairs)
    if len(kinds) != len(pairs):
        raise DataError(f"{path.name}: type has {len(kinds)} words for {len(pairs)} pairs of closed_loop")
    for k, pair in enumerate(pairs):
        if len(pair) != 2:
            raise DataError(f"{path.name}: closed_loop[{k}] {list(pair)} must be two names of frames")
    return Additions(
        path.name,
        tuple(
            (pair[0], pair[1], kind_of(kind, f"{path.name}: type", DataError))
            for pair, kind in zip(pairs, kinds, strict=True)
        ),
        texts(f"{path.name}: name_mot", listed(path, said, "name_mot")),
        types_of(path, said),
        tuple(f"{path.name}: {key}: left out as asked" for key in others),
    )


def types_of(path: Path, said: Mapping[Any, Any]) -> dict[str, str]:
    """Joints and the kinds that they are to be of."""
    names, words = (
        texts(f"{path.name}: {key}", listed(path, said, key)) for key in ("joint_name", "joint_type")
    )
    if len(names) != len(words):
        raise DataError(
            f"{path.name}: joint_type has {len(words)} words for {len(names)} joints of joint_name"
        )
    for word in words:
        if word.upper() not in JOINT_TYPES:
            raise DataError(
                f"{path.name}: joint_type {checks.shown(word)} is not known; it must be one of "
                f"{[*JOINT_TYPES]}"
            )
    return {name: JOINT_TYPES[word.upper()] for name, word in zip(names, words, strict=True)}


def listed(path: Path, said: Mapping[Any, Any], key: str) -> list[Any]:
    """A list of the file; empty if it is not there."""
    value = said.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise DataError(f"{path.name}: {key} {checks.shown(value)} must be a list")
    return value


def texts(owner: str, values: Any) -> tuple[str, ...]:
    """Names of the file."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DataError(f"{owner} {checks.shown(values)} must be a list of names")
    return tuple(values)


def kind_of(word: str, owner: str, error: type[DataError] | type[ModelError]) -> str:
    """The kind of joint that a word means."""
    found = HELD.get(word.lower(), word)
    if found not in KINDS:
        raise error(f"{owner} {checks.shown(word)} is not known; it must be one of {[*HELD, *KINDS]}")
    return found


def with_loops(robot: Robot, beside: Additions) -> Robot:
    """The robot with the loops that are given beside its file.

    Raises
    ------
    DataError
        For a frame that is neither joint nor link, or a motor that is no joint.
    """
    robot = retyped(robot, beside)
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


def retyped(robot: Robot, beside: Additions) -> Robot:
    """The robot with joints of the kinds that are given beside its file."""
    joints = dict(robot.joints)
    for name, kind in beside.types.items():
        place = Beside(f"{beside.place}, joint_name")
        if name not in joints:
            raise place.error(f"there is no joint {checks.shown(name)}")
        if joints[name].mimic is not None:
            raise place.error(
                f"joint {name!r} follows another, which takes one coordinate; leave it as it is"
            )
        joints[name] = replace(joints[name], kind=kind, limit=None)
    return replace(robot, joints=joints)


def link_of(robot: Robot, frame: str, where: Beside) -> str:
    """The link whose frame a name stands for: that of a joint is the frame of the link it carries."""
    joint = robot.joints.get(frame)
    if joint is not None:
        return joint.child
    if frame not in robot.links:
        raise where.error(f"there is no joint or link {checks.shown(frame)}")
    return frame
