"""Integrators that advance runs in lanes, the checks of their observations, and steps of fixed length."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import EXPLICIT, IMPLICIT
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.simulation.ensembles import observing_kernels
from ce_dynamics.simulation.ensembles.arguments import Runs
from ce_dynamics.simulation.integrators.batch import FixedBatch, Schedule
from ce_dynamics.simulation.integrators.settings import Settings, stretches
from ce_dynamics.simulation.integrators.workspace import Code, StopSign, Workspace, block_of
from ce_dynamics.simulation.monitors.jumps import make_check
from ce_dynamics.simulation.monitors.postconditions import ColumnBounds, Fault, Postconditions, places_of
from ce_dynamics.simulation.monitors.reach import CLOSE, Reaches, RunObservations, first_jump


class LaneChecks(NamedTuple):
    """Checks of `Postconditions`, `InputRanges` and `Reaches`, for the kernels of ensembles."""

    outputs: NDArray[np.int64]  # observed outputs
    bounds: tuple[ColumnBounds, ...]  # of closures, outputs, inputs and gearing
    # one row for each coordinate whose loop may reach its limit: places of the coordinate and of its
    # rate in y, place of its loop in the gearing, and 1 if other coordinates move the limit
    heads: NDArray[np.int64]
    most: float  # gearing above which a loop is close to its limit


def look_of(model: Model, postconditions: Postconditions, observed: frozenset[int] | None) -> LaneChecks:
    """Return the checks of runs; without observations they check the ranges of inputs only."""
    nothing = ColumnBounds.of((), (), ())
    ranges = places_of(model)[1] if model.ranges else nothing
    seen = np.array(sorted(observed or ()), dtype=np.int64)
    if observed is None:
        return LaneChecks(seen, (nothing, nothing, ranges, nothing), np.empty((0, 4), dtype=np.int64), CLOSE)
    others = Reaches(model).others
    heads = [(reach.q, reach.v, reach.which, bool(reach.S.siblings)) for reach in others]
    n, which = len(others), [reach.which for reach in others]
    bounds = (
        postconditions.closed,
        postconditions.not_beyond,
        ranges,
        ColumnBounds.of(which, [-math.inf] * n, [CLOSE] * n),
    )
    return LaneChecks(seen, bounds, np.array(heads, dtype=np.int64).reshape(-1, 4), CLOSE)


class Group(NamedTuple):
    """Initial data of a group of runs, one column per lane."""

    y0: Floats  # (n, lanes), initial states
    u: Floats  # (m, lanes), inputs and parameters
    schedule: Schedule


def group_of(runs: Runs, members: Sequence[int], lanes: int) -> Group:
    """Return the initial data of a group; surplus lanes repeat the last run."""
    chosen = [*members, *[members[-1]] * (lanes - len(members))]
    schedule = Schedule(runs.times, np.ascontiguousarray(runs.values[..., chosen]), runs.where)
    return Group(np.ascontiguousarray(runs.y0[chosen].T), np.ascontiguousarray(runs.u[chosen].T), schedule)


class Reached(NamedTuple):
    """States that the runs of a group have reached, with the lane as the last axis."""

    Y: Floats  # at the stored instants; NaN after a run has failed
    t: Floats  # (lanes,), time of the last finite state
    y: Floats  # the last finite state
    # `COMPLETED`, `FAILED` (accelerations are not finite), `NOT_FINITE_AT_START`, `STOPPED` from
    # outside, `TOO_SMALL` (the necessary step) or `STALLED`
    state: NDArray[np.int64]
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]  # of ẏ


class LaneOutcome(NamedTuple):
    """Outcome of a group, with the lane as the last axis; the next outcome overwrites the arrays."""

    Y: Floats  # values at the stored instants; NaN after a run has failed
    U: Floats
    outputs: Floats
    closures: Floats
    reached: Reached
    u: Floats  # inputs at the last finite state
    gearing: Floats  # at the stored instants; empty if nothing was observed
    well: NDArray[np.bool_]  # True if all numbers are finite and within their bounds
    calm: NDArray[np.bool_]  # True if no loop comes near its end


COMPLETED, FAILED, NOT_FINITE_AT_START, STOPPED, TOO_SMALL, STALLED = range(6)


Take = Callable[[int], list[int]]  # function that returns the next runs, at most so many


class Lanes(ABC):
    """Integrator of runs in the lanes of one thread; ``look`` checks their observations.

    An outcome has ``seen_at_once`` runs: the lanes of the observation, which may be fewer.
    """

    def __init__(self, code: Code, runs: Runs, t_store: Floats, look: LaneChecks) -> None:
        self.space, self.runs, self.t_store = Workspace(code), runs, t_store
        self._observer = by = self.space if code.observer is None else Workspace(code.observer)
        self.seen_at_once = by.lanes
        parts = by.u, by.outputs, by.closures, by.gearing
        self._seen = tuple(np.zeros((len(t_store), *part.shape)) for part in parts)
        m, width = len(look.heads), by.lanes
        rows = np.empty((2, m, width), dtype=np.int64)
        self._bounds = look.bounds  # kept alive for their addresses
        rows_of = ([*(part.ctypes.data for part in each), len(each.columns)] for each in look.bounds)
        bounds = np.array(list(rows_of), dtype=np.int64)
        self._look = look.outputs, bounds, look.heads, look.most, np.empty((4, m, width)), rows
        self._well, self._calm = np.empty(width, dtype=np.bool_), np.empty(width, dtype=np.bool_)
        self._verdict = self._well, self._calm

    @abstractmethod
    def work(self, take: Take, stop: StopSign) -> Iterator[tuple[list[int], LaneOutcome]]:
        """Execute runs until none is left or a stop is requested; yield their numbers and outcomes."""

    def outcome(self, group: Group, reached: Reached) -> LaneOutcome:
        """Return the outcome of `seen_at_once` runs with all observations; overwrite the buffers."""
        u = self._inputs_at(reached.t, reached.y, group)
        U, outputs, closures, gearing = self._observe(group, reached.Y)
        return LaneOutcome(reached.Y, U, outputs, closures, reached, u, gearing, self._well, self._calm)

    def _inputs_at(self, t: Floats, y: Floats, group: Group) -> Floats:
        """Return the inputs of every lane at its own time."""
        by = self._observer
        by.held[:] = group.u
        times, values, where = group.schedule
        for lane, latest in enumerate(t):
            column = int(np.searchsorted(times, latest, side="right")) - 1
            if column >= 0:
                by.held[where, lane] = values[column, :, lane]
        by.time[0], by.state[:] = t, y
        if by.u is not by.held:
            by.run("control")
        return by.u.copy()

    def _observe(self, group: Group, Y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return inputs, outputs, closure errors and gearing at the stored instants."""
        by = self._observer
        by.held[:] = group.u
        arrays = *by.buffers, *group.schedule.holding(by.held)
        observing_kernels.observe_lanes(
            block_of(arrays), (by.u, by.outputs, by.closures, by.gearing), self.t_store, Y, self._seen,
            self._look, self._verdict,
        )  # fmt: skip
        U, outputs, closures, gearing = self._seen
        return U, outputs, closures, gearing


class FixedLanes(Lanes):
    """Lanes that step together."""

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
                reached = Reached._make(np.ascontiguousarray(part[..., k : k + width]) for part in came)
                yield some, self.outcome(group_of(self.runs, some, width), reached)

    def _run(self, group: Group, stop: StopSign) -> Reached:
        """Integrate a group through all stored instants."""
        batch, space, t_store = self._batch, self.space, self.t_store
        space.held[:] = space.u[:] = group.u
        space.made[0] = 0
        batch.reset_lanes()
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
            batch.march(begins, pieces, h, Y[first + 1 : last + 1].reshape(len(begins), -1))
            made += batch.steps
            cut = bool((batch.steps[batch.alive != 0] < pieces * len(begins)).any())
            whole, rest = np.divmod(batch.steps, pieces)
            ahead = np.append(begins, t_store[last] if ends else begins[-1] + pieces * h)
            reached[before] = (ahead[whole] + rest * h)[before]
        ended = np.where(started, FAILED, NOT_FINITE_AT_START)
        state = np.where(batch.alive != 0, STOPPED if cut else COMPLETED, ended)
        return Reached(Y, reached, batch.y.copy(), state, made, self._evaluations * made)


class SingleRun:
    """``[ẏ; Ẇ](t, [y; W])`` of one run; ``control`` is its law, compiled for several lanes."""

    def __init__(self, model: Model, control: CompiledFunction | None, runs: Runs, run: int) -> None:
        self.evaluations = 0
        self._given = model, control, runs, run
        self._n = len(model.layout.y0)
        self._bound = None if control is None else control.bind()

    def audit(self) -> SingleRun:
        """Return a copy that counts its evaluations from zero."""
        return SingleRun(*self._given)

    def inputs_at(self, t: float, y: Floats) -> Floats:
        """Return inputs and parameters at an instant."""
        _, _, runs, run = self._given
        u = runs.inputs_at(run, t)
        if self._bound is None:
            return u
        for name, values in (("t", np.array((t,))), ("y", y[: self._n]), ("held", u)):
            self._bound.inputs[name][:] = values[:, np.newaxis]
        self._bound.run()
        return self._bound.outputs["u"][:, 0].copy()

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rates at an instant."""
        self.evaluations += 1
        (rates,) = self._given[0].audited_dynamics(y[: self._n], self.inputs_at(t, y))
        return rates


def thrown_runs(
    model: Model, code: Code, runs: Runs, t: Floats, members: Sequence[int], outcome: LaneOutcome
) -> dict[int, Fault]:
    """Return faults by lane of runs that jumped over a dead centre, with their first instants."""
    if not model.geared_loops:
        return {}
    found, reaches = {}, Reaches(model)
    is_checked = (code.observer or code).observation is not None and not reaches.known
    for lane, run in enumerate(members):
        if is_checked and outcome.calm[lane] and int(outcome.reached.state[lane]) == COMPLETED:
            continue
        stored = int(np.isfinite(outcome.Y[:, 0, lane]).sum())
        alone = SingleRun(model, code.control, runs, run)
        stopped = int(outcome.reached.state[lane]) != COMPLETED
        states = outcome.Y[:stored, :, lane]
        seen = RunObservations(outcome.U[:stored, :, lane], outcome.gearing[:stored, :, lane])
        known = seen if seen.gearing.shape[1] else None
        near = reaches.near(t[:stored], states, alone.inputs_at, known)
        jump = first_jump(near, t[:stored], states, make_check(model, alone.audit), stopped)
        if jump is not None and jump.what:
            found[lane] = Fault(int(np.sum(t[:stored] <= jump.t)), jump.what)
    return found
