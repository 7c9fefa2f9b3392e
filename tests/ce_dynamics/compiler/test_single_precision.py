"""Functions compiled in single precision: operations round to 24 bits, inputs and outputs are doubles."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler import TracedFunction, compile_function, trace
from ce_dynamics.compiler.tracing.operations import MEANING, Op
from tests.ce_dynamics.compiler.codegen.test_outliner import numbers, run, steps
from tests.searching import examples

ULP = 2.0**-23
LANES = 16


def single(formula: Any, x: Any, lanes: int = LANES) -> Any:
    traced = trace("f", lambda x: {"y": arrays.array([formula(x[0])])}, {"x": 1})
    function = compile_function(traced, lanes, single=True)
    shape = (1,) if lanes == 1 else (1, lanes)
    whole = np.resize(x, (-(-len(x) // lanes), *shape))
    return np.concatenate([function(row)[0].ravel() for row in whole])[: len(x)]


# Steps of a formula round to 24 bits, each to half a unit: some three of them reach the result at full size.


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("sin", np.linspace(-30.0, 30.0, 4001)),
        ("cos", np.linspace(-30.0, 30.0, 4001)),
        ("sin", np.geomspace(1e-30, 1.0, 300)),
        ("sin", np.array([9e3, -2e4, 1e6])),  # by the library
        ("arctan", np.concatenate((np.linspace(-9.0, 9.0, 2001), [1e30, -1e30, np.inf]))),
        ("exp", np.linspace(-20.0, 20.0, 101)),  # by the library
        ("sqrt", np.geomspace(1e-20, 1e20, 301)),
    ],
)
@pytest.mark.parametrize("lanes", [1, LANES])
def test_elementary_functions_have_the_digits_of_their_precision(name: str, x: Any, lanes: int) -> None:
    x = x.astype(np.float32).astype(float)
    found, expected = single(getattr(arrays, name), x, lanes), getattr(np, name)(x)
    assert np.all(
        np.abs(found - expected) <= 2.0 * ULP * np.maximum(np.abs(expected), 1e-7 * (name != "sin"))
    )
    assert np.all(found == found.astype(np.float32))


def test_a_tangent_is_a_quotient() -> None:
    x = np.linspace(-1.5, 1.5, 501).astype(np.float32).astype(float)
    np.testing.assert_allclose(single(arrays.tan, x), np.tan(x), rtol=5 * ULP)


def test_each_operation_rounds_once() -> None:
    """1 + 2⁻²⁴ is 1 in single precision; NaN and infinities pass."""
    x = np.array([2.0**-24, 1.0, np.nan, np.inf, 1e300])
    found = single(lambda x: (1.0 + x) - 1.0, x)
    np.testing.assert_array_equal(found, [0.0, 1.0, np.nan, np.inf, np.inf])
    chosen = single(lambda x: arrays.where(x > 0.5, 0.1, -x), x)
    np.testing.assert_array_equal(
        chosen, [-(2.0**-24), np.float32(0.1), np.nan, np.float32(0.1), np.float32(0.1)]
    )


def rounded(traced: TracedFunction, x: Any) -> list[Any]:
    """The first output, by NumPy's operations on floats of 24 bits."""
    values: list[Any] = []
    for op, a, b, c in traced.instructions:
        if op == Op.CONST:
            values.append(np.full(x.shape[1], traced.numbers[a], dtype=np.float32))
        elif op == Op.INPUT:
            values.append(x[b])
        else:
            values.append(MEANING[Op(op)](*(values[k] for k in (a, b, c) if k >= 0)))
    return [values[node] for node in traced.outputs[0]]


@examples(15)
@given(
    steps.map(lambda program: [step for step in program if step[0] not in ("sin", "arctan", "exp", "mark")]),
    st.integers(0, 2**32 - 1),
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_arithmetic_is_of_floats_of_24_bits(
    program: list[tuple[str, int, int, int]], seed: int
) -> None:
    """NumPy's, operation by operation, in one lane and in many."""
    x = numbers(seed, 4, LANES)
    traced = trace("program", lambda x: {"y": run(program, x[:3], last=x[3])}, {"x": 4})
    expected = np.array(rounded(traced, x.astype(np.float32))).T
    assert expected.dtype == np.float32
    one = compile_function(traced, fused=False, single=True)
    many = compile_function(traced, LANES, fused=False, single=True)
    np.testing.assert_array_equal(np.array([one(column)[0] for column in x.T]), expected)
    np.testing.assert_array_equal(many(x)[0].T, expected)


def test_the_table_of_a_lookup_is_found() -> None:
    """Keys of tables have more digits than single precision."""
    values = np.linspace(0.0, 1.0, 40) ** 2
    table = Table(values)
    x = np.array([0.0, 3.7, 17.2, 100.0])
    for lanes in (1, LANES):
        found = single(lambda x: table.at(x), x, lanes)
        np.testing.assert_array_equal(found, values[[0, 3, 17, 39]].astype(np.float32))


def test_it_stays_single_when_it_is_pickled() -> None:
    traced = trace("f", lambda x: {"y": x / 3.0}, {"x": 2})
    function = compile_function(traced, LANES, single=True)
    again = pickle.loads(pickle.dumps(function))
    assert again.kind.single
    x = np.ones((2, LANES))
    np.testing.assert_array_equal(again(x)[0], np.full((2, LANES), np.float32(1.0) / np.float32(3.0)))
    assert not compile_function(traced, LANES).kind.single
