"""Which runs of an ensemble were thrown over the end of a loop's reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import COMPLETED, Outcome
from ce_dynamics.simulation.ensembles.single_run import SingleRun
from ce_dynamics.simulation.monitors.jumps import thrown
from ce_dynamics.simulation.monitors.promises import Fault
from ce_dynamics.simulation.monitors.reach import Approaches


def thrown_runs(
    model: Model,
    control: CompiledFunction | None,
    runs: Runs,
    t: Floats,
    members: Sequence[int],
    outcome: Outcome,
) -> dict[int, Fault]:
    """By lane what a run that was thrown over a dead centre is told, and from which instant on."""
    if not model.geared_loops:
        return {}
    found, approaches = {}, Approaches(model)
    known = outcome.gearing if outcome.gearing.shape[1] else None
    for lane, run in enumerate(members):
        stored = int(np.isfinite(outcome.Y[:, 0, lane]).sum())
        alone = SingleRun(model, control, runs, run)
        stopped = int(outcome.state[lane]) != COMPLETED
        states = outcome.Y[:stored, :, lane]
        gearing = None if known is None else known[:stored, :, lane]
        jump = thrown(model, t[:stored], states, alone.inputs_at, alone.audited, stopped, approaches, gearing)
        if jump is not None:
            found[lane] = Fault(int(np.sum(t[:stored] <= jump.t)), jump.what)
    return found
