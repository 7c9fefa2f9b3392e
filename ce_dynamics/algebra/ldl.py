"""Solution of symmetric positive definite systems by L D Lᵀ, written out for tracing."""

from __future__ import annotations

from collections.abc import Callable

from ce_dynamics.algebra.arrays import Array, Scalar, array

TILE = 8  # rows and columns of a tile of a large matrix: 8³ operations on 3 · 8² numbers


def do_nothing() -> None:
    """Set no marks."""


class LDL:
    """Factors of a symmetric positive definite matrix, A = L diag(d) Lᵀ; NaN or infinite where it is not.

    ``mark`` is called before the work on each tile, if there are several: they are alike, so that code for
    one is code for all.
    """

    def __init__(self, A: Array, mark: Callable[[], None] = do_nothing) -> None:
        n = len(A)
        self._mark = mark = mark if n > TILE else do_nothing
        self._L: list[list[Scalar]] = [[A[i, j] if j <= i else 0.0 for j in range(n)] for i in range(n)]
        self._LD: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        self._inverse_d: list[Scalar] = []
        self._tiles = [range(k, min(k + TILE, n)) for k in range(0, n, TILE)]
        for k, columns in enumerate(self._tiles):
            for rows in self._tiles[k:]:
                for before in self._tiles[:k]:
                    mark()
                    self._reduce(rows, columns, before)
            mark()
            self._factorise(columns)
            for rows in self._tiles[k + 1 :]:
                mark()
                self._divide(rows, columns)

    def _reduce(self, rows: range, columns: range, before: range) -> None:
        """Subtract the contribution of earlier columns from a tile."""
        L, LD = self._L, self._LD
        for j in columns:
            for i in rows[max(j - rows.start, 0) :]:
                entry = L[i][j]
                for k in before:
                    entry = entry - L[i][k] * LD[j][k]
                L[i][j] = entry

    def _factorise(self, tile: range) -> None:
        """Factorise a tile on the diagonal."""
        L, LD = self._L, self._LD
        d: list[Scalar] = []
        for j in tile:
            for k in range(tile.start, j):
                LD[j][k] = L[j][k] * d[k - tile.start]
            pivot = L[j][j]
            for k in range(tile.start, j):
                pivot = pivot - L[j][k] * LD[j][k]
            d.append(pivot)
            self._inverse_d.append(1.0 / pivot)
            for i in tile[j + 1 - tile.start :]:
                entry = L[i][j]
                for k in range(tile.start, j):
                    entry = entry - L[i][k] * LD[j][k]
                L[i][j] = entry * self._inverse_d[j]

    def _divide(self, rows: range, columns: range) -> None:
        """Solve for the factors of a tile below the diagonal."""
        L, LD = self._L, self._LD
        for i in rows:
            for j in columns:
                entry = L[i][j]
                for k in range(columns.start, j):
                    entry = entry - L[i][k] * LD[j][k]
                LD[i][j] = entry  # L_ij d_j
                L[i][j] = entry * self._inverse_d[j]

    def solve(self, b: Array) -> Array:
        """Return A⁻¹ b for a vector b."""
        L, x = self._L, list(b)
        pairs = [(rows, columns) for k, rows in enumerate(self._tiles) for columns in self._tiles[: k + 1]]
        for rows, columns in pairs:
            self._mark()
            for i in rows:
                for k in columns[: max(i - columns.start, 0)]:
                    x[i] = x[i] - L[i][k] * x[k]
        x = [entry * inverse for entry, inverse in zip(x, self._inverse_d, strict=True)]
        for rows, columns in reversed(pairs):
            self._mark()
            for i in reversed(columns):
                for k in rows[max(i + 1 - rows.start, 0) :]:
                    x[i] = x[i] - L[k][i] * x[k]
        return array(x)

    def solve_columns(self, B: Array) -> Array:
        """Return A⁻¹ B column by column."""
        return array(self.solve(B[:, k]) for k in range(B.shape[1])).reshape(B.shape[1], B.shape[0]).T
