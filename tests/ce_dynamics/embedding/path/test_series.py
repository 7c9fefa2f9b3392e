"""Series against the functions they were sampled from."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.embedding.path.series import ChebyshevSeries, Series, Trigonometric

PERIOD = 3.0
OMEGA = 2.0 * math.pi / PERIOD
# Rounding of about 30 terms, times up to 30 ω ≈ 60 per derivative; near the ends of an interval of half width
# h = 0.75 times n²/h and n⁴/(3 h²) for derivatives of the n-th term.
TOLERANCES = {"periodic": (1e-14, 1e-12, 3e-11), "interval": (1e-14, 2e-12, 1e-9)}


def exact(s: Array, derivative: int) -> Array:
    """2 s + 1/(2 − cos ωs), and exp(sin ωs): analytic and periodic but for the slope."""
    c, d = np.cos(OMEGA * s), np.sin(OMEGA * s)
    f, e = 1.0 / (2.0 - c), np.exp(d)
    if derivative == 0:
        return np.array((2.0 * s + f, e)).T
    if derivative == 1:
        return np.array((2.0 - OMEGA * d * f**2, OMEGA * c * e)).T
    return np.array((OMEGA**2 * (2.0 * d**2 * f**3 - c * f**2), OMEGA**2 * (c * c - d) * e)).T


def periodic() -> Trigonometric:
    M, offset = 128, 0.37
    s = (np.arange(M) + offset) * PERIOD / M
    return Trigonometric.through(exact(s, 0), PERIOD, np.array((2.0, 0.0)), offset).truncate(1e-16)


def on_an_interval() -> ChebyshevSeries:
    s = ChebyshevSeries.nodes(128, -1.0, 0.5)
    return ChebyshevSeries.through(exact(s, 0), -1.0, 0.5).truncate(1e-16)


@pytest.mark.parametrize(("series", "kind"), [(periodic(), "periodic"), (on_an_interval(), "interval")])
def test_values_and_derivatives(series: Series, kind: str, rng: np.random.Generator) -> None:
    s = rng.uniform(max(series.lower, -7.0), min(series.upper, 7.0), 50)
    for derivative, tolerance in enumerate(TOLERANCES[kind]):
        expected = exact(s, derivative)
        np.testing.assert_allclose(series.at(s, derivative), expected, rtol=0.0, atol=tolerance)
        one_by_one = np.array([series.evaluate(float(x))[derivative] for x in s])
        np.testing.assert_allclose(one_by_one, expected, rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("series", [periodic(), on_an_interval()], ids=["periodic", "interval"])
def test_compiled_evaluation(series: Series) -> None:
    compiled = compile_function(
        trace("series", lambda s: dict(zip("abc", series.evaluate(s[0]), strict=True)), {"s": 1})
    )
    for s in (-0.9, 0.0, 0.49):
        for found, expected in zip(compiled(np.array((s,))), series.evaluate(s), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("series", [periodic(), on_an_interval()], ids=["periodic", "interval"])
def test_shifted(series: Trigonometric | ChebyshevSeries) -> None:
    s = np.array((-0.7, 0.1, 0.2))
    np.testing.assert_allclose(series.shift(0.25).at(s), exact(s + 0.25, 0), rtol=0.0, atol=1e-14)


def test_too_few_samples_show() -> None:
    """The upper third of the orders shows whether the samples were enough."""
    few = Trigonometric.through(
        exact(np.arange(16) * PERIOD / 16, 0), PERIOD, np.array((2.0, 0.0))
    ).largest_from(5)
    # the coefficients of 1/(2 − cos) fall like (2 − √3)^k, 1.15 · 0.268^5 = 1.6e-3
    assert few == pytest.approx(1.6e-3, rel=0.1)


def test_nan_outside_the_interval() -> None:
    series = on_an_interval()
    for s in (-1.0 - 1e-15, 0.5 + 1e-15, math.inf, math.nan):
        assert all(np.all(np.isnan(part)) for part in series.evaluate(s))
    for s in (-1.0, 0.5):
        np.testing.assert_allclose(series.evaluate(s).value, exact(np.array((s,)), 0)[0], atol=1e-14)


def test_a_line_has_no_terms() -> None:
    s = np.arange(64) * PERIOD / 64
    line = Trigonometric.through(np.outer(s, [1.0, -2.0]) + 0.5, PERIOD, np.array((1.0, -2.0)))
    line = line.truncate(1e-15)
    assert line.order == 0
    jet = line.evaluate(100.25)
    np.testing.assert_allclose(jet.value, (100.75, -200.0), rtol=1e-15)
    np.testing.assert_array_equal(jet.first, (1.0, -2.0))
    np.testing.assert_array_equal(jet.second, (0.0, 0.0))
