"""Traced scalars inside NumPy."""

import operator
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra import arrays
from ce_dynamics.compiler import Condition, Traced, trace
from tests.support import count_operations

VALUES = {"x": np.array([0.3, -1.7, 2.2])}
MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])


def both(function: Any) -> tuple[Any, Any]:
    """Result of a function of a vector on traced scalars, interpreted, and on floats."""
    f = trace("f", lambda x: {"y": function(x)}, {"x": 3})
    return f.evaluate(**VALUES)["y"], np.asarray(function(VALUES["x"]), dtype=float)


ARRAY_CODE = {
    "float matrix @ traced": lambda x: MATRIX @ x,
    "traced @ traced": lambda x: x @ x,
    "outer through matmul": lambda x: x[:, None] @ x[None, :],
    "transpose": lambda x: (MATRIX * x).T,
    "float64 scalar times traced": lambda x: np.float64(2.5) * x[1],
    "float64 scalar minus traced": lambda x: np.float64(2.5) - x[1],
    "float64 scalar over traced": lambda x: np.float64(2.5) / x[1],
    "float64 scalar to the traced": lambda x: np.float64(2.5) ** x[1],
    "int64 scalar plus traced": lambda x: np.int64(2) + x[1],
    "float array times traced": lambda x: np.array([1.0, 0.0, 3.0]) * x[0],
    "traced minus float array": lambda x: x[0] - np.array([1.0, 0.0, 3.0]),
    "float array over traced": lambda x: MATRIX / x[0],
    "traced over object array": lambda x: x[0] / x,
    "object array times traced": lambda x: x * x[0],
    "array to a power": lambda x: x**3,
    "0-d array": lambda x: np.array(2.0) * x[0],
    "minus": lambda x: -x,
    "stack": lambda x: np.stack([x, 2 * x, np.zeros(3)]),
    "concatenate": lambda x: np.concatenate([x[:1], np.ones(2)]),
    "sum": lambda x: np.sum(x),
    "cross": lambda x: arrays.cross(x, np.array([0.0, 1.0, 2.0])),
    "numpy's cross": lambda x: np.cross(x, np.array([0.0, 1.0, 2.0])),
    "norm": lambda x: arrays.norm(x),
    "numpy's sin": lambda x: np.sin(x * 1.0),
    "minimum": lambda x: arrays.minimum(x[0], x[1]) + arrays.maximum(x[1], 0.25),
    "where of arrays": lambda x: arrays.where(x[0] < x[1], x, 2.0 * x),
    "arctan2 all ways": lambda x: arrays.array(
        (arrays.arctan2(x[0], x[1]), arrays.arctan2(1.5, x[1]), arrays.arctan2(x[1], -2.0))
    ),
}


@pytest.mark.parametrize("name", ARRAY_CODE)
def test_array_code_means_the_same_traced(name: str) -> None:
    got, expected = both(ARRAY_CODE[name])
    assert got.shape == expected.shape
    # at most a dozen operations on numbers of order 10
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)


def test_structural_zeros_stay_zeros_in_matrix_products() -> None:
    f = trace("f", lambda x: {"y": MATRIX @ x}, {"x": 3})
    assert count_operations(f) == {"input": 3, "const": 2, "mul": 2, "add": 1, "sub": 1}


def test_scalar_and_matrix_inputs() -> None:
    f = trace("f", lambda a, s: {"y": a.T * s, "z": s}, {"a": (2, 3), "s": ()})
    out = f.evaluate(a=MATRIX, s=2.0)
    np.testing.assert_array_equal(out["y"], 2.0 * MATRIX.T)
    assert out["z"].shape == ()


@pytest.mark.parametrize(
    "compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
)
@pytest.mark.parametrize("a", [1.0, 2.0, np.nan])
def test_comparisons_from_both_sides(compare: Any, a: float) -> None:
    def function(x: Any) -> dict[str, Any]:
        conditions = [
            compare(x[0], x[1]), compare(x[0], 2.0), compare(2.0, x[0]), compare(np.float64(2.0), x[0]),
        ]  # fmt: skip
        assert all(isinstance(c, Condition) for c in conditions)
        return {"y": [c.where(1.0, 0.0) for c in conditions]}

    y = trace("f", function, {"x": 2}).evaluate(x=[a, 2.0])["y"]
    expected = [compare(a, 2.0), compare(a, 2.0), compare(2.0, a), compare(2.0, a)]
    assert y.tolist() == [float(e) for e in expected]


def test_float_arrays_compare_entry_by_entry() -> None:
    levels = np.array([1.0, 2.0, 3.0])

    def function(x: Any) -> dict[str, Any]:
        above, below = levels < x[0], x[0] <= levels
        return {"y": [c.where(1.0, 0.0) for c in (*above, *below)]}

    assert trace("f", function, {"x": 1}).evaluate(x=[2.0])["y"].tolist() == [1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("x", [(0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (2.0, 2.0)])
def test_logic(x: tuple[float, float]) -> None:
    def function(x: Any) -> dict[str, Any]:
        a, b = x[0] > 1.0, x[1] > 1.0
        conditions = (a & b, a | b, ~a, a & True, a | np.bool_(False), np.bool_(True) & a, ~a & ~b)
        return {"y": [c.where(1.0, 0.0) for c in conditions]}

    a, b = x[0] > 1.0, x[1] > 1.0
    expected = (a and b, a or b, not a, a, a, a, not a and not b)
    assert trace("f", function, {"x": 2}).evaluate(x=x)["y"].tolist() == [float(e) for e in expected]


def _branch(x: Any) -> Any:
    return 1.0 if x[0] > 0.0 else 0.0


BRANCHES: dict[str, Any] = {
    "if on a comparison": _branch,
    "and": lambda x: (x[0] > 0.0) and (x[1] > 0.0),
    "truth of a scalar": lambda x: x[0] or 1.0,
    "min": lambda x: min(x[0], x[1]),
    "membership": lambda x: 3.0 in [x[0]],
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branching_on_values_is_refused_with_the_remedy(name: str) -> None:
    with pytest.raises(TypeError, match="where"):
        trace("f", lambda x: {"y": BRANCHES[name](x)}, {"x": 2})


def test_conversion_to_float_is_refused() -> None:
    with pytest.raises(TypeError, match=r"ce_dynamics\.algebra\.arrays"):
        trace("f", lambda x: {"y": float(x[0])}, {"x": 1})
    with pytest.raises(TypeError, match="float value"):
        trace("f", lambda x: {"y": np.array(x, dtype=np.float64)}, {"x": 1})


def test_wrong_results_are_named() -> None:
    with pytest.raises(TypeError, match="mapping"):
        trace("f", lambda x: x, {"x": 1})
    with pytest.raises(TypeError, match=r"'speed' of car.*str"):
        trace("car", lambda x: {"speed": ["fast"]}, {"x": 1})
    with pytest.raises(TypeError, match="condition"):
        trace("f", lambda x: {"y": x[0] > 0.0}, {"x": 1})


def test_scalars_of_another_trace_are_refused() -> None:
    kept: list[Traced] = []

    def keep(x: Any) -> dict[str, Any]:
        kept.extend(x)
        return {"y": x}

    trace("first", keep, {"x": 1})
    with pytest.raises(TypeError, match="another"):
        trace("second", lambda x: {"y": x[0] + kept[0]}, {"x": 1})


def test_interpreter_checks_its_inputs() -> None:
    f = trace("car", lambda x: {"y": x}, {"x": 2})
    with pytest.raises(TypeError, match="car takes the inputs"):
        f.evaluate(z=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"'x' of car has shape \(3,\), expected \(2,\)"):
        f.evaluate(x=np.zeros(3))
