"""Semismooth Newton on the natural map, and its proximal variant for rows that are held more than once.

The Newton matrix is J = 1 − D (1 − A), with D the derivative of P.  Where impulses are not unique J is
singular; the proximal variant solves, for ever smaller ε,

    w = (A + ε) x + b − ε x_k,   x_{k+1} = x,

whose fixed points are the solutions themselves: nothing is softened in the end.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.solvers.held_rows import held_system
from ce_dynamics.complementarity.solvers.rows import Rows

REGULAR = 1e-12
"""Added to the unit diagonal, so that dependent rows do not stop the elimination."""
HALVINGS = 8
"""Largest number of halvings of a step that does not make F smaller."""
STALLED = 5
"""Steps in a row without a smaller |F| that end an iteration."""


class Found(NamedTuple):
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


def newton_matrix(rows: Rows, D: tuple[Floats, Floats, Floats], epsilon: float) -> Any:
    """1 − D + D (A + ε), dense or CSR as A is."""
    Ds, Dn, Dp = D
    m = len(rows)
    own = np.arange(m)
    if rows.dense:
        J = Ds[:, None] * rows.A
        tied = np.flatnonzero(Dn)
        J[tied] += Dn[tied, None] * rows.A[rows.normal_of[tied]]
        J[own, rows.normal_of] -= (1.0 - epsilon) * Dn
        tied = np.flatnonzero(Dp)
        J[tied] += Dp[tied, None] * rows.A[rows.partner[tied]]
        J[own, rows.partner] -= (1.0 - epsilon) * Dp
        J[own, own] += 1.0 - (1.0 - epsilon) * Ds
        return J
    entries = np.concatenate((Ds, Dn, Dp))
    places = (np.concatenate((own, own, own)), np.concatenate((own, rows.normal_of, rows.partner)))
    matrix = sp.csr_matrix((entries, places), shape=(m, m))
    return sp.csr_matrix(sp.identity(m) - (1.0 - epsilon) * matrix + matrix @ rows.A)


def solved(J: Any, right: Floats) -> Floats | None:
    """J⁻¹ right; None where J is singular."""
    try:
        if isinstance(J, np.ndarray):
            lu, pivots, info = la.lapack.dgetrf(J)
            if info != 0:
                return None
            x = la.lapack.dgetrs(lu, pivots, right)[0]
        else:
            x = splu(J.tocsc()).solve(right)
    except RuntimeError:  # exactly singular
        return None
    return x if np.all(np.isfinite(x)) else None


def direction(rows: Rows, D: tuple[Floats, Floats, Floats], F: Floats, epsilon: float) -> Floats | None:
    """−J⁻¹ F; rows without impulse (D = 0) are eliminated before."""
    if not rows.dense:
        return sparse_direction(rows, D, F, epsilon)
    J = newton_matrix(rows, D, epsilon)
    held = (D[0] != 0.0) | (D[1] != 0.0) | (D[2] != 0.0)
    count = int(np.count_nonzero(held))
    if count > 0.9 * len(F):
        return solved(J, -F)
    step = -F.copy()
    if count:
        chosen = np.flatnonzero(held)
        part = J[chosen]
        right = step[chosen] - part[:, np.flatnonzero(~held)] @ step[~held]
        inner = solved(part[:, chosen], right)
        if inner is None:
            return None
        step[chosen] = inner
    return step


def sparse_direction(
    rows: Rows, D: tuple[Floats, Floats, Floats], F: Floats, epsilon: float
) -> Floats | None:
    """−J⁻¹ F of a sparse A."""
    A = rows.A
    held, starts, columns, values, right = held_system(
        A.indptr, A.indices, A.data, *D, rows.normal_of, rows.partner, F, epsilon
    )
    step = -F
    if len(held):
        inner = solved(sp.csr_matrix((values, columns, starts), shape=(len(held), len(held))), right)
        if inner is None:
            return None
        step[held] = inner
    return step


def newton(
    rows: Rows,
    x: Floats,
    *,
    steps: int = 20,
    tolerance: float = 1e-14,
    epsilon: float = REGULAR,
    sigma: float = 0.0,
    centre: Floats | None = None,
    deadline: float = math.inf,
) -> Found:
    """Newton's method with halved steps, the best point kept.

    Parameters
    ----------
    rows : Rows
    x : (m,) array
        Start.
    steps : int
        At most.
    tolerance : float
        Of the largest entry of |F|.
    epsilon : float
        Proximal term if there is a centre, else of the matrix only.
    sigma : float
        Width of the smoothing.
    centre : (m,) array, optional
        x_k of the proximal variant.
    deadline : float
        `time.thread_time` at which to stop.
    """
    pull = 0.0 if centre is None else epsilon

    def evaluate(x: Floats) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
        w = rows.w(x)
        if centre is not None:
            w += pull * (x - centre)
        P, *D = rows.map(x - w, sigma)
        return x - P, (D[0].copy(), D[1].copy(), D[2].copy())

    F, D = evaluate(x)
    best, smallest = x, float(np.max(np.abs(F), initial=0.0))
    stalled = 0
    for count in range(steps):
        if smallest <= tolerance or stalled == STALLED or time.thread_time() > deadline:
            return Found(best, smallest, count)
        step = direction(rows, D, F, epsilon)
        if step is None:
            return Found(best, smallest, count + 1)
        size, factor = float(F @ F), 1.0
        tried: tuple[float, float] = (np.inf, 1.0)
        for _ in range(HALVINGS):
            F, D = evaluate(x + factor * step)
            reached = float(F @ F)
            if reached < tried[0]:
                tried = (reached, factor)
            if reached < (1.0 - 1e-4 * factor) * size:
                break
            factor *= 0.5
        if factor != tried[1]:
            F, D = evaluate(x + tried[1] * step)
        x = x + tried[1] * step
        now = float(np.max(np.abs(F)))
        stalled += 1
        if now < smallest:
            best, smallest, stalled = x, now, 0
        elif smallest < 1e-12:  # rounding
            return Found(best, smallest, count + 1)
    return Found(best, smallest, steps)


def proximal(
    rows: Rows,
    x: Floats,
    *,
    epsilon: float = 1e-4,
    steps: int = 60,
    tolerance: float = 1e-14,
    deadline: float = math.inf,
) -> Found:
    """Proximal Newton: ε shrinks where the inner iteration converges and grows where it does not."""
    best, smallest = x, float(np.max(np.abs(rows.gap(x)), initial=0.0))
    count = failed = 0
    while count < steps and failed < 3 and time.thread_time() < deadline:
        inner = newton(
            rows, x, steps=15, tolerance=0.1 * tolerance, epsilon=epsilon, centre=x, deadline=deadline
        )
        count += inner.steps
        gap = float(np.max(np.abs(rows.gap(inner.x))))
        if gap < smallest:
            best, smallest = inner.x, gap
        if smallest <= tolerance:
            break
        if inner.gap <= max(0.1 * tolerance, 1e-13, 0.1 * gap):
            if smallest < 1e-12 and gap >= smallest:
                break  # rounding
            x, epsilon, failed = inner.x, max(0.2 * epsilon, 1e-10), 0
        else:
            epsilon, failed = 10.0 * epsilon, failed + 1
    return Found(best, smallest, count)
