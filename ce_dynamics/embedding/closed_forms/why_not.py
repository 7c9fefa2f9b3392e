"""Why a part of a loop is left to Newton's method, for those who wonder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.closed_forms.planar import PARALLEL
from ce_dynamics.embedding.closed_forms.turn_to_length import is_length
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.hinges.revolute import Revolute

DRIVEN = "prescribed motion is part of it"
STILL = "nothing leads it, and it does not move"
UNCERTAIN = (
    "it is open in the design pose or its geometry is free: which branch a formula is on is not certain"
)
COUPLED = "couplings of its hinges cannot be solved before or after its closures"
NO_HINGE = "what leads is no whole hinge"
THE_REST = "other linkages leave it open"
NEARLY = 1e-3
"""Angle between axes that are perhaps meant to be parallel [rad]."""


def why_not(part: Block, certain: bool) -> str:
    """Why no formula was found for a part of a loop."""
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
        return askew(moving, edge)
    return f"{unknown} unknowns of revolute hinges: no ball, and more than two bars"


def askew(moving: Sequence[Body], edge: LoopClosure) -> str:
    """Why two bars are no triangle in a plane."""
    axes = [body.inboard.axis for body in moving if isinstance(body.inboard, Revolute)]
    if isinstance(edge.closure, Revolute):
        axes.append(edge.closure.axis)
    off = max(float(np.linalg.norm(np.cross(axes[0], axis))) for axis in axes[1:])
    if PARALLEL < off < NEARLY:
        return f"two bars whose axes are {off:.1e} rad from parallel, as with data of few digits"
    if off >= NEARLY:
        return "two bars whose axes are neither parallel nor meet in one point with that of the joint"
    return "two bars that do not stay in one plane, or are in line in the design pose"
