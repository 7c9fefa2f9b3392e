"""Steps of linearly implicit methods in SIMD lanes, compiled by numba.

ẏ and the entries of J are evaluated in all lanes at once; every lane has factors of its own, made and used by
what a single run has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ce_dynamics.simulation.ensembles.lane_kernels import Holding, hold, sample_lanes, store, take_step
from ce_dynamics.simulation.integrators.implicit_kernels import factors, solve
from ce_dynamics.simulation.integrators.kernels import (
    EARLY,
    buffers_of,
    call,
    combine,
    evaluate,
    integer_matrix,
    integers,
    kernel,
    matrix,
    part,
    vector,
)


class ImplicitLanes(NamedTuple):
    """Work space as `Implicit`, of several lanes.

    `jacobian` has the addresses of the function and of its table, `entries` what it leaves, in columns;
    `matrices` the factors of one lane below those of another, with an `age` and a size they are `kept` for of
    each, `own` and `column` what is of one lane.
    """

    weights: Any
    places: Any
    mixing: Any
    K: Any
    ahead: Any
    jacobian: Any
    entries: Any
    rows: Any
    columns: Any
    matrices: Any
    pivots: Any
    own: Any
    column: Any
    gamma: Any
    every: Any
    age: Any
    kept: Any


@part
def implicit_lanes_of(block):  # type: ignore[no-untyped-def]
    """The work space that a block tells of."""
    return ImplicitLanes(
        matrix(block, 0), integer_matrix(block, 1), matrix(block, 2), matrix(block, 3), vector(block, 4),
        integers(block, 5), matrix(block, 6), integers(block, 7), integers(block, 8), matrix(block, 9),
        integer_matrix(block, 10), vector(block, 11), vector(block, 12), vector(block, 13),
        integers(block, 14), integers(block, 15), vector(block, 16),
    )  # fmt: skip


@part
def renew_lanes(w, gamma_h):  # type: ignore[no-untyped-def]
    """Factors at the states and inputs that are in the buffers; only every few steps and when γ h changes."""
    n, evaluated = w.column.size, False
    for lane in range(w.pivots.shape[0]):
        if w.age[lane] >= w.every[0] or w.kept[lane] != gamma_h:
            if not evaluated:
                call(w.jacobian[0], w.jacobian[1])
                evaluated = True
            for k in range(w.own.size):
                w.own[k] = w.entries[k, lane]
            A = w.matrices[lane * n : (lane + 1) * n]
            factors(A, w.pivots[lane], w.own, w.rows, w.columns, gamma_h)
            w.age[lane] = 0
            w.kept[lane] = gamma_h
        w.age[lane] += 1


@part
def solve_lanes(w, k):  # type: ignore[no-untyped-def]
    """Solve in place, with the factors of every lane."""
    n, lanes = w.column.size, w.pivots.shape[0]
    for lane in range(lanes):
        for i in range(n):
            w.column[i] = k[i * lanes + lane]
        solve(w.matrices[lane * n : (lane + 1) * n], w.pivots[lane], w.column)
        for i in range(n):
            k[i * lanes + lane] = w.column[i]


@part
def implicit_lane_step(b, w, y, t, h):  # type: ignore[no-untyped-def]
    """One step as `implicit_step`; the states after it are left in `ahead`."""
    stages = w.K.shape[0]
    for s in range(stages):
        if s == 0:
            evaluate(b, t, y)
            renew_lanes(w, w.gamma[0] * h)
        else:
            combine(w.weights, w.places, s, w.K, y, h, w.ahead)
            evaluate(b, t + w.weights[s, 0] * h, w.ahead)
        k = w.K[s]
        for i in range(y.size):
            k[i] = b.rate[i]
        for j in range(s):
            for i in range(y.size):
                k[i] += w.mixing[s, j] * w.K[j, i]
        solve_lanes(w, k)
    combine(w.weights, w.places, stages, w.K, y, h / w.weights[stages, 0], w.ahead)


@kernel
def march_implicit_lanes(  # type: ignore[no-untyped-def]
    model, work, holding, y, alive, finite, steps, t, first, n, h, out, stop
):
    """As `march_lanes`, with a linearly implicit method."""
    b, w, held = buffers_of(model), implicit_lanes_of(work), Holding(*holding)
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
            implicit_lane_step(b, w, flat, at, h)
            some = take_step(y, ahead, alive, finite, steps)
        store(out[k], y, alive)
    return some
