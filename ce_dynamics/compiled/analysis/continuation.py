"""Searches for a state in which some quantities have given values, along assembled states.

The search begins with Newton's method.  If that stalls, continuation moves the quantities from their present
to their target values in steps that Newton's method follows.  If that ends too, both begin again from other
states, near ones first.  Reachable states within a radian or a metre take 5 to 20 evaluations, those from
other starts some hundreds.  A failed search proves nothing, so the number of evaluations is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import Found, SearchProblem, descend

CLOSE = 1e-10  # rad or m, largest accepted distance from the target
EXACT = 1e-3 * CLOSE  # where iteration ends
FIRST_PART = 0.25  # of the way, of the first step of a continuation
SMALLEST_PART = 1e-3
ON_THE_WAY = 1e-6  # of a step of a continuation, which the next corrects
STARTS = 24
FARTHEST = 3.0  # rad or m, of a start from the beginning
SEED = 20261122  # the same is found every time
EVALUATIONS = 4000


class EvaluationBudget:
    """Limit of the evaluations of a search."""

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


class Limited(SearchProblem, Protocol):
    """Problem with a limited number of evaluations."""

    @property
    def effort(self) -> EvaluationBudget:
        """Remaining evaluations; each call of `gap` uses one."""


def search_starts(problem: Limited, y: Floats, others: int = STARTS) -> Found:
    """Return the reached state nearest to the target; it is the target if its ``size`` is ≤ CLOSE.

    The search begins again from ``others`` surrounding states.
    """
    best = newton(problem, y)
    for start in starts(problem, y, others):
        if best.size <= CLOSE or problem.effort.is_spent:
            break
        found = continue_from(problem, start)
        if found.size < best.size:
            best = found
    return best


def newton(problem: Limited, y: Floats, goal: Floats | float = 0.0, tolerance: float = EXACT) -> Found:
    """Take damped steps towards a given residual, within the effort."""
    return descend(problem, y, tolerance, goal=goal, is_spent=lambda: problem.effort.is_spent)


def continue_from(problem: Limited, y: Floats) -> Found:
    """Reduce the residual by continuation as far as possible, then by Newton's method."""
    whole = problem.gap(y)
    if not np.all(np.isfinite(whole)):
        return Found(y, whole)
    done, part = 0.0, FIRST_PART
    while done < 1.0 and part > SMALLEST_PART and not problem.effort.is_spent:
        there = min(1.0, done + part)
        found = newton(problem, y, (1.0 - there) * whole, ON_THE_WAY)
        if np.max(np.abs(found.gap - (1.0 - there) * whole)) <= ON_THE_WAY:
            y, done, part = found.x, there, 2.0 * part
        else:
            part *= 0.5
    return newton(problem, y)


def starts(problem: Limited, y: Floats, others: int) -> Iterator[Floats]:
    """Yield the state itself, then surrounding states at increasing distances."""
    yield y
    rng = np.random.default_rng(SEED)
    n = problem.slope(y).shape[1]
    for k in range(others):
        far = FARTHEST * (k + 1) / others
        yield problem.displace(y, np.asarray(rng.uniform(-far, far, n), dtype=np.float64))
