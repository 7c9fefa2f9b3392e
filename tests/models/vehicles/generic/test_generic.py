"""The generic vehicles: struts and five links, leaf springs, push rods, a truck with three axles."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settled
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle
from tests.models.vehicles.any_vehicle import driven, largest_deviation, random_instant

STEERED = {
    "hatchback": ("steering.rack", 0.03),
    "off-roader": ("steering.arm", 0.1),
    "formula-student": ("steering.rack", 0.01),
    "truck": ("steering.arm", 0.1),
}
"""What steers, and a part of its travel."""
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
    assert largest_deviation(instant) < 1e-10


def test_it_settles_near_its_design_position(data: VehicleParameters) -> None:
    """The wheels carry its weight, left and right alike but for what of it is not symmetric."""
    system = build(data)
    model = Model(system)
    y = settled(model)
    corners = system.groups["corner"]
    responses = model.instant(y, model.u0).loads.responses
    loads = np.array([float(responses[f"{c}.tyre"].outputs["Fz"]) for c in corners]).reshape(-1, 2)
    assert loads.sum() == pytest.approx(9.81 * data.mass, rel=1e-6)
    assert loads[:, 0] == pytest.approx(loads[:, 1], rel=0.02)
    assert loads.min() > 0.2 * loads.max()
    moved = y[7 : len(model.layout.q)]
    wheels = [entry.name.endswith(".wheel") for entry in model.layout.q[7:]]
    assert np.abs(np.where(wheels, 0.0, moved)).max() < 0.03


def test_it_steers(data: VehicleParameters) -> None:
    assert 0.4 < float(max_wheel_angle(data)) < 0.7


def test_another_steering_mechanism_leaves_nothing_of_that_of_the_base_but_the_actuator() -> None:
    truck = VehicleParameters.load("truck")
    keys = {parameter.key for parameter in truck.flat() if parameter.key.startswith("steering.")}
    assert "steering.max_angle" in keys
    assert "steering.travel" not in keys
    assert "steering.actuator.natural_frequency" in keys
