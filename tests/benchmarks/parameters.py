"""What free hardpoints cost: the ride model with those of a corner, and of all corners, as arguments."""

from __future__ import annotations

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.case import build_ride
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from tests.benchmarks.evaluation import HEAVY, prepared
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, race

POINTS = (
    "D", "F", "K", "L", "W", "lower_arm.front_pivot", "lower_arm.rear_pivot", "upper_arm.front_pivot",
    "upper_arm.rear_pivot", "spring.chassis", "spring.arm", "damper.chassis", "damper.arm",
)  # fmt: skip


def hardpoints(corners: tuple[str, ...]) -> list[str]:
    """All components of all hardpoints of some corners."""
    return [f"{corner}.{point}.{axis}" for corner in corners for point in POINTS for axis in "xyz"]


def run(options: Options) -> Result:
    """Count and time."""
    contenders, counts = [], []
    variants = (("", ()), (", rods and shocks with mass", HEAVY))
    for model_name, overrides in variants[: 1 if options.quick else None]:
        for freed, corners in (("none", ()), ("one corner", CORNERS[:1]), ("all four corners", CORNERS)):
            model = Model(build_ride(overrides, free=hardpoints(corners)))
            function = model.dynamics
            batch, result = prepared(function, model.y0, model.u0)
            assert np.all(np.isfinite(result)), "hardpoints are bound"
            contenders.append(Contender(f"ride model{model_name}: {freed}", "", batch))
            counts.append((len(hardpoints(corners)), function.traced.n_instructions))
    race(contenders, options.rounds)
    rows = tuple(
        (c.name, f"{free:,}", f"{instructions:,}", number(1e6 * c.seconds))
        for c, (free, instructions) in zip(contenders, counts, strict=True)
    )
    note = (
        "All components of 13 hardpoints per corner.  What depends on hardpoints alone is computed in every "
        "evaluation; the rest are structural zeros of axes that happen to be parallel to a coordinate axis."
    )
    table = Table("Free hardpoints", ("model: free", "parameters", "instructions", "µs"), rows, (note,))
    data = {
        c.name: {"parameters": free, "instructions": n, "us": 1e6 * c.seconds}
        for c, (free, n) in zip(contenders, counts, strict=True)
    }
    return Result((table,), data)
