"""Gyroscopic terms in time steps: the implicit midpoint rule, which takes no energy and gives none.

Explicitly, a step adds h M⁻¹ c(v) with cᵀ v = 0 but not cᵀ v⁺ = 0, so that a free body gains energy without
bound.  Taken at ½ (v + v⁺) the same terms do no work at all: for

    I (ω⁺ − ω)/h + ½ (ω + ω⁺) × I ½ (ω + ω⁺) = 0        (body axes)

both ½ ωᵀ I ω and |I ω| are conserved to rounding whatever h is, and the error of ω is of second order.  The
orientation then moves by the exponential of h ω⁺, which turns the angular momentum of a free body by an angle
of first order in h that does not grow with time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares

ENOUGH = 1e-14
"""Share of the speeds below which an iteration has converged."""
NEARLY = 1e-9
"""Share of the speeds that counts as a solution where rounding or differences leave more."""
HALVINGS = 6
"""Largest number of halvings of a step in which the speeds turn too far for convergence."""


def spun(inertia: Floats, w: Floats, h: float) -> Floats:
    """Angular velocities of free bodies after h, body axes, by Newton's method on the midpoint rule.

    Parameters
    ----------
    inertia : (n, 3, 3) array
    w : (n, 3) array
        Before [rad/s].
    h : float
        [s].
    """
    from ce_dynamics.contact.kernels import spin  # here, because it loads Numba

    new = w.copy()
    spin(inertia, w, h, ENOUGH, new)
    return new


def at_midpoint(
    rate: Callable[[Floats], Floats], v: Floats, first: Floats, h: float, halvings: int = HALVINGS
) -> Floats:
    """v⁺ = v + h v̇(½ (v + v⁺)) with the configuration held.

    Fixed-point iteration, which converges for h |∂v̇/∂v| < 2, where explicit steps are stable; where it does
    not, Newton's method with differences for ∂v̇/∂v, and where that does not get there, two steps of half the
    length.

    Parameters
    ----------
    rate : callable
        v̇ at given v.
    v : (n,) array
    first : (n,) array
        v̇(v).
    h : float
        [s].
    halvings : int
        Of the step, at most.
    """
    new = v + h * first
    enough = ENOUGH * (np.max(np.abs(v), initial=0.0) + h * np.max(np.abs(first), initial=0.0))
    last = np.inf
    for _ in range(60):
        following = v + h * rate(0.5 * (v + new))
        change = float(np.max(np.abs(following - new), initial=0.0))
        new = following
        if change <= enough:
            return new
        if not change < 0.7 * last:
            break
        last = change
    found, there = by_newton(rate, v, first, h, enough)
    if there or halvings == 0:
        return found
    half = at_midpoint(rate, v, first, 0.5 * h, halvings - 1)
    return at_midpoint(rate, half, rate(half), 0.5 * h, halvings - 1)


def by_newton(
    rate: Callable[[Floats], Floats], v: Floats, first: Floats, h: float, enough: float
) -> tuple[Floats, bool]:
    """The same by Newton's method, or its first step, the linearly implicit rule; whether it got there."""
    n = len(v)
    smallest, best = np.inf, v + h * first
    size = max(float(np.max(np.abs(v), initial=0.0)), h * float(np.max(np.abs(first), initial=0.0)), 1e-300)
    new = v
    for _ in range(8):
        middle = 0.5 * (v + new)
        here = rate(middle)
        F = new - v - h * here
        small = float(np.max(np.abs(F), initial=0.0))
        if new is not v and small < smallest:
            smallest, best = small, new
        if small <= 4.0 * enough:
            break
        change = 1e-7 * size
        J = np.array([(rate(middle + change * e) - here) / change for e in np.eye(n)]).T
        step = least_squares(np.eye(n) - 0.5 * h * J, F, rcond=None)
        if not np.all(np.isfinite(step)):
            break
        new = new - step
    return best, smallest <= NEARLY * size
