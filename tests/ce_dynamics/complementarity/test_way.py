"""Parts of a step of higher order: which parts are made, and where the short one of first order lies."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.way import PARTS, Way

STEP = 0.5
"""Length of the whole step [s]: its parts are exact in binary."""


class Told(Way):
    """Notes first and last part [of PARTS] of everything it does; events lie in given parts."""

    def __init__(self, *events: float) -> None:
        self.events = events
        self.made: list[tuple[int, int]] = []
        self.short: list[int] = []
        recorder: Any = SimpleNamespace(t=3.0, h=STEP, count=1)
        nothing: Any = SimpleNamespace(row_names=())
        super().__init__(nothing, nothing, nothing, recorder, nothing)

    def _of_higher_order(self, smooth: object, t: float, y: Floats, h: float) -> Floats | None:
        first, last = ((at - 3.0) * PARTS / STEP for at in (t, t + h))
        if any(first <= event < last for event in self.events):
            return None
        self.made.append((round(first), round(last)))
        return y + h

    def _across_an_event(self, smooth: object, t: float, y: Floats, h: float) -> Floats:
        self.short.append(round((t - 3.0) * PARTS / STEP))
        return y + h


@pytest.mark.parametrize("events", [(), (0.5,), (63.5,), (21.5,), (32.5, 33.5), (6.5, 50.5)])
def test_parts_are_halved_down_to_events_and_doubled_behind_them(events: tuple[float, ...]) -> None:
    """They cover the step, only events are left to short steps, and parts lie on the grid of their length."""
    way = Told(*events)
    y = way.step(np.zeros(1))
    np.testing.assert_allclose(y, STEP, rtol=0.0, atol=1e-14)
    assert way.short == [int(event) for event in events]
    covered = sorted([*way.made, *((k, k + 1) for k in way.short)])
    assert covered[0][0] == 0
    assert covered[-1][1] == PARTS
    assert all(one[1] == other[0] for one, other in itertools.pairwise(covered))
    lengths = {(first, last - first) for first, last in way.made}
    assert all(length & (length - 1) == 0 and first % length == 0 for first, length in lengths)
    # down to an event every length once, behind it as well, and once more where the grid wants it
    assert len(way.made) <= 1 + 2 * len(events) * math.log2(PARTS)
