"""Elimination of the implicit methods against dense algebra, where rows must be exchanged."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.simulation.integrators.fixed_kernels import factorise, solve

Floats = NDArray[np.float64]


def solution(A: Floats, b: Floats) -> Floats:
    factors, x, pivots = A.copy(), b.copy(), np.empty(len(b), dtype=np.int64)
    factorise(factors, pivots)
    solve(factors, pivots, x)
    return x


def test_a_tiny_pivot_is_not_divided_by() -> None:
    """Without exchange the first unknown would be lost entirely: 1 − 1e20 has forgotten the 1."""
    A = np.array([[1e-20, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(solution(A, np.array([1.0, 2.0])), (1.0, 1.0), rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 5, 14])
def test_permuted_matrices(n: int, rng: np.random.Generator) -> None:
    """Diagonal all zero until rows are exchanged; exact for a permutation, else to n ε cond(A)."""
    order = np.roll(np.arange(n), 1)
    P = np.eye(n)[order]
    b = rng.normal(size=n)
    np.testing.assert_array_equal(solution(P, b), P.T @ b)
    A = P @ (
        np.diag(rng.uniform(1.0, 2.0, n)) + np.tril(rng.normal(size=(n, n)), -1) * (rng.random((n, n)) < 0.5)
    )
    x = rng.normal(size=n)
    tolerance = 4.0 * n * np.finfo(float).eps * np.linalg.cond(A)
    np.testing.assert_allclose(solution(A, A @ x), x, atol=tolerance * np.abs(x).max())
