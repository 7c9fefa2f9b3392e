"""A driver who looks back: vehicles with a reverse gear along a lane, and into the next one."""

from __future__ import annotations

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.driving import make_manoeuvre


@pytest.mark.parametrize("vehicle", ["sedan", "sedan-manual", "sedan-electric"])
def test_into_the_next_lane_backwards(vehicle: str) -> None:
    """3 m to the left of who looks back, which is to the right of the vehicle's heading."""
    case = prepare("reverse", model=vehicle, options={"shift": 3.0})
    run = case.simulate(method="dopri5")
    assert run["vx"].values[-1] == pytest.approx(-2.0, abs=0.1)
    assert run["x"].values[-1] < -25.0
    assert run["y"].values[-1] == pytest.approx(-3.0, abs=0.05)
    # Half a metre: what aiming 4 m ahead cuts off a quintic of 3 m in 15 m is less.
    assert abs(run["path_error"].values).max() < 0.5
    assert abs(run["yaw"].values[-1]) < 0.02


def test_vehicles_without_a_reverse_gear_are_refused() -> None:
    with pytest.raises(
        DataError, match="the powertrain of hmmwv, of the kind 'envelope', has no reverse gear"
    ):
        make_manoeuvre("reverse")
