"""Steps of fixed length in lanes: one group of runs after another, all at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.ensembles import lane_kernels
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lane_buffers import Code
from ce_dynamics.simulation.ensembles.lanes import (
    COMPLETED,
    FAILED,
    NOT_FINITE_AT_START,
    STOPPED,
    Group,
    Lanes,
    Outcome,
    Take,
    group_of,
)
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta
from ce_dynamics.simulation.integrators.explicit_kernels import Explicit
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stretches import Stretch, stretches
from ce_dynamics.simulation.interrupts import StopSign

INTERVALS_PER_CHUNK = 64
"""Stored intervals between two looks at whether to stop; of no influence on the results."""


class FixedLanes(Lanes):
    """Lanes that march together.

    Parameters
    ----------
    code : Code
    runs : Runs
    t_store : array
    method : ExplicitRungeKutta
    settings : Settings
    """

    def __init__(
        self, code: Code, runs: Runs, t_store: Floats, method: ExplicitRungeKutta, settings: Settings
    ) -> None:
        super().__init__(code, runs, t_store)
        self._step, self._evaluations = settings.step, method.evaluations
        size = self.n * self.lanes
        self._arrays = Explicit(*method.table, np.zeros((len(method.b), size)), np.zeros(size))
        self._work = block_of(self._arrays)

    def work(self, take: Take, stop: StopSign) -> Iterator[tuple[list[int], Outcome]]:
        width = self.seen_at_once
        while not stop.is_set() and (members := take(self.lanes)):
            came = self._run(group_of(self.runs, members, self.lanes), stop)
            for k in range(0, len(members), width):
                some = members[k : k + width]
                parts = (np.ascontiguousarray(part[..., k : k + width]) for part in came)
                yield some, self.outcome(group_of(self.runs, some, width), *parts)

    def _run(self, group: Group, stop: StopSign) -> tuple[Any, ...]:
        """March a group through all stored instants: what an outcome begins with."""
        lanes, t_store = self.lanes, self.t_store
        self.held[:] = group.u
        self.u[:] = group.u
        self.made[0] = 0
        y = group.y0.copy()
        alive = np.ones(lanes, dtype=np.bool_)
        finite, cursor = np.ones(lanes, dtype=np.bool_), np.array([-1])
        holding = (cursor, group.times, group.values, group.where, self.held)
        lane_kernels.set_out(self.model, holding, y)
        lane_kernels.finite_lanes(self.rate, alive)
        started = alive.copy()
        Y = np.full((len(t_store), self.n, lanes), np.nan)
        Y[0] = y
        reached, made, cut = np.zeros(lanes), np.zeros(lanes, dtype=np.int64), False
        for first, last, begins, pieces, h, ends in chunks(t_store, self._step, float(self.period[0])):
            cut = cut or stop.is_set()
            if cut or not alive.any():
                break
            before, steps = alive.copy(), np.zeros(lanes, dtype=np.int64)
            lane_kernels.march_lanes(
                self.model, self._work, holding, y, alive, finite, steps,
                begins, pieces, h, Y[first + 1 : last + 1], stop.flag,
            )  # fmt: skip
            made += steps
            cut = bool((steps[alive] < pieces * len(begins)).any())
            whole, rest = np.divmod(steps, pieces)
            ahead = np.append(begins, t_store[last] if ends else begins[-1] + pieces * h)
            reached[before] = (ahead[whole] + rest * h)[before]
        state = np.where(alive, STOPPED if cut else COMPLETED, np.where(started, FAILED, NOT_FINITE_AT_START))
        return Y, reached, y, state, made, self._evaluations * made


def chunks(t_store: Floats, step: float, period: float) -> Iterator[Stretch]:
    """The steps of a single run, so many intervals at a time."""
    for stretch in stretches(t_store, step, period):
        for k in range(stretch.first, stretch.last, INTERVALS_PER_CHUNK):
            last = min(k + INTERVALS_PER_CHUNK, stretch.last)
            begins = stretch.begins[k - stretch.first : last - stretch.first]
            yield stretch._replace(first=k, last=last, begins=begins)
