"""Prescribed motions: what they answer is consistent in time."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.drives import Driven, Held, Prescribed, SecondOrderActuator
from ce_dynamics.mechanism.forces.base import StateDeclaration


def command(t: float) -> float:
    """An input that jumps at 0.5 s, and before that wobbles."""
    return math.sin(9.0 * t) if t < 0.5 else -0.7


def driven_by(actuator: SecondOrderActuator, t: np.ndarray[Any, Any]) -> Any:
    """States of an actuator at given times, integrated across the jump in two parts."""

    def jumping(t: float, x: Any) -> Any:
        return actuator.evaluate(x, {"u": command(t)}).x_dot

    def held(t: float, x: Any) -> Any:
        return actuator.evaluate(x, {"u": command(0.5)}).x_dot

    before, x = dense(jumping, 0.0, 0.5, (0.2, -1.0))
    after, _ = dense(held, 0.5, 1.5, x)
    return np.where(t < 0.5, before(np.minimum(t, 0.5)), after(np.maximum(t, 0.5)))


def dense(rhs: Any, start: float, end: float, x: Any) -> tuple[Any, Any]:
    """A solution as a function of time, and its last value."""
    solution = solve_ivp(rhs, (start, end), x, method="DOP853", rtol=1e-12, atol=1e-14, dense_output=True)
    return solution.sol, solution.y[:, -1]


@pytest.mark.parametrize("zeta", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("t", [0.2, 0.45, 0.6, 1.1])
def test_an_actuator_is_consistent_with_its_states(zeta: float, t: float) -> None:
    actuator = SecondOrderActuator("u", 1.7, 12.0, zeta)
    h = 1e-3
    x = driven_by(actuator, t + h * np.arange(-2, 3))
    motions = [actuator.evaluate(x[:, k], {"u": command(t + (k - 2) * h)}) for k in range(5)]
    positions, rates, accelerations = (np.array([m[i] for m in motions]) for i in range(3))
    # Fourth-order differences: h⁴ ω⁶ / 30 = 1e-7 for ω = 12, the dense output contributes 1e-12 / h.
    first = np.array((1.0, -8.0, 0.0, 8.0, -1.0)) / (12.0 * h)
    assert rates[2] == pytest.approx(first @ positions, abs=3e-7)
    assert accelerations[2] == pytest.approx(first @ rates, abs=3e-6)
    assert motions[2].x_dot == (rates[2], accelerations[2])


@pytest.mark.parametrize("zeta", [0.3, 1.0, 2.5])
def test_actuator_answers_step_as_second_order_system(zeta: float) -> None:
    omega, gain = 8.0, -0.4
    actuator = SecondOrderActuator("u", gain, omega, zeta)
    t = np.linspace(0.0, 2.0, 21)
    solution = solve_ivp(
        lambda t, x: actuator.evaluate(x, {"u": 2.0}).x_dot,
        (0.0, 2.0), (0.0, 0.0), t_eval=t, rtol=1e-11, atol=1e-12, method="DOP853",
    )  # fmt: skip
    # 1 − (λ₂ e^{λ₁t} − λ₁ e^{λ₂t}) / (λ₂ − λ₁) with the two roots of λ² + 2ζωλ + ω²
    if zeta == 1.0:
        unit = 1.0 - (1.0 + omega * t) * np.exp(-omega * t)
    else:
        root = np.sqrt(complex(zeta**2 - 1.0))
        a, b = omega * (-zeta + root), omega * (-zeta - root)
        unit = (1.0 - (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a)).real
    np.testing.assert_allclose(solution.y[0], 2.0 * gain * unit, rtol=0.0, atol=1e-9)


def test_an_actuator_at_its_target_rests() -> None:
    actuator = SecondOrderActuator("u", 0.5, 20.0)
    assert actuator.evaluate(np.array((1.5, 0.0)), {"u": 3.0}) == Prescribed(1.5, 0.0, 0.0, (0.0, 0.0))


def test_the_declarations_of_an_actuator() -> None:
    actuator = SecondOrderActuator("pedal", 2.0, 3.0, unit="m")
    assert actuator.inputs == ("pedal",)
    assert actuator.states == (StateDeclaration("position", "m"), StateDeclaration("rate", "m/s"))
    assert SecondOrderActuator("pedal", 2.0, 3.0).states[1].unit == "rad/s"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 0.0), "natural_frequency 0.0 must be a positive finite number"),
        ((1.0, -2.0), "natural_frequency -2.0"),
        ((1.0, math.nan), "natural_frequency nan"),
        ((1.0, math.inf), "natural_frequency inf"),
        ((1.0, 1.0, 0.0), "damping_ratio 0.0 must be a positive finite number"),
        ((1.0, 1.0, -0.1), "damping_ratio -0.1"),
        ((1.0, 1.0, math.nan), "damping_ratio nan"),
        ((math.nan, 1.0), "gain nan must be a finite number"),
        ((math.inf, 1.0), "gain inf must be a finite number"),
    ],
)
def test_an_actuator_refuses_what_is_no_oscillator(arguments: Any, message: str) -> None:
    with pytest.raises(ModelError, match=f"actuator of 'u': {message}"):
        SecondOrderActuator("u", *arguments)


def test_a_driven_hinge_reads_position_rate_and_acceleration() -> None:
    motion = Driven("crank")
    assert motion.inputs == ("crank", "crank_rate", "crank_acceleration")
    assert not motion.states
    u = {"crank_acceleration": 3.0, "crank": 1.0, "other": 9.0, "crank_rate": 2.0}
    assert motion.evaluate(np.zeros(0), u) == Prescribed(1.0, 2.0, 3.0, ())


def test_a_held_hinge_stays() -> None:
    assert Held(0.3).evaluate(np.zeros(0), {}) == Prescribed(0.3, 0.0, 0.0, ())
    assert Held().evaluate(np.zeros(0), {}).position == 0.0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_held_value_is_finite(value: float) -> None:
    with pytest.raises(ModelError, match=f"Held: value {value} must be a finite number"):
        Held(value)
