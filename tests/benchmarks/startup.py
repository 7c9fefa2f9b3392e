"""From the prompt to the first result: nothing cached, and everything cached."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.options import Options
from tests.benchmarks.report import Result, Table, number
from tests.benchmarks.timing import stopwatch

COMMAND = [sys.executable, "-c", "from ce_dynamics.cli import main; main()"]
QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("simulate-vehicle --version", ("--version",)),
    ("simulate-vehicle --model ride --duration 0.01", ("--model", "ride", "--duration", "0.01")),
    ("simulate-vehicle --duration 0.01", ("--duration", "0.01")),
    ("simulate-vehicle --duration 0.01 --method rk4", ("--duration", "0.01", "--method", "rk4")),
)


def run(options: Options) -> Result:
    """Each command with empty caches, then again."""
    rows, data = [], {}
    for title, arguments in QUESTIONS[:1] if options.quick else QUESTIONS:
        cold = min(started(arguments)[0] for _ in range(1 if options.quick else 2))
        with_caches = [started(arguments, again=1 if options.quick else 4) for _ in range(1)]
        warm = min(with_caches[0][1:])
        rows.append((title, number(cold), number(warm)))
        data[title] = {"cold": cold, "warm": warm}
    note = (
        "Seconds of the whole process, best of repeats.  Cold: no compiled code in the project's cache nor "
        "in numba's; Python's own byte code is there, as after installing.  The result is the summary of the "
        "run with its files written."
    )
    return Result(
        (Table("Start-up of the command line", ("command", "cold, s", "warm, s"), tuple(rows), (note,)),),
        data,
    )


def started(arguments: tuple[str, ...], again: int = 0) -> list[float]:
    """Seconds of a run with empty caches and of more after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {
            "CE_DYNAMICS_CACHE": str(folder / "code"),
            "NUMBA_CACHE_DIR": str(folder / "numba"),
            "MPLBACKEND": "Agg",
        }

        def call() -> None:
            subprocess.run(
                [*COMMAND, *arguments], cwd=folder, env=environment, check=True, capture_output=True
            )

        return [stopwatch(call) for _ in range(1 + again)]
