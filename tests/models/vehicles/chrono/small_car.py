"""A small car in Chrono's format: a dictionary per file, which tests change before it is written."""

import copy
import json
from pathlib import Path
from typing import Any, TypeAlias

from ce_dynamics.models.vehicles.chrono.vehicle import Converted, convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters

ARM = {
    "Mass": 4.0, "Radius": 0.02, "Moments of Inertia": [0.02, 0.03, 0.04],
    "Products of Inertia": [0, 0, 0],
}  # fmt: skip
SUSPENSION: dict[str, Any] = {
    "Name": "wishbones",
    "Type": "Suspension",
    "Template": "DoubleWishbone",
    "Spindle": {"Mass": 2.0, "COM": [0, 0.75, 0], "Inertia": [0.01, 0.02, 0.01], "Radius": 0.1, "Width": 0.1},
    "Upright": {
        "Mass": 5.0,
        "COM": [0, 0.7, 0],
        "Moments of Inertia": [0.05, 0.04, 0.03],
        "Products of Inertia": [0, 0, 0],
        "Radius": 0.02,
    },
    "Upper Control Arm": {
        **ARM,
        "COM": [0, 0.55, 0.2],
        "Location Chassis Front": [0.15, 0.4, 0.19],
        "Location Chassis Back": [-0.15, 0.4, 0.21],
        "Location Upright": [-0.02, 0.66, 0.2],
    },
    "Lower Control Arm": {
        **ARM,
        "COM": [0, 0.5, -0.12],
        "Location Chassis Front": [0.2, 0.35, -0.1],
        "Location Chassis Back": [-0.2, 0.35, -0.1],
        "Location Upright": [0.02, 0.7, -0.14],
    },
    "Tierod": {"Location Chassis": [-0.15, 0.37, -0.02], "Location Upright": [-0.15, 0.7, -0.04]},
    "Spring": {
        "Location Chassis": [0, 0.5, 0.35],
        "Location Arm": [0, 0.55, -0.12],
        "Spring Coefficient": 40000.0,
        "Free Length": 0.62,
        "Minimum Length": 0.35,
        "Maximum Length": 0.58,
    },
    "Shock": {
        "Location Chassis": [0, 0.5, 0.35],
        "Location Arm": [0, 0.55, -0.12],
        "Damping Coefficient": 4000.0,
        "Degressivity Compression": 2.0,
        "Degressivity Expansion": 1.0,
    },
    "Axle": {"Inertia": 0.2},
}
PAIRS = [[0, 100], [3000, 200], [6000, 150]]
Files: TypeAlias = dict[str, dict[str, Any]]

FILES: Files = {
    "car/Vehicle.json": {
        "Name": "Small car",
        "Type": "Vehicle",
        "Template": "WheeledVehicle",
        "Chassis": {"Input File": "car/Chassis.json"},
        "Axles": [
            {
                "Suspension Input File": "car/Suspension.json",
                "Suspension Location": [1.2, 0, 0],
                "Steering Index": 0,
                "Left Wheel Input File": "car/Wheel.json",
                "Right Wheel Input File": "car/Wheel.json",
                "Left Brake Input File": "car/Brake.json",
                "Right Brake Input File": "car/Brake.json",
                "Antirollbar Input File": "car/Bar.json",
                "Antirollbar Location": [1.0, 0, -0.1],
            },
            {
                "Suspension Input File": "car/Suspension.json",
                "Suspension Location": [-1.2, 0, 0],
                "Left Wheel Input File": "car/Wheel.json",
                "Right Wheel Input File": "car/Wheel.json",
                "Left Brake Input File": "car/Brake.json",
                "Right Brake Input File": "car/Brake.json",
            },
        ],
        "Steering Subsystems": [
            {"Input File": "car/Rack.json", "Location": [1.05, 0, -0.02], "Orientation": [1, 0, 0, 0]}
        ],
        "Driveline": {"Input File": "car/Driveline.json", "Suspension Indexes": [1]},
        "Wheelbase": 2.4,
        "Minimum Turning Radius": 5.0,
        "Maximum Steering Angle (deg)": 30.0,
    },
    "car/Chassis.json": {
        "Name": "body",
        "Type": "Chassis",
        "Template": "RigidChassis",
        "Components": [
            {
                "Centroidal Frame": {"Location": [0.1, 0, 0.3], "Orientation": [1, 0, 0, 0]},
                "Mass": 1000.0,
                "Moments of Inertia": [300, 1200, 1400],
                "Products of Inertia": [0, 0, 0],
                "Void": False,
            }
        ],
        "Driver Position": {"Location": [0, 0.4, 1], "Orientation": [1, 0, 0, 0]},
        "Visualization": {"Mesh": "car.obj"},
    },
    "car/Suspension.json": SUSPENSION,
    "car/Wheel.json": {
        "Name": "rim",
        "Type": "Wheel",
        "Template": "Wheel",
        "Mass": 8.0,
        "Inertia": [0.2, 0.3, 0.2],
    },
    "car/Brake.json": {"Name": "disc", "Type": "Brake", "Template": "BrakeSimple", "Maximum Torque": 1500.0},
    "car/Bar.json": {
        "Name": "bar",
        "Type": "Antirollbar",
        "Template": "AntirollBarRSD",
        "Arm": {"Mass": 1.0, "Inertia": [0.02, 0.01, 0.02], "Length": 0.5, "Width": 0.2, "Radius": 0.01},
        "Droplink": {"Height": -0.05},
        "RSD": {"Spring Coefficient": 800.0, "Damping Coefficient": 5.0},
    },
    "car/Rack.json": {
        "Name": "rack",
        "Type": "Steering",
        "Template": "RackPinion",
        "Steering Link": {"Mass": 2.0, "COM": 0, "Inertia": [0.1, 0.001, 0.1], "Radius": 0.01, "Length": 0.4},
        "Pinion": {"Radius": 0.2, "Maximum Angle (deg)": 20.0},
    },
    "car/Driveline.json": {
        "Name": "rear drive",
        "Type": "Driveline",
        "Template": "ShaftsDriveline2WD",
        "Shaft Direction": {"Motor Block": [1, 0, 0], "Axle": [0, 1, 0]},
        "Shaft Inertia": {"Driveshaft": 0.5, "Differential Box": 0.6},
        "Gear Ratio": {"Conical Gear": 0.25},
        "Axle Differential Locking Limit": 100,
    },
    "car/Engine.json": {
        "Name": "engine",
        "Type": "Engine",
        "Template": "EngineSimpleMap",
        "Maximal Engine Speed RPM": 6000,
        "Map Full Throttle": PAIRS,
        "Map Zero Throttle": [[0, 0], [6000, -60]],
    },
    "car/Gears.json": {
        "Name": "gears",
        "Type": "Transmission",
        "Template": "AutomaticTransmissionSimpleMap",
        "Gear Box": {
            "Forward Gear Ratios": [0.3, 0.6, 1.0],
            "Reverse Gear Ratio": -0.3,
            "Shift Points Map RPM": [[1000, 4000], [1200, 4200], [1400, 5000]],
        },
    },
    "car/Tyre.json": {
        "Name": "tyre",
        "Type": "Tire",
        "Template": "TMeasyTire",
        "Design": {
            "Unloaded Radius [m]": 0.31,
            "Mass [kg]": 9.0,
            "Inertia [kg.m2]": [0.3, 0.6, 0.3],
            "Width [m]": 0.2,
            "Rim Radius [m]": 0.2,
        },
        "Coefficient of Friction": 0.8,
        "Rolling Resistance Coefficient": 0.01,
        "Vehicle Type": "Passenger",
        "Load Index": 90,
    },
}


def files() -> Files:
    return copy.deepcopy(FILES)


def written(folder: Path, content: Files) -> Path:
    """Write them; returns the vehicle's file."""
    for name, part in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(part))
    return folder / "car" / "Vehicle.json"


def convert(
    folder: Path, content: Files, *, like_chrono: bool = False, bushings: bool = False
) -> tuple[VehicleParameters, Converted]:
    """Convert the vehicle of these files; return what its own file holds, and the conversion."""
    made = convert_vehicle(written(folder, content), like_chrono=like_chrono, bushings=bushings)
    own = folder / "own.yaml"
    own.write_text(made.text, encoding="utf-8")
    return VehicleParameters.load(own), made


def change(content: Files, name: str, where: str, to: object) -> None:
    """Change one value, or take it out if there is nothing to put there."""
    at: Any = content[f"car/{name}.json"]
    *above, last = (int(key) if key.isdigit() else key for key in where.split("/"))
    for key in above:
        at = at[key]
    if to is None:
        del at[last]
    else:
        at[last] = to
