"""Random roads: their spectrum against the standard's, coherence of the tracks, seeds."""

import math

import numpy as np
import pytest
from scipy import signal

from ce_dynamics.compiler import trace
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.iso8608 import BAND, RandomRoad, coherence, roughness

LENGTH = 2000.0


def sampled(road: RandomRoad, y: float, step: float) -> np.ndarray:
    x = np.arange(0.0, road.length, step) + road.length
    height = trace("height", lambda x: {"z": road.height(x[0], y)}, {"x": 1})
    return height.evaluate_many(x=x[:, None])["z"]


@pytest.fixture(scope="module")
def tracks() -> tuple[RandomRoad, float, np.ndarray, np.ndarray]:
    road = RandomRoad(0.8, "D", seed=11, length=LENGTH)
    step = 0.125
    return road, step, sampled(road, 0.5 * road.track, step), sampled(road, -0.5 * road.track, step)


@pytest.mark.parametrize(("name", "expected"), [("A", 16e-6), ("C", 256e-6), ("H", 262144e-6)])
def test_classes_are_those_of_the_standard(name: str, expected: float) -> None:
    """ISO 8608:2016, table C.1, geometric means of G_d(n_0)."""
    assert roughness(name) == pytest.approx(expected, rel=1e-12)
    assert roughness(name.lower()) == roughness(name)


def test_spectrum_is_that_of_the_class(
    tracks: tuple[RandomRoad, float, np.ndarray, np.ndarray],
) -> None:
    """Within 1 dB of G_d(n_0) (n/n_0)^−2, in octaves over the band of the standard."""
    _road, step, left, right = tracks
    for z in (left, right):
        n, psd = signal.periodogram(z, fs=1.0 / step, detrend=False)
        low = BAND[0]
        while low < BAND[1]:
            high = min(2.0 * low, BAND[1])
            within = (n >= low) & (n < high)
            power = float(np.sum(psd[within])) * n[1]
            expected = 256e-6 * 4.0 * 0.01 * (1.0 / low - 1.0 / high)  # ∫ G dn of class D
            edge = 2.0 * n[1] / (high - low)  # harmonics at the ends of the band belong to it or not
            assert abs(10.0 * math.log10(power / expected)) < 1.0 + 4.3 * edge
            low = high


def test_tracks_go_together_in_long_waves(
    tracks: tuple[RandomRoad, float, np.ndarray, np.ndarray],
) -> None:
    road, step, left, right = tracks
    spectra = np.fft.rfft(left), np.fft.rfft(right)
    n = np.asarray(np.fft.rfftfreq(left.size, step), dtype=np.float64)
    for low, high in ((0.011, 0.05), (0.1, 0.2), (0.3, 0.5), (1.0, 2.0)):
        within = (n >= low) & (n < high)
        a, b = (s[within] * n[within] for s in spectra)
        found = float(np.real(np.vdot(a, b)) / (np.linalg.norm(a) * np.linalg.norm(b)))
        expected = float(np.mean(coherence(n[within], road.track, 2.0)))
        # a mean of cosines: standard deviation at most 1/√(2 N)
        assert abs(found - expected) < 4.0 / math.sqrt(2.0 * within.sum())


def test_coherence_is_that_of_an_isotropic_surface() -> None:
    """From the surface's own two-dimensional spectrum by quadrature: S(k) ∝ k^−3 gives tracks of n^−2."""
    t = 1.6
    for n in (0.05, 0.2, 0.7):
        m = np.linspace(0.0, 400.0, 2_000_001)  # spatial frequency across
        surface = (n**2 + m**2) ** -1.5
        cross = np.trapezoid(surface * np.cos(2.0 * np.pi * m * t), m)
        assert float(coherence(np.array([n]), t, 2.0)[0]) == pytest.approx(
            float(cross / np.trapezoid(surface, m)), abs=2e-4
        )


def test_seeds_make_roads() -> None:
    one, same, other = (RandomRoad(0.8, "B", seed=seed, length=200.0) for seed in (1, 1, 2))
    heights = [[road.height(x, 0.8) for x in (30.0, 51.7, 130.2)] for road in (one, same, other)]
    assert heights[0] == heights[1] != heights[2]
    assert one.height(3.0, 0.4) == 0.0  # it begins even
    assert one.height(250.0, 0.4) == pytest.approx(one.height(450.0, 0.4), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"road_class": "J"}, "class"),
        ({"seed": -1}, "seed"),
        ({"track": 0.0}, "track"),
        ({"length": 50.0}, "length"),
        ({"shortest": 100.0}, "longest"),
    ],
)
def test_wrong_numbers_are_named(words: dict[str, object], match: str) -> None:
    with pytest.raises(DataError, match=match):
        RandomRoad(0.8, **words)
