"""Refuses aggregated bodies whose freedoms and coordinates do not fit their closures."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Container, Sequence
from typing import TYPE_CHECKING

from ce_dynamics.embedding.closures.equal_loops import find_freedoms, known_loops
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.precision import Subgraph
from ce_dynamics.errors import (
    ImmobilityWarning,
    IndependentCoordinatesError,
    ModelError,
    OverConstrainedError,
    SingularConfigurationError,
    UnderConstrainedError,
)
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate, HingeComponent
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.system import System

if TYPE_CHECKING:
    from ce_dynamics.embedding.aggregate import Aggregate

COARSE = (TOLERANCE, 1e-4, 1e-3, 1e-2)
"""Tolerances that are tried to find whether a loop is held by the precision of its data."""


def refuse_nonholonomic(closures: Sequence[CutEdge]) -> None:
    """Refuse closures whose conditions on velocities leave positions free: no coordinate would hold those."""
    for loop in closures:
        if not loop.holonomic:
            raise ModelError(
                f"closure {loop.name!r} is not holonomic and cannot be embedded; give the rolling body a "
                "RollingOnPlane hinge, or use BallRollingOnPlane in a ConstrainedSystem"
            )


def check_names(S: Aggregate, named: Collection[str], found: Container[str]) -> None:
    """Refuse independent coordinates that are not in the loop, or are given otherwise."""
    loop = f"the loop of {S.name!r}"
    names = sorted(body.name for body in S.bodies)
    others = sorted(body.name for body in S.dependent if body.name not in found)
    for name in sorted(named):
        if name not in names:
            trouble = f"is not in {loop}: {names}"
        elif any(body.name == name for body in S.prescribed):
            trouble = f"of {loop} has prescribed motion; name others of {others}, or none"
        elif name in found:
            trouble = f"of {loop} is found by a linkage; name others of {others}, or none"
        else:
            continue
        raise IndependentCoordinatesError(f"independent coordinate {name!r} {trouble}")


def check_leading(
    system: System,
    S: Aggregate,
    named: Container[str],
    leading: Sequence[FunctionCoordinate],
    found: Container[str],
) -> None:
    """Refuse components and functions that are not of the loop, or are given otherwise."""
    inside, parent = [body.name for body in S.bodies], S.parent
    for lead in leading:
        owner = f"independent coordinate {lead.name!r}"
        if isinstance(lead, HingeComponent):
            if lead.owner.name in named:
                raise IndependentCoordinatesError(
                    f"{owner}: the whole hinge of {lead.owner.name!r} is independent; name one of the two"
                )
            check_names(S, (lead.owner.name,), found)
        outside = [body.name for body in lead.seen if body is not parent and body.name not in inside]
        if outside or not any(body in S.bodies for body in lead.seen):
            raise IndependentCoordinatesError(
                f"{owner} looks at {outside or [parent.name]}, and has to be a function of the loop of "
                f"{S.name!r} alone: of {inside}, as seen by them or by {parent.name!r}, which carries them"
            )
    refuse_taken_names(system, leading)


def refuse_taken_names(system: System, leading: Sequence[FunctionCoordinate]) -> None:
    """Refuse coordinates that are called as a body is."""
    taken = {body.name for body in system.bodies} if leading else set()
    for lead in leading:
        if lead.name in taken:
            raise ModelError(f"coordinate {lead.name!r} is called as a body is; rename one of them")


def refuse_leading(leading: Sequence[FunctionCoordinate]) -> None:
    """Refuse coordinates for a loop that is to go through the dead centres of all."""
    if leading:
        raise IndependentCoordinatesError(
            f"independent coordinates {[lead.name for lead in leading]} have dead centres of their own; "
            f"leave them out, or leave through_dead_centres out"
        )


def refuse_singular(freedoms: Freedoms) -> None:
    """Refuse a design pose that has more freedoms than the closed poses around it."""
    if freedoms.number_nearby < freedoms.number:
        raise SingularConfigurationError(
            f"the loop of {freedoms.loop.name!r} has {freedoms.number} degrees of freedom in the design pose "
            f"but {freedoms.number_nearby} close by: the pose is singular, its bars in line or its branches "
            f"crossing; describe it in another pose and bring it here with System.start"
        )


def refuse_rolling(dependent: Sequence[Body], freedoms: Freedoms) -> None:
    """Refuse hinges that roll, where others should determine their place: that depends on the way as well."""
    for body in freedoms.rolling:
        if body not in dependent:
            continue
        constrained = "use BallRollingOnPlane in a ConstrainedSystem"
        enough = body.inboard.n_v <= freedoms.number
        remedy = f"let the hinge lead, independent=[{body.name!r}, ...], or {constrained}"
        raise IndependentCoordinatesError(
            f"the hinge of {body.name!r} rolls, so that its place in the loop of {freedoms.loop.name!r} "
            f"depends on the way there, not only on what leads it; {remedy if enough else constrained}"
        )


def check_aggregate(S: Aggregate, freedoms: Freedoms) -> None:
    """Refuse a sub-graph whose coordinates do not fit its closures."""
    if freedoms.number != S.N or not S.linkages:
        refuse_singular(freedoms)
    hinges = ", ".join(body.name for body in S.bodies if body not in S.prescribed)
    count = (
        f"the loop of {S.name!r} has {freedoms.number} degrees of freedom in the design pose but {S.N} "
        f"independent coordinates {[body.name for body in S.independent]}"
    )
    name = f"name {freedoms.number} of: {hinges}" if freedoms.number else "name none"
    if freedoms.number < S.N:
        raise OverConstrainedError(
            f"{count}; {name}, or remove closures {[c.name for c in S.closures]}{held_by_precision(S)}"
        )
    if freedoms.number > S.N:
        raise UnderConstrainedError(f"{count}; {name}, or add the closures that are missing")
    check_held(S, freedoms)


def check_found(S: Aggregate) -> None:
    """Refuse linkages that leave something open."""
    found = {name for link in S.linkages for name in link.determines}
    unfound = [body.name for body in S.dependent if body.inboard.n_v and body.name not in found]
    if unfound:
        raise ModelError(
            f"the linkages of {S.name!r} leave hinges {unfound} undetermined; add one that finds them"
        )


def check_held(S: Aggregate, freedoms: Freedoms) -> None:
    """Refuse closures that hold what is prescribed, or that hold everything more than once."""
    closures = [loop.name for loop in S.closures]
    if not freedoms.follows:
        raise OverConstrainedError(
            f"the loop of {S.name!r}: closures {closures} do not let the hinges of "
            f"{[body.name for body in S.prescribed]} move as prescribed; prescribe fewer of them"
        )
    if S.N == 0 and not S.prescribed and not S.siblings and freedoms.redundant_rows:
        raise OverConstrainedError(
            f"the loop of {S.name!r} cannot move, and {freedoms.redundant_rows} of the conditions of its "
            f"closures {closures} hold it more than once, so their forces are not determined; remove a "
            f"closure, or join {[body.name for body in S.bodies]} by Fixed hinges{held_by_precision(S)}"
        )
    everything = find_freedoms(S.bodies, S.closures, S.bodies) if S.prescribed else freedoms
    everything.refuse_contradiction()


def refuse_immovable(system: System, aggregates: Sequence[Aggregate]) -> None:
    """Refuse a system whose closures leave nothing to move."""
    if system.closures and not any(S.independent for S in aggregates) and not system.prescribed:
        hints = [hint for S in aggregates if S.closures and (hint := held_by_precision(S))]
        raise OverConstrainedError(
            f"nothing of system {system.name!r} can move: its closures {[c.name for c in system.closures]} "
            f"take all freedoms of its hinges; remove one, or give a hinge more freedom{''.join(hints[:1])}"
        )


def warn_of_immobility(system: System, aggregates: Sequence[Aggregate]) -> None:
    """Warn of loops that have no freedom left, of hinges in loops that cannot move, and of lost freedoms."""
    for S in aggregates:
        if immobility := immobility_of(S):
            warnings.warn(f"system {system.name!r}: {immobility}", ImmobilityWarning, stacklevel=2)


def immobility_of(S: Aggregate) -> str:
    """Describe the hinges of a loop that cannot move, or hardly, with a remedy; empty if all can.

    What moves in a prescribed way only is no concern.
    """
    if not S.closures or S.prescribed or S.siblings or S in known_loops().mobile:
        return ""
    freedoms = find_freedoms(S.bodies, S.closures, S.bodies)
    still = freedoms.immobile
    more = "; if they are to, give a hinge more freedom"
    if still and len(still) == sum(1 for body in S.bodies if body.inboard.n_v):
        what = f"the loop of {S.name!r} has no degree of freedom: {[b.name for b in S.bodies]} move as one"
    elif still:
        what = (
            f"the hinges of {[body.name for body in still]} cannot move: the closures "
            f"{[loop.name for loop in S.closures]} hold them"
        )
    elif freedoms.barely_held:
        more = ""
        what = (
            f"the loop of {S.name!r} has {freedoms.number} degrees of freedom, but the closures "
            f"{[loop.name for loop in S.closures]} barely hold {freedoms.barely_held} more, as happens "
            f"where axes or points are given with few digits"
        )
    else:
        known_loops().mobile.add(S)
        return ""
    return what + (held_by_precision(S) or more)


def held_by_precision(S: Aggregate) -> str:
    """Return a remedy where the precision of its geometry costs a loop freedoms; empty for other causes."""
    subgraph = Subgraph(S.bodies, S.closures)
    number, still = subgraph.mobility()
    for tolerance in COARSE:
        moved = subgraph.made_exact(tolerance)
        if not moved:
            continue
        more, fewer = subgraph.mobility(moved)
        if fewer < still or more > number:
            off = "; ".join(str(found) for found in subgraph.list_assumptions(moved, taken=False))
            return (
                f". It would move if its geometry were exact ({off}): give it with more digits, or "
                f"System(tolerance={tolerance:g}) if that is the precision of the data"
            )
    return ""
