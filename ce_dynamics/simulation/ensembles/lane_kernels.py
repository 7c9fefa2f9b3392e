"""The loops over steps of several runs in SIMD lanes, compiled by numba.

Arrays have the lane as their last axis; steps are those of a single run on all lanes in a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.explicit_kernels import explicit_of, explicit_step
from ce_dynamics.simulation.integrators.kernels import EARLY, buffers_of, call, evaluate, kernel, look, part


@kernel
def finite_lanes(y, finite):  # type: ignore[no-untyped-def]
    """Which lanes are finite in all entries."""
    for lane in range(y.shape[1]):
        total = 0.0
        for k in range(y.shape[0]):
            total += 0.0 * y[k, lane]
        finite[lane] = total == 0.0


class Holding(NamedTuple):
    """Inputs that are held in every lane: where a cursor is among `times`, and what holds from each on."""

    cursor: Any
    times: Any
    values: Any
    where: Any
    held: Any


@kernel
def hold(holding, at):  # type: ignore[no-untyped-def]
    """Put in place the inputs that hold at a time."""
    cursor, times, values, where, held = holding
    moved = cursor[0] < 0
    while cursor[0] + 1 < times.size and times[cursor[0] + 1] <= at:
        cursor[0] += 1
        moved = True
    if moved and cursor[0] >= 0:
        for k in range(where.size):
            for lane in range(held.shape[1]):
                held[where[k], lane] = values[cursor[0], k, lane]


@part
def sample_lanes(b, t, slack, y, alive):  # type: ignore[no-untyped-def]
    """As `sample_if_due`, in the lanes that are alive."""
    period, lanes = b.period[0], y.shape[1]
    if period == 0.0 or t + slack < b.made[0] * period:
        return
    look(b, t, y.reshape(y.size))
    for k in range(b.sampled.size):
        if alive[k % lanes]:
            y[k // lanes, k % lanes] = b.sampled[k]
    b.made[0] += 1


@part
def take_step(y, ahead, alive, finite, steps):  # type: ignore[no-untyped-def]
    """Go ahead in the lanes that are alive and finite there; whether there are any."""
    finite_lanes(ahead, finite)
    some = False
    for lane in range(y.shape[1]):
        alive[lane] = alive[lane] and finite[lane]
        if alive[lane]:
            steps[lane] += 1
            some = True
            for i in range(y.shape[0]):
                y[i, lane] = ahead[i, lane]
    return some


@part
def store(out, y, alive):  # type: ignore[no-untyped-def]
    """The state of the lanes that are alive; NaN of the others."""
    for i in range(y.shape[0]):
        for lane in range(y.shape[1]):
            out[i, lane] = y[i, lane] if alive[lane] else float("nan")


@kernel
def set_out(model, holding, y):  # type: ignore[no-untyped-def]
    """Inputs and ẏ of all lanes at the start, left in the buffers."""
    hold(Holding(*holding), 0.0)
    evaluate(buffers_of(model), 0.0, y.reshape(y.size))


@kernel
def march_lanes(  # type: ignore[no-untyped-def]
    model, work, holding, y, alive, finite, steps, t, first, n, h, out, stop
):
    """From each t[k] + first·h by n steps of h of an explicit method; out[k] are the states after.

    These are NaN where lanes failed.

    A lane fails with the step that leads to a state that is not finite: it is no longer `alive`, `y` keeps
    its last finite state and `steps` the number of steps that led to it.  When another thread sets `stop`, it
    ends after the step at hand, and the rest of `out` is as it was.  Returns whether any lane is alive.
    """
    b, w, held = buffers_of(model), explicit_of(work), Holding(*holding)
    flat, ahead = y.reshape(y.size), w.ahead.reshape(y.shape)
    some = True
    for k in range(out.shape[0]):
        for step in range(n):
            if not some:
                break
            if stop[0] != 0:
                return some
            at = t[k] + (first + step) * h
            hold(held, at + EARLY * h)
            sample_lanes(b, at, EARLY * h, y, alive)
            explicit_step(b, w, flat, at, h)
            some = take_step(y, ahead, alive, finite, steps)
        store(out[k], y, alive)
    return some


@kernel
def call_control(calls):  # type: ignore[no-untyped-def]
    """The control law, on what is in the buffers."""
    call(calls[2], calls[3])
