"""Functions as CasADi's, and derivatives of arrays and selections, against complex steps and by hand."""

import sys
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra import arrays
from ce_dynamics.compiler import TracedFunction, casadi as bridge, compile_function, to_casadi, trace
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.errors import ModelError


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


def jacobian(traced: TracedFunction, output: str, name: str, *given: Any) -> Any:
    """Return the derivative at given inputs, in machine code: structural zeros filled in."""
    sparse = sparse_forward_jacobian(traced, output, name)
    dense = np.zeros(sparse.shape)
    dense[sparse.rows, sparse.columns] = compile_function(sparse.function)(*given)[0]
    return dense


@pytest.mark.parametrize("output", ["y", "z"])
@pytest.mark.parametrize("name", ["a", "s"])
def test_jacobian_of_arrays_of_any_shape(output: str, name: str) -> None:
    f = trace("smooth", smooth, {"a": (2, 3), "s": ()})
    found = jacobian(f, output, name, A, S)
    expected = complex_step(output, name).reshape(found.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)  # some tens of roundings


def test_casadi_computes_arrays_of_any_shape() -> None:
    f = trace("smooth", smooth, {"a": (2, 3), "s": ()})
    for found, expected in zip(to_casadi(f)(A, S), smooth(A, S).values(), strict=True):
        np.testing.assert_allclose(np.squeeze(np.array(found)), expected, rtol=1e-14, atol=1e-15)


def test_sparse_jacobian_leaves_structural_zeros_out() -> None:
    f = trace("f", lambda x, u: {"y": [x[0] * x[1], x[2] * 0.0 * x[0], 3.0 * x[2]]}, {"x": 3, "u": 2})
    sparse = sparse_forward_jacobian(f, "y", "x")
    assert sorted(zip(sparse.rows.tolist(), sparse.columns.tolist(), strict=True)) == [(0, 0), (0, 1), (2, 2)]
    empty = sparse_forward_jacobian(f, "y", "u")
    assert empty.shape == (3, 2)
    assert len(empty.rows) == 0
    np.testing.assert_array_equal(jacobian(f, "y", "u", np.ones(3), np.ones(2)), np.zeros((3, 2)))


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
    got = jacobian(f, "y", "x", np.array(x))
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


def test_unknown_names_are_refused() -> None:
    f = trace("car", lambda x: {"y": x}, {"x": 1})
    with pytest.raises(KeyError, match=r"car has no output 'z'.*\['y'\]"):
        sparse_forward_jacobian(f, "z", "x")
    with pytest.raises(KeyError, match=r"car has no input 'z'.*\['x'\]"):
        sparse_forward_jacobian(f, "y", "z")


@pytest.mark.parametrize("name", ["HMMWV, front left", "__x__y", "3 bodies", "f"])
def test_any_name_becomes_a_name_for_casadi(name: str) -> None:
    assert float(to_casadi(trace(name, lambda x: {"y": 2 * x}, {"x": 1}))(3.0)) == 6.0


def test_without_casadi_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.setattr(bridge, "_casadi", bridge._casadi.__wrapped__)  # which has not been asked before
    with pytest.raises(ModelError, match=r"install ce-dynamics\[casadi\]"):
        to_casadi(trace("double", lambda x: {"y": 2.0 * x}, {"x": 2}))
