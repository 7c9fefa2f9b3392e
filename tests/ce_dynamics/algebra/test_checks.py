"""A user's numbers within bounds."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError


def refusal(value: object, **bounds: Any) -> str:
    with pytest.raises(ModelError) as caught:
        checks.number("mass", value, **bounds)
    return str(caught.value)


def test_bounds_are_kept_and_described() -> None:
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
    assert checks.Bounds(above=0.0).describe() == "a positive finite number"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (Decimal("0.5"), r"mass Decimal\('0.5'\) is exact; give it as float"),
        (Fraction(1, 2), "is exact; give it as float"),
        (np.array("1.0"), "is not a number"),
        (np.ma.masked_array(1.0, mask=True), "is not a number"),
    ],
)
def test_numbers_that_floats_do_not_take(value: object, problem: str) -> None:
    assert re.search(problem, refusal(value))


def test_masked_entries_are_no_numbers() -> None:
    given = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    with pytest.raises(ModelError, match="at has entries that are masked"):
        checks.vector("at", given, 2)
    given.mask = False
    assert checks.vector("at", given, 2).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [5e-324, 1e-51, 1e51, 1e308])
def test_times_whose_quotients_overflow_are_refused(value: float) -> None:
    with pytest.raises(ModelError, match=r"duration .* must be at least 1e-50 s and at most 1e\+50 s"):
        checks.seconds("duration", value)
    assert checks.seconds("duration", 0.5) == 0.5
