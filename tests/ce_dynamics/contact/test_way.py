"""Parts of a step of higher order: which parts are made, and where the short one of first order lies."""

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.steps import LONGEST, PARTS, Acting, StepLoop

STEP = 0.5
"""Length of the whole step [s]: its parts are exact in binary."""


class Told(StepLoop):
    """Notes first and last part [of PARTS] of everything it does; events lie in given parts."""

    def __init__(self, *events: float) -> None:
        self.events = events
        self.made: list[tuple[int, int]] = []
        self.short: list[int] = []
        self.spans: list[int] = []
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
        self.spans.append(round(h * PARTS / STEP))
        return y + h


@pytest.mark.parametrize("events", [(), (0.5,), (63.5,), (21.5,), (32.5, 33.5), (6.5, 50.5)])
def test_parts_are_halved_before_events_and_doubled_after(events: tuple[float, ...]) -> None:
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


class Stuck(Told):
    """No part of higher order is possible from the middle of the step on; rows change at given parts."""

    def __init__(self, *changes: int) -> None:
        super().__init__(*(k + 0.5 for k in range(32, PARTS)))
        self.changes = changes
        self.acting = Acting(np.ones(2, dtype=bool), np.zeros(2, dtype=bool), np.zeros(2))

    def _across_an_event(self, smooth: object, t: float, y: Floats, h: float) -> Floats:
        y = super()._across_an_event(smooth, t, y, h)
        assert self.acting is not None
        changes = self.short[-1] in self.changes
        held = ~self.acting.held if changes else self.acting.held.copy()
        self.acting = self.acting._replace(held=held)
        return y


def test_first_order_steps_grow_where_nothing_changes() -> None:
    """1, 2, 4, 8, 8, ... parts; from where rows change they begin anew; the last ends with the step."""
    for changes, spans in (((), [1, 2, 4, 8, 8, 8, 1]), ((39,), [1, 2, 4, 8, 1, 2, 4, 8, 2])):
        way = Stuck(*changes)
        y = way.step(np.zeros(1))
        assert way.spans == spans
        assert max(way.spans) == LONGEST
        np.testing.assert_allclose(y, STEP, rtol=0.0, atol=1e-14)
    way.changes, way.events = (), ()
    way.step(np.zeros(1))
    assert way._parts == 1  # a whole step of higher order: short ones are short again
