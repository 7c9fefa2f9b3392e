"""Steps of linearly implicit methods, compiled by numba; the method is a table, see `explicit_kernels`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ce_dynamics.simulation.integrators.kernels import (
    EARLY,
    buffers_of,
    call,
    combine,
    evaluate,
    integer_matrix,
    integers,
    is_finite,
    kernel,
    leaves,
    matrix,
    part,
    sample_if_due,
    vector,
)


class Implicit(NamedTuple):
    """Work space of linearly implicit stages: as `Explicit`, their `mixing`, and the factors of 1 − γ h J.

    `entries`, `rows`, `columns` are those of J; `matrix` and `pivots` the factors; `every`, `age` and `kept`
    say how many steps one J is for, how old it is, and the γ h of the factors.
    """

    weights: Any
    places: Any
    mixing: Any
    K: Any
    ahead: Any
    entries: Any
    rows: Any
    columns: Any
    matrix: Any
    pivots: Any
    gamma: Any
    every: Any
    age: Any
    kept: Any


@part
def implicit_of(block):  # type: ignore[no-untyped-def]
    """The work space that a block tells of."""
    return Implicit(
        matrix(block, 0), integer_matrix(block, 1), matrix(block, 2), matrix(block, 3), vector(block, 4),
        vector(block, 5), integers(block, 6), integers(block, 7), matrix(block, 8), integers(block, 9),
        vector(block, 10), integers(block, 11), integers(block, 12), vector(block, 13),
    )  # fmt: skip


@kernel
def factorise(A, pivots):  # type: ignore[no-untyped-def]
    """LU with row exchanges in place; zeros below the diagonal cost nothing."""
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
    """Those of 1 − γ h J, left in A."""
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


@kernel
def prepare(b, w, gamma_h):  # type: ignore[no-untyped-def]
    """Factors of 1 − γ h J at the state and inputs that are in the buffers."""
    call(b.calls[4], b.calls[5])
    factors(w.matrix, w.pivots, w.entries, w.rows, w.columns, gamma_h)


@part
def renew(b, w, gamma_h):  # type: ignore[no-untyped-def]
    """As `prepare`, but only every few steps and when γ h has changed."""
    if w.age[0] >= w.every[0] or w.kept[0] != gamma_h:
        prepare(b, w, gamma_h)
        w.age[0] = 0
        w.kept[0] = gamma_h
    w.age[0] += 1


@part
def implicit_step(b, w, y, t, h):  # type: ignore[no-untyped-def]
    """One step of a W-method (Hairer, Wanner: Solving ODEs II, IV.7); the state after it is left in `ahead`.

    (1 − γ h J) k_i = f(y + h Σ a_ij k_j) + Σ m_ij k_j with the `mixing` m, and y + h Σ b_j k_j.
    """
    stages = w.K.shape[0]
    for s in range(stages):
        if s == 0:
            evaluate(b, t, y)
            renew(b, w, w.gamma[0] * h)
        else:
            combine(w.weights, w.places, s, w.K, y, h, w.ahead)
            evaluate(b, t + w.weights[s, 0] * h, w.ahead)
        k = w.K[s]
        for i in range(y.size):
            k[i] = b.rate[i]
        for j in range(s):
            for i in range(y.size):
                k[i] += w.mixing[s, j] * w.K[j, i]
        solve(w.matrix, w.pivots, k)
    combine(w.weights, w.places, stages, w.K, y, h / w.weights[stages, 0], w.ahead)


@kernel
def march_implicit(model, work, y, t, first, n, h, guards, out):  # type: ignore[no-untyped-def]
    """As `march_explicit`, with a linearly implicit method."""
    b, w = buffers_of(model), implicit_of(work)
    for k in range(out.shape[0]):
        for step in range(n):
            if leaves(guards, y, h) >= 0:
                return k * n + step
            at = t[k] + (first + step) * h
            sample_if_due(b, at, EARLY * h, y)
            implicit_step(b, w, y, at, h)
            if not is_finite(w.ahead):
                return k * n + step
            for i in range(y.size):
                y[i] = w.ahead[i]
        for i in range(y.size):
            out[k, i] = y[i]
    return out.shape[0] * n
