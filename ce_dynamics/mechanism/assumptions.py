"""Assumptions: data of a system that are nearly exact and are replaced by exact values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-5
"""Axes that are parallel or perpendicular to within so many radians, and points and lines that meet to within
so many sizes of their loop, are taken as exactly so where the freedoms of a loop depend on it.  Ten units of
the last of six printed digits: a direction that is printed with six is off by up to 1e-6, and what is made of
several of them by some times that.  No joint is made that well."""

COARSEST = 1e-2
"""Largest tolerance: six tenths of a degree, or a hundredth of a loop."""

ROUNDING = 1e-12
"""Deviation [rad, or sizes of the loop] below which it is rounding and is not reported."""


@dataclass(frozen=True)
class Assumption:
    """Axis or point of a hinge that was replaced by its nearly equal exact value, or kept as given.

    Or a closure of which conditions are left out because others imply them, nearly.
    """

    loop: str  # Name of the first body of the sub-graph
    owner: str  # The body, or the closure, whose hinge it is
    what: str  # ``axis``, ``point`` or ``conditions``
    # Needed shift: radians for an axis, metres for a point; for conditions the gap of those left out
    amount: float
    taken: bool  # True if it was moved, False if it is as given

    def __str__(self) -> str:
        if self.what == "conditions":
            return f"conditions of {self.owner!r}: those that others imply to {self.amount:.2g} are left out"
        unit = "rad" if self.what == "axis" else "m"
        done = "taken as exact" if self.taken else "kept as given"
        return f"{self.what} of {self.owner!r}: off by {self.amount:.2g} {unit}, {done}"


@dataclass(frozen=True)
class Original:
    """An attribute as the user gave it, of an object that now has another there."""

    thing: Any
    attribute: str
    value: Any

    def restore(self) -> None:
        """Restore the former value of the object."""
        object.__setattr__(self.thing, self.attribute, self.value)
