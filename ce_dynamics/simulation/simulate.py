"""Simulation: native and SciPy's integrators on the compiled evaluation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import AccuracyWarning, SimulationError
from ce_dynamics.simulation.monitors.failure_location import LeftItsRange, NearSingular
from ce_dynamics.simulation.monitors.jumps import Jumps
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor
from ce_dynamics.simulation.monitors.postconditions import EnergyBalance, InputRanges, Postconditions
from ce_dynamics.simulation.monitors.unstable_steps import UnstableSteps
from ce_dynamics.simulation.native_run import integrate_native, make_stepper
from ce_dynamics.simulation.options import (
    INTERRUPTED,
    Method as Method,
    RunOptions as RunOptions,
    list_times,
    takes_options,
)
from ce_dynamics.simulation.results import (
    WORK,
    Record,
    ResultVariable,
    dependent_hinges,
    external_work,
    hinge_columns,
    record,
)
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide
from ce_dynamics.simulation.scipy_run import import_integrators, integrate

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.simulation.integrators.stepper import Stepper


def monitors_of(model: Model) -> tuple[Monitor, ...]:
    """Return the monitors that judge a finished run of a model, in this order."""
    return (
        Jumps(),
        Postconditions.of(model),
        InputRanges(),
        NearSingular(),
        EnergyBalance(),
        UnstableSteps(),
        LeftItsRange(),
    )


def explain_end(monitors: Sequence[Monitor], run: FinishedRun) -> str:
    """Return the cause and the place of the failure of a run; empty for a sound run."""
    text = run.trouble
    if text:
        for monitor in sorted(monitors, key=lambda monitor: monitor.order):
            clause = monitor.explain(run)
            text += clause
            if clause and monitor.says_all:
                break
    return text


@takes_options(RunOptions)
def simulate(model: Model, inputs: Inputs = None, **options: Any) -> xr.Dataset:
    """Integrate a model and return its named results.

    Parameters
    ----------
    model : Model
    inputs : InputLaw or mapping of str to float, optional
        A law that answers the inputs from time and sensors, or constant values; defaults where not given.
    duration : float
        End time [s]; the start is t = 0.
    y0 : array_like, optional
        Initial state; that of the model if not given.
    method : str
        A method of `scipy.integrate.solve_ivp`, or one that runs wholly in compiled code: ``rk4``,
        ``rosenbrock``, ``implicit-euler`` (fixed steps; the last two for stiff models), ``dopri5`` or
        ``tsit5`` (adaptive); see `ce_dynamics.simulation.integrators`.
    rtol, atol : float, optional
        Relative and absolute error per step of the adaptive methods; 1e-6 and 1e-8 if not given.
    interval : float
        Time between stored instants [s].
    max_step : float, optional
        Longest step of the adaptive methods [s]; any if not given.
    step : float, optional
        Step of the fixed-step methods [s], 1 ms if not given; shortened where it does not divide
        ``interval``.
    jacobian_every : int, optional
        Steps that ``rosenbrock`` and ``implicit-euler`` make with one Jacobian, 1 if not given.  Both keep
        their order whatever it is; how stiff a model may be depends on how fast its Jacobian changes.
    audit : bool
        Integrate the work done on the system as well (variable ``work``): by drives, and by force elements
        beyond what they store.  ``energy`` changes by it.
    parameters : mapping of str to float, optional
        Free parameters by name; nominal values where not given.
    progress : callable, optional
        Called with the time reached [s] after every step; native methods call it every few hundred steps.
    hinges : iterable of str, or str, optional
        Bodies whose dependent or prescribed hinges are recorded too, coordinates and rates; ``"all"`` for
        those of all bodies.

    Returns
    -------
    xarray.Dataset
        States, inputs, outputs and closure errors over ``time``, with units.

    Raises
    ------
    ModelError
        For wrong arguments, and for options that the method does not have.
    SimulationError
        If the integration stops before its end; its ``partial`` is the data set up to there.
    """
    checks.instance("simulate: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    try:
        return simulate_to_record(model, inputs, RunOptions(**options)).dataset()
    except SimulationError as error:
        if isinstance(error.partial, Record):
            error.partial = error.partial.dataset()
        raise


def simulate_to_record(model: Model, inputs: Inputs, options: RunOptions) -> Record:
    """Simulate without loading xarray; results, also those of a `SimulationError`, are a `Record`."""
    start = model.given_state(options.y0, "y0")
    dependent = dependent_hinges(model, options.hinges)
    rhs = RightHandSide(model, inputs, options.audit, options.parameters)
    start = np.append(start, 0.0) if options.audit else start
    size = 8.0 * (options.duration / options.interval + 2.0) * (len(start) + 1)
    checks.limit_memory(
        "the states at the stored instants", size, "give a longer interval or a shorter duration"
    )
    run, effort = integrate_run(rhs, start, options)
    monitors = monitors_of(model)
    for monitor in monitors:
        monitor.check_run(run)
    results = record(model, run.t, run.states, run.U, attributes(run, effort), run.seen)
    results.variables |= hinge_columns(model, run.states, run.U, dependent)
    if options.audit:
        about = {"units": "J", "long_name": WORK}
        results["work"] = ResultVariable(("time",), external_work(run.Y[:, -1], results), about)
    if run.trouble:
        raise SimulationError(explain_end(monitors, run), results)
    return results


def try_run(model: Model, inputs: Inputs, options: RunOptions) -> Record | None:
    """Return an intermediate run, whose accuracy does not matter; None if it fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            return simulate_to_record(model, inputs, options)
    except SimulationError as error:
        if str(error).startswith(INTERRUPTED):
            raise KeyboardInterrupt from None
        return None


def integrate_run(rhs: RightHandSide, start: Floats, options: RunOptions) -> tuple[FinishedRun, Effort]:
    """Return a run as the integrator leaves it, and what it took."""
    t_store = list_times(options.duration, options.interval)
    accepted: list[tuple[float, Floats]] = [(0.0, start)]  # of SciPy's methods
    if not options.native:
        import_integrators()
    stepper: Stepper | None = None
    with log_work(f"integrating {rhs.model.system.name!r} by {options.method}"):  # compiles loops
        if options.native:
            u = rhs.inputs_at(0.0, start)
            stepper = make_stepper(options.settings, rhs.dynamics, rhs.control, u, start, rhs.model)
            began, begun = time.perf_counter(), time.process_time()
            t, Y, trouble = integrate_native(rhs, stepper, t_store, options)
            way, steps = (t, Y), stepper.steps
        else:
            began, begun = time.perf_counter(), time.process_time()
            t, Y, trouble = integrate(rhs, accepted, t_store, options)
            way = np.array([t for t, _ in accepted]), np.array([y for _, y in accepted])
            steps = len(accepted) - 1
    wall = time.perf_counter() - began - rhs.preparation
    spent = time.process_time() - begun
    run = FinishedRun(rhs, options, t, Y, *way, stepper=stepper)
    if trouble:
        run.end(trouble, "interrupted" if trouble.startswith(INTERRUPTED) else "by itself")
    return run, Effort(steps, rhs.evaluations, wall, spent)


class Effort(NamedTuple):
    """Effort of a run; wall time and processor time of the integration alone in [s]."""

    steps: int
    evaluations: int
    wall_time: float
    processor_time: float


def attributes(run: FinishedRun, effort: Effort) -> dict[str, str | float]:
    """Return the attributes of the results."""
    options = run.options
    used = options.settings
    accuracy = {"step": options.step_made} if options.fixed else {"rtol": used.rtol, "atol": used.atol}
    return {
        "system": run.model.system.name,
        "method": options.method,
        **accuracy,
        "steps": effort.steps,
        "evaluations": effort.evaluations,
        "wall_time_s": effort.wall_time,
        "processor_time_s": effort.processor_time,
        "real_time_factor": run.t[-1] / effort.wall_time,
    }
