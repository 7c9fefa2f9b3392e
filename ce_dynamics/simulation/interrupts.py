"""Handles Ctrl-C between pieces of compiled work, and in other threads."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

import numpy as np


class Interrupts:
    """Context that defers Ctrl-C; `check` raises a deferred KeyboardInterrupt.

    It acts only in the main thread and in place of Python's own handler; other handlers stay in force.
    """

    def __init__(self) -> None:
        self._asked = False
        self._ours = False

    def __enter__(self) -> Interrupts:
        handler = signal.getsignal(signal.SIGINT)
        if handler is signal.default_int_handler and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._note)
            self._ours = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.check()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def check(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C was pressed."""
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt


class StopSign:
    """Flag that compiled loops of other threads check between two steps: they end if it is not zero."""

    def __init__(self) -> None:
        self.flag = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """End the loops."""
        self.flag[0] = 1

    def clear(self) -> None:
        """Let loops begin again."""
        self.flag[0] = 0

    def is_set(self) -> bool:
        """Return True if the loops must end."""
        return bool(self.flag[0])
