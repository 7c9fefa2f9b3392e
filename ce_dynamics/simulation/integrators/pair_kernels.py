"""Adaptive steps of embedded pairs, compiled by numba; the method is a table, see `explicit_kernels`.

Of order q, with a last stage that is the first of the next step (Hairer, Nørsett, Wanner: Solving ODEs I,
II.4, II.5, II.6).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.explicit_kernels import explicit_stages
from ce_dynamics.simulation.integrators.kernels import (
    DONE,
    EARLY,
    GUARDED,
    RUNNING,
    STEP_TOO_SMALL,
    buffers_of,
    evaluate,
    integer_matrix,
    kernel,
    leaves,
    matrix,
    part,
    sample_if_due,
    vector,
)


class Pair(NamedTuple):
    """Work space of an embedded pair: as `Explicit`, with weights of its error and of its dense output."""

    weights: Any
    places: Any
    error: Any
    dense: Any
    K: Any
    ahead: Any
    sum: Any


@part
def pair_of(block):  # type: ignore[no-untyped-def]
    """The work space that a block tells of."""
    return Pair(
        matrix(block, 0), integer_matrix(block, 1), vector(block, 2), vector(block, 3), matrix(block, 4),
        vector(block, 5), vector(block, 6),
    )  # fmt: skip


@kernel
def first_stage(model, work, y, t):  # type: ignore[no-untyped-def]
    """K[0] as it is at (t, y): at the start, and when inputs have changed."""
    b, w = buffers_of(model), pair_of(work)
    evaluate(b, t, y)
    for i in range(y.size):
        w.K[0, i] = b.rate[i]


@part
def before_sample(stop, made, period):  # type: ignore[no-untyped-def]
    """Where a step ends that is to go no further than `stop`, nor beyond the next sample."""
    due = made * period
    return due if period > 0.0 and due < stop - EARLY * period else stop


@part
def weigh(weights, K, out):  # type: ignore[no-untyped-def]
    """Σ w_j K_j, a stage at a time: loops over components are those that a compiler makes vectors of."""
    for i in range(out.size):
        out[i] = 0.0
    for j in range(weights.size):
        w = weights[j]
        if w != 0.0:
            for i in range(out.size):
                out[i] += w * K[j, i]


@part
def pair_error(w, y, h, rtol, atol):  # type: ignore[no-untyped-def]
    """Root mean square of the estimated error relative to the tolerance."""
    weigh(w.error, w.K, w.sum)
    for i in range(y.size):
        w.sum[i] = h * w.sum[i] / (atol + rtol * max(abs(y[i]), abs(w.ahead[i])))
    total = 0.0
    for i in range(y.size):
        total += w.sum[i] ** 2
    return math.sqrt(total / y.size)


@part
def pair_between(w, y, h, theta, out):  # type: ignore[no-untyped-def]
    """The state at t + θ h, of order 4; `weigh` has left what the weights of the dense output make."""
    rest = 1.0 - theta
    last = w.K.shape[0] - 1
    for i in range(y.size):
        r2 = w.ahead[i] - y[i]
        r3 = h * w.K[0, i] - r2
        r4 = r2 - h * w.K[last, i] - r3
        out[i] = y[i] + theta * (r2 + rest * (r3 + theta * (r4 + rest * (h * w.sum[i]))))


@part
def pair_start(b, w, y, t, exponent, rtol, atol):  # type: ignore[no-untyped-def]
    """Size of the first step (Hairer, II.4); K[0] is ẏ."""
    n = y.size
    size = speed = 0.0
    for i in range(n):
        scale = atol + rtol * abs(y[i])
        size += (y[i] / scale) ** 2
        speed += (w.K[0, i] / scale) ** 2
    size, speed = math.sqrt(size / n), math.sqrt(speed / n)
    h = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    for i in range(n):
        w.ahead[i] = y[i] + h * w.K[0, i]
    evaluate(b, t + h, w.ahead)
    bend = 0.0
    for i in range(n):
        bend += ((b.rate[i] - w.K[0, i]) / (atol + rtol * abs(y[i]))) ** 2
    largest = max(speed, math.sqrt(bend / n) / h)
    guess = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** exponent
    return min(100.0 * h, guess)


@kernel
def march_pair(  # type: ignore[no-untyped-def]
    model, work, control, y, clock, counts, t_store, budget, guards, out
):
    """Go on towards the last of t_store by at most `budget` steps, and not by one that `leaves` the guards.

    Steps end at samples, and where one is due the step begins with what sampled controllers make of it.

    `control` is (1/q, rtol, atol, longest step); `clock` holds the time, the size of the next step (0: to be
    chosen) and the error of the last one; `counts` the next instant to store, the evaluations, and the steps
    that were accepted and rejected.  K[0] must be ẏ at y.  All of these and y are kept up to date, so that
    where one call ends and the next begins makes no difference.
    """
    b, w = buffers_of(model), pair_of(work)
    exponent, rtol, atol, max_step = control
    last = w.K.shape[0] - 1
    t_end = t_store[t_store.size - 1]
    for _ in range(budget):
        t = clock[0]
        if t >= t_end:
            return DONE
        if sample_if_due(b, t, EARLY * b.period[0], y):
            evaluate(b, t, y)
            for i in range(y.size):
                w.K[0, i] = b.rate[i]
            counts[1] += 1
        if clock[1] == 0.0:
            clock[1] = pair_start(b, w, y, t, exponent, rtol, atol)
            counts[1] += 1
        wanted = min(clock[1], max_step)
        stop = before_sample(t_end, b.made[0], b.period[0])
        ends = t + 1.01 * wanted >= stop
        h = stop - t if ends else wanted
        if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > 0.0:
            return STEP_TOO_SMALL
        if leaves(guards, y, h) >= 0:
            return GUARDED
        explicit_stages(b, w, y, t, h, 1)
        counts[1] += last
        error = pair_error(w, y, h, rtol, atol)
        if not error < 1.0:  # NaN included
            counts[3] += 1
            clock[1] = h * (max(0.2, 0.9 * error**-exponent) if error < 1e300 else 0.2)
            continue
        t_new = stop if ends else t + h
        if counts[0] < t_store.size and t_store[counts[0]] <= t_new:
            weigh(w.dense, w.K, w.sum)
        while counts[0] < t_store.size and t_store[counts[0]] <= t_new:
            pair_between(w, y, h, (t_store[counts[0]] - t) / h, out[counts[0]])
            counts[0] += 1
        for i in range(y.size):
            y[i] = w.ahead[i]
            w.K[0, i] = w.K[last, i]
        counts[2] += 1
        # proportional-integral control of the step (Hairer, Wanner: Solving ODEs II, IV.2)
        floor = max(error, 1e-10)
        factor = 0.9 * floor ** -(exponent - 0.75 * 0.04) * clock[2] ** 0.04
        proposed = h * min(10.0, max(0.2, factor))
        # a step shortened to meet the end says nothing against the one that was wanted
        clock[1] = max(proposed, min(wanted, clock[1])) if ends else proposed
        clock[2] = max(floor, 1e-4)
        clock[0] = t_new
    return DONE if clock[0] >= t_end else RUNNING
