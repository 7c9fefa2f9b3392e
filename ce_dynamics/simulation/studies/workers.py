"""Makes the batches of a study in the threads of this process or on a Dask cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ce_dynamics.errors import CeDynamicsError, SimulationError
from ce_dynamics.simulation.studies.batch import StudyBatch, StudyTask, make_batch
from ce_dynamics.simulation.studies.plan import Plan

if TYPE_CHECKING:
    from distributed import Client, Future

AGAIN = "finished runs are kept: start the study again when the cluster is back"

ReportBatch = Callable[[int], None]
"""Called with the number of finished runs of the current batch."""


def run_in_threads(plan: Plan, todo: Sequence[int], report: ReportBatch) -> Iterator[tuple[int, StudyBatch]]:
    """Yield one batch after another, each by all threads.

    Raises
    ------
    KeyboardInterrupt
        When interrupted.
    """
    task = task_of(plan)
    for k in todo:
        batch = make_batch(task, plan.part(k), lambda done, total: report(done))
        if batch is None:
            raise KeyboardInterrupt
        yield k, batch


def task_of(plan: Plan) -> StudyTask:
    """Return the data shared by all batches of a study."""
    return StudyTask(plan.model, plan.options, plan.kept, plan.statistics)


def run_on_cluster(
    plan: Plan, todo: Sequence[int], client: Client, retries: int
) -> Iterator[tuple[int, StudyBatch]]:
    """Run batches on the workers of a cluster; hold at most two results per worker's thread.

    A batch that is lost, with its worker or else, is made again so many times.

    Raises
    ------
    SimulationError
        If a batch was lost too often, or the cluster is gone.
    CeDynamicsError
        Of a batch, which would say the same again.
    """
    import distributed  # here, because an extra installs it
    from distributed.client import ClosedClientError

    try:
        yield from batches_made(plan, todo, client, retries, distributed.as_completed())
    except (OSError, asyncio.TimeoutError, ClosedClientError) as error:
        raise SimulationError(f"the cluster does not respond any more ({error}); {AGAIN}") from error


def batches_made(
    plan: Plan, todo: Sequence[int], client: Client, retries: int, arriving: Any
) -> Iterator[tuple[int, StudyBatch]]:
    """Yield the batches made by `run_on_cluster`; ``arriving`` yields completed futures."""
    waiting, lost = list(reversed(todo)), dict.fromkeys(todo, 0)
    shared = sent(plan, client)
    under_way: dict[Any, int] = {}

    def submit() -> None:
        if client.status != "running":  # its own messages do not say that
            raise ConnectionError(f"the client is {client.status}")
        at_once = 2 * max(1, sum(client.nthreads().values()))
        while waiting and len(under_way) < at_once:
            k = waiting.pop()
            future = client.submit(make_batch, shared, plan.part(k), pure=False)
            under_way[future] = k
            arriving.add(future)

    try:
        submit()
        while under_way:
            future = next(arriving)
            k = under_way.pop(future)
            made = outcome(future)
            if isinstance(made, StudyBatch):
                future.release()
                yield k, made
            else:
                if isinstance(made, CeDynamicsError):
                    raise made
                lost[k] += 1
                if lost[k] > retries:
                    raise SimulationError(
                        f"batch {k} was lost {lost[k]} times on the cluster ({type(made).__name__}: {made}); "
                        f"{AGAIN}, or with more retries"
                    ) from made
                waiting.append(k)
                if (
                    shared.status != "finished"
                ):  # all workers were gone, and what they had been sent with them
                    shared = sent(plan, client)
            submit()
    finally:
        if client.status == "running":
            client.cancel(list(under_way))


def outcome(future: Future[StudyBatch]) -> StudyBatch | BaseException:
    """Return the batch of a future, or the error that prevented the batch."""
    try:
        made: StudyBatch = future.result()
        return made
    except Exception as error:  # whatever a worker says, or that it is gone
        return error


def sent(plan: Plan, client: Client) -> Any:
    """Send the data shared by all batches to the workers; return the future of the data.

    Raises
    ------
    ModelError
        If a function of the model has no name by which a worker could find it.
    """
    try:
        (shared,) = client.scatter([task_of(plan)], broadcast=True, hash=False)
    except TypeError as error:  # Dask's own, which hides the reason
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, CeDynamicsError):
            cause = cause.__cause__ or cause.__context__
        raise cause or error from None
    return shared
