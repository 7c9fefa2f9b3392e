"""Runs with unilateral elements: charts, dead centres, interruption, messages, partial results."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import sqrt
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Contact,
    ContactRun,
    ConvergenceError,
    GaussSeidel,
    Plane,
    Problem,
    Solution,
    UnilateralModel,
    simulate_unilateral,
)
from ce_dynamics.errors import AccuracyWarning, ModelError, RangeWarning, SimulationError
from tests.support.systems import four_bar


def five_bar(**how: object) -> ce.System:
    """Two freedoms; led by its two levers it comes to a configuration that these do not lead."""
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    z, inertia = (0.0, 0.0, 1.0), (0.01,) * 3
    system.add_body(
        "a", mass=1, com=(0, 0.2, 0), inertia=inertia, parent=system.ground, hinge=ce.Revolute(z, (0, 0, 0))
    )
    system.add_body(
        "b", mass=1, com=(0.25, 0.55, 0), inertia=inertia, parent="a", hinge=ce.Revolute(z, (0, 0.4, 0))
    )
    system.add_body(
        "d", mass=1, com=(1, 0.2, 0), inertia=inertia, parent=system.ground, hinge=ce.Revolute(z, (1, 0, 0))
    )
    system.add_body(
        "c", mass=1, com=(0.75, 0.55, 0), inertia=inertia, parent="d", hinge=ce.Revolute(z, (1, 0.4, 0))
    )
    system.close_loop("pin", "b", "c", ce.Revolute(z, (0.5, 0.7, 0)), **how)  # type: ignore[arg-type]
    return system


def test_charts_are_changed_in_a_run() -> None:
    model = ce.compile(five_bar(through_dead_centres=True))
    reference = ce.simulate(model, duration=0.8, rtol=1e-10, atol=1e-12, interval=0.05)
    unilateral = UnilateralModel(model, [])

    drifts = []
    for h in (2e-3, 1e-3):
        run = simulate_unilateral(unilateral, duration=0.8, step=h, interval=0.05)
        assert float(run.results.closure_error.max()) < 1e-9
        # as on the way of small steps, to first order, until the motion is sharp; and in another chart: there
        # its coordinates begin anew
        for name in ("a", "d"):
            np.testing.assert_allclose(run.results[name][:9], reference[name][:9], atol=20.0 * h)
        chart = np.hypot(run.results.a_chart_1, run.results.a_chart_2).values
        assert np.max(chart[:-1] - chart[1:]) > 0.1
        drifts.append(float(np.ptp(run.results.energy.values)))
    assert 1.5 < drifts[0] / drifts[1] < 2.5  # of first order, across the changes
    assert float(np.ptp(reference.energy.values)) < 1e-6
    fourth = simulate_unilateral(unilateral, duration=0.8, step=5e-3, order=4, interval=0.05)
    assert float(np.ptp(fourth.results.energy.values)) < 1e-2 * drifts[1]


def test_end_of_loop_range_is_explained_with_results() -> None:
    unilateral = UnilateralModel(ce.compile(five_bar(independent=["a", "d"])), [])
    with pytest.raises(SimulationError, match=r"loop of 'a' left the range it can be assembled in") as stop:
        simulate_unilateral(unilateral, duration=1.5, step=1e-3, interval=0.05)
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    assert np.all(np.isfinite(run.results.energy.values))
    assert 0.1 < float(run.results.time[-1]) < 0.3


def test_loop_thrown_over_a_dead_centre_is_named() -> None:
    # a double rocker, led by a lever whose reach ends where rod and rocker are in line
    system = four_bar((2.0, 2.5, 2.0, 4.0), 1.0)
    system.start("crank", v=6.0)
    unilateral = UnilateralModel(ce.compile(system), [])
    with pytest.raises(SimulationError) as stop:
        simulate_unilateral(unilateral, duration=2.0, step=2e-3)
    words = str(stop.value)
    assert "crank" in words
    assert "dead centre" in words or "left the range" in words or "end of its reach" in words
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    energy = run.results.energy.values
    assert np.ptp(energy) < 0.11 * np.max(np.abs(energy))  # nothing after it is kept


@pytest.fixture(scope="module")
def falling() -> UnilateralModel:
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    body = system.add_body("body", mass=2.0, inertia=(0.1,) * 3, parent=system.ground, hinge=ce.Free())
    return UnilateralModel(ce.compile(system), [Contact("foot", body, (0, 0, 0), Plane(0.3))])


def test_interrupted_runs_keep_what_was_computed(falling: UnilateralModel) -> None:
    def impatient(t: float) -> None:
        if t > 0.049:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match=r"interrupted at t = 0.05 s") as stop:
        simulate_unilateral(falling, duration=10.0, step=1e-3, interval=0.01, progress=impatient)
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    np.testing.assert_allclose(run.results.time.values, np.linspace(0.0, 0.05, 6), atol=1e-12)


def test_runs_of_one_interval_keep_their_end_state(falling: UnilateralModel) -> None:
    """By the user within a step that is not stored: what was made until then is what a whole run makes."""
    steps: list[float] = []

    solver = GaussSeidel()

    class Impatient:
        def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
            if len(steps) == 30:
                raise KeyboardInterrupt
            steps.append(0.0)
            return solver.solve(problem, start)

    with pytest.raises(SimulationError, match=r"interrupted at t = 0.03 s") as stop:
        simulate_unilateral(falling, duration=10.0, step=1e-3, interval=10.0, solver=Impatient())
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    np.testing.assert_allclose(run.results.time.values, (0.0, 0.03), atol=1e-12)
    whole = simulate_unilateral(falling, duration=0.03, step=1e-3, interval=0.03, solver=solver)
    for name in run.results.data_vars:
        np.testing.assert_array_equal(run.results[name].values, whole.results[name].values)


def test_progress_is_reported_with_multipliers_of_first_step(falling: UnilateralModel) -> None:
    times: list[float] = []
    run = simulate_unilateral(falling, duration=0.05, step=1e-3, progress=times.append)
    np.testing.assert_allclose(times, [0.01, 0.02, 0.03, 0.04, 0.05])
    # at rest on its foot: its weight from the first instant on
    np.testing.assert_allclose(run.results.multiplier.sel(row="foot.normal"), 2.0 * 9.81, rtol=1e-9)


def test_results_can_be_saved_and_read_again(falling: UnilateralModel, tmp_path: Path) -> None:
    import xarray as xr

    run = simulate_unilateral(falling, duration=0.05)
    path = tmp_path / "run.nc"
    run.results.to_netcdf(path, engine="scipy")
    again = xr.open_dataset(path, engine="scipy")
    np.testing.assert_array_equal(again.multiplier.values, run.results.multiplier.values)
    assert again.attrs["step"] == run.results.attrs["step"] == pytest.approx(1e-3)


class Helpless:
    """A solver that finds nothing."""

    def solve(self, problem: Problem, start: object = None) -> Solution:
        raise ConvergenceError("no impulses")


def test_first_step_without_solution_is_a_named_error(falling: UnilateralModel) -> None:
    with pytest.raises(SimulationError, match="the step from t = 0 s found no solution: no impulses") as stop:
        simulate_unilateral(falling, duration=1.0, solver=Helpless())
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    assert run.statistics.steps == 0
    assert run.results.time.values.tolist() == [0.0]


class Careless(GaussSeidel):
    """A solver that does not trust what it finds."""

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        return replace(super().solve(problem, start), converged=False, residual=1e-3)


def test_unsolved_steps_are_counted_and_warned_of(falling: UnilateralModel) -> None:
    with pytest.warns(AccuracyWarning, match=r"2 of 2 steps .* up to 0.001 m/s"):
        run = simulate_unilateral(falling, duration=2e-3, solver=Careless())
    assert run.statistics.unresolved == 2


def test_step_too_long_for_a_spring_is_named() -> None:
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    body = system.add_body(
        "b", mass=1.0, inertia=(0.1,) * 3, parent=system.ground, hinge=ce.Prismatic((0, 0, 1))
    )
    system.add_force(
        ce.SpringDamper("sp", system.ground, (0, 0, 1.0), body, (0, 0, 0), spring=1e6, damper=0.0)
    )
    system.start(body, v=1.0)
    # of 2/ω = 2 ms the step is five times as long
    with pytest.raises(SimulationError, match=r"steps of 0.01 s are too long for a spring"):
        simulate_unilateral(UnilateralModel(ce.compile(system), []), duration=10.0, step=1e-2)


def test_disc_that_falls_over_comes_to_lie_flat() -> None:
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    body = system.add_body("coin", mass=1.0, inertia=(0.1, 0.2, 0.1), parent=system.ground, hinge=ce.Free())
    coin = Contact("c", body, (0, 0, 0), Plane(0.5), radius=0.3, axis=(0, 1, 0))
    model = ce.compile(system)
    flat = model.y0.copy()
    flat[2], flat[3], flat[4] = 0.2, math.cos(math.pi / 4), math.sin(math.pi / 4)
    run = simulate_unilateral(UnilateralModel(model, [coin]), duration=0.4, y0=flat)
    assert np.all(np.isfinite(run.results.energy.values))
    assert float(run.results.coin_z[-1]) > -1e-9


def test_stored_instants_are_looked_at() -> None:
    """A body that falls from rest by 0.2 m in 0.202 s, and an output that has no value from there on."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    system.add_input("push", "N", between=(-1.0, 1.0))
    body = system.add_body("body", mass=2.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(ce.AppliedWrench("drive", body, force=("push", 0, 0), at=(0, 0, 0)))
    system.add_output("root", "1", lambda o: sqrt(0.2 + o.point(body, np.zeros(3), system.ground).r[2]))
    unilateral = UnilateralModel(
        ce.compile(system), [Contact("foot", body, (0, 0, 0), Plane(point=(0, 0, -1)))]
    )
    with pytest.raises(SimulationError, match=r"output 'root' is nan.* at t = 0.25 s") as stop:
        simulate_unilateral(unilateral, duration=0.4, step=1e-3, interval=0.05)
    run = stop.value.partial
    assert isinstance(run, ContactRun)
    assert float(run.results.time[-1]) == pytest.approx(0.2)
    assert np.all(np.isfinite(run.results.root.values))
    with pytest.raises(ModelError, match=r"input 'push': 2.0 must be from -1 to 1"):
        simulate_unilateral(unilateral, {"push": 2.0}, duration=0.1)
    with pytest.warns(RangeWarning, match=r"answers 1.5 for input 'push' at t = 0.15 s"):
        simulate_unilateral(unilateral, Growing(), duration=0.15, interval=0.05)


class Growing:
    """A law that leaves the range of its input."""

    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"push": 10.0 * t}
