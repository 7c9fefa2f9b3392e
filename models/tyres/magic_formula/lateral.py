"""The lateral force: pure slip (4.E19)–(4.E30), combined slip (4.E58)–(4.E67)."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, minimum, where
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import (
    EPSILON,
    cos_arctan,
    keep_from_zero,
    side,
    sin_multiple,
    sine_curve,
)
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode, OperatingPoint
from ce_dynamics.models.tyres.magic_formula.weights import hill_weight, lateral_shift, zeta_2, zeta_3


class Lateral(NamedTuple):
    """Pure lateral slip.

    Attributes
    ----------
    Fy0 : scalar
        [N].
    muy : scalar
        Friction μ_y as the equations use it, of either sign.
    Kya : scalar
        Cornering stiffness K_yα [N/rad].
    alpha_y : scalar
        Slip with its shift α_y.
    SHy, SVy : scalar
        Shifts [rad, N]: Fy0 without SVy vanishes with α_y.
    ByCy : scalar
        B_y C_y, which the residual moment needs [1/rad].
    zeta2 : scalar
        What turn slip leaves of the peak.
    """

    Fy0: Scalar
    muy: Scalar
    Kya: Scalar
    alpha_y: Scalar
    SHy: Scalar
    SVy: Scalar
    ByCy: Scalar
    zeta2: Scalar


def pure(c: Coefficients, mode: Mode, s: OperatingPoint, gamma_star: Scalar) -> Lateral:
    """Return Fy0 at pure side slip (4.E19), for the given camber γ*: that of the wheel, or none."""
    dfz, dpi, Fz = s.dfz, s.dpi, s.Fz
    gamma = gamma_star * c.LGAY
    zeta2, zeta3 = zeta_2(c, mode, s), zeta_3(c, mode, s)
    Kya = cornering_stiffness(c, Fz, dpi, gamma) * zeta3
    SVyg = Fz * (c.PVY3 + c.PVY4 * dfz) * gamma * c.LKYC * s.LMUY * zeta2  # (4.E28)
    SHy = (c.PHY1 + c.PHY2 * dfz) * c.LHY + camber_shift(c, mode, s, gamma, Kya, SVyg, zeta3)  # (4.E27)
    SVy = Fz * (c.PVY1 + c.PVY2 * dfz) * c.LVY * s.LMUY * zeta2 + SVyg  # (4.E29)
    SHy, SVy = SHy * s.smooth, SVy * s.smooth
    alpha_y = s.alpha_star + SHy  # (4.E20)
    Cy = c.PCY1 * c.LCY  # (4.E21)
    muy = friction(c, s, gamma)
    Dy = muy * Fz * zeta2  # (4.E22)
    Ey = curvature(c, mode, dfz, gamma, alpha_y)
    By = Kya / (Cy * Dy + EPSILON * side(Dy))  # (4.E26)
    Fy0 = sine_curve(Dy, Cy, By, Ey, alpha_y) + SVy  # (4.E19)
    if mode.star:
        Fy0 = where(s.Vx < 0.0, -Fy0, Fy0)
    return Lateral(Fy0, muy, Kya, alpha_y, SHy, SVy, By * Cy, zeta2)


def cornering_stiffness(c: Coefficients, Fz: Scalar, dpi: Scalar, gamma: Scalar) -> Scalar:
    """Return K_yα without turn slip (4.E25) [N/rad]."""
    load = Fz / c.Fz0_prime / ((c.PKY2 + c.PKY5 * gamma * gamma) * (1.0 + c.PPY2 * dpi))
    largest = c.PKY1 * c.Fz0_prime * (1.0 + c.PPY1 * dpi) * c.LKY
    return largest * (1.0 - c.PKY3 * absolute(gamma)) * sin_multiple(c.PKY4, load)


def camber_stiffness(c: Coefficients, Fz: Scalar, dfz: Scalar, dpi: Scalar) -> Scalar:
    """Return K_yγ0 (4.E30) [N/rad]."""
    return Fz * (c.PKY6 + c.PKY7 * dfz) * (1.0 + c.PPY5 * dpi) * c.LKYC


def camber_shift(
    c: Coefficients, mode: Mode, s: OperatingPoint, gamma: Scalar, Kya: Scalar, SVyg: Scalar, zeta3: Scalar
) -> Scalar:
    """Return the part of S_Hy due to camber and turn slip (4.E27)."""
    if c.version == 52:
        return c.PHY3 * gamma * c.LKYC
    Kyg0 = camber_stiffness(c, s.Fz, s.dfz, s.dpi)
    if not mode.turn_slip:
        return (Kyg0 * gamma - SVyg) / keep_from_zero(Kya)
    Kya0 = cornering_stiffness(c, s.Fz, s.dpi, 0.0) * zeta3
    return lateral_shift(c, mode, s, Kya0, Kyg0) - SVyg / keep_from_zero(Kya)  # ζ0 = 0 (4.83), ζ4 (4.84)


def friction(c: Coefficients, s: OperatingPoint, gamma: Scalar) -> Scalar:
    """Return μ_y (4.E23)."""
    dfz, dpi = s.dfz, s.dpi
    by_pressure = 1.0 + c.PPY3 * dpi + c.PPY4 * dpi * dpi
    return (c.PDY1 + c.PDY2 * dfz) * by_pressure * (1.0 - c.PDY3 * gamma * gamma) * s.LMUY


def curvature(c: Coefficients, mode: Mode, dfz: Scalar, gamma: Scalar, alpha_y: Scalar) -> Scalar:
    """Return E_y (4.E24)."""
    by_camber = 1.0 + c.PEY5 * gamma * gamma - (c.PEY3 + c.PEY4 * gamma) * side(alpha_y)
    Ey = (c.PEY1 + c.PEY2 * dfz) * by_camber * c.LEY
    return minimum(Ey, 1.0) if mode.limits else Ey


class Weight(NamedTuple):
    """G_yκ (4.E59): how much of Fy0 longitudinal slip leaves, and S_Vyκ [N] that it induces (4.E66)."""

    Gyk: Scalar
    SVyk: Scalar


def weight(c: Coefficients, mode: Mode, s: OperatingPoint, muy: Scalar, zeta2: Scalar) -> Weight:
    """Return G_yκ and S_Vyκ (4.E59)–(4.E67)."""
    dfz = s.dfz
    gamma = s.gamma_star * c.LGAY
    Eyk = c.REY1 + c.REY2 * dfz  # (4.E64)
    if mode.limits:
        Eyk = minimum(Eyk, 1.0)
    Cyk = c.RCY1  # (4.E63)
    SHyk = c.RHY1 + c.RHY2 * dfz  # (4.E65)
    by_alpha = cos_arctan(c.RBY2 * (s.alpha_star - c.RBY3))
    Byk = (c.RBY1 + c.RBY4 * gamma * gamma) * by_alpha * c.LYKA  # (4.E62)
    kappa_s = s.kappa + SHyk  # (4.E61)
    largest = (c.RBY1 * c.LYKA, c.RBY4 * c.LYKA), (c.REY1, c.REY2), (c.RHY1, c.RHY2)
    Gyk = hill_weight(c, mode, Cyk, Byk, Eyk, kappa_s, SHyk, largest)  # (4.E60)
    by_load = c.RVY1 + c.RVY2 * dfz + c.RVY3 * gamma
    DVyk = muy * s.Fz * by_load * cos_arctan(c.RVY4 * s.alpha_star) * zeta2  # (4.E67)
    SVyk = DVyk * sin_multiple(c.RVY5, c.RVY6 * s.kappa) * c.LVYKA * s.smooth  # (4.E66)
    return Weight(Gyk, SVyk)


def combine_force(Fy0: Scalar, w: Weight) -> Scalar:
    """Return Fy = G_yκ Fy0 + S_Vyκ (4.E58) [N]."""
    return w.Gyk * Fy0 + w.SVyk


def report_friction(mode: Mode, s: OperatingPoint, muy: Scalar) -> Scalar:
    """Return μ_y as an output: positive within limits, zero in the air."""
    return where(s.Fz > 0.0, absolute(muy) if mode.limits else muy, 0.0)
