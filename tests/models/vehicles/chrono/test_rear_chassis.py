"""Vehicles of several chassis: where connectors put them, and how one that folds turns."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.models.handling.vehicle import vehicle
from ce_dynamics.models.kc import rig_of
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle
from tests.models.vehicles.chrono.small_car import change, files, written

AHEAD, BEHIND = 1.5, 1.0
"""Distances of the axles from the joint [m]."""
RIGID = {"Template": "RigidSuspension"}


def folding() -> dict[str, Any]:
    """Two halves with an axle each, joined by a pin 0.3 m behind the origin of the first."""
    content = files()
    vehicle, chassis = content["car/Vehicle.json"], content["car/Chassis.json"]
    suspension = content["car/Suspension.json"]
    spindle = suspension["Spindle"]
    content["car/Suspension.json"] = RIGID | {"Spindle": spindle, "Axle": suspension["Axle"]}
    chassis["Rear Connector Location"] = [-0.3, 0, 0.2]
    part = {
        **chassis["Components"][0],
        "Centroidal Frame": {"Location": [0, 0, 0.3], "Orientation": [1, 0, 0, 0]},
    }
    content["car/Rear.json"] = {
        "Template": "RigidChassisRear",
        "Components": [part],
        "Front Connector Location": [0.4, 0, 0.1],
    }
    content["car/Pin.json"] = {"Template": "ChassisConnectorArticulated", "Maximum Steering Angle (deg)": 30}
    vehicle["Rear Chassis"] = [
        {"Input File": "car/Rear.json", "Connector Input File": "car/Pin.json", "Chassis Index": -1}
    ]
    front, rear = vehicle["Axles"]
    del vehicle["Steering Subsystems"], front["Steering Index"], front["Antirollbar Input File"]
    front["Suspension Location"] = [AHEAD - 0.3, 0, 0]
    rear |= {"Suspension Location": [0.4 - BEHIND, 0, -0.1], "Chassis Index": 0}
    vehicle["Driveline"]["Suspension Indexes"] = [0]
    return content


def test_halves_follow_connectors_and_turn_by_hand(tmp_path: Path) -> None:
    """Folded by φ, the first axle runs round R = (l_1 cos φ + l_2)/sin φ, and no wheel slips sideways."""
    data = VehicleParameters.load(written(tmp_path, folding()))
    assert data.mass == pytest.approx(2 * 1000.0 + 4 * (2.0 + 8.0 + 9.0))
    np.testing.assert_allclose(data.trailers["rear_chassis_1"].body.com, (-0.7, 0, 0.4), atol=1e-15)
    np.testing.assert_allclose(data.corners["rear_right"].W, (-0.3 - BEHIND, -0.75, 0.0), atol=1e-15)
    lock = math.radians(30.0)
    R = (AHEAD * math.cos(lock) + BEHIND) / math.sin(lock)
    assert max_wheel_angle(data) == pytest.approx(math.atan((AHEAD + BEHIND) / R), rel=1e-12)
    part, half = 0.5 * lock, np.array([-0.5, 0.0, 0.5])
    to_half = math.atan((AHEAD + BEHIND) * math.sin(part) / (AHEAD * math.cos(part) + BEHIND))
    asked = vehicle(tmp_path / "car/Vehicle.json").road_wheel_angle(half)
    assert asked == pytest.approx([-to_half, 0.0, to_half], rel=1e-9)  # on its grid
    model, v = Model(build(data, speed=2.0)), 2.0
    names = model.layout.y_names
    y, folded = model.y0.copy(), 0.5 * lock
    omega = v * math.sin(folded) / (AHEAD * math.cos(folded) + BEHIND)
    y[names.index("chassis.wz")] = omega
    y[names.index("chassis.vy")] = -omega * (AHEAD - 0.3)  # of the origin: the first axle does not slip
    (angle, *_) = (name for name in names if name.startswith("rear_chassis_1."))
    y[names.index(angle)] = -folded
    responses = model.instant(y, model.inputs_with(inputs={"steering": 0.5})).loads.responses
    for corner in data.corners:
        assert float(responses[f"{corner}.tyre"].outputs["slip_angle"]) == pytest.approx(0.0, abs=1e-12)


def steered_behind(content: dict[str, Any], index: int) -> None:
    """Wishbones, an anti-roll bar and a mechanism that steers on the rear half, 1.2 m behind its joint."""
    rack = {"Input File": "car/Rack.json", "Location": [-0.6, 0, -0.02], "Orientation": [1, 0, 0, 0]}
    vehicle = content["car/Vehicle.json"]
    vehicle["Steering Subsystems"] = [rack, rack | {"Chassis Index": 0}]
    content["car/Wishbones.json"] = files()["car/Suspension.json"]
    vehicle["Axles"][1] |= {
        "Suspension Input File": "car/Wishbones.json",
        "Steering Index": index,
        "Antirollbar Input File": "car/Bar.json",
        "Antirollbar Location": [-0.5, 0, -0.2],
    }


def test_rear_halves_are_driven_steered_and_held(tmp_path: Path) -> None:
    """Parts on the rear half are where its file puts them, move with it and react on it."""
    content = folding()
    steered_behind(content, 1)
    content["car/Pin.json"] = {"Template": "ChassisConnectorTorsion", "Torsional Stiffness": 5e4}
    content["car/Vehicle.json"]["Driveline"]["Suspension Indexes"] = [1]
    data = VehicleParameters.load(written(tmp_path, content))
    # Its file's origin is 0.4 m behind and 0.1 m below the joint, which is at (−0.3, 0, 0.2).
    origin = np.array((-0.3, 0.0, 0.2)) - (0.4, 0.0, 0.1)
    np.testing.assert_allclose(data.steering.body.com, origin + (-0.6, 0.0, -0.02), atol=1e-15)
    np.testing.assert_allclose(data.anti_roll_bars["rear"].pivot, origin + (-0.5, 0.25, -0.2), atol=1e-15)
    assert rig_of(data, "rear").axle.wheelbase == pytest.approx(AHEAD + BEHIND)
    model = Model(build(data, speed=5.0))
    rear = model.system.find("rear_chassis_1")
    assert model.system.find("steering.rack").carrier is rear
    assert model.system.find("rear_left.anti_roll_bar").carrier is rear
    u = model.inputs_with(inputs={"throttle": 1.0})
    names = model.layout.y_names
    y = model.y0.copy()
    y[names.index("driveline.windup")] = 0.01
    driveline = model.instant(y, u).loads.responses["driveline"]
    torque = float(driveline.outputs["torque"])
    loads = [load for load in driveline.loads if isinstance(load, PointLoad)]
    torques = {load.body.name: np.asarray(load.torque, dtype=float) for load in loads}
    assert torque > 100.0
    assert torques["rear_left.wheel"] == pytest.approx((0.0, 0.5 * torque, 0.0), abs=1e-9)
    # The final drive: the wheels' reaction, and 0.25 T about −x of the shaft that comes from ahead.
    assert torques["rear_chassis_1"] == pytest.approx((-0.25 * torque, -torque, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "where", "to", "message"),
    [
        (
            "Pin",
            "Template",
            "Magnet",
            r"^Pin\.json: Template: 'Magnet' is no connector that can be read; known",
        ),
        ("Rear", "Front Connector Location", [0.4, 0.1, 0], "beside the middle plane"),
        (
            "Rear",
            "Template",
            "RigidChassis",
            r"^Rear\.json: Template: 'RigidChassis' is no chassis that can be",
        ),
        ("Vehicle", "Rear Chassis/0/Chassis Index", 0, r": 0 is no chassis ahead; give -1"),
        ("Vehicle", "Axles/1/Chassis Index", 3, r"Axles\[1\]/Chassis Index: 3: there are 1 rear chassis"),
    ],
)
def test_what_cannot_be_joined_is_named(
    tmp_path: Path, name: str, where: str, to: object, message: str
) -> None:
    content = folding()
    change(content, name, where, to)
    with pytest.raises(DataError, match=message):
        convert_vehicle(written(tmp_path, content))


def test_rear_halves_without_axle_and_steering_elsewhere(tmp_path: Path) -> None:
    twice = folding()
    twice["car/Vehicle.json"]["Rear Chassis"] *= 2
    with pytest.raises(DataError, match=r"Rear Chassis\[1\]: no axle is on it; give one 'Chassis Index': 1$"):
        convert_vehicle(written(tmp_path, twice))
    content = folding()
    steered_behind(content, 0)
    with pytest.raises(DataError, match=r"Steering Index: subsystem 0 is on another chassis than the axle"):
        convert_vehicle(written(tmp_path, content))


@pytest.mark.parametrize(
    ("template", "hitch"),
    [("Hitch", "ball"), ("FifthWheel", "fifth-wheel"), ("Torsion", "torsion")],
)
def test_other_connectors(tmp_path: Path, template: str, hitch: str) -> None:
    """Those that do not steer: the front axle does."""
    content = folding()
    rack = files()["car/Vehicle.json"]["Steering Subsystems"]
    content["car/Vehicle.json"] |= {"Steering Subsystems": rack}
    content["car/Vehicle.json"]["Axles"][0]["Steering Index"] = 0
    content["car/Wishbones.json"] = files()["car/Suspension.json"]
    content["car/Vehicle.json"]["Axles"][0]["Suspension Input File"] = "car/Wishbones.json"
    content["car/Pin.json"] = {"Template": f"ChassisConnector{template}", "Torsional Stiffness": 5e4}
    data = VehicleParameters.load(written(tmp_path, content))
    (trailer,) = data.layout.trailers
    assert trailer.hitch == hitch
    if hitch == "torsion":
        assert data.wheelbase == pytest.approx(AHEAD + BEHIND)
    else:
        with pytest.raises(DataError, match="the vehicle has one axle without its trailers"):
            _ = data.wheelbase
    if hitch == "torsion":
        laws = data.trailers["rear_chassis_1"].hitch
        assert (laws.roll_stiffness, laws.roll_damping) == (5e4, 500.0)  # type: ignore[attr-defined]  # of torsion
    coordinates = {"ball": 4, "fifth-wheel": 2, "torsion": 1}[
        hitch
    ]  # of the hinge: quaternion, two angles, one
    names = [entry.name for entry in Model(build(data)).layout.q]
    assert len([name for name in names if name.startswith("rear_chassis_1")]) == coordinates
