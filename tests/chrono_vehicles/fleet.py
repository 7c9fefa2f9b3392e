"""All vehicles of a folder of Chrono's data: which are read, and how they settle, drive, steer and brake."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.chrono.json_file import load
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle

SPEED = 12.0
"""[m/s]."""
LONG, SHORT = 4.0, 2.0
"""[s], of manoeuvres."""


class Figures(NamedTuple):
    """Figures of one vehicle: degrees of freedom, instructions, results."""

    freedoms: int
    instructions: int
    said: str


def vehicles(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*.json")):
        try:
            data = load(path)
        except CeDynamicsError:
            continue
        if data.get("Template") == "WheeledVehicle" and "Axles" in data:
            found.append(path)
    return found


def driven(path: Path) -> Figures:
    """Read, settle at rest and rolling, drive straight, steer, brake; a driver changes lanes; RK4, 1 ms."""
    data = VehicleParameters.load(path)
    settle(ce.compile(build(data)))
    model = ce.compile(build(data, speed=SPEED))
    rolling = settle(model)
    straight = run(model, rolling, LONG, throttle=0.1)
    steered = run(model, rolling, LONG, throttle=0.1, steering=0.1)
    braked = run(model, rolling, SHORT, brake=0.3)
    led = prepare("double-lane-change", model=path, speed=SPEED).simulate(method="rk4")
    slowed = float(braked["vx"].values[0] - braked["vx"].values[-1])
    said = (
        f"{1e3 * float(np.abs(straight['y'].values).max()):.1f} mm aside after {LONG:g} s",
        f"yaw rate {float(steered['yaw_rate'].values[-1]):.2f} rad/s",
        f"braked {slowed / SHORT:.1f} m/s²",
        f"driver {float(np.abs(led['path_error']).max()):.2f} m off his lanes",
    )
    return Figures(len(model.layout.v), model.trace_dynamics().n_instructions, ", ".join(said))


def run(model: Model, y0: Floats, duration: float, **inputs: float) -> xr.Dataset:
    given = {"throttle": 0.0, "steering": 0.0, "brake": 0.0, **inputs}
    return ce.simulate(model, given, duration=duration, method="rk4", y0=y0, interval=0.1)


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    print("| vehicle | freedoms | instructions | |\n" + "| --- " * 4 + "|")
    for path in vehicles(folder):
        try:
            f = driven(path)
            figures = f"{f.freedoms} | {f.instructions} | {f.said}"
        except CeDynamicsError as error:
            figures = f"| | {error}"
        print(f"| {path.stem} | {figures} |", flush=True)
