"""Newton's method with steps of least squares: to rounding from nearby, and damped from afar.

A problem states its residual, its Jacobian over displacements, and how a displacement moves an unknown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares

T = TypeVar("T")

LONGEST_TURN = 0.3
"""Largest entry of a damped step [rad, or sizes]: a third of what turns a hinge into another branch."""
SUFFICIENT = 1e-4  # part of the predicted decrease that a damped step must bring (Armijo)
STATIONARY = 1e-9
"""Cosine between the residual and all possible changes of it, below which nothing nearer is near."""
BEYOND = 1e30  # residual where there is none: steps do not lead there


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
    """End of Newton's method from nearby: the unknowns, and their largest residual."""

    x: Floats
    error: float


class Rounding(NamedTuple):
    """End of steps below the tolerance, at rounding: they have left less than ``gain`` of the residual."""

    gain: float = 0.1
    enough: float = 0.0  # residual that needs no more steps


NEARLY = Rounding()


def polish(
    equations: Callable[[Floats], tuple[Floats, Floats]],
    moved: Callable[[Floats, Floats], Floats],
    x: Floats,
    tolerance: float,
    *,
    iterations: int = 12,
    stop: Rounding = NEARLY,
    rcond: float = 1e-11,
) -> Polished:
    """Take full Newton steps of least length from nearby, down to rounding; return x and its error.

    Below the tolerance, iteration continues as ``stop`` allows.  Singular values below ``rcond``, relative to
    the largest, count as zero.
    """
    least = np.inf
    for k in range(iterations + 1):
        r, J = equations(x)
        error = largest_residual(r)
        is_at_rounding = error <= tolerance and not error < stop.gain * least
        if k == iterations or error <= stop.enough or is_at_rounding:
            break
        least = min(least, error)
        x = moved(x, np.asarray(least_squares(J, -r, rcond)))
    return Polished(x, error)


class SearchProblem(Protocol):
    """Problem of a damped search."""

    def gap(self, x: Any, /) -> Floats:
        """Return the residual; not finite where there is none."""

    def slope(self, x: Any, /) -> Floats:
        """Return the derivatives of the residual along displacements."""

    def displace(self, x: Any, step: Floats, /) -> Any:
        """Return x displaced."""


DIFFERENCE = 1e-7
"""Step of differences, over the size of an entry or 1: 1e-9 of rounding, and 1e-7 of truncation."""


def differences(
    function: Callable[[Floats], Floats], x: Floats, sizes: Floats | float, *, central: bool = False
) -> Floats:
    """Return the derivatives of a function by differences of the given sizes, from x on or about x."""
    d, n = np.broadcast_to(sizes, x.shape), len(x)
    places = np.concatenate((x - np.diag(d) if central else x[np.newaxis], x + np.diag(d)))
    values = np.array([function(place) for place in places])
    behind, ahead = values[: len(places) - n], values[len(places) - n :]
    return np.asarray((ahead - behind).T / ((2.0 if central else 1.0) * d))


class Differenced(NamedTuple):
    """Problem of a function of an array, differentiated by differences.

    At corners of the function, the derivatives are those of the piece on which x lies.
    """

    gap: Callable[[Floats], Floats]
    sizes: Floats | None = None

    def slope(self, x: Floats) -> Floats:
        sizes = DIFFERENCE * np.maximum(1.0, np.abs(x)) if self.sizes is None else self.sizes
        return differences(self.gap, x, sizes)

    def displace(self, x: Floats, step: Floats) -> Floats:
        return x + step


class Found(NamedTuple):
    """End of a search."""

    x: Any  # unknowns
    gap: Floats  # residual there

    @property
    def size(self) -> float:
        """Largest part of the residual; infinite where it is no number."""
        return largest_residual(self.gap)


def short_steps(x: Any, J: Floats, r: Floats, rcond: float = 1e-10) -> Iterator[Floats]:
    """Yield the least step of Gauss and Newton, shortened; none where the sum of squares is stationary."""
    if np.linalg.norm(r @ J) > STATIONARY * np.linalg.norm(J) * np.linalg.norm(r):  # else Jᵀ r is rounding
        yield limit_step(-least_squares(J, r, rcond))


def whole_steps(x: Any, J: Floats, r: Floats) -> Iterator[Floats]:
    """Yield Newton's steps: by elimination unless J is singular, then of least squares.

    Elimination keeps zeros: an unknown at rest that depends on no other unknown stays exactly at rest.
    Adaptive methods then follow no mode that grows from rounding.  Least squares also solve singular systems.
    """
    with contextlib.suppress(np.linalg.LinAlgError):
        yield np.asarray(np.linalg.solve(J, -r), dtype=float)
    yield least_squares(J, -r, rcond=None)


Steps = Callable[[Any, Floats, Floats], Iterable[Floats]]


def descend(
    problem: SearchProblem,
    x: Any,
    tolerance: float,
    *,
    goal: Floats | float = 0.0,
    iterations: int = 100,
    steps: Steps = short_steps,
    smallest: float = 2.0**-19,
    is_spent: Callable[[], bool] = bool,
) -> Found:
    """Take damped steps until the residual is a goal to within a tolerance, or none brings it nearer.

    ``steps`` yields steps to try in turn, from unknowns, derivatives and differences from the goal; parts of
    a step down to ``smallest`` are tried.  ``is_spent`` ends the search.
    """

    def nearer(part: float, x: Any, step: Floats, size: float) -> Found | None:
        trial = problem.displace(x, part * step)
        gap = problem.gap(trial)
        is_nearer = np.linalg.norm(gap - goal) < (1.0 - SUFFICIENT * part) * size  # never where it is NaN
        return Found(trial, gap) if is_nearer else None

    gap = problem.gap(x)
    for _ in range(iterations):
        off = gap - goal
        if not np.max(np.abs(off), initial=0.0) > tolerance or is_spent():
            break
        size = float(np.linalg.norm(off))
        tried = (
            backtrack(partial(nearer, x=x, step=step, size=size), smallest, is_spent)
            for step in steps(x, problem.slope(x), off)
        )
        found = next((each for each in tried if each is not None), None)
        if found is None:
            break
        x, gap = found
    return Found(x, gap)


def find_root(
    residual: Callable[[Floats], Floats], x: Floats, allowed: float, *, patient: bool = False
) -> Found:
    """Solve as many equations as unknowns, to rounding; return the end of the last search, accepted or not.

    Newton's method converges for laws with corners, unlike Broyden's updates.  Where it ends early, Powell's
    hybrid method turns towards the steepest descent, to a root nearby.  Trust regions (``patient``) find more
    roots, and the least residual if there is none, in a thousand times the evaluations.
    """

    def cap(x: Floats) -> Floats:
        r = residual(x)
        return np.where(np.isfinite(r), r, BEYOND)

    def newton(x: Floats) -> Found:
        return descend(Differenced(cap), x, 0.0, iterations=40, steps=whole_steps, smallest=2.0**-12)

    found = newton(x)
    if found.size <= allowed:
        return found
    from scipy import optimize  # here, because SciPy takes 0.4 s to load

    found = newton(np.asarray(optimize.root(cap, x, method="hybr", options={"xtol": 1e-14}).x))
    if found.size <= allowed or not patient:
        return found
    slope = Differenced(cap).slope
    nearest = np.asarray(
        optimize.least_squares(cap, x, slope, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    )
    found = newton(nearest)
    return found if found.size <= allowed else Found(nearest, cap(nearest))


def last_that_holds(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last number, to the last bit, for which a condition holds.

    It holds at ``inside``, not at ``outside``, and changes once between them (else any one of the changes is
    found); either may be the larger.
    """
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return inside
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
