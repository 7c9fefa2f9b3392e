"""Simulation: native and SciPy's integrators on the compiled evaluation."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.errors import AccuracyWarning, CeDynamicsError, SimulationError
from ce_dynamics.mechanism.input_ranges import furthest_out, warn_out_of_range
from ce_dynamics.simulation.integrators.methods import (
    EXPLICIT,
    FIXED,
    NATIVE_METHODS,
    NativeMethod,
    check_renewal,
)
from ce_dynamics.simulation.integrators.native import InterruptedRunError, make_stepper, march
from ce_dynamics.simulation.integrators.settings import (
    Settings,
    check_step,
    check_steps,
    check_tolerances,
    substeps,
)
from ce_dynamics.simulation.monitors.charts import Charts, solve_across_charts
from ce_dynamics.simulation.monitors.dead_centres import straight_path_text, where_it_stands
from ce_dynamics.simulation.monitors.jumps import jump_of, thrown
from ce_dynamics.simulation.monitors.near_singular import warn_if_steep
from ce_dynamics.simulation.monitors.promises import Promises
from ce_dynamics.simulation.monitors.reach import standing_at_an_end
from ce_dynamics.simulation.monitors.unstable_steps import too_long, unresolved
from ce_dynamics.simulation.results import Column, Record, observed, record
from ce_dynamics.simulation.right_hand_side import Inputs, RightHandSide

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike
    from scipy.integrate._ivp.ivp import OdeResult

    from ce_dynamics.simulation.integrators.stepper import Stepper

SciPyMethod = Literal["RK45", "DOP853", "RK23", "LSODA", "Radau", "BDF"]
Method = Literal[SciPyMethod, NativeMethod]
METHODS: tuple[str, ...] = get_args(Method)

INTERRUPTED = "interrupted"
AT_ITS_END = "a loop stays at the end of its reach"
NOT_FINITE_AT_START = "the accelerations are not finite at t = 0"

STEPS_PER_LOOK = 2000
"""Accepted steps after which a run is asked whether a loop was thrown against the end of its reach."""

IMBALANCE = 1e-3
"""Part of the energy and the work by which they may differ without a warning."""


class StalledError(Exception):
    """The integrator creeps: at the edge of a loop's range ever smaller steps lead nowhere."""


class StallWatch:
    """Raises `StalledError` when many evaluations have brought next to no progress.

    Parameters
    ----------
    duration : float
        Length of the run [s]; a thousandth of it, or of a second if it is longer, is progress.
    evaluations : int
        How many may pass without progress.
    """

    def __init__(self, duration: float, evaluations: int = 20000) -> None:
        self._progress = 1e-3 * min(duration, 1.0)
        self._patience = evaluations
        self._since = (0.0, 0)

    def look(self, t: float, evaluations: int) -> None:
        """Take note of the time reached."""
        if t - self._since[0] >= self._progress:
            self._since = (t, evaluations)
        elif evaluations - self._since[1] > self._patience:
            raise StalledError(
                f"{self._patience} evaluations advanced it by less than {self._progress:.3g} s"
            )


def simulate(
    model: Model,
    inputs: Inputs = None,
    *,
    duration: float,
    y0: ArrayLike | None = None,
    method: Method = "RK45",
    rtol: float = 1e-6,
    atol: float = 1e-8,
    interval: float = 0.01,
    max_step: float = math.inf,
    step: float = 1e-3,
    jacobian_every: int = 1,
    audit: bool = False,
    parameters: Mapping[str, float] | None = None,
    progress: Callable[[float], None] | None = None,
) -> xr.Dataset:
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
        ``rosenbrock``, ``implicit-euler`` (fixed steps; the last two for stiff models) or ``dopri5``
        (adaptive); see `ce_dynamics.simulation.integrators`.
    rtol, atol : float
        Relative and absolute error per step of the adaptive methods.
    interval : float
        Time between stored instants [s].
    max_step : float
        Longest step of the adaptive methods [s].
    step : float
        Step of the fixed-step methods [s]; shortened where it does not divide ``interval``.
    jacobian_every : int
        Steps that ``rosenbrock`` and ``implicit-euler`` make with one Jacobian.  Both keep their order
        whatever it is; how stiff a model may be depends on how fast its Jacobian changes.
    audit : bool
        Integrate the work done on the system as well (variable ``work``), to be compared with ``energy``.
    parameters : mapping of str to float, optional
        Free parameters by name; nominal values where not given.
    progress : callable, optional
        Called with the time reached [s] after every step; native methods call it every few hundred steps.

    Returns
    -------
    xarray.Dataset
        States, inputs, outputs and closure errors over ``time``, with units.

    Raises
    ------
    ModelError
        For wrong arguments.
    SimulationError
        If the integration stops before its end; its ``partial`` is the data set up to there.
    """
    try:
        return simulate_to_record(
            model,
            inputs,
            duration=duration,
            y0=y0,
            method=method,
            rtol=rtol,
            atol=atol,
            interval=interval,
            max_step=max_step,
            step=step,
            jacobian_every=jacobian_every,
            audit=audit,
            parameters=parameters,
            progress=progress,
        ).dataset()
    except SimulationError as error:
        if isinstance(error.partial, Record):
            error.partial = error.partial.dataset()
        raise


def simulate_to_record(
    model: Model,
    inputs: Inputs = None,
    *,
    duration: float,
    y0: ArrayLike | None = None,
    method: Method = "RK45",
    rtol: float = 1e-6,
    atol: float = 1e-8,
    interval: float = 0.01,
    max_step: float = math.inf,
    step: float = 1e-3,
    jacobian_every: int = 1,
    audit: bool = False,
    parameters: Mapping[str, float] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Record:
    """As `simulate`, without loading xarray: results, and those of a `SimulationError`, are a `Record`."""
    checks.instance("simulate: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    for name, value in (("duration", duration), ("interval", interval)):
        checks.number(name, value, above=0.0)
    check_tolerances(rtol, atol)
    checks.number("max_step", max_step, above=0.0, infinite=True)
    checks.choice("method", method, METHODS)
    checks.flag("audit", audit)
    if progress is not None:
        checks.function("progress", progress, " of the time reached")
    check_renewal(method, jacobian_every)
    if method in FIXED:
        check_step(step)
        check_steps(duration, step)
    start = model.start_at(y0)
    rhs = RightHandSide(model, inputs, audit, parameters)
    start = np.append(start, 0.0) if audit else start
    size = 8.0 * (duration / interval + 2.0) * (len(start) + 1)
    checks.room("the states at the stored instants", size, "give a longer interval or a shorter duration")
    t_store = stored_times(duration, interval)
    import_integrators(method)
    settings = Settings(method, step, rtol, atol, max_step, jacobian_every)
    steps: list[tuple[float, Floats]] = [(0.0, start)]  # of SciPy's methods
    with at_work(f"integrating {model.system.name!r} by {method}"):  # loops are compiled at their first run
        native = native_stepper(rhs, start, settings) if method in NATIVE_METHODS else None
        began = time.perf_counter()
        if native is None:
            scipy_method = cast("SciPyMethod", method)
            t, Y, trouble = integrate(rhs, steps, t_store, scipy_method, rtol, atol, max_step, progress)
        else:
            t, Y, trouble = integrate_native(rhs, native, t_store, settings, progress)
    wall = time.perf_counter() - began - rhs.preparation
    n = len(model.layout.y0)
    t_way, Y_way = t, Y
    if native is None:
        t_way, Y_way = np.array([t for t, _ in steps]), np.array([y for _, y in steps])
    stopped_by_itself = bool(trouble) and AT_ITS_END not in trouble
    jump = jump_of(model, t_way, Y_way, rhs.inputs_at, rhs.audited, stopped_by_itself)
    stands = ""
    if trouble:
        ends = standing_at_an_end(model, t[-1], Y[-1], rhs.inputs_at)
        stands = where_it_stands(ends, Y[-1])
    if jump is not None:
        t, Y, trouble = t[t <= jump.t], Y[t <= jump.t], jump.what or trouble
    U = np.array([rhs.inputs_at(t_k, y_k).copy() for t_k, y_k in zip(t, Y, strict=True)]).reshape(len(t), -1)
    seen = observed(model, Y[:, :n], U)
    fault = Promises(model).first_fault(t, Y[:, :n], U, seen)
    if fault is not None:
        sound = max(fault.k, 1)  # what happened at the start is shown
        t, Y, U, seen = t[:sound], Y[:sound], U[:sound], seen.until(sound)
        if not trouble:
            trouble, stands = fault.what, " "
    if rhs.control is not None and model.ranges:
        columns = {entry.name: k for k, entry in enumerate(model.layout.u)}
        warn_out_of_range(model.ranges, furthest_out(model.ranges, columns, t, U))
    steep = warn_if_steep(model, t, Y, seen.gearing)
    attributes = {
        "system": model.system.name,
        "method": method,
        **({"step": substeps(interval, step)[1]} if method in FIXED else {"rtol": rtol, "atol": atol}),
        "steps": len(steps) - 1 if native is None else native.steps,
        "evaluations": rhs.evaluations,
        "wall_time_s": wall,
        "real_time_factor": t[-1] / wall,
    }
    results = record(model, t, Y[:, :n], U, attributes, seen)
    if audit:
        about = {"units": "J", "long_name": "work done on the system"}
        results["work"] = Column(("time",), Y[:, -1], about)
        if not trouble:  # the error says more than the balance of the steps that led to it
            check_balance(model, t, Y, U, results["energy"].values)
    if not trouble and method in EXPLICIT:
        warn_of_unstable_steps(method, rhs, t, Y, substeps(interval, step)[1])
    if trouble:
        known = trouble.startswith(INTERRUPTED) or (jump is not None and jump.what)
        where = ""
        if not known:
            length = substeps(interval, step)[1]
            unstable = steps_too_long(method, rhs, t, Y, length)
            where = unstable or stands or where_it_broke(model, rhs, t[-1], Y[-1]) + steep
        raise SimulationError(f"{trouble}{where}".rstrip(), results)
    return results


def steps_too_long(method: str, rhs: RightHandSide, t: Floats, Y: Floats, h: float) -> str:
    """Whether steps were unstable where the run began or half way, as a clause for messages."""
    return too_long(method, h, ((partial(rhs, t[k]), Y[k]) for k in sorted({0, len(t) // 2})))


def warn_of_unstable_steps(method: str, rhs: RightHandSide, t: Floats, Y: Floats, h: float) -> None:
    """Warn of unstable steps where the motion stayed within bounds but is not resolved."""
    rates = {k: partial(rhs, t[k]) for k in sorted({0, len(t) // 2, len(t) - 1})}
    for k in list(rates)[1:]:
        if unresolved(EXPLICIT[method], h, rates[k], Y[k]):
            said = too_long(method, h, ((rate, Y[at]) for at, rate in rates.items()))
            if said:
                warnings.warn(
                    f"steps resolve nothing at t = {t[k]:.4g} s{said}", AccuracyWarning, stacklevel=4
                )
            return


def import_integrators(method: Method) -> None:
    """Load SciPy's integrators before the clock starts."""
    if method not in NATIVE_METHODS:
        import scipy.integrate  # here, because most runs never ask  # noqa: F401


def check_balance(model: Model, t: Floats, Y: Floats, U: Floats, energy: Floats) -> None:
    """Warn where energy and work, the last of the states, part.

    That is too coarse a tolerance, or a loop thrown over a dead point.
    """
    work = Y[:, -1]
    imbalance = np.abs(energy - energy[0] - work)
    allowed = IMBALANCE * (np.max(np.abs(work)) + np.max(np.abs(energy)))
    if not np.all(imbalance <= allowed):  # the sum of kinetic and potential energy may be zero throughout
        allowed += IMBALANCE * greatest_kinetic_energy(model, Y, U)
    if not np.all(imbalance <= allowed):  # NaN included
        k = int(np.argmax(~(imbalance <= allowed)))
        warnings.warn(
            f"energy and work differ by {imbalance.max():.3g} J, first at t = {t[k]:.4g} s; lower rtol, and "
            "see whether a loop comes to the end of its range there",
            AccuracyWarning,
            stacklevel=4,
        )


def greatest_kinetic_energy(model: Model, Y: Floats, U: Floats) -> float:
    """Of the states of a run [J]."""
    parts = (model.layout.split(y[: len(model.layout.y0)]) for y in Y)
    return max(model.energy(q, v, u, x).kinetic for (q, v, x), u in zip(parts, U, strict=True))


def stored_times(duration: float, interval: float) -> Floats:
    """Instants to store: every interval from 0, and the end."""
    n = math.floor(duration / interval * (1.0 + 1e-12))
    t: Floats = interval * np.arange(n + 1.0)
    return t if math.isclose(t[-1], duration) else np.append(t, duration)


def integrate(
    rhs: RightHandSide,
    accepted: list[tuple[float, Floats]],
    t_store: Floats,
    method: SciPyMethod,
    rtol: float,
    atol: float,
    max_step: float,
    progress: Callable[[float], None] | None,
) -> tuple[Floats, Floats, str]:
    """Times, states (in rows) and, if the end was not reached, what happened.

    ``accepted`` has the initial time and state; all steps are appended to it.
    """
    from scipy.integrate import solve_ivp  # here, because most runs never ask

    from ce_dynamics.simulation.integrators.scipy_jacobian import DenseJacobian, sparse_jacobian_of

    y0 = accepted[0][1]
    watch = StallWatch(t_store[-1])

    def after_step(t: float, y: Floats) -> float:
        if t > 0.0:
            accepted.append((t, y.copy()))
        if progress is not None:
            progress(t)
        watch.look(t, rhs.evaluations)
        if len(accepted) % STEPS_PER_LOOK == 0:
            stop_if_thrown(rhs, accepted[-2 * STEPS_PER_LOOK :])
        return 1.0

    if not np.all(np.isfinite(rhs(0.0, y0))):
        return np.zeros(1), y0[np.newaxis], NOT_FINITE_AT_START
    exact: dict[str, Any] = {}
    if method in ("Radau", "BDF"):
        exact = {"jac": sparse_jacobian_of(rhs)}
    elif method == "LSODA":
        exact = {"jac": DenseJacobian(rhs)}
    try:
        with warnings.catch_warnings():
            # Older releases of SciPy warn of what the error below says.
            warnings.filterwarnings("ignore", "lsoda:", UserWarning)
            solve = partial(solve_ivp, rhs, method=method, rtol=rtol, atol=atol, max_step=max_step, **exact)
            charts = Charts(rhs.model)
            solution: Any = (
                solve_across_charts(charts, solve, t_store, y0, after_step)
                if charts
                else solve((0.0, t_store[-1]), y0, t_eval=t_store, events=after_step)
            )
    except KeyboardInterrupt:
        return stopped(accepted, None, t_store, INTERRUPTED)
    except CeDynamicsError:
        raise
    except (ValueError, RuntimeError, StalledError) as error:  # NaN met in a dense or sparse factorisation
        return stopped(accepted, None, t_store, f"{method} failed ({error})")
    if not solution.success:
        return stopped(accepted, solution, t_store, f"{method} stopped ({solution.message})")
    if not np.all(np.isfinite(solution.y)):
        return stopped(accepted, solution, t_store, f"{method} met accelerations that are not finite")
    return solution.t, solution.y.T, ""


def stop_if_thrown(rhs: RightHandSide, latest: Sequence[tuple[float, Floats]]) -> None:
    """End a run that creeps along the end of a loop's reach after it was thrown against it."""
    if rhs.model.geared_loops:
        t, Y = np.array([t for t, _ in latest]), np.array([y for _, y in latest])
        if thrown(rhs.model, t, Y, rhs.inputs_at, rhs.audited) is not None:
            raise StalledError(AT_ITS_END)


def native_stepper(rhs: RightHandSide, y0: Floats, settings: Settings) -> Stepper:
    """The integrator of a native method, ready to go."""
    u = rhs.inputs_at(0.0, y0)
    return make_stepper(settings, rhs.dynamics, rhs.control, u, y0, rhs.model)


def integrate_native(
    rhs: RightHandSide,
    stepper: Stepper,
    t_store: Floats,
    settings: Settings,
    progress: Callable[[float], None] | None,
) -> tuple[Floats, Floats, str]:
    """As `integrate`, in compiled code; interrupts and `progress` get their turn between chunks."""
    if not np.all(np.isfinite(rhs(0.0, stepper.y))):
        return np.zeros(1), stepper.y[np.newaxis].copy(), NOT_FINITE_AT_START
    stall = StallWatch(t_store[-1])

    charts = Charts(rhs.model)

    def watch(t: float, evaluations: int) -> None:
        if charts.renew(stepper.y):
            stepper.restart()
        if progress is not None:
            progress(t)
        if settings.method not in FIXED:  # fixed steps do not creep, however short they are
            stall.look(t, evaluations)

    try:
        got = march(stepper, t_store, watch, 1 if charts else None)
        what = got.trouble
    except InterruptedRunError as stop:
        got = stop.reached
        if isinstance(stop.__cause__, KeyboardInterrupt):
            what = INTERRUPTED
        elif isinstance(stop.__cause__, StalledError):
            what = f"{settings.method} failed ({stop.__cause__})"
        else:
            raise stop.__cause__ or stop from None
    rhs.evaluations += got.evaluations
    if not what:
        return got.t, got.Y, ""
    t, Y = got.t, got.Y
    while len(t) > 1 and not np.all(np.isfinite(rhs(t[-1], Y[-1]))):  # one step too far
        t, Y = t[:-1], Y[:-1]
    return t, Y, f"{what} at t = {t[-1]:.4g} s"


def stopped(
    accepted: Sequence[tuple[float, Floats]],
    solution: OdeResult[np.float64] | None,
    t_store: Floats,
    what: str,
) -> tuple[Floats, Floats, str]:
    """The finite part of a run that did not reach its end, and what happened and when.

    States at the instants to store are known from a solution only; without one, the first step that reached
    each of them is given instead, and the last.
    """
    t, Y = finite_part(np.array([t for t, _ in accepted]), np.array([y for _, y in accepted]))
    if solution is not None and len(solution.t) > 0:
        before = solution.t < t[-1]
        t = np.append(solution.t[before], t[-1])
        Y = np.vstack((solution.y.T[before], Y[-1]))
        t, Y = finite_part(t, Y)
    elif len(t) > 1:
        reached = np.searchsorted(t, t_store[t_store <= t[-1]])
        chosen = np.unique(np.append(reached, len(t) - 1))
        t, Y = t[chosen], Y[chosen]
    return t, Y, f"{what} at t = {t[-1]:.4g} s"


def finite_part(t: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """What precedes the first state that is not finite."""
    finite = np.all(np.isfinite(Y), axis=1)
    n = len(t) if np.all(finite) else int(np.argmin(finite))
    return t[:n], Y[:n]


def where_it_broke(model: Model, rhs: RightHandSide, t: float, y: Floats) -> str:
    """Which loop left its admissible range shortly after the last state, as a clause for messages."""
    y_dot = rhs(t, y)
    for step in np.geomspace(1e-9, 0.1, 25):
        ahead = y + step * np.where(np.isfinite(y_dot), y_dot, 0.0)
        u = rhs.inputs_at(t + step, ahead).copy()
        broken = model.unassembled(ahead[: len(model.layout.y0)], u)
        if broken is not None:
            text = straight_path_text(broken) or reach_text(broken)
            return f"; the loop of {broken.name!r} left the range it can be assembled in{text}"
    return ""
