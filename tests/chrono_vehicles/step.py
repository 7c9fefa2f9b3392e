"""A step steer against a record of Chrono's HMMWV, from the shipped vehicle to Chrono's data and ways."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar, maximum, minimum
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters

Floats = NDArray[np.float64]
WHEELS = {"FL": "front_left", "FR": "front_right", "RL": "rear_left", "RR": "rear_right"}
SETTLED = 1.0
"""[s] after which the vehicle, which starts in the air, is compared."""
START = ["vehicle.ride_height=0.55 m"]
AT_ONCE, RIGHT_IDLER = "tyre.delay=0 s", "steering.idler_joint.reaction_error=0"
VARIANTS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("`hmmwv`", "hmmwv", START),
    ("`hmmwv-automatic`", "hmmwv-automatic", START),
    (
        "data of Chrono's program",
        "hmmwv-chrono",
        ["powertrain.shafts.roll_reaction=0", AT_ONCE, RIGHT_IDLER],
    ),
    ("+ its propeller shaft rolls the chassis", "hmmwv-chrono", [AT_ONCE, RIGHT_IDLER]),
    ("+ its idler arm's joint is wrong about the axis", "hmmwv-chrono", [AT_ONCE]),
    ("+ moments one step late in the wheels' axes: `hmmwv-chrono`", "hmmwv-chrono", []),
)


class StepSteer:
    """A fifth of full lock within 0.2 s from t = 2 s, at constant throttle."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> dict[str, Scalar]:
        return {
            "steering": 0.2 * minimum(maximum((t - 2.0) / 0.2, 0.0), 1.0),
            "throttle": 0.065,
            "brake": 0.0,
        }


class Differences(NamedTuple):
    """Root mean squares of differences over the largest magnitude of the record."""

    yaw_rate: float
    lateral: float
    roll: float
    load: float


def read(path: Path) -> dict[str, Floats]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def driven(vehicle: str, overrides: Sequence[str], duration: float) -> xr.Dataset:
    data = VehicleParameters.load(vehicle, overrides)
    model = ce.compile(build(data, speed=12.0, road=FlatRoad(0.9)))
    return ce.simulate(model, StepSteer(), duration=duration, method="dopri5", interval=0.02)


def lateral(t: Floats, v_lat: Floats, v_fwd: Floats, yaw_rate: Floats) -> Floats:
    return np.asarray(np.gradient(v_lat, t) + v_fwd * yaw_rate)


def differences(run: xr.Dataset, record: Mapping[str, Floats]) -> Differences:
    """Between a run and the record, from `SETTLED` on; of the wheel loads the worst."""
    t = record["t"]
    late = t >= SETTLED

    def rms(ours: Floats, theirs: Floats) -> float:
        return float(np.sqrt(np.mean((ours - theirs)[late] ** 2)) / np.abs(theirs[late]).max())

    own = {name: run[name].values for name in ("yaw_rate", "roll", "vx", "vy")}
    sideways = (
        lateral(t, own["vy"], own["vx"], own["yaw_rate"]),
        lateral(t, record["v_lat"], record["v_fwd"], record["yaw_rate"]),
    )
    loads = [
        rms(run["tyre_Fz"].sel(corner=corner).values, record[f"Fz_{wheel}"])
        for wheel, corner in WHEELS.items()
    ]
    return Differences(
        rms(own["yaw_rate"], record["yaw_rate"]), rms(*sideways), rms(own["roll"], record["roll"]), max(loads)
    )


def main(path: Path) -> None:
    record = read(path)
    print(
        "| vehicle | yaw rate | lateral acceleration | roll | wheel loads |\n| --- | --- | --- | --- | --- |"
    )
    for title, vehicle, overrides in VARIANTS:
        d = differences(driven(vehicle, overrides, float(record["t"][-1])), record)
        print(f"| {title} | " + " | ".join(f"{100 * value:.1f} %" for value in d) + " |", flush=True)
