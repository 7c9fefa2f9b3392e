"""Solution of small linear systems without branching: Gaussian elimination with selected row exchanges."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, where


class PivotedLU:
    """Factors of a small square matrix of floats or traced scalars.

    Rows are exchanged by `where`, which costs a selection per entry but keeps the elimination stable for
    every value of a traced matrix.  Entries that are zero by structure are passed over.

    Parameters
    ----------
    A : (n, n) array

    Attributes
    ----------
    determinant : scalar
    """

    def __init__(self, A: Array) -> None:
        self.n = len(A)
        self._rows = [list(row) for row in A]
        self._steps: list[tuple[int, int, Scalar, Scalar]] = []  # (row, pivot row, exchanged?, multiplier)
        self._reciprocals: list[Scalar] = []
        self.determinant: Scalar = 1.0
        for k in range(self.n):
            exchanges = {
                i: self._exchange(i, k) for i in range(k + 1, self.n) if not is_zero(self._rows[i][k])
            }
            pivot = self._rows[k][k]
            self.determinant = self.determinant * pivot
            reciprocal = 1.0 / pivot if not is_zero(pivot) else float("nan")
            self._reciprocals.append(reciprocal)
            for i in exchanges:
                multiplier = self._rows[i][k] * reciprocal
                self._steps.append((i, k, None, multiplier))
                for j in range(k + 1, self.n):
                    self._rows[i][j] = self._rows[i][j] - multiplier * self._rows[k][j]

    def _exchange(self, i: int, k: int) -> Scalar:
        """Bring the larger of the entries (i, k) and (k, k) to row k."""
        upper, lower = self._rows[k], self._rows[i]
        exchanged = True if is_zero(upper[k]) else absolute(lower[k]) > absolute(upper[k])
        for j in range(k, self.n):
            upper[j], lower[j] = where(exchanged, lower[j], upper[j]), where(exchanged, upper[j], lower[j])
        self.determinant = where(exchanged, -self.determinant, self.determinant)
        self._steps.append((i, k, exchanged, None))
        return exchanged

    def solve(self, b: Array) -> Array:
        """A⁻¹ b for a vector b."""
        x = list(b)
        for i, k, exchanged, multiplier in self._steps:
            if multiplier is None:
                x[k], x[i] = where(exchanged, x[i], x[k]), where(exchanged, x[k], x[i])
            else:
                x[i] = x[i] - multiplier * x[k]
        for k in range(self.n - 1, -1, -1):
            for j in range(k + 1, self.n):
                x[k] = x[k] - self._rows[k][j] * x[j]
            x[k] = x[k] * self._reciprocals[k]
        return array(x)

    def solve_columns(self, B: Array) -> Array:
        """A⁻¹ B for a matrix B."""
        if B.shape[1] == 0:
            return B
        return array(self.solve(B[:, k]) for k in range(B.shape[1])).T


def is_zero(x: Scalar) -> bool:
    """Whether an entry is zero by structure: a plain number, and zero."""
    return isinstance(x, float | int) and x == 0.0
