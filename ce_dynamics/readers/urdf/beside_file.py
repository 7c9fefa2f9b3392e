"""The file with loops and motors beside a URDF file, in the form of example-parallel-robots (Gepetto).

``closed_loop`` lists pairs of frames, each the name of a joint or a link of the URDF file; ``type`` says of
each pair what it holds, ``6d`` all six motions and ``3d`` the three displacements; ``name_mot`` lists the
joints with motors; ``joint_name`` and ``joint_type`` which joints are of another kind than URDF can tell.
Older files say by parts of names what is what: ``name_mot`` is then a text, as are ``rotule_name``, for ball
joints, and ``name_closedloop``, for what closes loops.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import yaml

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError
from ce_dynamics.readers.survey import EVERYTHING
from ce_dynamics.readers.urdf.additions import HELD, Additions, kind_of

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
    others = [str(key) for key in said if key not in (*KEYS, *OLDER_KEYS)]
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
    for k, pair in enumerate(pairs):
        if len(pair) != 2:
            raise DataError(f"{path.name}: closed_loop[{k}] {list(pair)} must be two names of frames")
    kinds = kinds_of(path, said, len(pairs))
    by_part = isinstance(said.get("name_mot"), str)
    return Additions(
        path.name,
        tuple((a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=False)),
        () if by_part else texts(f"{path.name}: name_mot", listed(path, said, "name_mot")),
        types_of(path, said),
        (
            *(f"{path.name}: {key}: left out as asked" for key in others),
            *(f"{path.name}: {key}: not read, as it counts what names say" for key in COUNTS if key in said),
        ),
        part_of(path, said, "name_mot") if by_part else "",
        part_of(path, said, "rotule_name"),
        "" if pairs else part_of(path, said, "name_closedloop"),
        kinds[0],
        tuple(others),
    )


def kinds_of(path: Path, said: Mapping[Any, Any], number: int) -> tuple[str, ...]:
    """Return the kinds of joint of the pairs, one per pair.

    One text holds for all pairs.  Without pairs, the first kind is that of loops found by names of links.
    """
    owner, given = f"{path.name}: type", said.get("type")
    if isinstance(given, str):
        if given.lower() not in HELD:
            raise DataError(f"{owner} {checks.shown(given)} is not known; it must be one of {[*HELD]}")
        return (HELD[given.lower()],) * max(number, 1)
    words = texts(owner, listed(path, said, "type")) or ("6d",) * max(number, 1)
    if number and len(words) != number:
        raise DataError(f"{owner} has {len(words)} words for {number} pairs of closed_loop")
    return tuple(kind_of(word, owner, DataError) for word in words)


def part_of(path: Path, said: Mapping[Any, Any], key: str) -> str:
    """A part of names; empty if it is not there."""
    value = said.get(key, "")
    if not isinstance(value, str) or (key in said and not value.strip()):
        raise DataError(f"{path.name}: {key} {checks.shown(value)} must be a part of names")
    return value


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
