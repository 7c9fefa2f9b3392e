"""Cost against the number of loops: chains and combs of four-bars, trees of double wishbones."""

from collections.abc import Callable
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, machine
from ce_dynamics.compiler.codegen.fused import code_of
from ce_dynamics.compiler.codegen.outliner import outline
from ce_dynamics.compiler.compiled_function import CodeKind, CompiledFunction
from ce_dynamics.compiler.machine import link, object_code
from ce_dynamics.mechanism.system import System
from tests.benchmarks import large_systems, pinocchio_native
from tests.benchmarks.mechanism import Floats, four_bar_chain
from tests.benchmarks.pinocchio_native import Driver, MissingError
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, best_of, most_memory, prepared, race, stopwatch

LARGEST_PEER = 50
"""Four-bars for which Pinocchio is timed: its work space grows so fast that 200 take tens of gigabytes."""

Data = dict[str, Any]


class Family(NamedTuple):
    """Mechanisms of one kind: how they are called and built, the loops of a part, sizes in parts."""

    title: str
    part: str
    build: Callable[[int], System]
    loops: int
    sizes: tuple[int, ...]


ROW = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
FAMILIES = {
    "chains": Family("Chains of four-bars", "four-bar", large_systems.chain, 1, ROW),
    "combs": Family("Combs of four-bars", "tooth", large_systems.comb, 1, ROW),
    "trees": Family(
        "Trees of double wishbones", "wishbone", large_systems.tree, 3, (1, 2, 4, 7, 17, 34, 67, 167, 334)
    ),
}
WAYS = {"straight": 10**9, "pieces": -1}
"""Longest straight-line code."""

WAYS_SIZES = (10, 20, 40, 100)
"""Four-bars for which both ways are measured: straight-line code takes time that grows quadratically."""


def run(options: Options) -> Result:
    """Trace, compile and time ever larger mechanisms; Pinocchio on the chains; both ways of compiling."""
    program, notes = None, []
    try:
        program = pinocchio_native.build() if options.native else None
        notes += [] if options.native else ["Pinocchio in C++ not measured: switched off."]
    except MissingError as reason:
        notes.append(f"Pinocchio in C++ not measured: {reason}.")
    data: Data = {}
    for key, family in FAMILIES.items():
        sizes = family.sizes[:3] if options.quick else family.sizes
        data[key] = entries = [measured(family, n) for n in sizes]
        contenders = [entry.pop("contender") for entry in entries]
        race(contenders, 3 if options.quick else 120)  # in turn: all see the same machine
        for entry, contender in zip(entries, contenders, strict=True):
            entry["us"] = 1e6 * contender.seconds
            v_dot = entry.pop("v_dot")
            if program is not None and key == "chains" and entry["n"] <= LARGEST_PEER:
                entry |= pinocchio(program, entry["n"], v_dot, options)
    data["ways"] = [both_ways(n, options) for n in (WAYS_SIZES[:1] if options.quick else WAYS_SIZES)]
    tables = [table(family, data[key]) for key, family in FAMILIES.items()]
    tables += [peers(data["chains"], notes), ways(data["ways"])]
    return Result(tuple(tables), data)


def measured(family: Family, n: int) -> Data:
    """Our side for one size; its evaluation is yet to be timed."""
    holder: list[Model] = []
    describe = stopwatch(lambda: holder.append(Model(family.build(n))))
    model = holder[0]
    functions: list[TracedFunction] = []
    tracing = stopwatch(lambda: functions.append(model.trace_dynamics()))
    traced = functions[0]
    compiling, code, function = compiled(traced)
    loop, y_dot = prepared(function, model.y0)
    in_pieces = traced.n_instructions > machine.LARGEST_STRAIGHT
    return {
        "n": n * family.loops,
        "instructions": traced.n_instructions,
        "kinds": len(outline(traced, code_of(traced)).kinds) if in_pieces else None,
        "describe": describe,
        "trace": tracing,
        "compile": compiling,
        "code": len(code) / 1000.0,
        "contender": Contender(f"{n}", "", loop),
        "memory": most_memory() / 1e6,
        "v_dot": model.layout.split(y_dot)[1],
    }


def compiled(
    traced: TracedFunction, largest_straight: int = machine.LARGEST_STRAIGHT
) -> tuple[float, bytes, CompiledFunction]:
    code: list[bytes] = []
    with patch.object(machine, "LARGEST_STRAIGHT", largest_straight):
        seconds = stopwatch(lambda: code.append(object_code(traced, CodeKind())))
    return seconds, code[0], link(code[0], traced)


def both_ways(n: int, options: Options) -> Data:
    """A chain as straight-line code and in pieces, timed in turn."""
    model = Model(large_systems.chain(n))
    traced = model.trace_dynamics()
    contenders: list[Contender] = []
    entry: Data = {"n": n}
    for name, largest in WAYS.items():
        seconds, code, function = compiled(traced, largest)
        loop, y_dot = prepared(function, model.y0)
        contenders.append(Contender(name, "", loop))
        entry |= {f"{name} compile": seconds, f"{name} code": len(code) / 1000.0, f"{name} result": y_dot}
    race(contenders, 3 if options.quick else 60)
    entry |= {f"{c.name} us": 1e6 * c.seconds for c in contenders}
    entry["equal"] = bool(np.array_equal(entry.pop("straight result"), entry.pop("pieces result")))
    return entry


def pinocchio(program: Any, n: int, v_dot: Floats, options: Options) -> Data:
    """Its side: exact and by lcaba, and how far our cranks' accelerations are from the exact ones."""
    driver = Driver(program, four_bar_chain(n))
    rounds = 3 if options.quick else 20
    exact = driver.accelerations("exact")[::3]
    found = {"pinocchio": 1e6 * best_of(driver.batch("exact"), rounds)}
    driver.close()
    spatial = Driver(program, four_bar_chain(n, "P"))
    found["lcaba"] = 1e6 * best_of(spatial.batch("lcaba", 1e-8), rounds)
    spatial.close()
    found["deviation"] = float(np.max(np.abs(v_dot - exact)) / np.max(np.abs(exact)))
    return found


def table(family: Family, entries: list[Data]) -> Table:
    head = ("loops", "instructions", "kinds of pieces", "describe, s", "trace, s", "compile, s",
            "compile, ms per loop", "code, kB", "µs", "µs per loop")  # fmt: skip
    rows = tuple(
        (
            f"{e['n']:,}",
            f"{e['instructions']:,}",
            "–" if e["kinds"] is None else str(e["kinds"]),
            number(e["describe"]),
            number(e["trace"]),
            number(e["compile"]),
            number(1000.0 * e["compile"] / e["n"]),
            number(e["code"]),
            number(e["us"]),
            number(e["us"] / e["n"]),
        )
        for e in entries
    )
    notes = []
    if family.loops > 1:
        notes.append(f"A {family.part} has {family.loops} loops.")
    if family is FAMILIES["chains"]:
        notes.append(
            f"Kinds of pieces: from {machine.LARGEST_STRAIGHT:,} instructions on; shorter functions are "
            "straight-line code.  Compile: with nothing in the cache.  Code: with tables."
        )
    return Table(family.title, head, rows, tuple(notes))


def peers(chains: list[Data], notes: list[str]) -> Table:
    nan = float("nan")
    rows = tuple(
        (
            f"{e['n']:,}",
            number(e["us"] / e["n"]),
            number(e.get("pinocchio", nan) / e["n"]),
            number(e.get("lcaba", nan) / e["n"]),
            "–" if "deviation" not in e else f"{e['deviation']:.0e}",
        )
        for e in chains
        if e["n"] <= LARGEST_PEER
    )
    notes = [
        *notes,
        "Deviation: largest relative difference between the cranks' accelerations and those of Pinocchio's "
        "exact solve.  lcaba has three rows per loop, one of them redundant, mu = 1e-8, one iteration; "
        f"Pinocchio is timed up to {LARGEST_PEER} four-bars, because the memory of its work space grows much "
        "faster than linearly.",
    ]
    head = ("four-bars", "µs per four-bar", "Pinocchio C++ exact", "lcaba", "deviation")
    return Table("Chains of four-bars against Pinocchio", head, rows, tuple(notes))


def ways(entries: list[Data]) -> Table:
    head = ("four-bars", "straight: compile, s", "code, kB", "µs", "pieces: compile, s", "code, kB", "µs",
            "same bits")  # fmt: skip
    rows = tuple(
        (
            f"{e['n']:,}",
            *(number(e[f"{way} {what}"]) for way in WAYS for what in ("compile", "code", "us")),
            "yes" if e["equal"] else "**no**",
        )
        for e in entries
    )
    return Table("Chains of four-bars as straight-line code and in pieces", head, rows, ())
