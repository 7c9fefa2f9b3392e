"""Properties of every run of the vehicle: loops stay closed, energy is accounted for."""

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented
from ce_dynamics.models.vehicles.case import Case, prepare
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.summary import energy_imbalance
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.results import quantity
from ce_dynamics.simulation.simulate import simulate
from tests.models.vehicles.hmmwv.vehicle_states import measured

CLOSURE = 1e-12  # [m], required; rounding of lengths of up to 3 m in a handful of steps is 1e-15

RUNS = {
    "double-lane-change": {"duration": 4.0},
    "step-steer": {"duration": 2.0, "steer": 0.3},
    "sine-steer": {"duration": 2.0, "frequency": 1.0, "steer": 0.4},
    "straight-acceleration": {"duration": 2.0, "throttle": 1.0},
    "braking": {"duration": 3.0, "speed": 10.0, "brake": 1.0},
    "constant-radius": {"duration": 2.0},
    "straight": {"duration": 1.0},
    "bump": {"duration": 2.0, "speed": 10.0, "height": 0.1, "side": 1.0},
    "stand-still": {"duration": 1.0, "grade": 0.2},
}


@pytest.mark.parametrize("name", RUNS)
def test_loops_stay_closed(name: str) -> None:
    """At every stored instant, whatever the integrator's tolerance."""
    case = prepare(name, options=RUNS[name])
    run = case.simulate(rtol=1e-4, atol=1e-6)
    assert len(run.time) == round(100 * RUNS[name]["duration"]) + 1
    closure = run["closure_error"]
    assert closure.size == len(case.model.system.closures) * len(run.time)
    assert bool(np.isfinite(closure).all())
    measured("closure error [m]", float(closure.max()))
    assert float(closure.max()) <= CLOSURE
    assert worst_constraint(case, run) <= CLOSURE


def worst_constraint(case: Case, run: xr.Dataset) -> float:
    """Largest error of all hinges and closures at some instants, from the poses of free bodies.

    This is another code than the one that reports closures; poses are taken relative to the vehicle, for
    coordinates of 40 m have themselves a rounding of 1e-14.
    """
    full = FullyAugmented(case.model.system)
    worst = 0.0
    for k in np.linspace(0, len(run.time) - 1, 5).astype(int):
        y, u = state(case, run, k)
        parts = case.model.layout.split(y)
        constraints = full.at(full.state_from_embedded(case.model.embedding, *parts, u), u).constraints
        worst = max(worst, float(np.max(np.abs(constraints.g))))
    return worst


def state(case: Case, run: xr.Dataset, k: int) -> tuple[Array, Array]:
    """State and inputs at a stored instant, the vehicle moved to the origin."""
    layout, now = case.model.layout, run.isel(time=k)

    def value(name: str) -> float:
        corner, _, rest = name.partition(".")
        if corner in CORNERS:
            return float(now[rest.replace(".", "_")].sel(corner=corner))
        return float(now[name.replace(".", "_").replace(" ", "_")])

    y = np.array([value(entry.name) for entry in (*layout.q, *layout.v, *layout.x)])
    y[:2] = 0.0
    return y, np.array([value(entry.name) for entry in layout.u])


@pytest.fixture(scope="module")
def lane_change() -> xr.Dataset:
    return prepare("double-lane-change").simulate(method="DOP853", rtol=1e-10, atol=1e-10)


def test_energy_of_the_default_run_is_accounted_for(lane_change: xr.Dataset) -> None:
    """Kinetic and gravitational energy change by the work done: tyres, springs, dampers, brakes, drive.

    Relative to the largest change of energy, not to the energy, which is much more.
    """
    energy = lane_change["energy"].values
    change = np.max(np.abs(energy - energy[0]))
    assert change > 100.0  # [J]
    imbalance = float(np.max(np.abs(energy_imbalance(lane_change))))
    measured("imbalance over change of energy", imbalance / change)
    assert imbalance <= 1e-6 * change


def test_the_default_run_passes_the_gates(lane_change: xr.Dataset) -> None:
    """It is a double lane change: out by about 3.5 m and back again."""
    y = lane_change["y"].values
    assert 3.0 < y.max() < 4.5
    assert abs(y[-1]) < 0.5
    assert float(np.abs(lane_change["path_error"]).max()) < 0.5
    assert float(lane_change["x"][-1]) > 110.0


def test_every_output_has_one_name_everywhere() -> None:
    case = prepare("double-lane-change")
    held = {"throttle": 0.1}
    run = simulate(case.model, held, duration=0.01, y0=case.y0, method="rk4", step=1e-3)
    simulator = Simulator(case.model, y0=case.y0)
    simulator.step(0.01, **held)
    outputs = simulator.outputs()
    assert "rear_left.tyre.Fz" in outputs
    for name, value in outputs.items():
        # the same steps and the same observation: the same bits but for what is stored as −0.0
        assert float(quantity(run, name)[-1]) == value, name
