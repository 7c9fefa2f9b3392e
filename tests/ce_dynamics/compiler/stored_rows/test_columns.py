"""Numbers that are finite and columns within bounds, found by machine code as by NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ce_dynamics.compiler.stored_rows.columns import Bounds, all_finite


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 40])
def test_one_number_that_is_not_finite_is_found_wherever_it_is(n: int) -> None:
    x = np.full(n, 1e308)  # whose sum is not finite
    assert all_finite(x)
    for k in range(n):
        for odd in (np.nan, np.inf, -np.inf):
            x[k] = odd
            assert not all_finite(x)
            assert not all_finite(np.zeros(3), x)
        x[k] = 5e-324
    assert all_finite(x, x)


def test_parts_of_tables_are_looked_at_alone() -> None:
    table = np.zeros((20, 7))
    table[:, 6] = np.nan
    assert all_finite(table[:, :6])
    assert all_finite(table[:, 2], table.T[:6])
    assert not all_finite(table)


def test_bounds_are_allowed_and_what_is_beyond_is_not() -> None:
    bounds = Bounds([3, 0], [-1.0, 0.0], [2.0, np.inf])
    for held in (bounds, pickle.loads(pickle.dumps(bounds))):
        table = np.full((6, 4), np.nan)
        table[:, 3], table[:, 0] = np.linspace(-1.0, 2.0, 6), 0.0
        assert held.hold(table)
        assert held.hold(table[::2])
        assert held.hold(np.asfortranarray(table))
        assert held.hold(table[:0])
        for k in range(6):
            for column, value in ((3, 2.0 + 1e-15), (3, -1.0 - 1e-15), (0, -5e-324), (0, np.nan)):
                altered = table.copy()
                altered[k, column] = value
                assert held.hold(altered) == (column == 3 and value == 2.0)
                assert held.hold(altered[k + 1 :])
    assert Bounds([], [], []).hold(table)
