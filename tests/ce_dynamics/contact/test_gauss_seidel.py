"""The compiled sweeps, row by row: friction without a pressing normal force, the scale of a pair of rows."""

import numpy as np
import pytest

from ce_dynamics.contact.conditions import Conditions
from ce_dynamics.contact.gauss_seidel import pair_scale, sweeps

EQUATION, BOUND_BY_NORMAL, DISC, SECOND_OF_DISC = 0, 3, 4, 5


def rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a matrix with all entries stored: starts, columns, values."""
    m, n = matrix.shape
    return np.arange(0, m * n + 1, n), np.tile(np.arange(n), m), matrix.ravel().astype(float)


@pytest.mark.parametrize("kinds", [(BOUND_BY_NORMAL, BOUND_BY_NORMAL), (DISC, SECOND_OF_DISC)])
@pytest.mark.parametrize("pull", [1.0, -1.0])
def test_friction_is_nothing_where_the_normal_force_pulls(kinds: tuple[int, int], pull: float) -> None:
    """A joint's normal force has either sign; friction of it acts while it presses (μ max(0, p_n))."""
    kind = np.array((EQUATION, *kinds))
    c, p, v = np.array((pull, 0.6, -0.8)), np.zeros(3), np.zeros(3)
    unit, nothing = rows(np.eye(3)), np.zeros(3)
    normal, mu = np.zeros(3, dtype=np.int64), np.full(3, 0.5)
    sweeps((unit, unit), v, c, np.ones(3), Conditions(kind, normal, mu, nothing, nothing), p, (1e-14, 100))
    assert p[0] == -pull  # w = p + c = 0
    if pull > 0.0:
        assert np.all(p[1:] == 0.0)
    else:  # sliding against (0.6, −0.8), of length 1: on the disc of radius 0.5, or each row at its bound
        assert np.hypot(*p[1:]) == pytest.approx(0.5 if kinds[0] == DISC else np.hypot(0.5, 0.5), rel=1e-14)
        assert p[1] < 0.0 < p[2]


def test_scale_of_pair_is_largest_eigenvalue_of_block(rng: np.random.Generator) -> None:
    for _ in range(20):
        G = rng.normal(size=(4, 6))
        L = rng.normal(size=(6, 6))
        Y = G @ (L @ L.T)  # rows of G M⁻¹
        A = (Y @ G.T)[2:, 2:]
        found = pair_scale(rows(G), rows(Y), 2, A[0, 0], A[1, 1])
        assert found == pytest.approx(np.linalg.eigvalsh(A)[-1], rel=1e-12)
