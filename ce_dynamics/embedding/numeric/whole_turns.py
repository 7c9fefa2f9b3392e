"""Loops whose single parameter goes round and round: after how many turns everything is where it was.

Without couplings one turn is all there is: bars do not know how often they went round.  Gears do: with a
ratio of 3/2 it takes two turns, with an irrational one, or a coupling that is no periodic function, there is
no end to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import singledispatch

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, floor
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.numeric.branch import Branch
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written

FULL = 2.0 * math.pi
MOST_TURNS = 12
"""Longest period that is looked for."""

TRIED = 5
"""Random places at which a coupling is asked whether it is periodic."""


def turns_after(loop: Loop, branch: Branch, turns: int) -> dict[str, Array]:
    """Changes of the dependent coordinates over the middle turns of a branch, by body, in full turns."""
    low, high = (loop.split(branch.at(branch.centre + sign * turns * math.pi)) for sign in (-1.0, 1.0))
    return {name: (high[name] - low[name]) / FULL for name in low}


def find_displaced_body(loop: Loop, branch: Branch, turns: int) -> tuple[str, float] | None:
    """The first body that is not where it was after some turns, and how far off; None if there is none."""
    low, high = (loop.split(branch.at(branch.centre + sign * turns * math.pi)) for sign in (-1.0, 1.0))
    for body in loop.dependent:
        hinge = body.inboard
        poses = [hinge.pose(hinge.configuration(end[body.name])) for end in (low, high)]
        apart = max(float(np.max(np.abs(a - b))) for a, b in zip(*poses, strict=True))
        if apart > 1e-6 * max(1.0, branch.kernel.size):
            return body.name, apart
    return None


def likely_period(loop: Loop, branch: Branch) -> int | None:
    """Turns after which geared angles have made whole turns; None if that takes too many."""
    period = 1
    for body in loop.dependent:
        changes = turns_after(loop, branch, 1)[body.name]
        for change, unit in zip(changes, body.inboard.coordinate_units, strict=True):
            fraction = Fraction(float(change)).limit_denominator(MOST_TURNS)
            # bars make no fraction of a turn: they come back with the gears, or not at all
            if unit == "rad" and abs(float(fraction) - float(change)) <= 1e-9:
                period = math.lcm(period, fraction.denominator)
    return period if period <= MOST_TURNS else None


def repeats(loop: Loop, branch: Branch, parameter: str, turns: int) -> bool:
    """Return True if couplings are the same functions after some turns of the parameter."""
    changes = turns_after(loop, branch, turns)
    shifts = {name: FULL * np.round(change) for name, change in changes.items()}
    shifts[parameter] = np.array((FULL * turns,))
    return all(is_periodic(edge, shifts) for edge in loop.closures)


@singledispatch
def is_periodic(edge: CutEdge, shifts: Mapping[str, Array]) -> bool:
    """Return True if a closure has the same residual everywhere after coordinates are shifted."""
    return True


@is_periodic.register
def _(edge: Written, shifts: Mapping[str, Array]) -> bool:
    return not edge.hinged


@is_periodic.register
def _(edge: Coupled, shifts: Mapping[str, Array]) -> bool:
    random = np.random.default_rng(0)
    for q in random.uniform(-math.pi, math.pi, (TRIED, len(edge.coordinates))):
        shift = [float(shifts[body.name][k]) if body.name in shifts else 0.0 for body, k in edge.coordinates]
        before, after = edge.coupling.residual(q), edge.coupling.residual(q + shift)
        size = 1.0 + abs(float(before)) + float(np.max(np.abs(shift)))
        if not abs(float(after) - float(before)) <= 1e-9 * size:
            return False
    return True


def within(theta: Scalar, turns: int, centre: float = 0.0) -> Scalar:
    """An angle less whole periods of some turns, at most half a period from the centre."""
    period = FULL * turns
    if centre:
        return within(theta - centre, turns) + centre
    return theta - period * floor((theta + 0.5 * period) / period)
