"""Elementary functions, selection and small vector algebra on floats, hidden scalars and mixtures."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.arrays import (
    absolute,
    arctan2,
    array,
    concatenate,
    cross,
    dot,
    is_plain,
    maximum,
    minimum,
    norm,
    skew,
    where,
    zeros,
)
from tests.ce_dynamics.opaque import Opaque, OpaqueTruth, opaque, reveal, reveal_scalar

FUNCTIONS = ["sin", "cos", "tan", "arcsin", "arccos", "arctan", "sqrt", "exp", "log", "tanh"]


def named(name: str) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = getattr(arrays, name)
    return function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_floats_are_numpys(name: str) -> None:
    x = np.array(((0.1, 0.5), (0.9, 1e-9)))
    result = named(name)(x)
    assert result.dtype == np.float64
    # two libraries, each within about an ulp
    np.testing.assert_allclose(result, getattr(np, name)(x), rtol=1e-15)
    assert named(name)(0.5) == result[0, 1]
    assert named(name)(np.float64(0.5)) == result[0, 1]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_mixtures_go_entry_by_entry(name: str) -> None:
    result = named(name)(np.array((0.3, Opaque(0.4)), dtype=object))
    assert isinstance(result[0], float)
    assert isinstance(result[1], Opaque)
    # two libraries, each within about an ulp
    np.testing.assert_allclose(reveal(result), named(name)(np.array((0.3, 0.4))), rtol=1e-15)


@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("arcsin", 1.1),
        ("arccos", -1.1),
        ("sqrt", -1e-300),
        ("log", -1.0),
        ("sin", math.inf),
        ("cos", -math.inf),
    ],
)
def test_outside_their_domain_functions_are_nan(name: str, outside: float) -> None:
    assert math.isnan(named(name)(outside))
    inside_and_out = named(name)(np.array((0.5, outside)))
    assert np.isnan(inside_and_out).tolist() == [False, True]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_passes_through(name: str) -> None:
    assert math.isnan(named(name)(math.nan))


def test_overflow_is_infinite() -> None:
    assert arrays.exp(1000.0) == math.inf
    assert arrays.exp(-1000.0) == 0.0


@pytest.mark.parametrize("y", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("x", [2.0, -2.0, 0.0])
def test_arctan2_knows_its_quadrants_for_every_mixture(y: float, x: float) -> None:
    expected = float(np.arctan2(y, x))
    assert arctan2(y, x) == expected
    assert arctan2(np.float64(y), np.float64(x)) == expected
    for mixed in (arctan2(Opaque(y), x), arctan2(y, Opaque(x)), arctan2(Opaque(y), Opaque(x))):
        assert isinstance(mixed, Opaque)
        assert reveal_scalar(mixed) == expected


def test_absolute() -> None:
    assert absolute(-2.0) == 2.0
    assert reveal_scalar(absolute(Opaque(-2.0))) == 2.0


@pytest.mark.parametrize("condition", [True, np.bool_(True), 1.0 < 2.0, np.float64(1.0) < np.float64(2.0)])
def test_where_selects_by_plain_conditions(condition: Any) -> None:
    assert where(condition, 1.0, 2.0) == 1.0
    chosen = where(condition, np.array((1.0, 2.0)), 0.0)
    assert chosen.tolist() == [1.0, 2.0]
    assert chosen.dtype == np.float64
    assert where(not condition, np.array((1.0, 2.0)), 0.0).tolist() == [0.0, 0.0]


def test_where_does_not_spread_what_it_rejects() -> None:
    assert where(True, 1.0, math.nan) == 1.0
    assert where(False, math.nan, np.array((1.0, 2.0))).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("truth", [True, False])
def test_where_leaves_traced_conditions_open(truth: bool) -> None:
    condition = OpaqueTruth(truth)
    scalar = where(condition, 1.0, Opaque(2.0))
    assert isinstance(scalar, Opaque)
    assert reveal_scalar(scalar) == (1.0 if truth else 2.0)
    vector = where(condition, np.array((1.0, 2.0)), opaque(np.array((3.0, 4.0))))
    assert all(isinstance(entry, Opaque) for entry in vector)
    assert reveal(vector).tolist() == ([1.0, 2.0] if truth else [3.0, 4.0])


def test_minimum_and_maximum_of_every_mixture() -> None:
    for a, b in ((1.0, 2.0), (2.0, 1.0), (-1.0, -1.0)):
        assert minimum(a, b) == min(a, b)
        assert maximum(a, b) == max(a, b)
        for x, y in ((Opaque(a), b), (a, Opaque(b)), (Opaque(a), Opaque(b))):
            assert reveal_scalar(minimum(x, y)) == min(a, b)
            assert reveal_scalar(maximum(x, y)) == max(a, b)


def test_minimum_and_maximum_with_nan_give_the_second() -> None:
    for function in (minimum, maximum):
        assert function(math.nan, 1.0) == 1.0
        assert math.isnan(function(1.0, math.nan))


def test_array_is_of_floats_where_it_can_be() -> None:
    assert array((1, 2.5, np.float64(3.0), True)).dtype == np.float64
    assert array(()).shape == (0,)
    assert array(()).dtype == np.float64
    mixed = array((1.0, Opaque(2.0)))
    assert mixed.dtype == object
    assert reveal(mixed).tolist() == [1.0, 2.0]
    rows = array((np.array((1.0, 2.0)), opaque(np.array((3.0, 4.0)))))
    assert rows.shape == (2, 2)
    assert array(entry for entry in (1.0, 2.0)).tolist() == [1.0, 2.0]


def test_is_plain() -> None:
    assert is_plain(np.array((1.0, 2.0)))
    assert is_plain(np.array((1.0, 2), dtype=object))
    assert is_plain(np.zeros((0, 6)))
    assert not is_plain(array((1.0, Opaque(2.0))))


def test_vector_algebra_agrees_with_numpy(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 3))
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    np.testing.assert_array_equal(skew(a).T, -skew(a))
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), rtol=0.0, atol=4e-15)
    assert dot(a, b) == pytest.approx(a @ b, abs=4e-15)
    assert norm(a) == pytest.approx(np.linalg.norm(a), rel=1e-15)


def test_vector_algebra_of_mixtures(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 3))
    hidden = opaque(a)
    for plain, traced in (
        (cross(a, b), cross(hidden, b)),
        (cross(b, a), cross(b, hidden)),
        (skew(a), skew(hidden)),
        (concatenate((a, b)), concatenate((hidden, b))),
    ):
        assert traced.dtype == object
        np.testing.assert_array_equal(reveal(traced), plain)
    assert reveal_scalar(dot(hidden, b)) == dot(a, b)
    assert reveal_scalar(norm(hidden)) == norm(a)


def test_products_refuse_unequal_lengths() -> None:
    with pytest.raises(ValueError, match="shorter"):
        dot(np.ones(3), np.ones(2))


def test_concatenate_and_zeros() -> None:
    joined = concatenate((np.array((1.0,)), zeros(2), np.array((2,))))
    assert joined.dtype == np.float64
    assert joined.tolist() == [1.0, 0.0, 0.0, 2.0]
    assert concatenate(()).shape == (0,)
    assert zeros(2, 3).shape == (2, 3)


def test_inputs_are_left_alone() -> None:
    a, b = np.array((1.0, 2.0, 3.0)), np.array((4.0, 5.0, 6.0))
    for function in (cross, dot):
        function(a, b)
    skew(a)
    arrays.sin(a)
    assert (a.tolist(), b.tolist()) == ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
