"""What a second thread gives an ensemble, beside what the machine gives to a second process.

    python -m tests.benchmarks.two_threads

The machine is asked in the same minute, in turns: two processes that evaluate the same model in loops of
machine code, with nothing in common but the memory bus and the clock.  What they do not gain, no thread can.
Processor time says why: where it grows, cores slow each other down (clock, cache, another virtual machine);
where it does not, somebody waits.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiler import compile_function
from ce_dynamics.models.hmmwv import prepare
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import native_loop, repeats

RUNS, DURATION, LANES = 128, 2.5, 8
SECONDS = 0.5
"""Of one process that evaluates."""


class Spent(NamedTuple):
    """Time on the wall and of processors [s]."""

    wall: float
    cpu: float


def evaluate(wire: Connection) -> None:
    """A process: evaluates whenever it is told to, and answers what that took."""
    model = prepare("double-lane-change").model
    function = compile_function(model.dynamics.traced, LANES)
    binding = function.bind()
    binding.inputs["y"][:] = model.y0[:, np.newaxis]
    binding.inputs["u"][:] = model.u0[:, np.newaxis]
    arrays = (*binding.inputs.values(), *binding.outputs.values())
    batch = native_loop(function.address, [array.ctypes.data for array in arrays], binding)
    wire.send(repeats(batch, SECONDS))
    while (n := wire.recv()) is not None:
        began = time.process_time()
        batch(n)
        wire.send(time.process_time() - began)


def by_processes(wires: list[Connection], n: int) -> Spent:
    """So many evaluations in each process, all at a time."""
    began = time.perf_counter()
    for wire in wires:
        wire.send(n)
    cpu = sum(wire.recv() for wire in wires)
    return Spent(time.perf_counter() - began, cpu)


def by_threads(case: Any, threads: int, given: dict[str, Any]) -> Spent:
    """An ensemble in so many threads."""
    began, cpu = time.perf_counter(), time.process_time()
    y0s = np.tile(case.y0, (RUNS, 1))
    ce.simulate_ensemble(
        case.model, y0s, inputs=case.manoeuvre, duration=DURATION, keep=["x"], threads=threads, **given
    )
    return Spent(time.perf_counter() - began, time.process_time() - cpu)


class Gain(NamedTuple):
    """What two have over one, by best times and by the median of rounds; and processor time of two by one."""

    best: float
    median: float
    cpu: float


def gain(one: list[Spent], two: list[Spent], work: float) -> Gain:
    """Of two, which do ``work`` times as much as one."""
    best = work * min(x.wall for x in one) / min(x.wall for x in two)
    median = statistics.median(work * a.wall / b.wall for a, b in zip(one, two, strict=True))
    return Gain(best, median, min(x.cpu for x in two) / (work * min(x.cpu for x in one)))


def main() -> None:
    """HMMWV in the double lane change with its driver, in fixed and adaptive steps."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.two_threads", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    case = prepare("double-lane-change")
    single = {"method": "dopri5", "rtol": 1e-4, "atol": 1e-6, "precision": "single"}
    ways: dict[str, dict[str, Any]] = {
        "rk4, 1 ms": {"method": "rk4"},
        "dopri5, 1e-6": {"method": "dopri5"},
        "dopri5, 1e-4, single": single,
    }
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(2)]
    others = [context.Process(target=evaluate, args=(end,), daemon=True) for _, end in pipes]
    for other in others:
        other.start()
    wires = [wire for wire, _ in pipes]
    n = min(wire.recv() for wire in wires)
    machine: tuple[list[Spent], list[Spent]] = ([], [])
    ours: dict[str, tuple[list[Spent], list[Spent]]] = {name: ([], []) for name in ways}
    for given in ways.values():
        by_threads(case, 2, given)
    for _ in range(rounds):
        machine[0].append(by_processes(wires[:1], n))
        machine[1].append(by_processes(wires, n))
        for name, given in ways.items():
            ours[name][0].append(by_threads(case, 1, given))
            ours[name][1].append(by_threads(case, 2, given))
    for wire in wires:
        wire.send(None)
    bare = gain(*machine, 2.0)
    rows = [("two processes that only evaluate", *map(number, bare), "")]
    for name, spent in ours.items():
        found = gain(*spent, 1.0)
        share = f"{number(found.best / bare.best)}, {number(found.median / bare.median)}"
        rows.append((f"ensemble, {name}, two threads", *map(number, found), share))
    head = (
        "what",
        "gain, best times",
        "gain, median of rounds",
        "processor time, by one",
        "share of the machine's",
    )
    print(Table("A second thread", head, tuple(rows)).terminal())


if __name__ == "__main__":
    main()
