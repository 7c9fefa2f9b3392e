"""The steps of a run: of first order, or of higher order between events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.embedded import UnilateralModel
from ce_dynamics.complementarity.gauss_seidel import Solver
from ce_dynamics.complementarity.recorder import InputsOverTime, Recorder
from ce_dynamics.complementarity.smooth import Acting, SmoothSteps
from ce_dynamics.complementarity.solvers.chain import Patience
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.monitors.charts import Charts

PARTS = 64
"""Part of a step of higher order that is left to a step of first order where rows begin or cease to act."""
LONGEST = 8
"""Such parts that one step of first order takes at most: twice as many as the one before where that changed
nothing.  What has just begun to slide turns so fast that explicit methods do not follow for a while."""


def advance(
    unilateral: UnilateralModel,
    law: InputsOverTime,
    y: Floats,
    steps: int,
    solver: Solver,
    recorder: Recorder,
    progress: Callable[[float], None] | None,
    smooth: SmoothSteps | None = None,
) -> None:
    """Make all steps."""
    charts = Charts(unilateral.model)
    way = Way(unilateral, law, solver, recorder, smooth)
    y = np.array(y)
    charts.renew(y)
    recorder.store(y, unilateral.stage(0.0, y, law.at(0.0, y)).psi, way.force)
    recorder.passed(y, way.force)
    for k in range(steps):
        y = way.step(y)
        if not np.all(np.isfinite(y)):
            raise SimulationError("the state is no longer finite")
        if charts.renew(y):
            way.acting = None
        recorder.count = k + 1
        recorder.passed(y, way.force)
        if k == 0:
            recorder.stored[0] = recorder.stored[0]._replace(force=way.force)
        if recorder.count % recorder.every == 0 or recorder.count == steps:
            psi = unilateral.stage(recorder.t, y, law.at(recorder.t, y)).psi
            recorder.store(y, psi, way.force)
            if progress is not None:
                progress(recorder.t)


class Way:
    """Makes one step after the other.

    Attributes
    ----------
    force : (m,) array
        Multipliers of the last step.
    acting : Acting or None
        Rows that acted last, and how; None where that is not known.
    """

    def __init__(
        self,
        unilateral: UnilateralModel,
        law: InputsOverTime,
        solver: Solver,
        recorder: Recorder,
        smooth: SmoothSteps | None,
    ) -> None:
        self.unilateral, self.law, self.patience = unilateral, law, Patience(solver)
        self.recorder, self.smooth = recorder, smooth
        self.force = np.zeros(len(unilateral.row_names))
        self.acting: Acting | None = None
        self._parts = 1  # of the next step of first order

    def step(self, y: Floats) -> Floats:
        """The state a step later."""
        t, h = self.recorder.t, self.recorder.h
        if self.smooth is None:
            return self._first_order(t, y, h)
        if self.acting is None and self.recorder.count == 0:
            self.acting = self._acting_at_first(y)
        # parts of h/2^k: halved down to where an event is, doubled behind it
        part, done = PARTS, 0
        while done < PARTS:
            found = self._of_higher_order(self.smooth, t + h * done / PARTS, y, h * part / PARTS)
            if found is not None:
                y, done = found, done + part
                if part > self._parts:
                    self._parts = 1
                part = min(2 * part, PARTS - done)
            elif part > self._parts:
                part //= 2
            else:
                parts, before = min(self._parts, PARTS - done), self.acting
                y = self._across_an_event(self.smooth, t + h * done / PARTS, y, h * parts / PARTS)
                done += parts
                self._parts = min(2 * parts, LONGEST) if alike(before, self.acting) else 1
            while part > 1 and (done % part or done + part > PARTS):
                part //= 2
        return y

    def _of_higher_order(self, smooth: SmoothSteps, t: float, y: Floats, h: float) -> Floats | None:
        """The state after a part of a step in which the same rows act; None if they do not."""
        done = None if self.acting is None else smooth.step(t, y, h, self.acting)
        if done is None:
            return None
        self.force = done.multipliers
        self.recorder.work += done.work
        self.recorder.contact_work += done.contact_work
        self.recorder.smooth += 1
        self.recorder.watch.look(t + h, self.force)
        return done.y

    def _across_an_event(self, smooth: SmoothSteps, t: float, y: Floats, h: float) -> Floats:
        """The state after a short step of first order, on the conditions that it left behind."""
        y = self._first_order(t, y, h, smooth.turning(t, y, h))
        entered = None if self.acting is None else smooth.projected(t + h, y, self.acting)
        if entered is None:
            return y
        self.recorder.contact_work += entered[1]
        return entered[0]

    def _acting_at_first(self, y: Floats) -> Acting | None:
        """Return the rows that act at the start, from a short trial step that leaves the state unchanged."""
        assert self.smooth is not None
        h = self.recorder.h / PARTS
        turning = self.smooth.turning(0.0, y, h)
        done = self.unilateral.step(0.0, y, self.law.at(0.0, y), h, self.patience.solver, turning=turning)
        return self.smooth.acting(done.solution.p, done.stage.mu, h, done.stage.rate)

    def _first_order(self, t: float, y: Floats, h: float, turning: Floats | None = None) -> Floats:
        recorder = self.recorder
        u, start = self.law.at(t, y), h * self.force
        done = self.unilateral.step(t, y, u, h, self.patience.solver, start, turning)
        self.patience.learn(done.solution.converged)
        recorder.work += h * done.stage.power
        recorder.contact_work += done.work
        recorder.solved(done.solution, done.stage.rate)
        recorder.watch.look(t + h, done.solution.p)
        self.force = done.solution.p / h
        if self.smooth is not None:
            _, v, _ = self.unilateral.model.layout.split(y)
            after = done.stage.rate + done.stage.GT @ (done.solution.v - v)
            self.acting = self.smooth.acting(done.solution.p, done.stage.mu, h, after)
        return done.y


def alike(one: Acting | None, other: Acting | None) -> bool:
    """Return True if the same rows act, and in the same way."""
    if one is None or other is None:
        return False
    return bool(np.array_equal(one.held, other.held) and np.array_equal(one.sliding, other.sliding))
