"""Values as our data files write them, and the file itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import yaml
from numpy.typing import ArrayLike

from ce_dynamics.models.data.reading import Assignment, DataFile, read_text

Sections: TypeAlias = "dict[str, str | Sections]"


def quantity(value: float, unit: str = "") -> str:
    """A number with its unit; every bit of it."""
    return f"{plain(value)} {unit}".rstrip()


def quantities(values: ArrayLike | Iterable[float], unit: str = "") -> str:
    """A point, a table's column: numbers in brackets, then the unit."""
    numbers = ", ".join(plain(x) for x in np.asarray(values, dtype=float).ravel())
    return f"({numbers}) {unit}".rstrip()


def inertia(J: ArrayLike, note: str = "") -> str:
    """A symmetric matrix: its diagonal, or all six."""
    M = np.asarray(J, dtype=float)
    off = M[0, 1], M[0, 2], M[1, 2]
    if any(off):
        text = quantities((*np.diag(M), *off), "kg*m^2")
    else:
        text = "diag" + quantities(np.diag(M), "kg*m^2")
    return f"{text} [{note}]" if note else text


def as_numbers(node: str | int | Sections) -> object:
    """Texts of bare numbers as numbers, which need no quotes."""
    if isinstance(node, dict):
        return {name: as_numbers(value) for name, value in node.items()}
    if isinstance(node, int):
        return node
    try:
        return float(node)
    except ValueError:
        return node


def plain(value: float) -> str:
    """The shortest decimal of a number; never −0."""
    text = repr(float(value) + 0.0)
    return text[:-2] if text.endswith(".0") else text


def yaml_text(sections: Sections, heading: str = "") -> str:
    """A data file."""
    body: str = yaml.safe_dump(as_numbers(sections), sort_keys=False, allow_unicode=True, width=110, indent=2)
    comment = "".join(f"# {line}".rstrip() + "\n" for line in heading.splitlines())
    return f"{comment}\n{body}" if comment else body


def as_file(text: str, name: str) -> DataFile:
    """A data file written from Chrono's file of a name, after which its numbers are told.

    Its lines are not those of that file.
    """
    file, where = read_text(text, name), f"{name}, as converted"
    words, numbers = (
        [Assignment(key, replace(entry, where=where)) for key, entry in those]
        for those in (file.words, file.assignments)
    )
    return file._replace(words=words, assignments=numbers)
