"""Elastic joints: a force element replaces the constraint of a hinge or closure.

A hinge removed from the tree leaves a branch without a carrier.  If a closure still joins it to
the rest, the branch hangs on that from now on, and there is one loop less; else it moves freely against
the body that carried it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, ancestors
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import FindsHinges, System

HINGE_OF = "hinge of "
"""Prefix of names of inboard hinges, which distinguishes them from closures."""


class ElasticJoint(NamedTuple):
    """A joint and the force element that stands for it."""

    joint: str  # ``hinge of <body>``, or the name of a closure
    element: ForceElement


def make_elastic(system: System, elastic: Sequence[ElasticJoint]) -> None:
    """Put force elements in place of joints; several may stand for one.

    The system changes: hinges and closures are gone, branches hang elsewhere, linkages that found hinges of
    loops which are no more are left out, and these loops' coordinates are for the library to choose.

    Raises
    ------
    ModelError
        If there is no such joint, its coordinate is prescribed or acted on by a force element, or the hinge
        of a body that has to hang elsewhere is.
    """
    names = dict.fromkeys(one.joint for one in elastic)
    hinges = [system.find(name.removeprefix(HINGE_OF)) for name in names if name.startswith(HINGE_OF)]
    closures = {name for name in names if not name.startswith(HINGE_OF)}
    known = {edge.name for edge in system.closures}
    for name in closures - known:
        raise ModelError(f"no closure {name!r}; there are {', '.join(sorted(known)) or 'none'}")
    changed = {body for edge in system.closures if edge.name in closures for body in path(system, edge)}
    opened = set(closures)
    open_edges = [edge for edge in system.closures if edge.name in closures]
    system.closures = [edge for edge in system.closures if edge.name not in closures]
    moved = set[Body]()
    for body in sorted(hinges, key=lambda body: body.index):
        changed |= {
            one for edge in system.closures for one in path(system, edge) if body in path(system, edge)
        }
        used, others = rehang(system, body)
        moved |= others
        opened |= used
    refuse_used(system, moved)
    reindex(system)
    remove_changed_loops(system, changed | moved, moved, opened, open_edges)
    for one in elastic:
        system.add_force(one.element)


def rehang(system: System, top: Body) -> tuple[set[str], set[Body]]:
    """Remove a body from its hinge; return closures that became hinges, and bodies with new hinges."""
    branch = {body for body in system.bodies if top in ancestors(body)}
    ways = [
        (edge.closure.n_v, k)
        for k, edge in enumerate(system.closures)
        if isinstance(edge, LoopClosure)
        and isinstance(edge.closure, Hinge)
        and len(branch & {edge.body_a, edge.body_b}) == 1
    ]
    if not ways:
        at = top.inboard.at
        object.__setattr__(top, "hinge", Free(at))
        object.__setattr__(top, "armature", top.armature[:0])
        return set(), {top}
    edge = system.closures.pop(min(ways)[1])
    assert isinstance(edge, LoopClosure)
    assert isinstance(edge.closure, Hinge)
    inside = edge.body_a in branch
    child, parent = (edge.body_a, edge.body_b) if inside else (edge.body_b, edge.body_a)
    hinge = reverse_hinge(edge.closure) if inside else edge.closure
    moved: set[Body] = set()
    while True:  # from the closure to the former top of the branch: every hinge reversed
        next_parent, next_hinge = child.parent, child.hinge
        object.__setattr__(child, "parent", parent)
        object.__setattr__(child, "hinge", hinge)
        moved.add(child)
        if child is top:
            return {edge.name}, moved
        assert next_parent is not None
        assert next_hinge is not None
        parent, child, hinge = child, next_parent, reverse_hinge(next_hinge)


def reverse_hinge(hinge: Hinge) -> Hinge:
    """Return the same joint with parent and child exchanged."""
    if isinstance(hinge, Universal):
        return Universal(hinge.axis2, hinge.axis1, at=hinge.at)
    return hinge


def refuse_used(system: System, changed: set[Body]) -> None:
    """Refuse to change hinges whose coordinates have a meaning for others."""
    for body in changed:
        if body.name in system.prescribed:
            raise ModelError(f"the hinge of {body.name!r} is prescribed and cannot be elastic")
    for element in system.forces:
        owner = getattr(element, "body", None)
        if isinstance(owner, Body) and owner in changed and hasattr(element, "component"):
            raise ModelError(
                f"{element.described} acts on a coordinate of {owner.name!r}, whose hinge is elastic or "
                "has to be replaced; give the bushing its stiffness instead"
            )


def reindex(system: System) -> None:
    """Order bodies such that parents come before their children, and count again."""
    left, placed, ordered = list(system.bodies), {system.ground}, list[Body]()
    while left:
        body = next(body for body in left if body.carrier in placed)
        left.remove(body)
        placed.add(body)
        ordered.append(body)
    for k, body in enumerate(ordered):
        object.__setattr__(body, "index", k + 1)
        object.__setattr__(body, "depth", body.carrier.depth + 1)
    system.bodies[:] = ordered


def remove_changed_loops(
    system: System, near: set[Body], moved: set[Body], opened: set[str], edges: Sequence[CutEdge]
) -> None:
    """Remove independent coordinates and linkages of loops that have changed.

    Linkages that still hold, but for conditions of a closure that is open now, change by ``without_closure``.
    """
    loops = {edge.name: path(system, edge) for edge in system.closures}
    touched: set[str] = set()
    while True:  # loops that share bodies belong together
        more = {name for name, bodies in loops.items() if bodies & near} - touched
        if not more:
            break
        touched |= more
        near = near.union(*(loops[name] for name in more))
    system.closures = [
        replace(edge, independent=(), leading=())
        if edge.name in touched and isinstance(edge, LoopClosure)
        else edge
        for edge in system.closures
    ]
    names = {body.name for body in moved}
    system.linkages = [
        part
        for linkage in system.linkages
        for part in still_true(
            linkage, lambda one: bool(set(one.closes) & opened | set(one.determines) & names), edges
        )
    ]
    for name in names:
        system.initial.pop(name, None)
        system.initial_rates.pop(name, None)


def still_true(
    linkage: FindsHinges, broken: Callable[[FindsHinges], bool], opened: Sequence[CutEdge]
) -> list[FindsHinges]:
    """Return a linkage, or those of its parts, that are not broken, as they are once closures are open."""
    parts = getattr(linkage, "parts", ())
    kept = [one for part in parts for one in still_true(part, broken, opened)]
    if broken(linkage) or kept != [*parts]:
        return kept
    for edge in opened:
        linkage = getattr(linkage, "without_closure", lambda _, same=linkage: same)(edge)
    return [linkage]


def path(system: System, edge: CutEdge) -> set[Body]:
    """Return bodies whose hinges a closure depends on, except prescribed ones."""
    one, *others = (set(ancestors(body)) for body in edge.bodies)
    own = one.union(*others) - one.intersection(*others)  # all have the ground
    return {body for body in own if body.name not in system.prescribed}
