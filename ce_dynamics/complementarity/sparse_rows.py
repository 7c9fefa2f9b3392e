"""Matrices by rows, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Integers


class SparseRows(NamedTuple):
    """A matrix by rows: row i has ``values[starts[i]:starts[i+1]]`` in the columns ``columns[...]``."""

    starts: Integers
    columns: Integers
    values: Floats
    width: int

    @classmethod
    def dense(cls, matrix: ArrayLike) -> SparseRows:
        """All entries of a dense matrix (m, n), zeros too."""
        A = np.asarray(matrix, dtype=float)
        m, n = A.shape
        return cls(
            np.arange(0, m * n + 1, max(n, 1), dtype=np.int64)[: m + 1] if n else np.zeros(m + 1, np.int64),
            np.tile(np.arange(n, dtype=np.int64), m),
            np.ascontiguousarray(A).ravel(),
            n,
        )

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def row_of(self) -> Integers:
        """Row of every value."""
        return np.repeat(np.arange(self.height, dtype=np.int64), np.diff(self.starts))

    def __matmul__(self, x: Floats) -> Floats:
        return np.asarray(np.bincount(self.row_of, self.values * x[self.columns], self.height), dtype=float)

    def transposed_times(self, y: Floats) -> Floats:
        """Product of the transpose with a vector."""
        return np.asarray(np.bincount(self.columns, self.values * y[self.row_of], self.width), dtype=float)

    def to_dense(self) -> Floats:
        """Return a dense array (m, n); values in the same place add up."""
        A = np.zeros((self.height, self.width))
        np.add.at(A, (self.row_of, self.columns), self.values)
        return A
