"""Steps that are too long for an explicit method are called so."""

import re
from functools import partial
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import tanh
from ce_dynamics.compiled.integration_methods import (
    IMPLICIT_EULER,
    RK4,
    ROSENBROCK,
    ExplicitRungeKutta,
    LinearlyImplicit,
)
from ce_dynamics.errors import AccuracyWarning, SimulationError
from ce_dynamics.simulation.integrators.stepper import FixedSteps
from ce_dynamics.simulation.monitors.unstable_steps import (
    eigenvalues_at,
    growth,
    is_unresolved,
    stable_step,
    too_long,
)
from ce_dynamics.simulation.native_run import make_stepper
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.right_hand_side import RightHandSide


def spring(stiffness: float, damper: float) -> ce.System:
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(
        ce.SpringDamper("s", system.ground, (0, 0, 1), body, (0, 0, 0), spring=stiffness, damper=damper)
    )
    system.start(body, v=1.0)
    return system


@pytest.fixture(scope="module")
def stiff() -> ce.Model:
    return ce.compile(spring(1e8, 10.0))  # ω = 1e4 1/s


def test_limits_of_the_method_are_those_known() -> None:
    """RK4 is stable up to 2√2 on the imaginary axis, up to 2.785294 on the real one (Hairer and Wanner)."""
    swing, decay, edge = np.array([1j, -1j]), np.array([-1.0 + 0j]), 2.0 * np.sqrt(2.0)
    assert growth(RK4, edge - 1e-6, swing) <= 1.0 < growth(RK4, edge + 1e-6, swing)
    assert growth(RK4, 2.785293, decay) <= 1.0 < growth(RK4, 2.785294, decay)
    assert 2.0 < stable_step(RK4, 10.0, swing) <= 2.83
    # what grows by itself is no fault of the method
    assert growth(RK4, 0.5, np.array([3.0 + 0j])) < 1.0


def test_eigenvalues_are_those_of_a_linear_system() -> None:
    A = np.array([[0.0, 1.0], [-1e8, -10.0]])  # λ² + 10 λ + 1e8 = 0
    found = np.sort_complex(eigenvalues_at(lambda y: A @ y, np.array([1e-3, 2.0])))
    np.testing.assert_allclose(found, -5.0 + np.array([-1j, 1j]) * np.sqrt(1e8 - 25.0), rtol=1e-6)
    assert too_long("rk4", 2.8e-4, [(lambda y: A @ y, np.zeros(2))]) == ""
    assert "too long for rk4" in too_long("rk4", 3e-4, [(lambda y: A @ y, np.zeros(2))])


def failed(model: ce.Model, way: str) -> str:
    if way == "ensemble":
        return str(ce.simulate_ensemble(model, duration=1.0)["failure"].values[0])
    sim = ce.Simulator(model)
    with pytest.raises(SimulationError) as stop:
        sim.step(1.0) if way == "simulator" else ce.simulate(model, duration=1.0, method="rk4")
    return str(stop.value)


@pytest.mark.parametrize("way", ["run", "ensemble", "simulator"])
def test_the_remedy_helps(stiff: ce.Model, way: str) -> None:
    words = failed(stiff, way)
    found = re.search(
        r"steps of 0.001 s are too long for rk4: .* take steps of at most (\S+) s or an implicit method",
        words,
    )
    assert found is not None, words
    step = float(found[1])
    assert 1e-4 < step <= 2.83e-4
    options: dict[str, Any] = {"duration": 0.05, "interval": 0.05}
    assert np.ptp(ce.simulate(stiff, **options, method="rk4", step=step)["body"].values) < 1e-3
    assert np.isfinite(ce.simulate(stiff, **options, method="rosenbrock")["body"].values).all()


def quintic(coefficient: float) -> ce.Model:
    """1 kg on a spring of force c x⁵."""
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    spring = ce.Polynomial([0.0, 0.0, 0.0, 0.0, 0.0, coefficient])
    system.add_force(ce.TorsionSpringDamper("spring", body, spring=spring))
    return ce.compile(system)


def test_other_failures_are_not_blamed_on_steps() -> None:
    """x¨ = x⁵ leaves for infinity by itself."""
    with pytest.raises(SimulationError) as stop:
        ce.simulate(quintic(-1.0), y0=[1.0, 0.0], duration=5.0, method="rk4")
    assert "too long" not in str(stop.value)


def test_linearly_implicit_steps_follow_their_stability_functions() -> None:
    """ẏ = λ y: 1/(1 − z) of the Euler method, (1 + (1 − 2γ) z)/(1 − γ z)² of ROS2."""
    A = np.array([[-3.0, 7.0], [-7.0, -3.0]])
    one, g, h = np.eye(2), ROSENBROCK.gamma, 0.3
    left = np.linalg.inv(one - g * h * A)
    expected = {
        IMPLICIT_EULER: np.linalg.inv(one - h * A),
        ROSENBROCK: (one + (1.0 - 2.0 * g) * h * A) @ left @ left,
    }
    y = np.array([0.4, -1.3])
    for method, R in expected.items():
        # central differences of a linear function: rounding over 1e-6
        np.testing.assert_allclose(method.step_plain(lambda z: A @ z, y, h), R @ y, rtol=1e-8)
        assert not is_unresolved(method, 1e3, lambda z: A @ z, y)  # however long: nothing linear grows


@pytest.mark.parametrize("method", [ROSENBROCK, IMPLICIT_EULER], ids=lambda m: m.name)
def test_implicit_steps_that_resolve_nothing_are_named(method: LinearlyImplicit) -> None:
    """x¨ = x⁵ has left for infinity after 1.22 s, which steps of 20 ms pass over."""
    options: dict[str, Any] = {"interval": 0.1, "method": method.name, "step": 0.02}
    with pytest.warns(AccuracyWarning, match=rf"steps of 0.02 s are too long for {method.name}: steps"):
        ce.simulate(quintic(-1.0), y0=[1.0, 0.0], duration=5.0, **options)
    message = (
        rf"steps of run 1 resolve nothing at t = (2.5|5) s; steps of 0.02 s are too long for {method.name}"
    )
    with pytest.warns(AccuracyWarning, match=message):
        ce.simulate_ensemble(quintic(-1.0), y0s=[[0.0, 0.0], [1.0, 0.0]], duration=5.0, **options)


class Saturating(ce.Law):
    """F = 1e4 tanh(1e3 x); its energy is not asked for."""

    def force(self, x: Any) -> Any:
        return 1e4 * tanh(1e3 * x)

    def energy(self, x: Any) -> Any:
        return 0.0 * x


def test_unstable_steps_whose_motion_stays_bounded_are_named() -> None:
    """At rest λ = -10 ± 3162 i 1/s, beyond 2√2/h of 1 ms; it saturates, so what grows stays bounded."""
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.TorsionSpringDamper("law", body, spring=Saturating(), damper=20.0))
    system.start(body, v=1.0)
    model = ce.compile(system)
    with pytest.warns(AccuracyWarning, match=r"at t = .* steps of 0.001 s are too long for rk4"):
        wrong = ce.simulate(model, duration=1.0, method="rk4")
    right = ce.simulate(model, duration=1.0, method="rk4", step=1e-4)  # without a warning
    # a speed of 1 m/s is damped away by exp(-10)
    assert abs(float(right["body_rate"][-1])) < 2.0 * np.exp(-10.0)
    assert abs(float(wrong["body_rate"][-1])) > 0.1


@pytest.mark.parametrize("method", [RK4, ROSENBROCK], ids=lambda m: m.name)
def test_steps_from_elsewhere_leave_the_stepper_alone(method: ExplicitRungeKutta | LinearlyImplicit) -> None:
    model = ce.compile(spring(400.0, 3.0))
    rhs = RightHandSide(model, None)
    given: dict[str, Any] = {"duration": 1.0, "method": method.name}
    options = RunOptions(**given)
    u = rhs.inputs_at(0.0, model.y0)
    stepper = make_stepper(options.settings, rhs.dynamics, rhs.control, u, model.y0, model)
    assert isinstance(stepper, FixedSteps)
    y = np.array((0.3, -1.2))
    rate = partial(rhs, 0.0)
    found = stepper.after(0.0, y, 2, 0.02)
    # rates of some hundred, Jacobians by central differences: 1e-9 of them in a step
    np.testing.assert_allclose(
        found, method.step_plain(rate, method.step_plain(rate, y, 0.02), 0.02), rtol=0.0, atol=1e-7
    )
    assert np.array_equal(stepper.y, model.y0)
    assert np.isnan(stepper.after(0.0, np.array((np.nan, 0.0)), 1, 0.02)).all()
