"""Where a run broke: the loop that leaves its admissible range at the last state or shortly after it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.simulation.monitors.dead_centres import straight_path_text
from ce_dynamics.simulation.monitors.monitor import Monitor, Run
from ce_dynamics.simulation.right_hand_side import RightHandSide

AHEAD = np.concatenate(([0.0], np.geomspace(1e-9, 0.1, 25)))
"""How far beyond the last state a loop is looked for that cannot be assembled [s]."""


class LeftItsRange(Monitor):
    """Says which loop a run could not go on with."""

    asked = 2
    says_all = False

    def where(self, run: Run) -> str:
        if run.cause != "by itself":
            return ""
        return where_it_broke(run.model, run.rhs, float(run.t[-1]), run.Y[-1])


def where_it_broke(model: Model, rhs: RightHandSide, t: float, y: Floats) -> str:
    """Which loop left its admissible range shortly after the last state, as a clause for messages."""

    def broken_at(ahead: float, state: Floats) -> Aggregate | None:
        u = rhs.inputs_at(t + ahead, state).copy()
        return model.unassembled(state[: len(model.layout.y0)], u)

    return left_range(broken_at, y, rhs(t, y))


def left_range(broken_at: Callable[[float, Floats], Aggregate | None], y: Floats, y_dot: Floats) -> str:
    """As `where_it_broke`, of whatever tells the loop that cannot be assembled a time ahead at a state."""
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for ahead in AHEAD:
        broken = broken_at(ahead, y + ahead * y_dot)
        if broken is not None:
            text = straight_path_text(broken) or reach_text(broken)
            return f"; the loop of {broken.name!r} left the range it can be assembled in{text}"
    return ""
