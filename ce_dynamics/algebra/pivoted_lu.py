"""Solution of small linear systems without branching: Gaussian elimination with selected row exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, where


def strong_components(follows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return groups of nodes each of which leads to every other, each group after those that it leads to.

    Parameters
    ----------
    follows : sequence of sequences of int
        The nodes that each node leads to.

    Examples
    --------
    >>> strong_components([[1], [2], [1], [0, 3]])
    [[1, 2], [0], [3]]
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []

    def visit(i: int) -> None:
        index[i] = low[i] = len(index)
        stack.append(i)
        for k in follows[i]:
            if k not in index:
                visit(k)
                low[i] = min(low[i], low[k])
            elif k in stack:
                low[i] = min(low[i], index[k])
        if low[i] == index[i]:
            cut = stack.index(i)
            found.append(stack[cut:])
            del stack[cut:]

    for i in range(len(follows)):
        if i not in index:
            visit(i)
    return found


class PivotedLU:
    """Factors of a small square matrix of floats or traced scalars.

    Rows are exchanged by `where`, which costs a selection per entry but keeps the elimination stable for
    every value of a traced matrix.  Entries that are zero by structure are passed over: rows and columns are
    taken in parts, each of which determines its unknowns from those of the parts before it, and only rows of
    the same part are exchanged.
    """

    def __init__(self, A: Array) -> None:
        self.n = len(A)
        rows = [list(row) for row in A]
        self._parts: list[tuple[Subsystem, list[list[Scalar]], Dense]] = []
        known: list[int] = []
        for part in parts(rows):
            before = [[rows[i][j] for j in known] for i in part.rows]
            self._parts.append((part, before, Dense([[rows[i][j] for j in part.columns] for i in part.rows])))
            known += part.columns
        order = [part for part, *_ in self._parts]
        self.determinant: Scalar = parity([i for part in order for i in part.rows]) * parity(known)
        for _, _, dense in self._parts:
            self.determinant = self.determinant * dense.determinant

    def solve(self, b: Array) -> Array:
        """Return A⁻¹ b for a vector b."""
        columns: list[int] = []
        x: list[Scalar] = []
        for part, before, dense in self._parts:
            right = [
                subtract_products(b[i], coefficients, x)
                for i, coefficients in zip(part.rows, before, strict=True)
            ]
            x += dense.solve(right)
            columns += part.columns
        found = dict(zip(columns, x, strict=True))
        return array(found[j] for j in range(self.n))

    def solve_columns(self, B: Array) -> Array:
        """Return A⁻¹ B for a matrix B."""
        if B.shape[1] == 0:
            return B
        return array(self.solve(B[:, k]) for k in range(B.shape[1])).T


class Dense:
    """Factors of one part, row exchanges included."""

    def __init__(self, rows: list[list[Scalar]]) -> None:
        self._rows = rows
        self._steps: list[tuple[int, int, Scalar, Scalar]] = []  # (row, pivot row, exchanged?, multiplier)
        self._reciprocals: list[Scalar] = []
        m = len(rows)
        self.determinant: Scalar = 1.0
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

    def solve(self, b: list[Scalar]) -> list[Scalar]:
        """Return the unknowns of the part."""
        x = b
        for i, k, exchanged, multiplier in self._steps:
            if multiplier is None:
                x[k], x[i] = where(exchanged, x[i], x[k]), where(exchanged, x[k], x[i])
            else:
                x[i] = x[i] - multiplier * x[k]
        for k in range(len(x) - 1, -1, -1):
            for j in range(k + 1, len(x)):
                x[k] = x[k] - self._rows[k][j] * x[j]
            x[k] = x[k] * self._reciprocals[k]
        return x


class Subsystem(NamedTuple):
    """Rows and columns that are solved together."""

    rows: list[int]
    columns: list[int]


def parts(rows: list[list[Scalar]]) -> list[Subsystem]:
    """Return the parts of a square matrix; each has entries in its own and in earlier parts' columns only.

    They are the strong components of the graph in which a row, matched with a column of its own, leads to the
    rows that are matched with its other columns (Dulmage and Mendelsohn; Duff and Reid, 1978).  All is one
    part where no such matching exists, which is where the matrix is singular whatever its entries.
    """
    columns = [[j for j, entry in enumerate(row) if not is_zero(entry)] for row in rows]
    mine = match_columns(columns)
    if mine is None:
        return [Subsystem(list(range(len(rows))), list(range(len(rows))))]
    row_of = {j: i for i, j in mine.items()}
    found = strong_components([[row_of[j] for j in columns[i]] for i in range(len(rows))])
    return [Subsystem(sorted(group), sorted(mine[i] for i in group)) for group in found]


def match_columns(columns: list[list[int]]) -> dict[int, int] | None:
    """Return a column of its own for every row, of those in which it has entries; None if there are none."""
    taken: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in columns[i]:
            if j not in seen:
                seen.add(j)
                if j not in taken or place(taken[j], seen):
                    taken[j] = i
                    return True
        return False

    if not all(place(i, set()) for i in range(len(columns))):
        return None
    return {i: j for j, i in taken.items()}


def subtract_products(b: Scalar, coefficients: list[Scalar], values: list[Scalar]) -> Scalar:
    """Return b − Σ c x."""
    for c, x in zip(coefficients, values, strict=True):
        b = b - c * x
    return b


def parity(order: list[int]) -> float:
    """Return +1 for an even permutation, −1 for an odd one."""
    return -1.0 if sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 else 1.0


def is_zero(x: Scalar) -> bool:
    """Return True if an entry is zero by structure: a plain number, and zero."""
    return isinstance(x, float | int) and x == 0.0
