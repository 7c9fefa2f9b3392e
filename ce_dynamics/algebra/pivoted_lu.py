"""Solution of small linear systems without branching: Gaussian elimination with selected row exchanges."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, where


class PivotedLU:
    """Factors of a small square matrix of floats or traced scalars.

    Rows are exchanged by `where`, which costs a selection per entry but keeps the elimination stable for
    every value of a traced matrix.  Entries that are zero by structure are passed over, and a row with only
    one other entry tells its unknown before anything is exchanged.

    Parameters
    ----------
    A : (n, n) array

    Attributes
    ----------
    determinant : scalar
    """

    def __init__(self, A: Array) -> None:
        self.n = len(A)
        rows = [list(row) for row in A]
        self._told = told_at_once(rows)
        told_rows, told_columns = {i for i, _ in self._told}, {j for _, j in self._told}
        self._left = [i for i in range(self.n) if i not in told_rows]
        self._unknowns = [j for j in range(self.n) if j not in told_columns]
        self._given = [([rows[i][j] for _, j in self._told]) for i in self._left]
        self._tell = [
            ([rows[i][j] for _, j in self._told[:k]], 1.0 / rows[i][column])
            for k, (i, column) in enumerate(self._told)
        ]
        self.determinant: Scalar = order_sign(self._told, self._left, self._unknowns)
        for i, j in self._told:
            self.determinant = self.determinant * rows[i][j]
        self._rows = [[rows[i][j] for j in self._unknowns] for i in self._left]
        self._steps: list[tuple[int, int, Scalar, Scalar]] = []  # (row, pivot row, exchanged?, multiplier)
        self._reciprocals: list[Scalar] = []
        m = len(self._left)
        for k in range(m):
            exchanges = {i: self._exchange(i, k) for i in range(k + 1, m) if not is_zero(self._rows[i][k])}
            pivot = self._rows[k][k]
            self.determinant = self.determinant * pivot
            reciprocal = 1.0 / pivot if not is_zero(pivot) else float("nan")
            self._reciprocals.append(reciprocal)
            for i in exchanges:
                multiplier = self._rows[i][k] * reciprocal
                self._steps.append((i, k, None, multiplier))
                for j in range(k + 1, m):
                    self._rows[i][j] = self._rows[i][j] - multiplier * self._rows[k][j]

    def _exchange(self, i: int, k: int) -> Scalar:
        """Bring the larger of the entries (i, k) and (k, k) to row k."""
        upper, lower = self._rows[k], self._rows[i]
        exchanged = True if is_zero(upper[k]) else absolute(lower[k]) > absolute(upper[k])
        for j in range(k, len(upper)):
            upper[j], lower[j] = where(exchanged, lower[j], upper[j]), where(exchanged, upper[j], lower[j])
        self.determinant = where(exchanged, -self.determinant, self.determinant)
        self._steps.append((i, k, exchanged, None))
        return exchanged

    def solve(self, b: Array) -> Array:
        """A⁻¹ b for a vector b."""
        told: list[Scalar] = []
        for (i, _), (coefficients, reciprocal) in zip(self._told, self._tell, strict=True):
            told.append(less(b[i], coefficients, told) * reciprocal)
        x = [less(b[i], coefficients, told) for i, coefficients in zip(self._left, self._given, strict=True)]
        for i, k, exchanged, multiplier in self._steps:
            if multiplier is None:
                x[k], x[i] = where(exchanged, x[i], x[k]), where(exchanged, x[k], x[i])
            else:
                x[i] = x[i] - multiplier * x[k]
        for k in range(len(x) - 1, -1, -1):
            for j in range(k + 1, len(x)):
                x[k] = x[k] - self._rows[k][j] * x[j]
            x[k] = x[k] * self._reciprocals[k]
        found = dict(zip((*(j for _, j in self._told), *self._unknowns), (*told, *x), strict=True))
        return array(found[j] for j in range(self.n))

    def solve_columns(self, B: Array) -> Array:
        """A⁻¹ B for a matrix B."""
        if B.shape[1] == 0:
            return B
        return array(self.solve(B[:, k]) for k in range(B.shape[1])).T


def told_at_once(rows: list[list[Scalar]]) -> list[tuple[int, int]]:
    """Rows with one entry besides those of unknowns that earlier such rows tell, and its column."""
    told: list[tuple[int, int]] = []
    known: set[int] = set()
    waiting = list(range(len(rows)))
    while True:
        for i in waiting:
            columns = [j for j, entry in enumerate(rows[i]) if j not in known and not is_zero(entry)]
            if len(columns) == 1:
                told.append((i, columns[0]))
                known.add(columns[0])
                waiting.remove(i)
                break
        else:
            return told


def less(b: Scalar, coefficients: list[Scalar], values: list[Scalar]) -> Scalar:
    """b − Σ c x."""
    for c, x in zip(coefficients, values, strict=True):
        b = b - c * x
    return b


def order_sign(told: list[tuple[int, int]], left: list[int], unknowns: list[int]) -> float:
    """Sign of taking rows and columns in another order."""
    rows, columns = [*(i for i, _ in told), *left], [*(j for _, j in told), *unknowns]
    return parity(rows) * parity(columns)


def parity(order: list[int]) -> float:
    """+1 for an even permutation, −1 for an odd one."""
    return -1.0 if sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 else 1.0


def is_zero(x: Scalar) -> bool:
    """Whether an entry is zero by structure: a plain number, and zero."""
    return isinstance(x, float | int) and x == 0.0
