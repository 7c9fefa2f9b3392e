"""Simulation: arguments, stored times, methods, stopped runs, the energy audit."""

import math
import re
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, cos, sin, sqrt
from ce_dynamics.compiled.integration_methods import FIXED, IMPLICIT
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer, Response
from ce_dynamics.simulation.monitors.monitor import StalledError, StallWatch
from ce_dynamics.simulation.monitors.postconditions import check_balance
from ce_dynamics.simulation.options import list_times
from ce_dynamics.simulation.results import WORK
from tests.ce_dynamics.recursion_systems import add_drive, add_linkage
from tests.support.systems import add_linkage_bodies

SCIPY = ("RK45", "RK23", "DOP853", "LSODA", "Radau", "BDF")


def driven_pendulum() -> ce.System:
    """A pendulum with friction, a torque on it by an input, on a trolley that is prescribed by inputs."""
    system = ce.System(gravity=(0, 0, -9.81), name="driven pendulum")
    for suffix, unit in (("", "m"), ("_rate", "m/s"), ("_acceleration", "m/s^2")):
        system.add_input(f"trolley{suffix}", unit)
    system.add_input("torque", "N m")
    trolley = system.add_body("trolley", mass=2.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.prescribe("trolley", ce.Driven("trolley"))
    rod = system.add_body(
        "rod",
        mass=1.0,
        com=(0, 0, -0.7),
        inertia=(0.1, 0.1, 0.0),
        parent=trolley,
        hinge=ce.Revolute((0, 1, 0)),
    )
    system.add_force(ce.TorsionSpringDamper("friction", rod, damper=0.3))
    system.add_force(ce.AppliedWrench("motor", rod, (0, 0, 0), torque=(0.0, "torque", 0.0)))
    return system


class Shaken:
    """A law that shakes the trolley by 0.2 sin² 3t and drives the rod against its motion."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {
            "trolley": 0.2 * sin(3.0 * t) ** 2,
            "trolley_rate": 0.6 * sin(6.0 * t),
            "trolley_acceleration": 3.6 * cos(6.0 * t),
            "torque": 2.0 * sin(2.0 * t),
        }


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.Model(driven_pendulum())


class Edge(ce.ForceElement):
    """A push of 1 N that is NaN where a coordinate exceeds a limit."""

    name = "edge"

    def __init__(self, body: ce.Body, limit: float) -> None:
        self.body, self.limit = body, limit

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        room = self.limit - observer.coordinate(self.body)
        return Response((HingeLoad(self.body, 0, 1.0 + 1e-9 * sqrt(room)),))


def towards_the_edge(limit: float) -> ce.Model:
    """A mass of 1 kg that is pushed from rest towards where its acceleration is not a number."""
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("mass", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(Edge(body, limit))
    return ce.Model(system)


# Arguments


@pytest.mark.parametrize("name", ["duration", "rtol", "atol", "interval", "max_step"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_numbers_must_be_positive(model: ce.Model, name: str, value: float) -> None:
    arguments: dict[str, Any] = {"duration": 1.0, name: value}
    with pytest.raises(ce.ModelError, match=f"{name} {value} must be a positive"):
        ce.simulate(model, **arguments)


@pytest.mark.parametrize("name", ["duration", "rtol", "atol", "interval"])
def test_only_the_longest_step_may_be_infinite(model: ce.Model, name: str) -> None:
    arguments: dict[str, Any] = {"duration": 1.0, name: math.inf}
    with pytest.raises(ce.ModelError, match=f"{name} inf must be a positive finite number"):
        ce.simulate(model, **arguments)


def test_the_method_must_be_known(model: ce.Model) -> None:
    with pytest.raises(ce.ModelError, match=r"method 'Euler' is not known; choose one of RK45, .*BDF"):
        ce.simulate(model, duration=1.0, method="Euler")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"tork": 1.0}, r"no input 'tork'; the system's inputs are \['trolley', .*'torque'\]"),
        ({"torque": math.nan}, "input 'torque': nan must be a finite number"),
        ({"torque": -math.inf}, "input 'torque': -inf must be a finite number"),
    ],
)
def test_constant_inputs_are_checked(model: ce.Model, inputs: dict[str, float], message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        ce.simulate(model, inputs, duration=1.0)


@pytest.mark.parametrize("y0", [(0.0,), (0.0, 0.0, 0.0), (math.nan, 0.0), ((0.0, 0.0),)])
def test_the_initial_state_is_checked(model: ce.Model, y0: Any) -> None:
    with pytest.raises(ce.ModelError, match="y0 must be 2 finite numbers"):
        ce.simulate(model, duration=1.0, y0=y0)


# Stored times


@pytest.mark.parametrize(
    ("duration", "interval", "count"),
    [(1.0, 0.1, 11), (10.0, 0.01, 1001), (0.3, 0.1, 4), (1.05, 0.1, 12), (0.05, 0.1, 2), (2.0, 2.0, 2)],
)
def test_stored_times_have_the_end_once(duration: float, interval: float, count: int) -> None:
    t = list_times(duration, interval)
    assert len(t) == count
    assert t[0] == 0.0
    assert t[-1] == pytest.approx(duration, rel=1e-15)
    np.testing.assert_allclose(np.diff(t)[:-1], interval, rtol=1e-11)
    assert 0.0 < t[-1] - t[-2] <= interval * (1.0 + 1e-12)


@pytest.mark.parametrize("method", SCIPY)
def test_results_are_at_the_stored_times(model: ce.Model, method: Any) -> None:
    run = ce.simulate(model, duration=0.25, interval=0.1, method=method)
    np.testing.assert_allclose(run["time"], (0.0, 0.1, 0.2, 0.25), rtol=1e-15)


# Methods


def test_every_method_finds_the_same_motion(model: ce.Model) -> None:
    y0 = (1.0, 0.5)
    exact = ce.simulate(
        model, Shaken(), duration=2.0, y0=y0, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.1
    )
    assert np.ptp(exact["rod"].values) > 1.0
    for method in SCIPY:
        run = ce.simulate(
            model, Shaken(), duration=2.0, y0=y0, method=method, rtol=1e-8, atol=1e-10, interval=0.1  # type: ignore[arg-type]
        )  # fmt: skip
        # Errors per step of 1e-8 add up over some thousand steps at most (BDF takes 700).
        for name in ("rod", "rod_rate"):
            np.testing.assert_allclose(run[name], exact[name], rtol=0.0, atol=5e-6, err_msg=method)
        assert run.attrs["method"] == method
        assert run.attrs["evaluations"] > 20


def test_a_smaller_tolerance_gives_a_smaller_error(model: ce.Model) -> None:
    def end(tolerance: float) -> float:
        run = ce.simulate(
            model, duration=2.0, y0=(1.0, 0.0), method="RK45", rtol=tolerance, atol=tolerance, interval=2.0
        )
        return float(run["rod"][-1])

    exact = end(1e-12)
    errors = [abs(end(tolerance) - exact) for tolerance in (1e-4, 1e-6, 1e-8)]
    assert errors[0] > 10.0 * errors[1] > 100.0 * errors[2]


def test_the_longest_step_is_kept(model: ce.Model) -> None:
    times: list[float] = []
    ce.simulate(model, duration=1.0, y0=(0.3, 0.0), method="DOP853", max_step=0.01, progress=times.append)
    assert np.max(np.diff(times)) <= 0.01 * (1.0 + 1e-9)


def test_constant_inputs_and_given_state() -> None:
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("cart", mass=2.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_input("push", "N", default=4.0)
    system.add_force(ce.AppliedWrench("push", body, (0, 0, 0), force=("push", 0.0, 0.0)))
    cart = ce.Model(system)
    for inputs, acceleration in ((None, 2.0), ({}, 2.0), ({"push": -6.0}, -3.0)):
        run = ce.simulate(cart, inputs, duration=2.0, y0=(1.0, 0.5), interval=0.5)
        t = run["time"].values
        np.testing.assert_allclose(
            run["cart"], 1.0 + 0.5 * t + 0.5 * acceleration * t**2, rtol=0.0, atol=1e-5
        )
        np.testing.assert_array_equal(run["push"], np.full(5, 2.0 * acceleration))


def test_inputs_of_a_law_are_in_the_results(model: ce.Model) -> None:
    run = ce.simulate(model, Shaken(), duration=1.0, interval=0.25)
    np.testing.assert_allclose(run["trolley"], 0.2 * np.sin(3.0 * run["time"]) ** 2, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(run["torque"], 2.0 * np.sin(2.0 * run["time"]), rtol=0.0, atol=1e-15)


# Progress


@pytest.mark.parametrize("method", SCIPY)
def test_progress_goes_from_start_to_end(model: ce.Model, method: Any) -> None:
    times: list[float] = []
    ce.simulate(model, duration=0.5, y0=(1.0, 0.0), method=method, progress=times.append)
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(0.5, rel=1e-15)
    assert np.all(np.diff(times) > 0.0)
    assert len(times) > 3


# Runs that stop


@pytest.mark.parametrize("method", SCIPY)
def test_an_interrupted_run_keeps_what_it_has(model: ce.Model, method: Any) -> None:
    def interrupt(t: float) -> None:
        if t > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(ce.SimulationError, match=r"^interrupted at t = ") as caught:
        ce.simulate(
            model, Shaken(), duration=5.0, y0=(1.0, 0.0), method=method, progress=interrupt, audit=True
        )
    partial = finite_partial(caught.value)
    assert 0.3 < partial["time"][-1] < 1.0
    whole = ce.simulate(model, Shaken(), duration=float(partial["time"][-1]), y0=(1.0, 0.0), rtol=1e-10)
    assert float(partial["rod"][-1]) == pytest.approx(float(whole["rod"][-1]), abs=1e-3)


def test_interruption_before_first_step_keeps_initial_state(model: ce.Model) -> None:
    def interrupt(t: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ce.SimulationError, match=r"^interrupted at t = 0 s$") as caught:
        ce.simulate(model, duration=5.0, y0=(1.0, 0.25), progress=interrupt)
    partial = finite_partial(caught.value)
    assert partial["time"].values.tolist() == [0.0]
    assert float(partial["rod"][0]) == 1.0


def finite_partial(error: ce.SimulationError) -> xr.Dataset:
    partial = error.partial
    assert isinstance(partial, xr.Dataset)
    for name in partial:
        assert np.all(np.isfinite(partial[name])), name
    assert np.all(np.diff(partial["time"]) > 0.0)
    return partial


@pytest.mark.parametrize("method", SCIPY)
def test_run_into_nan_stops_with_what_was_before(method: Any) -> None:
    model = towards_the_edge(0.5)  # reached at t = 1
    model.dynamics  # noqa: B018  (compile before the clock starts)
    began = time.perf_counter()
    with pytest.raises(ce.SimulationError, match=rf"^{method} .* at t = ") as caught:
        ce.simulate(model, duration=2.0, method=method)
    assert time.perf_counter() - began < 10.0
    partial = finite_partial(caught.value)
    t = partial["time"].values
    assert 0.1 < t[-1] <= 1.0 + 1e-6
    np.testing.assert_allclose(partial["mass"], 0.5 * t**2, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("method", SCIPY)
def test_run_that_becomes_nan_stops_at_once(method: Any) -> None:
    model = towards_the_edge(0.0)
    model.dynamics  # noqa: B018
    began = time.perf_counter()
    with pytest.raises(ce.SimulationError, match=rf"^{method} ") as caught:
        ce.simulate(model, duration=2.0, method=method)
    assert time.perf_counter() - began < 10.0
    assert finite_partial(caught.value)["time"][-1] < 1e-6


@pytest.mark.parametrize("method", ["Radau", "BDF", *IMPLICIT])
def test_slopes_not_finite_are_distinguished_from_accelerations(method: Any) -> None:
    """At its edge the push is finite, √0; its slope is not."""
    model, message = (
        towards_the_edge(0.0),
        rf"^{method} met derivatives of the accelerations that are not finite",
    )
    with pytest.raises(ce.SimulationError, match=rf"{message} at t = 0 s"):
        ce.simulate(model, duration=2.0, method=method)
    if method in IMPLICIT:
        with pytest.raises(ce.SimulationError, match=rf"{message} at t = 0 s"):
            ce.Simulator(model, method=method).step(0.1)
        (failure,) = ce.simulate_ensemble(model, duration=2.0, method=method)["failure"].values
        assert re.match(rf"{message}, or accelerations within a step at t = 0 s", failure)


def test_a_run_that_starts_with_nan_is_refused() -> None:
    with pytest.raises(ce.SimulationError, match=r"^the accelerations are not finite at t = 0") as caught:
        ce.simulate(towards_the_edge(-1.0), duration=2.0)
    partial = caught.value.partial
    assert isinstance(partial, xr.Dataset)
    assert partial["time"].values.tolist() == [0.0]


class Winding:
    """A law that turns a crank at 2 rad/s."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"drive of crank": 2.0 * t, "drive of crank_rate": 2.0}


@pytest.mark.parametrize("method", SCIPY)
def test_loop_driven_out_of_its_range_is_named(method: Any) -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    # Coupler and rocker reach 1.54 m together, the crank's pin at 3 rad is 2 m away.
    linkage = FourBar((0, 0, 0), (0, 0.2, 1), (0, 0.7, 1), (0, 1, 0), (1, 0, 0), frame="ground")
    add_linkage(system, linkage, np.random.default_rng(0))
    add_drive(system, "crank")
    bob = ce.Revolute((1, 0, 0), (0, 1, 0.5))
    system.add_body("bob", mass=1.0, com=(0, 1, 0.2), parent="rocker", hinge=bob)
    low, high = linkage.reach() or (math.nan, math.nan)
    with pytest.raises(ce.SimulationError) as caught:
        ce.simulate(ce.Model(system), Winding(), duration=2.0, method=method, rtol=1e-7)
    message = (
        f"the loop of 'crank' left the range it can be assembled in; admissible is {low:.4g} to {high:.4g}"
    )
    assert message in str(caught.value)
    partial = finite_partial(caught.value)
    reached = partial["drive_of_crank"].values
    assert 0.5 * high < reached[-1] <= high
    assert float(partial["closure_error"].max()) <= 1e-12


def test_a_stall_is_noticed_and_progress_is_not() -> None:
    watch, nowhere = StallWatch(duration=10.0, evaluations=100), np.zeros(0)
    for k in range(1000):  # 1 ms of progress per 50 evaluations
        watch.look(1e-3 * k, nowhere, 50 * k)
    watch.look(0.9991, nowhere, 49950 + 100)
    with pytest.raises(StalledError, match=r"100 evaluations advanced it by less than 0\.001 s"):
        watch.look(0.9992, nowhere, 49950 + 101)


def test_long_run_of_short_steps_is_no_stall() -> None:
    watch, nowhere = StallWatch(duration=1e5), np.zeros(0)
    for k in range(100):  # steps of 10 µs at 12 evaluations each
        watch.look(0.01 * k, nowhere, 12000 * k)


# Energy


@pytest.mark.parametrize("method", ["DOP853", "LSODA"])
def test_work_of_loads_and_drives_changes_energy(model: ce.Model, method: Any) -> None:
    run = ce.simulate(
        model, Shaken(), duration=5.0, y0=(1.0, 0.5), audit=True, method=method, rtol=1e-11, atol=1e-12
    )
    work, energy = run["work"].values, run["energy"].values
    assert work[0] == 0.0
    assert np.ptp(work) > 2.0
    np.testing.assert_allclose(energy - energy[0], work, rtol=0.0, atol=2e-8)
    assert run["work"].attrs == {"units": "J", "long_name": WORK}


def test_the_audit_does_not_change_the_motion(model: ce.Model) -> None:
    arguments: dict[str, Any] = {"duration": 2.0, "method": "DOP853", "rtol": 1e-11, "atol": 1e-12}
    plain = ce.simulate(model, Shaken(), **arguments)
    audited = ce.simulate(model, Shaken(), audit=True, **arguments)
    np.testing.assert_allclose(audited["rod"], plain["rod"], rtol=0.0, atol=1e-9)
    assert set(audited) - set(plain) == {"work"}


def test_friction_alone_takes_energy_away(model: ce.Model) -> None:
    run = ce.simulate(model, duration=3.0, y0=(1.0, 0.0), audit=True)
    assert np.all(np.diff(run["work"]) < 0.0)
    # Power of the damper: −c ω².
    power = -0.3 * run["rod_rate"].values ** 2
    found = np.gradient(run["work"].values, run["time"].values)
    np.testing.assert_allclose(found[2:-2], power[2:-2], rtol=0.0, atol=5e-3)


# Accuracy


def free_rocker() -> ce.Model:
    """A four-bar whose independent bar is not the shortest and swings to the end of its range."""
    linkage = FourBar((0, 0, 0), (0.5, 0, 0.3), (1.1, 0, 0.8), (1.2, 0, 0), (0, 1, 0))
    system = ce.System()
    add_linkage_bodies(system, linkage)
    linkage.close(system)
    system.start(linkage.joints()[0].body, v=[6.0])
    return ce.Model(system)


@pytest.mark.parametrize("method", [*SCIPY, "dopri5", "rk4", "rosenbrock", "implicit-euler"])
def test_closed_form_thrown_against_reach_ends_the_run(method: Any) -> None:
    """Half of these went on with any energy; what is kept has that of the start (to 1e-4 rad of a turn)."""
    coarse: dict[str, Any] = {} if method in FIXED else {"rtol": 1e-4}
    with pytest.raises(ce.SimulationError, match=r"loop of 'crank' .*(dead centre|left the range)") as stop:
        ce.simulate(free_rocker(), duration=1.0, method=method, **coarse)
    partial: Any = stop.value.partial
    energy = partial["energy"].values
    if method != "implicit-euler":  # which loses energy by itself, the more the faster a motion is
        assert np.ptp(energy) < 0.03 * energy[0]


def test_what_contradicts_itself_is_noticed_by_its_energy(model: ce.Model) -> None:
    """Steps as long as the pendulum swings."""
    with pytest.warns(ce.AccuracyWarning, match=r"energy and work differ by .* J, first at t = \d\.\d+ s"):
        ce.simulate(model, duration=20.0, y0=(2.0, 0.0), rtol=0.1, atol=0.1, audit=True)
    with pytest.warns(ce.AccuracyWarning, match="energy and work differ by .*; take shorter steps"):
        ce.simulate(
            model, duration=5.0, y0=(2.0, 0.0), method="implicit-euler", interval=0.1, step=0.1, audit=True
        )


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_energy_of_nan_does_not_pass_for_balanced(model: ce.Model) -> None:
    t, Y, U = np.zeros(2), np.zeros((2, 3)), np.zeros((2, 4))
    with pytest.warns(ce.AccuracyWarning, match="energy and work differ by nan J"):
        check_balance(model, t, Y, U, np.array((1.0, math.nan)))


# Guarantees at stored instants


def test_an_output_that_is_no_number_names_itself() -> None:
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_output("root", "m", lambda observer: sqrt(0.35 - observer.coordinate(body)))
    system.start("cart", v=1.0)
    methods: tuple[Any, ...] = ("RK45", "rk4", "dopri5")
    for method in methods:
        with pytest.raises(
            ce.SimulationError, match=r"output 'root' is nan; see to its function .* t = 0\.4 s"
        ) as stop:
            ce.simulate(ce.Model(system), duration=1.0, interval=0.1, method=method)
        partial: Any = stop.value.partial
        np.testing.assert_allclose(partial["time"], (0.0, 0.1, 0.2, 0.3), atol=1e-15)
        assert all(np.isfinite(partial[name]).all() for name in partial)


class HalfSolved(FourBar):
    """A user's mistake: the rocker stays where it is relative to the coupler."""

    def solve(self, motion: SubgraphMotion) -> None:
        super().solve(motion)
        coupler = motion.hinge_motions[self.coupler]
        motion.set(self.rocker, coupler)


def crude_four_bar(start: float) -> ce.System:
    """A user's linkage that closes its loop in the design pose only."""
    linkage = HalfSolved((0, 0, 0), (0.2, 0, 0.3), (1.1, 0, 0.8), (1.2, 0, 0), (0, 1, 0))
    system = ce.System(gravity=(0, 0, 0))
    add_linkage_bodies(system, linkage, (0.0, 0.0, 0.0))
    linkage.close(system)
    system.start("crank", q=start, v=1.0)
    return system


def test_a_loop_that_opens_ends_the_run() -> None:
    model = ce.Model(crude_four_bar(0.0))
    methods: tuple[Any, ...] = ("RK45", "rk4")
    for method in methods:
        with pytest.raises(
            ce.SimulationError,
            match=r"loop of 'crank' \(closure 'rocker/ground', 1\.\d+ m across\) is open by",
        ) as stop:
            ce.simulate(model, duration=0.2, method=method)
        partial: Any = stop.value.partial
        assert partial["closure_error"].max() < 1e-9


def test_loop_that_is_open_at_start_is_refused() -> None:
    with pytest.raises(ce.AssemblyError, match=r"loop of 'crank' is open by .* found by \['HalfSolved'\]"):
        ce.Model(crude_four_bar(0.1))


@pytest.mark.filterwarnings("error::ce_dynamics.errors.AccuracyWarning")
def test_balance_is_judged_by_motion_at_zero_energy() -> None:
    """Released at rest at the height where potential energy is zero, without a drive: E = W = 0 for ever."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    system.add_body(
        "arm", mass=2.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 0.1, 0.1), parent=system.ground,
        hinge=ce.Revolute(axis=(0.0, 1.0, 0.0)),
    )  # fmt: skip
    run = ce.simulate(ce.Model(system), duration=2.0, audit=True, rtol=1e-6)
    # the greatest kinetic energy is m g l = 9.81 J; what the integrator loses is a small part of it
    assert 1e-12 < np.abs(run.energy).max() < 1e-3
    np.testing.assert_array_equal(run.work, 0.0)


def test_a_quaternion_of_zero_is_refused_by_name() -> None:
    system = ce.System()
    system.add_body("kite", mass=1.0, inertia=(0.1, 0.1, 0.1), parent=system.ground, hinge=ce.Free())
    model = ce.compile(system)
    y0 = np.zeros(len(model.layout.y0))
    message = r"y0: the quaternion of 'kite' .* is zero"
    with pytest.raises(ce.ModelError, match=message):
        ce.simulate(model, y0=y0, duration=0.1)
    with pytest.raises(ce.ModelError, match=message):
        ce.Simulator(model, y0=y0)
    with pytest.raises(ce.ModelError, match=message):
        ce.Simulator(model).reset(y0)
    failure = ce.simulate_ensemble(model, [y0, model.y0], duration=0.1)["failure"].values
    assert "quaternion of 'kite' is zero" in str(failure[0])
    assert failure[1] == ""
