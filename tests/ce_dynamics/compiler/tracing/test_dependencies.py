"""Dependencies: by hand, and of a random function against the bits of its values."""

from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import sin, where
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.tracing.inline import Dependencies, dependencies


def test_by_hand() -> None:
    def function(x: Any, u: Any) -> dict[str, Any]:
        a, b, c = x
        return {
            "y": np.array(
                [
                    2.0 * a - b / 4.0 + u[0],
                    a * b + c,
                    where(c > 0.0, a, 1.0),
                    sin(u[1]) - (a - 3.0 * c),
                    np.float64(7.0),
                    1.0 / b,
                ],
                dtype=object,
            ),
            "z": np.array(-u[1] * 5.0, dtype=object),
        }

    found = dependencies(trace("f", function, {"x": 3, "u": 2}))
    assert found["y"] == [
        Dependencies((0, 1, 3), frozenset({0, 1, 3})),
        Dependencies((0, 1, 2), frozenset({2})),
        Dependencies((0, 2), frozenset()),
        Dependencies((0, 2, 4), frozenset({0, 2})),
        Dependencies((), frozenset()),
        Dependencies((1,), frozenset()),
    ]
    assert found["z"] == [Dependencies((4,), frozenset({4}))]


def test_what_is_not_there_changes_no_bit(rng: np.random.Generator) -> None:
    """Inputs in no set change nothing; a constant dependence changes an output by its factor."""
    choices = rng.integers(0, 6, size=(8, 3))

    def function(x: Any) -> dict[str, Any]:
        return {"y": np.array([x[i] * sin(x[j]) + 2.5 * x[k] for i, j, k in choices], dtype=object)}

    traced = trace("f", function, {"x": 6})
    at = rng.normal(size=6)
    before = traced.evaluate(x=at)["y"]
    for k in range(6):
        moved = at.copy()
        moved[k] += 0.5
        change = traced.evaluate(x=moved)["y"] - before
        for entry, depends in enumerate(dependencies(traced)["y"]):
            assert (change[entry] != 0.0) == (k in depends.on)
            if k in depends.constant:
                assert abs(change[entry] - 1.25) < 1e-14
