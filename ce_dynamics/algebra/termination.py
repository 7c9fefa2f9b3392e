"""Ctrl-C and SIGTERM end a command, from its first moment to its last."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from ce_dynamics.algebra.lost_interrupts import lose_none

SIGNALS = signal.SIGINT, signal.SIGTERM


def answer_signals() -> None:
    """Let both raise KeyboardInterrupt from now on, and do nothing once all threads and files are closed.

    Also where whoever started the command ignores SIGINT, as shells do behind ``&``.
    """
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)
    lose_none()
    atexit.register(ignored)  # the first of these is the last to run


def ignored() -> None:
    """Ignore both behind all that is closed, when Python would leave them to the system."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def leave(code: int) -> NoReturn:
    """End the command: all that was to be done is done, and signals change the code no more."""

    def at_once(number: int, frame: FrameType | None) -> None:
        os._exit(code)

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    for number in SIGNALS:
        signal.signal(number, at_once)
    raise SystemExit(code)
