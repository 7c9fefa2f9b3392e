"""Finds by bisection the end of a condition that holds on one side and fails on the other."""

from __future__ import annotations

from collections.abc import Callable


def last_that_holds(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last number, to the last bit, for which a condition holds.

    Parameters
    ----------
    holds : function
        Of a number; true at ``inside``, false at ``outside``, and changing once between them (else any one of
        the changes is found).
    inside, outside : float
        In either order.
    """
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return inside
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
