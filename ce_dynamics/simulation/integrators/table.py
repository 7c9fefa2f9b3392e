"""Butcher's tables as the kernels read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats


class Table(NamedTuple):
    """Rows of a first number and weights that are not zero, with the places these are for.

    Attributes
    ----------
    weights : (rows, n) array
        c_i and a_ij; in the row of the result its divisor and b_j.
    places : (rows, n) int array
        How many weights there are (at least one, be it zero), and the stage j of each.
    """

    weights: Floats
    places: NDArray[np.int64]


def as_table(*rows: tuple[float, Sequence[float]]) -> Table:
    """A table of pairs of first number and all weights."""
    compact = [[(j, w) for j, w in enumerate(given) if w != 0.0] or [(0, 0.0)] for _, given in rows]
    shape = len(rows), 1 + max(map(len, compact))
    weights, places = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    for r, ((first, _), row) in enumerate(zip(rows, compact, strict=True)):
        weights[r, 0], places[r, 0] = first, len(row)
        for k, (j, w) in enumerate(row, start=1):
            weights[r, k], places[r, k] = w, j
    return Table(weights, places)


def lower_rows(A: Sequence[Sequence[float]]) -> Floats:
    """A as a square array, zeros in place of what is left out."""
    square = np.zeros((len(A), len(A)))
    for i, row in enumerate(A):
        square[i, : len(row)] = row
    return square
