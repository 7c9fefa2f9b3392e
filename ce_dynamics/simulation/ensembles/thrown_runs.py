"""Which runs of an ensemble were thrown over the end of a loop's reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import COMPLETED, Outcome
from ce_dynamics.simulation.ensembles.single_run import SingleRun
from ce_dynamics.simulation.monitors.approaches import Approaches, Known, ended_of
from ce_dynamics.simulation.monitors.jumps import thrown
from ce_dynamics.simulation.monitors.promises import Fault

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.workspace import Code


def thrown_runs(
    model: Model, code: Code, runs: Runs, t: Floats, members: Sequence[int], outcome: Outcome
) -> dict[int, Fault]:
    """By lane what a run that was thrown over a dead centre is told, and from which instant on."""
    if not model.geared_loops:
        return {}
    found, approaches = {}, Approaches(model)
    told = (code.observer or code).observation is not None and not ended_of(model).known
    for lane, run in enumerate(members):
        if told and outcome.calm[lane] and int(outcome.state[lane]) == COMPLETED:
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
