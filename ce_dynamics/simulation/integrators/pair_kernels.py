"""Adaptive steps of embedded pairs, compiled by numba; the method is a table.

Of order q, with a last stage that is the first of the next step (Hairer, Nørsett, Wanner: Solving ODEs I,
II.4, II.5, II.6).  The stages of all lanes are evaluated together; each lane has its own time and step, and
accepts or rejects a step by itself.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.kernels import (
    DONE,
    EARLY,
    GUARDED,
    NOT_FINITE,
    RUNNING,
    STEP_TOO_SMALL,
    Buffers,
    Holding,
    IntegerMatrix,
    Integers,
    Matrix,
    Vector,
    add_weighted,
    buffers_of,
    call,
    holding_of,
    kernel,
    leaves,
    part,
    put_in_place,
    reader,
)

IDLE, CREEPS = -1, -2  # codes of a lane without a run, and of one whose run makes no progress

EVALUATIONS_PER_LOOK = 512  # evaluations of a run between two checks of its progress

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0  # factor of the proposed step, and bounds of its change (Hairer, II.4)
BETA = 0.04
"""Weight of the previous error in the step's proportional-integral control (Hairer, Wanner II, IV.2)."""


class PairTrack(NamedTuple):
    """Progress of every lane; all is kept up to date, so that it makes no difference when a call ends."""

    y: Vector  # (n · lanes,)
    clock: Matrix  # (3, lanes), time, the step that is wanted next (0: to be chosen), error of the last one
    counts: IntegerMatrix  # next instant to store, evaluations, steps accepted and rejected
    code: Integers  # `IDLE`, RUNNING, or how the lane's run ended
    fresh: Integers  # whether the rates at the beginning of the step are still to be evaluated
    cursor: Integers  # which of the held inputs are in place
    made: Integers  # samples of controllers that were made
    since: Matrix  # (2, lanes), time and evaluations at the latest progress, as a `StallWatch` has them
    slot: Integers  # which of the tables of stored states its run has
    h: Vector  # step of each lane, 0 where it makes none
    all_h: Vector  # the same for every entry of y
    stop: Vector  # time that no step goes beyond
    error: Vector


class PairBuffers(NamedTuple):
    """Work space of an embedded pair: its table and control, rates in rows, the state ahead, a sum.

    The last two rows of the table are the weights of the error and of the dense output.  `control` is
    (1/q, rtol, atol, longest step, least progress, evaluations that may pass without that).
    """

    weights: Matrix
    places: IntegerMatrix
    control: Vector
    K: Matrix
    ahead: Vector
    sum: Vector


track_of = reader(PairTrack, Buffers, Holding)
pair_of = reader(PairBuffers, Buffers, Holding, PairTrack)


@part
def evaluate_at(b, t, c, h, y, width):  # type: ignore[no-untyped-def]
    """Leave inputs and ẏ of every lane at its own time t + c h in the buffers."""
    for lane in range(width):
        b.time[lane] = t[lane] + c * h[lane]
    for k in range(y.size):
        b.state[k] = y[k]
    if b.calls[2] != 0:
        call(b.calls[2], b.calls[3])
    call(b.calls[0], b.calls[1])


@part
def spread_steps(track, width):  # type: ignore[no-untyped-def]
    """Write the step of its lane for every entry of the state."""
    for k in range(0, track.all_h.size, width):
        for lane in range(width):
            track.all_h[k + lane] = track.h[lane]


@part
def sample_due(b, track, width):  # type: ignore[no-untyped-def]
    """Let sampled controllers act in the lanes whose time has come."""
    period, due = b.period[0], False
    if period == 0.0:
        return
    for lane in range(width):
        track.h[lane] = 0.0
        if track.code[lane] == RUNNING and track.clock[0, lane] + EARLY * period >= track.made[lane] * period:
            track.h[lane] = 1.0
            due = True
    if not due:
        return
    for lane in range(width):
        b.time[lane] = track.clock[0, lane]
    for k in range(track.y.size):
        b.state[k] = track.y[k]
    if b.calls[2] != 0:
        call(b.calls[2], b.calls[3])
    call(b.calls[6], b.calls[7])
    for k in range(b.sampled.size):
        if track.h[k % width] > 0.0:
            track.y[k] = b.sampled[k]
    for lane in range(width):
        if track.h[lane] > 0.0:
            track.made[lane] += 1
            track.fresh[lane] = 1


@part
def begin(b, w, track, width):  # type: ignore[no-untyped-def]
    """Evaluate the first stage where it is due: at a start, and when inputs have changed.

    Returns False if the rates of a lane are not finite at its start.
    """
    due, fine = False, True
    for lane in range(width):
        due = due or track.fresh[lane] != 0
        track.h[lane] = 0.0
    if not due:
        return True
    evaluate_at(b, track.clock[0], 0.0, track.h, track.y, width)
    for lane in range(width):
        if track.fresh[lane] != 0:
            track.fresh[lane] = 0
            track.counts[1, lane] += 1
            total = 0.0
            for k in range(lane, track.y.size, width):
                w.K[0, k] = b.rate[k]
                total += 0.0 * b.rate[k]
            if total != 0.0 and track.clock[0, lane] == 0.0:
                track.code[lane] = NOT_FINITE
                fine = False
    return fine


@part
def choose_first(b, w, track, width):  # type: ignore[no-untyped-def]
    """Choose the size of the first step where it is due (Hairer, II.4); K[0] is ẏ."""
    exponent, rtol, atol, n, due = w.control[0], w.control[1], w.control[2], track.y.size // width, False
    for lane in range(width):
        track.h[lane] = 0.0
        if track.code[lane] != RUNNING or track.clock[1, lane] != 0.0:
            continue
        due = True
        size = speed = 0.0
        for k in range(lane, track.y.size, width):
            scale = atol + rtol * abs(track.y[k])
            size += (track.y[k] / scale) ** 2
            speed += (w.K[0, k] / scale) ** 2
        size, speed = math.sqrt(size / n), math.sqrt(speed / n)
        track.h[lane] = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
        track.error[lane] = speed
    if not due:
        return
    spread_steps(track, width)
    for k in range(track.y.size):
        w.ahead[k] = track.y[k] + track.all_h[k] * w.K[0, k]
    evaluate_at(b, track.clock[0], 1.0, track.h, w.ahead, width)
    for lane in range(width):
        h = track.h[lane]
        if h == 0.0:
            continue
        track.counts[1, lane] += 1
        bend = 0.0
        for k in range(lane, track.y.size, width):
            bend += ((b.rate[k] - w.K[0, k]) / (atol + rtol * abs(track.y[k]))) ** 2
        largest = max(track.error[lane], math.sqrt(bend / n) / h)
        guess = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** exponent
        track.clock[1, lane] = min(100.0 * h, guess)


@part
def choose_steps(b, w, track, held, t_end, width):  # type: ignore[no-untyped-def]
    """Choose the step of every lane, up to its next sample or change of inputs.

    Returns False if a lane cannot make one.
    """
    fine, period = True, b.period[0]
    for lane in range(width):
        track.h[lane] = 0.0
        if track.code[lane] != RUNNING:
            continue
        t, ahead = track.clock[0, lane], track.cursor[lane] + 1
        stop = min(t_end, held.times[ahead]) if ahead < held.times.size else t_end
        due = track.made[lane] * period
        stop = due if period > 0.0 and due < stop - EARLY * period else stop
        wanted = min(track.clock[1, lane], w.control[3])
        h = stop - t if t + 1.01 * wanted >= stop else wanted
        if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > 0.0:
            track.code[lane] = STEP_TOO_SMALL
            fine = False
        else:
            track.h[lane], track.stop[lane] = h, stop
    spread_steps(track, width)
    return fine


@part
def stages(b, w, track, width):  # type: ignore[no-untyped-def]
    """Evaluate the rates of all stages but the first; the state after the step is left in `ahead`."""
    for s in range(1, w.K.shape[0]):
        add_weighted(w.weights, w.places, s, w.K, w.ahead)
        for k in range(track.y.size):
            w.ahead[k] = track.y[k] + track.all_h[k] * w.ahead[k]
        evaluate_at(b, track.clock[0], w.weights[s, 0], track.h, w.ahead, width)
        for k in range(track.y.size):
            w.K[s, k] = b.rate[k]
    for lane in range(width):
        track.counts[1, lane] += w.K.shape[0] - 1


@part
def estimate_errors(w, track, width):  # type: ignore[no-untyped-def]
    """Estimate the root mean square error relative to the tolerance, per lane."""
    rtol, atol = w.control[1], w.control[2]
    add_weighted(w.weights, w.places, w.K.shape[0], w.K, w.sum)
    for k in range(track.y.size):
        scale = atol + rtol * max(abs(track.y[k]), abs(w.ahead[k]))
        w.sum[k] = (track.all_h[k] * w.sum[k] / scale) ** 2
    for lane in range(width):
        track.error[lane] = 0.0
    for k in range(0, track.y.size, width):
        for lane in range(width):
            track.error[lane] += w.sum[k + lane]
    for lane in range(width):
        track.error[lane] = math.sqrt(track.error[lane] / (track.y.size // width))


@part
def interpolate(w, track, lane, theta, width, out):  # type: ignore[no-untyped-def]
    """Return the state of a lane at t + θ h, of order 4; `sum` is the weighted sum of the dense output."""
    rest, last, h = 1.0 - theta, w.K.shape[0] - 1, track.h[lane]
    for i in range(out.size):
        k = i * width + lane
        r2 = w.ahead[k] - track.y[k]
        r3 = h * w.K[0, k] - r2
        r4 = r2 - h * w.K[last, k] - r3
        out[i] = track.y[k] + theta * (r2 + rest * (r3 + theta * (r4 + rest * (h * w.sum[k]))))


@part
def finish_step(w, track, lane, held, dense, width, store):  # type: ignore[no-untyped-def]
    """Accept the step of a lane, or reject it, which makes its h zero.

    `store` has the instants that are stored, and the tables of states; `dense` is True if a lane filled
    `w.sum` already.
    """
    t_store, out = store
    exponent = w.control[0]
    t, h, error, stop = track.clock[0, lane], track.h[lane], track.error[lane], track.stop[lane]
    if not error < 1.0:  # NaN included
        track.counts[3, lane] += 1
        track.h[lane] = 0.0
        track.clock[1, lane] = h * (max(SHRINK, SAFETY * error**-exponent) if error < 1e300 else SHRINK)
        return dense
    wanted = min(track.clock[1, lane], w.control[3])
    ends = t + 1.01 * wanted >= stop
    t_new = stop if ends else t + h
    while track.counts[0, lane] < t_store.size and t_store[track.counts[0, lane]] <= t_new:
        if not dense:
            add_weighted(w.weights, w.places, w.K.shape[0] + 1, w.K, w.sum)
            dense = True
        at = track.counts[0, lane]
        interpolate(w, track, lane, (t_store[at] - t) / h, width, out[track.slot[lane], at])
        track.counts[0, lane] += 1
    track.counts[2, lane] += 1
    floor = max(error, 1e-10)
    factor = SAFETY * floor ** -(exponent - 0.75 * BETA) * track.clock[2, lane] ** BETA
    proposed = h * min(GROW, max(SHRINK, factor))
    # a step shortened to meet the end is no reason against the one that was wanted
    track.clock[1, lane] = max(proposed, min(wanted, track.clock[1, lane])) if ends else proposed
    track.clock[2, lane] = max(floor, 1e-4)
    track.clock[0, lane] = t_new
    if t_new >= t_store[t_store.size - 1]:
        track.code[lane] = DONE
    elif ends:
        ahead = track.cursor[lane] + 1
        if ahead < held.times.size and t_new >= held.times[ahead]:
            track.cursor[lane] = ahead
            put_in_place(held, ahead, lane, width)
            track.fresh[lane] = 1
    return dense


@part
def go_ahead(w, track, width):  # type: ignore[no-untyped-def]
    """Take over state and first rates of the next step, where this one is accepted."""
    last, accepted = w.K.shape[0] - 1, 0
    for lane in range(width):
        accepted += track.h[lane] > 0.0
    if accepted == width:
        for k in range(track.y.size):
            track.y[k] = w.ahead[k]
            w.K[0, k] = w.K[last, k]
        return
    for lane in range(width):
        if track.h[lane] > 0.0:
            for k in range(lane, track.y.size, width):
                track.y[k] = w.ahead[k]
                w.K[0, k] = w.K[last, k]


@part
def watch_for_stalls(w, track, width):  # type: ignore[no-untyped-def]
    """End runs that make no progress; return True if there are any."""
    ended = False
    for lane in range(width):
        evaluations = track.counts[1, lane]
        if evaluations - track.since[1, lane] <= EVALUATIONS_PER_LOOK:
            continue
        if track.clock[0, lane] - track.since[0, lane] >= w.control[4]:
            track.since[0, lane], track.since[1, lane] = track.clock[0, lane], evaluations
        elif track.code[lane] == RUNNING and evaluations - track.since[1, lane] > w.control[5]:
            track.code[lane] = CREEPS
            ended = True
    return ended


@functools.cache
def pair_march(width: int) -> Any:
    """Return the march of embedded pairs in so many lanes."""

    @kernel
    def march(block, t_store, budget, guards, out):  # type: ignore[no-untyped-def]
        """Go on by at most `budget` steps, until the run of a lane ends, or before it `leaves` the guards.

        Steps end at samples, and where one is due the step begins with what sampled controllers make of it.
        out[slot, k] takes the states at t_store[k].  Returns GUARDED, or the code of the first lane.
        """
        b, held, track, w = buffers_of(block), holding_of(block), track_of(block), pair_of(block)
        t_end = t_store[t_store.size - 1]
        for _ in range(budget):
            sample_due(b, track, width)
            if not begin(b, w, track, width):
                break
            choose_first(b, w, track, width)
            if not choose_steps(b, w, track, held, t_end, width):
                break
            if leaves(guards, track.y, track.h[0]) >= 0:
                return GUARDED
            stages(b, w, track, width)
            estimate_errors(w, track, width)
            ended, dense = False, False
            for lane in range(width):
                if track.h[lane] > 0.0:
                    dense = finish_step(w, track, lane, held, dense, width, (t_store, out))
                    ended = ended or track.code[lane] != RUNNING
            go_ahead(w, track, width)
            if watch_for_stalls(w, track, width) or ended:
                break
        return track.code[0]

    return march
