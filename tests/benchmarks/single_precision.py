"""Single-precision lanes against double: every shipped vehicle in a lane change, speed and error.

    python -m tests.benchmarks.single_precision [vehicle ...]

Both run by RK4 with the same steps, so that the difference is that of precision.  Speeds are of processor
time.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.errors import ModelError
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.benchmarks.report import Table, number

MANOEUVRE, DURATION = "double-lane-change", 5.0
LOADS = "tyre_Fz"


def compared(vehicle: str) -> tuple[str, ...]:
    """A row of the table."""
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


def main() -> None:
    """All vehicles, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.single_precision", description=__doc__)
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED), help="names; all that are shipped")
    rows = []
    for vehicle in parser.parse_args().vehicles:
        rows.append(compared(vehicle))
        print(*rows[-1], flush=True)
    head = ("vehicle", "place, m", "angles, rad", "wheel loads", "× double", "vehicle s per s", "failed")
    note = (
        f"Largest difference to double precision in a {MANOEUVRE} of {DURATION:g} s, RK4 at 1 ms, with "
        "driver; wheel loads relative to the largest.  Speed per core of processor time."
    )
    print(Table("Single-precision lanes", head, tuple(rows), (note,)).terminal())


if __name__ == "__main__":
    main()
