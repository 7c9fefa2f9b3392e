"""Weightings of ISO 2631-1: against the standard's table and against filters in time by SciPy."""

import math

import numpy as np
import pytest
from scipy import signal

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.summary import W_D, W_K, compute_weighted_rms


@pytest.mark.parametrize(
    ("f", "vertical", "horizontal"),
    [(0.5, 0.418, 0.853), (1.0, 0.482, 1.011), (2.0, 0.531, 0.890), (4.0, 0.967, 0.512), (8.0, 1.036, 0.253),
     (16.0, 0.768, 0.125), (31.5, 0.405, 0.0632)],
)  # fmt: skip
def test_weights_are_those_of_the_table(f: float, vertical: float, horizontal: float) -> None:
    """ISO 2631-1:1997, table 3, which has three or four digits."""
    at = np.array([f])
    assert abs(W_K.response(at)[0]) == pytest.approx(vertical, abs=1e-3)
    assert abs(W_D.response(at)[0]) == pytest.approx(horizontal, abs=1e-3)


def sections(vertical: bool) -> list[tuple[list[float], list[float]]]:
    """The transfer functions of the standard as polynomials of p, written here once more."""
    w = {k: 2.0 * math.pi * f for k, f in enumerate((0.4, 100.0, 12.5, 12.5, 2.37, 3.35), start=1)}
    if not vertical:
        w[3] = w[4] = 2.0 * math.pi * 2.0
    root = math.sqrt(2.0)
    found = [
        ([1.0, 0.0, 0.0], [1.0, root * w[1], w[1] ** 2]),
        ([w[2] ** 2], [1.0, root * w[2], w[2] ** 2]),
        ([w[4] ** 2 / w[3], w[4] ** 2], [1.0, w[4] / 0.63, w[4] ** 2]),
    ]
    if vertical:
        found.append(([1.0, w[5] / 0.91, w[5] ** 2], [1.0, w[6] / 0.91, w[6] ** 2]))
    return found


@pytest.mark.parametrize("vertical", [True, False])
def test_records_are_weighted_as_by_filters_in_time(vertical: bool) -> None:
    rng = np.random.default_rng(6)
    step = 1e-3
    t = np.asarray(step * np.arange(20_000), dtype=np.float64)
    noise = np.asarray(signal.lfilter([0.1], [1.0, -0.9], rng.normal(size=t.size)), dtype=np.float64)
    a = noise + 2.0 * np.sin(2.0 * math.pi * 1.3 * t)
    weighted = a
    for numerator, denominator in sections(vertical):
        weighted = signal.lfilter(*signal.bilinear(numerator, denominator, 1.0 / step), weighted)
    expected = math.sqrt(float(np.mean(weighted**2)))
    # the bilinear rule warps 100 Hz by (π/10)²/12 = 0.8 %
    assert compute_weighted_rms(t, a, W_K if vertical else W_D) == pytest.approx(expected, rel=5e-3)


def test_a_long_sine_has_its_weight() -> None:
    t = np.arange(0.0, 200.0, 0.01)
    found = compute_weighted_rms(t, 3.0 * np.sin(2.0 * math.pi * 5.0 * t), W_K)
    assert found == pytest.approx(3.0 / math.sqrt(2.0) * abs(W_K.response(np.array([5.0]))[0]), rel=2e-3)


def test_a_record_is_needed() -> None:
    with pytest.raises(DataError, match="two instants"):
        compute_weighted_rms(np.zeros(1), np.zeros(1), W_K)
