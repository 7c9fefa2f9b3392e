"""Projected Gauss–Seidel: the fast solver, for any conditions, with warm start.

Velocities are kept up to date along with the impulses, so that a row costs as much as it has entries and a
sweep is linear in the number of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import ConvergenceError, arrays_of, row_product
from ce_dynamics.contact.problem import Problem, Solution
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.kernels import kernel


class Solver(Protocol):
    """Finds impulses for a problem."""

    def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
        """Solve, from impulses near the solution if there are any."""
        ...


@dataclass(frozen=True)
class GaussSeidel:
    """Projected Gauss–Seidel.

    Each row in turn changes its impulse so that its own w would vanish, and is projected onto the set of its
    condition.  For rows without friction the problem is a convex quadratic one, and it converges from
    anywhere; with friction it may not, and the solution reports it.

    Parameters
    ----------
    tolerance : float
        Largest residual, on top of what rounding leaves (1e-13 of the velocities) [m/s or rad/s].
    max_sweeps : int
        Most sweeps.
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
        checks.number("Gauss–Seidel: limit", self.limit, above=0.0, infinite=True)

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
        # Small changes may mean slow convergence: the residual decides.
        while count < self.max_sweeps:
            count += sweep_problem(problem, p, (tolerance, self.max_sweeps - count))
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


def restrict_start(problem: Problem, start: Floats | None) -> Floats:
    """Return impulses to start from: given ones within their constant bounds, zero where nothing moves."""
    m = len(problem.c)
    if start is None:
        return np.zeros(m)
    p = np.array(start, dtype=float)
    if p.shape != (m,) or not np.all(np.isfinite(p)):
        raise ModelError(f"start of the iteration must be {m} finite impulses, got {start!r}")
    clip_to_bounds(problem.diagonal.copy(), problem.b, problem.conditions, p)
    return p


@kernel
def clip_to_bounds(d, b, C, p):  # type: ignore[no-untyped-def]
    """Bring impulses within their constant bounds; return what rows that move nothing violate."""
    residual, top = 0.0, 0.0
    for i in range(p.size):
        top = max(top, d[i])
    for i in range(p.size):
        if not d[i] > 1e-14 * top:
            d[i] = 0.0
            p[i] = 0.0
            if C.kind[i] == 0:
                residual = max(residual, abs(b[i]))
            elif C.kind[i] == 1:
                residual = max(residual, -b[i])
        elif C.kind[i] == 1:
            p[i] = max(0.0, p[i])
        elif C.kind[i] == 2:
            p[i] = min(max(C.lower[i], p[i]), C.upper[i])
    return residual


def sweep_problem(problem: Problem, p: Floats, until: tuple[float, int]) -> int:
    """Sweep all rows from p, in place; return the number of sweeps, see `sweeps`."""
    rows, v = (arrays_of(problem.GT), arrays_of(problem.YT)), problem.velocity(p)
    return int(sweeps(rows, v, problem.c, problem.diagonal, problem.conditions, p, until))


@kernel
def row_times(starts, columns, values, i, x):  # type: ignore[no-untyped-def]
    """Return the product of row i with a vector."""
    total = 0.0
    for k in range(starts[i], starts[i + 1]):
        total += values[k] * x[columns[k]]
    return total


@kernel
def add_row(starts, columns, values, i, factor, x):  # type: ignore[no-untyped-def]
    """Add a multiple of row i to a vector, in place."""
    for k in range(starts[i], starts[i + 1]):
        x[columns[k]] += factor * values[k]


@kernel
def pair_scale(g, y, i, d0, d1):  # type: ignore[no-untyped-def]
    """Return the largest eigenvalue of the 2×2 block of A that belongs to rows i and i + 1."""
    off = row_product(g, i, y, i + 1)
    mean, half = 0.5 * (d0 + d1), 0.5 * (d0 - d1)
    return mean + math.sqrt(half * half + off * off)


@kernel
def clip_impulse(i, target, C, p):  # type: ignore[no-untyped-def]
    """Return the nearest impulse that row i allows, of a disc by its components."""
    kind, normal, mu, lower, upper = C
    what = kind[i]
    if what == 0:
        return target
    if what == 1:
        return max(0.0, target)
    if what == 2:
        return min(max(lower[i], target), upper[i])
    reach = max(0.0, mu[i] * p[normal[i]]) if normal[i] >= 0 else 0.0
    return min(max(-reach, target), reach)


@kernel
def sweep(rows, v, c, diagonal, scale, C, p):  # type: ignore[no-untyped-def]
    """Visit every row once; returns the largest change of an impulse times A_ii."""
    g, y = rows
    normal, mu = C.normal, C.mu
    largest = 0.0
    i = 0
    while i < p.size:
        if C.kind[i] == 4:  # DISC_1: the pair moves towards −w and back onto the disc of radius μ p_n
            rho = scale[i]
            if rho > 0.0:
                a = p[i] - (row_times(g[0], g[1], g[2], i, v) + c[i]) / rho
                b = p[i + 1] - (row_times(g[0], g[1], g[2], i + 1, v) + c[i + 1]) / rho
                reach = max(0.0, mu[i] * p[normal[i]])
                length = math.sqrt(a * a + b * b)
                if length > reach:
                    a *= reach / length
                    b *= reach / length
                step_a, step_b = a - p[i], b - p[i + 1]
                p[i], p[i + 1] = a, b
                add_row(y[0], y[1], y[2], i, step_a, v)
                add_row(y[0], y[1], y[2], i + 1, step_b, v)
                change = rho * math.sqrt(step_a * step_a + step_b * step_b)
                if not change <= largest:
                    largest = change
            i += 2
            continue
        d = diagonal[i]
        if d > 0.0:
            target = clip_impulse(i, p[i] - (row_times(g[0], g[1], g[2], i, v) + c[i]) / d, C, p)
            step = target - p[i]
            p[i] = target
            add_row(y[0], y[1], y[2], i, step, v)
            change = d * abs(step)
            if not change <= largest:  # NaN counts as a change
                largest = change
        i += 1
    return largest


@kernel
def sweeps(rows, v, c, diagonal, C, p, until):  # type: ignore[no-untyped-def]
    """Sweep rows of Gᵀ and (M⁻¹ G)ᵀ with v and p in place; return the number of sweeps.

    ``until`` is the largest change of A_ii p_i after which to stop, and the number of sweeps at most.
    """
    tolerance, limit = until
    scale = diagonal.copy()
    for i in range(p.size):
        if C.kind[i] == 4:
            scale[i] = pair_scale(rows[0], rows[1], i, diagonal[i], diagonal[i + 1])
    for count in range(1, limit + 1):
        change = sweep(rows, v, c, diagonal, scale, C, p)
        if change <= tolerance or change != change:
            return count
    return limit
