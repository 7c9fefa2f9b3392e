"""Numbers of shipped vehicles change results: a few here, all by ``python -m tests.number_effects``."""

from __future__ import annotations

import pytest

from tests.number_effects.effects import components, has_effect


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
