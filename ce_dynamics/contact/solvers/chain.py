"""The default solver: Newton from the last solution, sweeps and Newton, proximal points."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, ConvergenceError, Integers
from ce_dynamics.contact.gauss_seidel import Solver, restrict_start, sweep_problem
from ce_dynamics.contact.newton import DENSE_ROWS, HALVINGS, newton_small, residual
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.contact.solvers.proximal import solve_rows
from ce_dynamics.contact.solvers.rows import Judge, Operator, scale_rows, to_csr

NEWTON_STEPS = 10
"""Newton steps of each of the first attempts."""
SWEEPS = 30
"""Sweeps of Gauss–Seidel between the first attempts."""
MANY_SWEEPS = 1000
"""Sweeps before proximal points of many rows from zero, where each costs a hundredth of a linear system.

A wall of 2,800 rows then takes 15 systems and not 600, one of 30,000 rows 90 and not 420.
"""
LEAST_PATIENCE = 1e-3
"""Part of the time limit that every problem of a run gets."""


@dataclass(frozen=True)
class Chain:
    """Newton's method, Gauss–Seidel sweeps and Newton, proximal points: until one has a solution.

    A solution is what leaves a residual of at most ``tolerance`` times the speeds of the problem, beyond
    rounding (1e-13 of them).  Where no method gets there, the best point of all is returned, with
    ``Solution.converged`` false and its residual in m/s or rad/s; only a ``limit`` makes that an error.

    Parameters
    ----------
    tolerance : float
        Largest residual as a share of the speeds |Gᵀ| |v| + |c|.
    limit : float
        Largest residual with which a run may go on [m/s or rad/s].
    time_limit : float
        Time of the processor for one problem, after which the best point is returned [s].  What else the
        machine does changes nothing; results of runs that reach it depend on how fast it is.  In a run, where
        problems in a row have no solution, each gets half of what that before it had.

    Raises
    ------
    ModelError
        If one of them is not positive.
    """

    tolerance: float = 1e-10
    limit: float = math.inf
    time_limit: float = 30.0

    def __post_init__(self) -> None:
        checks.number("Chain: tolerance", self.tolerance, above=0.0)
        for name, unit in (("limit", "m/s"), ("time_limit", "s")):
            checks.number(f"Chain: {name}", getattr(self, name), above=0.0, infinite=True, unit=unit)

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Solve, from impulses near the solution if there are any.

        Raises
        ------
        ConvergenceError
            If the residual of the best point is larger than the limit.
        ModelError
            If the start has another number of rows or is not finite.
        """
        solution = solve_quickly(problem, start, self.tolerance * problem.speed)
        return self.within(solution if solution.converged else self.solve_thoroughly(problem, solution.p))

    def within(self, solution: Solution) -> Solution:
        """Return the same solution.

        Raises
        ------
        ConvergenceError
            If its residual is larger than the limit.
        """
        if not solution.residual <= self.limit:
            raise ConvergenceError(
                f"{solution.method}: a residual of {solution.residual:.3g} m/s or rad/s remains, the limit is"
                f" {self.limit:.3g}; allow more, or a smaller step"
            )
        return solution

    def solve_thoroughly(self, problem: Problem, start: Floats) -> Solution:
        """Follow proximal points in every island of rows that the start does not solve; ignore the limit."""
        A, d, b = delassus(problem), problem.diagonal, problem.b
        allowance = self.tolerance * problem.speed
        permitted, deadline = allowance + problem.rounding, time.thread_time() + self.time_limit
        p, count, method = restrict_start(problem, start), 0, "start"
        for chosen in find_islands(A, problem.conditions.normal):
            conditions, own = part_of(problem.conditions, chosen), part_of_matrix(A, chosen)
            verdict = relative(own, b[chosen], d[chosen], conditions, permitted)
            if verdict(p[chosen]) <= 1.0:
                continue
            rows = scale_rows(own, b[chosen], conditions, d[chosen])
            left = max(0.0, deadline - time.thread_time())
            found = solve_rows(rows, rows.scale(p[chosen]), verdict, left)
            p[chosen] = rows.impulses(found.x)
            count, method = count + found.steps, "proximal points"
        return problem.solution(p, method, count, allowance)


class Patience:
    """The solver of a run, which ends even where bodies are wedged so that no step has a solution.

    Of a chain, problems in a row that are not solved get half of the time of the one before.
    """

    def __init__(self, solver: Solver) -> None:
        self.solver, self._given = solver, solver

    def record_outcome(self, converged: bool) -> None:
        """Take note of whether a problem was solved."""
        now, full = self.solver, self._given
        if isinstance(now, Chain) and isinstance(full, Chain) and not (converged and now is full):
            limit = now.time_limit * (2.0 if converged else 0.5)
            within = max(limit, LEAST_PATIENCE * full.time_limit)
            self.solver = full if within >= full.time_limit else replace(now, time_limit=within)


def relative(A: Operator, b: Floats, d: Floats, conditions: Conditions, permitted: float) -> Judge:
    """Return the residual of impulses as a share of what is permitted."""
    return lambda p: float(residual(d, A @ p + b, conditions, p)) / permitted


def find_islands(A: Operator, normal: Integers) -> list[Integers]:
    """Return rows that have to do with each other, by A and by friction."""
    tied = np.flatnonzero(normal >= 0)
    friction = sp.csr_matrix((np.ones(len(tied)), (tied, normal[tied])), shape=A.shape)
    count, label = connected_components(abs(sp.csr_matrix(A)) + friction, directed=False)
    if count == 1:
        return [np.arange(len(label))]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label))[:-1])


def part_of(conditions: Conditions, chosen: Integers) -> Conditions:
    """Return conditions of some rows, which hold the normal rows of all of them."""
    place = np.full(len(conditions.kind), NONE, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    normal = conditions.normal[chosen]
    own = np.asarray(np.where(normal >= 0, place[normal], NONE), dtype=np.int64)
    others = conditions.mu[chosen], conditions.lower[chosen], conditions.upper[chosen]
    return Conditions(conditions.kind[chosen], own, *others)


def part_of_matrix(A: Operator, chosen: Integers) -> Operator:
    """Return a of some rows."""
    if len(chosen) == A.shape[0]:
        return A
    part = A[chosen][:, chosen]
    return to_csr(part).toarray() if sp.issparse(part) and len(chosen) <= DENSE_ROWS else part


def solve_quickly(problem: Problem, start: Floats | None, allowance: float) -> Solution:
    """Solve by Newton, a few sweeps, and Newton, all compiled; of many rows only the sweeps."""
    p = restrict_start(problem, start)
    best, count = problem.solution(p, "start", 0, allowance), 0
    aim = max(1e-4 * allowance, 0.1 * problem.rounding)  # a last step of Newton's method costs little

    def keep_if_better(q: Floats, method: str) -> bool:
        nonlocal best
        if np.all(np.isfinite(q)):
            found = problem.solution(q, method, count, allowance)
            best = found if found.residual < best.residual else best
        return best.converged

    few = len(p) <= DENSE_ROWS
    if best.residual <= problem.rounding or (best.converged and not few):
        return best
    for attempt in range(2):
        if few:
            q, own = p.copy(), (problem.delassus, problem.b, problem.diagonal, problem.conditions)
            count += newton_small(*own, q, (aim, NEWTON_STEPS, HALVINGS))[0]
            if keep_if_better(q, "Newton"):
                break
        if attempt == 0:
            limit = SWEEPS if few or np.any(p) else MANY_SWEEPS
            count += sweep_problem(problem, p, (aim, limit))
            if keep_if_better(p.copy(), "Gauss–Seidel") or not few:
                break
    return best


def delassus(problem: Problem) -> Operator:
    """Return a = Gᵀ M⁻¹ G: an array for few rows, else in CSR form."""
    if len(problem.c) <= DENSE_ROWS:
        return problem.delassus
    A = problem.GT @ problem.YT.T
    return sp.csr_matrix(0.5 * (A + A.T))
