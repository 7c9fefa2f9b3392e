"""Anti-lock brakes, traction and stability control of a shipped vehicle, against the same without."""

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

SPEED = 22.2
FREE = ["road.friction", "assistance.abs.slip"]


@cache
def vehicle(name: str) -> tuple[ce.Model, np.ndarray]:
    """With free friction, rolling."""
    free = FREE if name.endswith("assisted") else FREE[:1]
    model = ce.compile(build(VehicleParameters.load(name, free=free), speed=SPEED))
    return model, settle(model)


def driven(name: str, inputs: Any, duration: float, friction: float) -> xr.Dataset:
    model, y = vehicle(name)
    return ce.simulate(
        model, inputs, duration=duration, y0=y, method="rk4", step=1e-3, interval=0.02,
        parameters={"road.friction": friction},
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


def test_anti_lock_brakes_stop_sooner_than_locked_wheels_where_it_is_slippery() -> None:
    """From 22.2 m/s at μ = 0.3, 4 s: locked wheels slide at their sliding friction, ABS keeps near the peak.

    The tyre's peak is 1.25 times its sliding force; a tenth is asked for.  No wheel locks (slip −1).
    """
    locked = driven("sedan", {"brake": 1.0}, 4.0, 0.3)
    held = driven("sedan-assisted", {"brake": 1.0}, 4.0, 0.3)
    lost = [SPEED - float(run["vx"][-1]) for run in (locked, held)]
    assert lost[1] > 1.1 * lost[0]
    assert slips(locked).min() < -0.99
    assert slips(held).min() > -0.5


def test_stability_control_keeps_a_sine_with_dwell_from_spinning() -> None:
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


def test_ensembles_and_sweeps_keep_what_assistance_remembers_bit_by_bit() -> None:
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


def test_numbers_of_assistance_that_a_vehicle_has_not_are_refused() -> None:
    with pytest.raises(DataError, match=r"assistance\.abs"):
        VehicleParameters.load("sedan", overrides=["assistance.abs.slip=0.1"])
    with pytest.raises(DataError, match="period"):
        VehicleParameters.load("sedan-assisted", overrides=["assistance.abs.period=0 s"])
