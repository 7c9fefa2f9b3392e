"""One run of an ensemble by itself: its inputs and rates at any time and state."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles.arguments import Runs


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
        How often it was called.
    """

    def __init__(self, model: Model, control: CompiledFunction | None, runs: Runs, run: int) -> None:
        self.evaluations = 0
        self._given = model, control, runs, run
        self._n = len(model.layout.y0)
        self._bound = None if control is None else control.bind()

    def audited(self) -> SingleRun:
        """The same, nothing counted yet."""
        return SingleRun(*self._given)

    def inputs_at(self, t: float, y: Floats) -> Floats:
        """Inputs and parameters at an instant."""
        _, _, runs, run = self._given
        u = runs.inputs_at(run, t)
        if self._bound is None:
            return u
        for name, values in (("t", np.array((t,))), ("y", y[: self._n]), ("held", u)):
            self._bound.inputs[name][:] = values[:, np.newaxis]
        self._bound.run()
        return self._bound.outputs["u"][:, 0].copy()

    def __call__(self, t: float, y: Floats) -> Floats:
        """Evaluate."""
        self.evaluations += 1
        (rates,) = self._given[0].audited_dynamics(y[: self._n], self.inputs_at(t, y))
        return rates
