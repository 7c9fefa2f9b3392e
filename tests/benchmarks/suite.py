"""The parts of the suite, how they are put together, and the budgets that they keep."""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from ce_dynamics import __version__
from tests.benchmarks import (
    accuracy,
    contact,
    costs,
    drive,
    ensemble,
    evaluation,
    installation,
    loops,
    startup,
    suspension_rig,
    vehicle,
)
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import load, machine

Part = Callable[[Options], Result]
MEASURED: dict[str, Part] = {
    "evaluation": evaluation.run, "vehicle": vehicle.run,
    "ensemble": ensemble.run, "accuracy": accuracy.run, "drift": accuracy.run_drift, "loops": loops.run,
    "startup": startup.run, "installation": installation.run, "imports": installation.run_imports,
    "drive": drive.run,
}  # fmt: skip
"""Parts of the page; all of them are run if none is named."""
PARTS: dict[str, Part] = {
    **MEASURED, "single_precision": ensemble.single_precision, "environments": ensemble.environments,
    "suspensions": costs.suspensions, "vehicles": costs.vehicles, "tyres": costs.tyres,
    "closed_forms": costs.closed_forms, "large_bodies": costs.large_bodies,
    "suspension_rig": suspension_rig.run, "contact_steps": contact.contact_steps,
    "thrown_boxes": contact.thrown_boxes, "wall": contact.wall,
}  # fmt: skip


OTHER_LIBRARY = 7.6
"""[µs] per four-bar in a chain of generalized_rbda, C++ constraint embedding, noted elsewhere."""

Data = dict[str, Any]
Line = tuple[str, str, str, bool]
"""Quantity, promised value, measured value, and True if the promise is kept."""


class Outcome(NamedTuple):
    about: dict[str, str]
    results: dict[str, Result]

    def blocks(self) -> dict[str, str]:
        """Markdown by part; if all parts were run, of the machine and the budgets as well."""
        found = {}
        if self.results.keys() >= MEASURED.keys():
            found = {"machine": self.about_table().markdown(), "budgets": self.budgets().markdown()}
        for name, result in self.results.items():
            found[name] = "\n\n".join(table.markdown() for table in result.tables)
        return found

    def budgets(self) -> Table:
        """List measured values beside promised ones."""
        return budget_table({name: result.data for name, result in self.results.items()})

    def about_table(self) -> Table:
        return Table("Measured on", ("what", "value"), tuple(self.about.items()))

    def write_json(self, path: Path) -> None:
        content = {
            "about": self.about,
            "parts": {
                name: {"data": result.data, "tables": [asdict(table) for table in result.tables]}
                for name, result in self.results.items()
            },
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(plain(content), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: non-finite numbers become null, arrays lists."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def run(names: Iterable[str], options: Options, show: Callable[[str], None] = print) -> Outcome:
    """Run parts one after another and show their tables as they come."""
    about = {"date": date.today().isoformat(), "ce-dynamics": __version__, **machine(), **versions()}
    outcome = Outcome(about, {})
    show(outcome.about_table().terminal())
    for name in names:
        start, before = time.perf_counter(), load()
        outcome.results[name] = PARTS[name](options)
        for table in outcome.results[name].tables:
            show(table.terminal())
        took = time.perf_counter() - start
        show(f"  ({name}: {took:.0f} s, load average {before} before, {load()} after)")
        about[f"load after {name}"] = load()
    show(outcome.budgets().terminal())
    return outcome


def versions() -> dict[str, str]:
    """Return the versions of the peers and of the compiler."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in ("llvmlite", "numba", "scipy", "pin", "mujoco"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def budget_table(data: dict[str, Data]) -> Table:
    """Return the budgets for which the parts, by name, have measurements."""
    sources = {
        "evaluation": judge_evaluation, "vehicle": judge_vehicle, "ensemble": judge_ensemble,
        "startup": judge_startup, "drive": judge_drive, "drift": judge_drift, "loops": judge_loops,
    }  # fmt: skip
    lines = [line for name, source in sources.items() if name in data for line in source(data[name])]
    rows = tuple(
        (what, budget, measured, "yes" if kept else "**no**") for what, budget, measured, kept in lines
    )
    return Table("Measured against the budgets", ("what", "budget", "measured", "kept"), rows)


def judge_evaluation(data: Data) -> Iterator[Line]:
    ours = data["ce-dynamics"]
    heavy = data["ce-dynamics, rods and shocks with mass"]
    for name, entry in (("ride model", ours), ("28 bodies with mass", heavy)):
        count = int(entry["settings"].split()[0].replace(",", ""))
        yield f"instructions, {name}", "≤ 12,000", f"{count:,}", count <= 12000
    peers = {name: entry for name, entry in data.items() if name.startswith(evaluation.PEERS)}
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


def judge_vehicle(data: Data) -> Iterator[Line]:
    factor = data["rk4 (native), 1 ms"]["real_time_factor"]
    yield "full vehicle, RK4 at 1 ms, one core", "≥ 60 × real time", f"{number(factor)} ×", factor >= 60.0
    step = data["step"]["us"] / data["step"]["bare"]
    yield "a step in the loop against the bare evaluations", "≤ 2 ×", f"{number(step)} ×", step <= 2.0


def judge_ensemble(data: Data) -> Iterator[Line]:
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


def judge_startup(data: Data) -> Iterator[Line]:
    key = next((name for name in data if name.endswith("--duration 0.01") and "ride" not in name), None)
    if key is None:
        return
    cold, warm = data[key]["cold"]["first"], data[key]["warm"]["first"]
    yield "cold start of the command line to its first result", "≤ 12 s", f"{number(cold)} s", cold <= 12.0
    yield "warm start to the first result", "≤ 1.5 s", f"{number(warm)} s", warm <= 1.5


def judge_drive(data: Data) -> Iterator[Line]:
    if data:
        slowest = min(entry["factor"] for entry in data.values())
        yield "driven in a page, slowest vehicle", "≥ 10 × real time", f"{number(slowest)} ×", slowest >= 10.0


def judge_drift(data: Data) -> Iterator[Line]:
    worst = max(entry["max"] for name, entry in data.items() if name.startswith("constraint embedding"))
    yield "loop closure, 60 s", "≤ 1e-12 m", f"{worst:.0e} m", worst <= 1e-12


def judge_loops(data: Data) -> Iterator[Line]:
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
