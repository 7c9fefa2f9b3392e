"""The command line: ``simulate-vehicle``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ce_dynamics.algebra.interrupts import answer_signals, exit_command, was_interrupt
from ce_dynamics.algebra.streams import print_anything
from ce_dynamics.cli.messages import INTERRUPTED, loading


def main() -> NoReturn:
    """Run ``simulate-vehicle``; SIGTERM acts as Ctrl-C, from the first moment to the last."""
    answer_signals()
    print_anything()
    os.environ["MPLBACKEND"] = "Agg"  # pictures are files; matplotlib would fail on an unknown backend
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: more threads would only wait, awake
    if os.environ.get("CE_DYNAMICS_CODE") == "portable" or sys.argv[1:2] == ["determinism"]:
        # matrix products of NumPy follow the processor; these are for all of x86
        os.environ["OPENBLAS_CORETYPE"] = "Prescott"
    try:
        with loading():
            # here, so that Ctrl-C during the import is reported
            from ce_dynamics.cli.command import execute
            from ce_dynamics.cli.late_modules import load_late

        load_late()
        code = execute()
    except (KeyboardInterrupt, ImportError) as error:  # while it was loaded
        if not was_interrupt(error):
            raise
        print("error: interrupted", file=sys.stderr)
        code = INTERRUPTED
    exit_command(code)
