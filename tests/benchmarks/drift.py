"""Drift of closed loops: the example of the documentation, for 60 s."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.models.hmmwv import build_ride, prepare
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.moving_peers import peers
from tests.benchmarks.report import Options, Result, Table, number

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "loop_closure_drift.py"


def run(options: Options) -> Result:
    """Embedded by LSODA and by native RK4; augmented, three ways."""
    example: dict[str, Any] = runpy.run_path(str(EXAMPLE))
    duration = 1.0 if options.quick else 60.0
    case = prepare("sine-steer", duration=duration, options={"periods": 0.5 * duration, "steer": 0.15})
    lines = [
        example["embedded"](case, "constraint embedding, LSODA", "LSODA", example["RTOL"], example["ATOL"])
    ]
    native = simulate(case.model, case.manoeuvre, duration=duration, y0=case.y0, method="rk4", interval=0.05)
    closure = native["closure_error"]
    worst = closure.max(dim=[d for d in closure.dims if d != "time"]).values
    wall = float(native.attrs["wall_time_s"])
    lines.append(
        example["Line"]("constraint embedding, rk4 1 ms", native.time.values, worst, np.zeros(3), wall)
    )
    lines += example["augmented"](case)
    rows = tuple(
        (
            line.label,
            f"{line.closure.max():.1e}",
            f"{line.closure[-1]:.1e}",
            number(1e3 * line.wall / line.t[-1]),
        )
        for line in lines
    )
    head = ("formulation", "largest closure error, m", "at the end, m", "wall, ms per s")
    note = (
        f"HMMWV weaving at 12 m/s for {duration:g} s, rtol = {example['RTOL']:g}, atol = {example['ATOL']:g}."
    )
    data = {line.label: {"max": float(line.closure.max()), "end": float(line.closure[-1])} for line in lines}
    table, others = ride(0.1 if options.quick else duration)
    return Result((Table("Loop closure over time", head, rows, (note,)), table), data | others)


def ride(duration: float) -> tuple[Table, dict[str, dict[str, float]]]:
    """The ride model left to itself, by other engines as well."""
    model, step = Model(build_ride()), 2e-3
    own = simulate(model, duration=duration, method="rk4", step=step, interval=0.05)
    found = {"constraint embedding, rk4, ride model": own["closure_error"].max(dim="closure").values}
    found |= {name: peer.run(duration, step, 0.05).closure for name, peer in peers().items()}
    data = {name: {"max": float(closure.max()), "end": float(closure[-1])} for name, closure in found.items()}
    rows = tuple((name, f"{entry['max']:.1e}", f"{entry['end']:.1e}") for name, entry in data.items())
    note = (
        f"Ride model left to itself for {duration:g} s, steps of {1e3 * step:g} ms; MuJoCo's closures are "
        "soft, Pinocchio's are not stabilised."
    )
    head = ("engine", "largest closure error, m", "at the end, m")
    return Table("Loop closure of the ride model", head, rows, (note,)), data
