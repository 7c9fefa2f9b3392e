"""The description of a system as data and as text: its tree, cuts, aggregated bodies and freedoms."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ce_dynamics.dynamics.state import Entry
from ce_dynamics.mechanism.assumptions import TOLERANCE, Assumption


class Role(Enum):
    """Role of the coordinates of an inboard hinge in the embedding."""

    INDEPENDENT = "independent"
    PARTLY = "partly independent"  # components of it lead, the others follow
    DEPENDENT = "dependent"
    PRESCRIBED = "prescribed"
    UNDECIDED = "undecided"  # of a system that cannot be embedded


@dataclass(frozen=True)
class BodyLine:
    """A body of the spanning tree with its inboard hinge."""

    name: str
    parent: str
    depth: int  # Number of hinges between it and the ground
    hinge: str  # Type of the inboard hinge
    coordinates: tuple[Entry, ...]  # Names and units of the hinge's coordinates
    role: Role
    mass: float  # [kg]; of a free parameter its default
    # Name of the aggregated body it belongs to: that body's first; empty if the system cannot be embedded
    aggregate: str


@dataclass(frozen=True)
class CutLine:
    """A cut edge of the spanning tree."""

    name: str
    body_a: str
    body_b: str
    closure: str  # Type of what closes the loop
    rows: int  # Number of scalar conditions
    aggregate: str  # Name of the aggregated body it belongs to; empty if the system cannot be embedded


@dataclass(frozen=True)
class AggregateLine:
    """An aggregated body that has closures."""

    name: str
    parent: str
    bodies: tuple[str, ...]
    closures: tuple[str, ...]
    independent: tuple[str, ...]  # Bodies by the role of their inboard hinges
    prescribed: tuple[str, ...]  # Bodies by the role of their inboard hinges
    dependent: tuple[str, ...]  # Bodies by the role of their inboard hinges
    velocities: int  # Number of velocities of all unprescribed hinges of the sub-graph
    rows: int  # Number of closure conditions
    redundant: int  # How many of them the others imply in the design pose
    solved_by: tuple[str, ...]  # Linkages that find the dependent hinges
    # Hinges that the closures leave fewer ways to move than they have, though not none: how many of how
    # many
    confined: tuple[tuple[str, int, int], ...] = ()
    # Hinges that are found numerically, and why they are
    not_closed: tuple[tuple[tuple[str, ...], str], ...] = ()

    @property
    def degrees_of_freedom(self) -> int:
        """Velocities of the hinges less independent conditions."""
        return self.velocities - (self.rows - self.redundant)


@dataclass(frozen=True, repr=False)
class Lines:
    """A system as a spanning tree with cut edges, and as a tree of aggregated bodies; prints as text.

    Attributes
    ----------
    name : str
    bodies : tuple of BodyLine
        In the order of the tree, every body after its parent and before its parent's next child.
    cuts : tuple of CutLine
    aggregates : tuple of AggregateLine
        Those with closures; every other body is one of its own.
    degrees_of_freedom : int or None
        Of the whole system; None if it cannot be embedded.
    problem : str
        Why it cannot be embedded; empty if it can.
    tolerance : float
        Precision of the geometry [rad, or sizes of a loop].
    assumptions : tuple of Assumption
        Axes and points that were taken as exactly what they are within the tolerance, or that were not.
    """

    name: str
    bodies: tuple[BodyLine, ...]
    cuts: tuple[CutLine, ...]
    aggregates: tuple[AggregateLine, ...]
    degrees_of_freedom: int | None
    problem: str = ""
    tolerance: float = TOLERANCE
    assumptions: tuple[Assumption, ...] = ()

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def as_text(description: Lines) -> str:
    """Return the whole description."""
    parts = [heading(description), "", *table(tree_rows(description))]
    if description.cuts:
        parts += ["", "cut edges", *table(cut_rows(description))]
    if description.aggregates:
        parts += ["", "aggregated bodies"]
        for line in description.aggregates:
            parts += aggregate_lines(line)
    if description.assumptions:
        parts += ["", f"geometry, to within {description.tolerance:g} rad or sizes of its loop"]
        parts += [f"  {assumption}" for assumption in description.assumptions]
    if description.problem:
        parts += ["", f"cannot be embedded: {description.problem}"]
    return "\n".join(parts)


def heading(description: Lines) -> str:
    """Name and numbers of the parts."""
    n = description.degrees_of_freedom
    numbers = [
        format_count(len(description.bodies), "body", "bodies"),
        format_count(len(description.cuts), "cut edge"),
        "degrees of freedom unknown"
        if n is None
        else format_count(n, "degree of freedom", "degrees of freedom"),
    ]
    return f"{description.name}: " + ", ".join(numbers)


def tree_rows(description: Lines) -> list[list[str]]:
    """Return one row for every body, indented as the tree is."""
    rows = [["spanning tree", "hinge", "coordinates", "role", "mass, kg", "aggregated body"], ["ground"]]
    branches = tree_branches([line.depth for line in description.bodies])
    for line, branch in zip(description.bodies, branches, strict=True):
        rows.append(
            [
                branch + line.name,
                line.hinge,
                coordinates(line) if line.role is Role.INDEPENDENT else "",
                line.role.value,
                f"{line.mass:g}",
                line.aggregate if line.aggregate != line.name or is_shared(description, line.name) else "",
            ]
        )
    return rows


def coordinates(line: BodyLine) -> str:
    """Return the coordinates of a hinge, those of one unit together: ``x, y, z [m]``."""
    units = dict.fromkeys(entry.unit for entry in line.coordinates)
    names = {
        unit: ", ".join(
            entry.name.removeprefix(f"{line.name}.") for entry in line.coordinates if entry.unit == unit
        )
        for unit in units
    }
    return "; ".join(f"{names[unit]} [{unit}]" for unit in units)


def is_shared(description: Lines, name: str) -> bool:
    """Return True if several bodies belong to the aggregated body of that name."""
    return any(line.name == name for line in description.aggregates)


def tree_branches(depths: Sequence[int]) -> list[str]:
    """Return the branch lines before each name of a tree in preorder, from the depths (1: outermost)."""
    branches = []
    for k, depth in enumerate(depths):
        marks = ["│  " if continues(depths, k, level) else "   " for level in range(1, depth)]
        branches.append("".join(marks) + ("├─ " if continues(depths, k, depth) else "└─ "))
    return branches


def continues(depths: Sequence[int], k: int, level: int) -> bool:
    """Return True if another branch of ``level`` follows below row k, before any row of lower depth."""
    for depth in depths[k + 1 :]:
        if depth < level:
            return False
        if depth == level:
            return True
    return False


def cut_rows(description: Lines) -> list[list[str]]:
    """Return one row for every cut edge."""
    return [
        ["  " + cut.name, f"{cut.body_a} – {cut.body_b}", cut.closure, format_count(cut.rows, "condition")]
        for cut in description.cuts
    ]


def aggregate_lines(line: AggregateLine) -> list[str]:
    """Return the lines of an aggregated body: bodies, closures, freedoms and hinges by role."""
    redundant = f" − {line.redundant} redundant" if line.redundant else ""
    count = (
        f"{line.velocities} hinge velocities − ({line.rows} conditions{redundant})"
        if redundant
        else f"{line.velocities} hinge velocities − {line.rows} conditions"
    )
    parts = [
        f"  {line.name} on {line.parent}: {', '.join(line.bodies)}",
        f"    closed by    {', '.join(line.closures)}",
        f"    freedoms     {count} = {line.degrees_of_freedom}",
    ]
    for title, names in (
        ("independent", line.independent),
        ("prescribed", line.prescribed),
        ("dependent", line.dependent),
    ):
        if names:
            how = f", found {' and '.join(line.solved_by)}" if title == "dependent" and line.solved_by else ""
            parts.append(f"    {title:<12} {', '.join(names)}{how}")
    for names, why in line.not_closed:
        which = f"{', '.join(names)}: " if len(line.solved_by) > 1 else ""
        parts.append(f"    no formula   {which}{why}")
    if line.confined:
        held = (f"{name} moves in {ways} of {n} ways" for name, ways, n in line.confined)
        parts.append(f"    held in part {', '.join(held)}")
    return parts


def format_count(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows in aligned columns; columns that hold nothing below the heading are left out."""
    columns = max(len(row) for row in rows)
    full = [[*row, *[""] * (columns - len(row))] for row in rows]
    kept = [k for k in range(columns) if k == 0 or any(row[k] for row in full[1:]) or len(rows) == 1]
    return align_columns([[row[k] for k in kept] for row in full])


def align_columns(rows: Sequence[Sequence[str]], right: bool = False) -> list[str]:
    """Return lines of columns, the first left-aligned; the others too, or to the ``right``."""
    widths = [max(map(measure_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - measure_width(text)) for text, width in zip(row, widths, strict=True)]
        cells = (
            gap + text if right and k else text + gap
            for k, (text, gap) in enumerate(zip(row, gaps, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    return lines


def measure_width(text: str) -> int:
    """Return the number of characters side by side: combining ones (tildes, dots) do not count."""
    return sum(unicodedata.combining(character) == 0 for character in text)
