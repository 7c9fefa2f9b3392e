"""Vehicles put together anew of a folder's parts: axles, steering, drivetrains and tyres of others.

Each is read, settled, driven straight, steered and braked, or refused in one line; anything else is a defect.
"""

import copy
import json
import random
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.json_file import load
from ce_dynamics.models.vehicles.chrono.power import DRIVELINES
from ce_dynamics.models.vehicles.chrono.transmissions import ENGINES, TRANSMISSIONS
from ce_dynamics.models.vehicles.chrono.tyres import TYRES
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from tests.chrono_vehicles.fleet import SPEED, run, vehicles

DURATION = 1.5
"""[s], of manoeuvres."""
PARTS = {"engine": ENGINES, "transmission": TRANSMISSIONS, "tyre": TYRES, "driveline": DRIVELINES}


def parts(root: Path) -> dict[str, list[str]]:
    """Names of the files below a folder that describe each kind of part."""
    found: dict[str, list[str]] = {what: [] for what in PARTS}
    for path in sorted(root.rglob("*.json")):
        try:
            template = load(path).get("Template")
        except CeDynamicsError:
            continue
        for what, templates in PARTS.items():
            if template in templates:
                found[what].append(path.relative_to(root).as_posix())
    return found


def variants(root: Path, count: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Descriptions of vehicles: chassis of one, a steered front axle or a rear axle of others, any parts."""
    draw = random.Random(seed)
    known = parts(root)
    whole = [(path, load(path)) for path in vehicles(root)]
    whole = [(path, data) for path, data in whole if "Rear Chassis" not in data]
    for _ in range(count):
        path, data = draw.choice(whole)
        made = copy.deepcopy(data)
        axles = made["Axles"]
        if draw.random() < 0.6:
            other = draw.choice(whole)[1]["Axles"][-1]
            place = axles[-1]["Suspension Location"]
            axles[-1] = {**other, "Suspension Location": place}
            axles[-1].pop("Steering Index", None)
            axles[-1].pop("Subchassis Index", None)
        if draw.random() < 0.4:
            steer_from(draw.choice(whole)[1], made)
        tyre = draw.choice(known["tyre"])
        for axle in axles:
            axle["Tire Input File"] = tyre
        made["Powertrain"] = {
            "Engine Input File": draw.choice(known["engine"]),
            "Transmission Input File": draw.choice(known["transmission"]),
        }
        driveline = draw.choice(known["driveline"])
        four = load(root / driveline)["Template"] in ("ShaftsDriveline4WD", "SimpleDriveline")
        made["Driveline"] = {
            "Input File": driveline,
            "Suspension Indexes": [0, len(axles) - 1] if four else [draw.randrange(len(axles))],
        }
        ends = [axles[k]["Suspension Input File"] for k in (0, -1)]
        said = [path.stem, *ends, tyre, *made["Powertrain"].values(), driveline]
        yield " + ".join(Path(name).stem for name in said), made


def steer_from(other: dict[str, Any], made: dict[str, Any]) -> None:
    """Put the first axle of another vehicle in place of the first, its steering where it was beside it."""
    first = other["Axles"][0]
    if "Steering Index" not in first:
        return
    place = made["Axles"][0]["Suspension Location"]
    system = copy.deepcopy(other["Steering Subsystems"][first["Steering Index"]])
    shift = np.subtract(place, first["Suspension Location"])
    system["Location"] = np.add(system["Location"], shift).tolist()
    made["Axles"][0] = {**first, "Suspension Location": place, "Steering Index": 0}
    made["Steering Subsystems"] = [system, *made.get("Steering Subsystems", [])[1:]]
    bar = "Antirollbar Location"
    if bar in first:
        made["Axles"][0][bar] = np.add(first[bar], shift).tolist()


def driven(path: Path) -> str:
    """Read, settled at rest and rolling, driven straight, steered, braked: what it did."""
    data = VehicleParameters.load(path)
    settle(ce.compile(build(data)))
    model = ce.compile(build(data, speed=SPEED))
    rolling = settle(model)
    found = []
    for inputs in ({"throttle": 0.1}, {"throttle": 0.1, "steering": 0.1}, {"brake": 0.3}):
        record = run(model, rolling, DURATION, **inputs)
        loads = record["tyre_Fz"].values
        if not all(np.isfinite(record[name].values).all() for name in ("x", "y", "yaw_rate", "tyre_Fz")):
            raise AssertionError(f"{inputs}: it is not finite")
        weight = 9.81 * data.mass
        if not 0.5 * weight < loads[-1].sum() < 2.0 * weight:
            raise AssertionError(f"{inputs}: its tyres carry {loads[-1].sum() / weight:.2f} of its weight")
        found.append(record)
    straight, steered, braked = found
    slowed = float(braked["vx"].values[0] - braked["vx"].values[-1]) / DURATION
    return (
        f"{len(model.layout.v)} freedoms, {1e3 * float(np.abs(straight['y'].values).max()):.0f} mm aside, "
        f"yaw rate {float(steered['yaw_rate'].values[-1]):.2f} rad/s, braked {slowed:.1f} m/s²"
    )


def main(folder: Path, count: int = 40, seed: int = 0) -> None:
    warnings.simplefilter("ignore", PhysicalityWarning)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "vehicle"
        shutil.copytree(folder, root)
        defects = 0
        for k, (name, made) in enumerate(variants(root, count, seed)):
            path = root / "generic" / f"Variant_{k}.json"
            path.write_text(json.dumps(made))
            try:
                said = driven(path)
            except CeDynamicsError as error:
                said = f"refused: {error}"
            except Exception as error:  # of any kind: that is what is looked for
                defects += 1
                said = f"DEFECT: {type(error).__name__}: {error}"
            path.unlink()
            print(f"{k}: {name}: {said}", flush=True)
    raise SystemExit(f"{defects} defects" if defects else 0)
