"""Shortest solutions against the pseudoinverse of NumPy, by singular values."""

import numpy as np
import pytest

from ce_dynamics.contact.linear_equations import RANK, shortest


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
def test_shortest_solutions_of_all_ranks(n: int, rng: np.random.Generator) -> None:
    for rank in range(n + 1):
        # both factors orthonormal times numbers of 1 … 100: the condition is known
        U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0][:, :rank] for _ in range(2))
        A = U * np.geomspace(1.0, 100.0, rank) @ V.T
        for b in (A @ rng.normal(size=n), rng.normal(size=n)):  # one that it solves, one that it does not
            # rounding of some n operations, times the condition
            np.testing.assert_allclose(
                shortest(A, b), np.linalg.pinv(A, 1e-8) @ b, atol=1e-15 * 1e4 * (n + 1)
            )


def test_what_is_below_the_rank_counts_as_nothing() -> None:
    x = shortest(np.array([[1.0, 1.0], [1.0, 1.0 + 0.1 * RANK]]), np.array([2.0, 2.0]))
    np.testing.assert_allclose(x, [1.0, 1.0], atol=1e-9)
    x = shortest(np.array([[1.0, 1.0], [1.0, 1.0 + 1e3 * RANK]]), np.array([2.0, 2.0 + 1e3 * RANK]))
    # regular, of condition 4e7: 1e-16 times that
    np.testing.assert_allclose(x, [1.0, 1.0], atol=1e-7)
