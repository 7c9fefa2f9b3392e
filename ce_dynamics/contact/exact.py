"""Solutions to rounding, certificates that there is none, and uniqueness of a solution.

`InfeasibleError` is raised only with a certificate, `ConvergenceError` where there is neither a solution nor
a certificate.  Without friction v⁺ and w are unique, because M is positive definite; p need not be.

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
    Conditions,
    ConvergenceError,
    InfeasibleError,
    Integers,
    Kind,
    bounds,
)
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.contact.solvers.chain import Chain, solve_quickly
from ce_dynamics.errors import ModelError

PROVES = 1e-7
"""Least −cᵀ y for |y| ≤ 1 and rows and c scaled to one that counts."""
CLOSED = 1e-12
"""Largest entry of G y, rows scaled to one."""


def find_certificate(problem: Problem) -> Floats | None:
    """Return y, (m,), if there is one; without one the problem may still have no solution."""
    kind = problem.conditions.kind
    chosen = np.flatnonzero(kind <= Kind.UNILATERAL)
    if len(chosen) == 0:
        return None
    GT = problem.GT[chosen]
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
        b_eq=np.zeros(problem.GT.shape[1]),
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
        """Solve, from impulses near the solution if there are any.

        Raises
        ------
        InfeasibleError
            If no velocity satisfies all conditions, which a certificate proves.
        ConvergenceError
            If no solution was found; whether there is one is not known.
        """
        allowance = self.tolerance * float(np.max(np.abs(problem.b), initial=0.0))
        chain = Chain(1e-13)
        found = solve_quickly(problem, start, chain.tolerance * problem.speed)
        if not found.converged:
            refuse_if_infeasible(problem)
            found = chain.solve_thoroughly(problem, found.p)
        if found.residual > allowance + problem.rounding:
            raise ConvergenceError(
                f"no solution was found, the best point leaves {found.residual:.3g}; the conditions of the"
                " normal rows do not contradict each other, so that friction may jam or none was met"
            )
        return problem.solution(found.p, found.method, found.sweeps, allowance)


def refuse_if_infeasible(problem: Problem) -> None:
    """Raise `InfeasibleError`, naming rows, if a certificate proves that there is no solution."""
    y = find_certificate(problem)
    if y is not None:
        rows = [int(i) for i in np.flatnonzero(np.abs(y) > 1e-9 * np.max(np.abs(y)))]
        raise InfeasibleError(
            f"the conditions of rows {rows} contradict each other; no velocity satisfies all of them"
        )


RANK = 1e-12
"""Singular values below this share of the largest are rounding."""
ZERO = 1e-9
"""Share of the largest w or p below which an entry counts as zero."""


@dataclass(frozen=True, eq=False)
class Uniqueness:
    """Report about a solution.

    Attributes
    ----------
    w_unique : bool
        Whether w and v⁺ are the only ones: certain for bilateral, unilateral and box rows, where A is
        positive semidefinite and the problem convex; not claimed with friction.
    p_unique : bool
        Whether the impulses are the only ones for this w (given the others' friction bounds).
    null_space : (m, k) array
        Impulses of the rows with w = 0 that move nothing: G d = 0, orthonormal.
    lowest, highest : (m,) arrays
        Smallest and largest impulse of every row over all solutions with this w; infinite where internal
        forces are unlimited.
    """

    w_unique: bool
    p_unique: bool
    null_space: Floats
    lowest: Floats
    highest: Floats


def uniqueness(problem: Problem, solution: Solution) -> Uniqueness:
    """Return a report on impulses other than `solution.p` that lead to the same motion.

    Parameters
    ----------
    problem : Problem
    solution : Solution
        Solution of that problem, converged well below a relative accuracy of 1e-9.
    """
    check_solution(problem, solution, "uniqueness")
    m = len(problem.c)
    held = held_rows(problem, solution)
    basis = null_space(scale_rows(problem)[held].T) if len(held) else np.zeros((0, 0))
    N = np.zeros((m, basis.shape[1]))
    N[held] = basis
    lowest, highest = ranges(problem, solution, basis, held)
    wide = highest - lowest > ZERO * max(1e-300, float(np.max(np.abs(solution.p), initial=0.0)))
    return Uniqueness(
        not np.any(problem.conditions.kind >= Kind.FRICTION), not bool(np.any(wide)), N, lowest, highest
    )


def check_solution(problem: Problem, solution: Solution, owner: str) -> None:
    """Raise unless a problem and a solution of so many rows are given."""
    checks.instance(f"{owner}: problem", problem, Problem, "a Problem")
    checks.instance(f"{owner}: solution", solution, Solution, "a Solution")
    if len(solution.p) != len(problem.c):
        raise ModelError(
            f"{owner}: solution has {len(solution.p)} impulses for {len(problem.c)} rows;"
            " give a solution of this problem"
        )


def scale_rows(problem: Problem) -> Floats:
    """Return the dense Gᵀ scaled to a largest entry of one."""
    GT = problem.GT.toarray()
    return np.asarray(GT / max(float(np.max(np.abs(GT), initial=0.0)), 1e-300))


def held_rows(problem: Problem, solution: Solution) -> Integers:
    """Return the rows whose impulse may change without changing w: those with w = 0."""
    scale = max(float(np.max(np.abs(problem.b), initial=0.0)), 1e-300)
    return np.flatnonzero((np.abs(solution.w) <= ZERO * scale) & (problem.diagonal > 0.0))


def ranges(problem: Problem, solution: Solution, N: Floats, held: Integers) -> tuple[Floats, Floats]:
    """Return smallest and largest impulse of every row that leaves G p as it is: p + N z with G N = 0."""
    lowest, highest = solution.p.copy(), solution.p.copy()
    if len(held) == 0:
        return lowest, highest
    low, high = bounds(problem.conditions, solution.p)
    unit = max(float(np.max(np.abs(solution.p))), 1e-300)
    start = solution.p[held] / unit
    below, above = low[held] / unit - start, high[held] / unit - start
    A = np.vstack((N, -N))
    most = np.concatenate((np.maximum(above, 0.0), np.maximum(-below, 0.0)))
    limited = np.isfinite(most)
    for k, i in enumerate(held):
        if N.shape[1] == 0 or np.max(np.abs(N[k])) < ZERO:
            continue
        for sign, store in ((1.0, lowest), (-1.0, highest)):
            done = linprog(
                sign * N[k], A_ub=A[limited], b_ub=most[limited], bounds=(None, None), method="highs"
            )
            if done.fun is None or done.status == 3:  # unbounded
                store[i] = -sign * np.inf
            else:
                store[i] = solution.p[i] + sign * done.fun * unit
    return lowest, highest


def evenly(problem: Problem, solution: Solution) -> Floats:
    """Return the impulses with the least sum of squares among those that lead to the same motion.

    Friction impulses do not change; parallel cables share their load evenly.

    Parameters
    ----------
    problem : Problem
    solution : Solution
        Solution of that problem, converged well below a relative accuracy of 1e-9.

    Returns
    -------
    (m,) array
    """
    check_solution(problem, solution, "evenly")
    p = solution.p.copy()
    held = held_rows(problem, solution)
    held = held[problem.conditions.kind[held] <= Kind.UNILATERAL]
    N = null_space(scale_rows(problem)[held].T)
    if N.shape[1] == 0 or not np.any(p):
        return p
    unit = float(np.max(np.abs(p)))
    fixed = p[held] / unit - N @ (N.T @ (p[held] / unit))  # p + N z is shortest where x = z + Nᵀ p is
    pushes = problem.conditions.kind[held] == Kind.UNILATERAL
    rows = N[pushes]
    length = np.linalg.norm(rows, axis=1)
    tied = length > ZERO
    rows, given = rows[tied] / length[tied, None], fixed[pushes][tied] / length[tied]
    conditions = Conditions.of([Kind.UNILATERAL] * len(rows))
    nearest = Problem.from_dense(rows, np.eye(rows.shape[1]), np.zeros(rows.shape[1]), given, conditions)
    p[held] = unit * (fixed + N @ Exact().solve(nearest).v)
    return p


def null_space(A: Floats) -> Floats:
    """Return orthonormal columns N with A N = 0."""
    if A.shape[0] == 0:
        return np.eye(A.shape[1])
    _, s, Vt = singular_values_and_vectors(A)
    rank = int(np.sum(s > RANK * max(s[0], 1e-300))) if len(s) else 0
    return np.asarray(Vt[rank:].T)
