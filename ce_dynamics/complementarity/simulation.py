"""Runs of embedded systems with unilateral elements, in equal steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.complementarity.embedded import UnilateralModel
from ce_dynamics.complementarity.errors import ConvergenceError, InfeasibleError
from ce_dynamics.complementarity.events import Event, EventWatch
from ce_dynamics.complementarity.explanations import (
    balanced_until,
    jump_in,
    warn_of_remains,
    why_it_stopped,
)
from ce_dynamics.complementarity.gauss_seidel import Solver
from ce_dynamics.complementarity.problem import Solution
from ce_dynamics.complementarity.smooth import Acting, SmoothSteps
from ce_dynamics.complementarity.solvers.chain import Chain
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.input_ranges import furthest_out, warn_out_of_range
from ce_dynamics.simulation.integrators.settings import check_steps
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.monitors.promises import Fault, Promises
from ce_dynamics.simulation.results import observed, record
from ce_dynamics.simulation.right_hand_side import Inputs, constant_inputs

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike


MOST_STEPS = 10**9
"""Of one run: a day or more of the fastest model's work."""

PER_INSTANT = 64
"""Numbers whose memory the objects take that keep an instant: a tuple, three arrays, three floats."""

PARTS = 64
"""Part of a step of higher order that is left to a step of first order where rows begin or cease to act."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a run cost.

    Attributes
    ----------
    steps : int
    sweeps_mean, sweeps_max : float
        Of an iterative solver, per problem.
    residual_max : float
        [m/s or rad/s].
    wall : float
        [s].
    unresolved : int
        Problems whose residual exceeds the solver's tolerance; their best impulses were taken.
    smooth : int
        Steps of higher order and parts of such.
    """

    steps: int
    sweeps_mean: float
    sweeps_max: float
    residual_max: float
    wall: float
    unresolved: int = 0
    smooth: int = 0


@dataclass(frozen=True, eq=False)
class Run:
    """Results of a run.

    Attributes
    ----------
    results : xarray.Dataset
        What `ce_dynamics.simulate` returns, and over ``time`` and ``row``: ``multiplier`` (the force or
        torque of the step that ends at an instant, at first of that which begins there; for an impact the
        impulse divided by the step), ``gap``;
        over ``time``: ``work`` of force elements and prescribed motions, ``contact_work`` of the rows, which
        are all that changes ``energy``, but for errors of the order of the step.
    events : list of Event
    statistics : Statistics
    """

    results: xr.Dataset
    events: list[Event]
    statistics: Statistics


def simulate_unilateral(
    unilateral: UnilateralModel,
    inputs: Inputs = None,
    *,
    duration: float,
    step: float = 1e-3,
    y0: ArrayLike | None = None,
    solver: Solver | None = None,
    order: int = 1,
    interval: float = 0.01,
    progress: Callable[[float], None] | None = None,
) -> Run:
    """Advance a model with unilateral elements by time stepping.

    Parameters
    ----------
    unilateral : UnilateralModel
    inputs : InputLaw or mapping of str to float, optional
        As for `ce_dynamics.simulate`.
    duration : float
        End time [s].
    step : float
        h [s]; the duration is divided into the next larger number of equal steps.
    y0 : array_like, optional
        Initial state; that of the model if not given.
    solver : Solver, optional
        `Chain` with its default tolerance if not given.
    order : {1, 2, 4}
        Of the steps between events; see `ce_dynamics.complementarity.smooth`.  Above 1, a step in which rows
        begin or cease to act is divided, and across the event goes one of h/64 and of first order.
    interval : float
        Time between stored instants, rounded to whole steps [s].
    progress : callable, optional
        Called with the time reached [s] after every stored instant.

    Raises
    ------
    InitialStateError
        If the initial state violates a unilateral condition.
    ModelError
        If duration, step or interval is not positive, or an input unknown.
    SimulationError
        If a step finds no solution, a loop leaves its range or is thrown over a dead centre, a stored instant
        has an open loop or a number that is not finite, or the run is interrupted; ``partial`` holds the
        results up to there.

    Warns
    -----
    RangeWarning
        Where a law answers an input out of its range.
    SingularityWarning
        Where a loop came near a dead centre.
    AccuracyWarning
        If steps had to be taken with impulses that satisfy their conditions less well than the solver's
        tolerance.
    """
    what = "a UnilateralModel(model, elements)"
    checks.instance("simulate_unilateral: unilateral", unilateral, UnilateralModel, what)
    if solver is not None:
        checks.provides("simulate_unilateral: solver", solver, ("solve",), "a solver, such as Chain()")
    for name, value in (("duration", duration), ("step", step), ("interval", interval)):
        checks.number(f"simulate_unilateral: {name}", value, above=0.0)
    if checks.integer("simulate_unilateral: order", order) not in (1, 2, 4):
        raise ModelError(f"simulate_unilateral: order {checks.shown(order)} must be 1, 2 or 4")
    check_steps(duration, step, MOST_STEPS)
    if progress is not None:
        checks.function("progress", progress, " of the time reached")
    model = unilateral.model
    start = model.start_at(y0)
    steps = max(1, math.ceil(duration / step * (1.0 - 1e-12)))
    check_room(unilateral, steps, duration / interval)
    law = InputsOverTime(model, inputs)
    chosen = Chain() if solver is None else solver
    every = max(1, round(min(interval / duration, 1.0) * steps))
    recorder = Recorder(unilateral, duration / steps, every)
    unilateral.check_start(0.0, start, law.at(0.0, start))
    smooth = SmoothSteps(unilateral, order, law.at) if order > 1 else None
    began = time.perf_counter()
    trouble, cause = "", None
    try:
        advance(unilateral, law, start, steps, chosen, recorder, progress, smooth)
    except KeyboardInterrupt:
        trouble = f"interrupted at t = {recorder.t:.4g} s"
    except (SimulationError, ModelError, np.linalg.LinAlgError) as error:
        trouble, cause = f"the step from t = {recorder.t:.4g} s found no solution: {error}", error
    wall = time.perf_counter() - began
    jump = jump_in(model, *recorder.way, law.at, bool(cause))
    if jump is not None and jump.what:
        trouble = jump.what
    elif cause is not None:
        solved = isinstance(cause, (ConvergenceError, InfeasibleError))
        too_long = (
            f"; if it moves ever faster, steps of {recorder.h:.3g} s are too long for a spring or damper"
        )
        trouble += why_it_stopped(model, inputs, recorder.t, recorder.y) or ("" if solved else too_long)
    if jump is not None:
        recorder.forget_after(jump.t)
    run, fault = recorder.run(law, wall, chosen)
    if fault is not None:
        trouble = trouble or fault.what
        recorder.forget_after(float(run.results.time[max(fault.k - 1, 0)]))
        run, _ = recorder.run(law, wall, chosen)
    if trouble:
        sound = cause is None or not model.geared_loops
        balanced = len(recorder.stored) if sound else balanced_until(run.results)
        if balanced < len(recorder.stored):  # what led to it
            recorder.forget_after(float(run.results.time[max(balanced - 1, 0)]))
            run, _ = recorder.run(law, wall, chosen)
        raise SimulationError(trouble, run) from cause
    law.warn_of_ranges(*recorder.inputs(law))
    statistics = run.statistics
    warn_of_remains(statistics.unresolved, recorder.problems, statistics.residual_max, recorder.speed)
    return run


def check_room(unilateral: UnilateralModel, steps: int, instants: float) -> None:
    """Refuse a run whose stored instants would not fit into memory, before any is taken."""
    model = unilateral.model
    columns = len(model.entries) + len(model.system.closures) + 2 * len(unilateral.row_names) + PER_INSTANT
    size = 8.0 * (min(instants, steps) + 2.0) * columns
    if model.geared_loops:  # whose way is watched
        size += 8.0 * steps * (len(model.layout.y0) + PER_INSTANT)
    remedy = "give a longer interval, a longer step or a shorter duration"
    checks.room("simulate_unilateral: what is stored of the run", size, remedy)


class InputsOverTime:
    """Inputs over time."""

    def __init__(self, model: Model, inputs: Inputs) -> None:
        self._model = model
        self._u = constant_inputs(model, inputs)
        self._control = None
        if inputs is not None and not isinstance(inputs, Mapping):
            self._control = model.control(inputs)

    def at(self, t: float, y: Floats) -> Floats:
        """U at time t and state y."""
        if self._control is None:
            return self._u
        u: Floats = self._control(np.array([t]), y)[0]
        return u

    def warn_of_ranges(self, t: Floats, U: Floats) -> None:
        """Say which inputs the law answered out of their ranges, at stored instants."""
        if self._control is not None and self._model.ranges:
            columns = {entry.name: k for k, entry in enumerate(self._model.layout.u)}
            warn_out_of_range(self._model.ranges, furthest_out(self._model.ranges, columns, t, U))


class Stored(NamedTuple):
    """What is stored of an instant; see `Run`."""

    t: float
    y: Floats
    gap: Floats
    force: Floats
    work: float
    contact_work: float


class Recorder:
    """Keeps what a run is to remember."""

    def __init__(self, unilateral: UnilateralModel, h: float, every: int) -> None:
        self.unilateral, self.h, self.every = unilateral, h, every
        self.watch = EventWatch(unilateral.row_names, unilateral.unilateral)
        self.count = self.problems = self.sweeps_sum = self.sweeps_max = self.unresolved = self.smooth = 0
        self.work = self.contact_work = self.residual = self.speed = 0.0
        self.stored: list[Stored] = []
        self._way: list[tuple[float, Floats, float]] = []

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self.count * self.h

    @property
    def y(self) -> Floats:
        """State reached."""
        return self._way[-1][1]

    @property
    def way(self) -> tuple[Floats, Floats, Floats]:
        """Times, states and work done so far, of all steps."""
        t, Y, work = (np.array(part) for part in zip(*self._way, strict=True))
        return t, Y, work

    def passed(self, y: Floats) -> None:
        """Take note of a state; all of them, where loops have dead centres to be watched."""
        here = self.t, y, self.work + self.contact_work
        if self.unilateral.model.geared_loops:
            self._way.append(here)
        else:
            self._way = [here]  # at once: Ctrl-C may come between any two statements

    def solved(self, solution: Solution, rate: Floats) -> None:
        """Take note of how well a problem was solved."""
        self.problems += 1
        self.sweeps_sum += solution.sweeps
        self.sweeps_max = max(self.sweeps_max, solution.sweeps)
        self.unresolved += not solution.converged
        self.residual = max(self.residual, solution.residual)
        self.speed = max(self.speed, float(np.max(np.abs(rate), initial=0.0)))

    def store(self, y: Floats, gap: Floats, force: Floats) -> None:
        """Store an instant."""
        self.stored.append(Stored(self.t, y, gap, force, self.work, self.contact_work))

    def forget_after(self, t: float) -> None:
        """Drop what is not sound, but for the start."""
        self.stored = [one for one in self.stored if one.t <= t] or self.stored[:1]
        self.watch.events = [event for event in self.watch.events if event.time <= t]

    def inputs(self, law: InputsOverTime) -> tuple[Floats, Floats]:
        """Stored instants, and the inputs at each."""
        U = np.array([law.at(one.t, one.y) for one in self.stored]).reshape(len(self.stored), -1)
        return np.array([one.t for one in self.stored]), U

    def run(self, law: InputsOverTime, wall: float, solver: Solver) -> tuple[Run, Fault | None]:
        """What was stored as a `Run`, and the first instant of it that breaks a promise, if any."""
        _, Y, gap, force, work, contact_work = (np.array(part) for part in zip(*self.stored, strict=True))
        t, U = self.inputs(law)
        model = self.unilateral.model
        about = {
            "system": model.system.name,
            "step": self.h,
            "solver": repr(solver),
            "wall_time_s": wall,
            "real_time_factor": self.t / wall if wall > 0.0 else math.inf,
        }
        seen = observed(model, Y, U)
        results = record(model, t, Y, U, about, seen).dataset()
        results = results.assign_coords(row=list(self.unilateral.row_names))
        results["multiplier"] = (("time", "row"), force, {"units": "N or N m"})
        results["gap"] = (("time", "row"), gap, {"units": "m or rad"})
        results["work"] = ("time", work, {"units": "J", "long_name": "work of loads and prescribed motions"})
        results["contact_work"] = ("time", contact_work, {"units": "J", "long_name": "work of the rows"})
        statistics = Statistics(
            self.count,
            self.sweeps_sum / max(self.problems, 1),
            float(self.sweeps_max),
            self.residual,
            wall,
            self.unresolved,
            self.smooth,
        )
        return Run(results, self.watch.events, statistics), Promises(model).first_fault(t, Y, U, seen)


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
    recorder.passed(y)
    for k in range(steps):
        y = way.step(y)
        if not np.all(np.isfinite(y)):
            raise SimulationError("the state is no longer finite")
        if charts.renew(y):
            way.acting = None
        recorder.count = k + 1
        recorder.passed(y)
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
        self.unilateral, self.law, self.solver = unilateral, law, solver
        self.recorder, self.smooth = recorder, smooth
        self.force = np.zeros(len(unilateral.row_names))
        self.acting: Acting | None = None

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
                part = min(2 * part, PARTS - done)
            elif part > 1:
                part //= 2
            else:
                y = self._across_an_event(self.smooth, t + h * done / PARTS, y, h / PARTS)
                done += 1
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
        y = self._first_order(t, y, h)
        entered = None if self.acting is None else smooth.projected(t + h, y, self.acting)
        if entered is None:
            return y
        self.recorder.contact_work += entered[1]
        return entered[0]

    def _acting_at_first(self, y: Floats) -> Acting | None:
        """Which rows act at the start: what a short step says, which is not made."""
        assert self.smooth is not None
        h = self.recorder.h / PARTS
        done = self.unilateral.step(0.0, y, self.law.at(0.0, y), h, self.solver)
        return self.smooth.acting(done.solution.p, done.stage.mu, h, done.stage.rate)

    def _first_order(self, t: float, y: Floats, h: float) -> Floats:
        recorder = self.recorder
        done = self.unilateral.step(t, y, self.law.at(t, y), h, self.solver, h * self.force)
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
