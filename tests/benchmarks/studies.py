"""Large studies: killed and gone on with, and the memory they take: ``python -m tests.benchmarks.studies``.

A study of 10,000 pendulums is killed again and again by the system, at moments of chance, until it comes to
its end; every run must then be there once, with the bits of an ensemble that nobody stopped.  Then studies of
more and more runs are made, each in a process of its own, and the most memory it ever had is read from the
system.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.models.vehicles.case import prepare
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import most_memory

KEPT = ["angle"]


def pendulum() -> ce.System:
    """A pendulum with a damper, its mass free."""
    system = ce.System(gravity=(0.0, 0.0, -9.81), name="pendulum")
    mass = system.add_parameter(ce.Parameter("mass", 1.0, "kg"))
    angle = system.add_body(
        "angle", mass=mass, com=(0.5, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0))
    )
    system.add_force(ce.TorsionSpringDamper("hub", angle, spring=3.0, damper=0.1))
    return system


def masses(runs: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of every run."""
    return np.linspace(0.5, 2.0, runs)


def study(path: Path, system: str, runs: int, seconds: float) -> ce.Study:
    """Made in this process, with the number of finished runs on standard output."""
    given: dict[str, Any] = {"parameters": {"mass": masses(runs)}}
    kept, batch = KEPT, 500 if runs <= 10_000 else None
    if system == "pendulum":
        model = ce.compile(pendulum())
    else:
        case = prepare("double-lane-change", model=system)
        model, kept, batch = case.model, ["y"], None
        given = {"y0s": np.broadcast_to(case.y0, (runs, len(case.y0))), "inputs": case.manoeuvre}
    return ce.simulate_study(
        model, path, **given, duration=seconds, interval=min(0.1, 0.2 * seconds), method="dopri5",
        keep=kept, statistics=kept, batch=batch, progress=lambda done, total: print(done, flush=True),
    )  # fmt: skip


def child(path: Path, system: str, runs: int, seconds: float) -> subprocess.Popen[str]:
    """The same in a process of its own."""
    told = map(str, (path, system, runs, seconds))
    command = [sys.executable, "-m", "tests.benchmarks.studies", "--make", *told]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_and_gone_on_with(folder: Path, runs: int, seconds: float) -> Table:
    """A study that is killed until it is done."""
    path, chance, kills, rows = folder / "killed.nc", random.Random(1), 0, []
    expected = 0
    while True:
        process = child(path, "pendulum", runs, seconds)
        assert process.stdout is not None
        told: list[int] = []
        limit = expected + chance.randrange(600, 2500)
        for line in process.stdout:
            told += [int(line)] if line.strip().isdecimal() else []
            if told and told[-1] >= min(limit, runs):
                break
        over = told[-1] >= runs
        if not over:
            time.sleep(0.02 * chance.random())
            process.kill()
            kills += 1
        process.wait()
        process.stdout.close()
        made = ce.Study(path).runs_made
        if told[0] != expected or made < expected:
            raise AssertionError(f"begins with {told[0]} runs, {expected} were stored, {made} are now")
        rows.append((str(told[0]), str(told[-1]), str(made)))
        expected = made // 500 * 500
        if over:
            break
    straight = ce.simulate_ensemble(
        ce.compile(pendulum()), parameters={"mass": masses(runs)}, duration=seconds, interval=0.1,
        method="dopri5", keep=KEPT,
    )  # fmt: skip
    with ce.Study(path).results() as found:
        same = bool(np.array_equal(found["angle"].values, straight["angle"].values))
        status = set(found["status"].values.tolist())
    if not same or status != {"completed"}:
        raise AssertionError("the numbers are others than those of an ensemble")
    head = ("stored before", "told at the kill", "stored after")
    note = f"{runs:,} runs in batches of 500, killed {kills} times; all there once, with the ensemble's bits."
    return Table("A study that is killed again and again", head, tuple(rows), (note,))


def memory(folder: Path, studies: list[tuple[str, int, float]]) -> Table:
    """Peak memory and time of studies of different size."""
    rows = []
    for system, runs, seconds in studies:
        path, began = folder / f"{runs}.nc", time.perf_counter()
        process = child(path, system, runs, seconds)
        output, _ = process.communicate()
        took = time.perf_counter() - began
        peak = float(output.split()[-1])
        size = path.stat().st_size / 2**20
        about = system, f"{runs:,}", number(seconds)
        rows.append((*about, number(peak), number(size), number(took), number(runs * seconds / took)))
        path.unlink()
    head = ("system", "runs", "each, s", "peak memory, MiB", "file, MiB", "s", "simulated s per s")
    note = (
        "By dopri5 at 1e-6, one variable stored at instants 0.1 s apart (at six, if that are fewer), its "
        "statistics made; the vehicle in a lane change with its driver.  Whole process with imports and "
        "compiling."
    )
    return Table("Memory of studies", head, tuple(rows), (note,))


def main() -> None:
    """Run both parts, or make one study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that it runs")
    told = ("FILE", "SYSTEM", "RUNS", "SECONDS")
    parser.add_argument("--make", nargs=4, metavar=told, help="make one study: of a pendulum or of a vehicle")
    options = parser.parse_args()
    if options.make:
        file, system, runs, seconds = options.make
        study(Path(file), system, int(runs), float(seconds))
        print(most_memory() / 2**20)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(killed_and_gone_on_with(folder, 2000 if options.quick else 10_000, 10.0).terminal())
        numbers = [1000, 3000] if options.quick else [1000, 10_000, 100_000]
        studies = [("pendulum", runs, 10.0) for runs in numbers]
        studies += [("hmmwv", runs, 5000.0 / runs) for runs in numbers[1:]]
        print(memory(folder, studies).terminal())


if __name__ == "__main__":
    main()
