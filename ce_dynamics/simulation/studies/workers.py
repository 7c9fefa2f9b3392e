"""Who makes the batches of a study: the threads of this process, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ce_dynamics.errors import CeDynamicsError, SimulationError
from ce_dynamics.simulation.studies.batch import Batch, Task, make_batch
from ce_dynamics.simulation.studies.plan import Plan

if TYPE_CHECKING:
    from distributed import Client

Told = Callable[[int], None]
"""Told how many runs of a batch under way are done."""


def in_threads(plan: Plan, todo: Sequence[int], told: Told) -> Iterator[tuple[int, Batch]]:
    """One batch after another, each by all threads.

    Raises
    ------
    KeyboardInterrupt
        When interrupted.
    """
    task = task_of(plan)
    for k in todo:
        batch = make_batch(task, plan.part(k), lambda done, total: told(done))
        if batch is None:
            raise KeyboardInterrupt
        yield k, batch


def task_of(plan: Plan) -> Task:
    """What the batches of a study share."""
    return Task(plan.model, plan.ways, plan.kept, plan.told)


def on_cluster(plan: Plan, todo: Sequence[int], client: Client, retries: int) -> Iterator[tuple[int, Batch]]:
    """By the workers of a cluster, of whose results this process holds two per worker's thread at most.

    A batch that is lost, with its worker or else, is made again so many times.

    Raises
    ------
    SimulationError
        If a batch was lost too often, or the cluster is gone.
    CeDynamicsError
        Of a batch, which would say the same again.
    """
    import distributed  # here, because an extra installs it

    waiting, lost = list(reversed(todo)), dict.fromkeys(todo, 0)
    shared = client.scatter(task_of(plan), broadcast=True, hash=False)
    under_way: dict[Any, int] = {}
    arriving = distributed.as_completed()

    def submit() -> None:
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
            if future.status == "finished":
                batch = future.result()
                future.release()
                yield k, batch
            else:
                reason = future.exception() if future.status == "error" else None
                if isinstance(reason, CeDynamicsError):
                    raise reason
                lost[k] += 1
                if lost[k] > retries:
                    raise SimulationError(
                        f"batch {k} was lost {lost[k]} times on the cluster "
                        f"({type(reason).__name__ if reason else future.status}: {reason}); finished runs "
                        "are kept: start the study again when the cluster is back, or with more retries"
                    ) from reason
                waiting.append(k)
            submit()
    finally:
        client.cancel(list(under_way))
