"""Solutions to rounding: by least distance without friction, else by the chain; or a proof of contradiction.

Without friction the problem is the optimality condition of

    minimise ½ (v⁺ − v)ᵀ M (v⁺ − v)   subject to   Gᵀ v⁺ + c ≥ 0  (= 0 for bilateral rows)

(Gauss's principle).  With A = H Hᵀ it asks for the x of least length with H x + b ≥ 0, which Lawson and
Hanson reduce to non-negative least squares [1]_.  v⁺ is unique because M is positive definite, and so is w;
p need not be.

Friction makes the problem non-convex: `Chain` solves it to rounding.  `InfeasibleError` is raised only with
a certificate, `ConvergenceError` where there is neither a solution nor a certificate.

References
----------
.. [1] C. L. Lawson, R. J. Hanson: Solving Least Squares Problems, SIAM 1995, chapter 23.

Certificates that no velocity satisfies all conditions (Farkas).

If y with y_i ≥ 0 for unilateral rows has G y = 0 and cᵀ y < 0, then wᵀ y = v⁺ᵀ G y + cᵀ y < 0 for every v⁺,
while w ≥ 0 (w = 0 for bilateral rows) asks for wᵀ y ≥ 0.  Friction does not matter for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares, singular_values_and_vectors
from ce_dynamics.contact.conditions import (
    Booleans,
    Conditions,
    ConvergenceError,
    InfeasibleError,
    Kind,
    SparseRows,
)
from ce_dynamics.contact.problem import Problem, Solution

PROVES = 1e-7
"""Least −cᵀ y for |y| ≤ 1 and rows and c scaled to one that counts."""
CLOSED = 1e-12
"""Largest entry of G y, rows scaled to one."""


def certificate(problem: Problem) -> Floats | None:
    """y, (m,), if there is one; None means nothing for the problem but that contradictions are none."""
    kind = problem.conditions.kind
    chosen = np.flatnonzero(kind <= Kind.UNILATERAL)
    if len(chosen) == 0:
        return None
    GT = sp.csr_matrix(
        (problem.GT.values, problem.GT.columns, problem.GT.starts),
        shape=(problem.GT.height, problem.GT.width),
    )[chosen]
    size = np.sqrt(np.asarray(GT.multiply(GT).sum(axis=1)).ravel())
    # rows that are nothing but rounding are zero
    size = np.where(size > 1e-14 * np.max(size, initial=0.0), size, np.inf)
    scale = np.where(np.isfinite(size), 1.0 / size, 0.0)
    rows = sp.diags(scale) @ GT
    c = problem.c[chosen] * np.where(scale > 0.0, scale, 1.0)
    unit = float(np.max(np.abs(c), initial=0.0))
    if unit == 0.0:
        return None
    low = np.where(kind[chosen] == Kind.BILATERAL, -1.0, 0.0)
    done = linprog(
        c / unit,
        A_eq=rows.toarray().T,
        b_eq=np.zeros(problem.GT.width),
        bounds=[(float(least), 1.0) for least in low],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if done.x is None or not c @ done.x < -PROVES * unit:
        return None
    z = close_support(rows.toarray(), np.asarray(done.x), low)
    if z is None or not c @ z < -PROVES * unit:
        return None
    y = np.zeros(len(problem.c))
    y[chosen] = z * np.where(scale > 0.0, scale, 1.0)
    return y


def close_support(rows: Floats, y: Floats, low: Floats) -> Floats | None:
    """Return the y with G y = 0 to rounding, of the same support; None if there is none so near."""
    support = np.flatnonzero(np.abs(y) > 1e-9)
    G = rows[support].T
    z = np.zeros(len(y))
    z[support] = y[support] - least_squares(G, G @ y[support], rcond=None)
    good = np.max(np.abs(rows.T @ z), initial=0.0) <= CLOSED and np.all(z >= np.minimum(low, 0.0) * 2.0)
    return z if good and np.all(z[low == 0.0] >= 0.0) else None


DECIDED = 1e-10
"""Share of a row that bilateral rows must leave undecided for it to matter."""


@dataclass(frozen=True)
class Exact:
    """Solve to rounding.

    Parameters
    ----------
    tolerance : float
        Residual relative to the largest entry of Gᵀ v + c above which a solution does not count as one.
    """

    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        checks.number("Exact: tolerance", self.tolerance, above=0.0)

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Solve; the start only helps with friction.

        Raises
        ------
        InfeasibleError
            If no velocity satisfies all conditions, which a certificate proves.
        ConvergenceError
            If no solution was found; whether there is one is not known.
        """
        if len(problem.c) == 0:
            return problem.solution(np.zeros(0), "exact")
        scale = max(float(np.max(np.abs(problem.b))), 1e-300)
        if not problem.conditions.has_friction:
            p = solve_least_distance(problem)
            return problem.solution(p, "least distance", 0, self.tolerance * scale)
        return solve_by_chain(problem, start, self.tolerance * scale)


def solve_by_chain(problem: Problem, start: Floats | None, allowance: float) -> Solution:
    """Return the solution of a chain, with a residual of at most the allowance and rounding.

    Raises
    ------
    InfeasibleError, ConvergenceError
        As `Exact.solve`.
    """
    from ce_dynamics.contact.solvers.chain import Chain  # here, because most runs never ask

    solution = Chain(1e-13).solve(problem, start)
    if solution.residual > allowance + problem.rounding:
        refuse_if_infeasible(problem)
        raise ConvergenceError(
            f"no solution was found, the best point leaves {solution.residual:.3g}; the conditions of the"
            " normal rows do not contradict each other, so that friction may jam or none was met"
        )
    return problem.solution(solution.p, solution.method, solution.sweeps, allowance)


def refuse_if_infeasible(problem: Problem) -> None:
    """Raise if a certificate proves that there is no solution.

    Raises
    ------
    InfeasibleError
        Naming the rows that contradict each other.
    """
    y = certificate(problem)
    if y is not None:
        rows = [int(i) for i in np.flatnonzero(np.abs(y) > 1e-9 * np.max(np.abs(y)))]
        raise InfeasibleError(
            f"the conditions of rows {rows} contradict each other; no velocity satisfies all of them"
        )


RANK = 1e-12
"""Eigenvalues of A (scaled to a unit diagonal) below this share of the largest are rounding."""
CONSISTENT = 1e-9
"""Largest relative violation of conditions that counts as rounding."""


def solve_least_distance(problem: Problem) -> Floats:
    """Return impulses of bilateral and unilateral rows, from rows in units in which all count alike.

    Raises
    ------
    InfeasibleError
        If no velocity satisfies all conditions, as where a row that moves nothing is violated.
    """
    d, b, kind = problem.diagonal, problem.b, problem.conditions.kind
    unit = max(float(np.max(np.abs(b))), 1e-300)
    for i in np.flatnonzero(d == 0.0):
        wrong = abs(b[i]) if kind[i] == Kind.BILATERAL else -b[i]
        if wrong > CONSISTENT * unit:
            raise InfeasibleError(
                f"row {i} asks for w = {b[i]:.3g} to change, but nothing it acts on can move"
            )
    rows = np.flatnonzero(d > 0.0)
    size = 1.0 / np.sqrt(d[rows])
    top = max(float(np.max(np.abs(size * b[rows]), initial=0.0)), 1e-300)
    eigenvalues, Q = np.linalg.eigh(problem.delassus[np.ix_(rows, rows)] * np.outer(size, size))
    kept = eigenvalues > RANK * max(eigenvalues[-1], 1e-300) if len(eigenvalues) else slice(0)
    H = Q[:, kept] * np.sqrt(eigenvalues[kept])
    p = np.zeros(len(b))
    p[rows] = top * size * least_distance(H, size * b[rows] / top, kind[rows] == Kind.BILATERAL)
    return p


def least_distance(H: Floats, b: Floats, bilateral: Booleans) -> Floats:
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
    x0 = least_squares(H[e], -b[e], rcond=RANK) if len(e) else np.zeros(H.shape[1])
    if len(e) and np.max(np.abs(H[e] @ x0 + b[e])) > CONSISTENT * (1.0 + np.max(np.abs(b[e]))):
        raise InfeasibleError("bilateral conditions contradict each other; no velocity satisfies all of them")
    N = null_space(H[e]) if len(e) else np.eye(H.shape[1])
    lam = np.zeros(len(b))
    if len(u):
        HN, given = H[u] @ N, b[u] + H[u] @ x0
        length = np.linalg.norm(HN, axis=1)
        kept = length > DECIDED  # what the bilateral rows leave to decide; rows have unit length before
        if np.any(given[~kept] < -CONSISTENT):
            raise InfeasibleError(
                "a unilateral condition contradicts the bilateral ones; no velocity satisfies all"
            )
        scale = 1.0 / length[kept]
        lam[u[kept]] = scale * least_distance_inequalities(HN[kept] * scale[:, None], given[kept] * scale)
    if len(e):
        x = x0 + N @ (N.T @ (H[u].T @ lam[u]))
        lam[e] = least_squares(H[e].T, x - H[u].T @ lam[u], rcond=RANK)
    return lam


def least_distance_inequalities(H: Floats, b: Floats) -> Floats:
    """Return multipliers for minimise ½|y|² subject to H y + b ≥ 0, by non-negative least squares.

    SciPy's routine fails now and then where rows depend on each other, so that its answer is judged by the
    conditions themselves; the chain solves what it does not.
    """
    from scipy.optimize import nnls  # here, because most runs never ask

    m, r = H.shape
    if np.all(b >= 0.0):
        return np.zeros(m)
    # minimise |E u − f| for u ≥ 0, E = [Hᵀ; −bᵀ], f = (0, 1); then λ = u / |E u − f|²
    E = np.vstack((H.T, -b))
    f = np.append(np.zeros(r), 1.0)
    u = np.asarray(nnls(E, f, maxiter=100 * m + 100)[0])
    distance = float(np.linalg.norm(E @ u - f))
    if distance > CONSISTENT:
        lam = refine(H, b, u / distance**2, u > 0.0)
        w = H @ (H.T @ lam) + b
        if np.max(np.abs(np.minimum(lam, w))) <= CONSISTENT:
            return lam
    rows = SparseRows.dense(H)
    problem = Problem(rows, rows, np.zeros(r), b, Conditions.of([Kind.UNILATERAL] * m))
    return np.maximum(solve_by_chain(problem, None, CONSISTENT).p, 0.0)


def refine(H: Floats, b: Floats, lam: Floats, active: Booleans) -> Floats:
    """Return the same multipliers to rounding: the active rows solved as equations, where signs allow it."""
    A = H[active] @ H[active].T
    better = np.zeros(len(lam))
    better[active] = lam[active] - least_squares(A, A @ lam[active] + b[active], rcond=RANK)
    return better if np.all(better >= 0.0) else lam


def null_space(A: Floats) -> Floats:
    """Orthonormal columns N with A N = 0."""
    if A.shape[0] == 0:
        return np.eye(A.shape[1])
    _, s, Vt = singular_values_and_vectors(A)
    rank = int(np.sum(s > RANK * max(s[0], 1e-300))) if len(s) else 0
    return np.asarray(Vt[rank:].T)
