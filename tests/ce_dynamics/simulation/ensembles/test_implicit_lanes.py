"""Ensembles by linearly implicit methods: the numbers of single runs, however stiff."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.integration_methods import IMPLICIT
from ce_dynamics.mechanism.parameters import Parameter
from tests.ce_dynamics.simulation.ensembles.test_simulation import Swing, assert_same, crank_rocker, starts

RUNS = 13


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(crank_rocker())


@pytest.fixture(scope="module")
def given(model: ce.Model) -> dict[str, Any]:
    """Runs that are not a multiple of any lanes; the last interval is shorter than the others."""
    masses = {"mass": np.linspace(0.5, 2.0, RUNS)}
    common = {"duration": 0.105, "interval": 0.02, "step": 2e-3}
    return {"y0s": starts(model, RUNS), "parameters": masses, "inputs": Swing(), **common}


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize(("lanes", "every"), [(4, 1), (8, 1), (8, 7)])
def test_each_run_is_single_run_bit_for_bit(
    model: ce.Model, given: dict[str, Any], method: Any, lanes: int, every: int
) -> None:
    ensemble = ce.simulate_ensemble(
        model, **given, method=method, jacobian_every=every, lanes=lanes, threads=2
    )
    assert set(ensemble["status"].values) == {"completed"}
    assert (ensemble.attrs["method"], ensemble.attrs["jacobian_every"]) == (method, every)
    for run in (0, 7, 12):
        single = ce.simulate(
            model, Swing(), y0=given["y0s"][run], parameters={"mass": given["parameters"]["mass"][run]},
            duration=0.105, interval=0.02, step=2e-3, method=method, jacobian_every=every,
        )  # fmt: skip
        assert_same(single, ensemble.isel(run=run))
        assert ensemble["steps"].values[run] == single.attrs["steps"]


def test_group_begins_with_a_jacobian_of_its_own(model: ce.Model, given: dict[str, Any]) -> None:
    """None is left of the group before, though all their steps are of a length."""
    how: dict[str, Any] = {**given, "method": "rosenbrock", "jacobian_every": 1000, "threads": 1}
    four, eight = (ce.simulate_ensemble(model, **how, lanes=lanes).drop_attrs() for lanes in (4, 8))
    xr.testing.assert_identical(four, eight)


@pytest.mark.parametrize("method", IMPLICIT)
def test_steps_that_explicit_ones_could_not_make(method: Any) -> None:
    """ẍ = −k x − d ẋ with d/m = 1e5 1/s: soon x falls as exp(−k/d t), k/d of 1 to 7 1/s."""
    system = ce.System(gravity=(0, 0, 0))
    k = system.add_parameter(Parameter("k", 1e5))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.TorsionSpringDamper("strut", body, spring=k, damper=1e5))
    model = ce.compile(system)
    values = np.linspace(1e5, 7e5, 9)
    common: dict[str, Any] = {"y0s": [1.0, 0.0], "parameters": {"k": values}, "duration": 0.5, "step": 5e-3}
    stiff = ce.simulate_ensemble(model, **common, method=method)
    exact = np.exp(-0.5 * values / 1e5)
    # of first order by h λ²/2 t, λ the slow rate; its difference from k/d, (k/d)²/1e5, is nothing beside it
    allowed = exact * (values / 1e5) ** 2 * 0.5 * 5e-3
    assert np.all(np.abs(stiff["body"].values[:, -1] - exact) < allowed)
    assert set(ce.simulate_ensemble(model, **common)["status"].values) == {"failed"}  # by rk4


def test_run_that_fails_leaves_others_as_they_are(model: ce.Model, given: dict[str, Any]) -> None:
    """Torques beyond all bounds: Jacobians and factors that are not finite in two lanes of eight."""
    how: dict[str, Any] = {**given, "inputs": None, "method": "rosenbrock", "lanes": 8}
    torques = np.linspace(-1.0, 1.0, RUNS)
    whole = ce.simulate_ensemble(model, **how, controls={"torque": torques})
    torques[[2, 9]] = 1e200
    ensemble = ce.simulate_ensemble(model, **how, controls={"torque": torques})
    assert (ensemble["status"] == "failed").values.nonzero()[0].tolist() == [2, 9]
    assert np.all(ensemble["time_reached"].values[[2, 9]] < 0.105)
    others = [run for run in range(RUNS) if run not in (2, 9)]
    np.testing.assert_array_equal(ensemble["arm"].values[others], whole["arm"].values[others])


def test_single_precision_is_as_near_as_rates(model: ce.Model, given: dict[str, Any]) -> None:
    """The order of these methods does not depend on the matrix, so that of its digits only rates count."""
    how: dict[str, Any] = {**given, "method": "rosenbrock"}
    double, single = (ce.simulate_ensemble(model, **how, precision=p) for p in ("double", "single"))
    assert 0.0 < abs(single["arm"] - double["arm"]).max() < 1e-6
