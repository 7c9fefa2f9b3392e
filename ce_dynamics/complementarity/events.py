"""When cables go slack or taut and contacts open or close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Booleans

NEGLIGIBLE = 1e-9
"""Share of the largest impulse below which an impulse is rounding of the iteration."""


class Event(NamedTuple):
    """A unilateral row that began or ceased to carry load.

    Attributes
    ----------
    time : float
        End of the step in which its impulse appeared or vanished [s].
    row : str
    active : bool
        Whether it carries load from here on: taut, closed, at the stop.
    """

    time: float
    row: str
    active: bool


class EventWatch:
    """Collects events from the impulses of successive steps.

    Parameters
    ----------
    names : sequence of str
        Of all rows.
    watched : (m,) bool array
        The unilateral ones.

    Attributes
    ----------
    events : list of Event
    """

    def __init__(self, names: Sequence[str], watched: Booleans) -> None:
        self.events: list[Event] = []
        self._names, self._watched = names, watched
        self._active = np.zeros(len(names), dtype=bool)
        self._largest = 0.0  # of the run: after a jerk, what iterations leave is no load

    def look(self, t: float, p: Floats) -> None:
        """Take note of the impulses of the step that ends at t."""
        self._largest = max(self._largest, float(p.max())) if p.size else self._largest
        active = self._watched & (p > NEGLIGIBLE * self._largest)
        if not (active != self._active).any():
            return
        for k in np.flatnonzero(active != self._active):
            self.events.append(Event(t, self._names[int(k)], bool(active[k])))
        self._active = active
