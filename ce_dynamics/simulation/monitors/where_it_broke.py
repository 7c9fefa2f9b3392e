"""Finds the loop or force element at which a run broke.

The loop leaves its admissible range at the last state or shortly after it, or the force element has no
finite values there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.simulation.monitors.dead_centres import straight_path_text
from ce_dynamics.simulation.monitors.monitor import Monitor, Run
from ce_dynamics.simulation.right_hand_side import RightHandSide

AHEAD = np.concatenate(([0.0], np.geomspace(1e-9, 0.1, 25)))
"""Times beyond the last state at which loops are checked for assembly [s]."""


class LeftItsRange(Monitor):
    """Says with which loop or force element a run could not go on."""

    asked = 2
    says_all = False

    def where(self, run: Run) -> str:
        if run.cause != "by itself":
            return ""
        return where_it_broke(run.model, run.rhs, float(run.t[-1]), run.Y[-1])


def where_it_broke(model: Model, rhs: RightHandSide, t: float, y: Floats) -> str:
    """The loop that left its range shortly after the last state, or the force, as a clause for messages."""
    n = len(model.layout.y0)

    def broken_at(ahead: float, state: Floats) -> Aggregate | None:
        return model.unassembled(state[:n], rhs.inputs_at(t + ahead, state).copy())

    y_dot = rhs(t, y).copy()
    return left_range(broken_at, y, y_dot) or without_force(
        model, lambda ahead, state: rhs.inputs_at(t + ahead, state).copy(), y[:n], y_dot[:n]
    )


def left_range(broken_at: Callable[[float, Floats], Aggregate | None], y: Floats, y_dot: Floats) -> str:
    """Return a clause on the loop that leaves its range at a state or shortly after it; empty if none.

    `broken_at` returns the loop that cannot be assembled at a time ahead [s] and a state; see
    `where_it_broke`.
    """
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for ahead in AHEAD:
        broken = broken_at(ahead, y + ahead * y_dot)
        if broken is not None and chart_of(broken):
            return (
                f"; the loop of {broken.name!r} went further than its chart reaches between two looks at it; "
                "give a shorter step or max_step"
            )
        if broken is not None:
            text = straight_path_text(broken) or reach_text(broken)
            return f"; the loop of {broken.name!r} left the range it can be assembled in{text}"
    return ""


def without_force(model: Model, inputs: Callable[[float, Floats], Floats], y: Floats, y_dot: Floats) -> str:
    """Return a clause on the force element without finite values at a state or after it; empty if none."""
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for ahead in AHEAD:
        state = y + ahead * y_dot
        u = inputs(ahead, state)
        if not np.all(np.isfinite(model.dynamics(state, u)[0])):
            broken = model.broken_force(state, u)
            return f"; {broken} there" if broken else ""
    return ""
