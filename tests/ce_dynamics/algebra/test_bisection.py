"""Bisection to the last bit, in either direction."""

import math

import pytest

from ce_dynamics.algebra.newton import last_that_holds


@pytest.mark.parametrize("threshold", [0.1, -3.7, 1e-300, 0.0, 12345.678])
def test_the_next_float_does_not_hold_any_more(threshold: float) -> None:
    upward = last_that_holds(lambda x: x <= threshold, threshold - 7.0, threshold + 3.0)
    assert upward == threshold
    downward = last_that_holds(lambda x: x > threshold, threshold + 3.0, threshold - 7.0)
    assert downward == math.nextafter(threshold, math.inf)


def test_neighbours_are_distinguished_at_once() -> None:
    above = math.nextafter(1.0, 2.0)

    def never_asked(x: float) -> bool:
        raise AssertionError(x)

    assert last_that_holds(never_asked, 1.0, above) == 1.0
