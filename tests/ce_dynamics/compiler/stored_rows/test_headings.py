"""Where coordinates go and head for, as by NumPy; whether a function is small there, as asked one by one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.compiler.stored_rows.headings import Ahead, Coordinates

PLACES = [(0, 3), (1, 4), (2, 5)]


@pytest.fixture
def table(rng: np.random.Generator) -> NDArray[np.float64]:
    """Positions and rates of three coordinates, and one number more."""
    return rng.normal(size=(40, 7))


def headings(t: NDArray[np.float64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    return table[:-1, :3] + 2.0 * table[:-1, 3:6] * np.diff(t)[:, np.newaxis]


def test_the_farthest_rows_are_the_first_of_the_extremes(table: NDArray[np.float64]) -> None:
    t = np.cumsum(np.linspace(0.01, 0.3, 40))
    table[7, 0] = table[20, 0] = 9.0
    ahead = headings(t, table)
    for coordinates in (Coordinates(PLACES), pickle.loads(pickle.dumps(Coordinates(PLACES)))):
        for given in (table, np.asfortranarray(table)):
            for k, found in enumerate(coordinates.farthest(t, given)):
                x, there = given[:, k], ahead[:, k]
                assert found.rows == [x.argmin(), x.argmax(), there.argmin(), there.argmax()]
                assert found.values == [x.min(), x.max(), there.min(), there.max()]
    (alone, *_) = Coordinates(PLACES).farthest(t[:1], table[:1])
    assert alone.values[:2] == [table[0, 0], table[0, 0]]
    assert np.isinf(alone.values[2:]).all()
    assert Coordinates([]).farthest(t, table) == []


# What is watched: of the first by itself, of the others together with an input and a state that moves them.
def watched(y: Array, u: Array) -> dict[str, Array]:
    return {
        "other": array((y[3],)),
        "more": array(()),
        "gearing": array((y[2] * y[2] + u[0] + y[6], y[0] * y[0], y[1] * y[1] - u[0] * y[6])),
    }


@pytest.mark.parametrize("scale", [0.1, 1.0])
def test_ahead_is_calm_where_single_calls_are(rng: np.random.Generator, scale: float) -> None:
    function = compile_function(trace("watched", watched, {"y": 7, "u": 1}))
    ahead = Ahead(function, PLACES, [1, 2, 0], [False, True, True])
    answers = set()
    for _ in range(60):
        n = int(rng.integers(2, 9))
        t, Y, U = np.cumsum(rng.uniform(0.1, 1.0, n)), rng.normal(size=(n, 7)), rng.normal(size=(n, 1))
        Y[:, 3:6] *= scale
        there, largest = headings(t, Y), -np.inf
        for k in range(3):
            for row in (there[:, k].argmin(), there[:, k].argmax()):
                if k == 0 and Y[:, 0].min() <= there[row, 0] <= Y[:, 0].max():
                    continue  # it was there
                y = Y[row].copy()
                y[k] = there[row, k]
                largest = max(largest, float(function(y, U[row])[2][[1, 2, 0][k]]))
        # what is asked together is asked of all: rows that are asked for others count as they were stored
        stored = max(function(y, u)[2].max() for y, u in zip(Y, U, strict=True))
        bound = max(largest, stored)
        assert ahead.calm(t, Y, U, bound)
        assert ahead.calm(t, Y, U, np.inf)
        assert largest < stored or not ahead.calm(t, Y, U, np.nextafter(largest, -np.inf))
        answers.add(largest < stored)
    assert answers == {False, True}


def test_what_is_no_number_is_not_calm() -> None:
    function = compile_function(trace("watched", watched, {"y": 7, "u": 1}))
    t, Y, U = np.arange(3.0), np.zeros((3, 7)), np.zeros((3, 1))
    for places, moved in (([1, 2, 0], [False, True, True]), ([1, 2, 0], [True, True, True])):
        ahead = Ahead(function, PLACES, places, moved)
        assert ahead.calm(t, Y, U, 1.0)
        for row in (0, 1):
            Y[row, 4] = 1e200  # whose square is not finite
            assert not ahead.calm(t, Y, U, 1.0)
            Y[row, 4] = np.nan if row == 0 else 0.0
            Y[row, 4] = 0.0
