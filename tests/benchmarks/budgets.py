"""Budgets: measured values beside promised ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.benchmarks.evaluation import PEERS
from tests.benchmarks.report import Table, number

OTHER_LIBRARY = 7.6
"""[µs] per four-bar in a chain of generalized_rbda, C++ constraint embedding, noted elsewhere."""

Data = dict[str, Any]
Line = tuple[str, str, str, bool]
"""Quantity, promised value, measured value, and True if the promise is kept."""


def table(data: dict[str, Data]) -> Table:
    """The budgets for which there are measurements.

    Parameters
    ----------
    data : dict
        Of the parts, by name.
    """
    sources = {
        "evaluation": evaluation, "vehicle": vehicle, "ensemble": ensemble, "startup": startup,
        "drive": drive, "drift": drift, "loops": loops,
    }  # fmt: skip
    lines = [line for name, source in sources.items() if name in data for line in source(data[name])]
    rows = tuple(
        (what, budget, measured, "yes" if kept else "**no**") for what, budget, measured, kept in lines
    )
    return Table("Measured against the budgets", ("what", "budget", "measured", "kept"), rows)


def evaluation(data: Data) -> Iterator[Line]:
    """Instructions, the prototype, the peers."""
    ours = data["ce-dynamics"]
    heavy = data["ce-dynamics, rods and shocks with mass"]
    for name, entry in (("ride model", ours), ("28 bodies with mass", heavy)):
        count = int(entry["settings"].split()[0].replace(",", ""))
        yield f"instructions, {name}", "≤ 12,000", f"{count:,}", count <= 12000
        if "feasibility prototype" in data:
            ratio = entry["us"] / data["feasibility prototype"]["us"]
            yield f"time, {name}, against the prototype", "≤ 1.5 ×", f"{number(ratio)} ×", ratio <= 1.5
    peers = {name: entry for name, entry in data.items() if name.startswith(PEERS)}
    if peers:
        name = min(peers, key=lambda name: float(peers[name]["us"]))
        ratio = peers[name]["us"] / ours["us"]
        yield (
            f"fastest peer, soft ones included ({name})",
            "≥ 5 × our time",
            f"{number(ratio)} ×",
            ratio >= 5.0,
        )
    lanes = ours["us"] / data["ce-dynamics, 8 lanes, per vehicle"]["us"]
    yield "evaluations per core, 8 lanes against 1", "≥ 3 ×", f"{number(lanes)} ×", lanes >= 3.0


def vehicle(data: Data) -> Iterator[Line]:
    """Real time, and stepping from outside."""
    factor = data["rk4 (native), 1 ms"]["real_time_factor"]
    yield "full vehicle, RK4 at 1 ms, one core", "≥ 60 × real time", f"{number(factor)} ×", factor >= 60.0
    step = data["step"]["us"] / data["step"]["bare"]
    yield "a step in the loop against the bare evaluations", "≤ 2 ×", f"{number(step)} ×", step <= 2.0


def ensemble(data: Data) -> Iterator[Line]:
    """Throughput of a core, and of all."""
    for method in ("RK4, 1 ms", "dopri5, 1e-6"):
        single = data[f"{method}: one vehicle after another"]
        eight = data[f"{method}: 8 lanes, 1 thread"]
        ratio = eight / single
        yield (
            f"ensemble, {method}, one thread against single runs",
            "≥ 3 ×",
            f"{number(ratio)} ×",
            ratio >= 3.0,
        )
        every = next(
            value for name, value in data.items() if name.startswith(method) and name.endswith("threads")
        )
        cores = int(next(name for name in data if name.endswith("threads")).split()[-2])
        scaling, machine = every / eight, data["gain of bare evaluations"]
        yield (
            f"ensemble, {method}, {cores} threads against 1",
            "near-linear",
            f"{number(scaling)} × (the machine: {number(machine)} ×)",
            scaling >= 0.925 * min(machine, cores),
        )


def startup(data: Data) -> Iterator[Line]:
    """First result of the full vehicle."""
    key = next((name for name in data if name.endswith("--duration 0.01") and "ride" not in name), None)
    if key is None:
        return
    cold, warm = data[key]["cold"]["first"], data[key]["warm"]["first"]
    yield "cold start of the command line to its first result", "≤ 12 s", f"{number(cold)} s", cold <= 12.0
    yield "warm start to the first result", "≤ 1.5 s", f"{number(warm)} s", warm <= 1.5


def drive(data: Data) -> Iterator[Line]:
    """Physics in a page."""
    if data:
        slowest = min(entry["factor"] for entry in data.values())
        yield "driven in a page, slowest vehicle", "≥ 10 × real time", f"{number(slowest)} ×", slowest >= 10.0


def drift(data: Data) -> Iterator[Line]:
    """List the closure errors of the embedded runs."""
    worst = max(entry["max"] for name, entry in data.items() if name.startswith("constraint embedding"))
    yield "loop closure, 60 s", "≤ 1e-12 m", f"{worst:.0e} m", worst <= 1e-12


def loops(data: Data) -> Iterator[Line]:
    """Growth from tens of loops to a thousand, and another library's cost."""
    for family in ("chains", "combs", "trees"):
        first, last = min(data[family], key=lambda c: abs(c["n"] - 10)), data[family][-1]
        for what, key in (("evaluation", "us"), ("compiling", "compile")):
            growth = (last[key] / last["n"]) / (first[key] / first["n"])
            text = f"{what} per loop, {family}, from {first['n']} to {last['n']} loops"
            yield text, "≤ 1.2 ×", f"{number(growth)} ×", growth <= 1.2 and last["n"] >= 1000
    last = data["chains"][-1]
    ratio = OTHER_LIBRARY / (last["us"] / last["n"])
    text = f"per four-bar, {last['n']} in a chain, against {OTHER_LIBRARY} µs of generalized_rbda"
    yield text, "≥ 10 × below", f"{number(ratio)} ×", ratio >= 10.0
