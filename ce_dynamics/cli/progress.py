"""Shows progress on stderr where stderr is a terminal, and defers interrupts by Ctrl-C."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from ce_dynamics.algebra.interrupts import SIGNALS
from ce_dynamics.compiler.progress import logger

if TYPE_CHECKING:
    from rich.progress import Progress

INTERVAL = 0.05
"""Shortest time between two updates [s]: the integrator reports some thousand steps per second."""


class Display:
    """A bar with the stage of work and the time reached; silent where stderr is no terminal."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self.shown = 0.0

    def __enter__(self) -> Display:
        from rich.console import Console  # here, because only terminals need it

        console = Console(stderr=True)
        if console.is_terminal:
            # here, because only terminals need it
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            text = TextColumn("{task.description}"), TextColumn("{task.fields[reached]}")
            self.progress = Progress(
                text[0], BarColumn(), text[1], TimeElapsedColumn(), console=console, transient=True
            )
            self.progress.start()
            self.task = self.progress.add_task("", total=None, reached="")
            self._listener = Listener(self)
            self._level = logger.level
            logger.addHandler(self._listener)
            logger.setLevel(logging.INFO)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.progress is not None:
            logger.removeHandler(self._listener)
            logger.setLevel(self._level)
            self.progress.stop()

    def show_part(self, text: str) -> None:
        if self.progress is not None:
            self.progress.update(self.task, description=text)

    def stage(self, text: str) -> None:
        """Show a stage of unknown duration."""
        if self.progress is not None:
            self.progress.reset(self.task, total=None, description=text, reached="")
            self.progress.refresh()

    def reach(self, t: float, duration: float) -> None:
        """Show the time reached [s]."""
        now = time.perf_counter()
        if self.progress is None or now < self.shown + INTERVAL:
            return
        self.shown = now
        self.progress.update(
            self.task,
            description="integrating",
            total=duration,
            completed=t,
            reached=f"{t:5.2f} of {duration:g} s",
        )


class Listener(logging.Handler):
    """Shows the progress that the library reports."""

    def __init__(self, display: Display) -> None:
        super().__init__(logging.INFO)
        self._display = display

    def emit(self, record: logging.LogRecord) -> None:
        """Show a line of the log as the description of the bar."""
        if record.name == logger.name and record.levelno == logging.INFO:
            self._display.show_part(record.getMessage())


class Interruption:
    """Ctrl-C, or SIGTERM, as KeyboardInterrupt: remembered while something is in hand that must not be lost.

    Elsewhere, and when it comes twice, it acts at once.
    """

    def __init__(self) -> None:
        self.requested = False
        self.deferred = False
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interruption:
        self._previous = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        again, self.requested = self.requested, True
        if again or not self.deferred:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Stop between steps if requested."""
        self.deferred = True
        if self.requested:
            raise KeyboardInterrupt

    def reset(self) -> None:
        """Reset the request after an interrupt has been handled, so that the next one counts anew."""
        self.requested = self.deferred = False

    @contextmanager
    def defer_interrupts(self) -> Iterator[None]:
        """Defer an interrupt until a block has ended; `requested` is then True."""
        self.deferred = True
        try:
            yield
        finally:
            self.deferred = False
