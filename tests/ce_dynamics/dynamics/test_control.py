"""Controllers on a cart against closed forms: continuous and sampled memory, by every kind of integrator."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.forces.base import StateDeclaration
from tests.support.elements import HingeInput

MASS, START = 2.0, (0.3, 0.5)
K_P, K_I = 3.0, 2.0
K_X, K_V = 2.0, 1.5


class SpeedControl(ce.Controller):
    """F = K_P (v* − v) + K_I ∫ (v* − v) dt."""

    states = (StateDeclaration("integral", "m"),)
    answers = ("force",)

    def __init__(self, name: str = "pi") -> None:
        self.name = name

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        lacking = sensors["target"] - sensors["cart_rate"]
        return {"force": sensors["force"] + K_P * lacking + K_I * x["integral"]}

    def rates(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return (sensors["target"] - sensors["cart_rate"],)


class Held(ce.Controller):
    """F = −K_X x − K_V v as they were at the latest sample."""

    sampled = (StateDeclaration("value", "N"),)
    answers = ("force",)

    def __init__(self, period: float = 0.03, name: str = "held") -> None:
        self.name, self.period = name, period

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"force": sensors["force"] + x["value"]}

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return (-K_X * sensors["cart"] - K_V * sensors["cart_rate"],)


def cart(*controllers: ce.Controller) -> ce.Model:
    s = ce.System(gravity=(0, 0, 0))
    body = s.add_body("cart", mass=MASS, parent=s.ground, hinge=ce.Prismatic((1, 0, 0)))
    s.add_input("force", "N")
    s.add_input("target", "m/s", 1.0)
    s.add_force(HingeInput("push", body, "force"))
    for controller in controllers:
        s.add_controller(controller)
    s.start("cart", q=[START[0]], v=[START[1]])
    return ce.compile(s)


@cache
def steered_cart() -> ce.Model:
    return cart(SpeedControl())


@cache
def sampled_cart(period: float) -> ce.Model:
    return cart(Held(period))


def held_exactly(period: float, duration: float) -> np.ndarray:
    """The cart's x and v: parabolas between samples."""
    y, k = np.array(START), 0
    while k * period < duration - 1e-12:
        a = (-K_X * y[0] - K_V * y[1]) / MASS
        h = min(period, duration - k * period)
        y, k = np.array([y[0] + h * y[1] + 0.5 * h * h * a, y[1] + h * a]), k + 1
    return y


@pytest.mark.parametrize("method", ["rk4", "dopri5", "rosenbrock", "DOP853", "Radau"])
def test_speed_control_that_integrates_follows_its_closed_form(method: str) -> None:
    """[ẋ; v̇; i̇] is linear: the matrix exponential.  1e-5 is ten times the tolerance, or h² of Rosenbrock."""
    model = steered_cart()
    A = np.array([[0, 1, 0, 0], [0, -K_P / MASS, K_I / MASS, K_P / MASS], [0, -1, 0, 1], [0, 0, 0, 0]])
    expected = expm(2.0 * A) @ (*START, 0.0, 1.0)
    run = ce.simulate(model, duration=2.0, method=method)  # type: ignore[arg-type]  # one of several
    found = [float(run[name][-1]) for name in ("cart", "cart_rate", "pi_integral")]
    np.testing.assert_allclose(found, expected[:3], rtol=0.0, atol=1e-5)
    lacking = 1.0 - found[1]
    assert float(run["pi_force"][-1]) == pytest.approx(K_P * lacking + K_I * found[2], abs=1e-12)


class Relay(ce.Controller):
    name = "relay"
    answers = ("boost",)

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"boost": sensors["boost"] + 2.0 * sensors["force"]}


def boosted() -> ce.System:
    s = ce.System(gravity=(0, 0, 0))
    body = s.add_body("cart", mass=MASS, parent=s.ground, hinge=ce.Prismatic((1, 0, 0)))
    s.add_input("force", "N")
    s.add_channel("boost", "N", 0.5)
    s.add_force(HingeInput("push", body, "boost"))
    return s


def test_channels_are_no_inputs() -> None:
    s = boosted()
    s.add_controller(Relay())
    model = ce.compile(s)
    assert [entry.name for entry in model.layout.u] == ["force"]
    (rate,) = model.dynamics(model.y0, np.array([3.0]))
    assert rate[1] == pytest.approx((0.5 + 2.0 * 3.0) / MASS, rel=1e-14)


def test_channels_without_controller_are_refused() -> None:
    with pytest.raises(ce.ModelError, match="no controller sets the channel 'boost'"):
        ce.compile(boosted())
    with pytest.raises(ce.ModelError, match="'boost' exists already"):
        boosted().add_input("boost", "N")


@pytest.mark.parametrize("method", ["rk4", "dopri5", "rosenbrock", "RK45"])
@pytest.mark.parametrize("period", [0.03, 1.0 / 30.1])
def test_sampled_memory_is_exact_at_samples(method: str, period: float) -> None:
    """Between samples the motion is a parabola, which all these methods have exactly: only rounding is left.

    A step that went across a sample would be wrong by a change of force of some 0.01 N within it, 1e-8 m.
    The second period fits neither the steps nor the stored instants.
    """
    run = ce.simulate(sampled_cart(period), duration=1.0, method=method)  # type: ignore[arg-type]
    found = [float(run[name][-1]) for name in ("cart", "cart_rate")]
    np.testing.assert_allclose(found, held_exactly(period, 1.0), rtol=0.0, atol=2e-13)


@pytest.mark.parametrize(("method", "period"), [("rk4", 0.03), ("dopri5", 1.0 / 30.1)])
def test_lanes_and_simulators_keep_memory_bit_by_bit(method: str, period: float) -> None:
    """Single run, lanes of an ensemble; a simulator that is saved between two samples and restored."""
    model = sampled_cart(period)
    alone = ce.simulate(model, duration=0.5, interval=0.02, method=method)  # type: ignore[arg-type]
    starts = np.tile(model.y0, (5, 1))
    starts[:4, 0] = 0.1, 0.2, -0.3, 0.4
    runs = ce.simulate_ensemble(model, starts, duration=0.5, interval=0.02, method=method, threads=1)
    for name in ("cart", "cart_rate", "held_value"):
        np.testing.assert_array_equal(runs[name].values[4], alone[name].values)
    sim = ce.Simulator(model, method=method)  # type: ignore[arg-type]
    for _ in range(7):
        sim.step(0.02)
    saved = sim.save()
    for _ in range(18):
        sim.step(0.02)
    after = sim.state.copy()
    # 0.02 s is stepped to as well: for parabolas a matter of rounding
    np.testing.assert_allclose(after[:2], held_exactly(period, 0.5), rtol=0.0, atol=2e-13)
    sim.restore(saved)
    for _ in range(18):
        sim.step(0.02)
    np.testing.assert_array_equal(sim.state, after)


def test_controllers_see_their_own_samples_in_order() -> None:
    model = cart(Held(0.01, "often"), Held(0.03, "seldom"))
    assert model.layout.sampling.period == pytest.approx(0.01)
    run = ce.simulate(model, duration=0.12, method="rk4")
    seldom = run["seldom_value"].values
    # what is stored at a sample is from before it
    assert len(set(seldom[1:4])) == len(set(seldom[4:7])) == 1
    assert seldom[4] != seldom[1]
    assert len(set(run["often_value"].values[1:])) == 12
    # the second sees what the first has made of the input, and adds to it
    both = run["often_value"].values + seldom
    np.testing.assert_allclose(run["seldom_force"].values, both, rtol=0.0, atol=1e-15)


def test_integrators_keep_their_order_between_samples() -> None:
    """A speed control beside a sampled force: RK4's error falls by 2⁴ with half the step, 16 ± 10 %."""
    model = cart(SpeedControl(), Held(0.4))
    ends = []
    for step in (0.1, 0.05, 0.025, 0.003125):
        run = ce.simulate(model, duration=2.0, method="rk4", step=step, interval=0.4)
        ends.append(float(run["cart_rate"][-1]))
    errors = np.abs(np.array(ends[:3]) - ends[3])
    ratios = errors[:2] / errors[1:]
    assert np.all((ratios > 14.5) & (ratios < 18.0)), ratios
