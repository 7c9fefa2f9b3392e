"""Adaptive steps in lanes: the numbers of single runs, at each lane's own time."""

import math
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.integration_methods import EMBEDDED
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.mechanism.parameters import Parameter
from tests.ce_dynamics.simulation.ensembles.test_simulation import Swing, assert_same, crank_rocker, starts
from tests.support.systems import slider_crank

TIGHT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-12}


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(crank_rocker())


@pytest.mark.parametrize("method", EMBEDDED)
@pytest.mark.parametrize(("lanes", "law"), [(4, Swing()), (8, None)])
def test_each_run_is_single_run_bit_for_bit(model: ce.Model, lanes: int, law: Any, method: Any) -> None:
    """Stiffness and start differ so much that lanes make between 10 and 60 steps."""
    y0s, stiffness = starts(model, 11), np.geomspace(1.0, 4000.0, 11)
    common: dict[str, Any] = {"duration": 0.755, "interval": 0.02, "method": method, "rtol": 1e-5}
    ensemble = ce.simulate_ensemble(model, y0s, {"k": stiffness}, inputs=law, lanes=lanes, **common)
    assert set(ensemble["status"].values) == {"completed"}
    assert (ensemble.attrs["method"], ensemble.attrs["rtol"]) == (method, 1e-5)
    assert "step" not in ensemble.attrs
    for run in (0, 4, 10):
        single = ce.simulate(model, law, y0=y0s[run], parameters={"k": stiffness[run]}, **common)
        assert_same(single, ensemble.isel(run=run))
        assert int(ensemble["steps"].values[run]) == single.attrs["steps"]
        # A single run looks once at the rates before it begins.
        assert int(ensemble["evaluations"].values[run]) == single.attrs["evaluations"] - 1
    assert 3 * int(ensemble["steps"].values[0]) < int(ensemble["steps"].values[10])


@pytest.mark.parametrize("method", EMBEDDED)
def test_lanes_threads_and_order_do_not_matter(model: ce.Model, method: Any) -> None:
    y0s, stiffness = starts(model, 13), np.geomspace(4000.0, 1.0, 13)
    common: dict[str, Any] = {"duration": 0.3, "method": method}
    first = ce.simulate_ensemble(model, y0s, {"k": stiffness}, lanes=8, threads=1, **common)
    for lanes, threads in ((4, 1), (4, 3)):
        again = ce.simulate_ensemble(model, y0s, {"k": stiffness}, lanes=lanes, threads=threads, **common)
        xr.testing.assert_identical(first.drop_attrs(), again.drop_attrs())
    order = np.random.default_rng(0).permutation(13)
    shuffled = ce.simulate_ensemble(model, y0s[order], {"k": stiffness[order]}, **common)
    np.testing.assert_array_equal(shuffled["arm"].values, first["arm"].values[order])


def test_creeping_runs_end_at_same_step_in_groups(model: ce.Model) -> None:
    """Springs so stiff that 20,000 evaluations, and what is left of six, come no further than 0.3 ms."""
    y0s, stiffness = starts(model, 7), np.geomspace(4000.0, 1.0, 7)
    stiffness[[2, 5]] = 1e13
    found = []
    for lanes, threads in ((8, 1), (4, 1), (4, 3)):
        ensemble = ce.simulate_ensemble(
            model, y0s, {"k": stiffness}, duration=0.3, method="dopri5", lanes=lanes, threads=threads
        )
        assert list(np.flatnonzero(ensemble["status"].values == "failed")) == [2, 5]
        assert all("gets nowhere" in text for text in ensemble["failure"].values[[2, 5]])
        assert np.all(ensemble["time_reached"].values[[2, 5]] < 3e-4)
        evaluations = ensemble["evaluations"].values[[2, 5]]
        assert np.all((evaluations > 20000) & (evaluations <= 20000 + 6))
        found.append(ensemble["steps"].values)
    np.testing.assert_array_equal(found[1:], [found[0]] * 2)


def test_held_inputs_change_at_their_times(model: ce.Model) -> None:
    """Against pieces between the changes, integrated closely: no step goes across a jump of the torque."""
    time = np.array([0.0, 0.0213, 0.0871])
    torques = np.random.default_rng(2).uniform(-30.0, 30.0, (5, 3))
    tolerance: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-11}
    ensemble = ce.simulate_ensemble(
        model, controls=ce.HeldInputs(time, {"torque": torques}), duration=0.15, interval=0.05,
        method="dopri5", **tolerance,
    )  # fmt: skip
    assert set(ensemble["status"].values) == {"completed"}
    np.testing.assert_array_equal(ensemble["torque"].values[:, [0, 1, 3]], torques[:, [0, 1, 2]])
    for run in (0, 4):
        y = model.y0
        for torque, length in zip(torques[run], np.diff([*time, 0.15]), strict=True):
            piece = ce.simulate(model, {"torque": torque}, y0=y, duration=length, interval=length, **TIGHT)
            states = [entry.name for entry in (*model.layout.q, *model.layout.v)]
            y = np.array([column(piece, name)[-1] for name in states])
        end = [column(ensemble.isel(run=run), name)[-1] for name in states]
        # some twenty steps, of which each is allowed 1e-9, and growth over 0.15 s of at most e
        np.testing.assert_allclose(end, y, rtol=1e-7, atol=1e-8)


def column(run: xr.Dataset, name: str) -> Any:
    return run[name.replace(".", "_")].values if name not in run else run[name].values


def test_longest_steps_are_kept(model: ce.Model) -> None:
    """A step of at most 1 ms takes 100 of them; then the error is that of rounding."""
    given: dict[str, Any] = {"duration": 0.1, "interval": 0.1, "method": "dopri5"}
    free, short = (ce.simulate_ensemble(model, max_step=h, **given) for h in (math.inf, 1e-3))
    exact = ce.simulate(model, duration=0.1, interval=0.1, **TIGHT)["arm"].values[-1]
    errors = [abs(float(run["arm"].values[0, -1]) - exact) for run in (free, short)]
    assert errors[1] < 1e-12 < errors[0]


def test_failing_runs_make_room_and_keep_results() -> None:
    """Springs that push outward: such runs leave for infinity at a time of their own."""
    system = ce.System(gravity=(0, 0, 0))
    push = system.add_parameter(Parameter("push", 1.0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    law = ce.Polynomial([0.0, 0.0, 0.0, 0.0, 0.0, -push])
    system.add_force(ce.TorsionSpringDamper("push", body, spring=law))
    model = ce.compile(system)
    values = np.array([0.0, 1e4, 0.0, 3e4, 0.0, 2e4, 1e4, 0.0, 0.0])
    common: dict[str, Any] = {"duration": 0.2, "interval": 0.01, "method": "dopri5"}
    ensemble = ce.simulate_ensemble(model, [[1.0, 0.0]] * 9, {"push": values}, lanes=4, threads=1, **common)
    assert list(ensemble["status"].values == "failed") == list(values > 0.0)
    for run in np.flatnonzero(values > 0.0).tolist():
        with pytest.raises(SimulationError) as stopped:
            ce.simulate(model, parameters={"push": values[run]}, y0=[1.0, 0.0], **common)
        assert str(ensemble["failure"].values[run]) in str(stopped.value)
        partial = stopped.value.partial
        assert isinstance(partial, xr.Dataset)
        reached = float(ensemble["time_reached"].values[run])
        assert reached == float(partial["time"].values[-1])
        stored = ensemble["time"].values <= reached
        inside = partial["body"].values[: stored.sum()]
        np.testing.assert_array_equal(ensemble["body"].values[run, stored], inside)
        assert np.all(np.isnan(ensemble["body"].values[run, ~stored]))
    assert np.all(np.isfinite(ensemble["body"].values[values == 0.0]))


@pytest.mark.parametrize("method", [*EMBEDDED, "rk4"])
def test_loops_that_come_to_their_end_are_named(method: Any) -> None:
    """The slider passes dead centres, which its coordinate cannot; a step may be thrown over one."""
    model = ce.compile(slider_crank(0.3, 1.0, 0.5, ["slider"]))
    y0s = np.array([[0.0, 0.0], [0.0, -3.0], [-0.2, 0.0], [0.0, -3.3]])
    steps: dict[str, Any] = {"step": 2e-3} if method == "rk4" else {}
    ensemble = ce.simulate_ensemble(model, y0s, duration=0.3, method=method, **steps)
    for run, y0 in enumerate(y0s):
        try:
            ce.simulate(model, y0=y0, duration=0.3, method=method, **steps)
            assert str(ensemble["status"].values[run]) == "completed"
        except SimulationError:
            assert "loop of 'crank'" in str(ensemble["failure"].values[run])
            assert 0.0 < ensemble["time_reached"].values[run] < 0.3
    assert set(ensemble["status"].values[[0, 1, 3]]) == {"failed"}
    if method in EMBEDDED:
        assert "threw the loop of 'crank' over a dead centre" in str(ensemble["failure"].values[1])


def test_not_finite_at_start_ends_that_run_only(model: ce.Model) -> None:
    y0s = np.tile(model.y0, (3, 1))
    y0s[1, len(model.layout.q) :] = 1e200  # whose squares are infinite
    ensemble = ce.simulate_ensemble(model, y0s, duration=0.01, method="dopri5")
    assert list(ensemble["status"].values) == ["completed", "failed", "completed"]
    assert "not finite" in str(ensemble["failure"].values[1])


def test_interruption_keeps_what_is_done(model: ce.Model) -> None:
    def interrupt(done: int, total: int) -> None:
        if done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match="interrupted") as stopped:
        ce.simulate_ensemble(
            model, starts(model, 40), duration=600.0, interval=10.0, method="dopri5", rtol=1e-9, lanes=4,
            threads=1, progress=interrupt,
        )  # fmt: skip
    partial = stopped.value.partial
    assert isinstance(partial, xr.Dataset)
    done = partial["status"].values == "completed"
    assert 2 <= done.sum() < 40
    assert np.all(partial["failure"].values[~done] == "interrupted")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rtol": 0.0}, "rtol"),
        ({"atol": float("nan")}, "atol"),
        ({"max_step": 0.0}, "max_step"),
        ({"method": "RK45"}, "rk4, rosenbrock, implicit-euler, dopri5, tsit5"),
    ],
)
def test_wrong_arguments(model: ce.Model, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ce.simulate_ensemble(model, **{"duration": 0.01, "method": "dopri5", **arguments})
