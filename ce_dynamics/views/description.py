"""What a system is made of and what embedding makes of it: for people, as text and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.state import Entry, dotted
from ce_dynamics.embedding.charts.linkage import ChartLinkage
from ce_dynamics.embedding.embed import Aggregate, Embedding, embed, freedoms_of
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.embedding.path.linkage import PathLinkage
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import CutEdge, System

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Role(Enum):
    """What becomes of the coordinates of an inboard hinge."""

    INDEPENDENT = "independent"
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

    @property
    def degrees_of_freedom(self) -> int:
        """Velocities of the hinges less independent conditions."""
        return self.velocities - (self.rows - self.redundant)


@dataclass(frozen=True)
class Description:
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
    """

    name: str
    bodies: tuple[BodyLine, ...]
    cuts: tuple[CutLine, ...]
    aggregates: tuple[AggregateLine, ...]
    degrees_of_freedom: int | None
    problem: str = ""

    def figure(self) -> Figure:
        """Drawing of the spanning tree, the cuts, the aggregated bodies and the coordinates.

        Returns
        -------
        matplotlib.figure.Figure
            Save it with its ``savefig``.
        """
        from ce_dynamics.views.tree import (
            tree_figure,  # here, because a printed description needs no plots
        )

        return tree_figure(self)

    def __str__(self) -> str:
        from ce_dynamics.views.text import as_text

        return as_text(self)

    __repr__ = __str__


def describe(system: System) -> Description:
    """Describe a system; one that cannot be embedded is described with the reason why."""
    embedding: Embedding | None = None
    problem = ""
    try:
        embedding = embed(system)
    except CeDynamicsError as error:
        problem = str(error)
    owner = {} if embedding is None else embedding.owner
    aggregates = () if embedding is None else embedding.aggregates
    owner_of_cut = {loop.name: S.name for S in aggregates for loop in S.closures}
    return Description(
        name=system.name,
        bodies=tuple(body_line(body, owner.get(body.name)) for body in preorder(system)),
        cuts=tuple(cut_line(loop, owner_of_cut.get(loop.name, "")) for loop in system.closures),
        aggregates=tuple(aggregate_line(system, S) for S in aggregates if S.closures),
        degrees_of_freedom=None if embedding is None else embedding.n_v,
        problem=problem,
    )


def preorder(system: System) -> list[Body]:
    """All bodies, each before what it carries and that before its next sibling."""
    children: dict[str, list[Body]] = {}
    for body in system.bodies:
        children.setdefault(body.carrier.name, []).append(body)
    ordered: list[Body] = []
    waiting = [system.ground]
    while waiting:
        body = waiting.pop()
        ordered.append(body)
        waiting += reversed(children.get(body.name, []))
    return ordered[1:]


def body_line(body: Body, S: Aggregate | None) -> BodyLine:
    """The line of one body."""
    hinge = body.inboard
    names = zip(hinge.coordinate_names, hinge.coordinate_units, strict=True)
    return BodyLine(
        name=body.name,
        parent=body.carrier.name,
        depth=body.depth,
        hinge=type(hinge).__name__,
        coordinates=tuple(Entry(dotted(body.name, suffix), unit) for suffix, unit in names),
        role=Role.UNDECIDED if S is None else role(body, S),
        mass=float(nominal(body.mass)),
        aggregate="" if S is None else S.name,
    )


def role(body: Body, S: Aggregate) -> Role:
    """What becomes of the inboard hinge of a body of S."""
    if body in S.prescribed:
        return Role.PRESCRIBED
    return Role.INDEPENDENT if body in S.independent else Role.DEPENDENT


def cut_line(loop: CutEdge, aggregate: str) -> CutLine:
    """The line of one cut edge."""
    return CutLine(
        name=loop.name,
        body_a=loop.body_a.name,
        body_b=loop.body_b.name,
        closure=loop.kind,
        rows=loop.rows,
        aggregate=aggregate,
    )


def aggregate_line(system: System, S: Aggregate) -> AggregateLine:
    """The line of one aggregated body."""
    freedoms = freedoms_of(system, S.bodies, S.closures)
    velocities, rows = int(freedoms.Y.shape[1]), sum(loop.rows for loop in S.closures)
    return AggregateLine(
        name=S.name,
        parent=S.parent.name,
        bodies=names_of(S.bodies),
        closures=tuple(loop.name for loop in S.closures),
        independent=names_of(S.independent),
        prescribed=names_of(S.prescribed),
        dependent=names_of(S.dependent),
        velocities=velocities,
        rows=rows,
        redundant=rows - (velocities - freedoms.number),
        solved_by=tuple(solver(link) for link in S.linkages),
    )


def names_of(bodies: Sequence[Body]) -> tuple[str, ...]:
    """Their names."""
    return tuple(body.name for body in bodies)


def solver(linkage: object) -> str:
    """How a linkage finds the dependent hinges, in words."""
    if isinstance(linkage, NumericLinkage):
        return "numerically"
    if isinstance(linkage, PathLinkage):
        return "along the path of its configurations"
    if isinstance(linkage, ChartLinkage):
        return "on charts of its configurations"
    return f"in closed form by {type(linkage).__name__}"
