"""The parts of the suite and how they are put together."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from ce_dynamics import __version__
from tests.benchmarks import (
    accuracy,
    budgets,
    drift,
    drive,
    ensemble,
    evaluation,
    formulations,
    installation,
    loops,
    startup,
    vehicle,
)
from tests.benchmarks.report import Options, Result, Table
from tests.benchmarks.timing import load, machine

PARTS: dict[str, Callable[[Options], Result]] = {
    "evaluation": evaluation.run, "formulations": formulations.run, "vehicle": vehicle.run,
    "ensemble": ensemble.run, "accuracy": accuracy.run,
    "drift": drift.run, "loops": loops.run, "startup": startup.run, "installation": installation.run,
    "imports": installation.run_imports, "drive": drive.run,
}  # fmt: skip


class Outcome(NamedTuple):
    """All that was found."""

    about: dict[str, str]
    results: dict[str, Result]

    def blocks(self) -> dict[str, str]:
        """Markdown by part; if all parts were run, of the machine and the budgets as well."""
        found = {}
        if self.results.keys() == PARTS.keys():
            found = {"machine": self.about_table().markdown(), "budgets": self.budgets().markdown()}
        for name, result in self.results.items():
            found[name] = "\n\n".join(table.markdown() for table in result.tables)
        return found

    def budgets(self) -> Table:
        """List measured values beside promised ones."""
        return budgets.table({name: result.data for name, result in self.results.items()})

    def about_table(self) -> Table:
        """The machine and the versions."""
        return Table("Measured on", ("what", "value"), tuple(self.about.items()))

    def write_json(self, path: Path) -> None:
        """Everything, with the tables as shown."""
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
    for package in ("llvmlite", "numba", "scipy", "pin", "mujoco", "opensim"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
