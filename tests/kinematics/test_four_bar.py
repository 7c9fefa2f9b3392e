"""The four-bar in the paper's symbols: (15)-(27) and their second order."""

import math

import numpy as np
import pytest
import sympy

from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.four_bar import (
    Direction,
    FourBar,
    four_bar_angles,
    four_bar_rates,
    four_bar_second,
)
from tests.kinematics.bench import BenchState, bench

EPS = np.finfo(float).eps
BARS = (1.2, 0.36, 1.0, 0.9)  # a, b, c, d: a crank-rocker


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_loop_equation_and_arc_cosine_form(branch: float) -> None:
    """(15) holds, and θ4 is γ ± acos(...) of (20)."""
    a, b, c, d = BARS
    for theta in np.linspace(-3.0, 3.0, 31):
        angles = four_bar_angles(a, b, c, d, theta, branch)
        theta_3, theta_4 = angles.theta_3.angle, angles.theta_4.angle
        gap = a + b * np.exp(1j * theta) - c * np.exp(1j * theta_3) - d * np.exp(1j * theta_4)
        assert abs(gap) <= 10 * EPS
        x, y = a + b * math.cos(theta), b * math.sin(theta)
        gamma = math.atan2(y, x)
        assert angles.gamma == pytest.approx(gamma, abs=4 * EPS)
        by_arc_cosine = gamma + branch * math.acos(
            (x * x + y * y + d * d - c * c) / (2 * d * math.hypot(x, y))
        )
        assert math.remainder(theta_4 - by_arc_cosine, 2 * math.pi) == pytest.approx(0.0, abs=20 * EPS)


def test_an_angle_and_its_direction_give_the_same() -> None:
    theta = 0.83
    by_angle = four_bar_angles(*BARS, theta, 1.0)
    by_direction = four_bar_angles(*BARS, Direction(math.cos(theta), math.sin(theta)), 1.0)
    assert by_angle == by_direction


def test_rates_and_second_order_by_symbolic_differentiation() -> None:
    """Differentiate (15) itself, solve for θ3', θ4' and θ3'', θ4'', compare with p, q, dp, dq."""
    theta = sympy.Symbol("theta")
    a, b, c, d = sympy.symbols("a b c d", positive=True)
    theta_3, theta_4 = (sympy.Function(name)(theta) for name in ("theta_3", "theta_4"))
    loop = sympy.Matrix(
        [
            a + b * sympy.cos(theta) - c * sympy.cos(theta_3) - d * sympy.cos(theta_4),
            b * sympy.sin(theta) - c * sympy.sin(theta_3) - d * sympy.sin(theta_4),
        ]
    )
    first = [theta_3.diff(theta), theta_4.diff(theta)]
    second = [theta_3.diff(theta, 2), theta_4.diff(theta, 2)]
    rates = sympy.solve(list(loop.diff(theta)), first, dict=True)[0]
    seconds = sympy.solve(list(loop.diff(theta, 2)), second, dict=True)[0]
    t3, t4, p, q = sympy.symbols("t3 t4 p q")
    plain = [(first[0], p), (first[1], q), (theta_3, t3), (theta_4, t4)]
    expected_rates = sympy.lambdify((theta, t3, t4, a, b, c, d), [rates[f].subs(plain[2:]) for f in first])
    expected_second = sympy.lambdify(
        (theta, t3, t4, p, q, a, b, c, d), [seconds[f].subs(plain) for f in second]
    )
    rng = np.random.default_rng(0)
    for branch in (1.0, -1.0):
        for value in rng.uniform(-3.0, 3.0, 40):
            _, b_, c_, d_ = BARS
            angles = four_bar_angles(*BARS, value, branch)
            rate = four_bar_rates(b_, c_, d_, angles)
            t = (value, angles.theta_3.angle, angles.theta_4.angle)
            # sin(θ3 − θ4) divides once for rates, once more for the second order
            kappa = 1.0 / abs(math.sin(t[1] - t[2]))
            np.testing.assert_allclose(rate, expected_rates(*t, *BARS), rtol=0.0, atol=30 * EPS * kappa**2)
            change = four_bar_second(b_, c_, d_, angles, rate)
            expected = expected_second(*t, *rate, *BARS)
            np.testing.assert_allclose(change, expected, rtol=0.0, atol=60 * EPS * kappa**3)


def test_X_S_of_the_paper() -> None:
    """(22), (27): rates of ∠NDO, ∠OFG and ∠RGA, and [dp, dq − dp, −dq] θ̇²; the last is the closure's own."""
    b = bench("four-bar, skew")
    linkage = b.linkage
    assert isinstance(linkage, FourBar)
    loop = linkage.loop
    rate, turned_by = 1.7, 0.6
    motion = b.motion(BenchState(np.array((turned_by,)), np.array((rate,)), np.zeros(3)))
    theta = loop.theta_0.angle + turned_by
    angles = four_bar_angles(loop.a, loop.b, loop.c, loop.d, theta, loop.branch)
    rates = four_bar_rates(loop.b, loop.c, loop.d, angles)
    dp, dq = four_bar_second(loop.b, loop.c, loop.d, angles, rates)
    closure = linkage.closure_turning(motion)
    X = [*b.stack(motion, "X")[:, 0], closure.rate.X[0]]
    bias = [*b.stack(motion, "bias"), closure.rate.bias]
    np.testing.assert_allclose(X, rates.X, rtol=0.0, atol=20 * EPS)
    np.testing.assert_allclose(bias, np.array((dp, dq - dp, -dq)) * rate**2, rtol=0.0, atol=60 * EPS)
    # the angles of all four hinges of a quadrilateral: turning once around adds nothing
    chain = sum(b.coordinates(motion)) + turned_by + closure.turned.angle
    assert math.remainder(chain, 2 * math.pi) == pytest.approx(0.0, abs=10 * EPS)


def test_beyond_the_reach_is_nan() -> None:
    angles = four_bar_angles(1.0, 0.9, 0.5, 0.6, math.pi / 2, 1.0)
    assert math.isnan(angles.theta_4.cos)
    assert math.isnan(angles.theta_3.sin)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (((0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 0, 0)), "points AD coincide as seen along the axis"),
        (((0, 0, 0), (1, 1, 0), (1, 1, 0), (1, 0, 0)), "points FD coincide"),
        (((0, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 0)), "points GA coincide"),
        (((0, 0, 0), (0, 1, 0), (0.5, 0.5, 0), (1, 0, 0)), "dead point: D, F and G are in line"),
        (((0, 0, 0), (0, math.nan, 0), (1, 1, 0), (1, 0, 0)), "point D"),
    ],
)
def test_refused_geometry(points: tuple[tuple[float, float, float], ...], message: str) -> None:
    A, D, F, G = points
    with pytest.raises(ModelError, match=message):
        FourBar(A, D, F, G, axis=(0, 0, 1))
