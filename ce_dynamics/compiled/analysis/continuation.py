"""Search for a state in which some quantities have given values, along states that are assembled.

Newton's method from where the search begins; where it gets stuck, the quantities are led from what they are
to what they should be in steps as long as Newton's method follows; and where that ends too, from other states
around, near ones first.  Reachable states within a radian or a metre take 5 to 20 evaluations, those that
other starts lead to some hundreds; nothing tells that a state cannot be reached, so evaluations are numbered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares

ITERATIONS = 100
CLOSE = 1e-10  # rad or m, between what is wanted and what is found
EXACT = 1e-3 * CLOSE  # where iteration ends
LONGEST_TURN = 0.3  # rad, of one step
FIRST_PART = 0.25  # of the way, of the first step of a continuation
SMALLEST_PART = 1e-3
ON_THE_WAY = 1e-6  # of a step of a continuation, which the next corrects
STARTS = 24
FARTHEST = 3.0  # rad or m, of a start from the beginning
SEED = 20261122  # the same is found every time
EVALUATIONS = 4000
STATIONARY = 1e-9  # cosine between what is left and all that could be changed of it: nothing nearer is near


class Effort:
    """Evaluations that a search may still make.

    Parameters
    ----------
    evaluations : int
    """

    def __init__(self, evaluations: int = EVALUATIONS) -> None:
        self.evaluations = self.left = evaluations

    @property
    def is_spent(self) -> bool:
        """True if the search is to end."""
        return self.left <= 0

    def evaluating(self) -> None:
        """Count one."""
        self.left -= 1

    def __str__(self) -> str:
        """Return the text that follows an error message if the search was given up; else an empty text."""
        if not self.is_spent:
            return ""
        return (
            f" (given up after {self.evaluations} evaluations: evaluations={10 * self.evaluations} tries on)"
        )


class Problem(Protocol):
    """Problem of a search: quantities of a state, and their wanted values."""

    @property
    def effort(self) -> Effort:
        """Evaluations that the search may still make; each call of `gap` takes one."""

    def gap(self, y: Floats) -> Floats:
        """Return the quantities less their wanted values; not finite where the state cannot be assembled."""

    def slope(self, y: Floats) -> Floats:
        """Derivatives of the gap along displacements of the coordinates."""

    def displaced(self, y: Floats, step: Floats) -> Floats:
        """The state displaced."""


class Found(NamedTuple):
    """End of a search.

    Attributes
    ----------
    y : array
    gap : array
        Remaining differences between the quantities and their wanted values.
    """

    y: Floats
    gap: Floats

    @property
    def size(self) -> float:
        """Largest part of the gap; infinite where it is no number."""
        size = float(np.max(np.abs(self.gap), initial=0.0))
        return size if np.isfinite(size) else np.inf


def searched(problem: Problem, y: Floats, others: int = STARTS) -> Found:
    """The state nearest to what is wanted of all that were reached, which is there if ``size`` is ≤ CLOSE.

    Parameters
    ----------
    problem : Problem
    y : array
        Where the search begins.
    others : int
        States around, from which it begins again.
    """
    best = newton(problem, y, np.zeros(len(problem.gap(y))))
    for start in starts(problem, y, others):
        if best.size <= CLOSE or problem.effort.is_spent:
            break
        found = continued(problem, start)
        if found.size < best.size:
            best = found
    return best


def newton(problem: Problem, y: Floats, goal: Floats, tolerance: float = EXACT) -> Found:
    """Least steps, damped, towards a given gap."""
    gap = problem.gap(y)
    for _ in range(ITERATIONS):
        off = gap - goal
        if not np.max(np.abs(off), initial=0.0) > tolerance:
            break
        J = problem.slope(y)
        if problem.effort.is_spent or is_stationary(J, off):
            break
        step = -least_squares(J, off, rcond=1e-10)
        step *= min(1.0, LONGEST_TURN / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
        moved = reduced(problem, y, step, goal, float(np.linalg.norm(off)))
        if moved is None:
            break
        y, gap = moved
    return Found(y, gap)


def is_stationary(J: Floats, off: Floats) -> bool:
    """Return True if the sum of squares of what is left cannot get smaller: Jᵀ off is rounding."""
    return bool(np.linalg.norm(off @ J) <= STATIONARY * np.linalg.norm(J) * np.linalg.norm(off))


def reduced(problem: Problem, y: Floats, step: Floats, goal: Floats, size: float) -> Found | None:
    """The state after the longest of the steps 1, ½, ¼ … that comes nearer to the goal."""
    factor = 1.0
    while factor > 1e-6 and not problem.effort.is_spent:
        trial = problem.displaced(y, factor * step)
        gap = problem.gap(trial)
        if np.linalg.norm(gap - goal) < (1.0 - 1e-4 * factor) * size:  # never where it is NaN
            return Found(trial, gap)
        factor *= 0.5
    return None


def continued(problem: Problem, y: Floats) -> Found:
    """The gap led to zero as far as states can be followed, and Newton's method from there."""
    whole = problem.gap(y)
    if not np.all(np.isfinite(whole)):
        return Found(y, whole)
    done, part = 0.0, FIRST_PART
    while done < 1.0 and part > SMALLEST_PART and not problem.effort.is_spent:
        there = min(1.0, done + part)
        found = newton(problem, y, (1.0 - there) * whole, ON_THE_WAY)
        if np.max(np.abs(found.gap - (1.0 - there) * whole)) <= ON_THE_WAY:
            y, done, part = found.y, there, 2.0 * part
        else:
            part *= 0.5
    return newton(problem, y, np.zeros(len(whole)))


def starts(problem: Problem, y: Floats, others: int) -> Iterator[Floats]:
    """The state itself, and others around, farther and farther away."""
    yield y
    rng = np.random.default_rng(SEED)
    n = problem.slope(y).shape[1]
    for k in range(others):
        far = FARTHEST * (k + 1) / others
        yield problem.displaced(y, np.asarray(rng.uniform(-far, far, n), dtype=np.float64))
