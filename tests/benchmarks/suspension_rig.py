"""Curves of an axle on the rig, their derivatives, and an optimisation, once compiled."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ce_dynamics.models import kc
from ce_dynamics.models.kc.sensitivities import Sensitivities
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import stopwatch
from tests.models.kc.soft_sedan import soft_sedan

PIVOTS = [f"{arm}.{end}_pivot" for arm in ("lower_arm", "upper_arm") for end in ("front", "rear")]
HARDPOINTS = [f"front.{point}.{x}" for point in ("D", "F", "K", "L", "W", *PIVOTS) for x in "xyz"]
STRUT = [f"front.{point}.{x}" for point in ("D", "K", "L", "W", "lower_arm.front_pivot") for x in "xyz"]
VARIED = [f"front.{p}" for p in ("L.x", "L.y", "L.z", "upper_arm.front_pivot.z", "upper_arm.rear_pivot.z")]
VARIED += ["front.D.z"]
WIDTHS = {"toe_angle": 1e-4, "camber_angle": 1e-3, "caster_angle": 1e-3, "roll_centre_height": 1e-3}
TRAVEL = np.linspace(-0.08, 0.08, 41)
BOTH = np.stack((TRAVEL, TRAVEL), axis=1)


def curves(vehicle: str) -> dict[str, Callable[[], Any]]:
    """Return what is timed of a vehicle's front axle."""
    rig = kc.rig_of(vehicle, "front")
    hardpoints = STRUT if vehicle == "hatchback" else HARDPOINTS
    free = kc.rig_of(vehicle, "front", free=hardpoints)
    toe = Sensitivities(free, ["toe_angle"])
    steered = f"{vehicle}: bump steer by {len(hardpoints)} hardpoint coordinates"
    return {
        f"{vehicle}: {len(TRAVEL)} poses, all figures": lambda: rig.read(rig.solve_poses(BOTH)),
        f"{steered}, exact": lambda: toe.at(free.solve_poses(BOTH)),
        f"{steered}, by differences": lambda: [
            free.read(free.solve_poses(BOTH, 0.0, changed), ["toe_angle"])
            for changed in ({}, *({name: free.nominal[name] + 1e-7} for name in hardpoints))
        ],
    }


def optimisation() -> Callable[[], Any]:
    """Return a search of six coordinates for four curves."""
    rig = kc.rig_of("sedan", "front", free=VARIED)
    rng = np.random.default_rng(0)
    hidden = {name: rig.nominal[name] + 0.008 * rng.uniform(-1.0, 1.0) for name in VARIED}
    wanted = rig.read(rig.solve_poses(BOTH, 0.0, hidden), list(WIDTHS))
    targets = [
        kc.Target(name, value[:, 0] if value.ndim == 2 else value, WIDTHS[name], values=TRAVEL)
        for name, value in wanted.items()
    ]
    vary = {name: (rig.nominal[name] - 0.03, rig.nominal[name] + 0.03) for name in VARIED}
    return lambda: kc.optimise(rig, vary, targets)


def balances() -> dict[str, Callable[[], Any]]:
    """Return balances of the sedan's front axle, both arms on bushings and an elastic tie rod."""
    with TemporaryDirectory() as folder:
        elastic = kc.compliance_of(soft_sedan(Path(folder)), "front")
    pose = elastic.rig.solve_poses([[0.03, 0.03]])[0]
    wheels = np.zeros((2, 9))
    wheels[:, 4] = 2e3
    return {
        "sedan: one balance of springs and bushings, with its matrix": lambda: elastic.at(pose),
        "sedan: the same under 2 kN of side force at each wheel": lambda: elastic.at(pose, wheels),
    }


def run(options: Options) -> Result:
    works: dict[str, Callable[[], Any]] = {}
    for vehicle in ("sedan",) if options.quick else ("sedan", "hmmwv", "hatchback"):
        works |= curves(vehicle)
    works |= {"sedan: six coordinates for four curves, optimised": optimisation()} | balances()
    rows = []
    for name, work in works.items():
        work()
        rows.append((name, number(1e3 * min(stopwatch(work) for _ in range(1 if options.quick else 7)))))
    return Result((Table("The rig for suspensions, once compiled", ("work", "ms"), tuple(rows)),))
