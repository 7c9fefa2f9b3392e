"""Onset of a stop or a contact: at once, or over a length within which the stiffness grows.

Where the slope of a force jumps, the one step across the jump errs by O(h³) with any method.  With an onset
of length w the stiffness grows from zero to k as s⁴ (35 − 84 s + 70 s² − 20 s³), s = p / w.  Four
derivatives of the force are then continuous.  Methods up to order 5 keep their order once steps are short
against w.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, maximum, minimum


def compute_press(p: Scalar, onset: float) -> tuple[Scalar, Scalar]:
    """Load and stored energy per stiffness where the parts overlap by p; none where p is negative."""
    if onset == 0.0:
        p = maximum(p, 0.0)
        return p, 0.5 * p * p
    s, beyond = minimum(maximum(p / onset, 0.0), 1.0), maximum(p - onset, 0.0)
    within = onset * s**5 * (7.0 - s * (14.0 - s * (10.0 - 2.5 * s)))
    energy = onset * onset * s**6 * (7.0 / 6.0 - s * (2.0 - s * (1.25 - s * (5.0 / 18.0))))
    return within + beyond, energy + 0.5 * beyond * (onset + beyond)
