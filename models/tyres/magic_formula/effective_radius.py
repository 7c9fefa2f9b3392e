"""Effective rolling radius, spin of the wheel, growth of the free radius with speed."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, arctan
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import absent

_NEWTON_STEPS = 5
"""A tyre grows by less than a tenth of its radius; the error of that, squared five times, is below 1e-16."""


class Rolling(NamedTuple):
    """Effective radius R_e [m], spin Ω [rad/s], radius R_Ω [m] of the free tyre that turns so fast."""

    Re: Scalar
    omega: Scalar
    R_omega: Scalar


def stiffness(c: Coefficients, dpi: Scalar) -> Scalar:
    """Cz at the inflation pressure [N/m] (A3.5 of the book's appendix 3)."""
    return c.VERTICAL_STIFFNESS * c.LCZ * (1.0 + c.PFZ1 * dpi)


def free_radius(c: Coefficients, omega: Scalar) -> Scalar:
    """R_Ω = R0 (q_re0 + q_V1 (Ω R0/V0)²) (A3.1) [m]."""
    v = omega * c.UNLOADED_RADIUS / c.LONGVL
    return c.UNLOADED_RADIUS * (c.Q_RE0 + c.Q_V1 * v * v)


def flattening(c: Coefficients, Fz: Scalar, dpi: Scalar) -> Scalar:
    """R_Ω − R_e = Fz0/Cz (D_reff arctan(B_reff Fz/Fz0) + F_reff Fz/Fz0) (A3.7) [m]."""
    f = Fz / c.FNOMIN
    return c.FNOMIN / stiffness(c, dpi) * (c.DREFF * arctan(c.BREFF * f) + c.FREFF * f)


def turning(c: Coefficients, Fz: Scalar, omega: Scalar, dpi: Scalar) -> Rolling:
    """R_e where the spin is known (A3.7)."""
    R_omega = free_radius(c, omega)
    return Rolling(R_omega - flattening(c, Fz, dpi), omega, R_omega)


def rolling(c: Coefficients, Fz: Scalar, kappa: Scalar, Vx: Scalar, dpi: Scalar) -> Rolling:
    """R_e and Ω where the slip is known: Ω R_e = (1 + κ) V_x (2.5) together with (A3.7).

    R_e³ − A R_e² − B = 0, solved by Newton's method from A, the radius without growth, from where it
    climbs to the root.
    """
    R0 = c.UNLOADED_RADIUS
    A = R0 * c.Q_RE0 - flattening(c, Fz, dpi)
    v = (1.0 + kappa) * Vx
    Re = A
    if not absent(c.Q_V1):
        w = v * R0 / c.LONGVL
        B = R0 * c.Q_V1 * w * w
        for _ in range(_NEWTON_STEPS):
            b = B / (Re * Re)
            Re = Re - (Re - A - b) / (1.0 + 2.0 * b / Re)
    omega = v / Re
    return Rolling(Re, omega, free_radius(c, omega))
