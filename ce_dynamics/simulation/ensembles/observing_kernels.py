"""Observes runs side by side, checks the observations and stores them; compiled by numba.

The pass that observes checks all lanes together and without Python's lock: threads that check runs one by
one in Python wait for each other.
"""

from __future__ import annotations

import math

import numpy as np
from numba import carray  # type: ignore[attr-defined]  # numba does not list it

from ce_dynamics.simulation.integrators.kernels import (
    EARLY,
    at,
    buffers_of,
    call,
    give_inputs,
    holding_of,
    kernel,
    part,
    write_held_inputs,
)


@kernel
def side_by_side(rows, slots, stored, Y):  # type: ignore[no-untyped-def]
    """Copy the states rows[slot] of runs into lanes; NaN after the stored instants."""
    for k in range(Y.shape[0]):
        for lane in range(slots.size):
            row = rows[slots[lane], k]
            if k < stored[lane]:
                for i in range(row.size):
                    Y[k, i, lane] = row[i]
            else:
                for i in range(row.size):
                    Y[k, i, lane] = float("nan")


EXPONENT = 0x7FF0000000000000
"""Bits of a number that are all set in infinities and NaN: integers are compared several at a time."""


@part
def is_whole(values):  # type: ignore[no-untyped-def]
    """Return True if all numbers are finite."""
    bits, whole = values.reshape(values.size).view(np.int64), True
    for k in range(bits.size):
        whole &= (bits[k] & EXPONENT) != EXPONENT
    return whole


@part
def mark_finite(table, fine):  # type: ignore[no-untyped-def]
    """Set `fine` to False in lanes with a number that is not finite."""
    for k in range(table.shape[0]):
        for i in range(table.shape[1]):
            for lane in range(fine.size):
                fine[lane] &= math.isfinite(table[k, i, lane])


@part
def keep_within(bounds, values, fine):  # type: ignore[no-untyped-def]
    """Set `fine` to False in lanes with a column that is NaN or outside its bounds."""
    n = bounds[3]
    columns = carray(at(bounds[0]), (n,), np.int64)
    lower, upper = carray(at(bounds[1]), (n,), np.float64), carray(at(bounds[2]), (n,), np.float64)
    for j in range(n):
        for lane in range(fine.size):
            x = values[columns[j], lane]
            fine[lane] &= (x >= lower[j]) & (x <= upper[j])


@part
def update_ranges(heads, ways, rows, t, k, y):  # type: ignore[no-untyped-def]
    """Update the ranges that coordinates have passed, and their extreme predictions, up to row k."""
    for j in range(heads.shape[0]):
        for lane in range(y.shape[1]):
            x = y[heads[j, 0], lane]
            if k == 0:
                ways[0, j, lane] = ways[1, j, lane] = x
                ways[2, j, lane], ways[3, j, lane] = float("inf"), -float("inf")
                rows[0, j, lane] = rows[1, j, lane] = 0
            ways[0, j, lane] = min(ways[0, j, lane], x)
            ways[1, j, lane] = max(ways[1, j, lane], x)
            if k + 1 < t.size:
                ahead = x + 2.0 * y[heads[j, 1], lane] * (t[k + 1] - t[k])
                if ahead < ways[2, j, lane]:
                    ways[2, j, lane], rows[0, j, lane] = ahead, k
                if ahead > ways[3, j, lane]:
                    ways[3, j, lane], rows[1, j, lane] = ahead, k


@part
def keep(values, until, rows):  # type: ignore[no-untyped-def]
    """Copy values into rows; NaN in lanes where `until` is NaN.  Slices would take seconds to compile."""
    for i in range(values.shape[0]):
        for lane in range(values.shape[1]):
            rows[i, lane] = values[i, lane] if until[lane] == until[lane] else float("nan")


@part
def is_new(heads, ways, j, s, lane):  # type: ignore[no-untyped-def]
    """Return True if a prediction leaves the passed range, or if other coordinates move the limit."""
    passed = ways[0, j, lane] <= ways[2 + s, j, lane] <= ways[1, j, lane]
    return heads[j, 3] != 0 or not passed


@part
def look_ahead(b, observation, look, Y, U, calm):  # type: ignore[no-untyped-def]
    """Set `calm` to False in lanes whose gearing in a predicted state exceeds `most` or is NaN."""
    u, _, _, gearing = observation
    _, _, heads, most, ways, rows = look
    lanes = calm.size
    for j in range(heads.shape[0]):
        for s in range(2):
            new = False
            for lane in range(lanes):
                new = new or (calm[lane] and is_new(heads, ways, j, s, lane))
            if not new:
                continue
            for lane in range(lanes):
                k = rows[s, j, lane]
                for i in range(Y.shape[1]):
                    b.state[i * lanes + lane] = Y[k, i, lane]
                for i in range(u.shape[0]):
                    u[i, lane] = U[k, i, lane]
                b.state[heads[j, 0] * lanes + lane] = ways[2 + s, j, lane]
            call(b.calls[8], b.calls[9])
            for lane in range(lanes):
                if is_new(heads, ways, j, s, lane):
                    calm[lane] &= gearing[heads[j, 2], lane] <= most


@kernel
def observe_lanes(block, observation, t, Y, results, look, verdict):  # type: ignore[no-untyped-def]
    """Observe and check inputs, outputs, closure errors and gearing at all stored instants.

    `observation` holds the buffers of these four, `results` the arrays for their values.  `look` holds the
    `LaneChecks` and work space for predictions.  `verdict` receives per lane whether all numbers are sound,
    and whether no loop comes near its limit.  Values after the end of a run are NaN.
    """
    b, held = buffers_of(block), holding_of(block)
    u, outputs, closures, gearing = observation
    U, out, gaps, gears = results
    seen, bounds, heads, _, ways, rows = look
    well, calm = verdict
    whole = True
    for lane in range(well.size):
        well[lane] = calm[lane] = True
    for k in range(t.size):
        write_held_inputs(held, t[k] + EARLY * (t[1] - t[0]) if t.size > 1 else t[k], well.size)
        give_inputs(b, t[k], Y[k].reshape(b.state.size))
        if b.calls[8] != 0:
            call(b.calls[8], b.calls[9])
        keep(u, Y[k, 0], U[k])
        for j in range(seen.size):
            keep(outputs[seen[j] : seen[j] + 1], Y[k, 0], out[k, seen[j] : seen[j] + 1])
        keep(closures, Y[k, 0], gaps[k])
        keep(gearing, Y[k, 0], gears[k])
        whole &= is_whole(b.state) & is_whole(u) & is_whole(outputs)
        keep_within(bounds[0], closures, well)
        keep_within(bounds[1], outputs, well)
        keep_within(bounds[2], u, well)
        keep_within(bounds[3], gearing, calm)
        update_ranges(heads, ways, rows, t, k, Y[k])
    if not whole:
        mark_finite(Y, calm)
        mark_finite(U, calm)
        mark_finite(out, calm)
        for lane in range(well.size):
            well[lane] &= calm[lane]
    if t.size > 1:
        look_ahead(b, observation, look, Y, U, calm)


@kernel
def store_columns(columns, members, until, parts):  # type: ignore[no-untyped-def]
    """Copy columns of runs to the results, with NaN from the instant `until` of each run on.

    A row of `columns` holds the address of a column, its stride in numbers, the index of its part, and its
    place in that part.  A run has one row for each stored instant.
    """
    n = parts[0].shape[0]
    for j in range(columns.shape[0]):
        width, part, column = columns[j, 1], parts[columns[j, 2]], columns[j, 3]
        for lane in range(members.size):
            first = columns[j, 0] + 8 * width * n * members[lane]
            into = carray(at(first), (width * n,), np.float64)
            for k in range(n):
                into[k * width] = part[k, column, lane] if k < until[lane] else float("nan")
