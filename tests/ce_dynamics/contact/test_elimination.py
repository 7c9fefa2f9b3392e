"""Gauss's elimination in machine code against NumPy, for every remainder of its blocks of columns."""

import numpy as np
import pytest

from ce_dynamics.contact.linear_equations import AT_ONCE, eliminate


@pytest.mark.parametrize("size", [*range(1, 2 * AT_ONCE + 2), 30])
def test_systems_are_solved(size: int, rng: np.random.Generator) -> None:
    for zeros in (0.0, 0.6):
        J = np.where(rng.uniform(size=(size, size)) < zeros, 0.0, rng.normal(size=(size, size)))
        J += np.diag(rng.uniform(1.0, 2.0, size))[
            ::-1
        ]  # large entries far from the diagonal: rows change places
        right = rng.normal(size=size)
        x = right.copy()
        assert eliminate(J.copy(), x)
        # backward error of elimination with exchange: a few sizes times rounding, of |J| |x| (growth aside)
        allowed = 50.0 * size * 2.3e-16 * (np.abs(J) @ np.abs(x) + np.abs(right)).max()
        assert np.max(np.abs(J @ x - right)) <= allowed


@pytest.mark.parametrize("size", [1, 3, 4, 5, 9])
def test_singular_matrices_are_told(size: int, rng: np.random.Generator) -> None:
    J = rng.integers(-3, 4, size=(size, size)).astype(float)
    J[:, size - 1] = 0.0  # an exact zero, which stays one
    assert not eliminate(J, np.ones(size))
    J = np.eye(size)
    J[0, 0] = np.nan
    assert not eliminate(J, np.ones(size))
