"""Runs of embedded systems with unilateral elements, in equal steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.model import Model
from ce_dynamics.complementarity.embedded import UnilateralModel
from ce_dynamics.complementarity.events import Event, EventWatch
from ce_dynamics.complementarity.gauss_seidel import GaussSeidel, Solver
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.results import dataset
from ce_dynamics.simulation.simulate import Inputs, constant_inputs

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a run cost.

    Attributes
    ----------
    steps : int
    sweeps_mean, sweeps_max : float
        Of an iterative solver, per step.
    residual_max : float
        [m/s or rad/s].
    wall : float
        [s].
    """

    steps: int
    sweeps_mean: float
    sweeps_max: float
    residual_max: float
    wall: float


@dataclass(frozen=True, eq=False)
class Run:
    """Results of a run.

    Attributes
    ----------
    results : xarray.Dataset
        What `ce_dynamics.simulate` returns, and over ``time`` and ``row``: ``multiplier`` (the force or
        torque of the step that ends at an instant; for an impact the impulse divided by the step), ``gap``;
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
        Gauss–Seidel with its default tolerance if not given.
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
        If a step finds no solution; ``partial`` holds the results up to it.
    """
    for name, value in (("duration", duration), ("step", step), ("interval", interval)):
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"simulate_unilateral: {name} = {value!r} must be a positive number of seconds")
    model = unilateral.model
    start = model.y0 if y0 is None else checked("y0", y0, len(model.layout.y0))
    steps = max(1, math.ceil(duration / step * (1.0 - 1e-12)))
    recorder = Recorder(unilateral, duration / steps, max(1, round(interval * steps / duration)))
    law = InputsOverTime(model, inputs)
    chosen = GaussSeidel() if solver is None else solver
    unilateral.check_start(0.0, start, law.at(0.0, start))
    began = time.perf_counter()
    try:
        advance(unilateral, law, start, steps, chosen, recorder, progress)
    except (SimulationError, ModelError, np.linalg.LinAlgError) as error:
        t = recorder.t
        raise SimulationError(
            f"the step from t = {t:.4g} s found no solution: {error}", recorder.run(law, began, chosen)
        ) from error
    return recorder.run(law, began, chosen)


class InputsOverTime:
    """Inputs over time."""

    def __init__(self, model: Model, inputs: Inputs) -> None:
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


class Recorder:
    """Keeps what a run is to remember."""

    def __init__(self, unilateral: UnilateralModel, h: float, every: int) -> None:
        self.unilateral, self.h, self.every = unilateral, h, every
        self.watch = EventWatch(unilateral.row_names, unilateral.unilateral)
        self.count = 0
        self.work = self.contact_work = 0.0
        self.sweeps: list[int] = []
        self.residual = 0.0
        self.stored: list[tuple[float, Floats, Floats, Floats, float, float]] = []

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self.count * self.h

    def store(self, y: Floats, gap: Floats, force: Floats) -> None:
        """Store an instant."""
        self.stored.append((self.t, y, gap, force, self.work, self.contact_work))

    def run(self, law: InputsOverTime, began: float, solver: Solver) -> Run:
        """What was stored as a `Run`."""
        t, Y, gap, force, work, contact_work = (np.array(part) for part in zip(*self.stored, strict=True))
        U = np.array([law.at(t_k, y_k) for t_k, y_k in zip(t, Y, strict=True)]).reshape(len(t), -1)
        wall = time.perf_counter() - began
        model = self.unilateral.model
        results = dataset(
            model, t, Y, U, {"system": model.system.name, "step": self.h, "solver": repr(solver)}
        )
        results = results.assign_coords(row=list(self.unilateral.row_names))
        results["multiplier"] = (("time", "row"), force, {"units": "N or N m"})
        results["gap"] = (("time", "row"), gap, {"units": "m or rad"})
        results["work"] = ("time", work, {"units": "J", "long_name": "work of loads and prescribed motions"})
        results["contact_work"] = ("time", contact_work, {"units": "J", "long_name": "work of the rows"})
        sweeps = np.array(self.sweeps or [0], dtype=float)
        statistics = Statistics(
            self.count, float(np.mean(sweeps)), float(np.max(sweeps)), self.residual, wall
        )
        return Run(results, self.watch.events, statistics)


def advance(
    unilateral: UnilateralModel,
    law: InputsOverTime,
    y: Floats,
    steps: int,
    solver: Solver,
    recorder: Recorder,
    progress: Callable[[float], None] | None,
) -> None:
    """Make all steps."""
    m, h = len(unilateral.row_names), recorder.h
    p = np.zeros(m)
    for k in range(steps):
        u = law.at(recorder.t, y)
        done = unilateral.step(recorder.t, y, u, h, solver, p)
        if k == 0:
            recorder.store(y, done.stage.psi, np.zeros(m))
        recorder.work += h * done.stage.power
        recorder.contact_work += done.work
        y, p = done.y, done.solution.p
        recorder.count = k + 1
        recorder.sweeps.append(done.solution.sweeps)
        recorder.residual = max(recorder.residual, done.solution.residual)
        recorder.watch.look(recorder.t, p)
        if recorder.count % recorder.every == 0 or recorder.count == steps:
            psi = unilateral.stage(recorder.t, y, law.at(recorder.t, y)).psi
            recorder.store(y, psi, p / h)
            if progress is not None:
                progress(recorder.t)
