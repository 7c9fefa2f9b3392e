"""Statistics merged from batches, against those of all numbers together."""

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.studies.statistics import ROWS, STRATA, merge_statistics, partial


def batches(values: Floats, size: int) -> Floats:
    return np.stack([partial(values[k : k + size], k) for k in range(0, len(values), size)])


@pytest.mark.parametrize("size", [1, 7, 100, 101, 350])
def test_quantiles_have_the_promised_rank(size: int) -> None:
    """Sorted, shuffled and heavy-tailed numbers: every batch may be of a kind of its own."""
    rng = np.random.default_rng(3)
    n = 4200
    values = np.stack([np.arange(n) * 1.0, rng.permutation(n) * 1.0, rng.standard_cauchy(n)], axis=1)
    levels = (0.0, 0.001, 0.05, 0.5, 0.77, 1.0)
    found = merge_statistics(batches(values, size), levels).quantiles
    allowed = 0.0 if size <= STRATA else 0.5 / STRATA + 1.0 / size
    for q, row in zip(levels, found, strict=True):
        for column, x in enumerate(row):
            below, upto = np.mean(values[:, column] < x), np.mean(values[:, column] <= x)
            assert below - allowed - 1e-12 <= max(q, 1.0 / n)
            assert upto + allowed + 1e-12 >= q
    if size <= STRATA:
        np.testing.assert_array_equal(found, np.quantile(values, levels, axis=0, method="inverted_cdf"))


def test_moments_far_from_zero() -> None:
    """For numbers of size 1e8 that differ by 1, a rounded mean and each deviation are right to some 1e-8."""
    values = 1e8 + np.random.default_rng(0).normal(size=(1000, 2))
    found = merge_statistics(batches(values, 64), ())
    np.testing.assert_allclose(found.deviation, values.std(axis=0, ddof=1), rtol=1e-6)
    np.testing.assert_allclose(found.mean, values.mean(axis=0), rtol=1e-15)
    np.testing.assert_array_equal(found.run_of_lowest, values.argmin(axis=0))
    np.testing.assert_array_equal(found.highest, values.max(axis=0))


def test_what_is_not_finite_is_left_out() -> None:
    values = np.full((250, 3), np.nan)
    values[200:, 1] = np.arange(50)
    values[3, 2], values[4, 2] = np.inf, 5.0
    found = merge_statistics(batches(values, 60), (0.5,))
    assert found.number.tolist() == [0, 50, 1]
    np.testing.assert_array_equal(found.mean, [np.nan, 24.5, 5.0])
    np.testing.assert_array_equal(found.deviation, [np.nan, np.arange(50).std(ddof=1), np.nan])
    np.testing.assert_array_equal(found.quantiles[0], [np.nan, 24.0, 5.0])
    np.testing.assert_array_equal(found.run_of_highest, [np.nan, 249, 4])
    assert partial(values, 0).shape == (ROWS, 3)
