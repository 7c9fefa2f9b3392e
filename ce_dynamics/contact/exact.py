"""Solutions to rounding, or certificates that there is none.

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
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.contact.conditions import ConvergenceError, InfeasibleError, Kind
from ce_dynamics.contact.problem import Problem, Solution

PROVES = 1e-7
"""Least −cᵀ y for |y| ≤ 1 and rows and c scaled to one that counts."""
CLOSED = 1e-12
"""Largest entry of G y, rows scaled to one."""


def certificate(problem: Problem) -> Floats | None:
    """Return y, (m,), if there is one; without one the problem may still have no solution."""
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
        from ce_dynamics.contact.solvers.chain import Chain, quickly  # here, because most runs never ask

        allowance = self.tolerance * float(np.max(np.abs(problem.b), initial=0.0))
        chain = Chain(1e-13)
        found = quickly(problem, start, chain.tolerance * problem.speed)
        if not found.converged:
            refuse_if_infeasible(problem)
            found = chain.thoroughly(problem, found.p)
        if found.residual > allowance + problem.rounding:
            raise ConvergenceError(
                f"no solution was found, the best point leaves {found.residual:.3g}; the conditions of the"
                " normal rows do not contradict each other, so that friction may jam or none was met"
            )
        return problem.solution(found.p, found.method, found.sweeps, allowance)


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
