"""The longitudinal force: pure slip (4.E9)–(4.E18), combined slip (4.E50)–(4.E57)."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, exp, minimum, where
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import EPSILON, cos_arctan, side, sine_curve
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode, OperatingPoint
from ce_dynamics.models.tyres.magic_formula.weights import hill_weight, zeta_1


class Longitudinal(NamedTuple):
    """Pure longitudinal slip.

    Attributes
    ----------
    Fx0 : scalar
        [N].
    mux : scalar
        Friction μ_x.
    Kxk : scalar
        Slip stiffness K_xκ [N].
    kappa_x : scalar
        Slip with its shift κ_x.
    SVx : scalar
        Vertical shift [N]: Fx0 without it vanishes with κ_x.
    """

    Fx0: Scalar
    mux: Scalar
    Kxk: Scalar
    kappa_x: Scalar
    SVx: Scalar


def pure(c: Coefficients, mode: Mode, s: OperatingPoint) -> Longitudinal:
    """Return Fx0 at pure longitudinal slip (4.E9); of a wheel rolling backwards it is reversed."""
    dfz, dpi, Fz = s.dfz, s.dpi, s.Fz
    gamma_x = s.gamma * c.LGAX
    zeta1 = zeta_1(c, mode, s)
    Cx = c.PCX1 * c.LCX  # (4.E11)
    mux = friction(c, s, gamma_x)
    Dx = mux * Fz * zeta1  # (4.E12)
    Kxk = slip_stiffness(c, Fz, dfz, dpi)
    Bx = Kxk / (Cx * Dx + EPSILON * side(Dx))  # (4.E16)
    SHx = (c.PHX1 + c.PHX2 * dfz) * c.LHX * s.smooth  # (4.E17)
    SVx = Fz * (c.PVX1 + c.PVX2 * dfz) * c.LVX * s.LMUX * zeta1 * s.smooth  # (4.E18)
    kappa_x = s.kappa + SHx  # (4.E10)
    Ex = (c.PEX1 + c.PEX2 * dfz + c.PEX3 * dfz * dfz) * (1.0 - c.PEX4 * side(kappa_x)) * c.LEX  # (4.E14)
    if mode.limits:
        Ex = minimum(Ex, 1.0)
    Fx0 = sine_curve(Dx, Cx, Bx, Ex, kappa_x) + SVx  # (4.E9)
    return Longitudinal(where(s.Vx < 0.0, -Fx0, Fx0), mux, Kxk, kappa_x, SVx)


def friction(c: Coefficients, s: OperatingPoint, gamma_x: Scalar) -> Scalar:
    """Return μ_x (4.E13); zero in the air."""
    dfz, dpi = s.dfz, s.dpi
    mux = (
        (c.PDX1 + c.PDX2 * dfz)
        * (1.0 + c.PPX3 * dpi + c.PPX4 * dpi * dpi)
        * (1.0 - c.PDX3 * gamma_x * gamma_x)
        * s.LMUX
    )
    return where(s.Fz > 0.0, mux, 0.0)


def slip_stiffness(c: Coefficients, Fz: Scalar, dfz: Scalar, dpi: Scalar) -> Scalar:
    """Return K_xκ (4.E15) [N]."""
    by_pressure = 1.0 + c.PPX1 * dpi + c.PPX2 * dpi * dpi
    return Fz * (c.PKX1 + c.PKX2 * dfz) * exp(c.PKX3 * dfz) * by_pressure * c.LKX


def weight(c: Coefficients, mode: Mode, s: OperatingPoint) -> Scalar:
    """Return G_xα (4.E51): the part of Fx0 that side slip leaves."""
    Exa = c.REX1 + c.REX2 * s.dfz  # (4.E56)
    if mode.limits:
        Exa = minimum(Exa, 1.0)
    gamma = s.gamma_star * c.LGAX
    Bxa = (c.RBX1 + c.RBX3 * gamma * gamma) * cos_arctan(c.RBX2 * s.kappa) * c.LXAL  # (4.E54)
    Cxa, SHxa = c.RCX1, c.RHX1  # (4.E55), (4.E57)
    alpha_s = s.alpha_star + SHxa  # (4.E53)
    largest = (c.RBX1 * c.LXAL, c.RBX3 * c.LXAL), (c.REX1, c.REX2), (c.RHX1, 0.0)
    return hill_weight(c, mode, Cxa, Bxa, Exa, alpha_s, SHxa, largest)  # (4.E52)
