"""The null-space solution of (8) against its defining equations and against dense least squares."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.augmented import redundant_rows, row_rank, solve_saddle
from ce_dynamics.errors import MasslessFreedomError


def masses(n: int, rng: np.random.Generator) -> Array:
    A = rng.normal(size=(n, n))
    return A @ A.T + np.eye(n)


@pytest.mark.parametrize("rows", [0, 3, 8])
def test_independent_rows(rows: int, rng: np.random.Generator) -> None:
    M, G, f, gamma = masses(8, rng), rng.normal(size=(rows, 8)), rng.normal(size=8), rng.normal(size=rows)
    answer = solve_saddle(M, G, f, gamma)
    K = np.block([[M, -G.T], [G, np.zeros((rows, rows))]])
    dense = np.linalg.solve(K, np.concatenate((f, -gamma)))
    atol = 1e-15 * np.linalg.cond(K) * 10
    np.testing.assert_allclose(np.concatenate((answer.V_dot, answer.multipliers)), dense, rtol=0, atol=atol)
    assert answer.rank == rows
    assert not redundant_rows(G).any()


def test_redundant_rows_of_very_different_length(rng: np.random.Generator) -> None:
    """Rows 2 and 3 are combined in row 5, which is 1e6 times shorter; λ is least in the normalised rows."""
    M, G, f = masses(8, rng), rng.normal(size=(5, 8)), rng.normal(size=8)
    G = np.vstack((G, 1e-6 * (G[2] - 2.0 * G[3])))
    gamma = G @ rng.normal(size=8)  # consistent
    answer = solve_saddle(M, G, f, gamma)
    assert answer.rank == row_rank(G).rank == 5
    assert answer.inconsistency < 1e-13
    np.testing.assert_allclose(G @ answer.V_dot, -gamma, rtol=1e-10, atol=1e-18)
    np.testing.assert_allclose(M @ answer.V_dot, f + G.T @ answer.multipliers, rtol=0, atol=1e-12)
    assert redundant_rows(G).tolist() == [False, False, True, True, False, True]
    lengths = np.linalg.norm(G, axis=1)
    null = np.zeros(6)
    null[[2, 3, 5]] = 1.0, -2.0, -1e6
    scaled = answer.multipliers * lengths
    assert abs(scaled @ (null * lengths)) < 1e-10 * np.linalg.norm(scaled) * np.linalg.norm(null * lengths)


def test_rows_that_are_rounding_count_as_none(rng: np.random.Generator) -> None:
    """A row that cancelled to 1e-16 constrains nothing, whatever direction is left of it."""
    M, G, f, gamma = masses(8, rng), rng.normal(size=(3, 8)), rng.normal(size=8), rng.normal(size=3)
    expected = solve_saddle(M, G, f, gamma)
    noise = 1e-16 * rng.normal(size=(2, 8))
    answer = solve_saddle(M, np.vstack((G, noise)), f, np.append(gamma, 1e-16 * rng.normal(size=2)))
    assert answer.rank == 3
    np.testing.assert_allclose(answer.V_dot, expected.V_dot, rtol=0, atol=1e-13 * np.linalg.cond(M))
    np.testing.assert_allclose(answer.multipliers[:3], expected.multipliers, rtol=0, atol=1e-12)


def test_rows_that_contradict_each_other_are_reported(rng: np.random.Generator) -> None:
    G = rng.normal(size=(2, 4))
    G = np.vstack((G, G[0] + G[1]))
    answer = solve_saddle(np.eye(4), G, np.zeros(4), np.array((0.0, 0.0, 1.0)))
    assert answer.inconsistency > 0.1


def test_mass_matrix_singular_along_constrained_motion() -> None:
    """A point without inertia on a rod: only the constraint gives the first component its value."""
    answer = solve_saddle(np.diag((0.0, 2.0)), np.array([[1.0, -3.0]]), np.array((0.0, 4.0)), np.zeros(1))
    np.testing.assert_allclose(answer.V_dot, (6.0, 2.0), rtol=1e-14)
    np.testing.assert_allclose(answer.multipliers, 0.0, atol=1e-14)


@pytest.mark.parametrize(
    ("masses", "row"),
    [((0.0, 0.0, 2.0), None), ((0.0, 0.0, 2.0), (0.0, 1.0, -3.0)), ((0.0, 2.0), (0.0, 1.0))],
)
def test_massless_motions_are_refused(masses: tuple[float, ...], row: tuple[float, ...] | None) -> None:
    G = np.array([row] if row else []).reshape(-1, len(masses))
    with pytest.raises(MasslessFreedomError, match="moves no mass or inertia"):
        solve_saddle(np.diag(masses), G, np.ones(len(masses)), np.zeros(len(G)))


def test_small_inertias_are_no_massless_motions() -> None:
    """A part of a millimetre and a milligram on a vehicle of a tonne."""
    answer = solve_saddle(np.diag((1e-12, 1e3)), np.zeros((0, 2)), np.array((1e-12, 2e3)), np.zeros(0))
    np.testing.assert_allclose(answer.V_dot, (1.0, 2.0), rtol=1e-14)
