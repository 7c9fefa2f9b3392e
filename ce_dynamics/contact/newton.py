"""Semismooth Newton on the natural map, for few rows in machine code.

With w = A p + b and y = p − ρ w, every condition of `ce_dynamics.contact.problem` reads p = P(y):

    bilateral   P_i = y_i
    unilateral  P_n = max(0, y_n)
    box         P_i = y_i clipped to [lower_i, upper_i]
    friction    P_i = y_i clipped to ± μ_i P_n
    disc        P_i = y_i shortened to the length μ_i P_n

so that F(p) = p − P(y) vanishes at solutions and nowhere else (Alart and Curnier's function [1]_).
Row i of the derivative of P has at most three entries: ``Ds`` for y_i, ``Dn`` for the y of its normal row,
``Dp`` for that of the other row of a disc.  The Newton matrix is J = 1 − D (1 − ρ A).

References
----------
.. [1] P. Alart, A. Curnier: A mixed formulation for frictional contact problems prone to Newton like solution
   methods, Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.linear_equations import eliminate
from ce_dynamics.simulation.integrators.kernels import kernel

DENSE_ROWS = 300
"""Up to here a dense matrix is faster than a sparse one whatever its pattern."""
HALVINGS = 8
"""Largest number of halvings of a step that does not make F smaller."""
SMALL_REGULAR = 1e-7
"""Added to the unit diagonal: where rows depend on each other a step hardly goes along what moves nothing."""
ALIKE = 100.0
"""Ratio of A_ii up to which the rows of a contact have one ρ."""


class MapPoint(NamedTuple):
    """P(y) and the entries of its derivative by y_i, by y of the normal row, by y of the partner."""

    P: Floats
    Ds: Floats
    Dn: Floats
    Dp: Floats


@kernel
def clip(y, lower, upper):  # type: ignore[no-untyped-def]
    """Return y within bounds, its derivative by y, and 1, −1 or 0 at the upper, lower or no bound."""
    if y >= upper:
        return upper, 0.0, 1.0
    if y <= lower:
        return lower, 0.0, -1.0
    return y, 1.0, 0.0


@kernel
def normal_impulse(n, y, kind, lower, upper):  # type: ignore[no-untyped-def]
    """Return P_n of a normal row, unilateral or a box, and its derivative by y_n."""
    value, slope, _ = clip(y[n], lower[n], upper[n]) if kind[n] == 2 else clip(y[n], 0.0, math.inf)
    return value, slope


@kernel
def natural_map(y, C, D):  # type: ignore[no-untyped-def]
    """Store P(y) and its derivative."""
    kind, normal, mu, lower, upper = C
    P, Ds, Dn, Dp = D
    i = 0
    while i < y.size:
        what = kind[i]
        Dn[i], Dp[i] = 0.0, 0.0
        if what == 0:
            P[i], Ds[i] = y[i], 1.0
        elif what == 1 or what == 2:
            P[i], Ds[i] = normal_impulse(i, y, kind, lower, upper)
        elif what == 3:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            P[i], Ds[i], side = clip(y[i], -reach, reach)
            Dn[i] = side * mu[i] * slope_n
        else:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            a, b = y[i], y[i + 1]
            length = math.sqrt(a * a + b * b)
            Dn[i + 1], Dp[i + 1] = 0.0, 0.0
            if length <= reach:
                P[i], P[i + 1] = a, b
                Ds[i] = Ds[i + 1] = 1.0 if reach > 0.0 else 0.0
            else:  # shortened along e = y / |y|: p = reach e
                factor, e, f = reach / length, a / length, b / length
                P[i], P[i + 1] = factor * a, factor * b
                Ds[i], Ds[i + 1] = factor * (1.0 - e * e), factor * (1.0 - f * f)
                Dp[i] = Dp[i + 1] = -factor * e * f
                Dn[i], Dn[i + 1] = mu[i] * slope_n * e, mu[i] * slope_n * f
            i += 1
        i += 1


@kernel
def evaluate_map(A, b, rho, C, p, y, D):  # type: ignore[no-untyped-def]
    """Evaluate the natural map at p with steps ρ for symmetric A; return Σ ((p − P)/ρ)², max |p − P|/ρ."""
    m = p.size
    for i in range(m):
        y[i] = b[i]
    for j in range(m):
        if p[j] != 0.0:
            for i in range(m):
                y[i] += A[j, i] * p[j]
    for i in range(m):
        y[i] = p[i] - rho[i] * y[i]
    natural_map(y, C, D)
    total, largest = 0.0, 0.0
    for i in range(m):
        if rho[i] == 0.0:
            continue
        f = (p[i] - D.P[i]) / rho[i]
        total += f * f
        if not abs(f) <= largest:
            largest = abs(f)
    return total, largest


@kernel
def find_direction(A, rho, C, p, D, step):  # type: ignore[no-untyped-def]
    """Compute −J⁻¹ (p − P) into ``step``, J = 1 − D (1 − ρ A); return True if J is regular.

    A row with D = 0 goes to P, as it is, and one that is moved by nothing (ρ = 0) stays: only the others,
    which are held, are unknowns.
    """
    kind, normal = C.kind, C.normal
    P, Ds, Dn, Dp = D
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
            row[n] -= (1.0 - SMALL_REGULAR) * Dn[i]
        if u != 0.0:
            for j in range(m):
                row[j] += u * A[o, j]
            row[o] -= (1.0 - SMALL_REGULAR) * Dp[i]
        row[i] += 1.0 - (1.0 - SMALL_REGULAR) * Ds[i]
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
    """Return ρ: 1/A_ii, the smallest of a contact for all its like rows; 0 for rows that move nothing."""
    for i in range(d.size):
        rho[i] = 1.0 / d[i] if d[i] > 0.0 else 0.0
    for i in range(d.size):
        if kind[i] == 4 and rho[i] > 0.0 and rho[i + 1] > 0.0:  # in the plane one of them moves nothing
            rho[i] = rho[i + 1] = min(rho[i], rho[i + 1])
    for _ in range(2):  # the smallest to the normal row, from there to all
        for i in range(d.size):
            n = normal[i]
            if n >= 0 and rho[i] < ALIKE * rho[n] and rho[n] < ALIKE * rho[i]:
                rho[n] = min(rho[n], rho[i])
                rho[i] = rho[n]


@kernel
def newton_small(A, b, d, C, p, until):  # type: ignore[no-untyped-def]
    """Solve by Newton's method with halved steps on rows of p, in place; A is symmetric.

    Rows that move nothing keep p.  ``until`` is the largest |p − P|/ρ of a solution, the number of steps, and
    that of halvings of a step.  Without halvings full steps are taken whatever becomes of F.  Returns the
    number of steps and the largest |p − P|/ρ.
    """
    aim, limit, halvings = until
    m = p.size
    rho, y = np.empty(m), np.empty(m)
    steps_of(d, C.kind, C.normal, rho)
    D = MapPoint(np.empty(m), np.empty(m), np.empty(m), np.empty(m))
    step, trial = np.empty(m), np.empty(m)
    total, largest = evaluate_map(A, b, rho, C, p, y, D)
    for count in range(limit):
        if largest <= aim:
            return count, largest
        if not find_direction(A, rho, C, p, D, step):
            return count + 1, largest
        factor, best, chosen, tried = 1.0, math.inf, 1.0, 0
        while True:
            for i in range(m):
                trial[i] = p[i] + factor * step[i]
            now, largest = evaluate_map(A, b, rho, C, trial, y, D)
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


@kernel
def residual(d, w, C, p):  # type: ignore[no-untyped-def]
    """Return the residual of impulses, see `Problem.residual`; NaN if anything is."""
    m, total, worst = p.size, 0.0, 0.0
    rho, y, D = np.empty(m), np.empty(m), MapPoint(np.empty(m), np.empty(m), np.empty(m), np.empty(m))
    steps_of(d, C.kind, C.normal, rho)
    for i in range(m):
        y[i] = p[i] - rho[i] * w[i]
    natural_map(y, C, D)
    for i in range(m):
        off = 0.0
        if rho[i] > 0.0:
            off = abs(p[i] - D.P[i]) / rho[i]
        elif C.kind[i] <= 1:
            off = abs(w[i]) if C.kind[i] == 0 else max(-w[i], 0.0)
        total += off
        worst = max(worst, off)
    return worst if total == total else math.nan  # the largest forgets a NaN, the sum does not
