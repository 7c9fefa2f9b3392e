"""Finds by bisection the end of a condition that holds on one side and fails on the other."""

from __future__ import annotations

from collections.abc import Callable


def last_that_holds(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last number, to the last bit, for which a condition holds.

    It holds at ``inside``, not at ``outside``, and changes once between them (else any one of the changes is
    found); either may be the larger.
    """
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return inside
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
