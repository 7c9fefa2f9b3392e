"""Values as written, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

OVERRIDE = "override"
"""Source and place of a value given on the command line or in a call."""


@dataclass(frozen=True)
class Entry:
    """A value as written, with its source, its note (``[source; note]``) and the place where it stands."""

    value: object
    source: str
    where: str
    note: str = ""


class Assignment(NamedTuple):
    """One ``key = value`` of a layer."""

    key: tuple[str, ...]
    entry: Entry


Tree: TypeAlias = "dict[str, Tree | Entry]"
"""Entries by key, section by section."""
