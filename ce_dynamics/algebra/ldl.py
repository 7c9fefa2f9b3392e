"""Solution of small symmetric positive definite systems by L D Lᵀ, written out for tracing."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, array


class LDL:
    """Factors of a symmetric positive definite matrix, A = L diag(d) Lᵀ; NaN or infinite where it is not."""

    def __init__(self, A: Array) -> None:
        n = len(A)
        self._L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        self._inverse_d: list[Scalar] = []
        d: list[Scalar] = []
        for j in range(n):
            LD = [self._L[j][k] * d[k] for k in range(j)]
            pivot = A[j, j]
            for k in range(j):
                pivot = pivot - self._L[j][k] * LD[k]
            d.append(pivot)
            self._inverse_d.append(1.0 / pivot)
            for i in range(j + 1, n):
                entry = A[i, j]
                for k in range(j):
                    entry = entry - self._L[i][k] * LD[k]
                self._L[i][j] = entry * self._inverse_d[j]

    def solve(self, b: Array) -> Array:
        """A⁻¹ b for a vector b."""
        n = len(b)
        x = list(b)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self._L[i][k] * x[k]
        x = [entry * inverse for entry, inverse in zip(x, self._inverse_d, strict=True)]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - self._L[k][i] * x[k]
        return array(x)

    def solve_columns(self, B: Array) -> Array:
        """A⁻¹ B column by column."""
        return array(self.solve(B[:, k]) for k in range(B.shape[1])).reshape(B.shape[1], B.shape[0]).T
