"""Matrices with zeros by structure are solved part by part."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.pivoted_lu import PivotedLU, parts


def in_parts(sizes: list[int], rng: np.random.Generator) -> Array:
    """Random parts on the diagonal, entries below them, none above; rows and columns in any order."""
    n = sum(sizes)
    A = np.zeros((n, n))
    start = 0
    for size in sizes:
        A[start : start + size, : start + size] = rng.normal(size=(size, start + size))
        start += size
    return A[np.ix_(rng.permutation(n), rng.permutation(n))]


@pytest.mark.parametrize("sizes", [[4], [1, 1, 1], [2, 3], [3, 1, 2, 2], [6, 5]])
def test_parts_are_found_and_solved(sizes: list[int], rng: np.random.Generator) -> None:
    """The planted parts of random entries are the finest; each unknown belongs to its own part."""
    for _ in range(5):
        A, b = in_parts(sizes, rng), rng.normal(size=sum(sizes))
        found = parts([list(row) for row in A])
        assert [len(part.rows) for part in found] == [len(part.columns) for part in found]
        assert sorted(len(part.rows) for part in found) == sorted(sizes)
        known: set[int] = set()
        for part in found:
            known |= set(part.columns)
            assert all(not A[i, j] or j in known for i in part.rows for j in range(len(A)))
        lu = PivotedLU(A)
        np.testing.assert_allclose(A @ lu.solve(b), b, rtol=0.0, atol=1e-14 * len(A) * np.linalg.cond(A))
        # Rounding of a determinant: n eps times the products of the rows' lengths bounds it (Hadamard).
        scale = np.prod(np.linalg.norm(A, axis=1))
        assert lu.determinant == pytest.approx(np.linalg.det(A), rel=0.0, abs=1e-15 * len(A) ** 2 * scale)


def test_structurally_singular_rest_is_one_part() -> None:
    """Two rows share the only column in which they have entries."""
    A = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    assert [part.rows for part in parts([list(row) for row in A])] == [[0, 1, 2]]
    assert not np.all(np.isfinite(PivotedLU(A).solve(np.ones(3))))
