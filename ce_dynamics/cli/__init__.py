"""The command line: ``simulate-vehicle``."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from ce_dynamics.algebra.termination import sigterm_as_interrupt
from ce_dynamics.cli.exit_codes import INTERRUPTED


def main() -> NoReturn:
    """Entry point of ``simulate-vehicle``; SIGTERM is Ctrl-C, from the first moment to the last."""
    sigterm_as_interrupt()
    os.environ["MPLBACKEND"] = "Agg"  # pictures are files; a name that matplotlib does not know would end it
    try:
        from ce_dynamics.cli.command import execute  # here, so that mistakes and --help are answered at once

        code = execute()
    except KeyboardInterrupt:  # while it was loaded
        print("error: interrupted", file=sys.stderr)
        code = INTERRUPTED
    leave_at_once(code)
    raise SystemExit(code)


def leave_at_once(code: int) -> None:
    """Let signals that come while Python clears up after itself end it: all that was to be done is done."""

    def leave(number: int, frame: FrameType | None) -> None:
        os._exit(code)

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
