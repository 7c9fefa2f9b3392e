"""Statistics over runs that are never in memory together: what is kept of a batch, how batches are merged.

Of n runs a batch keeps their number, mean and sum of squared deviations, extremes with the runs they are of,
and order statistics: all n values if they are no more than `STRATA`, else those in the middle of `STRATA`
strata of equal size.  Merged as weighted values, these give quantiles.  In each batch the number of values
below any x is then wrong by at most half a stratum and one, so that ranks of quantiles are wrong by at most

    1 / (2 STRATA) + 1 / n

of all runs, whatever they are.  Merging goes through the batches in their order: the same numbers, whoever
made them, and however often the study was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats

STRATA = 100

COUNT, MEAN, SQUARES, LOWEST, HIGHEST, RUN_OF_LOWEST, RUN_OF_HIGHEST, FIRST_STRATUM = range(8)
"""Rows of what is kept of a batch."""

ROWS = FIRST_STRATUM + STRATA


class Merged(NamedTuple):
    """Statistics over runs, entry by entry."""

    # finite values, their mean and standard deviation (with n - 1), extremes and the runs they are of
    number: Floats
    mean: Floats
    deviation: Floats
    lowest: Floats
    highest: Floats
    run_of_lowest: Floats
    run_of_highest: Floats
    quantiles: Floats  # one row per quantile


def partial(values: Floats, first: int) -> Floats:
    """Return the data (ROWS, ...) of a batch that statistics need; runs are NaN after their end.

    Rows from `FIRST_STRATUM` on are ordered; NaN where there is no value.
    """
    ordered = np.sort(np.where(np.isfinite(values), values, np.nan), axis=0)  # NaN last
    fine = np.isfinite(values)
    count = fine.sum(axis=0)
    some, divisor = count > 0, np.maximum(count, 1)
    kept = np.full((ROWS, *values.shape[1:]), np.nan)
    kept[COUNT] = count
    mean = np.where(fine, values, 0.0).sum(axis=0) / divisor
    kept[MEAN] = np.where(some, mean, np.nan)
    kept[SQUARES] = np.where(some, (np.where(fine, values - mean, 0.0) ** 2).sum(axis=0), np.nan)
    lowest, highest = np.where(fine, values, np.inf), np.where(fine, values, -np.inf)
    for row, run, extreme, place in (
        (LOWEST, RUN_OF_LOWEST, lowest.min(axis=0), lowest.argmin(axis=0)),
        (HIGHEST, RUN_OF_HIGHEST, highest.max(axis=0), highest.argmax(axis=0)),
    ):
        kept[row] = np.where(some, extreme, np.nan)
        kept[run] = np.where(some, first + place, np.nan)
    j = np.arange(STRATA).reshape(-1, *[1] * (values.ndim - 1))
    middle = np.where(count <= STRATA, j, ((2 * j + 1) * count) // (2 * STRATA))
    taken = np.take_along_axis(ordered, np.minimum(middle, len(values) - 1), axis=0)
    kept[FIRST_STRATUM:] = np.where(j < np.minimum(count, STRATA), taken, np.nan)
    return kept


def merge_statistics(parts: Floats, quantiles: Sequence[float]) -> Merged:
    """Merge statistics over the runs of some batches (batches, ROWS, ...), as `partial` makes them.

    A quantile, from 0 to 1, is the least value that this part of all values does not exceed.
    """
    shape = parts.shape[2:]
    count, mean, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for part in parts:  # Chan, Golub and LeVeque's formula for two sets
        n = part[COUNT]
        both = np.maximum(count + n, 1.0)
        step = np.where(n > 0, part[MEAN] - mean, 0.0)
        squares += np.where(n > 0, part[SQUARES], 0.0) + step**2 * count * n / both
        mean += step * n / both
        count += n
    none = count == 0
    lowest, highest = parts[:, LOWEST], parts[:, HIGHEST]
    low = np.where(np.isnan(lowest), np.inf, lowest).argmin(axis=0)[np.newaxis]
    high = np.where(np.isnan(highest), -np.inf, highest).argmax(axis=0)[np.newaxis]
    return Merged(
        count,
        np.where(none, np.nan, mean),
        np.where(count > 1, np.sqrt(squares / np.maximum(count - 1.0, 1.0)), np.nan),
        np.take_along_axis(lowest, low, axis=0)[0],
        np.take_along_axis(highest, high, axis=0)[0],
        np.take_along_axis(parts[:, RUN_OF_LOWEST], low, axis=0)[0],
        np.take_along_axis(parts[:, RUN_OF_HIGHEST], high, axis=0)[0],
        merge_quantiles(parts, quantiles),
    )


def merge_quantiles(parts: Floats, quantiles: Sequence[float]) -> Floats:
    """Return quantiles of the weighted order statistics of all batches, a row for each."""
    shape = parts.shape[2:]
    n = parts[:, COUNT][:, np.newaxis]
    values = parts[:, FIRST_STRATUM:]
    weights = np.where(np.isnan(values), 0.0, np.maximum(n / STRATA, 1.0))
    values, weights = values.reshape(-1, *shape), weights.reshape(-1, *shape)
    order = np.argsort(values, axis=0, kind="stable")  # NaN last
    values = np.take_along_axis(values, order, axis=0)
    below = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    total = below[-1]
    found = np.empty((len(quantiles), *shape))
    for k, q in enumerate(quantiles):
        reached = below >= np.maximum(q * total * (1.0 - 1e-12), 0.5)
        found[k] = np.take_along_axis(values, reached.argmax(axis=0)[np.newaxis], axis=0)[0]
    found[:, total == 0] = np.nan
    return found
