"""Loops on charts in lanes: each leaves its charts where the single run does, whatever the others do."""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.in_the_loop.fleet import Fleet
from ce_dynamics.simulation.integrators.batch import STEPS_AT_ONCE
from ce_dynamics.simulation.monitors.charts import Charts
from tests.ce_dynamics.simulation.ensembles.test_simulation import assert_same
from tests.support.on_charts import five_bars

RUNS, DURATION, INTERVAL = 7, 1.0, 0.017


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(five_bars())


@pytest.fixture(scope="module")
def starts(model: ce.Model) -> Floats:
    """At rates so different that charts are left at times of their own."""
    y0s, n = np.tile(model.y0, (RUNS, 1)), len(model.layout.v)
    y0s[:, -n:] = np.random.default_rng(0).uniform(-4.0, 4.0, (RUNS, n))
    return y0s


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("dopri5", {}),
        ("tsit5", {}),
        ("rk4", {}),
        ("rosenbrock", {"jacobian_every": 7}),
        ("implicit-euler", {}),
    ],
)
def test_lanes_change_charts_as_single_runs(
    model: ce.Model, starts: Floats, method: str, options: dict[str, Any]
) -> None:
    """Bit for bit: intervals of 17 steps are not a whole number of those between two looks."""
    assert 17 % STEPS_AT_ONCE
    common: dict[str, Any] = {"duration": DURATION, "interval": INTERVAL, "method": method, **options}
    singles = {run: ce.simulate(model, y0=starts[run], **common) for run in (0, 3, 6)}
    for lanes, threads in ((8, 1), (4, 2)):
        ensemble = ce.simulate_ensemble(model, starts, lanes=lanes, threads=threads, **common)
        assert set(ensemble["status"].values) == {"completed"}
        for run, single in singles.items():
            assert_same(single, ensemble.isel(run=run))
            assert int(ensemble["steps"].values[run]) == single.attrs["steps"]


def test_runs_go_further_than_a_chart_reaches(model: ce.Model, starts: Floats) -> None:
    """Bars turn by more than twice the width of a chart: without a change the closures could not be met."""
    ensemble = ce.simulate_ensemble(model, starts, duration=DURATION, method="dopri5", keep=["bar_0"])
    turned = np.ptp(ensemble["bar_0"].values, axis=1)
    assert turned.max() > 2.0


def test_copy_far_from_chart_leaves_it_at_once(model: ce.Model) -> None:
    y0 = model.y0.copy()
    y0[0] = 0.3999  # of 0.4
    assert Charts(model).measure_use(y0) > 0.99
    common: dict[str, Any] = {"duration": 0.2, "interval": 0.05}
    for method in ("dopri5", "rk4"):
        single = ce.simulate(model, y0=y0, method=method, **common)
        assert_same(single, ce.simulate_ensemble(model, y0, method=method, **common).isel(run=0))


@pytest.mark.parametrize("method", ["rk4", "tsit5", "DOP853"])
def test_audited_runs_change_charts(model: ce.Model, starts: Floats, method: Any) -> None:
    """Nothing does work; errors of 1e-6 in some hundred steps leave 1e-4 of the energy."""
    run = ce.simulate(model, y0=starts[0], duration=DURATION, method=method, audit=True)
    energy = run["energy"].values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-4)
    np.testing.assert_array_equal(run["work"].values, 0.0)
    assert np.ptp(run["bar_0"].values) > 0.4  # a chart reaches as far


def test_steps_that_leave_charts_are_called_too_long(model: ce.Model) -> None:
    """50 ms at 30 rad/s between two looks; a chart reaches 0.4.  At a tenth of the step the run goes on."""
    y0 = model.y0.copy()
    y0[-2:] = 30.0, -20.0
    common: dict[str, Any] = {"duration": 0.3, "interval": 0.1, "method": "rk4"}
    runs = ce.simulate_ensemble(model, y0, step=5e-3, **common)
    message = "loop of 'bar 0' went further than its chart reaches between two looks at it"
    assert message in str(runs["failure"].values[0])
    with pytest.raises(SimulationError, match=f"{message}; give a shorter step"):
        ce.simulate(model, y0=y0, step=5e-3, **common)
    assert ce.simulate_ensemble(model, y0, step=5e-4, **common)["status"].values[0] == "completed"


def test_fleets_change_charts_as_simulators_do(model: ce.Model, starts: Floats) -> None:
    dt, calls = 0.025, 40
    fleet = Fleet(model, RUNS, lambda sensors, given: [sensors["x"]], lanes=4)
    fleet.start(range(RUNS), starts, np.zeros((RUNS, 0)), np.zeros((RUNS, 1)))
    for _ in range(calls):
        fleet.step(dt)
    assert not fleet.failures
    for run in (0, 5):
        simulator = ce.Simulator(model, y0=starts[run], step=1e-3)
        for _ in range(calls):
            simulator.step(dt)
        np.testing.assert_array_equal(fleet.states[run], simulator.state)
        assert np.any(fleet.states[run, 2:-2] != starts[run, 2:-2])  # charts have begun elsewhere


def test_dependent_hinges_beside_charts_are_kept() -> None:
    """Those of a four-bar beside the chart's, as single runs record them; charts are not in the results."""
    system, y = five_bars(), (0, 1, 0)
    part: dict[str, Any] = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    crank = system.add_body("crank", parent=system.ground, hinge=ce.Revolute(y), **part)
    rod = system.add_body("rod", parent=crank, hinge=ce.Revolute(y, at=(0.2, 0, 0.1)), **part)
    rocker = system.add_body("rocker", parent=system.ground, hinge=ce.Revolute(y, at=(0.7, 0, 0)), **part)
    system.close_loop("tip", rod, rocker, ce.Revolute(y, at=(0.7, 0, 0.5)), independent=[crank])
    model = ce.compile(system)
    y0s = np.tile(model.y0, (3, 1))
    y0s[:, -1] = -0.5, 0.1, 0.8
    common: dict[str, Any] = {"duration": 0.3, "interval": INTERVAL, "method": "rk4"}
    ensemble = ce.simulate_ensemble(model, y0s, keep=["x"], hinges=["rod", "rocker"], **common)
    assert "crank" not in ensemble
    single = ce.simulate(model, y0=y0s[2], hinges="all", **common)
    for name in ("rod", "rocker_rate"):
        np.testing.assert_array_equal(ensemble[name].values[2], single[name].values)
    bare = ce.simulate(model, y0=y0s[2], **common)
    with pytest.raises(ModelError, match=r"results do not hold the charts .* hinges=\"all\""):
        ce.quantity(bare, "rod", model)
