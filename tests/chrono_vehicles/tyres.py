"""Magic Formula tyres below a folder of Chrono's data, on vehicles: they settle, drive, steer and brake."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import ce_dynamics as ce
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.json_file import load
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres
from tests.chrono_vehicles.fleet import SPEED, run

GRAVITY = 9.81
LONG, SHORT = 3.0, 2.0
"""[s], of manoeuvres."""

VEHICLES = {
    "VW_microbus": "VW_microbus/json/van_Vehicle.json",
    "audi": "audi/json/audi_Vehicle.json",
    "citybus": "citybus/vehicle/CityBus_Vehicle.json",
    "feda": "MAN_Kat1/vehicle/MAN_5t_Vehicle_4WD.json",
    "generic": "generic/vehicle/Vehicle_DoubleWishbones.json",
    "hmmwv": "hmmwv/vehicle/HMMWV_Vehicle.json",
    "sedan": "sedan/vehicle/Sedan_Vehicle.json",
    "uaz": "uaz/vehicle/UAZ469_Vehicle.json",
}
"""Vehicle for the tyres of a folder; that of feda is no description of a vehicle with axles."""


class Figures(NamedTuple):
    """Figures of a tyre on its vehicle."""

    carried: float  # loads of the tyres over the weight, settled
    aside: float  # after driving straight [m]
    yaw_rate: float  # a tenth of full steering to the left [rad/s]
    braking: float  # at a third of the pedal [m/s²]
    slip: float  # largest of all runs


def tyres(folder: Path) -> list[Path]:
    """Property files, and JSON files of Pac02 tyres."""
    found = sorted(folder.rglob("*.tir"))
    for path in sorted(folder.rglob("*.json")):
        try:
            data = load(path)
        except CeDynamicsError:
            continue
        if data.get("Template") == "Pac02Tire":
            found.append(path)
    return found


def driven(vehicle: Path, tyre: Path) -> Figures:
    """Settled at rest and rolling, driven straight, steered, braked; RK4 with 1 ms."""
    data = VehicleParameters.load(vehicle)
    fitted = fit_tyres([str(tyre)], data.corners).models
    at_rest = ce.compile(build(data, tyres=fitted))
    standing = run(at_rest, settle(at_rest), 0.1)
    mass = sum(body.mass for body in at_rest.system.bodies)
    model = ce.compile(build(data, speed=SPEED, tyres=fitted))
    rolling = settle(model)
    straight = run(model, rolling, LONG, throttle=0.1)
    steered = run(model, rolling, LONG, throttle=0.1, steering=0.1)
    braked = run(model, rolling, SHORT, brake=0.3)
    slowed = float(braked["vx"].values[0] - braked["vx"].values[-1])
    runs = (straight, steered, braked)
    return Figures(
        carried=float(standing["tyre_Fz"].values[0].sum()) / (mass * GRAVITY),
        aside=float(np.abs(straight["y"].values).max()),
        yaw_rate=float(steered["yaw_rate"].values[-1]),
        braking=slowed / SHORT,
        slip=max(float(np.abs(record["tyre_bounded_slip"].values).max()) for record in runs),
    )


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    print("| tyre | vehicle | load/weight | aside, mm | yaw rate, rad/s | braking, m/s² | slip |")
    print("| --- " * 7 + "|")
    for path in tyres(folder):
        vehicle = VEHICLES[path.relative_to(folder).parts[0]]
        try:
            f = driven(folder / vehicle, path)
            said = (
                f"{f.carried:.4f} | {1e3 * f.aside:.1f} | {f.yaw_rate:.3f} | {f.braking:.2f} | {f.slip:.2f}"
            )
        except CeDynamicsError as error:
            said = f"| | | | {error}"
        print(f"| {path.name} | {Path(vehicle).stem} | {said} |", flush=True)
