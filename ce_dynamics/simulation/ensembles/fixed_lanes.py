"""Steps of fixed length in lanes: one group of runs after another, all lanes at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import (
    COMPLETED,
    FAILED,
    NOT_FINITE_AT_START,
    STOPPED,
    Group,
    LaneOutcome,
    Lanes,
    Take,
    group_of,
)
from ce_dynamics.simulation.ensembles.looks import LaneChecks
from ce_dynamics.simulation.integrators.batch import FixedBatch
from ce_dynamics.simulation.integrators.methods import EXPLICIT, IMPLICIT
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import STEPS_AT_ONCE
from ce_dynamics.simulation.integrators.stretches import stretches
from ce_dynamics.simulation.integrators.workspace import Code
from ce_dynamics.simulation.interrupts import StopSign


class FixedLanes(Lanes):
    """Lanes that step together.

    Parameters
    ----------
    code : Code
    runs : Runs
    t_store : array
    look : LaneChecks
    settings : Settings
    """

    def __init__(self, code: Code, runs: Runs, t_store: Floats, look: LaneChecks, settings: Settings) -> None:
        super().__init__(code, runs, t_store, look)
        method = (EXPLICIT | IMPLICIT)[settings.method]
        self._batch = FixedBatch(self.space, method, settings)
        self._step, self._evaluations = settings.step, method.evaluations
        self._Y = np.empty((len(t_store), self.space.n, self.space.lanes))

    def work(self, take: Take, stop: StopSign) -> Iterator[tuple[list[int], LaneOutcome]]:
        lanes, width = self.space.lanes, self.seen_at_once
        while not stop.is_set() and (members := take(lanes)):
            came = self._run(group_of(self.runs, members, lanes), stop)
            for k in range(0, len(members), width):
                some = members[k : k + width]
                parts = (np.ascontiguousarray(part[..., k : k + width]) for part in came)
                yield some, self.outcome(group_of(self.runs, some, width), *parts)

    def _run(self, group: Group, stop: StopSign) -> tuple[Any, ...]:
        """Integrate a group through all stored instants; return the first fields of its outcome."""
        batch, space, t_store = self._batch, self.space, self.t_store
        space.held[:] = space.u[:] = group.u
        space.made[0] = 0
        batch.forget()
        batch.follow(group.schedule, stop)
        batch.y[:] = group.y0
        batch.start()
        started = np.isfinite(space.rate).all(axis=0)
        batch.alive[:] = started
        Y = self._Y
        Y[0], Y[1:] = group.y0, np.nan
        reached, made, cut = np.zeros(space.lanes), np.zeros(space.lanes, dtype=np.int64), False
        for first, last, begins, pieces, h, ends in stretches(t_store, self._step, float(space.period[0])):
            cut = cut or stop.is_set()
            if cut or not batch.alive.any():
                break
            before, batch.steps[:] = batch.alive != 0, 0
            for part, made_before, n, out in self._parts(begins, pieces, Y[first + 1 : last + 1]):
                for lane in space.on_fresh_charts(batch.y, np.flatnonzero(batch.alive)):
                    batch.forget(lane)
                batch.march(part, n, h, out.reshape(len(out), -1), made_before)
            made += batch.steps
            cut = bool((batch.steps[batch.alive != 0] < pieces * len(begins)).any())
            whole, rest = np.divmod(batch.steps, pieces)
            ahead = np.append(begins, t_store[last] if ends else begins[-1] + pieces * h)
            reached[before] = (ahead[whole] + rest * h)[before]
        ended = np.where(started, FAILED, NOT_FINITE_AT_START)
        state = np.where(batch.alive != 0, STOPPED if cut else COMPLETED, ended)
        return Y, reached, batch.y.copy(), state, made, self._evaluations * made

    def _parts(self, begins: Floats, n: int, Y: Floats) -> Iterator[tuple[Floats, int, int, Floats]]:
        """Yield first instants of intervals, steps already made, steps to make, and stored states.

        Without charts, one part covers all intervals.  With charts, each part has at most `STEPS_AT_ONCE` of
        the n steps of an interval, as in a single run; charts are checked in between.
        """
        if self.space.code.charts is None:
            yield begins, 0, n, Y
            return
        between = np.empty_like(Y[:1])
        for k in range(len(begins)):
            for made in range(0, n, STEPS_AT_ONCE):
                steps = min(n - made, STEPS_AT_ONCE)
                yield begins[k : k + 1], made, steps, Y[k : k + 1] if made + steps == n else between
