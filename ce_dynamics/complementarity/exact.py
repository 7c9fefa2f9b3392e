"""Exact solvers: the complementarity problem as a least-distance problem, or by choosing row states.

Without friction the problem is the optimality condition of

    minimise ½ (v⁺ − v)ᵀ M (v⁺ − v)   subject to   Gᵀ v⁺ + c ≥ 0  (= 0 for bilateral rows)

(Gauss's principle).  With A = H Hᵀ it asks for the x of least length with H x + b ≥ 0, which Lawson and
Hanson reduce to non-negative least squares [1]_.  v⁺ is unique because M is positive definite, and so is w;
p need not be.

Friction makes the problem non-convex: each row is in one of its states (open or closed; sticking or sliding
either way), which a mixed-integer program chooses.  That is exact but grows exponentially; it serves to judge
faster solvers on small problems.

References
----------
.. [1] C. L. Lawson, R. J. Hanson: Solving Least Squares Problems, SIAM 1995, chapter 23.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ce_dynamics.checks import Floats
from ce_dynamics.complementarity.errors import InfeasibleError
from ce_dynamics.complementarity.problem import Integers, Kind, Problem, Solution
from ce_dynamics.errors import ModelError

RANK = 1e-12
"""Eigenvalues of A (scaled to a unit diagonal) below this share of the largest are rounding."""
CONSISTENT = 1e-9
"""Largest relative violation of conditions that counts as rounding."""


@dataclass(frozen=True)
class Exact:
    """Solve to rounding.

    Parameters
    ----------
    tolerance : float
        Residual relative to the largest entry of Gᵀ v + c above which a solution does not count as one.
    """

    tolerance: float = 1e-9

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Solve; the start does not matter.

        Raises
        ------
        InfeasibleError
            If no velocity satisfies all conditions.
        ModelError
            For friction on a disc, which has no linear form.
        """
        if len(problem.c) == 0:
            return problem.solution(np.zeros(0), "exact")
        if problem.conditions.has_friction:
            from ce_dynamics.complementarity.row_states import solve_by_states

            if np.any(problem.conditions.kind == Kind.DISC_1):
                raise ModelError("the exact solver knows friction on a box only; use Gauss–Seidel for discs")
            p, method = solve_by_states(problem), "row states"
        else:
            p, method = solve_least_distance(problem), "least distance"
        scale = max(float(np.max(np.abs(problem.b))), 1e-300)
        return problem.solution(p, method, tolerance=self.tolerance * scale)


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
        """Impulses of all rows of the problem."""
        p = np.zeros(m)
        p[self.rows] = self.unit * self.size * scaled
        return p


def scaled(problem: Problem) -> Scaled:
    """Rows that move something, scaled.

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
            raise InfeasibleError(f"row {i} asks for w = {b[i]:.3g} to change, but nothing it acts on can move")
    rows = np.flatnonzero(d > 0.0)
    size = 1.0 / np.sqrt(d[rows])
    A = problem.delassus[np.ix_(rows, rows)] * np.outer(size, size)
    top = max(float(np.max(np.abs(size * b[rows]), initial=0.0)), 1e-300)
    return Scaled(A, size * b[rows] / top, rows, size, top)


def solve_least_distance(problem: Problem) -> Floats:
    """Impulses of bilateral and unilateral rows."""
    s = scaled(problem)
    eigenvalues, Q = np.linalg.eigh(s.A)
    kept = eigenvalues > RANK * max(eigenvalues[-1], 1e-300) if len(eigenvalues) else slice(0)
    H = Q[:, kept] * np.sqrt(eigenvalues[kept])
    bilateral = problem.conditions.kind[s.rows] == Kind.BILATERAL
    return s.impulses(least_distance(H, s.b, bilateral), len(problem.c))


def least_distance(H: Floats, b: Floats, bilateral: Floats) -> Floats:
    """Multipliers λ of: minimise ½|x|² subject to H x + b = 0 (bilateral rows) or ≥ 0 (others); x = Hᵀ λ.

    Parameters
    ----------
    H : (m, r) array
    b : (m,) array
    bilateral : (m,) bool array

    Raises
    ------
    InfeasibleError
        If no x satisfies the conditions.
    """
    e = np.flatnonzero(bilateral)
    u = np.flatnonzero(np.logical_not(bilateral))
    x0 = np.linalg.lstsq(H[e], -b[e], rcond=RANK)[0] if len(e) else np.zeros(H.shape[1])
    if len(e) and np.max(np.abs(H[e] @ x0 + b[e])) > CONSISTENT * (1.0 + np.max(np.abs(b[e]))):
        raise InfeasibleError("bilateral conditions contradict each other; no velocity satisfies all of them")
    N = null_space(H[e]) if len(e) else np.eye(H.shape[1])
    lam = np.zeros(len(b))
    if len(u):
        lam[u] = least_distance_inequalities(H[u] @ N, b[u] + H[u] @ x0)
    if len(e):
        x = x0 + N @ (N.T @ (H[u].T @ lam[u]))
        lam[e] = np.linalg.lstsq(H[e].T, x - H[u].T @ lam[u], rcond=RANK)[0]
    return lam


def least_distance_inequalities(H: Floats, b: Floats) -> Floats:
    """Multipliers for minimise ½|y|² subject to H y + b ≥ 0, by non-negative least squares."""
    from scipy.optimize import nnls

    m, r = H.shape
    if np.all(b >= 0.0):
        return np.zeros(m)
    # minimise |E u − f| for u ≥ 0, E = [Hᵀ; −bᵀ], f = (0, 1); then λ = u / (1 + bᵀ u)
    E = np.vstack((H.T, -b))
    f = np.append(np.zeros(r), 1.0)
    u, distance = nnls(E, f, maxiter=30 * m + 100)
    if distance <= CONSISTENT:
        raise InfeasibleError(
            "unilateral conditions contradict each other; no velocity satisfies all of them"
        )
    return refined(H, b, u / distance**2, u > 0.0)


def refined(H: Floats, b: Floats, lam: Floats, active: Floats) -> Floats:
    """The same multipliers to rounding: the active rows solved as equations, where signs allow it."""
    A = H[active] @ H[active].T
    better = np.zeros(len(lam))
    better[active] = lam[active] - np.linalg.lstsq(A, A @ lam[active] + b[active], rcond=RANK)[0]
    return better if np.all(better >= 0.0) else lam


def null_space(A: Floats) -> Floats:
    """Orthonormal columns N with A N = 0."""
    if A.shape[0] == 0:
        return np.eye(A.shape[1])
    _, s, Vt = np.linalg.svd(A)
    rank = int(np.sum(s > RANK * max(s[0], 1e-300))) if len(s) else 0
    return np.asarray(Vt[rank:].T)
