"""Campaign ``performance.starts [VEHICLE ...]``: vehicles that stand on bank and grade, and that stop.

Each is let down braked from three heights on a road that rises and leans; where it settles must not depend on
the height, and it must stay there.  Then it brakes to a standstill on the same road, and must not rock.
"""

from __future__ import annotations

import sys

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.parts.roads.kinds import road as road_of
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import SHIPPED

ROADS = ("grade:0.15 + bank:slope=0.1", "grade:-0.1 + bank:slope=-0.15", "bank:slope=0.15")
HEIGHTS = (0.0, 0.25, -0.1)
"""Added to the height at the start [m]."""
DURATION, SPEED, STOP, REST = 3.0, 4.0, 5.0, 1.0
"""Duration of standing [s]; speed before a stop [m/s], duration of the stop and of its last part [s]."""


def pose(where: str, y: np.ndarray) -> np.ndarray:
    """Height above the road [m], square to it, and orientation: what does not depend on where it stands."""
    height = float(np.asarray(road_of(where).normal(0.0, 0.0), dtype=float) @ y[:3])
    return np.array([height, *y[3:7]])


def standing(model: Model, y: np.ndarray) -> float:
    """Return the distance that the braked vehicle moves [m]."""
    run = ce.simulate(model, {"brake": 1.0}, duration=DURATION, y0=y, method="dopri5", interval=0.1)
    place = np.stack([run[k].values for k in "xyz"])
    return float(np.abs(place - place[:, :1]).max())


def stopping(data: VehicleParameters, where: str) -> tuple[float, float]:
    """Return the speed at the end of a stop [m/s], and the distance in its last seconds [m]."""
    model = ce.compile(build(data, road=road_of(where), speed=SPEED))
    held = {"brake": 0.5, "clutch": 1.0} if "clutch" in model.system.inputs else {"brake": 0.5}
    y = settle(model)
    run = ce.simulate(model, held, duration=STOP, y0=y, method="rk4", interval=0.01)
    late = np.asarray(run["time"].values) > STOP - REST
    place = np.stack([run[k].values[late] for k in "xyz"])
    return float(np.abs(run["vx"].values[late]).max()), float(np.abs(place - place[:, :1]).max())


def main(vehicles: list[str]) -> None:
    """Print, for every vehicle and road, how far heights differ, it moves, and it rocks."""
    print("| vehicle | road | settled apart, m | moved, m | last speed, m/s | last way, m |")
    print("| --- " * 6 + "|")
    for name in vehicles:
        for where in ROADS:
            try:
                found = []
                for above in HEIGHTS:
                    data = VehicleParameters.load(name)
                    height = data.ride_height + above
                    lifted = VehicleParameters.load(name, [f"vehicle.ride_height={height!r} m"])
                    model = ce.compile(build(lifted, road=road_of(where)))
                    found.append(settle(model, model.inputs_with(inputs={"brake": 1.0})))
                poses = [pose(where, y) for y in found]
                apart = max(float(np.abs(other - poses[0]).max()) for other in poses)
                speed, way = stopping(data, where)
                said = f"{apart:.1e} | {standing(model, found[-1]):.1e} | {speed:.1e} | {way:.1e}"
            except CeDynamicsError as error:
                said = f"| | | {error}"
            print(f"| {name} | {where} | {said} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SHIPPED))
