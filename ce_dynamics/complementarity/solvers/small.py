"""Semismooth Newton for few rows, whole in machine code: what a warm-started time step needs."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.compiler.loops import kernel
from ce_dynamics.complementarity.elimination import eliminate
from ce_dynamics.complementarity.solvers.natural_map import natural_map

REGULAR = 1e-12
"""Added to the unit diagonal, so that dependent rows do not stop the elimination."""


@kernel
def point(A, b, rho, kind, normal, mu, lower, upper, p, y, P, Ds, Dn, Dp):  # type: ignore[no-untyped-def]
    """The natural map at p with steps ρ; returns Σ ((p − P)/ρ)² and the largest |p − P|/ρ."""
    m = p.size
    for i in range(m):
        w = b[i]
        for j in range(m):
            w += A[i, j] * p[j]
        y[i] = p[i] - rho[i] * w
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
def newton(A, b, d, kind, normal, mu, lower, upper, p, aim, limit):  # type: ignore[no-untyped-def]
    """Newton with halved steps on rows of p, in place.

    ρ is 1/A_ii, the smaller one for both rows of a disc, and 0 for rows that move nothing: these keep p.
    Returns the number of steps and the largest |p − P|/ρ.
    """
    m = p.size
    rho = np.zeros(m)
    for i in range(m):
        if d[i] > 0.0:
            rho[i] = 1.0 / d[i]
    for i in range(m):
        if kind[i] == 4:
            rho[i] = min(rho[i], rho[i + 1])
            rho[i + 1] = rho[i]
    y, P, Ds, Dn, Dp = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    J, step, trial = np.empty((m, m)), np.empty(m), np.empty(m)
    total, largest = point(A, b, rho, kind, normal, mu, lower, upper, p, y, P, Ds, Dn, Dp)
    for count in range(limit):
        if largest <= aim:
            return count, largest
        for i in range(m):
            if rho[i] == 0.0:
                for j in range(m):
                    J[i, j] = 0.0
                J[i, i] = 1.0
                step[i] = 0.0
                continue
            n = normal[i] if normal[i] >= 0 else i
            o = i + 1 if kind[i] == 4 else i - 1 if kind[i] == 5 else i
            s, t, u = Ds[i] * rho[i], Dn[i] * rho[n], Dp[i] * rho[o]
            for j in range(m):
                J[i, j] = s * A[i, j]
            if t != 0.0:
                for j in range(m):
                    J[i, j] += t * A[n, j]
                J[i, n] -= (1.0 - REGULAR) * Dn[i]
            if u != 0.0:
                for j in range(m):
                    J[i, j] += u * A[o, j]
                J[i, o] -= (1.0 - REGULAR) * Dp[i]
            J[i, i] += 1.0 - (1.0 - REGULAR) * Ds[i]
            step[i] = P[i] - p[i]
        if not eliminate(J, step):
            return count + 1, largest
        factor, best, chosen = 1.0, math.inf, 1.0
        for _ in range(6):
            for i in range(m):
                trial[i] = p[i] + factor * step[i]
            now, largest = point(A, b, rho, kind, normal, mu, lower, upper, trial, y, P, Ds, Dn, Dp)
            if now < best:
                best, chosen = now, factor
            if now < total:
                break
            factor *= 0.5
        for i in range(m):
            p[i] += chosen * step[i]
        total, largest = point(A, b, rho, kind, normal, mu, lower, upper, p, y, P, Ds, Dn, Dp)
    return limit, largest
