"""Many vehicles at once: lanes and threads against one after another."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.simulation import simulate
from tests.benchmarks.options import Options
from tests.benchmarks.report import Result, Table, number


def run(options: Options) -> Result:
    """Simulated seconds of all vehicles per second on the wall: full vehicle, driver, RK4 at 1 ms."""
    from ce_dynamics.ensembles.simulation import simulate_ensemble

    case = prepare("double-lane-change")
    runs, duration, repeats = (16, 0.1, 1) if options.quick else (128, 2.0, 5)
    y0s = np.tile(case.y0, (runs, 1))
    common: dict[str, Any] = {"duration": duration, "method": "rk4", "step": 1e-3}

    def single() -> float:
        results = simulate(case.model, case.manoeuvre, y0=case.y0, **common)
        return float(results.attrs["wall_time_s"])

    def together(threads: int, lanes: int) -> float:
        start = time.perf_counter()
        simulate_ensemble(
            case.model, y0s, inputs=case.manoeuvre, threads=threads, lanes=lanes, keep=("x",), **common
        )
        return time.perf_counter() - start

    cores = os.cpu_count() or 1
    ways: list[tuple[str, Any, int]] = [("one vehicle after another", single, 1)]
    ways += [(f"ensemble, {lanes} lanes, 1 thread", lambda n=lanes: together(1, n), runs) for lanes in (4, 8)]
    ways.append((f"ensemble, 8 lanes, {cores} threads", lambda: together(cores, 8), runs))
    best = [float("inf")] * len(ways)
    for _, call, _ in ways:
        call()
    for _ in range(repeats):
        for k, (_, call, _) in enumerate(ways):
            best[k] = min(best[k], call())
    throughput = [vehicles * duration / seconds for (_, _, vehicles), seconds in zip(ways, best, strict=True)]
    rows = tuple(
        (name, number(value), number(value / throughput[0]))
        for (name, _, _), value in zip(ways, throughput, strict=True)
    )
    note = (
        f"{runs} vehicles for {duration:g} s in the double lane change with its driver; of the ensembles "
        f"the whole call, of the single run the integration alone; {cores} cores."
    )
    head = ("way", "vehicle seconds per second", "× one after another")
    data = {name: value for (name, _, _), value in zip(ways, throughput, strict=True)}
    return Result((Table("Ensembles of full vehicles", head, rows, (note,)),), data)
