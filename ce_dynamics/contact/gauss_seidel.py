"""Projected Gauss–Seidel: the fast solver, for any conditions, with warm start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import ConvergenceError, Kind
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.errors import ModelError


class Solver(Protocol):
    """Finds impulses for a problem."""

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Solve, from impulses near the solution if there are any."""
        ...


@dataclass(frozen=True)
class GaussSeidel:
    """Projected Gauss–Seidel.

    Each row in turn changes its impulse so that its own w would vanish, and is projected onto what its
    condition allows.  For rows without friction the problem is a convex quadratic one, and it converges from
    anywhere; with friction it may not, which the solution says.

    Parameters
    ----------
    tolerance : float
        Largest residual, on top of what rounding leaves (1e-13 of the velocities) [m/s or rad/s].
    max_sweeps : int
        When to give up.
    limit : float
        Largest residual with which a run may go on [m/s or rad/s].

    Raises
    ------
    ModelError
        If the tolerance is not a positive number or no sweep is allowed.
    """

    tolerance: float = 1e-10
    max_sweeps: int = 20_000
    limit: float = np.inf

    def __post_init__(self) -> None:
        checks.number("Gauss–Seidel: tolerance", self.tolerance, above=0.0)
        checks.integer("Gauss–Seidel: max_sweeps", self.max_sweeps, at_least=1)

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Sweep until the residual is within the tolerance.

        Raises
        ------
        ConvergenceError
            If the residual is larger than the limit.
        ModelError
            If the start has another number of rows or is not finite.
        """
        p = restrict_start(problem, start)
        count, tolerance = 0, 0.5 * self.tolerance + 0.1 * problem.rounding
        # Of slow convergence small changes tell little: the residual decides.
        while count < self.max_sweeps:
            count += self._sweep(problem, p, tolerance, self.max_sweeps - count)
            solution = problem.solution(p, "Gauss–Seidel", count, self.tolerance)
            if (
                solution.converged
                or not np.all(np.isfinite(p))
                or tolerance < 1e-3 * (self.tolerance + problem.rounding)
            ):
                break
            tolerance *= 0.1
        if not solution.residual <= self.limit:
            raise ConvergenceError(
                f"Gauss–Seidel: a residual of {solution.residual:.3g} remains after {solution.sweeps} sweeps,"
                f" the limit is {self.limit:.3g}; allow more of either, or a smaller step"
            )
        return solution

    def _sweep(self, problem: Problem, p: Floats, tolerance: float, limit: int) -> int:
        from ce_dynamics.contact.kernels import sweeps  # here, because it loads Numba

        v = problem.velocity(p)
        return int(
            sweeps(
                tuple(problem.GT[:3]),
                tuple(problem.YT[:3]),
                v,
                problem.c,
                problem.diagonal,
                *problem.conditions,
                p,
                tolerance,
                limit,
            )
        )


def restrict_start(problem: Problem, start: Floats | None) -> Floats:
    """Impulses to start from: those given, within their constant bounds and none where nothing moves."""
    m = len(problem.c)
    if start is None:
        return np.zeros(m)
    p = np.array(start, dtype=float)
    if p.shape != (m,) or not np.all(np.isfinite(p)):
        raise ModelError(f"start of the iteration must be {m} finite impulses, got {start!r}")
    kind, _, _, lower, upper = problem.conditions
    p = np.where(kind == Kind.UNILATERAL, np.maximum(p, 0.0), p)
    p = np.where(kind == Kind.BOX, np.clip(p, lower, upper), p)
    return np.where(problem.diagonal > 0.0, p, 0.0)
