"""Advice of a method: limits known from the literature, steps that keep what they promise."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import sin, sqrt, where
from ce_dynamics.compiled.integration_methods import EMBEDDED, METHOD_OF
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.recommend import GRID, accurate_step, stable_step

NEXT = GRID[1] / GRID[0]


def height(body: Any, ground: Any, o: Any) -> Any:
    return o.point(body, np.array([1.0, 0.0, 0.0]), ground).r[2]


def pendulum(damper: float = 0.1, spring: float = 3.0) -> ce.System:
    """A pendulum with a light wheel on its tip, which a damper holds."""
    system = ce.System(gravity=(0, 0, -9.81))
    arm = system.add_body("arm", mass=1.0, com=(0.5, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    wheel = system.add_body(
        "wheel", mass=0.1, com=(1.0, 0, 0), inertia=(1e-3, 1e-3, 1e-3), parent=arm,
        hinge=ce.Revolute((0, 1, 0), at=(1.0, 0, 0)),
    )  # fmt: skip
    system.add_output("height", "m", partial(height, wheel, system.ground))
    system.add_force(ce.TorsionSpringDamper("hub", arm, spring=spring, damper=0.1))
    system.add_input("torque", "N*m")
    system.add_force(ce.AppliedWrench("motor", arm, torque=(0, "torque", 0), at=(0, 0, 0)))
    system.add_force(ce.TorsionSpringDamper("bearing", wheel, spring=1.0, damper=damper))
    return system


@pytest.fixture(scope="module")
def smooth() -> ce.Model:
    return ce.compile(pendulum())


@pytest.fixture(scope="module")
def stiff() -> ce.Model:
    """λ = −damper / inertia of the wheel, some −5·10⁴ 1/s."""
    return ce.compile(pendulum(damper=50.0))


# Ends of the stability intervals: of RK4 on the real axis 2.7853 (the root of 1 + z/2 + z²/6 + z³/24) and on
# the imaginary one √8, of Dormand and Prince's pair 3.3066 (Hairer, Wanner: Solving ODEs II, IV.2).


@pytest.mark.parametrize(
    ("name", "eigenvalue", "end"),
    [
        ("rk4", -100.0, 2.785293563405282),
        ("rk4", 100.0j, np.sqrt(8.0)),
        ("dopri5", -100.0, 3.3066),
        ("dopri5", 40.0, np.inf),  # the motion itself grows, and no slower
        ("rosenbrock", -1e9, np.inf),
    ],
)
def test_limits_of_stability(name: str, eigenvalue: complex, end: float) -> None:
    found = stable_step(METHOD_OF[name], np.array([eigenvalue, 0.0]))
    if np.isinf(end):
        assert np.isinf(found)
    else:
        assert end / NEXT * (1 - 1e-4) <= abs(eigenvalue) * found <= end * (1 + 1e-3)


def test_eigenvector_after_a_step_of_the_pair() -> None:
    """exp z to order 5; the next coefficient is 1/600, not 1/720 (Hairer, Wanner, IV.2)."""
    z = np.array([0.05, 0.05j, -0.04 + 0.03j])
    series = sum(z**k / float(np.prod(range(1, k + 1))) for k in range(6)) + z**6 / 600.0
    np.testing.assert_allclose(EMBEDDED["dopri5"].amplification(z), series, rtol=4e-16)


@pytest.mark.parametrize("name", ["rk4", "rosenbrock", "implicit-euler"])
def test_a_step_is_as_accurate_as_documented(smooth: ce.Model, name: str) -> None:
    """By SciPy's DOP853 at 1e-13: the step keeps the tolerance, and one of 1.5 times its length does not.

    The measured difference is 1 − 2⁻ᵖ of the error to leading order, so that 1.3 covers what comes next; an
    error of order p + 1 grows by at least 1.5² with the step.
    """
    method, tolerance = METHOD_OF[name], 1e-6
    y0 = np.array([0.4, -0.2, 1.0, 0.5])

    def rate(z: Any) -> Any:
        return np.append(smooth.dynamics(z[:-1], smooth.u0)[0], 1.0)

    z = np.append(y0, 0.0)
    h = accurate_step(method, rate, z, tolerance, 10.0)

    def size(step: float) -> float:
        exact = solve_ivp(lambda t, x: rate(x), (0, step), z, method="DOP853", rtol=1e-13, atol=1e-14).y[
            :, -1
        ]
        made = method.step_plain(rate, z, step)  # type: ignore[attr-defined]
        scale = 0.01 * tolerance + tolerance * np.maximum(abs(y0), abs(exact[:-1]))
        return float(np.sqrt(np.mean(((made - exact)[:-1] / scale) ** 2)))

    assert size(h) <= 1.3
    assert size(1.5 * h) > 1.0


def test_a_smooth_motion_is_left_to_adaptive_steps(smooth: ce.Model) -> None:
    y0 = smooth.state([0.5, 0.0], [0.0, 2.0])
    advice = ce.recommend_method(smooth, y0, 1e-7)
    assert advice.options == {"method": "tsit5", "rtol": 1e-7, "atol": 1e-9}
    assert any("not stiff" in reason for reason in advice.reasons)
    assert set(advice.prospects) == set(METHOD_OF)
    expected = np.linalg.eigvals(smooth.linearize(y0).A)
    assert (
        abs(abs(advice.eigenvalues[0]) / abs(expected).max() - 1.0) < 0.2
    )  # along the way it differs a little
    for pair in EMBEDDED:
        run = ce.simulate(smooth, y0=y0, duration=1.0, **{**advice.options, "method": pair})
        assert run.attrs["steps"] == round(1.0 / advice.prospects[pair].step)
        assert run.attrs["evaluations"] == pytest.approx(advice.prospects[pair].evaluations)
    assert advice.prospects["tsit5"].evaluations < advice.prospects["dopri5"].evaluations
    assert "tsit5, rtol=1e-07" in str(advice)
    assert "stable to" in str(advice)


def test_stiff_motion_is_left_to_an_implicit_method(stiff: ce.Model) -> None:
    """The wheel stands against the bearing within 20 µs; the pendulum swings in a second."""
    y0 = stiff.state([0.5, 0.0], [0.0, 0.0])
    advice = ce.recommend_method(stiff, y0, 1e-4)
    fastest = advice.eigenvalues[0].real
    assert fastest < -4e4
    assert advice.method == "rosenbrock"
    assert advice.prospects["rk4"].limit == "stability"
    assert advice.prospects["rk4"].step <= 2.7853 / -fastest
    assert any("limit of stability" in reason for reason in advice.reasons)
    step = advice.options["step"]
    assert step > 10.0 * 2.7853 / -fastest
    run = ce.simulate(stiff, y0=y0, duration=1.0, interval=0.1, **advice.options)
    exact = ce.simulate(stiff, y0=y0, duration=1.0, interval=0.1, method="Radau", rtol=1e-10, atol=1e-12)
    # 1 / step errors of 1e-4 at most; they do not all add up.
    assert abs(run["arm"] - exact["arm"]).max() < 1e-4 / step


class Square:
    """A torque that changes its sign every 20 ms."""

    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"torque": where(sin(50.0 * np.pi * t) > 0.0, 5.0, -5.0)}


class Root:
    """A torque with a vertical slope where the arm is level."""

    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"torque": sqrt(sensors["height"] * sensors["height"]) ** 0.5}


def test_motion_that_is_not_smooth_needs_adaptive_steps(smooth: ce.Model) -> None:
    advice = ce.recommend_method(smooth, smooth.state([0.5, 0.0], [0.0, 2.0]), 1e-5, inputs=Square())
    assert advice.method in EMBEDDED
    assert any("not smooth" in reason for reason in advice.reasons)


def test_points_without_a_recommendation(smooth: ce.Model) -> None:
    still = smooth.resting(smooth.equilibrium(smooth.y0).y)
    for given, error, message in (
        ({"y": still, "horizon": 0.5}, SimulationError, r"nothing moves within 0\.5 s"),
        ({"inputs": Root()}, SimulationError, r"derivatives of the accelerations are not finite at t = 0 s"),
        ({"tolerance": 2.0}, ModelError, "rtol"),
        ({"horizon": 0.0}, ModelError, "horizon"),
        ({"y": [0.0]}, ModelError, "y0"),
    ):
        with pytest.raises(error, match=message):
            ce.recommend_method(smooth, **given)
    with pytest.raises(ModelError, match="recommend_method: model"):
        ce.recommend_method("pendulum")  # type: ignore[arg-type]
