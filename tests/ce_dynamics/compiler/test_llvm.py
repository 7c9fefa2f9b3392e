"""Functions called once per row of arrays: the same bits as one call after the other."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array, array, sin
from ce_dynamics.compiler import CompiledFunction, compile_function, trace


@pytest.fixture(scope="module")
def function() -> CompiledFunction:
    """Return a function of a vector and a matrix with outputs of both, a matrix, and one of no entries."""

    def some(a: Array, B: Array) -> dict[str, Array]:
        return {"c": B @ a, "D": array((sin(a[0]), a[1], a[2], B[0, 1])).reshape(2, 2), "none": array(())}

    return compile_function(trace("some", some, {"a": 3, "B": (2, 3)}))


@pytest.mark.parametrize("n", [0, 1, 7])
def test_rows_are_single_calls(function: CompiledFunction, n: int, rng: np.random.Generator) -> None:
    a, B = rng.normal(size=(n, 6))[:, ::2], rng.normal(size=(n, 2, 3))  # not contiguous
    rows = function.at_rows(a, B)
    assert [row.shape for row in rows] == [(n, 2), (n, 2, 2), (n, 0)]
    for k in sorted({0, n // 2, n - 1} & set(range(n))):
        for row, single in zip(rows, function(a[k], B[k]), strict=True):
            np.testing.assert_array_equal(row[k], single)


def test_rows_of_another_shape_are_refused(function: CompiledFunction) -> None:
    with pytest.raises(ValueError, match="inputs of some"):
        function.at_rows(np.zeros((4, 3)), np.zeros((3, 2, 3)))
