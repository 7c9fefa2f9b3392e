"""G of combined slip: a hill over the other slip, 1 where that is zero (4.E52), (4.E60)."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import (
    cosine_curve,
    cosine_curve_near_zero,
    is_near_zero,
)
from ce_dynamics.models.tyres.magic_formula.mode import Mode

Pair = tuple[Scalar, Scalar]
"""A coefficient, and what it changes by with camber squared (B) or with df_z (E, shift)."""


def hill(
    c: Coefficients,
    mode: Mode,
    C: Scalar,
    B: Scalar,
    E: Scalar,
    slip: Scalar,
    shift: Scalar,
    largest: tuple[Pair, Pair, Pair],
) -> Scalar:
    """cos(C arctan …(slip)) over the same of the shift.

    Shifts are small: where the ranges of the file keep B times the shift small, its cosine is a series.

    Parameters
    ----------
    largest : three pairs
        Of B, E and the shift, for bounds of their sizes.
    """
    over = cosine_curve(1.0, C, B, E, slip)
    if mode.limits and not any(is_free(x) for x in (C, *(y for pair in largest for y in pair))):
        camber = max(abs(c.CAMMIN), abs(c.CAMMAX)) ** 2
        dfz = max(1.0, c.FZMAX / nominal(c.Fz0_prime) - 1.0)
        sizes = [abs(a) + abs(b) * change for (a, b), change in zip(largest, (camber, dfz, dfz), strict=True)]
        if not is_free(c.Fz0_prime) and is_near_zero(C, *sizes):
            return over / cosine_curve_near_zero(C, B, E, shift)
    return over / cosine_curve(1.0, C, B, E, shift)
