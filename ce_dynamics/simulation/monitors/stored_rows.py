"""Checks of the stored rows of a run: finite numbers, columns within bounds, and extremes of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats


def all_finite(*arrays: Floats) -> bool:
    """Return True if all numbers of all arrays are finite."""
    return all(np.isfinite(array).all() for array in arrays)


class Bounds(NamedTuple):
    """Closed intervals that some columns of a table must stay in.

    Attributes
    ----------
    columns : (m,) int array
    lower, upper : (m,) arrays
    """

    columns: NDArray[np.int64]
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, columns: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> Bounds:
        """Return the bounds of some columns."""
        return cls(np.array(columns, np.int64), np.array(lower, float), np.array(upper, float))

    def hold(self, table: Floats) -> bool:
        """Return True if all rows keep to the bounds; NaN does not."""
        if not len(self.columns):
            return True
        values = table[:, self.columns]
        return bool(((values >= self.lower) & (values <= self.upper)).all())


class Extremes(NamedTuple):
    """Extreme values of one coordinate in stored rows, and of the values it heads for.

    Attributes
    ----------
    rows : list of int
        Rows of the lowest and the highest value, and of the lowest and the highest value ahead.
    values : list of float
        These values; those ahead are infinite if there is a single row.
    """

    rows: list[int]
    values: list[float]


def extremes_of(t: Floats, Y: Floats, places: Sequence[tuple[int, int]]) -> list[Extremes]:
    """Return the extremes of some coordinates.

    A coordinate heads for its value after twice the time to the next row, at its present rate.  On the way
    into a dead centre the distance left is half the time left times the rate.

    Parameters
    ----------
    t : (n,) array
        Times of the rows [s].
    Y : (n, ...) array
        Finite states.
    places : sequence of (int, int)
        Columns of each coordinate and of its rate.
    """
    found = []
    for q, v in places:
        x = Y[:, q]
        ahead = x[:-1] + 2.0 * Y[:-1, v] * np.diff(t)
        low, high = int(x.argmin()), int(x.argmax())
        if len(ahead):
            least, most = int(ahead.argmin()), int(ahead.argmax())
            values = x[low], x[high], ahead[least], ahead[most]
        else:
            least, most, values = 0, 0, (x[low], x[high], np.inf, -np.inf)
        found.append(Extremes([low, high, least, most], [float(value) for value in values]))
    return found
