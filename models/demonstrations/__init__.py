"""Demonstrations, each with a command: ``python -m ce_dynamics.models.demonstrations.rolling_ball``."""

from __future__ import annotations

import os
import sys
from types import TracebackType

from ce_dynamics.algebra.interrupts import INTERRUPTED, answer_signals, was_interrupt
from ce_dynamics.algebra.streams import print_anything


def stop_in_one_line() -> None:
    """Let Ctrl-C and SIGTERM end a command in one line before it takes care of them itself, and behind."""

    def said(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not was_interrupt(error):
            sys.__excepthook__(kind, error, trace)
            return
        print("error: interrupted", file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)

    answer_signals()
    sys.excepthook = said


if sys.argv[:1] == ["-m"]:  # Python looks for the command that it was asked to run
    stop_in_one_line()
    print_anything()
