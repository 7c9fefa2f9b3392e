"""Where vehicles start: from any height, on tyres that can carry them."""

from __future__ import annotations

import pytest

import ce_dynamics as ce
from ce_dynamics.errors import AssemblyError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settled


@pytest.mark.parametrize("height", ["0.8 m", "0.3 m"])
@pytest.mark.parametrize("speed", [0.0, 12.0])
def test_all_start_heights_settle_alike(height: str, speed: float) -> None:
    """All tyres in the air, or the vehicle on its stops: the height of the equilibrium is the same."""
    found = []
    for overrides in ([], [f"vehicle.ride_height={height}"]):
        data = VehicleParameters.load("hmmwv", overrides)
        found.append(settled(ce.compile(build(data, speed=speed)))[2])
    # Tyres that stand keep the side forces of their way down: these lift the vehicle by a few millimetres.
    assert found[1] == pytest.approx(found[0], abs=1e-6 if speed else 5e-3)


def test_loads_that_no_tyre_carries_are_named() -> None:
    data = VehicleParameters.load("hmmwv", ["chassis.mass=400 t"])
    model = ce.compile(build(data, speed=12.0))
    with pytest.raises(AssemblyError, match=r"front_left: a load of .* kN presses the tyre in .* masses"):
        settled(model)
