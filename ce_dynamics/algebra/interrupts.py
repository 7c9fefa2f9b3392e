"""Ctrl-C and SIGTERM end a command, from first to last, and between pieces of compiled work."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from _thread import interrupt_main
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


SOON = 0.01  # when it comes again [s]: after the finalizer


def lose_none() -> None:
    """Raise again, from now on, every KeyboardInterrupt that no code could catch."""
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
    """Return True if a KeyboardInterrupt caused the error of another library."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


SIGNALS = signal.SIGINT, signal.SIGTERM
INTERRUPTED = 130  # exit code

_codes: list[int] = []


def answer_signals() -> None:
    """Make both signals raise KeyboardInterrupt, and do nothing once all threads and files are closed.

    This holds even if the parent process ignores SIGINT, as shells do behind ``&``.
    """
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler)
    lose_none()
    atexit.register(end)  # the first of these is the last to run


def end() -> None:
    """End the process, after everything is closed, with the exit code that it was left with.

    Python would leave signals to the system, and would end by SIGINT if a KeyboardInterrupt went through text
    that was executed, such as that of a named tuple, however it was handled.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if _codes:
        os._exit(_codes[0])


def exit_command(code: int) -> NoReturn:
    """End the command: all that was to be done is done, and signals change the code no more.

    Who interrupted it does not wait for threads, which work for the next time only.
    """

    def at_once(number: int, frame: FrameType | None) -> None:
        os._exit(code)

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # the reader has closed the pipe, or the disk is full
            stream.flush()
    for number in SIGNALS:
        signal.signal(number, at_once)
    _codes.append(code)
    if code == INTERRUPTED:
        atexit._run_exitfuncs()
    raise SystemExit(code)


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
