"""Anti-lock brakes, traction and stability control of a shipped vehicle, against the same without."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar, sin, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.tyre_kinds import model_of

SPEED = 22.2
FREE = ["road.friction", "assistance.abs.slip"]


@cache
def vehicle(name: str) -> tuple[ce.Model, np.ndarray]:
    free = FREE if name.endswith("assisted") else FREE[:1]
    model = ce.compile(build(VehicleParameters.load(name, free=free), speed=SPEED))
    return model, settle(model)


def driven(name: str, inputs: Any, duration: float, friction: float, **free: float) -> xr.Dataset:
    model, y = vehicle(name)
    return ce.simulate(
        model, inputs, duration=duration, y0=y, method="rk4", step=1e-3, interval=0.02,
        parameters={"road.friction": friction, **free},
    )  # fmt: skip


def slips(run: xr.Dataset) -> np.ndarray:
    """(ω R − v)/v of all wheels above 3 m/s; R from rolling at the start."""
    v = run["vx"].values[:, np.newaxis]
    rates = run["wheel_rate"].values
    found: np.ndarray = ((rates * v[0] / rates[0] - v) / v)[v[:, 0] > 3.0]
    return found


class SineWithDwell:
    """0.7 Hz, half a second in the second peak (as FMVSS 126)."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> dict[str, Scalar]:
        phase = 0.7 * (t - 0.5)
        late = phase - 0.35
        turn = where(phase < 0.75, sin(2 * np.pi * phase), where(late < 0.75, -1.0, sin(2 * np.pi * late)))
        active = where(phase < 0.0, 0.0, where(late > 1.0, 0.0, 1.0))
        return {"steering": 0.3 * active * turn}


def test_anti_lock_brakes_stop_sooner_on_slippery_roads() -> None:
    """From 22.2 m/s at μ = 0.3, 4 s: locked wheels slide at their sliding friction, ABS keeps near the peak.

    The tyre's peak is 1.25 times its sliding force; a tenth is asked for.  No wheel locks (slip −1).
    """
    locked = driven("sedan", {"brake": 1.0}, 4.0, 0.3)
    held = driven("sedan-assisted", {"brake": 1.0}, 4.0, 0.3)
    lost = [SPEED - float(run["vx"][-1]) for run in (locked, held)]
    assert lost[1] > 1.1 * lost[0]
    assert slips(locked).min() < -0.99
    assert slips(held).min() > -0.5


def used(run: xr.Dataset, start: float) -> np.ndarray:
    """Return friction used by the wheels from a time on, −Fx/Fz."""
    late: np.ndarray = (-run["tyre_Fx"] / run["tyre_Fz"]).values[run["time"].values > start]
    return late


def deceleration(run: xr.Dataset, start: float) -> float:
    """Return the mean deceleration from a time on [g]."""
    late = run["time"].values > start
    v, t = run["vx"].values[late], run["time"].values[late]
    return float((v[0] - v[-1]) / (t[-1] - t[0]) / 9.81)


def test_friction_is_what_a_vehicle_can_brake_with() -> None:
    """With the slip of the peak it brakes with 0.3 g on 0.3; the slip that anti-lock brakes hold is fixed.

    3 %: axles carry 1.2 and 0.8 times the nominal load, which costs 1.5 % of friction on the front axle; air
    adds 0.5 % of the weight, 1.6 % of 0.3.  The slip of the peak is proportional to friction: 0.09 on 0.8 and
    0.034 on 0.3, so that the allowed 0.06 lies beyond the one and before the other.  At any slip held, an
    anti-lock system must use three quarters of the peak (UN Regulation 13-H, annex 6, 5.3.1).
    """

    def braked(friction: float, slip: float) -> xr.Dataset:
        return driven("sedan-assisted", {"brake": 1.0}, 2.2, friction, **{"assistance.abs.slip": slip})

    best = braked(0.3, 0.03)
    assert deceleration(best, 1.0) == pytest.approx(0.3, rel=0.03)
    for friction in (0.3, 0.8):
        held = braked(friction, 0.06)
        peak = used(held, 0.0).max()
        assert peak == pytest.approx(friction, rel=0.03)
        assert 0.75 * peak < deceleration(held, 1.0) < 0.97 * peak


def test_stability_control_keeps_sine_with_dwell_from_spinning() -> None:
    """A second after the steering is straight the yaw rate is below 35 % of its peak (FMVSS 126)."""
    spun, kept = (driven(name, SineWithDwell(), 3.5, 0.8) for name in ("sedan", "sedan-assisted"))
    beta = [np.abs(np.arctan2(run["vy"].values, run["vx"].values)).max() for run in (spun, kept)]
    assert beta[0] > 0.5
    assert beta[1] < 0.15
    assert abs(float(kept["yaw_rate"][-1])) < 0.05 * np.abs(kept["yaw_rate"].values).max()


def test_traction_control_keeps_driven_wheels_from_running_away() -> None:
    """Full throttle on ice from 22.2 m/s: the driven wheels of the sedan run away without."""
    spun, kept = (driven(name, {"throttle": 1.0}, 3.0, 0.1) for name in ("sedan", "sedan-assisted"))
    assert slips(spun).max() > 0.5
    assert slips(kept)[50:].max() < 0.5 * slips(spun).max()
    assert slips(kept)[-1].max() < 0.2


def test_traction_control_takes_the_radius_of_fitted_tyres() -> None:
    """Tyres 8 % smaller turn faster, which is no slip: full throttle accelerates as without assistance."""
    gained = []
    for name in ("sedan", "sedan-assisted"):
        data = VehicleParameters.load(name)
        small = {
            corner.name: model_of(
                dataclasses.replace(corner.tyre, radius=0.92 * corner.tyre.unloaded_radius),
                corner.side,
            )
            for corner in data.corners.values()
        }
        model = ce.compile(build(data, speed=SPEED, tyres=small))
        run = ce.simulate(model, {"throttle": 1.0}, duration=2.0, y0=settle(model), method="rk4", step=1e-3)
        gained.append(float(run["vx"][-1]) - SPEED)
    assert gained[0] > 5.0
    assert gained[1] == pytest.approx(gained[0], rel=1e-3)  # 0.61 by the radius of the data


def test_ensembles_and_sweeps_keep_assistance_bit_by_bit() -> None:
    """Lanes with another friction and another slip in each against single runs."""
    model, y = vehicle("sedan-assisted")
    parameters = {
        "road.friction": np.array([0.2, 0.3, 0.5]),
        "assistance.abs.slip": np.array([0.1, 0.06, 0.04]),
    }
    controls = {"brake": np.array([1.0, 1.0, 0.7])}
    runs = ce.simulate_ensemble(
        model, y, parameters, controls, duration=0.3, interval=0.02, threads=1, lanes=4
    )
    one = ce.simulate(
        model, {"brake": 1.0}, duration=0.3, y0=y, method="rk4", interval=0.02,
        parameters={name: float(values[1]) for name, values in parameters.items()},
    )  # fmt: skip
    for name in ("vx", "abs_front_left_held_back", "wheel_rate"):
        np.testing.assert_array_equal(runs[name].values[1], one[name].values)
    held = runs["abs_front_left_held_back"].values
    assert held[:, -1].max() > 0.1
    assert len(set(held[:, -1])) == 3


def test_a_simulator_goes_on_with_what_assistance_remembers() -> None:
    model, y = vehicle("sedan-assisted")
    sim = ce.Simulator(model, y0=y)
    sim.set({"road.friction": 0.3})
    for _ in range(10):
        sim.step(0.012, brake=1.0)
    saved = sim.save()
    for _ in range(5):
        sim.step(0.012)
    after = sim.state.copy()
    sim.restore(saved)
    for _ in range(5):
        sim.step(0.012)
    np.testing.assert_array_equal(sim.state, after)
    assert sim.outputs()["abs.front_left.brake_release"] > 0.0


def test_numbers_of_missing_assistance_are_refused() -> None:
    with pytest.raises(DataError, match=r"assistance\.abs"):
        VehicleParameters.load("sedan", overrides=["assistance.abs.slip=0.1"])
    with pytest.raises(DataError, match="period"):
        VehicleParameters.load("sedan-assisted", overrides=["assistance.abs.period=0 s"])
