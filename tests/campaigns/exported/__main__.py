"""Campaign ``exported [NAME ...] [--road ROAD] [--tyre FILE]``: vehicles as FMUs, driven by FMPy.

If none is named: trains; vehicles with sampled controllers, which are braked in a bend on a wet road; a car
on a map of heights with tyres of a property file.  In both versions of FMI, beside the library.  Each FMU is
validated; a run of it is compared with that of the library, by the vehicle's own steps and, rates alone, by
Euler's method of FMPy; instances, a reset and a state restored on the way are compared bit by bit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

import ce_dynamics as ce
from ce_dynamics.compiled.export.fmu import VERSIONS, export_fmu
from ce_dynamics.compiler.tracing.inline import dependencies
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.prepared_run import Case
from tests.ce_dynamics.compiled.export.test_fmu import Instances

TRAINS = ("van-trailer",)
ASSISTED = ("hmmwv-assisted", "sedan-assisted")
PROPERTY_FILE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "car.tir"
SPEED, DURATION, STEP = 15.0, 1.0, 1e-3
EXCHANGED = 303
"""Steps of Euler's method; the last is none that a sample follows, where events come before results."""
DRIVEN = {"steering": 0.05, "throttle": 0.1}
BRAKED = {"steering": 0.3, "brake": 0.8}
WET = ("road.friction=0.5",)
SEEN = ("chassis.x", "chassis.y", "chassis.z", "yaw_rate")


def structure_of(case: Case) -> str:
    """Check bit by bit that undeclared dependencies do not affect a rate: every number moved by itself."""
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


def acted(case: Case) -> str:
    """By how much controllers change inputs while the vehicle is braked: pressures, and the throttle."""
    inputs = {**BRAKED, "throttle": 0.5}
    run = ce.simulate(case.model, inputs, duration=DURATION, method="rk4", step=STEP, y0=case.y0)
    found = {}
    for controller in case.model.system.controllers:
        before = {name: inputs.get(name, 0.0) for name in controller.answers}
        answers = (
            np.abs(run[f"{controller.name}_{name.replace('.', '_')}"].values - before[name]).max()
            for name in before
        )
        found[controller.name] = max(answers)
    assert found["abs"] > 0.1
    assert found["esc"] > 0.1
    return ", ".join(f"{name} {x:.2f}" for name, x in found.items())


def compared(case: Case, path: Path, fmi: str) -> str:
    """One version of FMI, in words."""
    driven = BRAKED if case.model.system.controllers else DRIVEN
    start = time.perf_counter()
    export_fmu(case.model, path, fmi=fmi, y0=case.y0, platforms=[fmpy.platform_tuple])
    spent = time.perf_counter() - start
    assert validate_fmu(str(path)) == []
    fmu = Instances(path, fmi, path.with_suffix(""))
    one, other = fmu.new(**driven), fmu.new(**{**driven, "steering": -driven["steering"]})
    half = stepped(fmu, one, 0, 50)
    saved = one.getFMUState()
    stepped(fmu, other, 0, 100)
    end = stepped(fmu, one, 50, 100)
    assert abs(end[1]) > 1e-3, "it was steered"
    one.setFMUState(saved)
    assert stepped(fmu, one, 50, 100) == end, "a state that is restored leads elsewhere"
    one.reset()
    fmu.initialise(one, **driven)
    assert stepped(fmu, one, 0, 50) == half, "after a reset it drives elsewhere"
    run = ce.simulate(
        case.model, driven, duration=DURATION, method="rk4", step=STEP, interval=DURATION, y0=case.y0
    )
    expected = [float(run[name.replace(".", "_")].values[-1]) for name in SEEN]
    off = max(abs(a - b) for a, b in zip(end, expected, strict=True))
    assert off < 1e-9, dict(zip(SEEN, zip(end, expected, strict=True), strict=True))
    rates_off = exchanged(case, path, driven)
    assert rates_off < 1e-9
    described = fmpy.read_model_description(str(path))
    states = len(described.derivatives)
    filled = sum(len(rate.dependencies) for rate in described.derivatives) / states
    size = path.stat().st_size / 1e6
    return (
        f"{states} states, {filled:.0f} dependencies each, {size:.1f} MB, {spent:.0f} s to write; "
        f"off by {off:.0e} after {DURATION:g} s, in model exchange by {rates_off:.0e}"
    )


def exchanged(case: Case, path: Path, driven: Mapping[str, float]) -> float:
    """Return the difference of states from the library's after the same steps, relative to their size or 1.

    Both do the same sums then: what differs is rounding.
    """
    model = case.model
    names = model.layout.y_names
    y, u = case.y0.copy(), model.inputs_with(inputs=driven)
    every = round(model.layout.sampling.period / STEP)
    for k in range(EXCHANGED):
        if every and k % every == 0:
            y = model.sample(y, u)[0]
        y = y + STEP * model.dynamics(y, u)[0]
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", solver="Euler", step_size=STEP, output_interval=STEP,
        stop_time=EXCHANGED * STEP, start_values=dict(driven), output=names,
    )  # fmt: skip
    there = np.array([found[name][-1] for name in names])
    return float(np.max(np.abs(there - y) / np.maximum(1.0, np.abs(y))))


def heights(folder: Path) -> str:
    """A road: waves of 6 cm under one track and of 3 cm under the other, in a file of NumPy."""
    x, y = np.meshgrid(np.arange(-20.0, 60.0, 0.25), np.arange(-10.0, 10.5, 0.5), indexing="ij")
    path = folder / "heights.npy"
    np.save(path, 0.03 * np.sin(0.9 * x) * (1.0 + 0.5 * np.tanh(y)) * (x > 0.0))
    return f"{path}:dx=0.25,dy=0.5,x0=-20"


def main(arguments: Sequence[str]) -> None:
    """Print a line per vehicle and version."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign exported")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--road")
    parser.add_argument("--tyre")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = [(name, given.road, given.tyre) for name in given.names or TRAINS + ASSISTED]
        if not given.names:
            cases.append(("sedan", heights(folder), str(PROPERTY_FILE)))
        for vehicle, road, tyre in cases:
            wet = WET if vehicle in ASSISTED else ()
            case = prepare(model=vehicle, speed=SPEED, road=road, tyres=[tyre] if tyre else [], overrides=wet)
            print(f"{case.title}: {structure_of(case)}", flush=True)
            if vehicle in ASSISTED:
                print(f"{case.title}: controllers change their inputs by {acted(case)}", flush=True)
            for fmi in VERSIONS:
                path = folder / f"{Path(vehicle).stem}-{fmi}.fmu"
                print(f"{vehicle}, FMI {fmi}: {compared(case, path, fmi)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
