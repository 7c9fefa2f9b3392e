"""The sweeps of projected Gauss–Seidel, compiled by numba.

Velocities are kept up to date along with the impulses, so that a row costs as much as it has entries and a
sweep is linear in the number of rows.
"""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.compiler.loops import kernel
from ce_dynamics.contact.linear_equations import eliminate

SPUN = 1e-10
"""Share of the angular velocity below which a last Newton step is rounding."""
MOST_PARTS = 4096
"""Largest number of parts of a step in which a free body spins."""


@kernel
def row_times(starts, columns, values, i, x):  # type: ignore[no-untyped-def]
    """Product of row i with a vector."""
    total = 0.0
    for k in range(starts[i], starts[i + 1]):
        total += values[k] * x[columns[k]]
    return total


@kernel
def add_row(starts, columns, values, i, factor, x):  # type: ignore[no-untyped-def]
    """Add a multiple of row i to a vector, in place."""
    for k in range(starts[i], starts[i + 1]):
        x[columns[k]] += factor * values[k]


@kernel
def pair_scale(g, y, i, d0, d1):  # type: ignore[no-untyped-def]
    """Largest eigenvalue of the 2×2 block of A that belongs to rows i and i + 1."""
    off = 0.0
    for k in range(g[0][i], g[0][i + 1]):
        for j in range(y[0][i + 1], y[0][i + 2]):
            if g[1][k] == y[1][j]:
                off += g[2][k] * y[2][j]
    mean, half = 0.5 * (d0 + d1), 0.5 * (d0 - d1)
    return mean + math.sqrt(half * half + off * off)


@kernel
def sweep(g, y, v, c, diagonal, scale, kind, normal, mu, lower, upper, p):  # type: ignore[no-untyped-def]
    """Visit every row once; returns the largest change of an impulse times A_ii."""
    largest = 0.0
    i = 0
    while i < p.size:
        what = kind[i]
        if what == 4:  # DISC_1: the pair moves towards −w and back onto the disc of radius μ p_n
            rho = scale[i]
            if rho > 0.0:
                a = p[i] - (row_times(g[0], g[1], g[2], i, v) + c[i]) / rho
                b = p[i + 1] - (row_times(g[0], g[1], g[2], i + 1, v) + c[i + 1]) / rho
                reach = max(0.0, mu[i] * p[normal[i]])
                length = math.sqrt(a * a + b * b)
                if length > reach:
                    a *= reach / length
                    b *= reach / length
                step_a, step_b = a - p[i], b - p[i + 1]
                p[i], p[i + 1] = a, b
                add_row(y[0], y[1], y[2], i, step_a, v)
                add_row(y[0], y[1], y[2], i + 1, step_b, v)
                change = rho * math.sqrt(step_a * step_a + step_b * step_b)
                if not change <= largest:
                    largest = change
            i += 2
            continue
        d = diagonal[i]
        if d > 0.0:
            target = p[i] - (row_times(g[0], g[1], g[2], i, v) + c[i]) / d
            if what == 1:
                target = max(0.0, target)
            elif what == 2:
                target = min(max(lower[i], target), upper[i])
            elif what == 3:
                reach = max(0.0, mu[i] * p[normal[i]])
                target = min(max(-reach, target), reach)
            step = target - p[i]
            p[i] = target
            add_row(y[0], y[1], y[2], i, step, v)
            change = d * abs(step)
            if not change <= largest:  # NaN counts as a change
                largest = change
        i += 1
    return largest


@kernel
def sweeps(  # type: ignore[no-untyped-def]
    g, y, v, c, diagonal, kind, normal, mu, lower, upper, p, tolerance, limit
):
    """Sweep until nothing changes by more than the tolerance; v and p in place; returns the number."""
    scale = diagonal.copy()
    for i in range(p.size):
        if kind[i] == 4:
            scale[i] = pair_scale(g, y, i, diagonal[i], diagonal[i + 1])
    for count in range(1, limit + 1):
        change = sweep(g, y, v, c, diagonal, scale, kind, normal, mu, lower, upper, p)
        if change <= tolerance or change != change:
            return count
    return limit


@kernel
def clip_impulse(i, target, kind, normal, mu, lower, upper, p):  # type: ignore[no-untyped-def]
    """The nearest impulse that row i allows, of a disc by its components."""
    what = kind[i]
    if what == 0:
        return target
    if what == 1:
        return max(0.0, target)
    if what == 2:
        return min(max(lower[i], target), upper[i])
    reach = mu[i] * p[normal[i]] if normal[i] >= 0 else 0.0
    return min(max(-reach, target), max(-reach, reach))


@kernel
def residual(d, w, kind, normal, mu, lower, upper, p):  # type: ignore[no-untyped-def]
    """The largest of A_ii |p_i − proj(p_i − w_i / A_ii)|, see `Problem.residual`; NaN if anything is."""
    worst = 0.0
    i = 0
    while i < p.size:
        rows = 2 if kind[i] == 4 else 1
        factor, rho = 1.0, 0.0
        if rows == 2 and d[i] > 0.0 and d[i + 1] > 0.0:
            rho = max(d[i], d[i + 1])
            length = math.hypot(p[i] - w[i] / rho, p[i + 1] - w[i + 1] / rho)
            reach = max(0.0, mu[i] * p[normal[i]])
            factor = reach / length if length > reach else 1.0
        for k in range(i, i + rows):
            if d[k] > 0.0:
                if rho > 0.0:
                    step = d[k] * abs(p[k] - factor * (p[k] - w[k] / rho))
                else:
                    target = clip_impulse(k, p[k] - w[k] / d[k], kind, normal, mu, lower, upper, p)
                    step = d[k] * abs(p[k] - target)
            elif kind[k] == 0:
                step = abs(w[k])
            elif kind[k] == 1:
                step = max(-w[k], 0.0)
            else:
                step = 0.0
            if not step <= worst:
                worst = step
            if worst != worst:
                return worst
        i += rows
    return worst


@kernel
def cross(a, b, c):  # type: ignore[no-untyped-def]
    """c ← a × b."""
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def spun_once(I, before, h, enough, after):  # type: ignore[no-untyped-def]  # noqa: E741
    """The implicit midpoint rule of a free body in body axes; whether Newton's method got there.

    F = I (ω⁺ − ω) + h ω_m × I ω_m has the Jacobian J = I + ½ h (ω̃_m I − (I ω_m)~).
    """
    w, L, F, J = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    size, largest = max(abs(before[0]), abs(before[1]), abs(before[2])), math.inf
    for _ in range(20):
        for i in range(3):
            w[i] = 0.5 * (before[i] + after[i])
        for i in range(3):
            L[i] = I[i, 0] * w[0] + I[i, 1] * w[1] + I[i, 2] * w[2]
        cross(w, L, F)
        for i in range(3):
            F[i] *= h
            for j in range(3):
                F[i] += I[i, j] * (after[j] - before[j])
        for j in range(3):
            for i in range(3):
                k, m = (i + 1) % 3, (i + 2) % 3
                J[i, j] = I[i, j] + 0.5 * h * (w[k] * I[m, j] - w[m] * I[k, j])
            k, m = (j + 1) % 3, (j + 2) % 3
            J[k, j] -= 0.5 * h * L[m]
            J[m, j] += 0.5 * h * L[k]
        if not eliminate(J, F):
            return False
        largest = 0.0
        for i in range(3):
            after[i] -= F[i]
            largest = max(largest, abs(F[i]))
        if largest <= enough * size:
            break
    return largest <= SPUN * size


@kernel
def spin(inertia, before, h, enough, after):  # type: ignore[no-untyped-def]
    """Angular velocities after h, see `gyroscopic`; in parts where bodies turn too far in one.

    Where no parts will do, they are what they were, which gives no energy either.
    """
    start = np.empty(3)
    for n in range(len(before)):
        parts, done = 1, False
        while not done and parts <= MOST_PARTS:
            for i in range(3):
                after[n, i] = before[n, i]
            done = True
            for _ in range(parts):
                for i in range(3):
                    start[i] = after[n, i]
                if not spun_once(inertia[n], start, h / parts, enough, after[n]):
                    done = False
                    break
            parts *= 2
        if not done:
            for i in range(3):
                after[n, i] = before[n, i]
