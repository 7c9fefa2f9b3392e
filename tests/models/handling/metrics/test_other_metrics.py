"""Frequency response, braking, turns, dwell, wheel lift, lanes, spectra: signals with known answers."""

import math

import numpy as np
import pytest
from scipy.signal import lsim

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.driving_modes import power_spectrum, weigh_acceleration
from ce_dynamics.models.handling.metrics.frequency_response import (
    Complex,
    FrequencyResponse,
    frequency_response,
    shape,
)
from ce_dynamics.models.handling.metrics.instants import braking, time_over, times_to
from ce_dynamics.models.handling.metrics.step_response import random_response
from ce_dynamics.models.handling.metrics.turn import (
    DwellResponse,
    TurnReaction,
    dwell_response,
    least_displacement,
    turn_reaction,
    wheel_lift,
)
from ce_dynamics.models.parts.manoeuvres import Gate
from ce_dynamics.models.vehicles.driving import AxlePath, clearance
from ce_dynamics.models.vehicles.summary import W_K
from tests.models.handling.single_track import Car


def test_frequency_response_of_the_single_track_model() -> None:
    car, v = Car(), 25.0
    A, B = car.matrices(v)
    t = np.linspace(0.0, 12.0, 12001)
    x = np.where((t > 1.0) & (t < 1.4), np.sin(np.pi * (t - 1.0) / 0.4) ** 2, 0.0)
    _, y, _ = lsim((A, B[:, np.newaxis], np.eye(2), np.zeros((2, 1))), x, t)
    f = np.linspace(0.2, 2.5, 47)
    yaw, _ = car.response(v, f)
    found = frequency_response(t, x, y[:, 1], f)
    # lsim takes the input as linear between samples, whose spectrum is that of the samples times
    # (sin(ωh/2)/(ωh/2))²
    half = math.pi * f * 1e-3
    assert np.max(np.abs(found.ratio / (yaw * (np.sin(half) / half) ** 2) - 1.0)) < 1e-8
    read = shape(found)
    k = int(np.argmax(np.abs(yaw)))
    assert read.resonance == f[k]
    assert read.peak_ratio == pytest.approx(abs(yaw[k] / yaw[0]), rel=1e-4)


def test_the_coherence_of_noise_that_is_added() -> None:
    """A response that is twice the steering, and as much noise again as a quarter of its power: γ² = 0.8.

    39 segments that overlap by half count as 27 or so: γ² is off by 2 γ (1 − γ²)/√(2·27) each.
    """
    rng = np.random.default_rng(4)
    t = np.arange(0.0, 400.005, 0.01)
    x = rng.normal(size=len(t))
    y = 2.0 * x + rng.normal(size=len(t))
    found = random_response(t, x, y, 1.0, 20.0, 20.0)
    assert found.segments == 39
    assert np.mean(found.coherence) == pytest.approx(0.8, abs=0.01)
    assert np.mean(found.response.ratio) == pytest.approx(2.0, abs=0.01)
    with pytest.raises(DataError, match="has 3 segments"):
        random_response(t[:4001], x[:4001], y[:4001], 1.0, 20.0, 20.0)
    with pytest.raises(DataError, match="no frequency"):
        random_response(t, x, y, 1.02, 1.03, 20.0)


def test_shape_of_a_first_order_system() -> None:
    f = np.linspace(0.01, 4.0, 4000)
    T = 0.2
    ratio: Complex = np.asarray(3.0 / (1.0 + 2j * math.pi * f * T), dtype=np.complex128)
    read = shape(FrequencyResponse(f, ratio))
    corner = 1.0 / (2.0 * math.pi * T)
    # relative to the gain at 0.01 Hz, which is below 3 by (2π 0.01 T)²/2 = 8e-5
    assert read.bandwidth == pytest.approx(corner, rel=5e-4)
    assert read.quarter_turn == pytest.approx(corner, rel=1e-5)
    assert read.equivalent_delay == pytest.approx(T, rel=1e-5)
    assert math.isnan(read.resonance)


def test_records_that_say_nothing_are_refused() -> None:
    t = np.linspace(0.0, 10.0, 1001)
    pulse = np.exp(-((t - 3.0) ** 2))
    with pytest.raises(DataError, match="begin and end at rest"):
        frequency_response(t, t, pulse, [1.0])
    with pytest.raises(DataError, match="does not excite 40 Hz"):
        frequency_response(t, pulse, pulse, [0.1, 40.0])
    with pytest.raises(DataError, match="below 50 Hz"):
        frequency_response(t, pulse, pulse, [60.0])


def test_braking_at_constant_deceleration() -> None:
    v0, a, begin = 27.0, 8.0, 1.0
    t = np.linspace(0.0, 6.0, 6001)
    v = np.clip(v0 - a * np.clip(t - begin, 0.0, None), 0.0, None)
    found = braking(t, v, begin)
    # it stands at 0.1 m/s: the last 0.1²/(2 a) of the way and 0.1/a of the time are not counted
    # and between samples the way, a parabola, is taken as linear: a h²/8
    assert found.distance == pytest.approx((v0**2 - 0.01) / (2.0 * a), abs=1.01 * a * 1e-6 / 8.0)
    assert found.time == pytest.approx((v0 - 0.1) / a, abs=1e-9)
    assert found.mean_deceleration == pytest.approx(a, rel=1e-7)  # twice that of 29 m
    assert found.largest_deceleration == pytest.approx(a, rel=1e-9)
    never = braking(t[:2000], v[:2000], begin)
    assert math.isnan(never.distance)
    with pytest.raises(DataError, match=r"more than 0\.1 m/s"):
        braking(t, v, 5.0)


def test_accelerating_uniformly() -> None:
    t = np.linspace(0.0, 10.0, 1001)
    assert times_to(t, 3.0 * t, 0.0, [15.0, 40.0]) == pytest.approx([5.0, math.nan], nan_ok=True)
    time, speed = time_over(t, 3.0 * t, 0.0, 100.0)
    # s = 3/2 t²: of linear speeds the trapezoidal rule is exact; between samples the way is taken as linear,
    # which is 3 h²/8 off
    assert time == pytest.approx(math.sqrt(200.0 / 3.0), abs=1e-5)
    assert speed == pytest.approx(math.sqrt(600.0), abs=1e-4)


def circle(turn: float, sign: float, straight_after: bool) -> TurnReaction:
    """A vehicle on a circle of 50 m at 10 m/s that keeps to it or goes straight on; turned at will."""
    t = np.linspace(0.0, 10.0, 1001)
    event, R, v = 6.0, 50.0, 10.0
    angle = np.where((t > event) & straight_after, v * event / R, v * t / R)
    way = np.where((t > event) & straight_after, v * (t - event), 0.0)
    x, y = R * np.sin(angle) + way * np.cos(angle), R * (1.0 - np.cos(angle)) + way * np.sin(angle)
    rate = np.where((t > event) & straight_after, 0.0, v / R)
    c, s = math.cos(turn), math.sin(turn)
    y, angle, rate = sign * y, sign * angle, sign * rate
    return turn_reaction(
        t, c * x - s * y, s * x + c * y, np.full_like(t, v), rate, 0.0 * t, angle + turn, event, 10.0
    )


@pytest.mark.parametrize("turn", [0.0, 2.1, -3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_who_keeps_to_the_circle_deviates_nowhere(turn: float, sign: float) -> None:
    keeps, leaves = circle(turn, sign, False), circle(turn, sign, True)
    assert keeps.radius == pytest.approx(50.0)
    assert keeps.lateral_acceleration == pytest.approx(2.0)
    assert keeps.yaw_rate_ratio == pytest.approx(1.0)
    assert keeps.path_deviation == pytest.approx(0.0, abs=1e-9)
    assert leaves.yaw_rate_ratio == 0.0
    assert leaves.path_deviation == pytest.approx(50.0 - math.hypot(50.0, 10.0), abs=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sine_with_dwell_counts_from_the_second_peak(sign: float) -> None:
    t = np.linspace(0.0, 6.0, 601)
    rate = sign * np.where(t < 1.7, 0.8, np.where(t < 3.0, -0.5, -0.5 * np.exp(-(t - 3.0))))
    found = dwell_response(t, rate, sign * 1.5 * (t - 1.0), sign, 1.0, 1.7, 3.0)
    assert found.second_peak == pytest.approx(-sign * 0.5)
    assert found.yaw_rate_ratios == pytest.approx((math.exp(-1.0), math.exp(-1.75)), rel=1e-9)
    assert found.displacement == pytest.approx(1.5 * 1.07)
    assert not found.stable  # e^−1 = 37 %
    short = dwell_response(t[:350], rate[:350], t[:350], sign, 1.0, 1.7, 3.0)
    assert math.isnan(short.yaw_rate_ratios[1])
    assert not short.stable
    assert (least_displacement(3500.0), least_displacement(3501.0)) == (1.83, 1.52)


@pytest.mark.parametrize(
    ("ratios", "stable"),
    [((0.35, 0.20), True), ((0.351, 0.1), False), ((0.3, 0.201), False), ((0.35, 0.34), False)],
)
def test_sine_with_dwell_has_two_criteria(ratios: tuple[float, float], stable: bool) -> None:
    """FMVSS 126 S5.2.1, S5.2.2: 35 % of the second peak after 1 s, 20 % after 1.75 s."""
    assert DwellResponse(0.5, ratios, 2.0).stable is stable


def test_wheels_of_a_side_that_lift_together() -> None:
    t = np.linspace(0.0, 1.0, 11)
    left = np.full((11, 2), 2000.0)
    left[3:6, 0] = left[4:8, 1] = 0.0
    found = wheel_lift(t, left, np.full((11, 2), 4000.0), 0.1 * t)
    assert found.load_transfer == 1.0
    assert found.lifted_time == pytest.approx(0.1)  # samples 4 and 5
    assert found.largest_roll == pytest.approx(0.1)
    with pytest.raises(DataError, match="11 instants"):
        wheel_lift(t, left[:5], left, t)


def test_clearance_looks_at_every_axle() -> None:
    x = np.linspace(0.0, 30.0, 301)
    paths = [
        AxlePath.between(*(np.stack((x + ahead, off + side + 0.0 * x), axis=1) for side in (0.7, -0.7)))
        for ahead, off in ((1.5, 0.0), (-1.5, 0.1), (-3.0, -0.3))
    ]
    gates = [Gate(10.0, 20.0, -1.25, 1.25)]
    assert clearance(paths[:2], 1.8, gates) == pytest.approx(0.25)
    assert clearance(paths, 1.8, gates) == pytest.approx(0.05)
    assert math.isnan(clearance(paths, 1.8, [Gate(50.0, 60.0, -1.0, 1.0)]))


def test_spectrum_of_a_sine() -> None:
    t = np.arange(0.0, 40.0, 0.01)
    x = 3.0 * np.sin(2.0 * math.pi * 2.0 * t) + 1.0 * np.sin(2.0 * math.pi * 12.0 * t)
    spectrum = power_spectrum(t, x)
    # Hann windows spread a line over three bins and keep its power; 2 and 12 Hz are bins of their own
    assert spectrum.rms(1.0, 3.0) == pytest.approx(3.0 / math.sqrt(2.0), rel=1e-3)
    assert spectrum.rms(10.0, 14.0) == pytest.approx(1.0 / math.sqrt(2.0), rel=1e-3)
    one = np.sin(2.0 * math.pi * 5.0 * t)
    gain = abs(W_K.response(np.array([5.0])))[0]
    assert weigh_acceleration(t, one) == pytest.approx(
        gain / math.sqrt(2.0), rel=0.01
    )  # the beginning of 40 s rings
    with pytest.raises(DataError, match="let the run last longer"):
        power_spectrum(t[:100], x[:100])
