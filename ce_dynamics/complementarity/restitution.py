"""What unilateral rows ask of the velocity after a step: gaps, and rebound after impacts."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.problem import Booleans


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
    so at the start of the step, while a gap of at most h |ψ̇| is left: an error of order h.

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
    return np.where(unilateral, np.where(rebounds, restitution * rate, gap), 0.0)
