"""Semismooth Newton for some hundred rows, whole in machine code: what a warm-started time step needs."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.compiler.loops import kernel
from ce_dynamics.complementarity.elimination import eliminate
from ce_dynamics.complementarity.solvers.natural_map import natural_map

REGULAR = 1e-7
"""Added to the unit diagonal: where rows depend on each other a step hardly goes along what moves nothing."""
HALVINGS = 8
"""Largest number of halvings of a step that does not make F smaller."""
ALIKE = 100.0
"""Ratio of A_ii up to which the rows of a contact have one ρ."""


@kernel
def point(A, b, rho, kind, normal, mu, lower, upper, p, y, P, Ds, Dn, Dp):  # type: ignore[no-untyped-def]
    """The natural map at p with steps ρ, of a symmetric A; Σ ((p − P)/ρ)² and the largest |p − P|/ρ."""
    m = p.size
    for i in range(m):
        y[i] = b[i]
    for j in range(m):
        if p[j] != 0.0:
            for i in range(m):
                y[i] += A[j, i] * p[j]
    for i in range(m):
        y[i] = p[i] - rho[i] * y[i]
    natural_map(y, 0.0, kind, normal, mu, lower, upper, P, Ds, Dn, Dp)
    total, largest = 0.0, 0.0
    for i in range(m):
        if rho[i] == 0.0:
            continue
        f = (p[i] - P[i]) / rho[i]
        total += f * f
        if not abs(f) <= largest:
            largest = abs(f)
    return total, largest


@kernel
def direction(A, rho, kind, normal, p, P, Ds, Dn, Dp, step):  # type: ignore[no-untyped-def]
    """−J⁻¹ (p − P) into ``step``, J = 1 − D (1 − ρ A); whether J is regular.

    A row with D = 0 goes to P, as it is, and one that is moved by nothing (ρ = 0) stays: only the others,
    which are held, are unknowns.
    """
    m = p.size
    held, count = np.empty(m, np.int64), 0
    for i in range(m):
        step[i] = P[i] - p[i] if rho[i] > 0.0 else 0.0
        if rho[i] > 0.0 and (Ds[i] != 0.0 or Dn[i] != 0.0 or Dp[i] != 0.0):
            held[count] = i
            count += 1
    J, x, row = np.empty((count, count)), np.empty(count), np.empty(m)
    for a in range(count):
        i = held[a]
        n = normal[i] if normal[i] >= 0 else i
        o = i + 1 if kind[i] == 4 else i - 1 if kind[i] == 5 else i
        s, t, u = Ds[i] * rho[i], Dn[i] * rho[n], Dp[i] * rho[o]
        for j in range(m):
            row[j] = s * A[i, j]
        if t != 0.0:
            for j in range(m):
                row[j] += t * A[n, j]
            row[n] -= (1.0 - REGULAR) * Dn[i]
        if u != 0.0:
            for j in range(m):
                row[j] += u * A[o, j]
            row[o] -= (1.0 - REGULAR) * Dp[i]
        row[i] += 1.0 - (1.0 - REGULAR) * Ds[i]
        x[a] = step[i]
        for b in range(count):
            J[a, b] = row[held[b]]
            row[held[b]] = 0.0
        for j in range(m):
            x[a] -= row[j] * step[j]
    if not eliminate(J, x):
        return False
    for a in range(count):
        step[held[a]] = x[a]
    return True


@kernel
def steps_of(d, kind, normal, rho):  # type: ignore[no-untyped-def]
    """ρ: 1/A_ii, the smallest of a contact for all its rows that are alike; 0 for rows that move nothing."""
    for i in range(d.size):
        rho[i] = 1.0 / d[i] if d[i] > 0.0 else 0.0
    for i in range(d.size):
        if kind[i] == 4:
            rho[i] = rho[i + 1] = min(rho[i], rho[i + 1])
    for _ in range(2):  # the smallest to the normal row, from there to all
        for i in range(d.size):
            n = normal[i]
            if n >= 0 and rho[i] < ALIKE * rho[n] and rho[n] < ALIKE * rho[i]:
                rho[n] = min(rho[n], rho[i])
                rho[i] = rho[n]


@kernel
def newton(A, b, d, kind, normal, mu, lower, upper, p, aim, limit, halvings):  # type: ignore[no-untyped-def]
    """Newton with halved steps on rows of p, in place; A is symmetric.

    Rows that move nothing keep p.  Without halvings full steps are taken whatever becomes of F.  Returns the
    number of steps and the largest |p − P|/ρ.
    """
    m = p.size
    rho = np.empty(m)
    steps_of(d, kind, normal, rho)
    y, P, Ds, Dn, Dp = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    step, trial = np.empty(m), np.empty(m)
    total, largest = point(A, b, rho, kind, normal, mu, lower, upper, p, y, P, Ds, Dn, Dp)
    for count in range(limit):
        if largest <= aim:
            return count, largest
        if not direction(A, rho, kind, normal, p, P, Ds, Dn, Dp, step):
            return count + 1, largest
        factor, best, chosen, tried = 1.0, math.inf, 1.0, 0
        while True:
            for i in range(m):
                trial[i] = p[i] + factor * step[i]
            now, largest = point(A, b, rho, kind, normal, mu, lower, upper, trial, y, P, Ds, Dn, Dp)
            tried += 1
            if now < best:
                best, chosen = now, factor
            if now < (1.0 - 1e-4 * factor) * total or tried > halvings:
                break
            factor *= 0.5
            if tried == halvings:  # the best of them
                factor = chosen
        for i in range(m):
            p[i] = trial[i]
        total = now
    return limit, largest
