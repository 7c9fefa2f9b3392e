"""Describes a system before and after embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.state import Entry, join_name
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.closures.leading import LeadCondition
from ce_dynamics.embedding.embed import embed, freedoms_of
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import HingeCoordinate, Turned
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.system import System
from ce_dynamics.views.lines import AggregateLine, BodyLine, CutLine, Lines, Role

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Description(Lines):
    """A system as a spanning tree with cut edges, and as a tree of aggregated bodies; prints as text.

    Attributes are those of `ce_dynamics.views.lines.Lines`.
    """

    def figure(self) -> Figure:
        """Return the drawing of the spanning tree, the cuts, the aggregated bodies and the coordinates.

        Returns
        -------
        matplotlib.figure.Figure
            Save it with its ``savefig``.
        """
        checks.require_plots()
        from ce_dynamics.views.tree import tree_figure  # here, because a printed description needs no plots

        return tree_figure(self)


def describe(system: System) -> Description:
    """Describe a system; one that cannot be embedded is described with the reason why."""
    checks.instance("describe: system", system, System, "a System")
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
        tolerance=system.tolerance,
        assumptions=system.assumptions,
    )


def preorder(system: System) -> list[Body]:
    """Return all bodies, each before what it carries and that before its next sibling."""
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
    """Return the line of one body."""
    hinge = body.inboard
    names = zip(hinge.coordinate_names, hinge.coordinate_units, strict=True)
    return BodyLine(
        name=body.name,
        parent=body.carrier.name,
        depth=body.depth,
        hinge=type(hinge).__name__,
        coordinates=tuple(Entry(join_name(body.name, suffix), unit) for suffix, unit in names),
        role=Role.UNDECIDED if S is None else role(body, S),
        mass=float(nominal(body.mass)),
        aggregate="" if S is None else S.name,
    )


def role(body: Body, S: Aggregate) -> Role:
    """Return the role of the inboard hinge of a body of S."""
    if body in S.prescribed:
        return Role.PRESCRIBED
    if body in S.independent:
        return Role.INDEPENDENT
    return Role.PARTLY if body.name in owners_of(S.leading) else Role.DEPENDENT


def owners_of(leading: Sequence[Written]) -> set[str]:
    """Return bodies whose hinges have components that lead."""
    functions = [lead.function.function for lead in leading if isinstance(lead.function, LeadCondition)]
    return {function.body for function in functions if isinstance(function, (HingeCoordinate, Turned))}


def cut_line(loop: CutEdge, aggregate: str) -> CutLine:
    """Return the line of one cut edge."""
    return CutLine(
        name=loop.name,
        body_a=loop.body_a.name,
        body_b=loop.body_b.name,
        closure=loop.kind,
        rows=loop.rows,
        aggregate=aggregate,
    )


def aggregate_line(system: System, S: Aggregate) -> AggregateLine:
    """Return the line of one aggregated body."""
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
        solved_by=tuple(link.how for link in S.linkages),
        confined=tuple((body.name, ways, body.inboard.n_v) for body, ways in freedoms.confined),
        not_closed=tuple((link.determines, link.why_numeric) for link in S.linkages if link.why_numeric),
    )


def names_of(bodies: Sequence[Body]) -> tuple[str, ...]:
    """Return their names."""
    return tuple(body.name for body in bodies)
