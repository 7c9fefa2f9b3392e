"""The command line: ``simulate-vehicle``."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Entry point of ``simulate-vehicle``; SIGTERM is Ctrl-C, from the first moment to the last."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ["MPLBACKEND"] = "Agg"  # pictures are files; a name that matplotlib does not know would end it
    atexit.register(done)  # the first of these is the last to run
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


def done() -> None:
    """Ignore signals behind all threads and files, when Python would leave them to the system."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
