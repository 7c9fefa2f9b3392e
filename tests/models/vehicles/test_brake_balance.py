"""Adhesion that brakes use: against simulated braking, and the regulation's limits by hand."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import run
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.simulation.simulate import simulate
from tests.campaigns.performance.brakes import BrakeBalance, brake_balance


def test_against_braking_in_neutral() -> None:
    """The sedan, braked by 30 %: what its tyres use, less rolling resistance and drag, which are no brake's.

    Springs that give way and the radius under load (3 % less than unloaded) leave 3 %.
    """
    data = VehicleParameters.load("sedan")
    model = Model(build(data, speed=20.0))
    inputs = {"brake": 0.3, "selector": 0.0}
    run = simulate(model, inputs, duration=1.2, method="rk4", y0=settle(model), interval=0.02)
    late = run.isel(time=slice(-10, None)).mean("time")
    z = -float(late["ax"]) / 9.81
    used = [
        -float(late["tyre_Fx"].sel(corner=[f"{axle}_left", f"{axle}_right"]).sum())
        / float(late["tyre_Fz"].sel(corner=[f"{axle}_left", f"{axle}_right"]).sum())
        for axle in ("front", "rear")
    ]
    resisted = 0.015 + float(late["chassis_air_drag"]) / (9.81 * data.mass)
    balance = brake_balance(data)
    expected = balance.adhesion(z - resisted)
    assert 0.25 < z < 0.35
    assert used[0] - 0.015 == pytest.approx(float(expected[0]), rel=0.03)
    assert used[1] - 0.015 == pytest.approx(float(expected[1]), rel=0.06)  # wheels that slow down


def test_braked_wheels_use_the_friction_of_the_road() -> None:
    """The pedal is pressed slowly on a road of 0.3 until the front wheels lock, past their peak.

    They carry 1.39 of their nominal load, from which to its double the peak falls by 3.5 %: 0.3 (1 − 0.0137).
    Within 0.5 %: near the peak slips change by a tenth between the instants of 10 ms.
    """
    options = {"friction": 0.3, "brake": 0.4, "rise": 6.0}
    found = run("braking", model="sedan", speed="80 km/h", duration=6.5, options=options)
    used = (-found.tyre_Fx / found.tyre_Fz).max("time")
    assert used.sel(corner=["front_left", "front_right"]).values == pytest.approx([0.2959] * 2, rel=0.005)


@pytest.mark.parametrize("name", sorted({*SHIPPED} - {"hmmwv-chrono"}))  # that one has Chrono's coefficients
def test_shipped_roads_are_those_of_the_tyres(name: str) -> None:
    data = VehicleParameters.load(name)
    for corner in data.corners.values():
        tyre = corner.tyre
        assert tyre.fxm[0] / tyre.pn == pytest.approx(tyre.mu0, rel=1e-12)
        assert tyre.mu0 == data.road.friction


def test_by_hand() -> None:
    """60 % of the weight in front, 20 % more per g; brakes 70 : 30 are ideal at 0.5 g."""
    one = BrakeBalance(mass=1000.0, front=0.6, transfer=0.2, brake_front=0.7)
    assert one.adhesion(0.5) == pytest.approx((0.5, 0.5))
    assert one.rear_locks_first == pytest.approx(0.5)
    assert not one.keeps_to_regulation  # beyond 0.5 g the rear axle locks first
    assert one._replace(brake_front=0.77).keeps_to_regulation
    # the front axle alone: at z = 0.61 it would use 0.61/0.722 = 0.84, at an adhesion of 0.8 z is 0.57 < 0.61
    assert not one._replace(brake_front=1.0).keeps_to_regulation


@pytest.mark.parametrize(("name", "least"), [("sedan", 1.1), ("hatchback", 0.9), ("van-trailer", 0.85)])
def test_generic_passenger_vehicles_lock_the_front_first(name: str, least: float) -> None:
    found = brake_balance(VehicleParameters.load(name))
    assert found.keeps_to_regulation
    assert found.rear_locks_first > least
    assert 0.3 < found.front < 0.7
    assert np.all(found.adhesion(0.8)[0] < 1.1)
