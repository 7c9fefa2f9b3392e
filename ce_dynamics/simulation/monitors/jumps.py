"""Finds out whether a run was thrown over a dead centre: what led up to one is integrated again, closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import energy_or_nan
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.monitors.dead_centres import (
    Watched,
    bounces,
    first_jump,
    near_passages,
    remedy_for,
    warn_near,
    where_it_stands,
)
from ce_dynamics.simulation.monitors.monitor import Monitor, Run
from ce_dynamics.simulation.monitors.reach import (
    Approaches,
    InputsAt,
    Known,
    standing_at_an_end,
)
from ce_dynamics.simulation.monitors.stall import StalledError
from ce_dynamics.simulation.monitors.stored_rows import all_finite
from ce_dynamics.simulation.right_hand_side import RightHandSide

MOST_EVALUATIONS = 20000
SMALLER = 20  # steps at least, for what took one
SAME = 0.05  # part of the change of velocity by which the two may differ
BALANCED = 1e-5  # part of the energy


class Jump(NamedTuple):
    """Until when a run is sound.

    Attributes
    ----------
    t : float
    what : str
        How it was thrown over a dead centre; empty if it merely stopped at one.
    """

    t: float
    what: str


class AuditedRates(Protocol):
    """``[ẏ; Ẇ](t, [y; W])``."""

    evaluations: int

    def __call__(self, t: float, y: Floats) -> Floats:
        """Evaluate."""
        ...


class CreepingError(Exception):
    """Ever smaller steps lead nowhere."""


AT_ITS_END = "a loop stays at the end of its reach"

STEPS_PER_LOOK = 2000
"""Accepted steps after which a run is asked whether a loop was thrown against the end of its reach."""


class Jumps(Monitor):
    """Cuts runs off where a loop was thrown over a dead centre, or stopped at one."""

    asked = 1

    def judge(self, run: Run) -> None:
        by_itself = bool(run.trouble) and AT_ITS_END not in run.trouble
        rhs = run.rhs
        stored = run.steps_Y is run.Y and run.model.geared_loops
        known = Known(run.U, run.seen.gearing) if stored else None
        way = run.steps_t, run.steps_Y
        jump = jump_of(run.model, *way, rhs.inputs_at, rhs.audited, by_itself, 6, known)
        if jump is not None:
            run.cut(int(np.sum(run.t <= jump.t)))
            if jump.what:
                run.ended(jump.what, "thrown")

    def where(self, run: Run) -> str:
        if run.cause != "by itself":
            return ""
        t, y = run.last
        return where_it_stands(standing_at_an_end(run.model, t, y, run.rhs.inputs_at), y)


class Thrown(Monitor):
    """Ends a run that creeps along the end of a loop's reach after it was thrown against it.

    Parameters
    ----------
    rhs : RightHandSide
    accepted : list of (float, array)
        All steps of the run, which somebody else appends.
    """

    def __init__(self, rhs: RightHandSide, accepted: Sequence[tuple[float, Floats]]) -> None:
        self._rhs, self._accepted = rhs, accepted

    def look(self, t: float, y: Floats, evaluations: int) -> bool:
        rhs, accepted = self._rhs, self._accepted
        if len(accepted) % STEPS_PER_LOOK == 0 and rhs.model.geared_loops:
            latest = accepted[-2 * STEPS_PER_LOOK :]
            times, Y = np.array([t for t, _ in latest]), np.array([y for _, y in latest])
            if thrown(rhs.model, times, Y, rhs.inputs_at, rhs.audited) is not None:
                raise StalledError(AT_ITS_END)
        return False


def jump_of(
    model: Model,
    t: Floats,
    Y: Floats,
    inputs_at: InputsAt,
    audited: Callable[[], AuditedRates],
    stopped: bool,
    stacklevel: int = 2,
    known: Known | None = None,
) -> Jump | None:
    """The first passage that went over a dead centre, if any; warns where one was near.

    Parameters
    ----------
    model : Model
    t, Y : arrays
        Times and states (in rows) of the run; entries beyond the model's state are not looked at.
    inputs_at : callable
        Inputs at a time and a state.
    audited : callable
        Makes the right-hand side of the same run with the work done.
    stopped : bool
        Whether the run failed: what it did near a dead centre before that is not sound.
    stacklevel : int
        Of warnings, as seen from where these are given.
    known : Known, optional
        What was observed at these states.
    """
    if not model.geared_loops:
        return None
    Y = Y[:, : len(model.layout.y0)]
    if not all_finite(Y):
        finite = np.all(np.isfinite(Y), axis=1)
        t, Y = t[finite], Y[finite]
        known = None if known is None else Known(*(part[finite] for part in known))
    coordinates = Approaches(model).of(t, Y, inputs_at, known)
    if not coordinates:
        return None

    def reproduced(k: int, end: int, watch: Watched) -> bool:
        return comes_out_the_same(model, watch, audited(), t[[k, end]], Y[[k, end]])

    found = first_jump(coordinates, t, Y, reproduced, stopped)
    if found is None and stopped:
        last = [k for watch in coordinates for k, end in near_passages(watch, t, Y) if end == len(t)]
        return Jump(float(t[min(last)]), "") if last else None
    if found is None:
        warn_near(coordinates, t, Y, stacklevel)
        return None
    return told(t, Y, *found)


def thrown(
    model: Model,
    t: Floats,
    Y: Floats,
    inputs_at: InputsAt,
    audited: Callable[[], AuditedRates],
    stopped: bool = False,
    approaches: Approaches | None = None,
    known: Known | None = None,
) -> Jump | None:
    """Return the jump of a run that continues or is one of many, as `jump_of` but without warnings."""
    Y = Y[:, : len(model.layout.y0)]
    coordinates = (approaches or Approaches(model)).of(t, Y, inputs_at, known)

    def reproduced(k: int, end: int, watch: Watched) -> bool:
        return comes_out_the_same(model, watch, audited(), t[[k, end]], Y[[k, end]])

    found = first_jump(coordinates, t, Y, reproduced, stopped)
    return None if found is None else told(t, Y, *found)


def told(t: Floats, Y: Floats, k: int, watch: Watched) -> Jump:
    """Return the report that a loop was thrown over a dead centre after instant k."""
    return Jump(
        float(t[k]),
        f"the integrator threw the loop of {watch.S.name!r} over a dead centre of {watch.name!r} after "
        f"t = {t[k]:.4g} s, at {Y[k, watch.q]:.6g}: the coordinate turns back there and the loop goes on; "
        f"{remedy_for(watch.S)}",
    )


def comes_out_the_same(model: Model, watch: Watched, audited: AuditedRates, t: Floats, Y: Floats) -> bool:
    """Return True if an accurate integration from one instant reaches the state at the next.

    The integration must keep the energy balance, must not bounce and must not creep.
    """
    from scipy.integrate import solve_ivp  # here, because most runs never ask

    def limited(time: float, y: Floats) -> Floats:
        if audited.evaluations > MOST_EVALUATIONS:
            raise CreepingError
        return audited(time, y)

    start, longest = np.append(Y[0], 0.0), float(t[1] - t[0]) / SMALLER
    try:
        close = solve_ivp(limited, (t[0], t[1]), start, "DOP853", rtol=1e-9, atol=1e-12, max_step=longest)
    except CreepingError:
        return False
    if bounces(watch, close.y[:-1].T):
        return False
    end, work = close.y[:-1, -1], float(close.y[-1, -1])
    if not close.success or not np.all(np.isfinite(end)):
        return False
    q, v, _ = model.layout.split(np.vstack((Y[0], end, Y[1])))
    kinetic = max(energy_or_nan(model, q[k], v[k]).kinetic for k in range(2))
    gain = mechanical(model, q[1], v[1]) - mechanical(model, q[0], v[0])
    balanced = abs(gain - work) <= BALANCED * (kinetic + abs(work))
    size = np.max(np.abs(v[0])) + np.max(np.abs(v[1] - v[0]))
    return bool(balanced and np.max(np.abs(v[2] - v[1])) <= SAME * size)


def mechanical(model: Model, q: Floats, v: Floats) -> float:
    """Kinetic and gravitational energy."""
    energy = energy_or_nan(model, q, v)
    return energy.kinetic + energy.gravitational
