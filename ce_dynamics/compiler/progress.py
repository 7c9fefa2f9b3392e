"""Logs long work by lines of the logger ``ce_dynamics``, at least every two seconds.

``logging.basicConfig(level=logging.INFO)`` shows them; the command line shows them in place of its own text.
Work is nested: a line names the innermost work.  The cost is negligible where level INFO is disabled.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

logger = logging.getLogger("ce_dynamics")

FIRST = 1.0  # seconds that anything may take before it is mentioned

EVERY = 1.8  # seconds between two lines


class Work:
    """Something that may take long; ``detail`` returns its progress at any time, empty if unknown."""

    def __init__(self, text: str, detail: Callable[[], str]) -> None:
        self.text, self.detail = text, detail
        self.started = time.perf_counter()
        self.mentioned = False

    def line(self) -> str:
        """Format the work as a line of the log."""
        self.mentioned = True
        detail = self.detail()
        return f"{self.text}{', ' if detail else ''}{detail}: {self.seconds:.0f} s so far"

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.perf_counter() - self.started


class Worker:
    """Stack of the work of one thread, and a second thread that logs the work.

    Work that begins at most `FIRST` after the last belongs to it, so that many short pieces of work are
    logged.
    """

    def __init__(self) -> None:
        self.stack: list[Work] = []
        self.due = 0.0
        self.ended = -math.inf
        self._done = threading.Event()

    def begin(self, work: Work) -> None:
        """Begin work inside the present one, or new work."""
        self.stack.append(work)
        if len(self.stack) > 1:
            return
        if work.started > self.ended + FIRST:
            self.due = work.started + FIRST
        self._done = threading.Event()
        writer = threading.Thread(target=self._write, args=(self._done,), name="progress", daemon=True)
        writer.start()

    def end(self, work: Work) -> None:
        """End the innermost work."""
        self.stack.remove(work)
        if not self.stack:
            self._done.set()
            self.ended = time.perf_counter()
        if work.mentioned:
            logger.info("%s: done after %.1f s", work.text, work.seconds)

    def _write(self, done: threading.Event) -> None:
        """Name the innermost work from time to time, until the outermost is done."""
        while not done.wait(max(0.0, self.due - time.perf_counter())):
            self.due = time.perf_counter() + EVERY
            for work in self.stack[-1:]:
                logger.info("%s", work.line())


class _Workers(threading.local):
    """One for each thread."""

    def __init__(self) -> None:
        self.here = Worker()


_workers = _Workers()


@contextmanager
def log_work(text: str, detail: Callable[[], str] = str) -> Iterator[None]:
    """Log the work of a block if it takes long, and its duration at the end.

    ``detail`` returns its progress.
    """
    if not logger.isEnabledFor(logging.INFO):
        yield
        return
    worker, work = _workers.here, Work(text, detail)
    worker.begin(work)
    try:
        yield
    finally:
        worker.end(work)
