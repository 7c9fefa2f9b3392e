"""What unilateral rows ask of the velocity after a step: gaps, and rebound after impacts."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.problem import Booleans

TINY = 1e-300
SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Of the coefficients of restitution, tried in turn where impacts would gain energy."""
ROUNDING = 1e-9
"""Part of the energy that impacts turn over, below which a gain is the solver's tolerance."""


def approach(
    psi: Floats,
    rate: Floats,
    predicted: Floats,
    h: float,
    unilateral: Booleans,
    restitution: Floats,
    rest_speed: float,
) -> Floats:
    """What is added to ψ̇⁺ in w: ψ/h, or e ψ̇⁻ where an impact rebounds (Newton's law).

    A row rebounds if its gap would close within the step and it closes faster than ``rest_speed``.  It does
    so at the start of the step, while a gap of at most h |ψ̇| is left: an error of order h.  From that speed
    to twice it, one condition passes into the other, as things that give a little come to rest: no rebound
    depends on the side of a threshold on which rounding left it.

    Parameters
    ----------
    psi, rate : (m,) arrays
        Gaps and their rates before the step.
    predicted : (m,) array
        Rates after it without impulses.
    h : float
        Step [s].
    unilateral : (m,) bool array
        Rows that have a gap; zero is added to others.
    restitution : (m,) array
        e.
    rest_speed : float
    """
    gap = psi / h
    rebounds = unilateral & (restitution > 0.0) & (rate < -rest_speed) & (gap + predicted <= 0.0)
    share = np.where(rebounds, np.clip((-rate - rest_speed) / max(rest_speed, TINY), 0.0, 1.0), 0.0)
    return np.where(unilateral, share * restitution * rate + (1.0 - share) * gap, 0.0)


def gains(p: Floats, before: Floats, after: Floats, impacting: Booleans) -> bool:
    """Whether impacts give more energy than they take: Newton's law may, with friction or several at once.

    Parameters
    ----------
    p : (m,) array
        Impulses.
    before, after : (m,) arrays
        Rates of the rows before and after them; the work is ½ pᵀ (before + after).
    impacting : (m,) bool array
        Rows that may rebound and their friction.
    """
    hit, sum_of_rates = p[impacting], (before + after)[impacting]
    turned_over = float(np.abs(hit) @ (np.abs(before) + np.abs(after))[impacting])
    return bool(0.5 * float(hit @ sum_of_rates) > ROUNDING * turned_over and np.any(before[impacting] < 0.0))
