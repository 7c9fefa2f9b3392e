"""Adaptive steps in lanes: each lane has its own time, and starts the next run when its own ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import EmbeddedPair
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.ensembles.lanes import (
    COMPLETED,
    NOT_FINITE_AT_START,
    STALLED,
    STOPPED,
    TOO_SMALL,
    LaneChecks,
    LaneOutcome,
    Lanes,
    Reached,
    Take,
    group_of,
)
from ce_dynamics.simulation.ensembles.observing_kernels import side_by_side
from ce_dynamics.simulation.integrators.batch import AdaptiveBatch, Schedule
from ce_dynamics.simulation.integrators.kernels import DONE, NOT_FINITE, RUNNING, STEP_TOO_SMALL
from ce_dynamics.simulation.integrators.pair_kernels import CREEPS, IDLE
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.workspace import Code, StopSign
from ce_dynamics.simulation.monitors.monitor import PATIENCE, least_progress

STEPS_AT_ONCE = 256  # steps between two checks for a stop.  They do not affect the results.

BECAME = {
    DONE: COMPLETED,
    STEP_TOO_SMALL: TOO_SMALL,
    NOT_FINITE: NOT_FINITE_AT_START,
    RUNNING: STOPPED,
    CREEPS: STALLED,
}


class Ended(NamedTuple):
    """Final state of a completed run."""

    run: int
    slot: int  # table of its states
    stored: int  # number of its states
    t: float  # last time [s]
    y: Floats
    state: int  # cause of its end
    steps: int
    evaluations: int


class AdaptiveLanes(Lanes):
    """Lanes with times and steps of their own."""

    def __init__(
        self,
        code: Code,
        runs: Runs,
        t_store: Floats,
        look: LaneChecks,
        method: EmbeddedPair,
        settings: Settings,
    ) -> None:
        super().__init__(code, runs, t_store, look)
        n, lanes = self.space.n, self.space.lanes
        self._values = np.zeros((*runs.values.shape[:2], lanes))
        schedule = Schedule(runs.times, self._values, runs.where)
        stall = least_progress(float(t_store[-1])), float(PATIENCE)
        self._batch = AdaptiveBatch(self.space, method, settings, schedule, stall)
        self._track = self._batch.track
        # Besides the runs in lanes, up to seen_at_once − 1 completed runs wait for their observation.
        slots = lanes + self.seen_at_once - 1
        self._Y, self._free = np.empty((slots, len(t_store), n)), list(range(slots))
        self._together = np.empty((len(t_store), n, self.seen_at_once))
        self._members = [0] * lanes

    def work(self, take: Take, stop: StopSign) -> Iterator[tuple[list[int], LaneOutcome]]:
        code, width = self._track.code, self.seen_at_once
        ended: list[Ended] = []
        self._refill(take)
        while (code == RUNNING).any() and not stop.is_set():
            self._batch.march(self.t_store, STEPS_AT_ONCE, self._Y)
            over = np.flatnonzero((code != RUNNING) & (code != IDLE)).tolist()
            ended += [self._end(lane) for lane in over]
            while len(ended) >= width:
                yield self._observe_ended(ended[:width])
                del ended[:width]
            if over:
                self._refill(take)
        ended += [self._end(lane) for lane in np.flatnonzero(code == RUNNING).tolist()]
        while ended:
            yield self._observe_ended(ended[:width])
            del ended[:width]

    def _refill(self, take: Take) -> None:
        """Start the next runs in all idle lanes."""
        free = np.flatnonzero(self._track.code == IDLE).tolist()
        for lane, run in zip(free, take(len(free)), strict=False):
            self._begin(lane, run)

    def _begin(self, lane: int, run: int) -> None:
        """Start a run in a lane."""
        track, runs = self._track, self.runs
        self._members[lane] = run
        track.y[:, lane] = runs.y0[run]
        track.clock[:, lane] = 0.0, 0.0, 1e-4
        track.counts[:, lane] = 1, 0, 0, 0
        track.code[lane], track.fresh[lane] = RUNNING, 1
        self.space.u[:, lane] = self.space.held[:, lane] = runs.inputs_at(run, 0.0)
        self._values[:, :, lane] = runs.values[:, :, run]
        track.cursor[lane], track.made[lane], track.since[:, lane] = runs.held_index(0.0), 0, 0.0
        slot = track.slot[lane] = self._free.pop()
        self._Y[slot, 0] = runs.y0[run]

    def _end(self, lane: int) -> Ended:
        """Return the ended run of a lane, and free the lane."""
        track = self._track
        state = BECAME[int(track.code[lane])]
        track.code[lane] = IDLE
        stored, evaluations, steps, _ = track.counts[:, lane].tolist()
        return Ended(
            self._members[lane], int(track.slot[lane]), stored, float(track.clock[0, lane]),
            track.y[:, lane].copy(), state, steps, evaluations,
        )  # fmt: skip

    def _observe_ended(self, ended: list[Ended]) -> tuple[list[int], LaneOutcome]:
        """Return numbers and outcome of completed runs, without changing the inputs of the lanes."""
        members = [one.run for one in ended]
        padded = ended + [ended[-1]] * (self.seen_at_once - len(ended))
        group = group_of(self.runs, members, self.seen_at_once)
        slots, stored = np.array([(one.slot, one.stored) for one in padded]).T
        side_by_side(self._Y, slots, stored, self._together)
        self._free += [one.slot for one in ended]
        held, u = self.space.held.copy(), self.space.u.copy()
        reached = Reached(
            self._together,
            np.array([one.t for one in padded]),
            np.stack([one.y for one in padded], axis=-1),
            np.array([one.state for one in padded]),
            np.array([one.steps for one in padded]),
            np.array([one.evaluations for one in padded]),
        )
        outcome = self.outcome(group, reached)
        self.space.held[:], self.space.u[:] = held, u
        return members, outcome
