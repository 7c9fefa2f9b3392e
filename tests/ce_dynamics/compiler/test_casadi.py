"""Exact derivatives by way of CasADi, against complex steps; functions of CasADi against CasADi."""

import sys
from typing import Any

import casadi as ca
import numpy as np
import pytest

from ce_dynamics.algebra import arrays
from ce_dynamics.compiler import casadi as bridge, compile_function, to_casadi, trace
from ce_dynamics.errors import ModelError
from tests.ce_dynamics.compiler.casadi_reading import (
    UnsupportedOperationError,
    from_casadi,
    jacobian,
    sparse_jacobian,
)


def smooth(a: Any, s: Any) -> dict[str, Any]:
    """Analytic in everything; NumPy's ufuncs serve complex and traced numbers alike."""
    r = np.sqrt((1.0 + a[0] * a[0] + s * s) * np.ones(3))
    y = np.stack([np.sin(a[0] * s), np.exp(-r), a[1] / r])
    return {"y": y * np.array([1.0, 0.0, 2.0]), "z": np.tanh(a[1] @ a[0] * np.ones(1))[0] * s}


A = np.array([[0.3, -0.8, 1.2], [0.7, 0.1, -0.4]])
S = 0.6


def complex_step(output: str, name: str) -> Any:
    h = 1e-30  # no subtraction, so no cancellation: exact to rounding
    given = {"a": A, "s": np.array(S)}
    columns = []
    for k in range(given[name].size):
        step = np.zeros(given[name].size, dtype=complex)
        step[k] = 1j * h
        result = np.asarray(smooth(**(given | {name: given[name] + step.reshape(given[name].shape)}))[output])
        columns.append(result.imag / h)
    return np.moveaxis(np.array(columns), 0, -1).reshape(columns[0].shape + given[name].shape)


@pytest.mark.parametrize("output", ["y", "z"])
@pytest.mark.parametrize("name", ["a", "s"])
def test_jacobian_of_arrays_of_any_shape(output: str, name: str) -> None:
    f = trace("smooth", smooth, {"a": (2, 3), "s": ()})
    derivative = jacobian(f, output, name)
    expected = complex_step(output, name)
    assert derivative.output_shapes == {f"d{output}_d{name}": expected.shape}
    got = compile_function(derivative)(A, S)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-14)  # some tens of roundings

    sparse = sparse_jacobian(f, output, name)
    dense = np.zeros(sparse.shape)
    dense[sparse.rows, sparse.columns] = compile_function(sparse.function)(A, S)[0]
    np.testing.assert_allclose(dense, expected.reshape(sparse.shape), rtol=1e-13, atol=1e-14)


def test_sparse_jacobian_leaves_structural_zeros_out() -> None:
    f = trace("f", lambda x, u: {"y": [x[0] * x[1], x[2] * 0.0 * x[0], 3.0 * x[2]]}, {"x": 3, "u": 2})
    sparse = sparse_jacobian(f, "y", "x")
    assert sorted(zip(sparse.rows.tolist(), sparse.columns.tolist(), strict=True)) == [(0, 0), (0, 1), (2, 2)]
    empty = sparse_jacobian(f, "y", "u")
    assert empty.shape == (3, 2)
    assert len(empty.rows) == 0
    np.testing.assert_array_equal(
        jacobian(f, "y", "u").evaluate(x=np.ones(3), u=np.ones(2))["dy_du"], np.zeros((3, 2))
    )


def switching(x: Any) -> dict[str, Any]:
    safe = arrays.where(x[0] > 0.0, arrays.sqrt(x[0]), x[1] * x[1])
    return {
        "y": [
            safe * x[1],
            abs(x[0]) * arrays.minimum(x[0], x[1]),
            arrays.maximum(x[0], x[1]) ** 3,
            arrays.arctan2(x[0], x[1]),
            arrays.where((x[0] > 0.0) & ~(x[1] > 5.0), x[0] ** 2, 7.0 * x[1]),
            x[1] ** 2.5,
        ]
    }


@pytest.mark.parametrize("x", [(-1.5, 0.4), (2.0, 0.3), (0.2, 0.9)])
def test_derivatives_of_selections_take_the_selected_branch(x: tuple[float, float]) -> None:
    a, b = x
    branch = [b / (2 * np.sqrt(a)), np.sqrt(a)] if a > 0 else [0.0, 3 * b * b]
    low = [abs(a) + np.sign(a) * a, 0.0] if a < b else [np.sign(a) * b, abs(a)]
    high = [3 * a * a, 0.0] if a > b else [0.0, 3 * b * b]
    chosen = [2 * a, 0.0] if a > 0 else [0.0, 7.0]
    r2 = a * a + b * b
    expected = [branch, low, high, [b / r2, -a / r2], chosen, [0.0, 2.5 * b**1.5]]
    f = trace("switching", switching, {"x": 2})
    got = compile_function(jacobian(f, "y", "x"))(np.array(x))[0]
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


def test_unknown_names_are_refused() -> None:
    f = trace("car", lambda x: {"y": x}, {"x": 1})
    with pytest.raises(KeyError, match=r"car has no output 'z'.*\['y'\]"):
        jacobian(f, "z", "x")
    with pytest.raises(KeyError, match=r"car has no input 'z'.*\['x'\]"):
        sparse_jacobian(f, "y", "z")


CASADI: dict[str, Any] = {
    "sign": lambda x, y: ca.sign(x),
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "if_else": lambda x, y: ca.if_else(x < y, ca.sqrt(x), y),
    "number as condition": lambda x, y: ca.if_else(x, y, -y),
    "condition as number": lambda x, y: 2.0 * (x <= y) + (x == y) - (x != y) / 4,
    "not, and, or of numbers": lambda x, y: ca.logic_not(x) + ca.logic_and(x, y) * 2 + ca.logic_or(x, y) * 4,
    "condition times": lambda x, y: (x < y) * y,
    "constant condition": lambda x, y: ca.if_else(ca.SX(1) < 2, x, y),
    "powers": lambda x, y: x**2 + x**-3 + (2 + x * x) ** 1.7 + (1 + y * y) ** x,
    "hyperbolic": lambda x, y: (
        ca.sinh(x) + ca.cosh(y) + ca.asinh(x) + ca.acosh(1 + y * y) + ca.atanh(ca.tanh(x) / 2)
    ),
    "rounding": lambda x, y: ca.floor(x) + ca.ceil(y) + ca.fmod(x, 0.3 + y * y) + ca.copysign(x, y),
    "others": lambda x, y: (
        ca.erf(x) + ca.expm1(x / 9) + ca.log1p(y * y) + ca.hypot(x, y) + ca.fabs(x) + ca.atan2(x, y)
    ),
}


@pytest.mark.parametrize("name", CASADI)
def test_functions_of_casadi(name: str) -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    function = ca.Function("f", [x, y], [CASADI[name](x, y)], ["x", "y"], ["z"])
    machine = compile_function(from_casadi(function))
    again = to_casadi(machine.traced)
    for a in (-1.7, -0.0, 0.4, 1.0, 2.6):
        for b in (-2.2, 0.0, 0.4, 1.0, 7.3):
            if name == "powers" and a == 0.0:
                continue  # 1 / (±0)^3: the sign of zero is not kept
            expected = float(function(a, b))
            # a few libm calls on either side, summed
            assert machine([a], [b])[0][0] == pytest.approx(expected, rel=1e-14, abs=1e-14, nan_ok=True)
            assert float(again(a, b)) == pytest.approx(expected, rel=1e-14, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("name", ["fmin", "fmax"])
def test_fmin_and_fmax_ignore_nan_as_in_c(name: str) -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    f = compile_function(from_casadi(ca.Function("f", [x, y], [getattr(ca, name)(x, y)])))
    assert f([np.nan], [1.0])[0][0] == 1.0
    assert f([1.0], [np.nan])[0][0] == 1.0
    assert np.isnan(f([np.nan], [np.nan])[0][0])


def test_sparse_and_matrix_arguments() -> None:
    x = ca.SX.sym("x", ca.Sparsity.lower(3))
    y = ca.SX.sym("y", 3, 2)
    function = ca.Function("f", [x, y], [x @ y, ca.triu(x @ x.T)], ["x", "y"], ["p", "q"])
    f = compile_function(from_casadi(function))
    rng = np.random.default_rng(1)
    a, b = np.tril(rng.normal(size=(3, 3))), rng.normal(size=(3, 2))
    p, q = f(a, b)
    np.testing.assert_allclose(p, a @ b, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(q, np.triu(a @ a.T), rtol=1e-14, atol=1e-15)


def test_matrix_functions_are_expanded_or_refused() -> None:
    m = ca.MX.sym("m", 2, 2)
    expandable = ca.Function("f", [m], [m @ m])
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(from_casadi(expandable).evaluate(i0=a)["o0"], a @ a)
    table = ca.interpolant("table", "bspline", [[0.0, 1.0, 2.0, 3.0, 4.0]], [0.0, 1.0, 4.0, 9.0, 16.0])
    with pytest.raises(UnsupportedOperationError, match="table"):
        from_casadi(table)


def test_shapes_that_do_not_fit_are_refused() -> None:
    x = ca.SX.sym("x", 2)
    with pytest.raises(ValueError, match=r"2 by 1 in CasADi; it cannot have the shape \(3,\)"):
        from_casadi(ca.Function("f", [x], [x], ["x"], ["y"]), {"x": (3,)})


@pytest.mark.parametrize("name", ["HMMWV, front left", "__x__y", "3 bodies", "f"])
def test_any_name_becomes_a_name_for_casadi(name: str) -> None:
    assert float(to_casadi(trace(name, lambda x: {"y": 2 * x}, {"x": 1}))(3.0)) == 6.0


def test_without_casadi_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.setattr(bridge, "_casadi", bridge._casadi.__wrapped__)  # which has not been asked before
    with pytest.raises(ModelError, match=r"install ce-dynamics\[casadi\]"):
        to_casadi(trace("double", lambda x: {"y": 2.0 * x}, {"x": 2}))
