"""Adaptive steps of several runs in SIMD lanes, each at its own time with its own step, compiled by numba.

The stages of all lanes are evaluated together; whether a step is accepted, how long the next one is, and
which stored instants it passed is each lane's own affair.  A lane makes the steps that
`ce_dynamics.simulation.integrators.pair_kernels` makes alone, with the same operations in the same order.

Arrays over states and lanes are flat where a loop runs over all of them: entry i of lane l is at
i · lanes + l.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.kernels import (
    DONE,
    EARLY,
    NOT_FINITE,
    RUNNING,
    STEP_TOO_SMALL,
    buffers_of,
    call,
    integer_matrix,
    integers,
    kernel,
    matrix,
    part,
    vector,
)
from ce_dynamics.simulation.integrators.pair_kernels import before_sample, pair_of

IDLE, CREEPS = -1, -2
"""Codes of a lane without a run, and of one whose run gets nowhere."""

EVALUATIONS_PER_LOOK = 512
"""Of a run since its latest progress, before it is asked whether it creeps."""


class Track(NamedTuple):
    """Where every lane is; all is kept up to date, so that it makes no difference when a call ends.

    Attributes
    ----------
    y : (n, lanes) array
    clock : (3, lanes) array
        Time, the step that is wanted next (0: to be chosen), error of the last one.
    counts : (4, lanes) int array
        Next instant to store, evaluations, steps accepted and rejected.
    code : (lanes,) int array
        `IDLE`, RUNNING, or how the lane's run ended.
    fresh : (lanes,) int array
        Whether the rates at the beginning of the step are still to be evaluated.
    cursor : (lanes,) int array
        Which of the held inputs are in place.
    made : (lanes,) int array
        Samples of controllers that were made.
    since : (2, lanes) array
        Time and evaluations at the latest progress, as a `StallWatch` has them.
    slot : (lanes,) int array
        Which of the tables of stored states its run has.
    h, all_h, stop, error : arrays
        The step of each lane (0 where it makes none), the same for every entry of y, the time that no step
        goes beyond, the estimated error.
    """

    y: Any
    clock: Any
    counts: Any
    code: Any
    fresh: Any
    cursor: Any
    made: Any
    since: Any
    slot: Any
    h: Any
    all_h: Any
    stop: Any
    error: Any


@part
def track_of(block):  # type: ignore[no-untyped-def]
    """The track that a block tells of: numba counts references to arrays that it is given, at every use."""
    return Track(
        matrix(block, 0), matrix(block, 1), integer_matrix(block, 2), integers(block, 3), integers(block, 4),
        integers(block, 5), integers(block, 6), matrix(block, 7), integers(block, 8), vector(block, 9),
        vector(block, 10), vector(block, 11), vector(block, 12),
    )  # fmt: skip


@kernel
def evaluate_lanes(calls, time, state, t, c, h, y):  # type: ignore[no-untyped-def]
    """Inputs and ẏ of every lane at its own time t + c h, left in the buffers."""
    for lane in range(h.size):
        time[lane] = t[lane] + c * h[lane]
    for k in range(y.size):
        state[k] = y[k]
    if calls[2] != 0:
        call(calls[2], calls[3])
    call(calls[0], calls[1])


@kernel
def spread_steps(h, all_h):  # type: ignore[no-untyped-def]
    """The step of its lane for every entry of the state."""
    lanes = h.size
    for k in range(0, all_h.size, lanes):
        for lane in range(lanes):
            all_h[k + lane] = h[lane]


@kernel
def combine_lanes(weights, places, r, K, y, all_h, out):  # type: ignore[no-untyped-def]
    """As `combine`, with the step of each lane."""
    for k in range(y.size):
        out[k] = weights[r, 1] * K[places[r, 1], k]
    for j in range(2, places[r, 0] + 1):
        for k in range(y.size):
            out[k] += weights[r, j] * K[places[r, j], k]
    for k in range(y.size):
        out[k] = y[k] + all_h[k] * out[k]


@part
def begin_lanes(b, w, track, flat):  # type: ignore[no-untyped-def]
    """The first stage where it is due: at a start, and when inputs have changed; whether all are finite."""
    n, lanes = track.y.shape
    due, fine = False, True
    for lane in range(lanes):
        due = due or track.fresh[lane] != 0
    if not due:
        return True
    track.h[:] = 0.0
    evaluate_lanes(b.calls, b.time, b.state, track.clock[0], 0.0, track.h, flat)
    for lane in range(lanes):
        if track.fresh[lane] != 0:
            track.fresh[lane] = 0
            track.counts[1, lane] += 1
            total = 0.0
            for i in range(n):
                rate = b.rate[i * lanes + lane]
                w.K[0, i * lanes + lane] = rate
                total += 0.0 * rate
            if total != 0.0 and track.clock[0, lane] == 0.0:
                track.code[lane] = NOT_FINITE
                fine = False
    return fine


@part
def sample_due_lanes(b, track, flat):  # type: ignore[no-untyped-def]
    """Let sampled controllers look in the lanes whose time has come; as `sample_if_due`."""
    period, lanes = b.period[0], track.h.size
    if period == 0.0:
        return
    due = False
    for lane in range(lanes):
        track.h[lane] = 0.0
        if track.code[lane] == RUNNING and track.clock[0, lane] + EARLY * period >= track.made[lane] * period:
            track.h[lane] = 1.0
            due = True
    if not due:
        return
    for lane in range(lanes):
        b.time[lane] = track.clock[0, lane]
    for k in range(flat.size):
        b.state[k] = flat[k]
    if b.calls[2] != 0:
        call(b.calls[2], b.calls[3])
    call(b.calls[6], b.calls[7])
    for k in range(b.sampled.size):
        if track.h[k % lanes] > 0.0:
            flat[k] = b.sampled[k]
    for lane in range(lanes):
        if track.h[lane] > 0.0:
            track.made[lane] += 1
            track.fresh[lane] = 1


@part
def start_lanes(b, w, track, flat, control):  # type: ignore[no-untyped-def]
    """Size of the first step where it is to be chosen; as `pair_start`."""
    exponent, rtol, atol, _ = control
    n, lanes = track.y.shape
    due = False
    for lane in range(lanes):
        track.h[lane] = 0.0
        if track.code[lane] != RUNNING or track.clock[1, lane] != 0.0:
            continue
        due = True
        size = speed = 0.0
        for i in range(n):
            scale = atol + rtol * abs(track.y[i, lane])
            size += (track.y[i, lane] / scale) ** 2
            speed += (w.K[0, i * lanes + lane] / scale) ** 2
        size, speed = math.sqrt(size / n), math.sqrt(speed / n)
        track.h[lane] = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
        track.error[lane] = speed
    if not due:
        return
    spread_steps(track.h, track.all_h)
    for k in range(flat.size):
        w.ahead[k] = flat[k] + track.all_h[k] * w.K[0, k]
    evaluate_lanes(b.calls, b.time, b.state, track.clock[0], 1.0, track.h, w.ahead)
    for lane in range(lanes):
        h = track.h[lane]
        if h == 0.0:
            continue
        track.counts[1, lane] += 1
        bend = 0.0
        for i in range(n):
            change = b.rate[i * lanes + lane] - w.K[0, i * lanes + lane]
            bend += (change / (atol + rtol * abs(track.y[i, lane]))) ** 2
        largest = max(track.error[lane], math.sqrt(bend / n) / h)
        guess = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** exponent
        track.clock[1, lane] = min(100.0 * h, guess)


@part
def choose_steps(track, times, period, max_step, t_end):  # type: ignore[no-untyped-def]
    """The step of every lane, up to its next sample or change of inputs at most; whether all can make one."""
    fine = True
    for lane in range(track.h.size):
        track.h[lane] = 0.0
        if track.code[lane] != RUNNING:
            continue
        t, ahead = track.clock[0, lane], track.cursor[lane] + 1
        stop = min(t_end, times[ahead]) if ahead < times.size else t_end
        stop = before_sample(stop, track.made[lane], period)
        wanted = min(track.clock[1, lane], max_step)
        h = stop - t if t + 1.01 * wanted >= stop else wanted
        if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > 0.0:
            track.code[lane] = STEP_TOO_SMALL
            fine = False
        else:
            track.h[lane], track.stop[lane] = h, stop
    spread_steps(track.h, track.all_h)
    return fine


@kernel
def weighted(weights, K, out):  # type: ignore[no-untyped-def]
    """Σ w_j K_j over the weights that are not zero."""
    out[:] = 0.0
    for j in range(weights.size):
        if weights[j] != 0.0:
            for k in range(out.size):
                out[k] += weights[j] * K[j, k]


@kernel
def estimate_errors(difference, y, ahead, all_h, rtol, atol, error):  # type: ignore[no-untyped-def]
    """Root mean square of the estimated error relative to the tolerance, per lane; as `pair_error`."""
    lanes = error.size
    for k in range(y.size):
        scale = atol + rtol * max(abs(y[k]), abs(ahead[k]))
        difference[k] = (all_h[k] * difference[k] / scale) ** 2
    error[:] = 0.0
    for k in range(0, y.size, lanes):
        for lane in range(lanes):
            error[lane] += difference[k + lane]
    for lane in range(lanes):
        error[lane] = math.sqrt(error[lane] / (y.size // lanes))


@kernel
def between_lane(bend, K, y, ahead, lane, h, theta, out):  # type: ignore[no-untyped-def]
    """The state of a lane at t + θ h, of order 4; as `pair_between`."""
    n, lanes = y.shape
    rest, last = 1.0 - theta, K.shape[0] - 1
    for i in range(n):
        k = i * lanes + lane
        r2 = ahead[k] - y[i, lane]
        r3 = h * K[0, k] - r2
        r4 = r2 - h * K[last, k] - r3
        out[i] = y[i, lane] + theta * (r2 + rest * (r3 + theta * (r4 + rest * (h * bend[k]))))


@kernel
def go_ahead(accepted, ahead, y, first, last):  # type: ignore[no-untyped-def]
    """State and first rates of the next step, where this one is accepted (1.0)."""
    for k in range(y.size):
        y[k] = ahead[k] if accepted[k] > 0.0 else y[k]
        first[k] = last[k] if accepted[k] > 0.0 else first[k]


@part
def hold_next(holding, track, lane):  # type: ignore[no-untyped-def]
    """Put in place what a lane's inputs change to."""
    _, values, where, held = holding
    track.cursor[lane] += 1
    for k in range(where.size):
        held[where[k], lane] = values[track.cursor[lane], k, lane]
    track.fresh[lane] = 1


@part
def finish_step(w, track, lane, control, t_store, holding, bend, out):  # type: ignore[no-untyped-def]
    """Accept the step of a lane, or reject it, which makes its h zero; as at the end of `march_pair`."""
    exponent, _, _, max_step = control
    t, h, error, stop = track.clock[0, lane], track.h[lane], track.error[lane], track.stop[lane]
    if not error < 1.0:  # NaN included
        track.counts[3, lane] += 1
        track.h[lane] = 0.0
        track.clock[1, lane] = h * (max(0.2, 0.9 * error**-exponent) if error < 1e300 else 0.2)
        return
    wanted = min(track.clock[1, lane], max_step)
    ends = t + 1.01 * wanted >= stop
    t_new = stop if ends else t + h
    while track.counts[0, lane] < t_store.size and t_store[track.counts[0, lane]] <= t_new:
        at = track.counts[0, lane]
        between_lane(bend, w.K, track.y, w.ahead, lane, h, (t_store[at] - t) / h, out[track.slot[lane], at])
        track.counts[0, lane] += 1
    track.counts[2, lane] += 1
    floor = max(error, 1e-10)
    factor = 0.9 * floor ** -(exponent - 0.75 * 0.04) * track.clock[2, lane] ** 0.04
    proposed = h * min(10.0, max(0.2, factor))
    track.clock[1, lane] = max(proposed, min(wanted, track.clock[1, lane])) if ends else proposed
    track.clock[2, lane] = max(floor, 1e-4)
    track.clock[0, lane] = t_new
    if t_new >= t_store[t_store.size - 1]:
        track.code[lane] = DONE
    elif ends:
        ahead = track.cursor[lane] + 1
        if ahead < holding[0].size and t_new >= holding[0][ahead]:
            hold_next(holding, track, lane)


@part
def watch_for_stalls(stall, track):  # type: ignore[no-untyped-def]
    """End runs that creep, as a `StallWatch` that looks at each run after so many evaluations of its own."""
    progress, patience = stall
    ended = False
    for lane in range(track.code.size):
        evaluations = track.counts[1, lane]
        if evaluations - track.since[1, lane] <= EVALUATIONS_PER_LOOK:
            continue
        if track.clock[0, lane] - track.since[0, lane] >= progress:
            track.since[0, lane], track.since[1, lane] = track.clock[0, lane], evaluations
        elif track.code[lane] == RUNNING and evaluations - track.since[1, lane] > patience:
            track.code[lane] = CREEPS
            ended = True
    return ended


@kernel
def march_pair_lanes(model, work, holding, control, stall, lanes, t_store, budget, out):  # type: ignore[no-untyped-def]
    """Go on by at most `budget` steps, or until the run of a lane ends.

    `control` is (1/q, rtol, atol, longest step), `stall` the least progress in how many evaluations, `lanes`
    a `Track` in a block, `holding` the times, values and places of held inputs and where they are put;
    out[slot, k] takes the states at t_store[k].
    """
    b, w, track = buffers_of(model), pair_of(work), track_of(lanes)
    _, rtol, atol, max_step = control
    flat, last = track.y.reshape(track.y.size), w.K.shape[0] - 1
    for _ in range(budget):
        sample_due_lanes(b, track, flat)
        fine = begin_lanes(b, w, track, flat)
        if not fine:
            return
        start_lanes(b, w, track, flat, control)
        fine = choose_steps(track, holding[0], b.period[0], max_step, t_store[t_store.size - 1])
        if not fine:
            return
        for s in range(1, last + 1):
            combine_lanes(w.weights, w.places, s, w.K, flat, track.all_h, w.ahead)
            evaluate_lanes(b.calls, b.time, b.state, track.clock[0], w.weights[s, 0], track.h, w.ahead)
            w.K[s] = b.rate
        track.counts[1] += last
        # nobody needs what is in these buffers any more
        difference, bend = b.rate, b.state
        weighted(w.error, w.K, difference)
        estimate_errors(difference, flat, w.ahead, track.all_h, rtol, atol, track.error)
        weighted(w.dense, w.K, bend)
        ended = False
        for lane in range(track.h.size):
            if track.h[lane] > 0.0:
                finish_step(w, track, lane, control, t_store, holding, bend, out)
                ended = ended or track.code[lane] != RUNNING
        spread_steps(track.h, track.all_h)
        go_ahead(track.all_h, w.ahead, flat, w.K[0], w.K[last])
        creeps = watch_for_stalls(stall, track)
        if ended or creeps:
            return
