"""Timing: many short batches, the contestants in turn, the shortest batch counts.

On a machine that does other work as well, means say how busy it was; minima of many repeats say what the code
needs.  Taking turns makes what is compared see the same machine.
"""

import ctypes
import functools
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction

Batch = Callable[[int], float]
"""Evaluates so many times and returns the seconds that took."""


@dataclass
class Contender:
    """Something to be timed."""

    name: str
    settings: str  # what was chosen for it, for the reader
    batch: Batch  # seconds for n evaluations
    # largest relative error of its accelerations; nan where there is nothing to compare
    deviation: float = float("nan")
    instances: int = 1  # vehicles that one evaluation covers
    seconds: float = field(default=float("nan"))  # per evaluation and instance, once timed


def race(contenders: Sequence[Contender], rounds: int, batch_seconds: float = 0.01) -> None:
    """Time all in turn, `rounds` times, and keep each one's best."""
    counts = [repeats(c.batch, batch_seconds) for c in contenders]
    best = [float("inf")] * len(contenders)
    for _ in range(rounds):
        for k, contender in enumerate(contenders):
            best[k] = min(best[k], contender.batch(counts[k]) / counts[k])
    for contender, seconds in zip(contenders, best, strict=True):
        contender.seconds = seconds / contender.instances


def best_of(batch: Batch, rounds: int, batch_seconds: float = 0.01) -> float:
    n = repeats(batch, batch_seconds)
    return min(batch(n) / n for _ in range(rounds))


def repeats(batch: Batch, seconds: float) -> int:
    """Return the number of evaluations that take about the given time."""
    batch(1)
    n = 1
    while True:
        took = min(batch(n) for _ in range(3))  # one may have waited for another process
        if took > 0.2 * seconds or n > 10**7:
            return max(1, int(n * seconds / max(took, 1e-9)))
        n *= 8


def python_loop(run: Callable[[], object], keep: object = None) -> Batch:
    """Calls from Python: what they take contains the loop and the binding; `keep` is kept alive."""

    def batch(n: int) -> float:
        assert keep is not batch, "holds what owns the memory"
        clock = time.perf_counter
        start = clock()
        for _ in range(n):
            run()
        return clock() - start

    return batch


def stopwatch(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@functools.cache
def _native_loops() -> Any:
    """Loops in machine code that call a function again and again: no interpreter in what is measured."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = []
    for arguments in range(1, 8):
        loads = [
            f"  %s{k} = getelementptr ptr, ptr %table, i64 {k}\n  %a{k} = load ptr, ptr %s{k}"
            for k in range(arguments)
        ]
        passed = ", ".join(f"ptr %a{k}" for k in range(arguments))
        text.append(
            f"define void @repeat{arguments}(ptr %f, ptr %table, i64 %n) {{\n"
            + "\n".join(loads)
            + "\n  br label %loop\nloop:\n"
            "  %k = phi i64 [0, %0], [%next, %loop]\n"
            f"  call void %f({passed})\n"
            "  %next = add i64 %k, 1\n  %more = icmp slt i64 %next, %n\n"
            "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n"
        )
    module = llvm.parse_assembly("\n".join(text))
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten()
    )
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return engine


def native_loop(address: int, pointers: Sequence[int], keep: object = None) -> Batch:
    """Call ``void f(pointers...)`` at an address from machine code; `keep` is kept alive with the loop."""
    loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        _native_loops().get_function_address(f"repeat{len(pointers)}")
    )
    table = (ctypes.c_void_p * len(pointers))(*pointers)

    def batch(n: int) -> float:
        assert keep is not batch, "holds what owns the memory"
        start = time.perf_counter()
        loop(address, ctypes.addressof(table), n)
        return time.perf_counter() - start

    return batch


def prepared(function: CompiledFunction, y: Floats, u: Floats | None = None) -> tuple[Batch, Floats]:
    """A loop in machine code over an evaluation at one state, and its result."""
    binding = function.bind()
    for name, value in (("u", u), ("y", y)):
        if value is not None and name in binding.inputs:
            binding.inputs[name][...] = value if function.lanes == 1 else value[:, np.newaxis]
    binding.run()
    arrays = (*binding.inputs.values(), *binding.outputs.values())
    table = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    loop = native_loop(function.table_address, [ctypes.addressof(table)], (binding, table))
    result = binding.outputs["y_dot"]
    return loop, result if function.lanes == 1 else result[:, -1]


def evaluation(model: Model, y: Floats | None = None) -> Batch:
    """Return a loop in machine code over ẏ of a model, at its initial state unless another is given."""
    return prepared(model.dynamics, model.y0 if y is None else y, model.u0)[0]


def machine() -> dict[str, str]:
    return {
        "cpu": cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load average": load(),
    }


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    parts = (line.partition(":") for line in reversed(lines))
    found = {key.strip(): value.strip() for key, _, value in parts}
    name = found.get("model name", platform.machine())
    return f"{name} (family {found.get('cpu family', '?')}, model {found.get('model', '?')})"


def load() -> str:
    """Work that the machine has had in the last 1, 5 and 15 minutes."""
    return " ".join(f"{x:.1f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def most_memory() -> float:
    """Bytes that this program had at most; ``ru_maxrss`` counts what its parent had when it started it."""
    status = Path("/proc/self/status").read_text()
    return 1024.0 * float(status.partition("VmHWM:")[2].split()[0])
