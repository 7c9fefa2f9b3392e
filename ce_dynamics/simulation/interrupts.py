"""Ctrl-C between pieces of compiled work, so that what was computed stays whole, or in other threads."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

import numpy as np


class Interrupts:
    """Remembers Ctrl-C while it is entered; `check` lets it take effect.

    Only where Python's own handler is in place and in the main thread: whoever handles it otherwise does so.
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
        """Raise KeyboardInterrupt if it was asked for."""
        if self._asked:
            self._asked = False
            raise KeyboardInterrupt


class StopSign:
    """Seen by compiled loops of other threads between two steps.

    Attributes
    ----------
    flag : (1,) int array
        What compiled loops look at: not zero once they are to end.
    """

    def __init__(self) -> None:
        self.flag = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        """End the loops."""
        self.flag[0] = 1

    def clear(self) -> None:
        """Let loops begin again."""
        self.flag[0] = 0

    def is_set(self) -> bool:
        """Return True if they are to end."""
        return bool(self.flag[0])
