"""Constraint embedding: loops become aggregated bodies and the system a tree again (theory §3).

For each cut edge the smallest sub-tree that contains both of its bodies, minus its root, is the aggregation
sub-graph S; sub-graphs that share a body merge.  Bodies whose motion relative to a common ancestor is wholly
prescribed (a steering mechanism) do not merge with what is closed against them: they only move its attachment
points, which is where η_S comes from.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import cast

from ce_dynamics.embedding.aggregate import Aggregate, Embedding, order_bodies, slices
from ce_dynamics.embedding.checks import (
    check_aggregate,
    check_found,
    check_leading,
    check_names,
    immobility_of,
    refuse_immovable,
    refuse_leading,
    refuse_nonholonomic,
    refuse_rolling,
    refuse_singular,
    refuse_taken_names,
    warn_of_immobility,
)
from ce_dynamics.embedding.closures.equal_loops import each_loop_once, find_freedoms, known_loops, shape_of
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.leading import group_leads, leading_condition
from ce_dynamics.embedding.closures.loop import surroundings
from ce_dynamics.embedding.closures.precision import settle
from ce_dynamics.embedding.complete import complete_linkages, output_of
from ce_dynamics.embedding.couplings_solved import find_implied
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.numeric_positions import linkages_with_starts
from ce_dynamics.embedding.whole_loop import lead_by_path
from ce_dynamics.mechanism.body import Body, carries, chain_between, common_ancestor
from ce_dynamics.mechanism.couplings.base import couplings_in
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate, Lead
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, joints_in
from ce_dynamics.mechanism.system import System


def embed(system: System) -> Embedding:
    """Turn the loops of a system into aggregated bodies.

    Raises
    ------
    OverConstrainedError, UnderConstrainedError
        Where a sub-graph's degrees of freedom are fewer, or more, than its independent coordinates.
    IndependentCoordinatesError
        Where these are as many but not in the loop, prescribed, or do not determine the other hinges.
    SingularConfigurationError
        Where the design pose is a dead centre or a point where branches cross.
    ModelError
        Where a linkage does not fit its sub-graph, or a closure is not holonomic.
    """
    finders = linkages_by_body(system)
    with each_loop_once():
        settle(system, [group for group in merge_groups(system, set()) if may_be_moved(group, finders)])
        driven = driven_bodies(system)
        groups = merge_groups(system, driven)
        grouped = {body.name for bodies, _ in groups for body in bodies}
        singles: list[tuple[list[Body], list[CutEdge]]] = [
            ([body], []) for body in system.bodies if body.name not in grouped
        ]
        aggregates = [
            make_aggregate(system, bodies, closures, finders) for bodies, closures in [*groups, *singles]
        ]
        ordered = base_to_tip(aggregates)
        refuse_immovable(system, ordered)
        warn_of_immobility(system, ordered)
    free = order_bodies(body for S in ordered for body in S.independent)
    return Embedding(
        system=system,
        aggregates=tuple(ordered),
        q_of=slices((body.name, body.inboard.n_q) for body in free),
        v_of=slices((body.name, body.inboard.n_v) for body in free),
        owner={body.name: S for S in ordered for body in S.bodies},
    )


def may_be_moved(group: tuple[list[Body], list[CutEdge]], finders: Mapping[str, Sequence[int]]) -> bool:
    """Return True if the geometry of a sub-graph is known from its hinges alone.

    The sub-graph then has geometric closures, all of them holonomic, and no linkage of the user's.
    """
    bodies, closures = group
    geometric = [edge.closure for edge in joints_in(closures)]
    holonomic = all(condition.holonomic for closure in geometric for condition in closure.constraints)
    return bool(geometric) and holonomic and not any(body.name in finders for body in bodies)


def driven_bodies(system: System) -> set[str]:
    """Return bodies whose motion relative to their carrier, or the root of their own loop, is prescribed."""
    driven = set(system.prescribed)
    for loop in system.closures:
        bodies, _ = smallest_subgraph(loop, set())
        if any(body.name in driven for body in bodies) and freedoms_of(system, bodies, [loop]).number == 0:
            driven |= {body.name for body in bodies}
    return driven


def freedoms_of(system: System, bodies: Sequence[Body], closures: Sequence[CutEdge]) -> Freedoms:
    """Return the freedoms that the closures leave to the unprescribed hinges of a sub-graph."""
    free = [body for body in bodies if body.name not in system.prescribed]
    return find_freedoms(bodies, closures, free)


def smallest_subgraph(loop: CutEdge, driven: set[str]) -> tuple[list[Body], Body]:
    """Return bodies on the tree paths between a closure's ends, and their root, which is not among them.

    An end that moves in a prescribed way counts as fixed on what carries it, unless it carries the other end
    or the loop itself is driven.  What couples hinges needs the bodies on both sides of each, and keeps
    prescribed ones as well.
    """
    ends = list(loop.bodies)
    if loop.attachments:
        anchors = [anchor(end, driven, other) for end, other in (ends, ends[::-1])]
        if anchors[0] is not anchors[1]:
            ends = anchors
        root = common_ancestor(*ends)
    else:
        root = reduce(common_ancestor, loop.tops)
    path: dict[Body, None] = {}
    for end in ends:
        while end is not root:
            path[end] = None
            end = end.carrier
    return list(path), root


def anchor(body: Body, driven: set[str], other: Body | None = None) -> Body:
    """Return the first body below that is not driven, or that carries another one."""
    while body.name in driven and not (other is not None and carries(body, other)):
        body = body.carrier
    return body


def merge_groups(system: System, driven: set[str]) -> list[tuple[list[Body], list[CutEdge]]]:
    """Merge aggregation sub-graphs that share a body."""
    groups = BodyGroups()
    first: dict[str, Body] = {}
    for loop in system.closures:
        bodies, _ = smallest_subgraph(loop, driven)
        first[loop.name] = bodies[0]
        groups.join(bodies, [loop])
    ends = [
        (loop, end)
        for loop in system.closures
        if loop.attachments
        for end in loop.bodies
        if end.name in driven
    ]
    joined = True
    while joined:  # until no group has grown, which may have brought it what carries another driven end
        joined = False
        for loop, end in ends:
            foot, home = anchor(end, driven), groups.home
            if home.get(foot, -1) == home[first[loop.name]] != home.get(end, -1):
                # a body of the group carries it, so its motion depends on the loop: it is no sibling
                groups.join(chain_between(end, foot), [])
                joined = True
    return list(groups.members.values())


class BodyGroups:
    """Groups of bodies with closures; ``home`` has the number of each body's group."""

    def __init__(self) -> None:
        self.members: dict[int, tuple[list[Body], list[CutEdge]]] = {}
        self.home: dict[Body, int] = {}
        self._made = 0

    def join(self, bodies: list[Body], closures: list[CutEdge]) -> None:
        """Add a group, and put it together with those that share a body with it."""
        for other in sorted({self.home[body] for body in bodies if body in self.home}):
            other_bodies, other_closures = self.members.pop(other)
            bodies = list(dict.fromkeys(bodies + other_bodies))
            closures = other_closures + closures
        self.members[self._made] = bodies, closures
        self.home |= dict.fromkeys(bodies, self._made)
        self._made += 1


def linkages_by_body(system: System) -> dict[str, list[int]]:
    """Return, for each body, the numbers of the linkages that find its hinge."""
    finders: dict[str, list[int]] = {}
    for k, linkage in enumerate(system.linkages):
        for name in linkage.determines:
            finders.setdefault(name, []).append(k)
    return finders


def make_aggregate(
    system: System,
    bodies: Sequence[Body],
    closures: Sequence[CutEdge],
    finders: Mapping[str, Sequence[int]],
) -> Aggregate:
    """Assign the roles of the hinges of one sub-graph and check that they fit."""
    refuse_nonholonomic(closures)
    S = remove_leads(system, bodies, closures, finders)
    if not closures:
        return set_independent(S, S.dependent)
    named = {name for loop in closures for name in loop.independent}
    found = {name for link in S.linkages for name in link.determines}
    leads = [lead for loop in closures for lead in loop.leading]
    whole, others = group_leads([*(body for body in S.bodies if body.name in named), *leads])
    check_names(S, named, found)
    check_leading(system, S, named, others, found)
    is_alone = not (S.prescribed or S.siblings or S.linkages)
    shape = shape_of(S.parent, S.bodies, closures, whole) if is_alone and not others else None
    equal = known_loops().led.find(shape)
    if equal is not None:
        S = attach_linkages(set_independent(S, [S.bodies[k] for k in equal[1]]), system)
        known_loops().mobile.add(S)
        return S
    freedoms = freedoms_of(system, S.bodies, closures)
    unled = any(edge.through_dead_centres for edge in closures)
    if unled:
        refuse_leading(others)
        whole = []
    elif not whole and not others:
        chosen = chosen_independent(freedoms, system.prescribed, closures, found)
        if chosen is None and not (is_alone and not freedoms.loop.has_free_geometry):
            freedoms.refuse_choice()
        unled = chosen is None  # coordinates of the whole loop need no hinge that leads
        whole, others = group_leads(chosen or ())
        refuse_taken_names(system, others)
    S = set_independent(S, whole, others)
    refuse_rolling(S.dependent, freedoms)
    if unled:
        refuse_singular(freedoms)
        return lead_by_path(S, freedoms.number)
    check_aggregate(S, freedoms)
    S = attach_linkages(S, system)
    if not others and not immobility_of(S):
        known_loops().led.add(shape, tuple(S.bodies.index(body) for body in S.independent))
    return S


def remove_leads(
    system: System,
    bodies: Sequence[Body],
    closures: Sequence[CutEdge],
    finders: Mapping[str, Sequence[int]],
) -> Aggregate:
    """Return a sub-graph with the user's linkages, in which nothing is independent yet."""
    members = tuple(order_bodies(bodies))
    parent, siblings = surroundings(members, closures)
    prescribed = tuple(body for body in members if body.name in system.prescribed)
    dependent = tuple(body for body in members if body not in prescribed)
    given = sorted({k for body in members for k in finders.get(body.name, ())})
    linkages = tuple(cast(Linkage, system.linkages[k]) for k in given)
    return Aggregate(parent, members, tuple(closures), (), prescribed, dependent, siblings, linkages)


def set_independent(
    S: Aggregate, whole: Sequence[Body], others: Sequence[FunctionCoordinate] = ()
) -> Aggregate:
    """Return a sub-graph with its independent coordinates: whole hinges, and functions of the loop."""
    leading = tuple(leading_condition(S.parent, lead) for lead in others)
    independent = (*order_bodies(whole), *(condition.body_b for condition in leading))
    dependent = tuple(body for body in S.dependent if body not in whole)
    return replace(S, independent=independent, dependent=dependent, leading=leading)


def attach_linkages(S: Aggregate, system: System) -> Aggregate:
    """Return an aggregated body with what finds its dependent hinges, starting where it is to start."""
    if S.dependent:
        S = replace(S, linkages=complete_linkages(S))
        S = replace(S, linkages=linkages_with_starts(S, system.initial))
    check_found(S)
    return S


def chosen_independent(
    freedoms: Freedoms, prescribed: Container[str], closures: Sequence[CutEdge], found: set[str]
) -> Sequence[Lead] | None:
    """Choose independent coordinates of a sub-graph for which the user named none; None if no hinge can lead.

    Those that linkages (``found``) or couplings give from the others are left to them.
    """
    implied_ones = find_implied(couplings_in(closures))
    outputs = [output_of(loop, prescribed) for loop in closures if loop.name not in implied_ones]
    given = {body.name for body in outputs if body is not None}
    rest = tuple(body for body in freedoms.free if body.name not in found | given)
    if found and sum(body.inboard.n_v for body in rest) <= freedoms.number:
        return rest
    if found:  # which leave other hinges, of loops that no linkage closes
        return freedoms.choice.choose_among(rest) or rest
    refuse_singular(freedoms)
    if freedoms.rolling and (led := freedoms.choice.with_components(wanted=freedoms.rolling)) is not None:
        return led
    only_couplings = all(loop.couples_hinges for loop in closures)
    if only_couplings and sum(body.inboard.n_v for body in rest) == freedoms.number:
        return rest
    return freedoms.choice.choose_leads([body for body in freedoms.free if body.name in given])


def base_to_tip(aggregates: Sequence[Aggregate]) -> list[Aggregate]:
    """Order aggregated bodies so that parents and prescribed siblings come first."""
    waiting = sorted(aggregates, key=lambda S: S.bodies[0].index)
    ordered: list[Aggregate] = []
    placed = {"ground"}
    while waiting:
        ready = next(S for S in waiting if {S.parent.name, *(b.name for b in S.siblings)} <= placed)
        waiting.remove(ready)
        ordered.append(ready)
        placed |= {body.name for body in ready.bodies}
    return ordered
