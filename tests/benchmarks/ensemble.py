"""Many vehicles at once: lanes and threads, single precision, environments."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import compile_function
from ce_dynamics.errors import ModelError
from ce_dynamics.models.environments import VehicleEnv, VehicleVectorEnv
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import native_loop, repeats

MANOEUVRE, DURATION = "double-lane-change", 5.0
LOADS = "tyre_Fz"
TASKS = ("path-following", "lane-change", "parking")
NUMBER, DT, SECONDS, ROUNDS = 64, 0.02, 0.6, 5
"""Vehicles, their step [s], processor time of a round [s], rounds."""


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


def single_precision(options: Options) -> Result:
    """Compare single-precision lanes with double: speed, and error by the same steps."""
    rows = tuple(map(compared, list(SHIPPED)[: 1 if options.quick else None]))
    head = ("vehicle", "place, m", "angles, rad", "wheel loads", "× double", "vehicle s per s", "failed")
    note = (
        f"Largest difference to double precision in a {MANOEUVRE} of {DURATION:g} s, RK4 at 1 ms, with "
        "driver; wheel loads relative to the largest.  Speed per core of processor time."
    )
    return Result((Table("Single-precision lanes", head, rows, (note,)),))


def compared(vehicle: str) -> tuple[str, ...]:
    case = prepare(MANOEUVRE, model=vehicle)
    names = [v.name for v in case.model.variables]
    place, angle = (
        [f"chassis_{x}" for x in xs if f"chassis_{x}" in names] or [x for x in xs if x in names]
        for xs in (("x", "y", "z"), ("roll", "pitch", "yaw"))
    )
    loads = [name for name in names if name == LOADS]
    common: dict[str, Any] = {
        "inputs": case.manoeuvre, "duration": DURATION, "method": "rk4", "interval": 0.05, "threads": 1,
        "keep": [*place, *angle, *loads],
    }  # fmt: skip
    made, took = {}, {}
    for precision in ("double", "single"):
        y0s = np.tile(case.y0, (16 if precision == "single" else 8, 1))
        try:
            ce.simulate_ensemble(case.model, y0s, precision=precision, **{**common, "duration": 0.01})
        except ModelError:
            return (vehicle, *["–"] * 5, "refused")
        began = time.process_time()
        made[precision] = ce.simulate_ensemble(case.model, y0s, precision=precision, **common)
        took[precision] = (time.process_time() - began) / len(y0s)
    double, single = (made[p].isel(run=0) for p in ("double", "single"))

    def apart(kept: list[str]) -> float:
        return max((float(abs(single[name] - double[name]).max()) for name in kept), default=float("nan"))

    load = apart(loads) / max((float(abs(double[name]).max()) for name in loads), default=1.0)
    failed = int((made["single"]["status"] == "failed").sum())
    return (
        vehicle, f"{apart(place):.1e}", f"{apart(angle):.1e}", f"{load:.1e}",
        number(took["double"] / took["single"]), number(DURATION / took["single"]), str(failed),
    )  # fmt: skip


def environments(options: Options) -> Result:
    """Count steps of environments per second and core, of many vehicles in lanes and of one."""
    rows = []
    for name in TASKS[: 1 if options.quick else None]:
        vector, one = rates(vectored(name, "hmmwv"), single(name, "hmmwv"))
        rows.append((name, number(vector), number(vector * DT), number(one)))
    note = (
        f"{NUMBER} HMMWVs in 8 lanes, and one; {DT * 1e3:.0f} ms per step in 20 steps of RK4, random actions."
    )
    head = ("task", "vector, steps/s", "× real time", "single, steps/s")
    return Result((Table("Environments on one core", head, tuple(rows), (note,)),))


def rates(*those: Callable[[], int]) -> list[float]:
    """Steps per second of the processor, the best of several rounds in turn."""
    best = [0.0] * len(those)
    for _ in range(ROUNDS):
        for k, steps in enumerate(those):
            began, made = time.process_time(), 0
            while (spent := time.process_time() - began) < SECONDS:
                made += steps()
            best[k] = max(best[k], made / spent)
    return best


def vectored(task: str, vehicle: str) -> Callable[[], int]:
    """The vector environment under actions drawn at random, episodes and their ends included."""
    env = VehicleVectorEnv(task, vehicle, NUMBER, dt=DT)
    env.reset(seed=0)
    random = np.random.default_rng(1)
    actions = random.uniform(-0.3, 0.3, (50, NUMBER, len(env.task.actions))).astype(np.float32)
    k = 0

    def steps() -> int:
        nonlocal k
        env.step(actions[k % 50])
        k += 1
        return NUMBER

    return steps


def single(task: str, vehicle: str) -> Callable[[], int]:
    env = VehicleEnv(task, vehicle, dt=DT)
    env.reset(seed=0)
    random = np.random.default_rng(1)
    actions = random.uniform(-0.3, 0.3, (50, len(env.task.actions))).astype(np.float32)
    k = 0

    def steps() -> int:
        nonlocal k
        *_, ended, cut, _ = env.step(actions[k % 50])
        if ended or cut:
            env.reset()
        k += 1
        return 1

    return steps
