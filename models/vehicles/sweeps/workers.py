"""Runs a sweep in this process, in several processes, or on a Dask cluster."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import platform
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor, as_completed
from multiprocessing.connection import wait
from typing import Any

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.parts.roads.grid import LARGEST
from ce_dynamics.models.vehicles.sweeps.batch import Batch, run_batch
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan

LOCAL = "local"
"""Scheduler that starts a Dask cluster on this machine."""
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?([\w.-]+|\[[0-9a-fA-F:.%\w]+\]):(?P<port>\d{1,5})")
"""Address of a scheduler."""
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
        task = sweep.text(), files_digest(sweep)
        futures = [client.submit(run_on_cluster, *task, batch, pure=False) for batch in batches]
        try:
            for future in distributed.as_completed(futures):
                yield future.result()
                future.release()
        except (distributed.KilledWorker, CancelledError) as error:
            raise CeDynamicsError(
                f"the Dask cluster lost a run or the connection ({type(error).__name__}); start the sweep "
                "again when the cluster is back: finished runs are kept"
            ) from error


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


def run_on_cluster(text: str, digest: str, runs: Sequence[int]) -> Batch:
    """Run `run_batch` in a Dask worker; the synchronous scheduler keeps xarray from locking memory files."""
    import dask  # here, because an extra installs it

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
