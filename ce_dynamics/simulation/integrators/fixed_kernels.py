"""Steps of fixed length, compiled by numba: explicit Runge–Kutta and linearly implicit methods.

The method is a table, see `ce_dynamics.compiled.integration_methods`.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.kernels import (
    EARLY,
    Buffers,
    Holding,
    IntegerMatrix,
    Integers,
    Matrix,
    Vector,
    buffers_of,
    call,
    combine,
    evaluate,
    holding_of,
    is_finite,
    kernel,
    leaves,
    part,
    reader,
    sample_if_due,
    write_held_inputs,
)


class FixedTrack(NamedTuple):
    """Progress of the runs: state, whether each lane is alive, its steps made, and a request to stop."""

    y: Vector
    alive: Integers
    steps: Integers
    stop: Integers


class ExplicitSpace(NamedTuple):
    """Work space of explicit stages: a table (`weights` and `places`), rates in rows, the state ahead."""

    weights: Matrix
    places: IntegerMatrix
    K: Matrix
    ahead: Vector


class ImplicitSpace(NamedTuple):
    """Work space of linearly implicit stages: that of explicit ones, `mixing`, and factors of 1 − γ h J.

    `entries` at `rows` and `columns` are those of J in all lanes, `own` those of one lane; `factors` has the
    factors of one lane below those of another, with their `pivots`; `column` is one lane of a right-hand
    side.  `every` is the number of steps one J is for, `age` how many it has served in each lane, `kept` the
    γ h of each lane's factors.
    """

    weights: Matrix
    places: IntegerMatrix
    mixing: Matrix
    K: Matrix
    ahead: Vector
    entries: Vector
    rows: Integers
    columns: Integers
    factors: Matrix
    pivots: IntegerMatrix
    own: Vector
    column: Vector
    gamma: Vector
    every: Integers
    age: Integers
    kept: Vector


track_of = reader(FixedTrack, Buffers, Holding)
explicit_of = reader(ExplicitSpace, Buffers, Holding, FixedTrack)
implicit_of = reader(ImplicitSpace, Buffers, Holding, FixedTrack)


@part
def explicit_step(evaluate, b, w, y, t, h):  # type: ignore[no-untyped-def]
    """Leave the state after one step of an explicit Runge–Kutta method in `ahead`.

    ``evaluate(b, t, y)`` leaves ẏ in ``b.rate``.
    """
    stages = w.K.shape[0]
    for s in range(stages):
        if s == 0:
            evaluate(b, t, y)
        else:
            combine(w.weights, w.places, s, w.K, y, h, w.ahead)
            evaluate(b, t + w.weights[s, 0] * h, w.ahead)
        for i in range(y.size):
            w.K[s, i] = b.rate[i]
    combine(w.weights, w.places, stages, w.K, y, h / w.weights[stages, 0], w.ahead)


@kernel
def factorise(A, pivots):  # type: ignore[no-untyped-def]
    """Factorise by LU with row exchanges in place; zeros below the diagonal cost nothing."""
    n = A.shape[0]
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(A[r, c]) > abs(A[best, c]):
                best = r
        pivots[c] = best
        pivot_row = A[c]
        if best != c:
            other = A[best]
            for k in range(n):
                pivot_row[k], other[k] = other[k], pivot_row[k]
        inverse = 1.0 / pivot_row[c]
        for r in range(c + 1, n):
            row = A[r]
            if row[c] != 0.0:
                factor = row[c] * inverse
                row[c] = factor
                for k in range(c + 1, n):
                    row[k] -= factor * pivot_row[k]


@kernel
def solve(A, pivots, b):  # type: ignore[no-untyped-def]
    """Solve in place with the factors of A."""
    n = A.shape[0]
    for r in range(n):
        other = pivots[r]
        b[r], b[other] = b[other], b[r]
    for r in range(n):
        total = b[r]
        for k in range(r):
            total -= A[r, k] * b[k]
        b[r] = total
    for r in range(n - 1, -1, -1):
        total = b[r]
        for k in range(r + 1, n):
            total -= A[r, k] * b[k]
        b[r] = total / A[r, r]


@kernel
def factors(A, pivots, entries, rows, columns, gamma_h):  # type: ignore[no-untyped-def]
    """Leave the factors of 1 − γ h J in A."""
    n = A.shape[0]
    for r in range(n):
        for c in range(n):
            A[r, c] = 0.0
        A[r, r] = 1.0
    for k in range(rows.size):
        A[rows[k], columns[k]] -= gamma_h * entries[k]
    if not is_finite(entries):
        A[n - 1, n - 1] = math.nan  # division by an infinite entry would pass for a step of zero
    factorise(A, pivots)


@part
def renew(b, w, gamma_h, width):  # type: ignore[no-untyped-def]
    """Make factors for the states and inputs in the buffers, where they are too old or γ h has changed."""
    n, evaluated = w.column.size, False
    for lane in range(width):
        if w.age[lane] >= w.every[0] or w.kept[lane] != gamma_h:
            if not evaluated:
                call(b.calls[4], b.calls[5])
                evaluated = True
            for k in range(w.own.size):
                w.own[k] = w.entries[k * width + lane]
            A = w.factors[lane * n : (lane + 1) * n]
            factors(A, w.pivots[lane], w.own, w.rows, w.columns, gamma_h)
            w.age[lane] = 0
            w.kept[lane] = gamma_h
        w.age[lane] += 1


@part
def solve_lanes(w, k, width):  # type: ignore[no-untyped-def]
    """Solve in place, with the factors of every lane."""
    n = w.column.size
    for lane in range(width):
        for i in range(n):
            w.column[i] = k[i * width + lane]
        solve(w.factors[lane * n : (lane + 1) * n], w.pivots[lane], w.column)
        for i in range(n):
            k[i * width + lane] = w.column[i]


@part
def implicit_step(b, w, y, t, h, width):  # type: ignore[no-untyped-def]
    """Leave the state after one step of a W-method in `ahead` (Hairer, Wanner: Solving ODEs II, IV.7).

    (1 − γ h J) k_i = f(y + h Σ a_ij k_j) + Σ m_ij k_j with the `mixing` m, and y + h Σ b_j k_j.
    """
    stages = w.K.shape[0]
    for s in range(stages):
        if s == 0:
            evaluate(b, t, y)
            renew(b, w, w.gamma[0] * h, width)
        else:
            combine(w.weights, w.places, s, w.K, y, h, w.ahead)
            evaluate(b, t + w.weights[s, 0] * h, w.ahead)
        k = w.K[s]
        for i in range(y.size):
            k[i] = b.rate[i]
        for j in range(s):
            for i in range(y.size):
                k[i] += w.mixing[s, j] * w.K[j, i]
        solve_lanes(w, k, width)
    combine(w.weights, w.places, stages, w.K, y, h / w.weights[stages, 0], w.ahead)


@part
def can_begin(b, held, track, guards, t, h, width):  # type: ignore[no-untyped-def]
    """Put inputs and samples in place for a step; return False if it is not to be made."""
    if track.stop[0] != 0 or leaves(guards, track.y, h) >= 0:
        return False
    write_held_inputs(held, t + EARLY * h, width)
    sample_if_due(b, t, EARLY * h, track.y, track.alive, width)
    return True


@part
def take_step(track, ahead, width):  # type: ignore[no-untyped-def]
    """Go ahead in the lanes that are alive and finite there; return True if there are any."""
    some = False
    for lane in range(width):
        total = 0.0
        for k in range(lane, ahead.size, width):
            total += 0.0 * ahead[k]
        if total != 0.0:
            track.alive[lane] = 0
        if track.alive[lane] != 0:
            track.steps[lane] += 1
            some = True
            for k in range(lane, ahead.size, width):
                track.y[k] = ahead[k]
    return some


@part
def store(out, track, width):  # type: ignore[no-untyped-def]
    """Store the states of the lanes alive, NaN of the others."""
    for k in range(out.size):
        out[k] = track.y[k] if track.alive[k % width] != 0 else math.nan


@functools.cache
def fixed_march(width: int, implicit: bool) -> Any:
    """Return the march of explicit or linearly implicit methods in so many lanes."""

    @kernel
    def march(block, t, first, n, h, guards, out):  # type: ignore[no-untyped-def]
        """March n steps of h from each t[k] + first·h; out[k] is the state after them.

        A lane fails with the step that leads to a state that is not finite: it is no longer `alive`, and `y`
        keeps its last finite state.  The march ends before a step that `leaves` the guards, when another
        thread stops it, and when no lane is alive.  Returns the number of steps made.
        """
        b, held, track = buffers_of(block), holding_of(block), track_of(block)
        w = implicit_of(block) if implicit else explicit_of(block)  # numba compiles one of them
        for k in range(out.shape[0]):
            for step in range(n):
                at = t[k] + (first + step) * h
                if not can_begin(b, held, track, guards, at, h, width):
                    return k * n + step
                if implicit:
                    implicit_step(b, w, track.y, at, h, width)
                else:
                    explicit_step(evaluate, b, w, track.y, at, h)
                if not take_step(track, w.ahead, width):
                    return k * n + step
            store(out[k], track, width)
        return out.shape[0] * n

    return march


@functools.cache
def start(width: int) -> Any:
    """Return a kernel that evaluates the inputs and ẏ of all lanes at the start, left in the buffers."""

    @kernel
    def evaluated_at_start(block):  # type: ignore[no-untyped-def]
        b, held, track = buffers_of(block), holding_of(block), track_of(block)
        write_held_inputs(held, 0.0, width)
        evaluate(b, 0.0, track.y)

    return evaluated_at_start
