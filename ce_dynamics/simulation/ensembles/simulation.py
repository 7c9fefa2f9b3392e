"""Many runs of one model at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.ensembles.arguments import Controls, spread
from ce_dynamics.simulation.ensembles.making import Progress, Ways, make, told
from ce_dynamics.simulation.integrators.methods import FIXED, NATIVE_METHODS
from ce_dynamics.simulation.integrators.settings import check_steps, settings_of
from ce_dynamics.simulation.reached import INTERRUPTED
from ce_dynamics.simulation.right_hand_side import LAW, check_law

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike


def simulate_ensemble(
    model: Model,
    y0s: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    controls: Controls = None,
    *,
    duration: float,
    inputs: InputLaw | None = None,
    method: str = "rk4",
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    jacobian_every: int | None = None,
    interval: float = 0.01,
    keep: list[str] | tuple[str, ...] | None = None,
    threads: int | None = None,
    lanes: int | None = None,
    precision: str = "double",
    progress: bool | Progress = False,
) -> xr.Dataset:
    """Integrate many runs of a model in SIMD lanes and threads.

    Each run has the numbers of a single run by the same method, with the same step or tolerances: to the last
    bit where the compiler fuses the same operations for one lane and for several, to rounding elsewhere.  How
    runs are put into lanes and threads does not matter.  With adaptive methods each lane has its own time
    and its own step, and takes up the next run when its own has ended.

    Parameters
    ----------
    model : Model
    y0s : (n,) or (runs, n) array_like, optional
        Initial states; that of the model if not given.
    parameters : mapping of str to float or (runs,) array_like, optional
        Free parameters by name; nominal values where not given.
    controls : HeldInputs or mapping of str to float or (runs,) array_like, optional
        Histories of inputs that are held between instants, or constants; defaults where not given.
    duration : float
        End time [s].
    inputs : InputLaw, optional
        A law that answers inputs from time and sensors, such as a driver, the same for all runs.
    method : str
        Of those of a single run that are compiled: ``rk4``, ``rosenbrock`` and ``implicit-euler``, with steps
        of fixed length, or ``dopri5`` or ``tsit5``, which are adaptive.
    step : float, optional
        Fixed step [s], 1 ms if not given; shortened where it does not divide ``interval``.
    rtol, atol : float, optional
        Relative and absolute error per step of adaptive methods, 1e-6 and 1e-8 if not given.
    max_step : float, optional
        Longest step of adaptive methods [s]; any if not given.
    jacobian_every : int, optional
        Steps that ``rosenbrock`` and ``implicit-euler`` make with one Jacobian, 1 if not given.
    interval : float
        Time between stored instants [s].
    keep : sequence of str, optional
        Variables to keep (``model.variables`` and ``closure_error``); all if not given.  Outputs that are
        not kept are not computed.
    threads : int, optional
        As many as there are processors if not given.
    lanes : int, optional
        Runs that one call evaluates: 4 or 8, in single precision 16; 8 or 16 if not given.
    precision : str
        ``double``, or ``single`` to evaluate rates and laws in single precision, in twice as many lanes and
        half the time: for learning and Monte Carlo.  States are added up, and what is stored is computed, in
        double precision; loops are closed as ever.  Errors are some 1e-6 of what acts: with tolerances below
        1e-4 adaptive methods follow them with short steps.
    progress : bool or callable
        True for a bar on the terminal; a callable is told how many runs are done and how many there are.

    Returns
    -------
    xarray.Dataset
        Variables over ``run`` and ``time``, parameters over ``run``, and per run ``status`` (``completed``,
        ``failed``), ``failure`` (why, or empty), ``time_reached`` [s], ``steps`` and ``evaluations`` (of ẏ).
        What a run did not reach is NaN.
        A run has also failed from the first stored instant at which a loop is open or a number not finite.

    Raises
    ------
    ModelError
        For wrong arguments, among them options that the method knows nothing of, and numbers for all runs
        that leave the range of an input.  A number of one run that does so, or is not finite, is the failure
        of that run.
    SimulationError
        On interruption; its ``partial`` holds the runs done so far.

    Warns
    -----
    RangeWarning
        Where a law answers an input out of its range: which run does so furthest, and when.
    AccuracyWarning
        Where implicit steps resolve nothing half way or at the end of one of some runs, if states are kept.
    """
    ways = checked_ways(
        model, inputs, duration, method, step, rtol, atol, max_step, jacobian_every, interval, keep, threads,
        lanes, precision,
    )  # fmt: skip
    if not callable(progress):
        checks.flag("progress", progress)
    runs = spread(model, y0s, parameters, controls)
    check_room(model, runs.number, ways)
    began = time.perf_counter()
    with shown(progress) as report:
        records, whole = make(model, runs, ways, report)
    if inputs is not None:
        records.warn_of_ranges()
    records.warn_of_steps(ways.settings)
    about: dict[str, float | str] = {
        "precision": precision,
        "lanes": ways.width(runs.number),
        "threads": ways.threads,
    }
    results = records.dataset(began, **told(ways.settings), **about)
    if not whole:
        raise SimulationError(INTERRUPTED, results)
    return results


def checked_ways(
    model: Model,
    inputs: InputLaw | None,
    duration: float,
    method: str,
    step: float | None,
    rtol: float | None,
    atol: float | None,
    max_step: float | None,
    jacobian_every: int | None,
    interval: float,
    keep: Sequence[str] | None,
    threads: int | None,
    lanes: int | None,
    precision: str,
) -> Ways:
    """How runs are to be made, as a user says it.

    Raises
    ------
    ModelError
        For wrong arguments.
    """
    what = "a model, as ce_dynamics.compile(system) returns it"
    checks.instance("simulate_ensemble: model", model, Model, what)
    for name, value in (("duration", duration), ("interval", interval)):
        checks.number(name, value, above=0.0)
    if method not in NATIVE_METHODS:
        known = ", ".join(NATIVE_METHODS)
        raise ModelError(f"method {checks.shown(method)} is not known to ensembles; choose one of {known}")
    settings = settings_of(
        method,
        NATIVE_METHODS,
        step=step,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        jacobian_every=jacobian_every,
    )
    if method in FIXED:
        check_steps(duration, settings.step)
    most = 64 * available_processors()
    workers = checks.integer(
        "threads", available_processors() if threads is None else threads, at_least=1, at_most=most
    )
    if lanes is not None:
        checks.integer("lanes", lanes, at_least=1)
    checks.choice("precision", precision, ("double", "single"))
    if inputs is not None:
        check_law(inputs, f"{LAW}; give constants and histories of held inputs as controls")
    kept = None if keep is None else checks.texts("keep", keep)
    _ = model.dynamics  # which sets the last guards of the parameters
    return Ways(inputs, settings, duration, interval, kept, workers, lanes, precision == "single")


def check_room(model: Model, number: int, ways: Ways) -> None:
    """Refuse results of so many runs that would not fit into memory, before any is taken."""
    kept = [v for v in model.variables if ways.keep is None or v.name in ways.keep]
    columns = sum(len(v.entries) for v in kept) + len(model.system.closures)
    rows = number + ways.threads * ways.width(number)
    remedy = (
        "store fewer instants (interval), keep fewer variables (keep), or write the runs to a file as they "
        "come (ce_dynamics.simulate_study)"
    )
    size = 8.0 * rows * (ways.duration / ways.interval + 2.0) * (columns + 1)
    checks.room(f"the results of {rows} runs", size, remedy)


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress]:
    """How progress is reported."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield lambda done, total: None
        return
    # here, because only terminals need it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("runs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
