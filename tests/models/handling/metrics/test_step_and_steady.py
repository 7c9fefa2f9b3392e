"""Steady cornering and steps: closed forms of the linear single-track model."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.instants import crossing, largest, mean
from ce_dynamics.models.handling.metrics.steady_state import (
    lateral_acceleration_gain,
    steady_cornering,
    yaw_rate_gain,
)
from ce_dynamics.models.handling.metrics.step_response import step_response, tb_factor
from tests.models.handling.single_track import Car

UNDER, OVER = Car(), Car(C_f=130e3, C_r=80e3)


@pytest.mark.parametrize("car", [UNDER, OVER])
@pytest.mark.parametrize("way", ["radius", "speed", "steering"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_gradients_of_all_three_ways(car: Car, way: str, sign: float) -> None:
    ay = np.linspace(0.2, 4.0, 60)
    if way == "radius":
        v = np.sqrt(ay * 60.0)
    elif way == "speed":
        v = np.full_like(ay, 16.0)
    else:  # δ = L a/v² + K a at one δ, which the speed follows
        v = np.sqrt(car.L * ay / (0.08 - car.K * ay))
    steer = car.L * ay / v**2 + car.K * ay
    found = steady_cornering(sign * steer, sign * ay, v, car.L, roll=0.01 * sign * ay)
    # arithmetic of some ten operations on numbers of order 0.1: a few hundred ulp of them in K
    assert found.understeer_gradient == pytest.approx(car.K, abs=1e-14)
    assert found.roll_gradient == pytest.approx(0.01, abs=1e-14)
    assert found.largest_lateral_acceleration == 4.0
    assert math.isnan(found.sideslip_gradient)
    A, _ = car.matrices(20.0)
    if car.K > 0.0:  # the yaw rate gain B(v)/det A(v) is largest at the characteristic speed
        gains = [yaw_gain(car, found.characteristic_speed * part) for part in (0.99, 1.0, 1.01)]
        assert gains[1] > max(gains[0], gains[2])
        assert math.isnan(found.critical_speed)
    else:  # where A becomes singular
        A, _ = car.matrices(found.critical_speed)
        assert abs(np.linalg.det(A)) < 1e-12 * np.linalg.norm(A) ** 2
        assert math.isnan(found.characteristic_speed)


def yaw_gain(car: Car, v: float) -> float:
    A, B = car.matrices(v)
    return float(-np.linalg.solve(A, B)[1])


def test_gains_are_those_of_the_equations_of_motion() -> None:
    for v in (5.0, 20.0, 60.0):
        assert yaw_rate_gain(v, UNDER.L, UNDER.K) == pytest.approx(yaw_gain(UNDER, v), rel=1e-12)
        assert lateral_acceleration_gain(v, UNDER.L, UNDER.K) == pytest.approx(
            v * yaw_gain(UNDER, v), rel=1e-12
        )


def test_gradients_need_points() -> None:
    with pytest.raises(DataError, match=r"0 points lie between 0.5 and 3 m/s².*0.4 m/s² was reached"):
        steady_cornering(np.zeros(9), np.linspace(0.0, 0.4, 9), np.full(9, 10.0), 2.8)


@pytest.mark.parametrize("v", [15.0, 30.0, 45.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_step_response_has_the_closed_form_s_times(v: float, sign: float) -> None:
    """ψ̇/δ = G (T s + 1) ω²/(s² + 2 σ s + ω²), so that with c = (σ − T ω²)/ω_d
    ψ̇(t) = G (1 − e^−σt (cos ω_d t + c sin ω_d t)), whose slope vanishes at tan ω_d t = −T ω²/(ω_d + c σ).
    """
    A, B = UNDER.matrices(v)
    sigma, omega2 = -0.5 * float(np.trace(A)), float(np.linalg.det(A))
    omega_d = math.sqrt(omega2 - sigma**2)
    G = yaw_gain(UNDER, v)
    T = float(B[1]) / (G * omega2)  # the initial slope of ψ̇ is B[1]
    c = (sigma - T * omega2) / omega_d

    def closed(t: float) -> float:
        return 1.0 - math.exp(-sigma * t) * (math.cos(omega_d * t) + c * math.sin(omega_d * t))

    peak = math.atan2(T * omega2, -(omega_d + c * sigma)) / omega_d
    assert closed(peak) > 1.0
    h, begin, delta = 1e-3, 1.0, sign * 0.02
    t = np.arange(0.0, begin + 20.0 / sigma, h)
    steer = np.where(t >= begin - 1e-9, delta, 0.0)
    rate = np.array([G * delta * closed(x - begin) if x > begin else 0.0 for x in t])
    found = step_response(t, steer, rate)
    # the sampled step passes one half h/2 before the true one; lines between samples are off by h² ψ̈/8 over
    # the slope, the parabola by h² times ψ⃛/ψ̈/6 in time: with rates below 10/s both are below 1e-5 s
    times = found.delay, found.response_time, found.peak_time
    for got, expected in zip(
        times,
        (brentq(lambda x: closed(x) - 0.5, 0.0, peak), brentq(lambda x: closed(x) - 0.9, 0.0, peak), peak),
        strict=True,
    ):
        assert got == pytest.approx(expected + 0.5 * h, abs=2e-5)
    # what is left of e^−σt in the window, and the parabola's h³
    assert found.steady == pytest.approx(G * delta, rel=1e-6)
    assert found.gain == pytest.approx(G, rel=1e-6)
    assert found.overshoot == pytest.approx(closed(peak) - 1.0, abs=1e-6)


def test_a_creeping_response_has_no_peak() -> None:
    t = np.linspace(0.0, 10.0, 2001)
    found = step_response(t, np.where(t < 1.0, 0.0, 1.0), np.where(t < 1.0, 0.0, 1.0 - np.exp(1.0 - t)))
    assert math.isnan(found.peak_time)
    assert found.overshoot == 0.0
    noisy = np.where(t < 1.0, 0.0, 1.0 - np.exp(1.0 - t)) * (1.0 + 2e-4 * np.exp(-((t - 7.0) ** 2)))
    assert math.isnan(step_response(t, np.where(t < 1.0, 0.0, 1.0), noisy).peak_time)
    assert found.response_time == pytest.approx(
        math.log(10.0), abs=5e-3
    )  # the mean of the end is below 1 by e^−8.75


def test_what_is_not_steady_is_refused() -> None:
    t = np.linspace(0.0, 3.0, 301)
    with pytest.raises(DataError, match=r"not steady at the end.*more than 5 %"):
        step_response(t, np.ones_like(t), t)
    with pytest.raises(DataError, match="ends at zero"):
        step_response(t, np.zeros_like(t), t)
    with pytest.raises(DataError, match="three rising instants"):
        step_response(t[::-1], t, t)
    with pytest.raises(DataError, match="signal 2"):
        step_response(t, t, np.full_like(t, np.nan))


def test_tb_factor_is_positive() -> None:
    assert tb_factor(-0.02, 0.4) == pytest.approx(0.008)


def test_instants_between_samples() -> None:
    t = np.linspace(0.0, 2.0, 21)
    assert crossing(t, t**1, 0.55) == pytest.approx(0.55)
    assert crossing(t, np.ones_like(t), 0.5, after=0.33) == pytest.approx(0.4)
    assert math.isnan(crossing(t, t, 3.0))
    top = largest(t, 5.0 - (t - 0.777) ** 2)  # of a parabola it is exact
    assert top == pytest.approx((0.777, 5.0))
    assert largest(t, t) == (2.0, 2.0)
    assert mean(t, t, 0.5, 1.5) == pytest.approx(1.0)
    with pytest.raises(DataError, match="ends at 2 s"):
        mean(t, t, 1.5, 2.5)
