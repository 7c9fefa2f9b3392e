"""Many runs of one model at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.ensembles.arguments import Controls, EnsembleOptions, spread
from ce_dynamics.simulation.ensembles.lane_functions import Progress, describe_integration, make
from ce_dynamics.simulation.options import INTERRUPTED, lists_options
from ce_dynamics.simulation.results import dependent_hinges

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike


@lists_options(EnsembleOptions)
def simulate_ensemble(
    model: Model,
    y0s: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    controls: Controls = None,
    *,
    progress: bool | Progress = False,
    **options: Any,
) -> xr.Dataset:
    """Integrate many runs of a model in SIMD lanes and threads.

    Each run equals a single run by the same method with the same step or tolerances: bit by bit where the
    compiler fuses the same operations for one lane and for several, to rounding elsewhere.  The distribution
    of runs over lanes and threads has no effect.  With adaptive methods each lane has its own time and step,
    and starts the next run when its own ends.

    Parameters
    ----------
    model : Model
    y0s : (n,) or (runs, n) array_like, optional
        Initial states; that of the model if not given.
    parameters : mapping of str to float or (runs,) array_like, optional
        Free parameters by name; nominal values where not given.
    controls : HeldInputs or mapping of str to float or (runs,) array_like, optional
        Histories of inputs that are held between instants, or constants; defaults where not given.
    progress : bool or callable
        True for a bar on the terminal; a callable receives the number of completed runs and of all runs.
    **options
        Fields of `EnsembleOptions`, such as ``duration`` [s], ``inputs``, ``method`` and ``keep``.

    Returns
    -------
    xarray.Dataset
        Variables over ``run`` and ``time``, parameters over ``run``, and per run ``status`` (``completed``,
        ``failed``), ``failure`` (the cause, or empty), ``time_reached`` [s], ``steps`` and ``evaluations``
        (of ẏ).  Values after the end of a run are NaN.  A run also fails at the first stored instant with an
        open loop or a number that is not finite.

    Raises
    ------
    ModelError
        If an argument is wrong, the method does not support an option, or a number for all runs leaves the
        range of an input.  If a number of one run leaves it or is not finite, only that run fails.
    SimulationError
        If interrupted; its ``partial`` holds the completed runs.

    Warns
    -----
    RangeWarning
        If a law returns an input outside its range; the message names the run that exceeds it most, and when.
    AccuracyWarning
        If implicit steps are too long half way or at the end of one of some runs; checked if states are kept.
    """
    what = "a model, as ce_dynamics.compile(system) returns it"
    checks.instance("simulate_ensemble: model", model, Model, what)
    chosen = EnsembleOptions(**options)
    if not callable(progress):
        checks.flag("progress", progress)
    runs = spread(model, y0s, parameters, controls)
    check_room(model, runs.number, chosen)
    began = time.perf_counter()
    with show_progress(progress) as report:
        records, whole = make(model, runs, chosen, report)
    if chosen.inputs is not None:
        records.warn_of_ranges()
    records.warn_of_steps(chosen.settings)
    about: dict[str, float | str] = {
        "precision": chosen.precision,
        "lanes": chosen.width(runs.number),
        "threads": chosen.workers,
    }
    results = records.dataset(began, **describe_integration(chosen.settings), **about)
    if not whole:
        raise SimulationError(INTERRUPTED, results)
    return results


def check_room(model: Model, number: int, options: EnsembleOptions) -> None:
    """Reject results that would not fit into memory, before any memory is taken."""
    kept = [v for v in model.variables if options.keep is None or v.name in options.keep]
    columns = sum(len(v.entries) for v in kept) + len(model.system.closures)
    hinges = len(dependent_hinges(model, options.hinges))
    columns += hinges + len(model.layout.y0) + len(model.layout.u) if hinges else 0
    rows = number + options.workers * options.width(number)
    remedy = (
        "store fewer instants (interval), keep fewer variables (keep), or write the runs to a file as they "
        "come (ce_dynamics.simulate_study)"
    )
    size = 8.0 * rows * (options.duration / options.interval + 2.0) * (columns + 1)
    checks.limit_memory(f"the results of {rows} runs", size, remedy)


@contextmanager
def show_progress(progress: bool | Progress) -> Iterator[Progress]:
    """Yield the function that reports progress."""
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
