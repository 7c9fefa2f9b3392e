"""Reads additions to a URDF file: loops, motors, and joints of other kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.closures import KINDS

HELD = {"3d": "spherical", "6d": "fixed"}
"""Kind of joint for each word for the type of a loop."""


@dataclass(frozen=True)
class Additions:
    """Additions to a URDF file: loops, motors, and joints of other kinds.

    Attributes
    ----------
    place : str
        Source of the additions, for messages.
    pairs : tuple of (str, str, str)
        Two frames, and the kind of joint that keeps them together.
    motors : tuple of str
        Names of joints.
    types : mapping of str to str
        Joints that are of another kind than the URDF says.
    part_of_motors, part_of_balls : str
        Parts of the names of joints with motors, and of ball joints; empty for none.
    part_of_loops : str
        Links whose names begin so, followed by a number, are joined in pairs.
    held : str
        Kind of joint that joins those pairs.
    others : tuple of str
        Keys of the file that are not known.
    notes : tuple of str
        Notes on parts of the file that were not read.
    """

    place: str
    pairs: tuple[tuple[str, str, str], ...]
    motors: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    part_of_motors: str = ""
    part_of_balls: str = ""
    part_of_loops: str = ""
    held: str = "fixed"
    others: tuple[str, ...] = ()


def kind_of(word: str, owner: str, error: type[DataError] | type[ModelError]) -> str:
    """The kind of joint that a word means."""
    found = HELD.get(word.lower(), word)
    if found not in KINDS:
        raise error(f"{owner} {checks.show(word)} is not known; it must be one of {[*HELD, *KINDS]}")
    return found
