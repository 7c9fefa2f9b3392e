"""Semismooth Newton on the natural map, for few rows in machine code, and its proximal variant.

The Newton matrix is J = 1 − D (1 − A), with D the derivative of P.  Where impulses are not unique J is
singular; the proximal variant solves, for ever smaller ε,

    w = (A + ε) x + b − ε x_k,   x_{k+1} = x,

whose fixed points are the solutions themselves: nothing is softened in the end.  It ends a search that is
near a solution.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.linear_equations import eliminate
from ce_dynamics.contact.solvers.rows import DENSE_ROWS, MapPoint, ScaledRows, natural_map, to_csr
from ce_dynamics.simulation.integrators.kernels import kernel

HALVINGS = 8
"""Largest number of halvings of a step that does not make F smaller."""
STALLED = 5
"""Steps in a row without a smaller |F| that end an iteration."""
INNER = 15
"""Newton steps to one proximal point."""
SMALL_REGULAR = 1e-7
"""Added to the unit diagonal: where rows depend on each other a step hardly goes along what moves nothing."""
ALIKE = 100.0
"""Ratio of A_ii up to which the rows of a contact have one ρ."""


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


# Proximal points of the natural map


class IterationResult(NamedTuple):
    """Result of an iteration.

    Attributes
    ----------
    x : (m,) array
    gap : float
        Largest entry of |F|.
    steps : int
        Linear systems solved.
    """

    x: Floats
    gap: float
    steps: int


def proximal(
    rows: ScaledRows,
    x: Floats,
    *,
    steps: int,
    tolerance: float,
    epsilon: float = 1e-4,
    deadline: float = math.inf,
) -> IterationResult:
    """Follow proximal points from x: ε shrinks where Newton's method finds one and grows where it does not.

    Parameters
    ----------
    rows : Rows
    x : (m,) array
        Start.
    steps : int
        Linear systems, about.
    tolerance : float
        Of the largest entry of |F|.
    epsilon : float
        The first ε.
    deadline : float
        `time.thread_time` at which to stop.
    """
    best, smallest = x, float(np.max(np.abs(rows.gap(x)), initial=0.0))
    count = failed = 0
    find = find_small_point if rows.dense and len(rows) <= 2 * DENSE_ROWS else find_sparse_point
    while count < steps and failed < 3 and time.thread_time() < deadline:
        inner = find(rows, x, epsilon, 0.1 * tolerance)
        count += max(1, inner.steps)
        gap = float(np.max(np.abs(rows.gap(inner.x))))
        if gap < smallest:
            best, smallest = inner.x, gap
        if smallest <= tolerance:
            break
        if inner.gap <= max(0.1 * tolerance, 1e-13, 0.1 * gap):
            if (smallest < 1e-12 or inner.steps == 0) and gap >= smallest:
                break  # rounding
            x, epsilon, failed = inner.x, max(0.2 * epsilon, 1e-10), 0
        else:
            epsilon, failed = 10.0 * epsilon, failed + 1
    return IterationResult(best, smallest, count)


def find_small_point(rows: ScaledRows, centre: Floats, epsilon: float, tolerance: float) -> IterationResult:
    """Return the proximal point around ``centre``, of few rows."""
    A = rows.A + epsilon * np.eye(len(rows))
    x, b, d = centre.copy(), rows.b - epsilon * centre, A.diagonal().copy()
    count, gap = newton_small(A, b, d, rows.conditions, x, (tolerance, INNER, HALVINGS))
    return (
        IterationResult(x, gap, count) if np.all(np.isfinite(x)) else IterationResult(centre, math.inf, count)
    )


def find_sparse_point(rows: ScaledRows, centre: Floats, epsilon: float, tolerance: float) -> IterationResult:
    """Return the proximal point around ``centre``, of many rows."""
    A = to_csr(rows.A)

    def evaluate(x: Floats) -> tuple[Floats, MapPoint]:
        D = rows.map(x - rows.w(x) - epsilon * (x - centre))
        return x - D.P, MapPoint(*(part.copy() for part in D))

    x = centre
    F, D = evaluate(x)
    best, smallest, stalled = x, float(np.max(np.abs(F), initial=0.0)), 0
    for count in range(INNER):
        if smallest <= tolerance or stalled == STALLED:
            return IterationResult(best, smallest, count)
        held, starts, columns, values, right = held_system(
            (A.indptr, A.indices, A.data), D, rows.normal_of, rows.partner, F, epsilon
        )
        step = -F
        if len(held):
            J = sp.csr_matrix((values, columns, starts), shape=(len(held), len(held)))
            try:
                step[held] = splu(J.tocsc()).solve(right)
            except RuntimeError:  # singular
                return IterationResult(best, smallest, count + 1)
        if not np.all(np.isfinite(step)):
            return IterationResult(best, smallest, count + 1)
        size, factor = float(F @ F), 1.0
        tried = (math.inf, x, F, D)
        for _ in range(HALVINGS):
            there = x + factor * step
            F, D = evaluate(there)
            reached = float(F @ F)
            if reached < tried[0]:
                tried = (reached, there, F, D)
            if reached < (1.0 - 1e-4 * factor) * size:
                break
            factor *= 0.5
        _, x, F, D = tried
        now = float(np.max(np.abs(F)))
        stalled += 1
        if now < smallest:
            best, smallest, stalled = x, now, 0
        elif smallest < 1e-12:  # rounding
            return IterationResult(best, smallest, count + 1)
    return IterationResult(best, smallest, INNER)


@kernel
def held_system(A, D, normal_of, partner, F, epsilon):  # type: ignore[no-untyped-def]
    """Assemble J = 1 − D + D (A + ε) of the rows with D ≠ 0, and −F less the contributions of the others.

    J of a row with D = 0 is that of 1: its step is −F.  Returns the numbers of the held rows, J in CSR form
    (columns of a row in no order) and the right-hand side.
    """
    starts, columns, values = A
    _, Ds, Dn, Dp = D
    m = F.size
    number = np.empty(m, np.int64)
    count, most = 0, 0
    for i in range(m):
        if Ds[i] != 0.0 or Dn[i] != 0.0 or Dp[i] != 0.0:
            number[i] = count
            count += 1
            most += 3
            for row in (i, normal_of[i], partner[i]):
                most += starts[row + 1] - starts[row]
        else:
            number[i] = -1
    held, right = np.empty(count, np.int64), np.empty(count)
    J_starts, J_columns, J_values = np.zeros(count + 1, np.int32), np.empty(most, np.int32), np.empty(most)
    place = np.full(m, -1)  # of a column among the entries of the row at hand
    n = 0
    for i in range(m):
        if number[i] < 0:
            continue
        held[number[i]] = i
        total, first = -F[i], n
        for term in range(3):
            row = i if term == 0 else normal_of[i] if term == 1 else partner[i]
            weight = Ds[i] if term == 0 else Dn[i] if term == 1 else Dp[i]
            if term > 0 and weight == 0.0:
                continue
            for k in range(starts[row], starts[row + 1] + 1):
                if k < starts[row + 1]:
                    j, entry = columns[k], weight * values[k]
                else:  # of 1 − (1 − ε) D
                    j, entry = row, (1.0 if term == 0 else 0.0) - (1.0 - epsilon) * weight
                if number[j] < 0:
                    total += entry * F[j]
                elif place[j] >= first:
                    J_values[place[j]] += entry
                else:
                    place[j] = n
                    J_columns[n], J_values[n] = number[j], entry
                    n += 1
        right[number[i]] = total
        J_starts[number[i] + 1] = n
    return held, J_starts, J_columns[:n], J_values[:n], right
