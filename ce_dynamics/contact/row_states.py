"""Complementarity with friction on boxes as a linear problem: which state every row is in.

A friction row |p_f| ≤ μ p_n is written with x = p_f + μ p_n and λ,

    0 ≤ x ⊥ w_f + λ ≥ 0,    0 ≤ λ ⊥ 2 μ p_n − x ≥ 0,

a box with lower + x and the width of the box instead; bilateral rows are eliminated.  Lemke's method solves
that exactly; the impulses then follow once more from the linear equations of the states it ends in.

Complementarity problems in units in which every row counts alike.

Lemke's method for linear complementarity problems: complementary pivoting from a ray.

Find z ≥ 0 with M z + q ≥ 0 and zᵀ (M z + q) = 0.  An artificial variable z₀ makes q positive; pivots that
keep every other pair complementary drive it out.  Rows are compared lexicographically, so that degenerate
problems (friction without normal force) do not cycle [1]_.

References
----------
.. [1] R. W. Cottle, J.-S. Pang, R. E. Stone: The Linear Complementarity Problem, SIAM 2009, section 4.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.contact.conditions import Booleans, InfeasibleError, Integers, Kind
from ce_dynamics.contact.problem import Problem

RANK = 1e-12
"""Eigenvalues of A (scaled to a unit diagonal) below this share of the largest are rounding."""
CONSISTENT = 1e-9
"""Largest relative violation of conditions that counts as rounding."""


class Scaled(NamedTuple):
    """Rows scaled to a unit diagonal of A and a largest b of one.

    Attributes
    ----------
    A, b : arrays
    rows : (k,) int array
        Rows of the problem that move something.
    size : (k,) array
        p = unit * size * (scaled p).
    unit : float
    """

    A: Floats
    b: Floats
    rows: Integers
    size: Floats
    unit: float

    def impulses(self, scaled: Floats, m: int) -> Floats:
        """Return impulses of all rows of the problem."""
        p = np.zeros(m)
        p[self.rows] = self.unit * self.size * scaled
        return p


def scale_problem(problem: Problem) -> Scaled:
    """Return rows that move something, scaled.

    Raises
    ------
    InfeasibleError
        If a row that moves nothing is violated.
    """
    d, b, kind = problem.diagonal, problem.b, problem.conditions.kind
    unit = max(float(np.max(np.abs(b))), 1e-300)
    for i in np.flatnonzero(d == 0.0):
        wrong = abs(b[i]) if kind[i] == Kind.BILATERAL else -b[i] if kind[i] == Kind.UNILATERAL else 0.0
        if wrong > CONSISTENT * unit:
            raise InfeasibleError(
                f"row {i} asks for w = {b[i]:.3g} to change, but nothing it acts on can move"
            )
    rows = np.flatnonzero(d > 0.0)
    size = 1.0 / np.sqrt(d[rows])
    A = problem.delassus[np.ix_(rows, rows)] * np.outer(size, size)
    top = max(float(np.max(np.abs(size * b[rows]), initial=0.0)), 1e-300)
    return Scaled(A, size * b[rows] / top, rows, size, top)


TINY = 1e-11
"""Entries of a column that cannot be a pivot."""


def lemke(M: Floats, q: Floats, pivots: int | None = None) -> Floats | None:
    """A solution z; None if the method ends on a ray, or after so many pivots (50 per row if not given).

    For positive semidefinite M a ray means that no z ≥ 0 has M z + q ≥ 0; in general it means nothing.
    """
    n = len(q)
    if n == 0 or np.all(q >= 0.0):
        return np.zeros(n)
    # columns: w (the inverse of the basis), z, z0, right-hand side
    T = np.hstack((np.eye(n), -M, -np.ones((n, 1)), q[:, None]))
    basis = np.arange(n)
    row = int(np.argmin(q))
    entering = 2 * n
    for _ in range(50 * n + 50 if pivots is None else pivots):
        T[row] /= T[row, entering]
        factors = T[:, entering].copy()
        factors[row] = 0.0
        T -= np.outer(factors, T[row])
        leaving = basis[row]
        basis[row] = entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        found = leaving_row(T, basis, entering, n)
        if found is None:
            return None
        row = found
    return None


def leaving_row(T: Floats, basis: Integers, entering: int, n: int) -> int | None:
    """Return the row of least ratio; of several the lexicographically least, z₀ before all others."""
    column = T[:, entering]
    rows = np.flatnonzero(column > TINY * max(1.0, float(np.max(np.abs(column)))))
    if len(rows) == 0:
        return None
    for k in (2 * n + 1, *range(n)):
        ratio = T[rows, k] / column[rows]
        least = float(np.min(ratio))
        rows = rows[ratio <= least + 1e-13 * max(1.0, abs(least))]
        if k == 2 * n + 1 and np.any(basis[rows] == 2 * n):
            return int(rows[basis[rows] == 2 * n][0])
        if len(rows) == 1:
            break
    return int(rows[0])


EQUAL = 1e-9
"""Accepted residual of the scaled problem."""


class Bounded(NamedTuple):
    """Conditions of the scaled rows.

    Attributes
    ----------
    kind, normal : (k,) int arrays
        ``normal`` counts scaled rows.
    mu : (k,) array
        For scaled impulses.
    lower, upper : (k,) arrays
        Of box rows, scaled.
    """

    kind: Integers
    normal: Integers
    mu: Floats
    lower: Floats
    upper: Floats


def solve_by_states(problem: Problem) -> Floats | None:
    """Return impulses of bilateral, unilateral, box and friction rows; None if Lemke's method finds none.

    Raises
    ------
    InfeasibleError
        If a row that moves nothing is violated.
    """
    s = scale_problem(problem)
    rows = bound_rows(problem, s)
    found = by_lemke(s, rows)
    if found is None:
        return None
    best: tuple[float, Floats] | None = None
    for p in (settle_rows(s, rows, *found), found[0]):
        answer = s.impulses(p, len(problem.c))
        residual = problem.residual(answer)
        if best is None or residual < best[0]:
            best = residual, answer
    if best is None or best[0] > EQUAL * s.unit / float(np.min(s.size)):
        return None
    return best[1]


def bound_rows(problem: Problem, s: Scaled) -> Bounded:
    """Return conditions for the scaled impulses."""
    kind, normal, mu, lower, upper = problem.conditions
    place = np.full(len(kind), -1)
    place[s.rows] = np.arange(len(s.rows))
    n = np.where(normal[s.rows] >= 0, place[normal[s.rows]], -1)
    ratio = np.where(n >= 0, s.size[n], 0.0) / s.size
    scale = s.unit * s.size
    return Bounded(kind[s.rows], n, mu[s.rows] * ratio, lower[s.rows] / scale, upper[s.rows] / scale)


def by_lemke(s: Scaled, rows: Bounded) -> tuple[Floats, Booleans, Booleans] | None:
    """Return impulses and states (closed or at the upper bound; at the lower bound)."""
    k = len(s.b)
    slides, box = rows.kind >= Kind.BOX, rows.kind == Kind.BOX
    if np.any(box & ~(np.isfinite(rows.lower) & np.isfinite(rows.upper))):
        return None
    A, b, eliminated = without_bilateral(s, rows)
    kept = np.flatnonzero(rows.kind != Kind.BILATERAL)
    f = np.flatnonzero(slides[kept])
    place = np.full(k, -1)
    place[kept] = np.arange(len(kept))
    # p = E x + e
    E, e = np.eye(len(kept)), np.zeros(len(kept))
    reach = np.zeros((len(f), len(kept)))
    width = np.zeros(len(f))
    for j, i in enumerate(f):
        row = kept[i]
        if box[row]:
            e[i] = rows.lower[row]
            width[j] = rows.upper[row] - rows.lower[row]
        elif rows.normal[row] >= 0:
            n = place[rows.normal[row]]
            E[i, n] -= rows.mu[row]
            reach[j, n] = 2.0 * rows.mu[row]
            if box[rows.normal[row]]:  # its p_n is lower + x
                e[i] -= rows.mu[row] * rows.lower[rows.normal[row]]
                width[j] = 2.0 * rows.mu[row] * rows.lower[rows.normal[row]]
        reach[j, i] -= 1.0
    M = np.block([[A @ E, np.eye(len(kept))[:, f]], [reach, np.zeros((len(f), len(f)))]])
    z = lemke(M, np.concatenate((A @ e + b, width)))
    if z is None:
        return None
    x, lam = z[: len(kept)], z[len(kept) :]
    p = np.zeros(k)
    p[kept] = E @ x + e
    p[rows.kind == Kind.BILATERAL] = eliminated(p[kept])
    up, down = np.zeros(k, dtype=bool), np.zeros(k, dtype=bool)
    up[kept] = x > 0.0
    for j, i in enumerate(f):
        row = kept[i]
        up[row] = lam[j] > 0.0
        down[row] = not up[row] and x[i] <= 0.0
    return p, up, down


def without_bilateral(s: Scaled, rows: Bounded) -> tuple[Floats, Floats, Callable[[Floats], Floats]]:
    """A and b of the other rows once bilateral ones are fulfilled, and the impulses of these for theirs."""
    e = np.flatnonzero(rows.kind == Kind.BILATERAL)
    o = np.flatnonzero(rows.kind != Kind.BILATERAL)
    inverse = np.linalg.pinv(s.A[np.ix_(e, e)], rcond=RANK, hermitian=True) if len(e) else np.zeros((0, 0))
    cross = s.A[np.ix_(o, e)]

    def impulses(p: Floats) -> Floats:
        return np.asarray(-inverse @ (s.b[e] + cross.T @ p))

    return s.A[np.ix_(o, o)] - cross @ inverse @ cross.T, s.b[o] - cross @ inverse @ s.b[e], impulses


def settle_rows(s: Scaled, rows: Bounded, p: Floats, up: Booleans, down: Booleans) -> Floats:
    """Return impulses that fulfil the equations of the chosen states to rounding, nearest to those given."""
    k = len(p)
    slides = rows.kind >= Kind.BOX
    K, r = s.A.copy(), -s.b.copy()  # w = 0: bilateral, closed, sticking
    for i in range(k):
        if rows.kind[i] == Kind.UNILATERAL and not up[i]:
            K[i], r[i] = np.eye(k)[i], 0.0
        elif slides[i] and (up[i] or down[i]):
            K[i] = np.eye(k)[i]
            sign = 1.0 if up[i] else -1.0
            if rows.kind[i] == Kind.BOX:
                r[i] = rows.upper[i] if up[i] else rows.lower[i]
            else:
                K[i, rows.normal[i]] -= sign * rows.mu[i]
                r[i] = 0.0
    correction = least_squares(K, r - K @ p, rcond=RANK)
    better = p + correction
    unilateral = rows.kind == Kind.UNILATERAL
    return np.asarray(np.where(unilateral, np.maximum(better, 0.0), better))
