"""A user's numbers within bounds."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError


def refusal(value: object, **bounds: Any) -> str:
    with pytest.raises(ModelError) as caught:
        checks.number("mass", value, **bounds)
    return str(caught.value)


def test_bounds_are_kept_and_said() -> None:
    assert checks.number("mass", 2, above=0.0) == 2.0
    assert checks.number("share", 1.0, at_least=0.0, at_most=1.0) == 1.0
    assert refusal(0.0, above=0.0) == "mass 0.0 must be a positive finite number"
    assert refusal(3.0, above=0.0, at_most=2.0) == "mass 3.0 must be a positive finite number and at most 2"
    assert refusal(2.0, at_least=0.0, below=2.0) == "mass 2.0 must be a finite number at least 0 and below 2"
    assert refusal(math.nan).endswith("must be a finite number")
    assert refusal(3.0, at_least=-1.0, at_most=2.0, unit="m") == (
        "mass 3.0 m must be a finite number at least -1 m and at most 2 m"
    )


def test_only_the_largest_of_all_may_be_infinite() -> None:
    assert checks.number("limit", math.inf, above=0.0, infinite=True) == math.inf
    assert refusal(math.inf, above=0.0) == "mass inf must be a positive finite number"
    assert refusal(-math.inf, infinite=True)
    assert refusal(-1.0, above=0.0, infinite=True) == "mass -1.0 must be a positive number"
    assert checks.bounds(0.0, -math.inf, math.inf, math.inf) == "a positive finite number"
