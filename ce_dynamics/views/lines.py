"""Data model of the description of a system: its bodies, cuts and aggregated bodies."""

from __future__ import annotations

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
    """A body of the spanning tree with its inboard hinge.

    Attributes
    ----------
    name, parent : str
    depth : int
        Number of hinges between it and the ground.
    hinge : str
        Type of the inboard hinge.
    coordinates : tuple of Entry
        Names and units of the hinge's coordinates.
    role : Role
    mass : float
        [kg]; of a free parameter its default.
    aggregate : str
        Name of the aggregated body it belongs to: that body's first; empty if the system cannot be embedded.
    """

    name: str
    parent: str
    depth: int
    hinge: str
    coordinates: tuple[Entry, ...]
    role: Role
    mass: float
    aggregate: str


@dataclass(frozen=True)
class CutLine:
    """A cut edge of the spanning tree.

    Attributes
    ----------
    name, body_a, body_b : str
    closure : str
        Type of what closes the loop.
    rows : int
        Number of scalar conditions.
    aggregate : str
        Name of the aggregated body it belongs to; empty if the system cannot be embedded.
    """

    name: str
    body_a: str
    body_b: str
    closure: str
    rows: int
    aggregate: str


@dataclass(frozen=True)
class AggregateLine:
    """An aggregated body that has closures.

    Attributes
    ----------
    name, parent : str
    bodies, closures : tuples of str
    independent, prescribed, dependent : tuples of str
        Bodies by the role of their inboard hinges.
    velocities : int
        Number of velocities of all unprescribed hinges of the sub-graph.
    rows : int
        Number of closure conditions.
    redundant : int
        How many of them the others imply in the design pose.
    solved_by : tuple of str
        Linkages that find the dependent hinges.
    not_closed : tuple of (tuple of str, str)
        Hinges that are found numerically, and why they are.
    confined : tuple of (str, int, int)
        Hinges that the closures leave fewer ways to move than they have, though not none: how many of how
        many.
    """

    name: str
    parent: str
    bodies: tuple[str, ...]
    closures: tuple[str, ...]
    independent: tuple[str, ...]
    prescribed: tuple[str, ...]
    dependent: tuple[str, ...]
    velocities: int
    rows: int
    redundant: int
    solved_by: tuple[str, ...]
    confined: tuple[tuple[str, int, int], ...] = ()
    not_closed: tuple[tuple[tuple[str, ...], str], ...] = ()

    @property
    def degrees_of_freedom(self) -> int:
        """Velocities of the hinges less independent conditions."""
        return self.velocities - (self.rows - self.redundant)


@dataclass(frozen=True)
class Lines:
    """A system as a spanning tree with cut edges, and as a tree of aggregated bodies.

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
