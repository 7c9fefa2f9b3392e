"""``python -m tests.exported [NAME ...]``: vehicles as FMUs, driven by FMPy beside the library.

Trains of vehicles if none is named, in both versions of FMI.  Each FMU is validated; a run of it is compared
with that of the library; instances, a reset and a state restored on the way are compared bit by bit.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

import ce_dynamics as ce
from ce_dynamics.compiled.export.fmu import VERSIONS, export_fmu
from ce_dynamics.compiler.tracing.dependencies import dependencies
from ce_dynamics.models.vehicles.case import Case, prepare
from tests.ce_dynamics.compiled.export.test_fmu import Instances

TRAINS = ("van-trailer",)
SPEED, DURATION, STEP = 15.0, 1.0, 1e-3
DRIVEN = {"steering": 0.05, "throttle": 0.1}
SEEN = ("chassis.x", "chassis.y", "chassis.z", "yaw_rate")


def structure_of(case: Case) -> str:
    """That nothing has an effect on a rate that is not declared, bit by bit: every number moved by itself."""
    model = case.model
    declared = dependencies(model.trace_dynamics())["y_dot"]
    n, effects = len(case.y0), 0
    y = case.y0 + 1e-3 * np.random.default_rng(0).normal(size=n)
    u = model.u0 + 0.05
    before = model.dynamics(y, u)[0].copy()
    for k in range(n + len(u)):
        moved = np.concatenate((y, u))
        moved[k] += 1e-3
        changed = np.flatnonzero(model.dynamics(moved[:n], moved[n:])[0] != before)
        assert all(k in declared[entry].on for entry in changed), f"number {k}"
        effects += len(changed)
    return f"{effects} effects on rates, all among the {sum(len(d.on) for d in declared)} declared"


def stepped(fmu: Instances, instance: object, start: int, end: int) -> list[float]:
    """Hundredths of a second; where the vehicle is then."""
    for k in range(start, end):
        fmu.step(instance, 0.01 * k, 0.01)
    return [fmu.get(instance, name) for name in SEEN]


def compared(case: Case, path: Path, fmi: str) -> str:
    """One version of FMI, in words."""
    start = time.perf_counter()
    export_fmu(case.model, path, fmi=fmi, y0=case.y0, platforms=[fmpy.platform_tuple])
    spent = time.perf_counter() - start
    assert validate_fmu(str(path)) == []
    fmu = Instances(path, fmi, path.with_suffix(""))
    one, other = fmu.new(**DRIVEN), fmu.new(**{**DRIVEN, "steering": -0.05})
    half = stepped(fmu, one, 0, 50)
    saved = one.getFMUState()
    stepped(fmu, other, 0, 100)
    end = stepped(fmu, one, 50, 100)
    assert abs(end[1]) > 1e-3, "it was steered"
    one.setFMUState(saved)
    assert stepped(fmu, one, 50, 100) == end, "a state that is restored leads elsewhere"
    one.reset()
    fmu.initialise(one, **DRIVEN)
    assert stepped(fmu, one, 0, 50) == half, "after a reset it drives elsewhere"
    run = ce.simulate(
        case.model, DRIVEN, duration=DURATION, method="rk4", step=STEP, interval=DURATION, y0=case.y0
    )
    expected = [float(run[name.replace(".", "_")].values[-1]) for name in SEEN]
    off = max(abs(a - b) for a, b in zip(end, expected, strict=True))
    assert off < 1e-9, dict(zip(SEEN, zip(end, expected, strict=True), strict=True))
    described = fmpy.read_model_description(str(path))
    states = len(described.derivatives)
    filled = sum(len(rate.dependencies) for rate in described.derivatives) / states
    size = path.stat().st_size / 1e6
    return (
        f"{states} states, {filled:.0f} dependencies each, {size:.1f} MB, {spent:.0f} s to write; "
        f"off by {off:.0e} after {DURATION:g} s"
    )


def main(names: list[str]) -> None:
    """Print a line per vehicle and version."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            case = prepare(model=name, speed=SPEED)
            print(f"{name}: {structure_of(case)}", flush=True)
            for fmi in VERSIONS:
                path = Path(folder) / f"{name}-{fmi}.fmu"
                print(f"{name}, FMI {fmi}: {compared(case, path, fmi)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(TRAINS))
