"""Newton's method with steps of least squares: to rounding from nearby, and damped from afar.

A problem states its residual, its Jacobian over displacements, and how a displacement moves an unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares

T = TypeVar("T")

LONGEST_TURN = 0.3
"""Largest entry of a damped step [rad, or sizes]: a third of what turns a hinge into another branch."""
SUFFICIENT = 1e-4
"""Part of the predicted decrease that a damped step must bring (Armijo)."""
STATIONARY = 1e-9
"""Cosine between the residual and all possible changes of it, below which nothing nearer is near."""


def largest_residual(r: Floats) -> float:
    """Return the largest residual; infinite where it is not a number."""
    error = float(np.max(np.abs(r), initial=0.0))
    return error if np.isfinite(error) else np.inf


def limit_step(step: Floats, longest: float = LONGEST_TURN) -> Floats:
    """Return a step whose largest entry is at most the longest."""
    return np.asarray(step * min(1.0, longest / max(float(np.max(np.abs(step), initial=0.0)), 1e-300)))


def backtrack(
    trial: Callable[[float], T | None], smallest: float = 2.0**-19, is_spent: Callable[[], bool] = bool
) -> T | None:
    """Return the first result of a trial with the parts 1, ½, ¼ … of a step; None if all fail."""
    part = 1.0
    while part >= smallest and not is_spent():
        found = trial(part)
        if found is not None:
            return found
        part *= 0.5
    return None


class Polished(NamedTuple):
    """End of Newton's method from nearby: the unknowns, and the least residual on the way."""

    x: Floats
    error: float


def polish(
    equations: Callable[[Floats], tuple[Floats, Floats]],
    moved: Callable[[Floats, Floats], Floats],
    x: Floats,
    tolerance: float,
    *,
    iterations: int = 12,
    gain: float = 0.1,
    rcond: float = 1e-11,
) -> Polished:
    """Take full Newton steps of least length from nearby, down to rounding.

    Parameters
    ----------
    equations : callable
        Residual and Jacobian at x.
    moved : callable
        x displaced by a step.
    x : array
    tolerance : float
        Largest accepted residual.  Below it, iteration continues while steps leave less than ``gain``.
    iterations : int
        Largest number of steps.
    rcond : float
        Singular values that count as zero, relative to the largest.
    """
    least = np.inf
    for _ in range(iterations):
        r, J = equations(x)
        error = largest_residual(r)
        if error <= tolerance and not error < gain * least:
            break
        least = min(least, error)
        x = moved(x, np.asarray(least_squares(J, -r, rcond)))
    return Polished(x, min(least, error))


class Problem(Protocol):
    """Problem of a damped search."""

    def gap(self, x: Any, /) -> Floats:
        """Return the residual; not finite where there is none."""

    def slope(self, x: Any, /) -> Floats:
        """Return the derivatives of the residual along displacements."""

    def displace(self, x: Any, step: Floats, /) -> Any:
        """Return x displaced."""


class Found(NamedTuple):
    """End of a search.

    Attributes
    ----------
    x : array
        Unknowns.
    gap : array
        Residual there.
    """

    x: Any
    gap: Floats

    @property
    def size(self) -> float:
        """Largest part of the residual; infinite where it is no number."""
        return largest_residual(self.gap)


def descend(
    problem: Problem,
    x: Any,
    tolerance: float,
    *,
    goal: Floats | float = 0.0,
    iterations: int = 100,
    rcond: float = 1e-10,
    smallest: float = 2.0**-19,
    is_spent: Callable[[], bool] = bool,
) -> Found:
    """Take damped Gauss–Newton steps until the residual is a goal, or none brings it nearer.

    Parameters
    ----------
    problem : Problem
    x : array
        Unknowns to start from.
    tolerance : float
        Largest difference from the goal.
    goal : array
        Target residual.
    iterations : int
        Largest number of steps.
    rcond : float
        Singular values that count as zero, relative to the largest.
    smallest : float
        Smallest part of a step that is tried.
    is_spent : callable
        True ends the search.
    """
    gap = problem.gap(x)
    for _ in range(iterations):
        off = gap - goal
        if not np.max(np.abs(off), initial=0.0) > tolerance:
            break
        J = problem.slope(x)
        if is_spent() or np.linalg.norm(off @ J) <= STATIONARY * np.linalg.norm(J) * np.linalg.norm(off):
            break  # Jᵀ off is rounding: the sum of squares cannot get smaller
        step, size = limit_step(-least_squares(J, off, rcond)), float(np.linalg.norm(off))

        def nearer(part: float, x: Any = x, step: Floats = step, size: float = size) -> Found | None:
            trial = problem.displace(x, part * step)
            gap = problem.gap(trial)
            is_nearer = np.linalg.norm(gap - goal) < (1.0 - SUFFICIENT * part) * size  # never where it is NaN
            return Found(trial, gap) if is_nearer else None

        found = backtrack(nearer, smallest, is_spent)
        if found is None:
            break
        x, gap = found
    return Found(x, gap)
