"""Selects the linkages that find the dependent hinges of an aggregated body, and their order.

Couplings are solved in closed form where possible.  Couplings that need only given hinges come first;
couplings on which no loop depends come last.  All other couplings are solved numerically, together with the
geometric closures.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

from ce_dynamics.embedding.blocks import blocks
from ce_dynamics.embedding.closed_forms.leg import LegLinkage
from ce_dynamics.embedding.closed_forms.on_branch import OnBranch
from ce_dynamics.embedding.closed_forms.peel import Peel, PeelLinkage
from ce_dynamics.embedding.closed_forms.planar import planar_dyad
from ce_dynamics.embedding.closed_forms.rod import RodJoints, RodLinkage
from ce_dynamics.embedding.closed_forms.spherical_dyad import spherical_dyad
from ce_dynamics.embedding.closed_forms.step import InnerLinkage
from ce_dynamics.embedding.closed_forms.turn_to_length import turn_to_length
from ce_dynamics.embedding.closed_forms.without_legs import (
    WithoutLegs,
    explain_no_formula,
    is_certain,
    remove_legs,
    select_with_slides,
)
from ce_dynamics.embedding.closures.equal_loops import known_loops, shape_of
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.couplings_solved import CoupledHinges, CouplingPlan, find_implied, plan_couplings
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coupled, couplings_in
from ce_dynamics.mechanism.couplings.cut_edge import joints_in

if TYPE_CHECKING:
    from ce_dynamics.embedding.aggregate import Aggregate
    from ce_dynamics.mechanism.couplings.cut_edge import CutEdge


DRIVEN = "prescribed motion is part of it"
STILL = "nothing leads it, and it does not move"
COUPLED = "couplings of its hinges cannot be solved before or after its closures"
NO_HINGE = "what leads is no whole hinge"
THE_REST = "other linkages leave it open"


@singledispatch
def output_of(edge: CutEdge, prescribed: Container[str]) -> Body | None:
    """Return the body whose hinge a coupling gives from its others: of several, the last possible one."""
    return None


@output_of.register
def _(edge: Coupled, prescribed: Container[str]) -> Body | None:
    number = len(edge.coordinates)
    for k in reversed(range(number)):
        body = edge.coordinates[k].body
        if body.inboard.n_v == 1 and body.name not in prescribed and edge.coupling.solves(k, number):
            return body
    return None


def complete_linkages(S: Aggregate) -> tuple[Linkage, ...]:
    """Return linkages of an aggregated body: the user's own with what couplings add, or automatic ones."""
    if S.leading:
        led = replace(S, closures=(*S.closures, *S.leading))
        if S.linkages:
            return add_remaining_linkages(led, S.linkages)
        return solve_by_newton(led, replace(led.loop, bodies=(*S.bodies, *S.virtual)), NO_HINGE)
    couplings = couplings_in(S.closures)
    given = [body.name for body in (*S.independent, *S.prescribed)]
    if S.linkages:
        return add_remaining_linkages(
            S, surround_with_couplings(S.linkages, couplings, given) if couplings else S.linkages
        )
    if not couplings:
        return numerically(S)
    if len(couplings) == len(S.closures):
        plan = plan_couplings(couplings, given)
        if plan.complete and all(body.name in plan.known for body in S.dependent):
            return (CoupledHinges(plan.steps, find_implied(couplings)),)
        return (numeric(S, S.loop, COUPLED),)
    return plan_mixed(S, couplings, given)


def add_remaining_linkages(S: Aggregate, linkages: tuple[Linkage, ...]) -> tuple[Linkage, ...]:
    """Return the linkages, and those that find the remaining hinges from the closures still open.

    Linkages that depend on these hinges come after it.
    """
    found = {name for link in linkages for name in link.determines}
    closed = {name for link in linkages for name in link.closes}
    left = [body for body in S.dependent if body.name not in found]
    opened = [edge for edge in S.closures if edge.name not in closed]
    unknown = sum(body.inboard.n_v for body in left)
    if not unknown or sum(edge.rows for edge in opened) < unknown:
        return linkages
    before, after = split_linkages(S, linkages, left)
    late = {name for link in after for name in link.determines}
    bodies = tuple(body for body in (*S.bodies, *S.virtual) if body.name not in late)
    rest = Loop(S.parent, bodies, tuple(opened), tuple(left))
    return (*before, *solve_by_newton(S, rest, THE_REST), *after)


def solve_by_newton(S: Aggregate, loop: Loop, why: str) -> tuple[Linkage, ...]:
    """Solve a loop of S by Newton's method, part after part if possible; recognised parts by formulas.

    What one coordinate leads stays in one table unless all of its parts have tables or formulas.
    """
    whole = numeric(S, loop, why)
    parts = blocks(loop) if S.N else []
    if len(parts) < 2:
        return (whole,)
    certain = is_certain(whole.loop, whole.siblings)
    solved = [part_solved(S, part, certain) for part in parts]
    if is_led_by_one(whole) and any(one.is_led_straight for one in solved if isinstance(one, NumericLinkage)):
        return (whole,)
    left = replace(S, bodies=loop.bodies, closures=loop.closures, dependent=loop.dependent)
    return order_linkages(left, WithoutLegs(loop, (), certain), parts, solved)


def split_linkages(
    S: Aggregate, linkages: Sequence[Linkage], left: Sequence[Body]
) -> tuple[list[Linkage], list[Linkage]]:
    """Return linkages that do not depend on some hinges, and those that do, each in their order."""
    edges = {edge.name: edge for edge in S.closures}
    members = {body.name: body for body in S.bodies}
    late = set(left)
    before: list[Linkage] = []
    after: list[Linkage] = []
    for linkage in linkages:
        ends = [end for name in linkage.closes if name in edges for end in edges[name].bodies]
        needed = {body for end in ends for body in find_chain(S, end)}
        own = {members[name] for name in linkage.determines if name in members}
        needed |= {body for mine in own for body in find_chain(S, mine)}
        if needed & late:
            after.append(linkage)
            late |= own
        else:
            before.append(linkage)
    return before, after


def find_chain(S: Aggregate, body: Body) -> list[Body]:
    """Return a body and what carries it, as far as they are members."""
    chain = []
    while body in S.bodies:
        chain.append(body)
        body = body.carrier
    return chain


def surround_with_couplings(
    linkages: tuple[Linkage, ...], couplings: Sequence[Coupled], given: Sequence[str]
) -> tuple[Linkage, ...]:
    """Return the user's linkages with the couplings that feed them before, and those they feed after."""
    before = plan_couplings(couplings, given)
    found = {name for link in linkages for name in link.determines}
    after = plan_couplings(before.left, before.known | found)
    return (*to_linkage(before), *linkages, *to_linkage(after))


def plan_mixed(S: Aggregate, couplings: Sequence[Coupled], given: Sequence[str]) -> tuple[Linkage, ...]:
    """Return closures of bodies and couplings of hinges in one aggregated body."""
    geometric = [edge for edge in S.closures if not edge.couples_hinges]
    # positions of geometric closures depend on their ends and all carriers of these
    looped = {body for edge in geometric for end in edge.bodies for body in find_chain(S, end)}
    before = plan_couplings(couplings, given)
    steps = [step for step in before.steps if step.unknown.body in looped]
    if len(given) == 1 and steps:
        # One parameter: a branch can be followed over all of it, couplings included.
        before = plan_couplings([], given)
        before.left.extend(couplings)
    after = plan_couplings(before.left, before.known | {body.name for body in looped})
    late = {step.unknown.body for step in after.steps}
    used = [edge for step in after.steps for edge in step.edges]
    others = [edge for edge in before.left if edge not in used]
    doubly = [edge for edge in others if late & set(edge.bodies)]  # on coordinates found already
    if set(find_implied([*used, *doubly])) < {edge.name for edge in doubly}:
        return (numeric(S, S.loop, COUPLED),)
    between = [edge for edge in others if edge not in doubly]
    dependent = tuple(body for body in S.dependent if body.name not in before.known and body not in late)
    bodies = tuple(body for body in S.bodies if body not in late)
    closures = tuple(edge for edge in S.closures if edge in geometric or edge in between)
    return (
        *to_linkage(before),
        numeric(S, Loop(S.parent, bodies, closures, dependent), COUPLED),
        *to_linkage(after),
    )


def to_linkage(plan: CouplingPlan) -> tuple[Linkage, ...]:
    """Return a plan's steps, if it has any."""
    return (CoupledHinges(plan.steps),) if plan.steps else ()


def numerically(S: Aggregate) -> tuple[Linkage, ...]:
    """Return formulas for what is recognised, Newton's method on the other closures of S, part after part.

    Legs are left to formulas: the rest depends on their lengths only.  Where a single coordinate
    leads, all is by formulas on the branch that it leads along, or in one table of that.
    """
    driven = bool(S.siblings or S.prescribed)
    if not S.N:
        why = DRIVEN if driven else STILL
        return (numeric(S, S.loop, why),)
    rest = remove_legs(S.loop, S.siblings)
    parts = [*map(select_with_slides, blocks(rest.loop))] if rest.loop.dependent else []
    if S.N > 1 or driven:
        return order_linkages(S, rest, parts, [part_solved(S, part, rest.certain) for part in parts])
    known = [recognise(part) if rest.certain else None for part in parts]
    formulas = [linkage for linkage in known if linkage is not None]
    if len(formulas) == len(parts):
        whole = numeric(S, S.loop, "")
        return (OnBranch(order_linkages(S, rest, parts, formulas), whole),)
    unknown = next(part for part, linkage in zip(parts, known, strict=True) if linkage is None)
    why = explain_no_formula(unknown, rest.certain)
    return (numeric(S, S.loop, why),)


def order_linkages(
    S: Aggregate, rest: WithoutLegs, parts: Sequence[Loop], linkages: Sequence[Linkage]
) -> tuple[Linkage, ...]:
    """Return the linkages of a loop in order: the parts, then the legs."""
    solved: list[Linkage] = []
    unknown = {body for body in S.dependent if body.inboard.n_v}
    for part, linkage in zip(parts, linkages, strict=True):
        apart = unknown & set(find_chain(S, part.parent)) and not isinstance(linkage, NumericLinkage)
        solved.append(InnerLinkage(linkage, part) if apart else linkage)
        unknown -= set(part.dependent)
    return (*solved, *map(linkage_of, rest.legs))


def linkage_of(part: RodJoints | Peel) -> Linkage:
    """Return the formulas for what is recognised."""
    if isinstance(part, Peel):
        return PeelLinkage(part)
    return LegLinkage(part) if part.is_leg else RodLinkage(part)


def part_solved(S: Aggregate, part: Loop, certain: bool) -> Linkage:
    """Return a part of closures by formulas if it is recognised and its branch is certain, else numerically.

    What a single coordinate leads is kept on its branch, which determines whole turns, too.
    """
    known = recognise(part) if certain else None
    why = "" if known is not None else explain_no_formula(part, certain)
    table = numeric(S, part, why)
    if known is not None and not is_led_by_one(table):
        return known
    return table if known is None else OnBranch((known,), table)


def is_led_by_one(linkage: NumericLinkage) -> bool:
    """Return True if a single coordinate leads what a linkage solves: it has a table."""
    given = [body for body in linkage.loop.given if body.inboard.n_v]
    return len(given) == 1 and given[0].inboard.n_q == 1 and not linkage.siblings


def recognise(part: Loop) -> Linkage | None:
    """Return the closed form of a part of closures that has one."""
    return turn_to_length(part) or planar_dyad(part) or spherical_dyad(part)


def numeric(S: Aggregate, loop: Loop, why: str) -> NumericLinkage:
    """Return Newton's method on a loop of S, and the reason for it."""
    ends = {end for edge in loop.closures for end in edge.bodies}
    siblings = tuple(body for body in S.siblings if body in ends)
    shape = None if siblings else shape_of(loop.parent, loop.bodies, loop.closures, loop.dependent)
    known = known_loops()
    found = known.linkages.find(shape)
    substeps = max((n for one in joints_in(loop.closures) if (n := one.substeps) is not None), default=None)
    if shape is not None and found is not None:
        there, equal = found
        assert isinstance(equal, NumericLinkage), "added below"
        turned = shape.is_turned_from(there)
        return NumericLinkage(loop, substeps=substeps, why=why, equal=equal, turned=turned)
    linkage = NumericLinkage(loop, siblings, substeps=substeps, why=why)
    known.linkages.add(shape, linkage)
    return linkage
