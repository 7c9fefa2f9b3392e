"""Single-precision lanes against double: every shipped vehicle in a lane change, speed and error.

    python -m tests.benchmarks.single_precision [vehicle ...]
    python -m tests.benchmarks.single_precision --noise [vehicle ...]
    python -m tests.benchmarks.single_precision --adaptive [vehicle ...]

Both run by RK4 with the same steps, so that the difference is that of precision.  Speeds are of processor
time.  ``--noise``: what rounding puts into a step, in tolerances, by rounding the state alone and by all.
``--adaptive``: how far `dopri5` is from a tight solution in either precision, where single is of use.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiler import compile_function
from ce_dynamics.errors import ModelError
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import integrate_run
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


STEP, TOLERANCE, LANES = 0.03, 1e-6, 16


def noise(vehicle: str) -> tuple[str, ...]:
    """Return the errors of rates in single precision, relative to the error a step of `dopri5` may have."""
    case = prepare(MANOEUVRE, model=vehicle)
    model = case.model
    rhs = RightHandSide(model, case.manoeuvre)
    options = RunOptions(y0=case.y0, duration=DURATION, method="dopri5", interval=0.05)
    run, _ = integrate_run(rhs, model.given_state(case.y0, "y0"), options)
    Y, U = run.states, run.U
    exact = model.dynamics.at_rows(Y, U)[0]
    rounded = model.dynamics.at_rows(*(x.astype(np.float32).astype(float) for x in (Y, U)))[0]
    lanes = compile_function(model.dynamics.traced, LANES, single=True)
    parts = [np.arange(k, k + LANES) % len(Y) for k in range(0, len(Y), LANES)]
    single = np.concatenate([lanes(Y[rows].T, U[rows].T)[0].T for rows in parts])[: len(Y)]
    allowed = TOLERANCE * np.abs(Y) + 0.01 * TOLERANCE
    by_state, by_all = (STEP * (rates - exact) / allowed for rates in (rounded, single))
    typical = [float(np.median(np.sqrt(np.mean(part**2, axis=1)))) for part in (by_state, by_all)]
    worst = np.argsort(-np.median(np.abs(by_all), axis=0))[:4]
    names = ", ".join(f"{model.entries[k].name} {np.median(np.abs(by_all[:, k])):.0f}" for k in worst)
    return vehicle, *map(number, typical), names


def adaptive(vehicle: str) -> list[tuple[str, ...]]:
    """Errors of `dopri5` at 1e-4 in double and single precision, by `dopri5` at 1e-9 in double."""
    case = prepare(MANOEUVRE, model=vehicle)
    places, angles = ["x", "y", "z"], ["roll", "pitch", "yaw"]
    common: dict[str, Any] = {
        "inputs": case.manoeuvre, "duration": DURATION, "method": "dopri5", "interval": 0.05, "threads": 1,
        "keep": [*places, *angles, LOADS],
    }  # fmt: skip

    def run(rtol: float, precision: str) -> Any:
        y0s, given = case.y0[np.newaxis], common | {"rtol": rtol, "atol": 0.01 * rtol, "precision": precision}
        return ce.simulate_ensemble(case.model, y0s, **given).isel(run=0)

    exact, rows = run(1e-9, "double"), []
    for precision in ("double", "single"):
        found = run(1e-4, precision)
        off = {name: float(abs(found[name] - exact[name]).max()) for name in common["keep"]}
        load = off[LOADS] / float(abs(exact[LOADS]).max())
        errors = max(off[name] for name in places), max(off[name] for name in angles), load
        evaluations = str(int(found["evaluations"]))
        rows.append((vehicle, precision, *(f"{error:.1e}" for error in errors), evaluations))
    return rows


def main() -> None:
    """All vehicles, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.single_precision", description=__doc__)
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED), help="names; all that are shipped")
    parser.add_argument("--noise", action="store_true", help="what rounding puts into a step")
    parser.add_argument("--adaptive", action="store_true", help="errors of adaptive steps at 1e-4")
    given, rows = parser.parse_args(), []
    if given.adaptive:
        lines = tuple(line for vehicle in given.vehicles for line in adaptive(vehicle))
        names = ("vehicle", "precision", "place, m", "angles, rad", "wheel loads", "evaluations")
        print(Table("dopri5 at 1e-4 against 1e-9", names, lines).terminal())
        return
    if given.noise:
        columns = ("vehicle", "by rounding the state", "by all", "most of it (median)")
        found = tuple(map(noise, given.vehicles))
        print(Table(f"Rounding in a step of {STEP:g} s, in tolerances", columns, found).terminal())
        return
    for vehicle in given.vehicles:
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
