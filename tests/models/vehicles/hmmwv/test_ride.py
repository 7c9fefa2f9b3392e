"""The ride model against two independent engines (tests/data/README.md)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.trim import trim
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.vehicles.case import build_ride
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.simulation.simulate import simulate

DATA = Path(__file__).parents[3] / "data"
SHORT = dict(zip(CORNERS, ("FL", "FR", "RL", "RR"), strict=True))


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(build_ride())


@pytest.fixture(scope="module")
def reference() -> Any:
    return json.loads((DATA / "ride_A_accelerations.json").read_text())


@pytest.fixture(scope="module")
def start(model: Model) -> Instant:
    return model.instant(model.y0, model.u0)


def test_accelerations_of_the_independent_hinges(model: Model, start: Instant, reference: Any) -> None:
    v_dot, v_of = start.accelerations.v_dot, model.embedding.v_of
    chassis = [
        *reference["chassis_angular_acc_world"],
        *reference["chassis_linear_acc_of_reference_point_world_classical"],
    ]
    np.testing.assert_allclose(v_dot[:6], chassis, rtol=1e-9)
    for name, short in SHORT.items():
        arm, spin = v_dot[v_of[f"{name}.lower_arm"]], v_dot[v_of[f"{name}.wheel"]]
        np.testing.assert_allclose(arm, reference["lca_angular_acc"][short], rtol=1e-9)
        np.testing.assert_allclose(spin, reference["wheel_spin_acc_relative_to_upright"][short], rtol=1e-9)


@pytest.mark.parametrize("name", CORNERS)
def test_accelerations_of_the_dependent_bodies(
    model: Model, start: Instant, reference: Any, name: str
) -> None:
    short = SHORT[name]
    wheel = model.system.find(f"{name}.wheel")
    centre = start.acceleration(wheel, wheel.inboard.at)
    np.testing.assert_allclose(centre, reference["wheel_centre_acc_world"][short], rtol=1e-9)
    # Everything but the wheels is at rest relative to the chassis at t = 0, so that relative angular
    # accelerations are differences; all axes are parallel there.
    alpha = {n: a[:3] for n, a in start.accelerations.alpha.items()}
    upper = model.system.find(f"{name}.upper_arm")
    about_axis = (alpha[upper.name] - alpha["chassis"]) @ upper.inboard.axis  # type: ignore[attr-defined]
    np.testing.assert_allclose(
        about_axis, reference["uca_angular_acc_about_uca1_minus_uca2"][short], rtol=1e-9
    )
    upright = alpha[f"{name}.spindle"] - alpha[f"{name}.lower_arm"]
    expected = reference["upright_relative_angular_acc_in_upright_axes"][short]
    np.testing.assert_allclose(upright, expected, rtol=1e-9)


def test_compiled_accelerations_equal_the_plain_ones(model: Model, start: Instant) -> None:
    compiled = model.dynamics(model.y0, model.u0)[0]
    # The same instructions, but for fused multiply-adds: rounding of forces of 5e4 N on tens of kilograms.
    np.testing.assert_allclose(compiled, start.y_dot, rtol=1e-12, atol=1e-10)


def test_trajectory_of_every_column(model: Model) -> None:
    expected = np.genfromtxt(DATA / "ride_A.csv", delimiter=",", names=True)
    run = simulate(model, duration=2.0, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.01)
    np.testing.assert_allclose(run.time, expected["t"], atol=1e-12)
    columns = {f"chassis_{name}": run[f"chassis_{name}"] for name in ("x", "y", "z", "qw", "qx", "qy", "qz")}
    found = {name.removeprefix("chassis_"): values.values for name, values in columns.items()}
    for k, short in enumerate(SHORT.values()):
        found[f"lca_{short}"] = run["lower_arm"].values[:, k]
        found[f"spin_{short}"] = run["wheel_rate"].values[:, k]
        for axis in "xyz":
            found[f"w{short}_{axis}"] = run[f"wheel_{axis}"].values[:, k]
    assert set(found) == set(expected.dtype.names or ()) - {"t"}
    for name, values in found.items():
        np.testing.assert_allclose(values, expected[name], rtol=0.0, atol=1e-8, err_msg=name)
    # Rounding of points about 2 m from the chassis' centre of mass.
    assert float(run["closure_error"].max()) <= 1e-14


UNDAMPED = ["damper.coefficient=0", "ground_spring.damping=0"]


def test_energy_of_the_undamped_model_is_constant() -> None:
    model = Model(build_ride(overrides=UNDAMPED))
    y0 = floating(model)
    run = simulate(model, duration=10.0, y0=y0, method="DOP853", rtol=1e-11, atol=1e-11, interval=0.1)
    energies = [total_energy(model, y) for y in states(model, run)]
    assert np.ptp(run["lower_arm"].values) > 0.3  # it does move
    assert np.ptp(energies) <= 1e-9 * max(np.abs(energies))


def test_corner_leaving_its_range_is_named_with_results() -> None:
    # Dropped from the reference's height without dampers, the suspension swings beyond its dead point.
    model = Model(build_ride(overrides=UNDAMPED))
    with pytest.raises(
        SimulationError, match=r"'(front|rear)_(left|right).lower_arm' over a dead centre"
    ) as failure:
        simulate(model, duration=2.0, method="DOP853", interval=0.01)
    partial = failure.value.partial
    assert isinstance(partial, xr.Dataset)
    assert 0.1 < float(partial.time[-1]) < 2.0
    assert all(np.all(np.isfinite(partial[name])) for name in partial)


def floating(model: Model) -> Floats:
    """The vehicle in equilibrium on its springs, set going gently."""
    arms = [f"{name}.lower_arm" for name in CORNERS]
    rates = [f"{arm}_rate" for arm in arms]
    y = model.y0
    velocities = slice(len(model.layout.q), len(model.layout.q) + 6)
    y[velocities] = 0.0
    change = ["chassis.z", "chassis.qx", "chassis.qy", *arms]
    y = trim(model, change, ["chassis.vz", "chassis.wx", "chassis.wy", *rates], y=y)
    y[velocities] = (0.1, 0.05, 0.1, 10.0, 0.0, -0.1)
    return y


def states(model: Model, run: xr.Dataset) -> Floats:
    columns = []
    for entry in (*model.layout.q, *model.layout.v):
        corner, _, rest = entry.name.partition(".")
        columns.append(
            run[rest].sel(corner=corner) if corner in CORNERS else run[entry.name.replace(".", "_")]
        )
    return np.column_stack(columns)


def total_energy(model: Model, y: Floats) -> float:
    return float(model.instant(y, model.u0).energy)
