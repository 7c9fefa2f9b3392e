"""The rolling resistance moment My (4.E70)."""

from __future__ import annotations

import math

from ce_dynamics.algebra.arrays import Scalar, absolute, sin, where
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import power
from ce_dynamics.models.tyres.magic_formula.operating_point import OperatingPoint


def rolling_resistance(c: Coefficients, s: OperatingPoint, Fx: Scalar) -> Scalar:
    """My [N m], negative when rolling forward: (A48) of Besselink et al. (2010); that of the manual for 5.2.

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
    return where(Vx < 0.0, -My, My) * fading(c, kappa, Vx)


def fading(c: Coefficients, kappa: Scalar, Vx: Scalar) -> Scalar:
    """sin(π/2 (1 + κ)|V_x|/VXLOW) where that lies within VXLOW; −1 for a wheel that spins backwards."""
    speed = absolute(Vx)
    tread = (1.0 + kappa) * speed / c.VXLOW
    backwards = kappa * speed < -c.VXLOW * (1.0 + speed)
    factor = where(tread < 1.0, sin(0.5 * math.pi * tread), 1.0)
    return where(speed > 0.0, where(backwards, -1.0, factor), 0.0)
