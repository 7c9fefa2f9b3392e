"""Ctrl-C that came while an object was being deleted, or a library in C was being loaded.

Python reports an exception in a finalizer or in a callback of a weak reference and goes on: a
KeyboardInterrupt raised there would be lost, and the command would go on for as long as it takes.  Libraries
that are being loaded make an ImportError of it.
"""

from __future__ import annotations

import sys
import threading
from _thread import interrupt_main
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SOON = 0.01
"""When it comes again [s]: after the finalizer."""


def lose_none() -> None:
    """From now on a KeyboardInterrupt that nobody could catch comes again."""
    before = sys.unraisablehook

    def hook(lost: UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            again = threading.Timer(SOON, interrupt_main)
            again.daemon = True
            again.start()
        else:
            before(lost)

    sys.unraisablehook = hook


def was_interrupt(error: BaseException | None) -> bool:
    """Whether a KeyboardInterrupt led to what another library raised."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
