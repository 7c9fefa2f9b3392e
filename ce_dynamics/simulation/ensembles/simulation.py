"""Many runs of one model at a time."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.ensembles.arguments import Controls, Runs, spread
from ce_dynamics.simulation.ensembles.records import Records
from ce_dynamics.simulation.integrators.methods import EMBEDDED, EXPLICIT, FIXED, WITH_LANES
from ce_dynamics.simulation.integrators.settings import Settings, check_step, check_steps, check_tolerances
from ce_dynamics.simulation.reached import INTERRUPTED, stored_times
from ce_dynamics.simulation.right_hand_side import check_law

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

    from ce_dynamics.simulation.ensembles.lane_buffers import Code
    from ce_dynamics.simulation.ensembles.lanes import Lanes

Progress = Callable[[int, int], None]
"""Told how many runs are done, and how many there are."""


def simulate_ensemble(
    model: Model,
    y0s: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    controls: Controls = None,
    *,
    duration: float,
    inputs: InputLaw | None = None,
    method: str = "rk4",
    step: float = 1e-3,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    max_step: float = math.inf,
    interval: float = 0.01,
    keep: list[str] | tuple[str, ...] | None = None,
    threads: int | None = None,
    lanes: int | None = None,
    progress: bool | Progress = False,
) -> xr.Dataset:
    """Integrate many runs of a model in SIMD lanes and threads.

    Each run has the numbers of a single run by the same method, with the same step or tolerances: to the last
    bit where the compiler fuses the same operations for one lane and for several, to rounding elsewhere.  How
    runs are put into lanes and threads does not matter.  With ``dopri5`` each lane has its own time and its
    own step, and takes up the next run when its own has ended.

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
        ``rk4``, with steps of fixed length, or ``dopri5``, which is adaptive.
    step : float
        Step of ``rk4`` [s]; shortened where it does not divide ``interval``.
    rtol, atol : float
        Relative and absolute error per step of ``dopri5``.
    max_step : float
        Longest step of ``dopri5`` [s].
    interval : float
        Time between stored instants [s].
    keep : sequence of str, optional
        Variables to keep (``model.variables`` and ``closure_error``); all if not given.
    threads : int, optional
        As many as there are processors if not given.
    lanes : int, optional
        Runs that one call evaluates: 4 or 8; 8 if not given.
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
        For wrong arguments, among them numbers for all runs that leave the range of an input.  A number of
        one run that does so, or is not finite, is the failure of that run.
    SimulationError
        On interruption; its ``partial`` holds the runs done so far.

    Warns
    -----
    RangeWarning
        Where a law answers an input out of its range: which run does so furthest, and when.
    """
    what = "a model, as ce_dynamics.compile(system) returns it"
    checks.instance("simulate_ensemble: model", model, Model, what)
    for name, value in (("duration", duration), ("interval", interval)):
        checks.number(name, value, above=0.0)
    if method not in WITH_LANES:
        known = ", ".join(WITH_LANES)
        raise ModelError(f"method {checks.shown(method)} is not known to ensembles; choose one of {known}")
    if method in FIXED:
        check_step(step)
        check_steps(duration, step)
    check_tolerances(rtol, atol)
    checks.number("max_step", max_step, above=0.0, infinite=True)
    settings = Settings(method, step, rtol, atol, max_step)
    most = 64 * available_processors()
    workers = checks.integer(
        "threads", available_processors() if threads is None else threads, at_least=1, at_most=most
    )
    if lanes is not None:
        checks.integer("lanes", lanes, at_least=1)
    if inputs is not None:
        check_law(inputs)
    if not callable(progress):
        checks.flag("progress", progress)
    _ = model.dynamics  # which sets the last guards of the parameters
    runs = spread(model, y0s, parameters, controls)
    width = lanes or (8 if runs.number > 4 else 4)
    check_room(model, runs.number + workers * width, duration / interval, keep)
    t_store = stored_times(duration, interval)
    records = Records(model, runs, t_store, keep)
    code = compiled(model, inputs, width, records.needs_observation)
    began = time.perf_counter()
    working = at_work(f"integrating {runs.number} runs of {model.system.name!r} by {method}")
    with working, shown(progress) as report:
        whole = march_all(code, settings, runs, records, workers, report)
    records.explain(settings)
    if inputs is not None:
        records.warn_of_ranges()
    results = records.dataset(**told(settings), lanes=width, threads=workers, began=began)
    if not whole:
        raise SimulationError(INTERRUPTED, results)
    return results


def check_room(model: Model, runs: int, instants: float, keep: Sequence[str] | None) -> None:
    """Refuse results that would not fit into memory, before any is taken."""
    kept = [v for v in model.variables if keep is None or v.name in checks.texts("keep", keep)]
    columns = sum(len(v.entries) for v in kept) + len(model.system.closures)
    remedy = "store fewer instants (interval), keep fewer variables (keep), or make fewer runs at a time"
    checks.room(f"the results of {runs} runs", 8.0 * runs * (instants + 2.0) * (columns + 1), remedy)


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def compiled(model: Model, law: InputLaw | None, lanes: int, observed: bool) -> Code:
    """The functions of a model for several lanes."""
    from ce_dynamics.simulation.ensembles.lane_buffers import Code  # here, because it loads Numba

    if lanes not in (2, 4, 8, 16):
        raise ModelError(f"lanes {lanes!r}: allowed are 2, 4, 8 and 16")
    kept = _kept.setdefault(model, {})
    if ("dynamics", lanes) not in kept:
        kept["dynamics", lanes] = None, compile_function(model.dynamics.traced, lanes)
    if observed and ("observation", lanes) not in kept:
        kept["observation", lanes] = None, compile_function(model.observation.traced, lanes)
    period = model.layout.sampling.period
    if period and ("sample", lanes) not in kept:
        kept["sample", lanes] = None, compile_function(model.sample.traced, lanes)
    if law is not None and kept.get(("control", lanes), (None,))[0] is not law:

        def function(t: Array, y: Array, held: Array) -> dict[str, Array]:
            return {"u": model.answers(law, t[0], y, held)}

        sizes = {"t": 1, "y": len(model.layout.y0), "held": len(model.layout.u)}
        kept["control", lanes] = law, compile_function(trace("control", function, sizes), lanes)
    return Code(
        kept["dynamics", lanes][1],
        None if law is None else kept["control", lanes][1],
        kept["observation", lanes][1] if observed else None,
        kept["sample", lanes][1] if period else None,
        period,
    )


_kept: WeakKeyDictionary[Model, dict[tuple[str, int], tuple[InputLaw | None, CompiledFunction]]] = (
    WeakKeyDictionary()
)
"""Functions compiled for several lanes, and the latest control law with the law it is of."""


def told(settings: Settings) -> dict[str, float | str]:
    """What results say of how they were made."""
    if settings.method in FIXED:
        return {"method": settings.method, "step": settings.step}
    return {"method": settings.method, "rtol": settings.rtol, "atol": settings.atol}


def lanes_of(code: Code, runs: Runs, t_store: Floats, settings: Settings) -> Lanes:
    """What makes runs in the lanes of one thread."""
    # here, because these load Numba
    from ce_dynamics.simulation.ensembles.adaptive_lanes import AdaptiveLanes
    from ce_dynamics.simulation.ensembles.fixed_lanes import FixedLanes

    if settings.method in EMBEDDED:
        return AdaptiveLanes(code, runs, t_store, EMBEDDED[settings.method], settings)
    return FixedLanes(code, runs, t_store, EXPLICIT[settings.method], settings)


def march_all(
    code: Code, settings: Settings, runs: Runs, records: Records, workers: int, report: Progress
) -> bool:
    """Make all runs; whether nobody interrupted."""
    # here, because it loads Numba
    from ce_dynamics.simulation.ensembles.thrown_runs import thrown_runs

    good = [run for run, reason in enumerate(runs.refused) if not reason]
    waiting, lock, stop = deque(good), threading.Lock(), threading.Event()
    over: SimpleQueue[int | None] = SimpleQueue()  # numbers of runs, and None when a worker is done

    def take(most: int) -> list[int]:
        with lock:
            return [waiting.popleft() for _ in range(min(most, len(waiting)))]

    def work() -> None:
        try:
            for members, outcome in lanes_of(code, runs, records.t, settings).work(take, stop.is_set):
                thrown = thrown_runs(records.model, code.control, runs, records.t, members, outcome)
                records.write(members, outcome, thrown)
                over.put(len(members))
        finally:
            over.put(None)

    done = runs.number - len(good)
    report(done, runs.number)
    with ThreadPoolExecutor(workers) as pool:
        try:
            futures = [pool.submit(work) for _ in range(workers)]
            left = workers
            while left:
                number = over.get()
                if number is None:
                    left -= 1
                else:
                    done += number
                    report(done, runs.number)
            for future in futures:
                future.result()
        except KeyboardInterrupt:
            stop.set()
            return False
        except BaseException:
            stop.set()
            raise
    return True


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
