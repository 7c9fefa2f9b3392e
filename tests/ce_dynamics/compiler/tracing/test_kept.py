"""Functions of which only a part is asked."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array, sqrt
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.compiler.tracing.inline import with_entries


def two_results(x: Array) -> dict[str, object]:
    root = sqrt(x[0] * x[0] + 2.0)
    mark()
    rest = (x[1] - 3.0) / root
    mark()
    return {"a": [root, rest, 5.0, root * rest], "b": [rest * 7.0, x[1]]}


@pytest.mark.parametrize("entries", [(), (1,), (0, 2), (3,), range(4)])
def test_kept_graphs_have_the_same_bits(entries: tuple[int, ...]) -> None:
    whole = trace("two", two_results, {"x": 2})
    part = with_entries(whole, "a", entries)
    for x in np.random.default_rng(1).normal(size=(5, 2)):
        expected, found = whole.evaluate(x=x), part.evaluate(x=x)
        np.testing.assert_array_equal(found["b"], expected["b"])
        np.testing.assert_array_equal(
            found["a"], np.where(np.isin(np.arange(4), entries), expected["a"], 0.0)
        )


def test_what_only_others_need_is_not_computed() -> None:
    whole = trace("two", two_results, {"x": 2})
    assert with_entries(whole, "a", range(4)).n_instructions == whole.n_instructions == 7
    assert with_entries(whole, "a", [0]).n_instructions == 6  # all but a[3]: b needs the rest
    # x0 x0, + 2, root, x1 - 3, /: of b nothing but what is given
    assert with_entries(with_entries(whole, "b", [1]), "a", [1]).n_instructions == 5
    assert with_entries(with_entries(whole, "b", [1]), "a", [2]).n_instructions == 0
