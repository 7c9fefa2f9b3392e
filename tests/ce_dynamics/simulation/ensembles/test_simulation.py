"""Ensembles: the numbers of single runs, failures by name, nothing lost."""

import re
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import sin, sqrt
from ce_dynamics.errors import ModelError, RangeWarning, SimulationError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.simulation.ensembles.lane_functions import compile_lanes
from tests.support.systems import four_bar


def crank_rocker(free: bool = True) -> ce.System:
    """A loop (rocker against ground) and a pendulum on it, with free mass, stiffness and friction."""
    system = ce.System(gravity=(0, 0, -9.81), name="mechanism")

    def number(name: str, value: float, unit: str) -> Any:
        return system.add_parameter(Parameter(name, value, unit)) if free else value

    mass, k = number("mass", 1.0, "kg"), number("k", 40.0, "N/m")
    system.add_input("torque", "N*m")
    arm = system.add_body(
        "arm", mass=mass, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), parent=system.ground,
        hinge=ce.Revolute((0, 1, 0)),
    )  # fmt: skip
    tip = system.add_body(
        "tip", mass=0.5 * mass, com=(1.0, 0, -0.4), inertia=(0.02, 0.02, 0.01), parent=arm,
        hinge=ce.Spherical(at=(1.0, 0, 0)),
    )  # fmt: skip
    system.add_force(
        ce.SpringDamper("spring", system.ground, (0.2, 0.1, 1.0), tip, (1, 0, -0.4), spring=k, damper=0.2)
    )
    system.add_force(ce.TorsionSpringDamper("motor", arm, damper=0.05))
    system.add_force(ce.AppliedWrench("drive", arm, torque=(0, "torque", 0), at=(0, 0, 0)))
    system.add_output("height", "m", lambda o: o.point(tip, np.array([1.0, 0, -0.8]), system.ground).r[2])
    return system


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(crank_rocker())


class Swing:
    """A law that depends on time and on the motion."""

    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"torque": 2.0 * sin(5.0 * t) - 0.5 * sensors["height"]}


def starts(model: ce.Model, runs: int) -> Any:
    rng = np.random.default_rng(5)
    y0s = np.tile(model.y0, (runs, 1))
    y0s[:, 0] = rng.uniform(-0.5, 0.5, runs)
    y0s[:, len(model.layout.q) :] += rng.uniform(-1.0, 1.0, (runs, len(model.layout.v)))
    return y0s


def assert_same(run: xr.Dataset, ensemble: xr.Dataset, exact: bool = True) -> None:
    for name, variable in run.data_vars.items():
        ours = ensemble[name].values
        if "time" not in ensemble[name].dims:  # a parameter
            assert np.all(variable.values == ours)
        elif exact:
            np.testing.assert_array_equal(ours, variable.values, err_msg=str(name))
        else:
            np.testing.assert_allclose(ours, variable.values, rtol=1e-9, atol=1e-9, err_msg=str(name))


# The lanes' code does the same operations in the same order as that of a single run, and neither numba nor
# the emitter reorders any.  Only fusing (a b + c in one rounding) is left to LLVM; it fuses the same pairs
# for scalars and for vectors, so runs agree to the last bit.


@pytest.mark.parametrize("lanes", [4, 8])
def test_each_run_is_single_run_bit_for_bit(model: ce.Model, lanes: int) -> None:
    y0s = starts(model, 11)
    masses = np.linspace(0.5, 2.0, 11)
    ensemble = ce.simulate_ensemble(
        model,
        y0s,
        {"mass": masses, "k": 55.0},
        inputs=Swing(),
        duration=0.255,
        interval=0.02,
        lanes=lanes,
        threads=2,
    )
    assert dict(ensemble.sizes)["run"] == 11
    assert ensemble["height"].dims == ("run", "time")
    assert ensemble["height"].attrs["units"] == "m"
    assert set(ensemble["status"].values) == {"completed"}
    for run in (0, 4, 10):
        single = ce.simulate(
            model, Swing(), y0=y0s[run], parameters={"mass": masses[run], "k": 55.0}, duration=0.255,
            interval=0.02, method="rk4",
        )  # fmt: skip
        assert_same(single, ensemble.isel(run=run))


def test_lanes_and_threads_do_not_matter(model: ce.Model) -> None:
    y0s = starts(model, 13)
    first = ce.simulate_ensemble(model, y0s, duration=0.1, lanes=8, threads=1)
    for lanes, threads in ((4, 1), (4, 3), (8, 2)):
        xr.testing.assert_identical(
            first.drop_attrs(),
            ce.simulate_ensemble(model, y0s, duration=0.1, lanes=lanes, threads=threads).drop_attrs(),
        )
    order = np.random.default_rng(0).permutation(13)
    shuffled = ce.simulate_ensemble(model, y0s[order], duration=0.1)
    np.testing.assert_array_equal(shuffled["arm"].values, first["arm"].values[order])


def test_held_histories_are_those_of_a_stepped_simulator(model: ce.Model) -> None:
    time = np.array([0.02, 0.05, 0.1])
    torques = np.random.default_rng(2).uniform(-3.0, 3.0, (5, 3))
    ensemble = ce.simulate_ensemble(
        model, controls=ce.HeldInputs(time, {"torque": torques}), duration=0.15, interval=0.01
    )
    np.testing.assert_array_equal(ensemble["torque"].isel(time=[0, 1]), 0.0)
    np.testing.assert_array_equal(ensemble["torque"].sel(time=[0.02, 0.05, 0.1], method="nearest"), torques)
    for run in (0, 4):
        sim = ce.Simulator(model, method="rk4", step=1e-3)
        for k in range(15):
            held = [0.0, 0.0, *[torques[run, 0]] * 3, *[torques[run, 1]] * 5, *[torques[run, 2]] * 5][k]
            state = sim.step(0.01, torque=held)
            # A simulator counts its time up, an ensemble multiplies: nothing here depends on time itself.
            np.testing.assert_array_equal(ensemble["arm"].values[run, k + 1], state[0])


def test_constant_controls_may_differ_from_run_to_run(model: ce.Model) -> None:
    ensemble = ce.simulate_ensemble(model, controls={"torque": [0.0, 1.0, 2.0]}, duration=0.05)
    for run, torque in enumerate((0.0, 1.0, 2.0)):
        assert_same(
            ce.simulate(model, {"torque": torque}, duration=0.05, method="rk4"), ensemble.isel(run=run)
        )


def test_a_thousand_runs_a_tenth_of_them_impossible() -> None:
    """Nothing is lost: 900 good runs are the same as without the others, 100 report what was wrong."""
    model = ce.compile(crank_rocker())
    rng = np.random.default_rng(1)
    masses, ks = rng.uniform(0.5, 2.0, 1000), rng.uniform(10.0, 80.0, 1000)
    y0s = starts(model, 1000)
    bad = rng.choice(1000, 100, replace=False)
    masses[bad[:40]] *= -1.0
    ks[bad[40:60]] = np.nan
    y0s[bad[60:80], 3] = np.inf
    y0s[bad[80:], -1] = 1e200  # its square overflows at once
    reports: list[tuple[int, int]] = []
    ensemble = ce.simulate_ensemble(
        model, y0s, {"mass": masses, "k": ks}, duration=0.05, keep=["arm", "height"],
        progress=lambda done, total: reports.append((done, total)),
    )  # fmt: skip
    failed = np.flatnonzero(ensemble["status"] == "failed")
    assert sorted(failed) == sorted(bad)
    failure = ensemble["failure"].values
    assert all(
        f"mass = {masses[k]:g}" in failure[k] and "mass must be at least 0" in failure[k] for k in bad[:40]
    )
    assert all("'k'" in failure[k] and "finite" in failure[k] for k in bad[40:60])
    assert all("initial state is not finite" in failure[k] for k in bad[60:80])
    assert all("not finite" in failure[k] for k in bad[80:])
    assert np.all(ensemble["time_reached"].values[bad] == 0.0)
    good = np.setdiff1d(np.arange(1000), bad)
    assert np.all(ensemble["failure"].values[good] == "")
    assert np.all(ensemble["time_reached"].values[good] == 0.05)
    assert np.all(np.isfinite(ensemble["height"].values[good]))
    alone = ce.simulate_ensemble(
        model, y0s[good], {"mass": masses[good], "k": ks[good]}, duration=0.05, keep=["arm", "height"]
    )
    np.testing.assert_array_equal(alone["height"].values, ensemble["height"].values[good])
    assert reports[-1] == (1000, 1000)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_run_that_fails_keeps_what_it_reached() -> None:
    """x̂' = x² + … is made of a spring that pushes outward: it leaves for infinity at a time of its own."""
    system = ce.System(gravity=(0, 0, 0))
    push = system.add_parameter(Parameter("push", 1.0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(
        ce.TorsionSpringDamper("push", body, spring=ce.Polynomial([0.0, 0.0, 0.0, 0.0, 0.0, -push]))
    )
    model = ce.compile(system)
    values = np.array([0.0, 1e4, 0.0, 3e4, 0.0])
    ensemble = ce.simulate_ensemble(model, [[1.0, 0.0]] * 5, {"push": values}, duration=0.2, interval=0.01)
    assert list(ensemble["status"].values) == ["completed", "failed", "completed", "failed", "completed"]
    for run in (1, 3):
        with pytest.raises(SimulationError) as stopped:
            ce.simulate(
                model,
                parameters={"push": values[run]},
                y0=[1.0, 0.0],
                duration=0.2,
                interval=0.01,
                method="rk4",
            )
        partial = stopped.value.partial
        assert isinstance(partial, xr.Dataset)
        reached = ensemble["time_reached"].values[run]
        assert reached == partial["time"].values[-1]
        assert str(ensemble["failure"].values[run]) in str(stopped.value)
        stored = ensemble["time"].values <= reached
        np.testing.assert_array_equal(
            ensemble["body"].values[run, stored], partial["body"].values[: stored.sum()]
        )
        assert np.all(np.isnan(ensemble["body"].values[run, ~stored]))
    assert np.all(np.isfinite(ensemble["body"].values[[0, 2, 4]]))


def test_failures_name_the_loop_that_cannot_be_assembled() -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    inertia = (0.01, 0.01, 0.01)
    crank = system.add_body("crank", mass=1.0, com=(0, 0, 0.1), inertia=inertia, parent=system.ground,
                            hinge=ce.Revolute((0, 1, 0)))  # fmt: skip
    rod = system.add_body("rod", mass=1.0, com=(0.25, 0, 0.3), inertia=inertia, parent=crank,
                          hinge=ce.Revolute((0, 1, 0), at=(0, 0, 0.2)))  # fmt: skip
    rocker = system.add_body("rocker", mass=1.0, com=(0.55, 0, 0.2), inertia=inertia, parent=system.ground,
                             hinge=ce.Revolute((0, 1, 0), at=(0.6, 0, 0)))  # fmt: skip
    system.close_loop("pin", rod, rocker, ce.Revolute((0, 1, 0), at=(0.5, 0, 0.35)), independent=[rocker])
    model = ce.compile(system)
    y0s = np.zeros((5, 2))
    y0s[3] = 0.0, 60.0  # fast enough to reach the end of the rocker's range
    ensemble = ce.simulate_ensemble(model, y0s, duration=0.05, interval=0.01)
    assert list(ensemble["status"].values) == ["completed"] * 3 + ["failed", "completed"]
    assert "the loop of 'crank' left the range" in str(ensemble["failure"].values[3])
    assert 0.0 < ensemble["time_reached"].values[3] < 0.05
    assert ensemble["closure_error"].dims == ("run", "time", "closure")
    assert np.nanmax(ensemble["closure_error"].values) < 1e-12


def test_keep_and_files(model: ce.Model, tmp_path: Any) -> None:
    ensemble = ce.simulate_ensemble(model, starts(model, 3), duration=0.03, keep=["height"])
    always = {"status", "failure", "time_reached", "steps", "evaluations"}
    assert set(ensemble.data_vars) == {"height", "mass", "k", *always}
    assert ensemble["steps"].values.tolist() == [30] * 3
    assert ensemble["evaluations"].values.tolist() == [120] * 3
    ensemble.to_netcdf(tmp_path / "e.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "e.nc", engine="h5netcdf") as back:
        np.testing.assert_array_equal(back["height"], ensemble["height"])
        assert list(back["status"].values) == ["completed"] * 3


def test_functions_are_compiled_once(model: ce.Model) -> None:
    law = Swing()
    first, second = (compile_lanes(model, law, 8, frozenset({0})) for _ in range(2))
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_interruption_keeps_what_is_done(model: ce.Model) -> None:
    def interrupt(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match="interrupted") as stopped:
        ce.simulate_ensemble(
            model, starts(model, 64), duration=60.0, interval=1.0, lanes=4, threads=1, progress=interrupt
        )
    partial = stopped.value.partial
    assert isinstance(partial, xr.Dataset)
    done = partial["status"].values == "completed"
    assert 4 <= done.sum() < 64
    assert np.all(partial["failure"].values[~done] == "interrupted")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": -1.0}, "duration"),
        ({"step": 0.0}, "step"),
        ({"method": "RK45"}, "rk4"),
        ({"threads": 0}, "threads"),
        ({"lanes": 3}, "lanes"),
        ({"y0s": [1.0]}, "y0s has the shape"),
        ({"parameters": {"mas": 1.0}}, "did you mean 'mass'"),
        ({"parameters": {"mass": [1.0, 2.0], "k": [1.0, 2.0, 3.0]}}, "numbers of runs differ"),
        ({"parameters": {"mass": [[1.0]]}}, "one per run"),
        ({"controls": {"torq": 1.0}}, "did you mean 'torque'"),
        ({"controls": ce.HeldInputs([1.0, 0.0], {"torque": [0.0, 1.0]})}, "increasing"),
        ({"controls": ce.HeldInputs([0.0, 1.0], {"torque": [0.0]})}, r"allowed are \(2,\)"),
        ({"inputs": {"torque": 1.0}}, "must be a law: .*; give constants and histories .* as controls"),
        ({"keep": ["heigth"]}, "no variable 'heigth'"),
        ({"parameters": {"mass": []}}, "no runs"),
    ],
)
def test_wrong_arguments(model: ce.Model, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ce.simulate_ensemble(model, **{"duration": 0.01, **arguments})


def ranged_slide() -> ce.System:
    """A mass whose output has no value beyond x = 0.05 m, pushed by an input from -1 to 1 N."""
    system = ce.System(gravity=(0, 0, 0))
    system.add_input("push", "N", 0.5, between=(-1.0, 1.0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("drive", body, force=("push", 0, 0), at=(0, 0, 0)))
    system.add_output("root", "1", lambda o: sqrt(0.05 - o.point(body, np.zeros(3), system.ground).r[0]))
    return system


@pytest.fixture(scope="module")
def slide() -> ce.Model:
    return ce.compile(ranged_slide())


def test_numbers_that_become_infinite_end_their_run_only(slide: ce.Model) -> None:
    # x = t² push / 2 passes 0.05 m at t = 1 s for 0.1 N, at 0.447 s for 0.5 N, never for -0.5 N
    ensemble = ce.simulate_ensemble(
        slide, [[0.0, 0.0]] * 3, controls={"push": [0.1, 0.5, -0.5]}, duration=0.9, interval=0.1
    )
    assert list(ensemble["status"].values) == ["completed", "failed", "completed"]
    failure = str(ensemble["failure"].values[1])
    assert re.search("output 'root' is nan.* at t = 0.5 s", failure)
    assert ensemble["time_reached"].values[1] == pytest.approx(0.4)
    assert np.all(np.isfinite(ensemble["root"].values[1, :5]))
    assert np.all(np.isnan(ensemble["body"].values[1, 5:]))
    assert np.all(np.isfinite(ensemble["body"].values[[0, 2]]))


def test_outputs_not_kept_are_not_evaluated(slide: ce.Model) -> None:
    """Nor computed: what is stored is finite."""
    ensemble = ce.simulate_ensemble(
        slide, [[0.0, 0.0]] * 2, controls={"push": [0.1, 0.5]}, duration=0.9, interval=0.1, keep=["body"]
    )
    assert list(ensemble["status"].values) == ["completed"] * 2
    np.testing.assert_allclose(
        ensemble["body"].values[:, -1], 0.5 * 0.9**2 * np.array([0.1, 0.5]), rtol=1e-12
    )


class Fence(ce.ForceElement):
    """Nothing but a limit, at 0.05 m."""

    def __init__(self, body: Body, ground: Body) -> None:
        self.name, self.body, self.ground = "fence", body, ground
        self.outputs, self.limits = {"left": "m"}, {"left": "is passed"}

    @property
    def attachments(self) -> tuple[tuple[Body, Any], ...]:
        return ((self.body, np.zeros(3)),)

    def evaluate(self, observer: Any, x: Any, u: Any) -> Response:
        return Response((), outputs={"left": 0.05 - observer.point(self.body, np.zeros(3), self.ground).r[0]})


def test_limits_of_force_elements_hold_whatever_is_kept() -> None:
    system = ranged_slide()
    system.add_force(Fence(system.bodies[0], system.ground))
    ensemble = ce.simulate_ensemble(
        ce.compile(system), [[0.0, 0.0]] * 2, controls={"push": [0.1, 0.5]}, duration=0.9, interval=0.1,
        keep=["body"],
    )  # fmt: skip
    assert list(ensemble["failure"].values) == ["", "'fence' is passed at t = 0.5 s"]


@pytest.mark.parametrize("kept", [None, 1])
def test_open_loops_end_their_run_only(kept: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are closed to rounding; asked for more than that, some runs break the promise, and when."""
    model = ce.compile(four_bar((1.0, 4.0, 3.0, 4.5), 1.0))
    y0s = np.tile(model.y0, (6, 1))
    y0s[:, -1] = np.arange(6.0)
    options: dict[str, Any] = {"duration": 0.2, "interval": 0.01}
    error = ce.simulate_ensemble(model, y0s, **options)["closure_error"].values[..., 0]
    limit = float(np.median(error.max(axis=1)))
    broken = error > limit
    assert 0 < broken.any(axis=1).sum() < 6
    monkeypatch.setattr(model, "closure_limits", np.full(1, limit))
    names = [variable.name for variable in model.variables][:kept]
    ensemble = ce.simulate_ensemble(model, y0s, **options, keep=names)
    for run in range(6):
        failure = str(ensemble["failure"].values[run])
        if broken[run].any():
            assert re.search("is open by .* choose another independent coordinate", failure)
            first = int(np.argmax(broken[run]))
            assert ensemble["time_reached"].values[run] == pytest.approx(0.01 * max(first - 1, 0))
            assert np.all(np.isnan(ensemble[names[0]].values[run, max(first, 1) :]))
        else:
            assert failure == ""


def test_inputs_out_of_their_ranges(slide: ce.Model) -> None:
    for shared in (2.0, ce.HeldInputs([0.0, 0.1], {"push": [0.0, 2.0]})):
        controls = shared if isinstance(shared, ce.HeldInputs) else {"push": shared}
        with pytest.raises(ModelError, match=r"input 'push': 2.0 must be from -1 to 1"):
            ce.simulate_ensemble(slide, controls=controls, duration=0.1)
    ensemble = ce.simulate_ensemble(slide, controls={"push": [0.0, -3.0, 1.0]}, duration=0.1)
    assert list(ensemble["status"].values) == ["completed", "failed", "completed"]
    assert "input 'push': -3.0 must be from -1 to 1" in str(ensemble["failure"].values[1])

    class Pull:
        def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
            return {"push": -20.0 * t}

    with pytest.warns(RangeWarning, match=r"answers -2 for input 'push' of run 0 at t = 0.1 s"):
        ce.simulate_ensemble(slide, inputs=Pull(), duration=0.1)
