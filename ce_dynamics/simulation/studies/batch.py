"""Batches of a study: made in the threads of this process or on a Dask cluster, with data for statistics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError, SimulationError
from ce_dynamics.mechanism.signals import Excess
from ce_dynamics.simulation.ensembles.arguments import EnsembleOptions
from ce_dynamics.simulation.ensembles.lane_functions import Progress, make
from ce_dynamics.simulation.ensembles.records import CLOSURE_ERROR, Records
from ce_dynamics.simulation.studies.plan import BatchPart, Plan
from ce_dynamics.simulation.studies.statistics import partial

if TYPE_CHECKING:
    from distributed import Client

NOT_MADE, COMPLETED, FAILED = range(3)  # status of a run in the file


class StudyBatch(NamedTuple):
    """Runs that need no repetition."""

    first: int  # number of the first run
    values: dict[str, Floats]  # (runs, time, ...), of the variables that are stored
    parameters: dict[str, Floats]  # (runs, ...)
    status: NDArray[np.int8]  # `COMPLETED` or `FAILED`
    failure: list[str]  # why, or empty
    time_reached: Floats  # (runs,)
    steps: NDArray[np.int64]  # (runs,)
    evaluations: NDArray[np.int64]  # (runs,)
    lowest: dict[str, Floats]  # (runs, ...), extremes of each run over its time
    highest: dict[str, Floats]  # (runs, ...), extremes of each run over its time
    # for statistics over runs, see `ce_dynamics.simulation.studies.statistics.partial`
    partial: dict[str, Floats]
    # of every input that a law set out of its range the value furthest out, with its run
    excesses: list[tuple[int, Excess]]


class StudyTask(NamedTuple):
    """Data shared by all batches of a study."""

    model: Model
    options: EnsembleOptions  # options that keep all variables for storage or statistics
    kept: Sequence[str]  # variables to store
    statistics: Sequence[str]  # variables for statistics


def make_batch(task: StudyTask, part: BatchPart, report: Progress | None = None) -> StudyBatch | None:
    """Make the runs of a part; None if it was interrupted."""
    runs = part.runs(task.model)
    records, whole = make(task.model, runs, task.options, report or (lambda done, total: None))
    return batch_of(task, part.first, records) if whole else None


def columns_of(records: Records) -> Mapping[str, Floats]:
    """Return all values over runs and time, by name."""
    closures = {} if records.closures is None else {CLOSURE_ERROR: records.closures}
    return {**records.values, **closures}


def batch_of(task: StudyTask, first: int, records: Records) -> StudyBatch:
    """Return a batch, of the records of its runs."""
    columns = columns_of(records)
    names = [entry.name for entry in task.model.layout.u]
    failure = [str(text) for text in records.failure]
    lowest, highest = {}, {}
    for name in task.statistics:
        fine = np.isfinite(columns[name])
        none = ~fine.any(axis=1)
        lowest[name] = np.where(none, np.nan, np.where(fine, columns[name], np.inf).min(axis=1))
        highest[name] = np.where(none, np.nan, np.where(fine, columns[name], -np.inf).max(axis=1))
    return StudyBatch(
        first,
        {name: columns[name] for name in task.kept},
        {v.name: records.runs.u[:, [names.index(entry) for entry in v.entries]] for v in records.parameters},
        np.array([FAILED if text else COMPLETED for text in failure], dtype=np.int8),
        failure,
        records.time_reached,
        records.steps,
        records.evaluations,
        lowest,
        highest,
        {name: partial(columns[name], first) for name in task.statistics},
        [(first + run, excess) for excess, run in records.worst_excesses()],
    )


ReportBatch = Callable[[int], None]  # called with the number of finished runs of the current batch


def run_in_threads(plan: Plan, todo: Sequence[int], report: ReportBatch) -> Iterator[tuple[int, StudyBatch]]:
    """Yield one batch after another, each by all threads."""
    task = task_of(plan)
    for k in todo:
        batch = make_batch(task, plan.part(k), lambda done, total: report(done))
        if batch is None:
            raise KeyboardInterrupt
        yield k, batch


def task_of(plan: Plan) -> StudyTask:
    """Return the data shared by all batches of a study."""
    return StudyTask(plan.model, plan.options, plan.kept, plan.statistics)


T = TypeVar("T")


@dataclass(frozen=True)
class ClusterWork(Generic[T]):
    """Work in batches: a function of the data that all share, and of the part of a batch.

    ``remedy`` follows the message of a batch that is lost too often.
    """

    make: Callable[[Any, Any], T]
    shared: Any
    part: Callable[[int], Any]
    remedy: str = ""

    def send(self, client: Client) -> Any:
        """Send the shared data to the workers; return their future."""
        try:
            (shared,) = client.scatter([self.shared], broadcast=True, hash=False)
        except TypeError as error:  # Dask's own, which hides the reason
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, CeDynamicsError):
                cause = cause.__cause__ or cause.__context__
            raise cause or error from None
        return shared


def work_of(plan: Plan) -> ClusterWork[StudyBatch]:
    """Return the work of a study."""
    make: Any = make_batch  # which nothing interrupts there
    return ClusterWork(make, task_of(plan), plan.part, ", or with more retries")


AGAIN = "finished runs are kept: start again when the cluster is back"


def run_on_cluster(
    client: Client, work: ClusterWork[T], todo: Sequence[int], retries: int
) -> Iterator[tuple[int, T]]:
    """Run batches on the workers of a cluster; hold at most two results per worker's thread.

    A batch that is lost, with its worker or else, is made again so many times.
    """
    import distributed  # here, because an extra installs it
    from distributed.client import ClosedClientError

    try:
        yield from batches_made(client, work, todo, retries, distributed.as_completed())
    except (OSError, asyncio.TimeoutError, ClosedClientError) as error:
        raise SimulationError(f"the cluster does not respond any more ({error}); {AGAIN}") from error


def batches_made(
    client: Client, work: ClusterWork[T], todo: Sequence[int], retries: int, arriving: Any
) -> Iterator[tuple[int, T]]:
    """Yield the batches made by `run_on_cluster`; ``arriving`` yields completed futures."""
    waiting, lost = list(reversed(todo)), dict.fromkeys(todo, 0)
    shared = work.send(client)
    under_way: dict[Any, int] = {}

    def submit() -> None:
        if client.status != "running":  # its own messages do not name that
            raise ConnectionError(f"the client is {client.status}")
        at_once = 2 * max(1, sum(client.nthreads().values()))
        while waiting and len(under_way) < at_once:
            k = waiting.pop()
            future = client.submit(work.make, shared, work.part(k), pure=False)
            under_way[future] = k
            arriving.add(future)

    try:
        submit()
        while under_way:
            future = next(arriving)
            k = under_way.pop(future)
            try:
                made: T = future.result()
            except CeDynamicsError:
                raise
            except Exception as error:  # whatever a worker raises, or that it is gone
                lost[k] += 1
                if lost[k] > retries:
                    raise SimulationError(
                        f"batch {k} was lost {lost[k]} times on the cluster ({type(error).__name__}: "
                        f"{error}); {AGAIN}{work.remedy}"
                    ) from error
                waiting.append(k)
                if shared.status != "finished":  # all workers were gone, and what they had been sent
                    shared = work.send(client)
            else:
                future.release()
                yield k, made
            submit()
    finally:
        if client.status == "running":
            client.cancel(list(under_way))
