"""SIGTERM is Ctrl-C, from the first moment of a command to the last."""

from __future__ import annotations

import atexit
import signal


def sigterm_as_interrupt() -> None:
    """Let SIGTERM raise KeyboardInterrupt from now on, and nothing once all threads and files are closed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    atexit.register(ignored)  # the first of these is the last to run


def ignored() -> None:
    """Ignore both behind all that is closed, when Python would leave them to the system."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
