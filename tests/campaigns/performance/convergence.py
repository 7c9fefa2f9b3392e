"""Campaign ``performance.convergence [MANOEUVRE] [VEHICLE ...]``: how errors fall with the step.

A vehicle drives from 15 m/s with inputs that do not change: through a ``bend`` under throttle, ``braking``,
``coasting``, with ``full`` throttle (kick-down, shifts) or over a ``hump``.  RK4 with halved steps is
compared with one of 0.125 ms.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import PhysicalityWarning
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import KerbRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import SHIPPED

SPEED, DURATION = 15.0, 3.0
INPUTS: Mapping[str, Mapping[str, float]] = {
    "bend": {"throttle": 0.6, "steering": 0.03, "brake": 0.0},
    "braking": {"throttle": 0.0, "steering": 0.0, "brake": 0.2},
    "coasting": {"throttle": 0.0, "steering": 0.0, "brake": 0.0},
    "full": {"throttle": 1.0, "steering": 0.0, "brake": 0.0},
    "hump": {"throttle": 0.2, "steering": 0.0, "brake": 0.0},
}
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)
FINEST = 1.25e-4
"""[s]."""


def road_of(manoeuvre: str) -> Road | None:
    """A hump of 20 mm with edges 1.5 m long, or flat."""
    return KerbRoad(0.8, height=0.02, position=10.0, edge=1.5, length=4.0) if manoeuvre == "hump" else None


def ends(model: Model, inputs: Mapping[str, float], y0: Floats, step: float) -> Floats:
    """Return the vehicle's position at the end [m]."""
    run = ce.simulate(model, inputs, duration=DURATION, method="rk4", step=step, y0=y0, interval=DURATION)
    return np.array([run["x"].values[-1], run["y"].values[-1]])


def errors(vehicle: str, manoeuvre: str = "bend", steps: Sequence[float] = STEPS) -> list[float]:
    """By step, of where the vehicle is in the end [m]."""
    model = ce.compile(build(path=vehicle, speed=SPEED, road=road_of(manoeuvre)))
    y0, inputs = settle(model), INPUTS[manoeuvre]
    exact = ends(model, inputs, y0, FINEST)
    return [float(np.abs(ends(model, inputs, y0, step) - exact).max()) for step in steps]


def main(given: Sequence[str]) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    manoeuvre, vehicles = (given[0], given[1:]) if given and given[0] in INPUTS else ("bend", given)
    print("| vehicle | " + " | ".join(f"{1e3 * step:g} ms, m" for step in STEPS) + " |")
    print("| --- " * (1 + len(STEPS)) + "|")
    for vehicle in vehicles or SHIPPED:
        found = errors(vehicle, manoeuvre)
        print(f"| `{vehicle}` | " + " | ".join(f"{error:.0e}" for error in found) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
