"""Cases run in a few processes with limits: processor time, wall time, memory."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.campaigns.bad_input.cases import Case, End, judged

SECONDS = 10
"""Processor time of a case."""
WALL_SECONDS = 300
"""Wall time of a case: one that sleeps uses no processor, and on a loaded machine others use most of it."""
BYTES = 2**30
"""Memory that a case may take."""
GRACE = 20.0
"""Time beyond its own limit after which a process that does not answer is ended [s]."""


@dataclass(frozen=True)
class Report:
    """End of a case."""

    category: str
    name: str
    end: End
    said: str
    seconds: float


class TooLongError(BaseException):
    """Nobody may catch it as an error of a case."""


def limited(case: Case) -> tuple[End, str]:
    """Run a case within its limits, as far as this process can see to it."""

    def stop(number: int, frame: object) -> None:
        raise TooLongError

    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, stop)
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (taken + BYTES, before[1]))
        return judged(case)
    except TooLongError:
        return End.HANG, f"more than {SECONDS} s"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def work(connection: Connection, cases_of: Callable[[str], Sequence[Case]]) -> None:
    """In a worker: cases by category and number, until there are no more."""
    os.chdir(tempfile.mkdtemp(prefix="bad-input-"))
    os.environ["MPLBACKEND"] = "Agg"
    known: dict[str, Sequence[Case]] = {}
    while True:
        task = connection.recv()
        if task is None:
            return
        category, number = task
        if category not in known:
            known[category] = cases_of(category)
        began = time.monotonic()
        end, said = limited(known[category][number])
        connection.send((end, said, time.monotonic() - began))


class Worker:
    """A process and what it works on."""

    def __init__(self, cases_of: Callable[[str], Sequence[Case]]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, cases_of), daemon=True)
        self.process.start()
        other.close()
        self.task: tuple[str, int] | None = None
        self.since = self.used = 0.0

    def give(self, task: tuple[str, int]) -> None:
        """The next case."""
        self.task, self.since, self.used = task, time.monotonic(), self.processor_time
        self.connection.send(task)

    @property
    def processor_time(self) -> float:
        """Processor time of the process so far [s]."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            numbers = file.read().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def late(self) -> bool:
        """True if the process has been silent for too long: compiled loops see no signal."""
        return self.task is not None and (
            time.monotonic() - self.since > WALL_SECONDS + GRACE
            or self.processor_time - self.used > SECONDS + GRACE
        )

    def end(self) -> None:
        """Stop it."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_all(
    tasks: Sequence[tuple[str, int]], cases_of: Callable[[str], Sequence[Case]], processes: int
) -> Iterator[tuple[tuple[str, int], End, str, float]]:
    """Run cases by category and number; reports as they come in."""
    left = list(reversed(tasks))
    workers = [Worker(cases_of) for _ in range(min(processes, len(left)))]
    try:
        for worker in workers:
            if left:
                worker.give(left.pop())
        while any(worker.task for worker in workers):
            ready: list[Any] = wait([worker.connection for worker in workers if worker.task], timeout=1.0)
            for k, worker in enumerate(workers):
                task = worker.task
                if task is None or not (worker.connection in ready or worker.late):
                    continue
                fresh = False
                try:
                    if worker.late and worker.connection not in ready:
                        raise TimeoutError
                    end, said, seconds = worker.connection.recv()
                except TimeoutError:
                    end, said, seconds, fresh = End.HANG, "no answer to signals", SECONDS + GRACE, True
                except (EOFError, OSError):
                    worker.process.join()
                    end, said, seconds, fresh = End.DIED, f"exit code {worker.process.exitcode}", 0.0, True
                worker.task = None
                if fresh:
                    worker.end()
                    workers[k] = worker = Worker(cases_of)
                if left:
                    worker.give(left.pop())
                yield task, end, said, seconds
    finally:
        for worker in workers:
            worker.end()
