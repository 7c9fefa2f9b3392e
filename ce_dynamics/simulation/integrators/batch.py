"""Batches: runs of one model that a method advances side by side in SIMD lanes; a single run is one lane."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import (
    EmbeddedPair,
    ExplicitRungeKutta,
    LinearlyImplicit,
    lower_rows,
)
from ce_dynamics.simulation.integrators import fixed_kernels, kernels, pair_kernels
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.workspace import StopSign, Workspace, block_of

STEPS_AT_ONCE = 10
"""Largest number of steps between two checks of charts.  The results depend on this number.  A chart that is
worn to a hundredth below its end is not left within these steps."""

UNGUARDED = np.zeros((0, 5))
"""Guards of no coordinate; see `ce_dynamics.simulation.integrators.kernels.leaves`."""


class Schedule(NamedTuple):
    """Inputs that are held between instants."""

    times: Floats  # (k,)
    values: Floats  # (k, n_where, lanes), from times[k] on the inputs ``u[where]`` are values[k]
    where: NDArray[np.int64]

    def holding(self, held: Floats) -> tuple[NDArray[Any], ...]:
        """Return `Holding` of the kernels, before the first change, for inputs that are written to `held`."""
        k, m, lanes = self.values.shape
        return np.array([-1]), self.times, self.values.reshape(k, m * lanes), self.where, held


def nothing_scheduled(lanes: int) -> Schedule:
    """Return a schedule without any changes."""
    return Schedule(np.zeros(0), np.zeros((0, 0, lanes)), np.zeros(0, dtype=np.int64))


class FixedBatch:
    """Runs that a method of fixed steps advances together."""

    def __init__(
        self, space: Workspace, method: ExplicitRungeKutta | LinearlyImplicit, settings: Settings
    ) -> None:
        self.space, n, lanes = space, space.n, space.lanes
        self.y, self.alive = np.zeros((n, lanes)), np.ones(lanes, dtype=np.int64)
        self.steps = np.zeros(lanes, dtype=np.int64)
        rooms = np.zeros((method.evaluations, n * lanes)), np.zeros(n * lanes)
        self.work: fixed_kernels.ExplicitSpace | fixed_kernels.ImplicitSpace
        if isinstance(method, ExplicitRungeKutta):
            self.work = fixed_kernels.ExplicitSpace(*method.table, *rooms)
        else:
            jacobian = space.code.jacobian
            assert jacobian is not None, "implicit methods call it"
            self.work = fixed_kernels.ImplicitSpace(
                *method.table, lower_rows(method.mixing), *rooms, space.entries, jacobian.rows,
                jacobian.columns, np.zeros((lanes * n, n)), np.zeros((lanes, n), dtype=np.int64),
                np.zeros(len(jacobian.rows)), np.zeros(n), np.array([method.gamma]),
                np.array([settings.jacobian_every], dtype=np.int64), np.zeros(lanes, dtype=np.int64),
                np.zeros(lanes),
            )  # fmt: skip
        self._march = fixed_kernels.fixed_march(lanes, method.implicit)
        self.follow(nothing_scheduled(lanes), StopSign())
        self._between = np.empty((1, n * lanes))
        self._march(self._block, np.zeros(0), 0, 1, settings.step, UNGUARDED, self._between[:0])  # compiles

    def follow(self, schedule: Schedule, stop: StopSign) -> None:
        """Follow a schedule of held inputs from its start on, until another thread stops the runs."""
        progress = self.y, self.alive, self.steps, stop.flag
        self._kept = (
            *self.space.buffers, *schedule.holding(self.space.held), *progress, *self.work
        )  # fmt: skip
        self._block = block_of(self._kept)

    def start(self) -> None:
        """Leave inputs and ẏ at the start in the work space."""
        fixed_kernels.start(self.space.lanes)(self._block)

    def march(
        self, t: Floats, n: int, h: float, out: Floats, first: int = 0, guards: Floats = UNGUARDED
    ) -> int:
        """March n steps of h from each t[k] + first·h and leave the states in out[k], (n · lanes,).

        Return the steps made: fewer if the next one failed in all lanes, left the guards, or was stopped.
        Worn charts of the lanes alive are renewed every `STEPS_AT_ONCE` steps from t[k] on.
        """
        done: int
        if self.space.code.charts is None:
            done = self._march(self._block, t, first, n, h, guards, out)
            return done
        done = 0
        for k in range(len(out)):
            made = first
            while made < first + n:
                since = made % STEPS_AT_ONCE
                if since == 0:
                    for lane in self.space.move_to_fresh_charts(self.y, np.flatnonzero(self.alive)):
                        self.reset_lanes(lane)
                steps = min(first + n - made, STEPS_AT_ONCE - since)
                ahead = out[k : k + 1] if made + steps == first + n else self._between
                now = self._march(self._block, t[k : k + 1], made, steps, h, guards, ahead)
                done, made = done + now, made + steps
                if now < steps:
                    return done
        return done

    def reset_lanes(self, lanes: int | slice = slice(None)) -> None:
        """Make the next step of some lanes depend on nothing but the state."""
        if isinstance(self.work, fixed_kernels.ImplicitSpace):
            self.work.kept[lanes] = 0.0  # no step has this size: the Jacobian is renewed


class AdaptiveBatch:
    """Runs that an embedded pair advances, each at its own time with its own step.

    ``stall`` is the least progress [s], and in how many evaluations.
    """

    def __init__(
        self,
        space: Workspace,
        method: EmbeddedPair,
        settings: Settings,
        schedule: Schedule | None = None,
        stall: tuple[float, float] = (0.0, np.inf),
    ) -> None:
        self.space, n, lanes = space, space.n, space.lanes

        def integers() -> NDArray[np.int64]:
            return np.zeros(lanes, dtype=np.int64)

        self.track = pair_kernels.PairTrack(
            y=np.zeros((n, lanes)),
            clock=np.zeros((3, lanes)),
            counts=np.zeros((4, lanes), dtype=np.int64),
            code=np.full(lanes, pair_kernels.IDLE),
            fresh=integers(),
            cursor=integers(),
            made=integers(),
            since=np.zeros((2, lanes)),
            slot=integers(),
            h=np.zeros(lanes),
            all_h=np.zeros(n * lanes),
            stop=np.zeros(lanes),
            error=np.zeros(lanes),
        )
        control = 1.0 / method.order, settings.rtol, settings.atol, settings.max_step, *stall
        size = n * lanes
        self.work = pair_kernels.PairBuffers(
            *method.table, np.array(control, dtype=float), np.zeros((len(method.c), size)), np.zeros(size),
            np.zeros(size),
        )  # fmt: skip
        holding = (schedule or nothing_scheduled(lanes)).holding(space.held)
        self._kept = *space.buffers, *holding, *self.track, *self.work
        self._block = block_of(self._kept)
        self._march = pair_kernels.pair_march(lanes)
        self._march(self._block, np.zeros(1), 0, UNGUARDED, np.empty((1, 0, n)))  # compiles the loop

    def march(self, t_store: Floats, budget: int, out: Floats, guards: Floats = UNGUARDED) -> int:
        """Go on towards the last of t_store by at most `budget` steps, until the run of a lane ends.

        States at t_store[k] are left in out[slot, k].  Returns GUARDED, or the code of the first lane.  Worn
        charts of running lanes are renewed before every step.
        """
        code: int
        if self.space.code.charts is None:
            code = self._march(self._block, t_store, budget, guards, out)
            return code
        code, track = kernels.RUNNING, self.track
        running = track.code == kernels.RUNNING
        for _ in range(budget):
            for lane in self.space.move_to_fresh_charts(track.y, np.flatnonzero(running)):
                track.fresh[lane] = 1
            code = self._march(self._block, t_store, 1, guards, out)
            if code == kernels.GUARDED or (track.code[running] != kernels.RUNNING).any():
                break
        return code
