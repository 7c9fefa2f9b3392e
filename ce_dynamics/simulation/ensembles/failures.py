"""Why runs failed: which loop is open or at its end, which force element answered no numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.simulation.monitors.approaches import standing_at_an_end
from ce_dynamics.simulation.monitors.dead_centres import where_it_stands
from ce_dynamics.simulation.monitors.where_it_broke import left_range, without_force


def broken_parts(model: Model, last: Sequence[tuple[Floats, Floats]]) -> list[str]:
    """For each last state and its inputs a clause for messages, empty if nothing is known to be broken."""
    return [broken_loop(model, y, u) or broken_element(model, y, u) for y, u in last]


def broken_element(model: Model, y: Floats, u: Floats) -> str:
    """Which force element does not answer with numbers at a state or shortly after it."""
    return without_force(model, lambda ahead, state: u, y, model.dynamics(y, u)[0].copy())


def broken_loop(model: Model, y: Floats, u: Floats) -> str:
    """Which loop cannot be assembled at a state or shortly after it, or stands at a dead centre."""
    if not model.system.closures:
        return ""

    def broken_at(ahead: float, state: Floats) -> Aggregate | None:
        (assembly,) = model.assembly(state, u)
        broken = np.flatnonzero(~np.isfinite(assembly))
        return model.embedding.aggregates[broken[0]] if len(broken) else None

    left = left_range(broken_at, y, model.dynamics(y, u)[0])
    return left or where_it_stands(standing_at_an_end(model, 0.0, y, lambda t, state: u), y)
