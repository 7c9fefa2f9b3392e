"""The loops over steps of several runs in SIMD lanes, compiled by numba.

Arrays have the lane as their last axis.  The arithmetic of each lane is that of
`ce_dynamics.simulation.integrators.kernels`, operation by operation.  `calls` holds addresses of
compiled functions and of the tables of their arguments: the dynamics, the
control law (0 if there is none), the observation.
"""

from __future__ import annotations

from ce_dynamics.simulation.integrators.kernels import call, kernel

EARLY = 1e-9
"""Part of a step by which a change of a held input may lie behind the beginning of the step it belongs to."""


@kernel
def evaluate_lanes(calls, time, state, t, y):  # type: ignore[no-untyped-def]
    """Inputs and ẏ of all lanes at (t, y), left in the buffers."""
    for lane in range(y.shape[1]):
        time[0, lane] = t
    for k in range(y.shape[0]):
        for lane in range(y.shape[1]):
            state[k, lane] = y[k, lane]
    if calls[2] != 0:
        call(calls[2], calls[3])
    call(calls[0], calls[1])


@kernel
def finite_lanes(y, finite):  # type: ignore[no-untyped-def]
    """Which lanes are finite in all entries."""
    for lane in range(y.shape[1]):
        total = 0.0
        for k in range(y.shape[0]):
            total += 0.0 * y[k, lane]
        finite[lane] = total == 0.0


@kernel
def rk4_lanes(calls, time, state, rate, work, y, t, h):  # type: ignore[no-untyped-def]
    """The classical Runge–Kutta method; the states after the step are left in work[0]."""
    ahead, total = work[0], work[1]
    n, lanes = y.shape
    evaluate_lanes(calls, time, state, t, y)
    for k in range(n):
        for lane in range(lanes):
            total[k, lane] = rate[k, lane]
            ahead[k, lane] = y[k, lane] + 0.5 * h * rate[k, lane]
    evaluate_lanes(calls, time, state, t + 0.5 * h, ahead)
    for k in range(n):
        for lane in range(lanes):
            total[k, lane] += 2.0 * rate[k, lane]
            ahead[k, lane] = y[k, lane] + 0.5 * h * rate[k, lane]
    evaluate_lanes(calls, time, state, t + 0.5 * h, ahead)
    for k in range(n):
        for lane in range(lanes):
            total[k, lane] += 2.0 * rate[k, lane]
            ahead[k, lane] = y[k, lane] + h * rate[k, lane]
    evaluate_lanes(calls, time, state, t + h, ahead)
    for k in range(n):
        for lane in range(lanes):
            ahead[k, lane] = y[k, lane] + h / 6.0 * (total[k, lane] + rate[k, lane])


@kernel
def hold(cursor, at, times, values, where, held):  # type: ignore[no-untyped-def]
    """Put in place the inputs that hold at a time."""
    moved = cursor[0] < 0
    while cursor[0] + 1 < times.size and times[cursor[0] + 1] <= at:
        cursor[0] += 1
        moved = True
    if moved and cursor[0] >= 0:
        for k in range(where.size):
            for lane in range(held.shape[1]):
                held[where[k], lane] = values[cursor[0], k, lane]


@kernel
def march_lanes(  # type: ignore[no-untyped-def]
    calls, time, state, rate, work, y, alive, finite, steps, cursor, times, values, where, held, t, n, h, out
):
    """RK4 from each t[k] by n steps of h; out[k] are the states after them, NaN in lanes that have failed.

    A lane fails with the step that leads to a state that is not finite: it is no longer `alive`, `y` keeps
    its last finite state and `steps` the number of steps that led to it.  Returns whether any lane is alive.
    """
    n_y, lanes = y.shape
    some = True
    for k in range(out.shape[0]):
        for step in range(n):
            if not some:
                break
            at = t[k] + step * h
            hold(cursor, at + EARLY * h, times, values, where, held)
            rk4_lanes(calls, time, state, rate, work, y, at, h)
            finite_lanes(work[0], finite)
            some = False
            for lane in range(lanes):
                alive[lane] = alive[lane] and finite[lane]
                if alive[lane]:
                    steps[lane] += 1
                    some = True
                    for i in range(n_y):
                        y[i, lane] = work[0, i, lane]
        for i in range(n_y):
            for lane in range(lanes):
                out[k, i, lane] = y[i, lane] if alive[lane] else float("nan")
    return some


@kernel
def observe_lanes(  # type: ignore[no-untyped-def]
    calls, time, state, u, outputs, closures, cursor, times, values, where, held, t, Y, U, out, gaps
):
    """Inputs, outputs and closure errors at all stored instants."""
    for k in range(t.size):
        hold(cursor, t[k] + EARLY * (t[1] - t[0]) if t.size > 1 else t[k], times, values, where, held)
        for lane in range(time.shape[1]):
            time[0, lane] = t[k]
        state[:] = Y[k]
        if calls[2] != 0:
            call(calls[2], calls[3])
        if calls[4] != 0:
            call(calls[4], calls[5])
        U[k] = u
        out[k] = outputs
        gaps[k] = closures


@kernel
def call_control(calls):  # type: ignore[no-untyped-def]
    """The control law, on what is in the buffers."""
    call(calls[2], calls[3])
