"""``python -m tests.performance.convergence [VEHICLE ...]``: how errors of fixed steps fall with the step.

A vehicle accelerates through a bend; RK4 with halved steps is compared with one of 0.125 ms.
Where no law bends (a point of an engine map, a clutch that lets go) errors fall with the fourth power.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.equilibrium import settled
from ce_dynamics.models.vehicles.shipped import SHIPPED

SPEED, DURATION = 15.0, 3.0
INPUTS = {"throttle": 0.6, "steering": 0.03, "brake": 0.0}
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)
FINEST = 1.25e-4
"""[s]."""


def ends(model: Model, y0: Floats, step: float) -> Floats:
    """Where the vehicle is in the end [m]."""
    run = ce.simulate(model, INPUTS, duration=DURATION, method="rk4", step=step, y0=y0, interval=DURATION)
    return np.array([run["x"].values[-1], run["y"].values[-1]])


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", PhysicalityWarning)
    print("| vehicle | " + " | ".join(f"{1e3 * step:g} ms, m" for step in STEPS) + " |")
    print("| --- " * (1 + len(STEPS)) + "|")
    for vehicle in sys.argv[1:] or SHIPPED:
        model = ce.compile(build(path=vehicle, speed=SPEED))
        y0 = settled(model)
        exact = ends(model, y0, FINEST)
        errors = [np.abs(ends(model, y0, step) - exact).max() for step in STEPS]
        print(f"| `{vehicle}` | " + " | ".join(f"{error:.0e}" for error in errors) + " |", flush=True)


if __name__ == "__main__":
    main()
