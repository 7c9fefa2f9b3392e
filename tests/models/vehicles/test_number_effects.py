"""Numbers of shipped vehicles change results: a few here, all by ``python -m tests.number_effects``."""

from __future__ import annotations

import pytest

from tests.number_effects.effects import components, has_effect, of_the_equations, verdict


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


def test_the_comparison_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same value again nothing changes."""
    monkeypatch.setattr("tests.number_effects.effects.FACTORS", (1.0,))
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
    """What one trace tells agrees with changes of single numbers."""
    found = of_the_equations("off-roader")
    assert "rear.spring.linear" in found
    assert has_effect("off-roader", "rear.spring.linear")
    assert "vehicle.width" not in found
