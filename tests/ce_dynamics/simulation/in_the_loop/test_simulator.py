"""In-the-loop stepping: inputs, time, saving, pacing."""

import hashlib
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.integration_methods import FIXED, IMPLICIT, NATIVE_METHODS
from ce_dynamics.errors import ModelError, SimulationError, SingularityWarning
from ce_dynamics.kinematics import FourBar
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.simulation.in_the_loop.simulator import DIGEST, MAGIC, Simulator
from ce_dynamics.simulation.simulate import simulate
from tests.ce_dynamics.simulation.integrators.systems import PENDULUM_START, pendulum, slider
from tests.support.systems import add_linkage_bodies


@pytest.mark.parametrize("method", ["rk4", "dopri5", "tsit5"])
def test_inputs_are_held_until_they_are_given_again(method: Any) -> None:
    """Under constant forces the slider's motion is a polynomial, which both methods integrate exactly."""
    sim = Simulator(slider(mass=2.0), method=method)
    x = v = 0.0
    for given, dt, a in (
        ({"push": 4.0}, 0.1, 2.0),
        ({}, 0.05, 2.0),
        ({"push": -3.0}, 0.21, -1.5),
        ({}, 0.3, -1.5),
    ):
        sim.step(dt, **given)
        x, v = x + v * dt + 0.5 * a * dt * dt, v + a * dt
        np.testing.assert_allclose(sim.state, [x, v], rtol=1e-12)
    assert sim.inputs == {"push": -3.0}
    assert sim.time == pytest.approx(0.66, rel=1e-15)
    assert sim.outputs()["position"] == pytest.approx(x, rel=1e-12)
    assert sim.outputs()["energy"] == pytest.approx(v * v, rel=1e-12)


@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_stepping_is_simulating(method: Any) -> None:
    model = pendulum()
    steps: dict[str, Any] = {"step": 1e-3} if method in FIXED else {"rtol": 1e-9, "atol": 1e-9}
    sim = Simulator(model, method=method, y0=PENDULUM_START, **steps)
    for _ in range(50):
        sim.step(0.01, push=0.4)
    run = simulate(model, {"push": 0.4}, duration=0.5, y0=PENDULUM_START, method=method, **steps)
    # fixed steps differ by the rounding of dt; the adaptive ones, ending at other times, by the tolerance
    tolerance = 1e-11 if method in FIXED else 1e-7
    assert sim.state[1] == pytest.approx(run.arm1.values[-1], abs=tolerance)


def test_state_is_one_live_read_only_view() -> None:
    sim = Simulator(slider())
    state = sim.state
    assert sim.step(0.1, push=2.0) is state
    assert state[1] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="read-only"):
        state[0] = 1.0


@pytest.mark.parametrize(("method", "every"), [(m, 1) for m in NATIVE_METHODS] + [(m, 7) for m in IMPLICIT])
def test_restoring_continues_with_the_same_bits(method: Any, every: int) -> None:
    model = pendulum()

    def go_on(sim: Simulator, first: int, last: int) -> bytes:
        for k in range(first, last):
            sim.step(0.013, **({"push": np.sin(0.3 * k)} if k % 3 else {}))
        return sim.state.tobytes()

    renewal: dict[str, Any] = {"jacobian_every": every} if method in IMPLICIT else {}
    sim = Simulator(model, method=method, y0=PENDULUM_START, **renewal)
    go_on(sim, 0, 40)
    saved, at = sim.save(), sim.time
    whole = go_on(sim, 40, 80)
    assert go_on(sim, 80, 90) != whole
    sim.restore(saved)
    assert sim.time == at
    assert go_on(sim, 40, 80) == whole
    other = Simulator(pendulum(), method=method, **renewal)
    other.restore(saved)
    assert go_on(other, 40, 80) == whole
    sim.reset()
    go_on(sim, 0, 40)
    assert sim.save() == saved


def test_restoring_refuses_what_another_saved() -> None:
    sim = Simulator(pendulum(), y0=PENDULUM_START)
    for saved in (
        Simulator(pendulum((1.0, 0.8))).save(),
        Simulator(pendulum(), method="dopri5").save(),
        Simulator(pendulum(), method="rosenbrock", jacobian_every=2).save(),
        sim.save()[:-8],
        b"",
    ):
        with pytest.raises(ModelError, match="same model and method"):
            sim.restore(saved)
    np.testing.assert_array_equal(sim.state, PENDULUM_START)


def test_a_reset_to_another_state_stays() -> None:
    sim = Simulator(pendulum())
    sim.step(0.1, push=3.0)
    sim.reset(PENDULUM_START)
    assert sim.time == 0.0
    assert sim.inputs == {"push": 0.0}
    sim.step()
    assert sim.time == 1e-3
    sim.reset()
    np.testing.assert_array_equal(sim.state, PENDULUM_START)


def test_inputs_that_are_refused_change_nothing() -> None:
    sim = Simulator(slider())
    sim.step(0.1, push=1.0)
    before = sim.save()
    with pytest.raises(ModelError, match="no input 'pusch'; did you mean 'push'"):
        sim.step(0.1, push=2.0, pusch=1.0)
    for wrong in (np.nan, np.inf, -np.inf):
        with pytest.raises(ModelError, match=r"'push'.*finite"):
            sim.step(0.1, push=wrong)
    for dt in (0.0, -0.1, np.nan, np.inf):
        with pytest.raises(ModelError, match="dt"):
            sim.step(dt, push=2.0)
    assert sim.save() == before


def test_arguments_that_are_refused() -> None:
    with pytest.raises(ModelError, match=r"'RK45' cannot be stepped.*rk4"):
        Simulator(slider(), method="RK45")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="y0"):
        Simulator(slider(), y0=[np.nan, 0.0])
    with pytest.raises(ModelError, match="step"):
        Simulator(slider(), step=-1.0)
    with pytest.raises(ModelError, match="jacobian_every"):
        Simulator(slider(), jacobian_every=3)
    with pytest.raises(ModelError, match="rtol"):
        Simulator(slider(), rtol=0.0)
    with pytest.raises(ModelError, match="speed"):
        Simulator(slider()).run_realtime(1.0, speed=0.0)


@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_a_state_that_ceases_to_be_finite(method: Any) -> None:
    """√(1 − x²) ends at x = 1, which a push of 5 N reaches after some 0.9 s."""
    sim = Simulator(slider(stiffness=1.0), method=method)
    for _ in range(9):
        sim.step(0.1, push=5.0)
    with pytest.raises(SimulationError, match=r"not finite at t = 0\.90"):
        sim.step(0.1)
    assert 0.9 < sim.time < 0.92
    # at 2.3 m/s the last state lies at most one step of 1 ms beyond the edge
    assert 0.98 < sim.state[0] < 1.0023
    assert np.isfinite(sim.state[1])
    sim.reset()
    sim.step(0.1)
    assert sim.time == pytest.approx(0.1)


class Clock:
    """A time that passes only by sleeping, and by what every look at it costs."""

    def __init__(self, costs: list[float]) -> None:
        self.now, self.costs = 100.0, costs

    def __call__(self) -> float:
        if self.costs:
            self.now += self.costs.pop(0)
        return self.now

    def sleep(self, duration: float) -> None:
        assert duration >= 0.0
        self.now += duration


def test_pacing_keeps_the_schedule_and_counts_overruns() -> None:
    # looks: start; then after the work of each step, and after each sleep (free)
    clock = Clock([0.0, 0.002, 0.0, 0.025, 0.004, 0.003, 0.0])
    sim = Simulator(slider())
    seen: list[float] = []

    def control(sim: Simulator) -> dict[str, float]:
        seen.append(sim.time)
        return {"push": 1.0 + len(seen)}

    report = sim.run_realtime(0.05, dt=0.01, control=control, clock=clock, sleep=clock.sleep)
    # ready at 2 (of 10), 35 (of 20: 15 late), 39 (of 30: 9 late), 42 (of 40: 2 late), 42 (of 50) ms
    assert report.steps == 5
    assert report.overruns == 3
    assert report.worst_lateness == pytest.approx(0.015)
    assert report.wall_time == pytest.approx(0.05)
    assert report.load == pytest.approx(1.0 - (0.008 + 0.008) / 0.05)
    np.testing.assert_allclose(seen, [0.0, 0.01, 0.02, 0.03, 0.04], atol=1e-15)
    assert sim.inputs == {"push": 6.0}


def test_real_time_takes_its_time() -> None:
    report = Simulator(slider()).run_realtime(0.4, dt=0.01, speed=4.0)
    assert report.steps == 40
    assert report.wall_time >= 0.1 - 1e-3


@pytest.mark.parametrize(("method", "every"), [(m, 1) for m in FIXED] + [(m, 7) for m in IMPLICIT])
def test_long_calls_have_the_bits_of_pieces(method: Any, every: int) -> None:
    """A call of 1000 steps looks at interrupts between pieces of its own choice; one of 20 does not."""
    model = pendulum()
    options: dict[str, Any] = {"method": method, "y0": PENDULUM_START}
    options |= {"jacobian_every": every} if method in IMPLICIT else {}
    at_once, short = Simulator(model, **options), Simulator(model, **options)
    at_once.step(1.0, push=0.4)
    for _ in range(50):
        short.step(0.02, push=0.4)
    run = simulate(model, {"push": 0.4}, duration=1.0, interval=1.0, step=1e-3, **options)
    assert at_once.state.tobytes() == short.state.tobytes()
    names = [entry.name for entry in (*model.layout.q, *model.layout.v)]
    assert np.array([run[name].values[-1] for name in names]).tobytes() == at_once.state.tobytes()
    assert at_once.time == 1.0
    assert short.time == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_saved_states_that_are_damaged_are_refused(method: Any) -> None:
    """Every byte counts; what comes with a digest of its own must still be a state."""
    sim = Simulator(pendulum(), method=method, y0=PENDULUM_START)
    sim.step(0.05, push=1.0)
    saved, before = sim.save(), sim.state.copy()
    for k in range(len(saved)):
        damaged = bytearray(saved)
        damaged[k] ^= 1 << (k % 8)
        with pytest.raises(ModelError, match=r"damaged|same model and method"):
            sim.restore(bytes(damaged))
    body = saved[:-DIGEST]
    numbers = np.frombuffer(body, dtype="<f8", offset=len(MAGIC) + DIGEST)
    for wrong in (np.nan, np.inf, -1e300):
        for k in (0, 1, 2, len(numbers) - 1):
            if k == len(numbers) - 1 and (np.isfinite(wrong) or method == "rk4"):
                continue  # a number that may be
            if wrong == -1e300 and k != 2:
                continue
            forged = numbers.copy()
            forged[k] = wrong
            content = saved[: len(MAGIC) + DIGEST] + forged.tobytes()
            with pytest.raises(ModelError, match="damaged"):
                sim.restore(content + hashlib.sha256(content).digest())
    with pytest.raises(ModelError, match="must be the bytes"):
        sim.restore("state")  # type: ignore[arg-type]
    np.testing.assert_array_equal(sim.state, before)
    sim.restore(saved)


def test_loop_thrown_against_its_reach_is_named() -> None:
    """A double rocker without friction or loads keeps its energy; one thrown over its end does not."""
    linkage = FourBar((0, 0, 0), (0.3, 0, 0.9), (0.75, 0, 0.85), (1, 0, 0), (0, 1, 0))
    system = ce.System(gravity=(0, 0, 0))
    add_linkage_bodies(system, linkage)
    linkage.close(system)
    system.start(linkage.joints()[0].body, v=[-2.0])
    sim = Simulator(ce.compile(system), method="dopri5")
    energy = sim.outputs()["energy"]
    words = r"threw the loop of 'crank' over a dead centre .* keep it from there .* leave its closed form out"
    with (
        pytest.warns(SingularityWarning, match="near a dead centre"),
        pytest.raises(SimulationError, match=words),
    ):
        sim.step(3.0)
    assert 0.0 < sim.time < 3.0
    # what is left is the state before that step, to the tolerance times the gearing near the end
    assert sim.outputs()["energy"] == pytest.approx(energy, rel=1e-3)


def test_parameters_are_no_inputs() -> None:
    """A run takes them by parameters=; a simulator by set(), which checks them."""
    system = ce.System(gravity=(0, 0, -9.81))
    mass = system.add_parameter(Parameter("mass", 2.0, "kg"))
    system.add_body("body", mass=mass, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    model = ce.compile(system)
    for method in ("RK45", "rk4"):
        with pytest.raises(ModelError, match=r"'mass' is a free parameter, no input; .* parameters={'mass'"):
            simulate(model, {"mass": 1.0}, duration=0.1, method=method)
    sim = Simulator(model)
    for wrong in (-5.0, np.nan):
        with pytest.raises(ModelError, match="mass"):
            sim.step(0.1, mass=wrong)
    assert sim.inputs == {"mass": 2.0}
    assert sim.time == 0.0
    sim.set({"mass": 3.0})
    sim.step(0.1)
    # kinetic and potential energy of a free fall from rest: none
    assert sim.outputs()["energy"] == pytest.approx(0.0, abs=1e-12)
    assert sim.inputs == {"mass": 3.0}


@pytest.mark.parametrize(
    ("name", "value"), [("rtol", 2.0), ("rtol", 1e-14), ("rtol", np.nan), ("atol", 1.5), ("atol", 1e-21)]
)
def test_tolerances_that_mean_nothing_are_refused(name: str, value: float) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(ModelError, match=name):
        simulate(slider(), duration=0.1, **options)
    with pytest.raises(ModelError, match=name):
        Simulator(slider(), method="dopri5", **options)


def test_steps_that_nobody_can_wait_for_are_refused() -> None:
    with pytest.raises(
        ModelError, match=r"step 1e-300 s: 1 s take 1e\+300 such steps, .* give a longer step"
    ):
        Simulator(slider(), step=1e-300).step(1.0)
    with pytest.raises(ModelError, match="give a longer step"):
        simulate(slider(), duration=1.0, method="rk4", step=1e-12)


def test_short_fixed_steps_are_no_stall() -> None:
    """100,000 steps of 1e-8 s are 1 ms: more evaluations than an adaptive method may spend on so little."""
    run = simulate(slider(), {"push": 2.0}, duration=1e-3, interval=1e-3, method="rk4", step=1e-8)
    assert run["mass_rate"].values[-1] == pytest.approx(1e-3, rel=1e-9)
