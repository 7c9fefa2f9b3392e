"""Formulas in machine code: as exact as the library, the same bits whatever they are computed beside."""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from ce_dynamics.algebra.arrays import arctan, cos, sin, tan
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.codegen.elementary_calls import DEEPEST, FARTHEST
from ce_dynamics.compiler.llvm import has_fma

MANY = 11
"""Arguments of the functions below: a group of eight, and three that are left."""

pytestmark = pytest.mark.skipif(not has_fma(), reason="this processor has no fused multiply-add")


def all_of(x: Any) -> dict[str, Any]:
    """Functions of every argument; tangents read what the first calls give."""
    values = [f(v) for v in x for f in (sin, cos, arctan)]
    values += [tan(values[3 * k]) for k in range(MANY)]
    return {"y": np.array(values, dtype=object)}


TRACED = trace("functions", all_of, {"x": MANY})


@pytest.fixture(scope="module")
def alone() -> CompiledFunction:
    return compile_function(TRACED)


def arguments(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0.0, 1.0, MANY) * 10.0 ** rng.uniform(-8.0, 12.0, MANY)


def test_results_are_exact_to_few_last_places(alone: CompiledFunction, rng: np.random.Generator) -> None:
    """Angles of up to 1e13 among them, which formulas do not reduce."""
    for _ in range(200):
        x = arguments(rng)
        y = alone(x)[0]
        with mpmath.workdps(60):
            for k, v in enumerate(map(mpmath.mpf, x.tolist())):
                for place, exact in enumerate((mpmath.sin(v), mpmath.cos(v), mpmath.atan(v))):
                    error = mpmath.mpf(float(y[3 * k + place])) - exact
                    assert abs(float(error)) <= 4 * math.ulp(float(exact))
                slope = mpmath.tan(mpmath.mpf(float(y[3 * k])))
                assert abs(float(y[3 * MANY + k]) - float(slope)) <= 6 * math.ulp(float(slope))


@pytest.mark.parametrize("lanes", [8, 1])
def test_bits_do_not_depend_on_neighbours(
    alone: CompiledFunction,
    lanes: int,
    in_pieces: Callable[..., CompiledFunction],
    rng: np.random.Generator,
) -> None:
    other = compile_function(TRACED, lanes) if lanes == 8 else in_pieces(TRACED)
    for _ in range(100):
        points = np.stack([arguments(rng) for _ in range(8)], axis=1)
        expected = np.stack([alone(points[:, k])[0] for k in range(8)], axis=1)
        if other.lanes == 8:
            found = other(points)[0]
        else:
            found = np.stack([other(points[:, k])[0] for k in range(8)], axis=1)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("x", [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1.7e308, FARTHEST])
def test_edges_follow_the_standard(alone: CompiledFunction, x: float) -> None:
    """Beside ordinary neighbours, which keep their values."""
    ordinary = np.linspace(0.1, 0.7, MANY)
    given = ordinary.copy()
    given[2] = x
    y, expected = alone(given)[0], alone(ordinary)[0]
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(y[6:9], [np.sin(x), np.cos(x), np.arctan(x)], rtol=4e-16, atol=0.0)
    assert math.isnan(x) or math.copysign(1.0, y[8]) == math.copysign(1.0, x)
    beside = np.r_[0:6, 9 : 3 * MANY]
    np.testing.assert_array_equal(y[beside], expected[beside])


def test_calls_that_need_each_other_follow_in_turn() -> None:
    """Two chains longer than groups are looked for, and crossing ones."""
    n = DEEPEST + 5

    def chains(x: Any) -> dict[str, Any]:
        a, b, c = x
        for _ in range(n):
            a, b, c = sin(a + c), arctan(b + 0.5 * a), cos(b - c)
        return {"y": np.array([a, b, c], dtype=object)}

    traced = trace("chains", chains, {"x": 3})
    x = np.array([0.3, -0.4, 0.9])
    found, expected = compile_function(traced)(x)[0], traced.evaluate(x=x)["y"]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)  # slopes are below one: errors fade


def test_functions_that_are_unfused_call_the_library() -> None:
    library = compile_function(TRACED, fused=False)
    x = np.linspace(0.1, 0.9, MANY)
    y = library(x)[0]
    assert [y[3 * k] for k in range(MANY)] == [math.sin(v) for v in x]
    assert [y[3 * k + 2] for k in range(MANY)] == [math.atan(v) for v in x]
