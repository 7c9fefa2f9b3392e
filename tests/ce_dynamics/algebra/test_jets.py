"""Derivatives that moving scalars carry, against SymPy's differentiation of the same expressions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.arrays import where
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.compiler import trace

EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda f, x, y: 2.0 - x + 3.0 * y - 1.5,
    "product": lambda f, x, y: x * y * x,
    "quotient": lambda f, x, y: (1.0 + x) / (2.0 + y * y) + 1.0 / y,
    "powers": lambda f, x, y: x**3 + y**-2 + (x * x) ** 0.5 + y**2.5 + x**1 + y**0,
    "free exponent": lambda f, x, y: y**x + 2.0**x,
    "sin": lambda f, x, y: f.sin(x * y) * f.cos(y),
    "tan": lambda f, x, y: f.tan(x) + f.tanh(x * y),
    "inverse": lambda f, x, y: f.asin(x) + f.acos(0.3 * y) + f.atan(x * y),
    "exp": lambda f, x, y: f.exp(x) * f.log(y) + f.sqrt(y + x),
    "atan2": lambda f, x, y: f.atan2(x, y) + f.atan2(x, 0.7) + f.atan2(0.7, y * x),
    "abs": lambda f, x, y: abs(-x) + y * abs(y),
}


class Project:
    """The functions of `ce_dynamics.algebra.arrays` under SymPy's names."""

    sin, cos, tan, tanh = arrays.sin, arrays.cos, arrays.tan, arrays.tanh
    exp, log, sqrt = arrays.exp, arrays.log, arrays.sqrt
    asin, acos, atan, atan2 = arrays.arcsin, arrays.arccos, arrays.arctan, arrays.arctan2


def moving(value: Any, a: Any, b: Any, t: Any, *, traced: bool = False) -> ScalarMotion:
    """A scalar of two rates, 1.3 and -0.6, with its acceleration b and drift t."""
    theta_dot, drift = 1.3, t
    J = np.array([a, 0.4], dtype=object if traced else float)
    rate = a * theta_dot - 0.4 * 0.6 + drift
    return ScalarMotion(value, J, drift, rate, b)


X, Y = (0.4, 0.8, -0.3, 0.25), (1.3, -0.5, 0.9, -0.15)  # value, J[0], acceleration, drift


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_chain_rule_is_that_of_sympy(name: str) -> None:
    expression = EXPRESSIONS[name]
    x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", positive=True)
    f = expression(sympy, x, y)
    point = {x: X[0], y: Y[0]}
    first = [float(f.diff(v).subs(point)) for v in (x, y)]
    second = [[float(f.diff(v, w).subs(point)) for v in (x, y)] for w in (x, y)]
    mx, my = moving(*X), moving(*Y)
    result = expression(Project, mx, my)
    rates = np.array((mx.rate, my.rate))
    assert result.value == pytest.approx(float(f.subs(point)), rel=1e-14)
    assert pytest.approx(first[0] * mx.J + first[1] * my.J, rel=1e-13, abs=1e-14) == result.J
    assert result.drift == pytest.approx(first[0] * mx.drift + first[1] * my.drift, rel=1e-13)
    assert result.rate == pytest.approx(first @ rates, rel=1e-13)
    bias = first[0] * mx.acceleration + first[1] * my.acceleration + rates @ np.array(second) @ rates
    assert result.acceleration == pytest.approx(bias, rel=1e-12)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_traced_scalars_give_what_floats_give(name: str) -> None:
    expression = EXPRESSIONS[name]

    def function(z: Any) -> dict[str, Any]:
        result = expression(Project, moving(*z[:4], traced=True), moving(*z[4:], traced=True))
        return {"all": [result.value, *result.J, result.drift, result.rate, result.acceleration]}

    traced = trace(name, function, {"z": 8}).evaluate(z=np.array((*X, *Y)))["all"]
    plain = expression(Project, moving(*X), moving(*Y))
    expected = [plain.value, *plain.J, plain.drift, plain.rate, plain.acceleration]
    np.testing.assert_allclose(traced, np.array(expected, dtype=float), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("x", [0.4, -0.4])
def test_selection_takes_the_derivatives_of_what_is_selected(x: float) -> None:
    """With floats and with traced scalars, where the condition is only known later."""

    def function(z: Any) -> dict[str, Any]:
        moving_x = ScalarMotion(z[0], np.array((z[1],), dtype=object), 0.0, 2.0 * z[1], 0.0)
        chosen = where((moving_x > 0.0) & ~(moving_x >= 1.0), moving_x * moving_x, 5.0)
        return {"all": [chosen.value, chosen.J[0], chosen.acceleration]}

    traced = trace("select", function, {"z": 2}).evaluate(z=np.array((x, 0.8)))["all"]
    expected = (x * x, 2.0 * x * 0.8, 2.0 * 1.6**2) if x > 0.0 else (5.0, 0.0, 0.0)
    assert traced == pytest.approx(expected, rel=1e-14)
    plain = where(moving(x, 0.8, 0.0, 0.0) > 0.0, moving(x, 0.8, 0.0, 0.0), 5.0)
    assert (plain.value if x > 0.0 else plain) == (x if x > 0.0 else 5.0)


def test_numpy_scalars_and_arrays_mix_with_moving_scalars() -> None:
    x = moving(*X)
    assert (np.float64(2.0) * x).value == 0.8
    assert (np.eye(2) @ np.array((x, x), dtype=object))[1].value == 0.4
    assert (np.array((1.0, 2.0)) - x)[1].rate == -x.rate
    assert [entry.value for entry in x / np.array((2.0, 4.0))] == [0.2, 0.1]


def test_functions_of_numpy_and_branches_are_refused() -> None:
    x = moving(*X)
    with pytest.raises(TypeError, match=r"ce_dynamics\.algebra\.arrays"):
        float(x)
    with pytest.raises(TypeError, match="where"):
        bool(x)


def test_numbers_are_moving_scalars_that_stand_still() -> None:
    """Scalars that are neither carried nor driven have no rate and no acceleration, for any columns."""
    x = ScalarMotion.at_rest(2.0, np.array((3.0, 4.0)))
    assert (x.value, x.J.tolist(), x.drift, x.rate, x.acceleration) == (2.0, [3.0, 4.0], 0.0, 0.0, 0.0)
    assert ScalarMotion.of(x, 2) is x
    number = ScalarMotion.of(5.0, 2)
    assert (number.value, number.J.tolist(), *number.parts[2:]) == (5.0, [0.0, 0.0], 0.0, 0.0, 0.0)
