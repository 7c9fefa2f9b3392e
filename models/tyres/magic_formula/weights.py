"""Weights G of combined slip, and factors ζ0 … ζ8 for turn slip and large camber, of forces and moments.

Without turn slip all factors are 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra.arrays import (
    Scalar,
    absolute,
    arccos,
    arctan,
    maximum,
    minimum,
    sin,
    where,
)
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import (
    cos_arctan,
    cosine_curve,
    cosine_curve_near_zero,
    is_near_zero,
    keep_from_zero,
    sign,
    sine_curve,
)
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode, OperatingPoint

Pair = tuple[Scalar, Scalar]
"""A coefficient, and what it changes by with camber squared (B) or with df_z (E, shift)."""


def hill_weight(
    c: Coefficients,
    mode: Mode,
    C: Scalar,
    B: Scalar,
    E: Scalar,
    slip: Scalar,
    shift: Scalar,
    largest: tuple[Pair, Pair, Pair],
) -> Scalar:
    """Return cos(C arctan …(slip)) over the same of the shift.

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


_NO_SPIN = 1e-9
"""Turn slip [1/m] below which quotients are taken at this one: their limits, to 1e-17."""


def zeta_1(c: Coefficients, mode: Mode, s: OperatingPoint) -> Scalar:
    """Return ζ1 of Fx: (4.105), (4.106)."""
    if not mode.turn_slip:
        return 1.0
    Bxp = c.PDXP1 * (1.0 + c.PDXP2 * s.dfz) * cos_arctan(c.PDXP3 * s.kappa)  # (4.106)
    return cos_arctan(Bxp * c.UNLOADED_RADIUS * s.phi)  # (4.105)


def zeta_2(c: Coefficients, mode: Mode, s: OperatingPoint) -> Scalar:
    """Return ζ2 of the peak of Fy: (4.77), (4.78)."""
    if not mode.turn_slip:
        return 1.0
    spin = c.UNLOADED_RADIUS * absolute(s.phi)
    Byp = c.PDYP1 * (1.0 + c.PDYP2 * s.dfz) * cos_arctan(c.PDYP3 * s.tan_alpha)  # (4.78)
    return cos_arctan(Byp * (spin + c.PDYP4 * finite_root(spin)))  # (4.77)


def zeta_3(c: Coefficients, mode: Mode, s: OperatingPoint) -> Scalar:
    """Return ζ3 of the cornering stiffness: (4.79)."""
    if not mode.turn_slip:
        return 1.0
    spin = c.UNLOADED_RADIUS * s.phi
    return cos_arctan(c.PKYP1 * spin * spin)


def lateral_shift(c: Coefficients, mode: Mode, s: OperatingPoint, Kya0: Scalar, Kyg0: Scalar) -> Scalar:
    """Return S_Hyφ, the side slip equivalent to spin: (4.80), (4.85)–(4.89)."""
    CHyp = c.PHYP1  # (4.85)
    DHyp = (c.PHYP2 + c.PHYP3 * s.dfz) * sign(s.Vx)  # (4.86)
    EHyp = minimum(c.PHYP4, 1.0) if mode.limits else c.PHYP4  # (4.87)
    KyRp0 = Kyg0 / (1.0 - s.epsilon_gamma)  # (4.89)
    stiffness = CHyp * DHyp * keep_from_zero(Kya0)
    BHyp = KyRp0 / where(s.Vx == 0.0, 1.0, stiffness)  # (4.88)
    return sine_curve(DHyp, CHyp, BHyp, EHyp, c.UNLOADED_RADIUS * s.phi) * sign(s.Vx)  # (4.80)


def zeta_5(c: Coefficients, mode: Mode, s: OperatingPoint) -> Scalar:
    """Return ζ5 of the pneumatic trail: (4.91)."""
    return cos_arctan(c.QDTP1 * c.UNLOADED_RADIUS * s.phi) if mode.turn_slip else 1.0


class Spin(NamedTuple):
    """Factors of the residual moment: ζ6 of its slope, ζ7 its shape, and D_rφ = ζ8 − 1 [N m] beside it."""

    zeta6: Scalar
    zeta7: Scalar
    Drp: Scalar


def residual_moment_weights(c: Coefficients, mode: Mode, s: OperatingPoint, muy: Scalar, Gyk: Scalar) -> Spin:
    """Return ζ6, ζ7 and D_rφ: (4.94)–(4.104), in φ_t as in MF-Tyre, where the book has φ."""
    if not mode.turn_slip:
        return Spin(1.0, 1.0, 0.0)
    R0, Fz = c.UNLOADED_RADIUS, s.Fz_moment
    zeta6 = cos_arctan(c.QBRP1 * R0 * s.phi)  # (4.102)
    Mzp_inf = c.QCRP1 * absolute(muy) * R0 * Fz * finite_root(Fz / c.Fz0_prime) * c.LMP  # (4.95)
    Mzp_inf = where(Mzp_inf < 0.0, 1e-6, Mzp_inf)
    CDrp = c.QDRP1  # (4.96)
    DDrp = Mzp_inf / sin(0.5 * math.pi * CDrp)  # (4.94)
    # (4.99) has q_Dz8 + q_Dz9 df_z; reference values follow the product.
    Kzgr0 = Fz * R0 * (c.QDZ8 * c.QDZ9 * s.dfz + (c.QDZ10 + c.QDZ11 * s.dfz * absolute(s.gamma))) * c.LKZC
    BDrp = Kzgr0 / where(DDrp == 0.0, 1.0, CDrp * DDrp * (1.0 - s.epsilon_gamma))  # (4.98)
    Drp = DDrp * sin(CDrp * arctan(BDrp * R0 * s.phit))  # (4.93)
    # Both terms of the quotient vanish with φ_t; its limit is taken there.
    spin = R0 * maximum(absolute(s.phit), _NO_SPIN)
    Mzp90 = Mzp_inf * (2.0 / math.pi) * arctan(c.QCRP2 * spin) * Gyk  # (4.103)
    largest = absolute(DDrp * sin(CDrp * arctan(BDrp * spin)))
    within = absolute(Mzp90) < largest
    part = where(within, Mzp90 / where(within, largest, 1.0), 0.0)
    beyond = where(Mzp90 < 0.0, 2.0, 0.0)
    zeta7 = where(within, (2.0 / math.pi) * arccos(part), beyond)
    return Spin(zeta6, zeta7, Drp)  # (4.104)
