"""Detects runs that jump over a limit of a loop, by integrating the approach again with smaller steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import energy_or_nan
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor, StalledError
from ce_dynamics.simulation.monitors.reach import (
    CLOSE,
    NEAR,
    Reach,
    Reaches,
    RunObservations,
    Soundness,
    explain_dead_centre,
    first_jump,
    judge_run,
)
from ce_dynamics.simulation.right_hand_side import RightHandSide

MOST_EVALUATIONS = 20000
SMALLER = 20  # steps at least, for what took one
SAME = 0.05  # part of the change of velocity by which the two may differ
BALANCED = 1e-5  # part of the energy


class AuditedRates(Protocol):
    """``[ẏ; Ẇ](t, [y; W])``."""

    evaluations: int

    def __call__(self, t: float, y: Floats) -> Floats:
        """Evaluate."""
        ...


class CreepingError(Exception):
    """Raised if the step size collapses."""


def make_check(model: Model, audited: Callable[[], AuditedRates]) -> Soundness:
    """Return a check that integrates rows again; `audited` returns the run's rates with the work done."""
    return lambda reach, t, Y: comes_out_the_same(model, reach, audited(), t, Y)


def comes_out_the_same(model: Model, reach: Reach, audited: AuditedRates, t: Floats, Y: Floats) -> bool:
    """Return True if an accurate integration from the first row reaches the last one.

    The integration must keep the energy balance, must not bounce and must not creep.
    """
    from scipy.integrate import solve_ivp  # here, because few runs need it

    def rate(time: float, y: Floats) -> Floats:
        if audited.evaluations > MOST_EVALUATIONS:
            raise CreepingError
        return audited(time, y)

    first, last = Y[0, : len(model.layout.y0)], Y[-1, : len(model.layout.y0)]
    span, longest = (float(t[0]), float(t[-1])), float(t[-1] - t[0]) / SMALLER
    try:
        close = solve_ivp(
            rate, span, np.append(first, 0.0), "DOP853", rtol=1e-9, atol=1e-12, max_step=longest
        )
    except CreepingError:
        return False
    if reach.turns_back(close.y[:-1].T):
        return False
    end, work = close.y[:-1, -1], float(close.y[-1, -1])
    if not close.success or not np.all(np.isfinite(end)):
        return False
    _, v, _ = model.layout.split(np.vstack((first, end, last)))
    size = np.max(np.abs(v[0])) + np.max(np.abs(v[1] - v[0]))
    same = np.max(np.abs(v[2] - v[1])) <= SAME * size
    return bool(same) and is_balanced(model, first, end, work, BALANCED)


def is_balanced(model: Model, y: Floats, end: Floats, work: float, share: float) -> bool:
    """Return True if the change of energy between two states is the work [J], up to a share of the energy."""
    at = [energy_or_nan(model, *model.layout.split(state)[:2]) for state in (y, end)]
    before, after = (energy.kinetic + energy.gravitational for energy in at)
    kinetic = max(energy.kinetic for energy in at)
    return bool(abs(after - before - work) <= share * (kinetic + abs(work)))


AT_ITS_END = "a loop stays at the end of its reach"

STEPS_PER_LOOK = 2000  # accepted steps after which a run is checked for jumps against the end of a reach


class Jumps(Monitor):
    """Ends results where a loop jumped over a dead centre, or stopped at one."""

    order = 1

    def check_run(self, run: FinishedRun) -> None:
        stopped, rhs = bool(run.trouble) and AT_ITS_END not in run.trouble, run.rhs
        stored = run.steps_Y is run.Y and run.model.geared_loops
        known = RunObservations(run.U, run.seen.gearing) if stored else None
        rows, is_sound = (run.steps_t, run.steps_Y), make_check(run.model, rhs.audit)
        jump = judge_run(run.model, rows, rhs.inputs_at, is_sound, stopped, known, 6)
        if jump is not None:
            run.cut(int(np.sum(run.t <= jump.t)))
            if jump.what:
                run.end(jump.what, "thrown")

    def explain(self, run: FinishedRun) -> str:
        return (
            explain_dead_centre(run.model, *run.last, run.rhs.inputs_at) if run.cause == "by itself" else ""
        )


class Thrown(Monitor):
    """Ends a run that creeps along the end of a loop's reach after it was thrown against it.

    The caller appends every accepted step (time, state) to ``accepted``.
    """

    def __init__(self, rhs: RightHandSide, accepted: Sequence[tuple[float, Floats]]) -> None:
        self._rhs, self._accepted = rhs, accepted

    def look(self, t: float, y: Floats, evaluations: int) -> None:
        rhs, accepted = self._rhs, self._accepted
        if len(accepted) % STEPS_PER_LOOK == 0 and rhs.model.geared_loops:
            times, Y = (np.array(part) for part in zip(*accepted[-2 * STEPS_PER_LOOK :], strict=True))
            near = Reaches(rhs.model).near(times, Y, rhs.inputs_at)
            if first_jump(near, times, Y, make_check(rhs.model, rhs.audit)) is not None:
                raise StalledError(AT_ITS_END)


# Single steps near a limit

STRIDES_PER_TURN = 360
STRIDES = 8, 45
"""Least and largest number of strides by which an interval grows to each side; as many as it has between."""

SUDDEN = 0.2  # relative change of a rate in a step near a limit above which the step is integrated again


class ReachGuard:
    """Intervals in which loops with one freedom are known to be far from their limits.

    Compiled marches stop before a step that leaves an interval (`kernels.leaves`).
    """

    def __init__(self, model: Model) -> None:
        self._model, reaches = model, Reaches(model)
        self._reaches = sorted((*reaches.known, *reaches.others), key=lambda reach: reach.which)
        self.bounds = np.zeros((len(self._reaches), 5))  # see `kernels.leaves`
        self._warned: set[str] = set()
        self.discard_intervals()

    def restart(self) -> None:
        """Begin another motion; keep the intervals of loops that depend on their coordinate alone."""
        changed = bool(self._model.layout.parameters)
        for row, reach in zip(self.bounds, self._reaches, strict=True):
            if changed or reach.S.siblings:
                begin(row, reach)

    def discard_intervals(self) -> None:
        """Discard all known intervals, as after a change of geometry."""
        for row, reach in zip(self.bounds, self._reaches, strict=True):
            begin(row, reach)

    def near(self, t: float, y: Floats, u: Floats, h: float) -> list[Reach]:
        """Return the reaches that a motion is near an end of, or comes near within a step of h.

        Warns once per loop.  The known intervals of other loops grow.
        """
        from ce_dynamics.simulation.integrators.kernels import leaves  # here, because it loads Numba

        found = []
        for row, reach in zip(self.bounds, self._reaches, strict=True):
            if leaves(row[np.newaxis], y, h) < 0:
                continue
            theta = float(y[reach.q])
            ahead = theta + 2.0 * h * float(y[reach.v])
            here, there = reach.gearing(y, u), reach.gearing(y, u, ahead)
            if max(here, there) <= CLOSE:
                extend_interval(row, reach, y, u)
            elif here > 1.0 / NEAR or math.isinf(there):
                found.append(reach)
                if reach.S.name not in self._warned:
                    self._warned.add(reach.S.name)
                    reach.warn_at(t, theta, stacklevel=5)
        return found

    def explain_jump(
        self, near: Sequence[Reach], t: Floats, Y: Floats, u: Floats, audited: AuditedRates
    ) -> str:
        """Return why a step near an end is not the motion; empty if it is.

        Instants and states, in rows, are those at the beginning and the end of the step.
        """
        for reach in near:
            before, after = Y[:, reach.v]
            bounded = reach.at(Y[0], u) if abs(after - before) > SUDDEN * abs(before) else None
            if bounded is not None and not comes_out_the_same(self._model, bounded, audited, t, Y):
                return reach.jump_after(t[0], Y[0, reach.q])
        return ""


def begin(row: Floats, reach: Reach) -> None:
    """Empty an interval."""
    row[:] = reach.q, reach.v, math.inf, -math.inf, 2.0 * math.pi if reach.turns else 0.0


def extend_interval(row: Floats, reach: Reach, y: Floats, u: Floats) -> None:
    """Extend an interval around a state, or begin it there if siblings of the loop move the limits."""
    from ce_dynamics.simulation.integrators.kernels import leaves  # here, because it loads Numba

    stride = 2.0 * math.pi / STRIDES_PER_TURN if reach.turns else reach.S.loop.size / 50.0
    theta = float(y[reach.q])
    if reach.S.siblings or leaves(row[np.newaxis], y, 0.0) >= 0:
        row[2:4] = theta, theta
    fewest, most = STRIDES
    strides = min(max(round((row[3] - row[2]) / stride), fewest), most)
    for column, direction in ((2, -1.0), (3, 1.0)):
        start = row[column]
        for k in range(1, strides + 1):
            value = start + direction * k * stride
            if reach.gearing(y, u, value) > CLOSE:
                break
            row[column] = value
    if 0.0 < row[4] <= row[3] - row[2]:  # all round: no end is left
        row[2:] = -math.inf, math.inf, 0.0
