"""Traced functions called in others: values, shapes, conditions, what is shared."""

from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import arctan2, array, sin, where
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.tracing.inline import call


@pytest.fixture(scope="module")
def inner() -> TracedFunction:
    """All kinds of instructions: arithmetic, functions of one and two numbers, selections, logic."""

    def function(x: Any, a: Any) -> dict[str, Any]:
        both = (x[0] < a) & ~(x[1] < 0.0)
        y = where(both | (a == 3.0), x[0] / a, -x[1] * x[0])
        return {"y": array((y, arctan2(x[1], a) - sin(x[0]))), "z": 2.5 * a}

    return trace("inner", function, {"x": 2, "a": ()})


@pytest.mark.parametrize("x", [(0.5, 2.0), (4.0, -1.0), (3.0, 1.0)])
@pytest.mark.parametrize("a", [3.0, 1.5])
def test_values_are_those_of_the_function(inner: TracedFunction, x: tuple[float, float], a: float) -> None:
    def outer(s: Any) -> dict[str, Any]:
        found = call(inner, x=array((s[0] * s[0], s[1])), a=a)  # conditions on a are known already
        return {"y": 2.0 * found["y"], "z": found["z"]}

    found = trace("outer", outer, {"s": 2}).evaluate(s=np.array([np.sqrt(x[0]), x[1]]))
    expected = inner.evaluate(x=np.array([np.sqrt(x[0]) ** 2, x[1]]), a=np.float64(a))
    np.testing.assert_allclose(found["y"], 2.0 * expected["y"], rtol=1e-15)
    assert found["z"] == 2.5 * a
    floats = call(inner, x=array(x), a=a)
    np.testing.assert_array_equal(floats["y"], inner.evaluate(x=np.array(x), a=np.float64(a))["y"])


def test_a_derivative_of_a_derivative(inner: TracedFunction) -> None:
    """d²/ds² of s ↦ sin-like outputs by calls, against the formula."""
    cube = trace("cube", lambda s: {"y": s * s * s}, {"s": ()})
    slope = directional_derivative(cube)
    first = trace("slope", lambda s: {"y": call(slope, s=s, s_direction=1.0)["y_direction"]}, {"s": ()})
    bend = directional_derivative(first)
    assert bend.evaluate(s=np.float64(2.0), s_direction=np.float64(1.0))["y_direction"] == 12.0


def test_calls_share_what_they_have_in_common(inner: TracedFunction) -> None:
    once = trace("once", lambda x: {"y": call(inner, x=x, a=2.0)["y"]}, {"x": 2})
    twice = trace("twice", lambda x: {k: call(inner, x=x, a=2.0)["y"] for k in "ab"}, {"x": 2})
    assert twice.n_instructions == once.n_instructions


def test_tables_are_looked_up_in_the_caller_too() -> None:
    table = Table([2.0, 3.0, 5.0, 7.0], reach=1)
    inner = trace("inner", lambda x: {"y": table.at(x, 1) * x}, {"x": ()})
    outer = trace("outer", lambda x: {"y": call(inner, x=x)["y"] + 1.0}, {"x": ()})
    assert [float(outer.evaluate(x=np.float64(k))["y"]) for k in range(3)] == [1.0, 6.0, 15.0]
    assert outer.tables == (table,)


def test_wrong_arguments(inner: TracedFunction) -> None:
    with pytest.raises(TypeError, match="takes the inputs"):
        call(inner, x=array((1.0, 2.0)))
    with pytest.raises(ValueError, match="shape"):
        call(inner, x=array((1.0, 2.0, 3.0)), a=1.0)
