"""Runs of embedded systems with unilateral elements, in equal steps.

Messages about a run in equal steps: loops thrown over dead centres, reasons of a stop, residuals.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact.conditions import ConvergenceError, InfeasibleError
from ce_dynamics.contact.embedded import UnilateralModel
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.recorder import ContactRun, Recorder
from ce_dynamics.contact.solvers.chain import Chain
from ce_dynamics.contact.steps import SmoothSteps, StepLoop
from ce_dynamics.errors import AccuracyWarning, ModelError, SimulationError
from ce_dynamics.mechanism.signals import furthest_out, warn_out_of_range
from ce_dynamics.simulation.integrators.settings import check_steps
from ce_dynamics.simulation.monitors.failure_location import explain_break
from ce_dynamics.simulation.monitors.jumps import is_balanced
from ce_dynamics.simulation.monitors.reach import InputsAt, Jump, Reach, explain_dead_centre, judge_run
from ce_dynamics.simulation.options import lists_options
from ce_dynamics.simulation.results import dependent_hinges
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike


IMBALANCE = 0.05
"""Part of the kinetic energy by which the balance near a dead centre may be off in steps of first order."""


def jump_in(
    model: Model, t: Floats, Y: Floats, work: Floats, inputs_at: InputsAt, stopped: bool
) -> Jump | None:
    """Return the first passage near a dead centre whose energy does not balance; warn where one was near.

    `work` has been done on the system until each step, by rows too.  If the run `stopped` by failure, the
    steps near a dead centre before that are not sound.
    """

    def is_sound(reach: Reach, t: Floats, rows: Floats) -> bool:
        states, work = rows[:, :-1], float(rows[-1, -1] - rows[0, -1])
        return not reach.turns_back(states) and is_balanced(model, states[0], states[-1], work, IMBALANCE)

    return judge_run(model, (t, np.column_stack((Y, work))), inputs_at, is_sound, stopped, stacklevel=6)


def count_balanced(results: xr.Dataset) -> int:
    """Return the number of instants before energy and work differ by more than the share `IMBALANCE`."""
    energy, work = results["energy"].values, (results["work"] + results["contact_work"]).values
    off = np.abs(energy - energy[0] - work)
    turned_over = np.maximum.accumulate(np.abs(energy - energy[0]) + np.abs(work))
    size = np.maximum.accumulate(np.abs(energy))
    wrong = off > IMBALANCE * (turned_over + size)
    return int(np.argmax(wrong)) if np.any(wrong) else len(energy)


def explain_stop(model: Model, law: RightHandSide, t: float, y: Floats) -> str:
    """Return a clause for messages that names the loop or force element at which a run stopped.

    The loop stands at a dead centre or leaves its range.  The clause is empty without geared loops.
    """
    if not model.geared_loops:
        return ""
    return explain_dead_centre(model, t, y, law.inputs_at) or explain_break(model, law, t, y)


def warn_of_remains(unresolved: int, steps: int, residual: float, speed: float) -> None:
    """Say how many steps were taken with less than the solver's tolerance, and how much was left."""
    if unresolved:
        share = f", {residual / speed:.1e} of the largest rate of a row" if speed > 0.0 else ""
        warnings.warn(
            f"{unresolved} of {steps} steps were taken with the best impulses found; up to {residual:.2g} m/s"
            f" (or rad/s) of a row's condition remained{share}; shorter steps leave less",
            AccuracyWarning,
            stacklevel=4,
        )


MOST_STEPS = 10**9
"""Largest number of steps of one run: a day or more of the fastest model's work."""

PER_INSTANT = 64
"""Numbers whose memory the objects take that keep an instant: a tuple, three arrays, three floats."""


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """Options of a run in equal steps.

    Parameters
    ----------
    duration : float
        End time [s].
    step : float
        h [s]; the duration is divided into the next larger number of equal steps.
    solver : Solver, optional
        `Chain` with its default tolerance if not given.
    interval : float
        Time between stored instants, rounded to whole steps [s].
    progress : callable, optional
        Called with the time reached [s] after every stored instant.

    Raises
    ------
    ModelError
        If duration, step or interval is not positive.
    """

    duration: float
    step: float = 1e-3
    solver: Solver | None = None
    interval: float = 0.01
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "step", "interval"):
            checks.seconds(name, getattr(self, name))
        if self.solver is not None:
            checks.provides("solver", self.solver, ("solve",), "a solver, such as Chain()")
        if self.progress is not None:
            checks.function("progress", self.progress, " of the time reached")
        check_steps(self.duration, self.step, MOST_STEPS)

    @property
    def chosen_solver(self) -> Solver:
        """Solver in use."""
        return Chain() if self.solver is None else self.solver

    @property
    def steps(self) -> int:
        """Number of steps."""
        return max(1, math.ceil(self.duration / self.step * (1.0 - 1e-12)))

    @property
    def every(self) -> int:
        """Steps from one stored instant to the next."""
        return max(1, round(min(self.interval / self.duration, 1.0) * self.steps))


@dataclass(frozen=True, kw_only=True)
class UnilateralOptions(StepOptions):
    """Options of a run with unilateral elements, those of `StepOptions` among them.

    Parameters
    ----------
    y0 : array_like, optional
        Initial state; that of the model if not given.
    order : {1, 2, 4}
        Of the steps between events; see `ce_dynamics.contact.steps`.  Above 1, a step in which rows begin or
        cease to act is divided, and across the event goes one of h/64 and of first order, or up to h/8 where
        several in a row change nothing.
    hinges : iterable of str, or str
        As for `ce_dynamics.simulate`.
    """

    y0: ArrayLike | None = None
    order: int = 1
    hinges: Iterable[str] | str = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if checks.integer("simulate_unilateral: order", self.order) not in (1, 2, 4):
            raise ModelError(f"simulate_unilateral: order {checks.show(self.order)} must be 1, 2 or 4")


@lists_options(UnilateralOptions)
def simulate_unilateral(unilateral: UnilateralModel, inputs: Inputs = None, **options: Any) -> ContactRun:
    """Advance a model with unilateral elements by time stepping.

    Parameters
    ----------
    unilateral : UnilateralModel
    inputs : InputLaw or mapping of str to float, optional
        As for `ce_dynamics.simulate`.
    **options
        Fields of `UnilateralOptions`, such as ``duration`` [s], ``step``, ``order``, ``y0`` and ``solver``.

    Raises
    ------
    InitialStateError
        If the initial state violates a unilateral condition.
    ModelError
        If an option is invalid or an input unknown.
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
    chosen = UnilateralOptions(**options)
    model, steps, solver = unilateral.model, chosen.steps, chosen.chosen_solver
    start = model.given_state(chosen.y0, "y0")
    check_room(unilateral, steps, chosen.duration / chosen.interval)
    law = RightHandSide(model, inputs)
    recorder = Recorder(
        unilateral, chosen.duration / steps, chosen.every, dependent_hinges(model, chosen.hinges)
    )
    unilateral.check_start(0.0, start, law.inputs_at(0.0, start))
    smooth = None
    if chosen.order > 1:
        smooth = SmoothSteps(unilateral, chosen.order, law.inputs_at(0.0, start), law.control)
    began = time.perf_counter()
    trouble, cause = "", None
    try:
        StepLoop(unilateral, law, solver, recorder, smooth).run(start, steps, chosen.progress)
    except KeyboardInterrupt:
        trouble = f"interrupted at t = {recorder.t:.4g} s"
    except (SimulationError, ModelError, np.linalg.LinAlgError) as error:
        trouble, cause = f"the step from t = {recorder.t:.4g} s found no solution: {error}", error
    wall = time.perf_counter() - began
    if trouble:
        recorder.store_last(law)
    jump = jump_in(model, *recorder.way, law.inputs_at, bool(cause))
    if jump is not None and jump.what:
        trouble = jump.what
    elif cause is not None:
        solved = isinstance(cause, (ConvergenceError, InfeasibleError))
        too_long = (
            f"; if it moves ever faster, steps of {recorder.h:.3g} s are too long for a spring or damper"
        )
        trouble += explain_stop(model, law, recorder.t, recorder.y) or ("" if solved else too_long)
    if jump is not None:
        recorder.forget_after(jump.t)
    run, fault = recorder.run(law, wall, solver)
    if fault is not None:
        trouble = trouble or fault.what
        recorder.forget_after(float(run.results.time[max(fault.k - 1, 0)]))
        run, _ = recorder.run(law, wall, solver)
    if trouble:
        sound = cause is None or not model.geared_loops
        balanced = len(recorder.stored) if sound else count_balanced(run.results)
        if balanced < len(recorder.stored):  # what led to it
            recorder.forget_after(float(run.results.time[max(balanced - 1, 0)]))
            run, _ = recorder.run(law, wall, solver)
        raise SimulationError(trouble, run) from cause
    if law.control is not None and model.ranges:
        columns = {entry.name: k for k, entry in enumerate(model.layout.u)}
        warn_out_of_range(model.ranges, furthest_out(model.ranges, columns, *recorder.inputs(law)))
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
    checks.limit_memory("simulate_unilateral: what is stored of the run", size, remedy)
