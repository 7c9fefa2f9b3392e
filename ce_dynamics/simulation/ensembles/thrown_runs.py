"""Which runs of an ensemble were thrown over the end of a loop's reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import COMPLETED, Outcome
from ce_dynamics.simulation.ensembles.single_run import SingleRun
from ce_dynamics.simulation.monitors.approaches import Approaches, Known
from ce_dynamics.simulation.monitors.jumps import thrown
from ce_dynamics.simulation.monitors.promises import Fault

if TYPE_CHECKING:
    from ce_dynamics.simulation.ensembles.lane_buffers import Code


def thrown_runs(
    model: Model, code: Code, runs: Runs, t: Floats, members: Sequence[int], outcome: Outcome
) -> dict[int, Fault]:
    """By lane what a run that was thrown over a dead centre is told, and from which instant on."""
    if not model.geared_loops:
        return {}
    found, approaches = {}, Approaches(model)
    suspects = suspected(approaches, code, t, outcome)
    for lane, run in enumerate(members):
        if not suspects[lane]:
            continue
        stored = int(np.isfinite(outcome.Y[:, 0, lane]).sum())
        alone = SingleRun(model, code.control, runs, run)
        stopped = int(outcome.state[lane]) != COMPLETED
        states = outcome.Y[:stored, :, lane]
        seen = Known(outcome.U[:stored, :, lane], outcome.gearing[:stored, :, lane])
        known = seen if seen.gearing.shape[1] else None
        jump = thrown(model, t[:stored], states, alone.inputs_at, alone.audited, stopped, approaches, known)
        if jump is not None:
            found[lane] = Fault(int(np.sum(t[:stored] <= jump.t)), jump.what)
    return found


def suspected(approaches: Approaches, code: Code, t: Floats, outcome: Outcome) -> NDArray[np.bool_]:
    """Which lanes are to be looked at one by one: those that did not complete, or come near a loop's end.

    All lanes are asked together: one by one, in Python, it took longer than a tenth of an adaptive run.
    """
    lanes = outcome.Y.shape[2]
    by = (code.observer or code).observation
    whole = outcome.state == COMPLETED
    if by is None or not whole.all() or not np.isfinite(outcome.Y.sum()):
        return np.ones(lanes, dtype=np.bool_)

    def gearing_at(rows: NDArray[np.int64], states: Floats) -> Floats:
        inputs = np.ascontiguousarray(outcome.U[rows, :, np.arange(lanes)].T)
        parts = [slice(k, k + by.lanes) for k in range(0, lanes, by.lanes)]
        _, _, *gearing = zip(*(by(states[:, part], inputs[:, part]) for part in parts), strict=True)
        return np.concatenate(gearing[0], axis=1)

    return approaches.suspects(t, outcome.Y, outcome.gearing, gearing_at)
