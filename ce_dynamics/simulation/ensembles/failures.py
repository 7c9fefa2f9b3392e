"""Why runs failed: which loop could not be assembled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.model import Model

AHEAD = np.concatenate(([0.0], np.geomspace(1e-9, 0.1, 25)))
"""How far beyond the last state a loop is looked for that cannot be assembled [s]."""


def broken_loops(model: Model, last: Sequence[tuple[Floats, Floats]]) -> list[str]:
    """For each last state and its inputs a clause for messages, empty if all loops can be assembled."""
    return [broken_loop(model, y, u) for y, u in last]


def broken_loop(model: Model, y: Floats, u: Floats) -> str:
    """Which loop cannot be assembled at a state or shortly after it."""
    if not model.system.closures:
        return ""
    (y_dot,) = model.dynamics(y, u)
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for step in AHEAD:
        (assembly,) = model.assembly(y + step * y_dot, u)
        broken = np.flatnonzero(~np.isfinite(assembly))
        if len(broken):
            S = model.embedding.aggregates[broken[0]]
            return f"; the loop of {S.name!r} left the range it can be assembled in{reach_text(S)}"
    return ""
