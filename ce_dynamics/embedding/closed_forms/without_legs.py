"""The rest of a loop whose legs are solved by formulas, and why parts of the rest have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.newton import largest_residual
from ce_dynamics.embedding.closed_forms.leg import legs_of
from ce_dynamics.embedding.closed_forms.peel import BallBehind, Peel, peel_of
from ce_dynamics.embedding.closed_forms.planar import PARALLEL
from ce_dynamics.embedding.closed_forms.rod import RodJoints, rods_of
from ce_dynamics.embedding.closed_forms.turn_to_length import LegLength, is_length
from ce_dynamics.embedding.closures.loop import Loop, held_at_design, moving, stack_neutral
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.revolute import Revolute


class WithoutLegs(NamedTuple):
    """The rest of a loop."""

    # bodies that are in no leg, and slides of legs that are given.  Its closures have the lengths of
    # legs instead of their ball joints; nothing for a leg that has the length it takes
    loop: Loop
    legs: tuple[RodJoints | Peel, ...]
    # whether formulas are certain of their branches: the design pose is closed, and its geometry not
    # free
    certain: bool


def remove_legs(loop: Loop, siblings: Sequence[Body] = ()) -> WithoutLegs:
    """Return the rest of a loop without the legs that are found in it; all of it if there are none.

    Legs are recognised in a design pose that is closed, and whose geometry is not free: the sign that selects
    a leg's branch is that of the design pose.
    """
    bodies, closures, dependent = loop.bodies, loop.closures, loop.dependent
    certain = is_certain(loop, siblings)
    whole = WithoutLegs(loop, (), certain)
    if not certain:
        return whole
    legs = legs_and_rods(closures, bodies, dependent)
    peeled = peel_welds(closures, bodies, dependent, legs)
    if not legs and not peeled:
        return whole
    legs += behind_peels(closures, bodies, dependent, legs, peeled)
    inside = {body for leg in legs for body in leg.bodies if body is not leg.slide or leg.slides}
    inside |= {body for peel in peeled.values() for body in peel.bodies}
    ends: dict[str, RodJoints] = {leg.edge.name: leg for leg in legs}
    left: list[CutEdge] = []
    for edge in closures:
        leg = ends.get(edge.name)
        if leg is not None:
            left += [] if leg.slides else [LegLength(edge.name, leg)]
        elif edge in peeled:
            left.append(peeled[edge].closure)
        else:
            left.append(edge)
    unknown = tuple(body for body in dependent if body not in inside)
    if left and not any(body.inboard.n_v for body in unknown):
        return whole  # they contradict or repeat each other, which all rows together decide
    outside = tuple(body for body in bodies if body not in inside)
    rest = replace(loop, bodies=outside, closures=tuple(left), dependent=unknown)
    return WithoutLegs(rest, (*legs, *peeled.values()), certain)


def legs_and_rods(
    closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Sequence[Body]
) -> list[RodJoints]:
    """Return legs, and rods that have nothing in common with these."""
    legs = legs_of(closures, bodies, dependent)
    ended = [leg.edge for leg in legs]
    known = {body for leg in legs for body in leg.bodies}
    rods = rods_of([edge for edge in closures if edge not in ended], bodies, dependent)
    return [*legs, *(rod for rod in rods if not known & {*rod.bodies, rod.foot, rod.anchor})]


def behind_peels(
    closures: Sequence[CutEdge],
    bodies: Sequence[Body],
    dependent: Sequence[Body],
    legs: Sequence[RodJoints],
    peeled: Mapping[CutEdge, Peel],
) -> list[RodJoints]:
    """Return legs and rods that end in a ball peeled off a weld: the ball is turned once they are pointed."""
    gone = {body for leg in legs for body in leg.bodies}
    used = gone | {end for leg in legs for end in (leg.foot, leg.anchor)}
    gone |= {body for peel in peeled.values() for body in peel.bodies}
    ended = [leg.edge for leg in legs]
    left = [peeled[edge].closure if edge in peeled else edge for edge in closures if edge not in ended]
    names = {edge.name for edge in peeled}
    found = legs_and_rods(
        left, [body for body in bodies if body not in gone], [body for body in dependent if body not in gone]
    )
    return [leg for leg in found if leg.edge.name in names and not used & {*leg.bodies, leg.foot, leg.anchor}]


def peel_welds(
    closures: Sequence[CutEdge],
    bodies: Sequence[Body],
    dependent: Sequence[Body],
    legs: Sequence[RodJoints],
) -> dict[CutEdge, Peel]:
    """Return the peels off welds that are in no leg, by weld."""
    ended = [leg.edge for leg in legs]
    used = {body for leg in legs for body in (*leg.bodies, leg.foot, leg.anchor)}
    found: dict[CutEdge, Peel] = {}
    for edge in closures:
        if edge in ended:
            continue
        peel = peel_of(edge, [other for other in closures if other is not edge], bodies, dependent)
        if peel is None or used & {*peel.bodies, *peel.given}:
            continue
        found[edge] = peel
        used |= {*peel.bodies, *peel.given, peel.other}
    return found


def is_certain(loop: Loop, siblings: Sequence[Body] = ()) -> bool:
    """Return True if formulas are certain of their branches in a loop."""
    return not loop.has_free_geometry and is_closed(loop, siblings)


def is_closed(loop: Loop, siblings: Sequence[Body] = ()) -> bool:
    """Return True if the closures hold in the design pose, with what lies outside in its own."""
    given = moving(loop.given, stack_neutral(loop.given))
    held = held_at_design(siblings, loop.parent)
    residual: Array = np.asarray(loop.residual(loop.neutral(), given, held), dtype=float)
    return largest_residual(residual) <= loop.tolerance


def select_with_slides(block: Loop) -> Loop:
    """Return a part of the closures with the given slides on which lengths in it depend."""
    slides = {edge.leg.slide for edge in block.closures if isinstance(edge, LegLength)}
    given = {body for edge in block.closures if isinstance(edge, BallBehind) for body in edge.peel.given}
    more = {body for body in slides | given if body is not None and body not in block.bodies}
    if not more:
        return block
    return replace(block, bodies=tuple(sorted({*block.bodies, *more}, key=lambda body: body.index)))


UNCERTAIN = (
    "it is open in the design pose or its geometry is free: which branch a formula is on is not certain"
)
NEARLY = 1e-3  # angle between axes that are perhaps meant to be parallel [rad]


def explain_no_formula(part: Loop, certain: bool) -> str:
    """Explain why no formula was found for a part of a loop."""
    moving = [body for body in part.dependent if body.inboard.n_v]
    if not certain:
        return UNCERTAIN
    unknown = sum(body.inboard.n_v for body in moving)
    if len(part.closures) > 1:
        return f"{len(part.closures)} closures have to be solved together, for {unknown} unknowns"
    (edge,) = part.closures
    if is_length(edge):
        return f"the length of {edge.name!r} is one equation, and no revolute hinge alone follows from it"
    others = [body for body in moving if not isinstance(body.inboard, Revolute)]
    if others:
        kinds = sorted({type(body.inboard).__name__ for body in others})
        named = " and ".join(kinds)
        return f"{unknown} unknowns, among them of {named} hinges: neither a leg nor bars in a plane"
    if unknown == 2 and isinstance(edge, LoopClosure):
        return explain_no_triangle(moving, edge)
    return f"{unknown} unknowns of revolute hinges: no ball, and more than two bars"


def explain_no_triangle(moving: Sequence[Body], edge: LoopClosure) -> str:
    """Explain why two bars are no triangle in a plane."""
    axes = [body.inboard.axis for body in moving if isinstance(body.inboard, Revolute)]
    if isinstance(edge.closure, Revolute):
        axes.append(edge.closure.axis)
    off = max(float(np.linalg.norm(np.cross(axes[0], axis))) for axis in axes[1:])
    if PARALLEL < off < NEARLY:
        return f"two bars whose axes are {off:.1e} rad from parallel, as with data of few digits"
    if off >= NEARLY:
        return "two bars whose axes are neither parallel nor meet in one point with that of the joint"
    return "two bars that do not stay in one plane, or are in line in the design pose"
