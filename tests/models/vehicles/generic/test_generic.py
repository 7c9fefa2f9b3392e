"""The generic vehicles: struts and five links, leaf springs, push rods, a truck with three axles."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.vehicle import vehicle
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.steering_angle import first_steered, max_wheel_angle, wheel_angle
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant

STEERED = {
    "hatchback": ("steering.rack", 0.03), "off-roader": ("steering.arm", 0.1),
    "formula-student": ("steering.rack", 0.01), "truck": ("steering.arm", 0.1),
}  # fmt: skip
"""Steering quantity of each vehicle, and a part of its travel."""
VEHICLES = list(STEERED)


@pytest.fixture(scope="module", params=VEHICLES)
def data(request: pytest.FixtureRequest) -> VehicleParameters:
    return VehicleParameters.load(request.param)


def test_accelerations_of_every_body_against_all_hinges_cut(
    data: VehicleParameters, rng: np.random.Generator
) -> None:
    """Travel of 0.03 (rad or m) is that of the springs; the tolerance is that of the HMMWV's test."""
    body, steer = STEERED[data.name]
    system = driven(build(data), body)
    instant = random_instant(system, rng, data.ride_height, travel=0.03, steer=steer)
    assert sum(instant.loads.responses[f"{c}.tyre"].outputs["Fz"] for c in system.groups["corner"]) > 1e3
    assert_accelerations(instant)


def test_it_settles_near_its_design_position(data: VehicleParameters) -> None:
    """The wheels carry its weight, left and right alike but for what of it is not symmetric.

    In neutral: in gear, what the idling engine pulls rolls chassis and beams against each other.
    """
    system = build(data)
    model = Model(system)
    u = model.inputs_with(inputs={"selector": 0.0}) if "selector" in system.inputs else model.u0
    y = settle(model, u)
    corners = system.groups["corner"]
    responses = model.instant(y, u).loads.responses
    loads = np.array([float(responses[f"{c}.tyre"].outputs["Fz"]) for c in corners]).reshape(-1, 2)
    assert loads.sum() == pytest.approx(9.81 * data.mass, rel=1e-6)
    assert loads[:, 0] == pytest.approx(loads[:, 1], rel=0.02)
    assert loads.min() > 0.2 * loads.max()
    moved = y[7 : len(model.layout.q)]
    wheels = [entry.name.endswith(".wheel") for entry in model.layout.q[7:]]
    assert np.abs(np.where(wheels, 0.0, moved)).max() < 0.03


def test_at_walking_pace_the_engine_idles(data: VehicleParameters) -> None:
    """In gear, no faster than it would by itself and no slower than what its governor gives all for."""
    model = Model(build(data, speed=1.0))
    idle = data.powertrain.engine.idle_speed  # type: ignore[attr-defined]  # all have an engine
    names = [entry.name for entry in model.layout.x]
    turned = model.layout.split(settle(model))[2][names.index("driveline.engine_speed")]
    assert 0.5 * idle < turned < 1.1 * idle


def test_it_steers(data: VehicleParameters) -> None:
    assert 0.4 < float(max_wheel_angle(data)) < 0.7


def test_another_steering_mechanism_keeps_only_the_actuator() -> None:
    truck = VehicleParameters.load("truck")
    keys = {parameter.key for parameter in truck.flat() if parameter.key.startswith("steering.")}
    assert "steering.max_angle" in keys
    assert "steering.travel" not in keys
    assert "steering.actuator.natural_frequency" in keys


FREE = {
    "hatchback": {
        "front.D.z": -0.105,
        "front.S.y": 0.627,
        "front.tie_rod.mass": 0.8,
    },
    "truck": {"front.roll_centre.z": 0.085, "rear.link.chassis.z": -0.115, "front.knuckle.mass": 62.0},
    "formula-student": {"front.rocker.rod.z": 0.243, "rear.F.y": 0.517},
}
"""Hardpoints and masses by vehicle, and other values than the data's."""


@pytest.mark.parametrize("name", FREE)
def test_free_hardpoints_equal_vehicle_built_with_them(name: str, rng: np.random.Generator) -> None:
    """Newton's loops are led from their own design pose; rounding as for the HMMWV's free numbers."""
    values = FREE[name]
    model = Model(build(VehicleParameters.load(name, free=list(values)), speed=12.0))
    overrides = [f"{key}={value!r}" for key, value in values.items()]
    built = Model(build(VehicleParameters.load(name, overrides=overrides), speed=12.0))
    y = built.y0 + rng.uniform(-0.01, 0.01, len(built.y0))
    y[2] -= 0.02  # on its tyres
    inputs = np.full(len(built.u0), 0.2)
    given = [values.get(p.name, p.value) for p in model.layout.parameters]
    found = model.trace_dynamics().evaluate(y=y, u=np.array([*inputs, *given]))["y_dot"]
    expected = built.trace_dynamics().evaluate(y=y, u=inputs)["y_dot"]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())


def test_crank_led_back_is_known_by_both_locks() -> None:
    """The driver steers by how far a lock turns the wheels; here the left one hardly does."""
    crank = ["pivot=(1.6, 0.46, 0.15) m", "shaft=(1.6, 0.36, 0.15) m", "max_angle=20 deg"]
    changes = [f"steering.{one}" for one in crank]
    data = VehicleParameters.load("off-roader", changes)
    wheels = first_steered(data)
    turned = {u: np.mean([float(wheel_angle(data, wheel, u)) for wheel in wheels]) for u in (-0.05, 0.05, 1)}
    assert abs(turned[1]) < np.radians(0.1)
    around_straight = (turned[0.05] - turned[-0.05]) / 0.1
    assert float(max_wheel_angle(data)) == pytest.approx(around_straight, rel=0.1)
    subject = vehicle("off-roader", changes)
    most = max(float(subject.road_wheel_angle(np.array([u]))[0]) for u in np.linspace(0.0, 1.0, 50))
    found = subject.steering_for(0.9 * most)  # which lies before the crank is led back
    assert 0.0 < found < 0.6
    assert subject.road_wheel_angle(np.array([found])) == pytest.approx(0.9 * most, rel=1e-9)
    with pytest.raises(DataError, match=r"cannot be steered by .*; full lock is from -.*° to 0\.[1-9]"):
        subject.steering_for(2.0 * most)
