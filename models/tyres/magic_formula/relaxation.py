"""Stiffness of the tyre at the contact and relaxation lengths."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, exp
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import absent, sin_multiple
from ce_dynamics.models.tyres.magic_formula.operating_point import OperatingPoint


class Relaxation(NamedTuple):
    """Stiffness C_x, C_y [N/m] and relaxation lengths σ_x, σ_y [m]."""

    Cx: Scalar
    Cy: Scalar
    sigmax: Scalar
    sigmay: Scalar


def contact_stiffness(c: Coefficients, dfz: Scalar, dpi: Scalar) -> tuple[Scalar, Scalar]:
    """C_x and C_y [N/m]: (17), (18) of Besselink et al. (2010)."""
    Cx = c.LONGITUDINAL_STIFFNESS * (1.0 + c.PCFX1 * dfz + c.PCFX2 * dfz * dfz) * (1.0 + c.PCFX3 * dpi)
    Cy = c.LATERAL_STIFFNESS * (1.0 + c.PCFY1 * dfz + c.PCFY2 * dfz * dfz) * (1.0 + c.PCFY3 * dpi)
    return Cx, Cy


def relaxation(c: Coefficients, s: OperatingPoint, Kxk: Scalar, Kya: Scalar) -> Relaxation:
    """Lengths by (19) of Besselink et al. (2010); those of 5.2 are of its manual."""
    dfz = s.dfz
    Cx, Cy = contact_stiffness(c, dfz, s.dpi)
    if c.version != 52:
        return Relaxation(Cx, Cy, absolute(Kxk / Cx), absolute(Kya / Cy))
    R0, f = c.UNLOADED_RADIUS, s.Fz / c.FNOMIN
    sigmax = (c.PTX1 + c.PTX2 * dfz) * exp(-c.PTX3 * dfz) * c.LSGKP * R0 * f
    by_camber = 1.0 - c.PKY3 * absolute(s.gamma * c.LGAY)
    scale = c.PTY1 * R0 * c.LFZO * c.LSGAL
    if absent(c.PTY2):
        return Relaxation(Cx, Cy, sigmax, 0.0)
    return Relaxation(Cx, Cy, sigmax, scale * sin_multiple(2.0, s.Fz / (c.PTY2 * c.Fz0_prime)) * by_camber)
