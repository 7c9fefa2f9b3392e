"""Sweeps as objects and as folders, some of their files damaged."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.sampling import Choice, Range, parse_distribution, sample
from ce_dynamics.models.vehicles.sweeps.batch import Batch, run_batch
from ce_dynamics.models.vehicles.sweeps.folder import SweepFolder
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan
from ce_dynamics.simulation.netcdf import netcdf_bytes
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.values import calls


@cache
def plan() -> SweepPlan:
    """Four runs."""
    return SweepPlan("monte-carlo", {"chassis.mass": "2000:2400"}, 4, duration="0.01")


def finished() -> Path:
    """A folder with two finished batches of results that were not computed."""
    import xarray as xr

    path = Path(tempfile.mkdtemp())
    folder = SweepFolder(path, plan())
    for runs in ((0, 1), (2, 3)):
        results = xr.Dataset(
            {"x": (("run", "time"), np.zeros((2, 3)))}, {"run": list(runs), "time": [0.0, 0.1, 0.2]}
        )
        rows = {run: {"status": "completed", "failure": "", "time_reached": 0.2, "top": 1.0} for run in runs}
        folder.add(Batch(rows, netcdf_bytes({"/": results})))
    return path


def of_folders() -> list[Case]:
    """Damaged files of a sweep's folder are named, or made again."""
    contents: dict[str, bytes] = {
        "empty": b"", "truncated": b'{"0": {"status": "comp', "list": b"[1, 2]", "number": b"3",
        "null": b"null", "not UTF-8": b'{"0": "\xff\xfe"}', "text": b"hello",
        "random": random.Random(3).randbytes(200), "deep": b"[" * 100000,
        "rows are numbers": b'{"0": 1, "1": 2}',
        "runs are text": b'{"zero": {"status": "completed", "failure": ""}}',
        "no status": b'{"0": {"failure": ""}, "1": {}}',
        "status is a list": b'{"0": {"status": [], "failure": 1}}',
        "figures are text": b'{"0": {"status": "completed", "failure": "", "time_reached": "x", "top": ""}}',
        "run beyond": b'{"77": {"status": "completed", "failure": "", "time_reached": 1.0}}',
        "negative run": b'{"-1": {"status": "completed", "failure": "", "time_reached": 1.0}}',
        "NaN": b'{"0": {"status": NaN, "failure": "", "time_reached": NaN}}',
    }  # fmt: skip
    found = []
    for file in ("batches/000000.json", "sweep.json", "batches/000000.nc"):
        for name, content in contents.items():

            def run(file: str = file, content: bytes = content) -> Any:
                path = finished()
                try:
                    (path / file).write_bytes(content)
                    folder = SweepFolder(path, plan())
                    assert not {0, 1} & set(folder.rows), "damaged, and taken for finished"
                    folder.summarise()
                finally:
                    shutil.rmtree(path)

            found.append(Case(f"{file} {name}", run, may=file.endswith(".nc")))

    def missing() -> Any:
        path = finished()
        (path / "batches/000000.nc").unlink()
        assert not {0, 1} & set(SweepFolder(path, plan()).rows), "results that are gone count as finished"

    def is_folder(file: str) -> Callable[[], Any]:
        def run() -> Any:
            path = finished()
            (path / file).unlink()
            (path / file).mkdir()
            SweepFolder(path, plan()).summarise()

        return run

    def twice() -> Any:
        path = finished()
        first = SweepFolder(path, plan())
        second = SweepFolder(path, plan())
        return first, second

    def other() -> Any:
        path = finished()
        return SweepFolder(path, SweepPlan("monte-carlo", {"chassis.mass": "2000:2300"}, 4, duration="0.01"))

    def is_file() -> Any:
        return SweepFolder(Path(tempfile.mkstemp()[1]), plan())

    found += [
        Case("results are gone", missing, may=True),
        Case("a second one at once", twice),
        Case("another sweep's folder", other),
        Case("a file as folder", is_file),
        *(Case(f"a folder for {file}", is_folder(file)) for file in ("sweep.json", "batches/000000.json")),
        Case("a folder for batches/000000.nc", is_folder("batches/000000.nc"), may=True),
    ]
    return found


def of_samples() -> list[Case]:
    """Distributions and samples."""
    mass = ParameterQuantity("kg", above=0.0)
    texts = (
        "", ":", "::", "1:", ":1", "1:2:", "1:2:1e3", "1:2:3.5", "1,,2", "1;2", "a,b", "nan,1", "1:2 m",
        "2:1", "1:1", "inf:inf", "1:2:10000000000000", "0:1", "-1,2", "1 km^999,2",
    )  # fmt: skip

    def drawn(text: str) -> Any:
        return sample("grid", {"mass": parse_distribution("chassis.mass", text, mass)}, None, 0)

    found = [Case(f"distribution {text!r}", partial(drawn, text)) for text in texts]
    ten = Range(0.0, 1.0, 10**6)
    good: dict[str, Any] = {
        "kind": "monte-carlo", "distributions": {"a": Range(0.0, 1.0)}, "runs": 3, "seed": 0,
    }  # fmt: skip
    own = {"runs": {"zero": 0, "too many": 10**15}, "distributions": {"texts": {"a": "1:2"}}}
    found += calls(sample, good, "distributions:object runs:integer", own)
    found.append(Case("a grid of 1e24 points", lambda: sample("grid", dict.fromkeys("abcd", ten), None, 0)))
    found.append(Case("a hypercube of 1e13", lambda: sample("latin-hypercube", {"a": ten}, 10**13, 0)))
    found.append(Case("an empty choice", lambda: sample("grid", {"a": Choice(())}, None, 0)))
    return found


def of_plans() -> list[Case]:
    """`SweepPlan` itself."""
    good: dict[str, Any] = {
        "kind": "monte-carlo", "vary": {"chassis.mass": "2000:2400"}, "runs": 2, "duration": "0.01",
    }  # fmt: skip
    own = {
        "vary": {"empty": {}, "numbers": {"chassis.mass": 1.0}, "lists": {"chassis.mass": [1, 2]}},
        "runs": {"zero": 0}, "model": {"ride": "ride", "none": "no-such-file"},
        "overrides": {"text": "chassis.mass=1", "wrong": ("nothing=1",), "number": 1, "numbers": (1,)},
        "step": {"short": 1e-13, "shorter": 1e-300}, "interval": {"short": 1e-12},
    }  # fmt: skip
    spec = (
        "kind~ vary:mapping~ runs:integer~ model:text~ manoeuvre:word~ speed:object-number~ "
        "duration:object-number~ options:mapping~ overrides:~ step:positive interval:positive"
    )
    found = calls(SweepPlan, good, spec, own)
    found += [
        Case(f"SweepPlan.from_text({name})", partial(SweepPlan.from_text, text))
        for name, text in {
            "empty": "", "list": "[]", "null": "null", "number": "1", "truncated": plan().text()[:50],
            "unknown": json.dumps({"nothing": 1}),
            "types": json.dumps({"kind": 1, "vary": 2, "overrides": 3}),
        }.items()
    ]  # fmt: skip
    batches: dict[str, Any] = {"beyond": [99], "negative": [-1], "text": ["0"], "empty": []}
    found += [
        Case(f"run_batch({name})", partial(run_batch, plan().text(), runs)) for name, runs in batches.items()
    ]
    return found
