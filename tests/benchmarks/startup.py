"""From the prompt to the first result: nothing cached, and everything cached."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.report import Options, Result, Table, number

COMMAND = [sys.executable, "-c", "from ce_dynamics.cli import main; main()"]
VERSION = "simulate-vehicle --version"
QUESTIONS: dict[str, tuple[str, ...]] = {
    VERSION: ("--version",),
    "simulate-vehicle --vehicle ride --duration 0.01": ("--vehicle", "ride", "--duration", "0.01"),
    "simulate-vehicle --duration 0.01": ("--duration", "0.01"),
    "simulate-vehicle --duration 0.01 --method rk4": ("--duration", "0.01", "--method", "rk4"),
    "simulate-vehicle (10 s)": (),
}
LAST_LINE = "greatest bump"
"""Last line of the summary: when it is read, the user has the result."""


class Start(NamedTuple):
    """Seconds until the summary is read from the command's output, and until its process has ended.

    ``busy`` is the processor time that the first took, which other work on the machine hardly changes; NaN
    where the system does not tell it of another process.
    """

    first: float
    whole: float
    busy: float


def run(options: Options) -> Result:
    rows, data = [], {}
    for title in list(QUESTIONS)[:1] if options.quick else QUESTIONS:
        arguments = QUESTIONS[title]
        cold = best(started(arguments)[0] for _ in range(1 if options.quick else 2))
        warm = best(started(arguments, again=1 if options.quick else 5)[1:])
        rows.append((title, *(number(x) for x in (*cold, *warm))))
        data[title] = {"cold": cold._asdict(), "warm": warm._asdict()}
    times = ("result, s", "with files, s", "processor, s")
    head = ("command", *(f"{state}: {what}" for state in ("cold", "warm") for what in times))
    note = (
        "Seconds from the start of the process, best of repeats: until its summary is read from a pipe (of "
        "--version, its only line), and until it has ended with the NetCDF file and the plots written; "
        "processor: time of the first on all cores, which other work on the machine hardly changes.  "
        "Cold: no compiled code in the project's cache nor in numba's; Python's own byte code is there, as "
        "after installing."
    )
    return Result((Table("Start-up of the command line", head, tuple(rows), (note,)),), data)


def best(starts: Iterable[Start]) -> Start:
    return Start(*map(min, zip(*starts, strict=True)))


def started(arguments: tuple[str, ...], again: int = 0) -> list[Start]:
    """A run with empty caches and more after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {
            "CE_DYNAMICS_CACHE": str(folder / "code"),
            "NUMBA_CACHE_DIR": str(folder / "numba"),
            "MPLBACKEND": "Agg",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # without, every start compiles what it imports
        return [once(arguments, folder, environment) for _ in range(1 + again)]


def once(arguments: tuple[str, ...], folder: Path, environment: dict[str, str]) -> Start:
    wanted = LAST_LINE if arguments != QUESTIONS[VERSION] else "simulate-vehicle"
    began, first, busy = time.perf_counter(), float("nan"), float("nan")
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if wanted in line:
                first, busy = time.perf_counter() - began, processor_time(process.pid)
    if process.returncode or first != first:
        raise RuntimeError(f"simulate-vehicle {' '.join(arguments)} ended with {process.returncode}")
    return Start(first, time.perf_counter() - began, busy)


def processor_time(pid: int) -> float:
    """Return the processor time of a process so far, in user and system mode [s]; NaN without /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
