"""Numbers of shipped vehicles change results: a few here, all by the campaign ``number_effects``."""

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.number_effects.effects import components, has_effect, of_the_equations, verdict


@pytest.mark.parametrize(
    "key",
    [
        "powertrain.engine.inertia",
        "powertrain.transmission.reverse",
        "powertrain.transmission.upshift",
        "powertrain.converter.capacity.5",
        "powertrain.engine.closed_throttle.torque.11",
        "vehicle.ride_height",
        "vehicle.width",
        "driver.brake_margin",
        "driver.feedforward_time",
        "front.anti_roll_bar.link.z",
    ],
)
def test_numbers_have_an_effect(key: str) -> None:
    assert key in components("sedan")
    assert has_effect("sedan", key)


@pytest.mark.parametrize("vehicle", SHIPPED)
def test_least_preview_has_an_effect_on_every_vehicle(vehicle: str) -> None:
    """At low speed, on the arms of every driver."""
    task, other = (
        make_manoeuvre("double-lane-change", {}, VehicleParameters.load(vehicle, [f"driver.min_preview={d}"]))
        for d in (5.0, 5.1)
    )
    sensors = {"x": 0.0, "y": -0.4, "yaw": 0.05, "speed": 3.0, "vx": 3.0, "vy": 0.2, "yaw_rate": 0.1}
    sensors |= {"steering.position": 0.02, "steering.position_rate": 0.01}
    assert task.inputs(0.0, sensors)["steering"] != other.inputs(0.0, sensors)["steering"]


def test_a_least_preview_without_effect_is_refused() -> None:
    """The sedan's chassis origin is 1.388 m ahead of its rear axle's mean, of which twice is looked ahead."""
    refused = VehicleParameters.load("sedan", ["driver.min_preview=2.77"])
    with pytest.raises(DataError, match=r"min_preview: 2.77 m has no effect, since the driver looks 2.78 m"):
        make_manoeuvre("step-steer", {}, refused)
    make_manoeuvre("step-steer", {}, VehicleParameters.load("sedan", ["driver.min_preview=2.78"]))


def test_the_comparison_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same value again nothing changes."""
    monkeypatch.setattr("tests.campaigns.number_effects.effects.FACTORS", (1.0,))
    assert not has_effect("sedan", "chassis.mass")


@pytest.mark.parametrize(
    ("vehicle", "key", "why"),
    [
        ("truck", "rear.triangle.pivot.y", "lies along y"),
        ("truck", "steering.pivot.y", "along this line"),
        ("sedan", "powertrain.converter.speed_ratio.0", "must be at least 0"),
        ("hmmwv", "powertrain.engine.full_throttle.torque.0", "never is at this point"),  # below idle speed
    ],
)
def test_numbers_that_can_be_no_other_are_told(vehicle: str, key: str, why: str) -> None:
    found = verdict(vehicle, key)
    assert not found.effect
    assert why in found.refused


def test_free_numbers_are_looked_for_in_the_equations() -> None:
    """Effects found in one trace agree with changes of single numbers."""
    found = of_the_equations("off-roader")
    assert "rear.spring.linear" in found
    assert has_effect("off-roader", "rear.spring.linear")
    assert "vehicle.width" not in found
