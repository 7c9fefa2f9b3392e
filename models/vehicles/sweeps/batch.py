"""Batches of a sweep: runs that share a model, made here, in processes or on a Dask cluster."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import platform
import re
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from functools import lru_cache
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.variables import valid_name as plain_name
from ce_dynamics.compiler import compile_function, disk_cache, trace
from ce_dynamics.errors import CeDynamicsError, DataError, SimulationError
from ce_dynamics.models.parts.roads.grid import LARGEST
from ce_dynamics.models.vehicles.case import Case, prepare, swinging
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.summary import finite, summarise
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan
from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble
from ce_dynamics.simulation.netcdf import netcdf_bytes
from ce_dynamics.simulation.options import INTERRUPTED
from ce_dynamics.simulation.studies.batch import ClusterWork, run_on_cluster

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.algebra.arrays import Array

FEW_MODELS = 20
"""Beyond this number of models their code is not kept on disk: it would drive out what is used again."""

TIMING = ("real_time_factor", "wall_time")
"""Figures that do not depend on the vehicle and differ from run to run."""


class Batch(NamedTuple):
    """Runs that need no repetition: status, failure, end [s], figures by run; results over run and time."""

    rows: dict[int, dict[str, Any]]
    netcdf: bytes | None


class StoppedError(KeyboardInterrupt):
    """The making of some runs was stopped; ``batch`` are those that were finished."""

    def __init__(self, batch: Batch) -> None:
        super().__init__("interrupted")
        self.batch = batch


def run_batch(text: str, runs: Sequence[int]) -> Batch:
    """Return some runs of a sweep that share a model; what goes wrong is the failure of these runs.

    The sweep is JSON, for it may run in another process or on another machine.
    """
    sweep = sweep_of(text)
    if not checks.items("runs", runs, error=DataError):
        raise DataError("runs is empty; give one or more")
    for run in runs:
        checks.integer("runs", run, at_least=0, at_most=len(sweep.values) - 1, error=DataError)
    with disk_cache.switch_off() if sweep.models > FEW_MODELS else nullcontext():
        try:
            case = case_of(text, sweep.list_fixed_overrides(runs[0]))
        except CeDynamicsError as error:
            return Batch({run: make_failed_row(str(error)) for run in runs}, None)
        return make_runs(sweep, case, runs)


@lru_cache(maxsize=1)
def sweep_of(text: str) -> SweepPlan:
    """Return the sweep that this process works on."""
    return SweepPlan.from_text(text)


@lru_cache(maxsize=1)
def case_of(text: str, fixed: tuple[str, ...]) -> Case:
    """Return the model that this process works on, the varied numbers free where they can be."""
    sweep = sweep_of(text)
    return prepare(
        sweep.manoeuvre,
        model=sweep.model,
        speed=sweep.speed,
        duration=sweep.duration,
        options=sweep.options,
        overrides=(*sweep.overrides, *fixed),
        free=sweep.free,
        tyres=sweep.tyres,
        road=sweep.road,
    )


def make_runs(sweep: SweepPlan, case: Case, runs: Sequence[int]) -> Batch:
    """Settle every run at its own parameters and integrate all together; `StoppedError` holds those made."""
    model = case.model
    columns = [sweep.names.index(name) for name in sweep.free]
    rows: dict[int, dict[str, Any]] = {}
    starts: dict[int, Floats] = {}
    for run in runs:
        values = dict(zip(sweep.free, sweep.values[run, columns].tolist(), strict=True))
        try:
            starts[run] = settle(model, pedals(case, model.inputs_with(values)))
        except CeDynamicsError as error:
            rows[run] = make_failed_row(str(error))
    if not starts:
        return Batch(rows, None)
    started = list(starts)
    try:
        results = simulate_ensemble(
            model,
            np.array(list(starts.values())),
            {name: sweep.values[started, k] for name, k in zip(sweep.free, columns, strict=True)},
            duration=case.duration,
            inputs=case.manoeuvre,
            method=sweep.method,
            step=sweep.step,
            rtol=sweep.rtol,
            atol=sweep.atol,
            interval=sweep.interval,
            threads=1,
            lanes=8 if len(started) > 4 else 4,
        )
    except SimulationError as error:
        done = cast("xr.Dataset", error.partial).assign_coords(run=started)
        whole = done.isel(run=done["failure"].values != INTERRUPTED)
        raise StoppedError(batch_of(sweep, case, rows, whole)) from error
    return batch_of(sweep, case, rows, results.assign_coords(run=started))


def batch_of(sweep: SweepPlan, case: Case, rows: Mapping[int, dict[str, Any]], results: xr.Dataset) -> Batch:
    """Return results of runs that started, and the rows of those that did not, as a batch."""
    runs = [int(run) for run in results["run"].values]
    if not runs:
        return Batch(dict(rows), None)
    singles = [single(case, results.isel(run=k)) for k in range(len(runs))]
    results = fail_swinging_runs(case, results, singles)
    made = {run: row_of(case, results.sel(run=run), own) for run, own in zip(runs, singles, strict=True)}
    return Batch({**rows, **made}, netcdf_bytes({"/": collect_batch(sweep, case, results, singles)}))


def pedals(case: Case, u: Floats) -> Floats:
    """Return the driver's inputs at the start, with the steering straight; see `case.first_pedals`."""
    model, law = case.model, case.manoeuvre
    assert law is not None, "sweeps are driven"

    def function(t: Array, y: Array, held: Array) -> dict[str, Array]:
        return {"u": model.answers(law, t[0], y, held)}

    key = "pedals"
    if key not in _compiled or _compiled[key][0] is not model:
        sizes = {"t": 1, "y": len(model.layout.y0), "held": len(u)}
        _compiled[key] = model, compile_function(trace("control", function, sizes))
    (given,) = _compiled[key][1](np.zeros(1), model.y0, u)
    given[[entry.name for entry in model.layout.u].index("steering")] = 0.0
    return np.asarray(given)


_compiled: dict[str, tuple[Any, Any]] = {}


def single(case: Case, results: xr.Dataset) -> xr.Dataset:
    """Return the reached part of an ensemble's run as the results of a single run."""
    over_time = [name for name, variable in results.data_vars.items() if "time" in variable.dims]
    reached = results[over_time].isel(time=np.isfinite(results["chassis_x"].values))
    reached.attrs = {
        **results.attrs,
        **{what: int(results[what].values) for what in ("evaluations", "steps")},
    }
    case.add_results(reached)
    return reached


def fail_swinging_runs(case: Case, results: xr.Dataset, singles: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return the results with runs failed whose driver swings between limits, as single runs are refused."""
    found = [swinging(case.manoeuvre, own) for own in singles]
    failures = [str(own) or trouble for own, trouble in zip(results["failure"].values, found, strict=True)]
    status = ["failed" if failure else "completed" for failure in failures]
    texts = {"failure": failures, "status": status}
    return results.assign({name: results[name].copy(data=np.array(each)) for name, each in texts.items()})


def row_of(case: Case, results: xr.Dataset, reached: xr.Dataset) -> dict[str, Any]:
    """Return a run's row of the summary."""
    failure = str(results["failure"].values)
    row: dict[str, Any] = {
        "status": str(results["status"].values),
        "failure": failure,
        "time_reached": float(results["time_reached"].values),
    }
    if not reached.sizes["time"]:
        return row
    summary = summarise(reached, case.manoeuvre)
    row |= {f.key: finite(float(f.value)) for f in summary.figures if f.key not in (*TIMING, "time_reached")}
    for figure in summary.corners:
        row |= {f"{corner}.{figure.key}": finite(float(value)) for corner, value in figure.values.items()}
    return row


def collect_batch(
    sweep: SweepPlan, case: Case, results: xr.Dataset, singles: Sequence[xr.Dataset]
) -> xr.Dataset:
    """Return a batch with the data of the case and the sweep."""
    runs = results["run"].values
    if "path_error" in singles[0]:
        errors = np.full((len(runs), results.sizes["time"]), np.nan)
        for k, own in enumerate(singles):
            errors[k, : own.sizes["time"]] = own["path_error"].values
        results["path_error"] = (("run", "time"), errors, singles[0]["path_error"].attrs)
    for k, name in enumerate(sweep.names):
        results[plain_name(name)] = ("run", sweep.values[runs, k], {"units": sweep.units[name]})
    results.attrs |= dict(case.attributes)
    return results


def make_failed_row(reason: str) -> dict[str, Any]:
    """Return the row of a run that did not start."""
    return {"status": "failed", "failure": reason, "time_reached": 0.0}


LOCAL = "local"
"""Scheduler that starts a Dask cluster on this machine."""
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?([\w.-]+|\[[0-9a-fA-F:.%\w]+\]):(?P<port>\d{1,5})")
"""Address of a scheduler."""
RETRIES = 2
"""Times that a batch which a cluster loses is made again."""
CONNECTING = 10.0
"""Time that a Dask scheduler has to answer [s]."""


def finish_batches(
    sweep: SweepPlan, batches: Sequence[Sequence[int]], processes: int, scheduler: str | None = None
) -> Iterator[Batch]:
    """Make all batches of runs that belong together and hand them out as they are finished.

    With one process none is started; a Dask scheduler has an address or is ``local``.
    """
    if scheduler is not None:
        yield from run_on_dask(sweep, batches, processes, scheduler)
    elif processes == 1:
        text = sweep.text()
        for batch in batches:
            yield run_batch(text, batch)
    else:
        yield from run_in_processes(sweep, batches, processes)


def run_in_processes(sweep: SweepPlan, batches: Sequence[Sequence[int]], processes: int) -> Iterator[Batch]:
    """Run in processes of this machine."""
    context = multiprocessing.get_context("spawn")
    workers = min(processes, len(batches)) or 1
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, context, initializer=become_worker)
    try:
        futures = [pool.submit(run_batch, sweep.text(), batch) for batch in batches]
        left = set(futures)
        try:
            for future in as_completed(futures):
                left.discard(future)
                yield future.result()
        except KeyboardInterrupt:
            yield from (f.result() for f in left if f.done() and not f.cancelled() and f.exception() is None)
            raise
        except BrokenExecutor as error:
            raise CeDynamicsError(
                "a worker process died, perhaps for want of memory; start the sweep again, with fewer "
                "--processes: finished runs are kept"
            ) from error
    finally:  # what the others are at is made again: it may take long
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def become_worker() -> None:
    """Leave Ctrl-C and SIGTERM to the parent process, and end with it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "workers have a parent"

    def follow() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def run_on_dask(
    sweep: SweepPlan, batches: Sequence[Sequence[int]], processes: int, scheduler: str
) -> Iterator[Batch]:
    """Run on a Dask cluster; results return to this process, the only one that writes."""
    check_address(scheduler)
    try:
        import distributed  # here, because an extra installs it
    except ImportError:
        raise DataError("--scheduler needs Dask; install ce-dynamics[dask]") from None
    options: dict[str, Any] = (
        {"n_workers": processes, "threads_per_worker": 1} if scheduler == LOCAL else {"address": scheduler}
    )
    try:
        client = distributed.Client(**options, timeout=CONNECTING)
    except (OSError, ValueError) as error:
        raise DataError(
            f"no Dask scheduler responds at '{scheduler}' ({error}); start one with 'dask scheduler' and "
            "give its address, for example tcp://10.0.0.5:8786"
        ) from None
    with client:
        work = ClusterWork(run_batch_there, (sweep.text(), files_digest(sweep)), batches.__getitem__)
        yield from (batch for _, batch in run_on_cluster(client, work, range(len(batches)), RETRIES))


def check_address(scheduler: str) -> None:
    """Refuse what cannot be the address of a Dask scheduler."""
    if scheduler == LOCAL:
        return
    found = ADDRESS.fullmatch(scheduler)
    if found is None or not 0 < int(found["port"]) < 2**16:
        raise DataError(
            f"--scheduler {checks.show(scheduler)} must be '{LOCAL}', or an address with its port, for "
            "example tcp://10.0.0.5:8786"
        )


def run_batch_there(sweep_and_digest: tuple[str, str], runs: Sequence[int]) -> Batch:
    """Run `run_batch` in a Dask worker; the synchronous scheduler keeps xarray from locking memory files."""
    import dask  # here, because an extra installs it

    text, digest = sweep_and_digest
    sweep = SweepPlan.from_text(text)
    if files_digest(sweep) != digest:
        raise DataError(
            f"worker on {platform.node()}: the data file '{sweep.model}' is not there or is another one, or "
            "a file of a tyre or road; put them at the same place on every machine, or give numbers by --set"
        )
    with dask.config.set(scheduler="synchronous"):
        return run_batch(text, runs)


def file_digest(model: str) -> str:
    """Return the hash of a data file; empty where there is none, as for a model given by name."""
    try:
        return hashlib.sha256(files.read("data file", model, LARGEST)).hexdigest()
    except DataError:
        return ""


def files_digest(sweep: SweepPlan) -> str:
    """Return the hash of everything that a sweep reads: data file, tyres, maps of the road."""
    tyres = [text.rpartition("=")[2] for text in sweep.tyres]
    maps = [term.partition(":")[0].strip() for term in (sweep.road or "").split("+")]
    return " ".join(file_digest(path) for path in (sweep.model, *tyres, *maps))
