"""Many vehicles at once: lanes and threads against one after another."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import compile_function
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import native_loop, repeats


def run(options: Options) -> Result:
    """Simulated seconds of full vehicles with driver per second on the wall, in fixed and adaptive steps."""
    from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble

    case = prepare("double-lane-change")
    runs, duration, rounds = (16, 0.1, 1) if options.quick else (128, 5.0, 5)
    y0s = np.tile(case.y0, (runs, 1))
    ways_of: dict[str, dict[str, Any]] = {"RK4, 1 ms": {"method": "rk4", "step": 1e-3}}
    ways_of |= {f"{pair}, 1e-6": {"method": pair, "rtol": 1e-6} for pair in ("dopri5", "tsit5")}

    serial: list[float] = []

    def single(common: dict[str, Any]) -> float:
        results = simulate(case.model, case.manoeuvre, y0=case.y0, duration=duration, **common)
        return float(results.attrs["wall_time_s"])

    def together(common: dict[str, Any], threads: int, lanes: int) -> float:
        start, own, every = time.perf_counter(), time.thread_time(), time.process_time()
        simulate_ensemble(
            case.model, y0s, inputs=case.manoeuvre, duration=duration, threads=threads, lanes=lanes,
            keep=("x",), **common,
        )  # fmt: skip
        serial.append((time.thread_time() - own) / (time.process_time() - every))
        return time.perf_counter() - start

    cores = os.cpu_count() or 1
    ways: list[tuple[str, Any, int]] = []
    for name, common in ways_of.items():
        ways.append((f"{name}: one vehicle after another", partial(single, common), 1))
        for threads, lanes in ((1, 4), (1, 8), (cores, 8)):
            counted = "1 thread" if threads == 1 else f"{threads} threads"
            ways.append(
                (f"{name}: {lanes} lanes, {counted}", partial(together, common, threads, lanes), runs)
            )
    bare = bare_evaluations(case.model, cores, 0.01 if options.quick else 0.5)
    best, alone, at_once = [float("inf")] * len(ways), float("inf"), float("inf")
    for _, call, _ in ways:
        call()
    for _ in range(rounds):
        for k, (_, call, _) in enumerate(ways):
            best[k] = min(best[k], call())
        alone, at_once = min(alone, bare(1)), min(at_once, bare(cores))
    gain = cores * alone / at_once
    throughput = [vehicles * duration / seconds for (_, _, vehicles), seconds in zip(ways, best, strict=True)]
    rows = tuple(
        (name, number(value), number(value / throughput[0]))
        for (name, _, _), value in zip(ways, throughput, strict=True)
    )
    note = (
        f"{runs} vehicles for {duration:g} s in the double lane change with its driver; of the ensembles "
        f"the whole call, of the single run the integration alone.  {cores} threads that do nothing but "
        f"evaluate, each on numbers of its own, get {number(gain)} times as much done on this machine as one "
        f"of them; what the ensemble does in its calling thread alone takes {100 * min(serial):.1f} % of its "
        "processor time."
    )
    head = ("way", "vehicle seconds per second", "× RK4, one after another")
    data = {name: value for (name, _, _), value in zip(ways, throughput, strict=True)}
    data["gain of bare evaluations"] = gain
    return Result((Table("Ensembles of full vehicles", head, rows, (note,)),), data)


def bare_evaluations(model: Model, threads: int, seconds: float) -> Callable[[int], float]:
    """Seconds in which each of several threads evaluates so often that one alone takes about `seconds`.

    What the machine gives to threads that have nothing to do with each other.
    """
    function = compile_function(model.dynamics.traced, 8)
    bindings = [function.bind() for _ in range(threads)]
    batches = []
    for binding in bindings:
        binding.inputs["y"][:] = model.y0[:, np.newaxis]
        binding.inputs["u"][:] = model.u0[:, np.newaxis]
        arrays = (*binding.inputs.values(), *binding.outputs.values())
        batches.append(native_loop(function.address, [array.ctypes.data for array in arrays], binding))
    n = repeats(batches[0], seconds)

    def run(number: int) -> float:
        with ThreadPoolExecutor(number) as pool:
            start = time.perf_counter()
            for done in [pool.submit(batch, n) for batch in batches[:number]]:
                done.result()
            return time.perf_counter() - start

    return run
