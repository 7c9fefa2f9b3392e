"""Detects runs of an ensemble that jumped over the limit of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import COMPLETED, LaneOutcome
from ce_dynamics.simulation.monitors.jumps import reproduced
from ce_dynamics.simulation.monitors.promises import Fault
from ce_dynamics.simulation.monitors.reach import Reaches, RunObservations, first_jump

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.workspace import Code


class SingleRun:
    """``[ẏ; Ẇ](t, [y; W])`` of one run.

    Parameters
    ----------
    model : Model
    control : CompiledFunction or None
        Its law, compiled for several lanes.
    runs : Runs
    run : int

    Attributes
    ----------
    evaluations : int
        Number of calls.
    """

    def __init__(self, model: Model, control: CompiledFunction | None, runs: Runs, run: int) -> None:
        self.evaluations = 0
        self._given = model, control, runs, run
        self._n = len(model.layout.y0)
        self._bound = None if control is None else control.bind()

    def audit(self) -> SingleRun:
        """Return a copy that counts its evaluations from zero."""
        return SingleRun(*self._given)

    def inputs_at(self, t: float, y: Floats) -> Floats:
        """Return inputs and parameters at an instant."""
        _, _, runs, run = self._given
        u = runs.inputs_at(run, t)
        if self._bound is None:
            return u
        for name, values in (("t", np.array((t,))), ("y", y[: self._n]), ("held", u)):
            self._bound.inputs[name][:] = values[:, np.newaxis]
        self._bound.run()
        return self._bound.outputs["u"][:, 0].copy()

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rates at an instant."""
        self.evaluations += 1
        (rates,) = self._given[0].audited_dynamics(y[: self._n], self.inputs_at(t, y))
        return rates


def thrown_runs(
    model: Model, code: Code, runs: Runs, t: Floats, members: Sequence[int], outcome: LaneOutcome
) -> dict[int, Fault]:
    """Return by lane the fault of each run that jumped over a dead centre, with its first instant."""
    if not model.geared_loops:
        return {}
    found, reaches = {}, Reaches(model)
    is_checked = (code.observer or code).observation is not None and not reaches.known
    for lane, run in enumerate(members):
        if is_checked and outcome.calm[lane] and int(outcome.state[lane]) == COMPLETED:
            continue
        stored = int(np.isfinite(outcome.Y[:, 0, lane]).sum())
        alone = SingleRun(model, code.control, runs, run)
        stopped = int(outcome.state[lane]) != COMPLETED
        states = outcome.Y[:stored, :, lane]
        seen = RunObservations(outcome.U[:stored, :, lane], outcome.gearing[:stored, :, lane])
        known = seen if seen.gearing.shape[1] else None
        near = reaches.near(t[:stored], states, alone.inputs_at, known)
        jump = first_jump(near, t[:stored], states, reproduced(model, alone.audit), stopped)
        if jump is not None and jump.what:
            found[lane] = Fault(int(np.sum(t[:stored] <= jump.t)), jump.what)
    return found
