"""Moments of the Magic Formula about three axes: Mx (4.E69), My (4.E70), Mz (4.E31)–(4.E49), (4.E71) ff.

Besselink, Schmeitz and Pacejka, An improved Magic Formula/Swift tyre model that can handle inflation pressure
changes, Vehicle System Dynamics 48 (2010), is (A..): where the book differs, the paper is what MF-Tyre does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan, cos, minimum, sin, tan, where
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import (
    cos_arctan,
    cos_multiple,
    cosine_curve,
    keep_from_zero,
    power,
    sign,
)
from ce_dynamics.models.tyres.magic_formula.lateral import Lateral, Weight
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode, OperatingPoint
from ce_dynamics.models.tyres.magic_formula.weights import residual_moment_weights, zeta_5


class Aligning(NamedTuple):
    """Mz [N m], pneumatic trail t [m], residual moment Mzr [N m]."""

    Mz: Scalar
    t: Scalar
    Mzr: Scalar


class Slips(NamedTuple):
    """Side slips that the residual moment (r) and the trail (t) see, those of κ included."""

    alpha_r: Scalar
    alpha_t: Scalar
    alpha_r_eq: Scalar
    alpha_t_eq: Scalar


def slips(c: Coefficients, s: OperatingPoint, lateral: Lateral, Kxk: Scalar) -> Slips:
    """Return α_r, α_t (4.E34)–(4.E39) and their equivalents at combined slip (A54), (A55)."""
    Kya_prime = keep_from_zero(lateral.Kya)  # (4.E39)
    gamma = s.gamma_star * c.LGAZ
    SHt = c.QHZ1 + c.QHZ2 * s.dfz + (c.QHZ3 + c.QHZ4 * s.dfz) * gamma  # (4.E35)
    SHf = lateral.SHy + lateral.SVy / Kya_prime  # (4.E38)
    alpha_r, alpha_t = s.alpha_star + SHf, s.alpha_star + SHt  # (4.E37), (4.E34)
    k = Kxk / Kya_prime * s.kappa
    equivalent = [arctan(finite_root(tan(a) * tan(a) + k * k)) * sign(a) for a in (alpha_r, alpha_t)]
    return Slips(alpha_r, alpha_t, equivalent[0], equivalent[1])


def pneumatic_trail(c: Coefficients, mode: Mode, s: OperatingPoint, a: Slips) -> Scalar:
    """Return T (4.E73) with (4.E40)–(4.E44) in the form of the paper, times λ_Fz0 [m]."""
    dfz, dpi = s.dfz, s.dpi
    gamma, gamma_star = s.gamma * c.LGAZ, s.gamma_star * c.LGAZ
    per_load = (c.QDZ1 + c.QDZ2 * dfz) * (1.0 - c.PPZ1 * dpi) * (c.UNLOADED_RADIUS / c.Fz0_prime) * c.LTR
    by_camber = 1.0 + c.QDZ3 * gamma + c.QDZ4 * gamma * gamma
    Dt = s.Fz_moment * per_load * by_camber * zeta_5(c, mode, s)  # (A60)
    by_load = c.QBZ1 + c.QBZ2 * dfz + c.QBZ3 * dfz * dfz
    Bt = by_load * (1.0 + c.QBZ4 * gamma + c.QBZ5 * absolute(gamma)) * c.LKY / s.LMUY  # (A58)
    Ct = c.QCZ1  # (4.E41)
    by_side = 1.0 + (c.QEZ4 + c.QEZ5 * gamma_star) * (2.0 / math.pi) * arctan(Bt * Ct * a.alpha_t)
    Et = (c.QEZ1 + c.QEZ2 * dfz + c.QEZ3 * dfz * dfz) * by_side  # (4.E44)
    if mode.limits:
        Et = minimum(Et, 1.0)
    return cosine_curve(Dt, Ct, Bt, Et, a.alpha_t_eq) * s.cos_alpha_prime * c.LFZO * s.smooth


def residual_moment(
    c: Coefficients, mode: Mode, s: OperatingPoint, lateral: Lateral, w: Weight, a: Slips
) -> Scalar:
    """Return M_zr (4.E75) with (4.E45)–(4.E47) [N m]."""
    dfz = s.dfz
    gamma = s.gamma_star * c.LGAZ
    spin = residual_moment_weights(c, mode, s, lateral.muy, w.Gyk)
    zeta0 = 0.0 if mode.turn_slip else 1.0  # (4.83)
    offset = (c.QDZ6 + c.QDZ7 * dfz) * c.LRES * lateral.zeta2
    linear = (c.QDZ8 + c.QDZ9 * dfz) * (1.0 + c.PPZ2 * s.dpi)
    by_camber = (linear + (c.QDZ10 + c.QDZ11 * dfz) * absolute(gamma)) * gamma * c.LKZC * zeta0
    arm = c.UNLOADED_RADIUS * (offset + by_camber) * s.LMUY * sign(s.Vx) * cos(s.alpha_star)
    Dr = s.Fz_moment * arm + spin.Drp  # (4.E47)
    Br = (c.QBZ9 * c.LKY / s.LMUY + c.QBZ10 * lateral.ByCy) * spin.zeta6  # (4.E45)
    bent = Br * a.alpha_r_eq
    hill = cos(spin.zeta7 * arctan(bent)) if mode.turn_slip else cos_arctan(bent)  # Cr = ζ7 (4.E46)
    return Dr * hill * s.smooth


def arm_of_Fx(c: Coefficients, s: OperatingPoint, Fy: Scalar) -> Scalar:
    """Return s (A56): how far Fx acts beside the contact centre [m]."""
    by_camber = (c.SSZ3 + c.SSZ4 * s.dfz) * s.gamma * c.LGAZ
    return c.UNLOADED_RADIUS * (c.SSZ1 + c.SSZ2 * Fy / c.FNOMIN + by_camber) * c.LS


def aligning(
    c: Coefficients,
    mode: Mode,
    s: OperatingPoint,
    lateral: Lateral,
    upright: Lateral,
    w: Weight,
    Kxk: Scalar,
    Fx: Scalar,
    Fy: Scalar,
) -> Aligning:
    """Return Mz (4.E71).

    Parameters
    ----------
    lateral, upright : Lateral
        With the camber of the wheel and without any.
    w : Weight
        G_yκ and S_Vyκ for the friction without camber and without turn slip.
    Kxk, Fx, Fy : scalar
        Slip stiffness and the forces at combined slip.
    """
    a = slips(c, s, lateral, Kxk)
    t = pneumatic_trail(c, mode, s, a)
    Mzr = residual_moment(c, mode, s, lateral, w, a)
    Fy_prime = Fy - w.SVyk if c.version == 52 else w.Gyk * upright.Fy0  # (4.E74)
    return Aligning(-t * Fy_prime + Mzr + arm_of_Fx(c, s, Fy) * Fx, t, Mzr)  # (4.E72), (4.E71)


def overturning(c: Coefficients, s: OperatingPoint, Fy: Scalar) -> Scalar:
    """Return mx about the contact centre [N m]: (49) of the draft of Besselink, Schmeitz and Pacejka (2010).

    The book's (4.E69) and the paper's (A47) lack Q_sx12 … Q_sx14.  Below FZMIN the load counts less.
    """
    Fz, gamma, R0 = s.Fz, s.gamma, c.UNLOADED_RADIUS
    if c.FZMIN > 0.0:
        part = Fz / c.FZMIN
        Fz = where(part < 1.0, Fz * part * part, Fz)
    f, y = Fz / c.FNOMIN, Fy / c.FNOMIN
    lean = absolute(gamma)
    of_camber = c.QSX2 * (1.0 + c.PPMX1 * s.dpi) + c.QSX12 * lean - c.QSX10 * arctan(c.QSX11 * f)
    load = c.QSX6 * f
    shape = cos_multiple(c.QSX5, load * load) * sin(c.QSX7 * gamma + c.QSX8 * arctan(c.QSX9 * y))
    arm = c.QSX1 * c.LVMX - gamma * of_camber + c.QSX3 * y + c.QSX4 * shape
    return R0 * c.LMX * (Fz * arm + Fy * (c.QSX13 + c.QSX14 * lean))


def rolling_resistance(c: Coefficients, s: OperatingPoint, Fx: Scalar) -> Scalar:
    """Return My [N m], negative rolling forward: (A48) of Besselink et al. (2010); the manual's for 5.2.

    The load is the one given, less below FZMIN.  It fades in with the speed of the tread, (1 + κ) V_x, below
    VXLOW, and turns round with it.
    """
    Fz, R0, Vx, kappa = s.given.Fz, c.UNLOADED_RADIUS, s.Vx, s.given.kappa
    if c.FZMIN > 0.0:
        part = Fz / c.FZMIN
        Fz = where(part < 1.0, Fz * part, Fz)
    v = absolute(Vx) / c.LONGVL
    factor = c.QSY1 + c.QSY2 * Fx / c.FNOMIN + c.QSY3 * v + c.QSY4 * v * v * v * v
    if c.version == 52:
        My = -R0 * Fz * c.LMY * factor
    else:
        f = Fz / c.FNOMIN
        camber = s.gamma * s.gamma
        by_pressure = power(c.LIP * s.p / c.NOMPRES, c.QSY8)
        factor = factor + (c.QSY5 + c.QSY6 * f) * camber
        My = -R0 * c.FNOMIN * c.LMY * factor * power(f, c.QSY7) * by_pressure  # (A48)
    return where(Vx < 0.0, -My, My) * fade_out(c, kappa, Vx)


def fade_out(c: Coefficients, kappa: Scalar, Vx: Scalar) -> Scalar:
    """Return sin(π/2 (1 + κ)|V_x|/VXLOW) within VXLOW; −1 for a wheel that spins backwards."""
    speed = absolute(Vx)
    tread = (1.0 + kappa) * speed / c.VXLOW
    backwards = kappa * speed < -c.VXLOW * (1.0 + speed)
    factor = where(tread < 1.0, sin(0.5 * math.pi * tread), 1.0)
    return where(speed > 0.0, where(backwards, -1.0, factor), 0.0)
