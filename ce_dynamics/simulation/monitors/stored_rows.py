"""Checks of the stored rows of a run: finite numbers, and columns within bounds."""

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
