"""Compliance of a Magic Formula tyre: contact stiffness, relaxation lengths, load with damping and rim."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, exp, maximum
from ce_dynamics.models.parts.rounding import smooth_step
from ce_dynamics.models.tyres.contract import WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import is_absent, sin_multiple
from ce_dynamics.models.tyres.magic_formula.operating_point import OperatingPoint
from ce_dynamics.models.tyres.magic_formula.radii import Surroundings, linear_term, load, load_61, turning


class Relaxation(NamedTuple):
    """Stiffness C_x, C_y [N/m] and relaxation lengths σ_x, σ_y [m]."""

    Cx: Scalar
    Cy: Scalar
    sigmax: Scalar
    sigmay: Scalar


def contact_stiffness(c: Coefficients, dfz: Scalar, dpi: Scalar) -> tuple[Scalar, Scalar]:
    """Return C_x and C_y [N/m]: (17), (18) of Besselink et al. (2010)."""
    Cx = c.LONGITUDINAL_STIFFNESS * (1.0 + c.PCFX1 * dfz + c.PCFX2 * dfz * dfz) * (1.0 + c.PCFX3 * dpi)
    Cy = c.LATERAL_STIFFNESS * (1.0 + c.PCFY1 * dfz + c.PCFY2 * dfz * dfz) * (1.0 + c.PCFY3 * dpi)
    return Cx, Cy


def relaxation(c: Coefficients, s: OperatingPoint, Kxk: Scalar, Kya: Scalar) -> Relaxation:
    """Return lengths by (19) of Besselink et al. (2010); those of 5.2 are of its manual."""
    dfz = s.dfz
    Cx, Cy = contact_stiffness(c, dfz, s.dpi)
    if c.version != 52:
        return Relaxation(Cx, Cy, absolute(Kxk / Cx), absolute(Kya / Cy))
    R0, f = c.UNLOADED_RADIUS, s.Fz / c.FNOMIN
    sigmax = (c.PTX1 + c.PTX2 * dfz) * exp(-c.PTX3 * dfz) * c.LSGKP * R0 * f
    by_camber = 1.0 - c.PKY3 * absolute(s.gamma * c.LGAY)
    scale = c.PTY1 * R0 * c.LFZO * c.LSGAL
    if is_absent(c.PTY2):
        return Relaxation(Cx, Cy, sigmax, 0.0)
    return Relaxation(Cx, Cy, sigmax, scale * sin_multiple(2.0, s.Fz / (c.PTY2 * c.Fz0_prime)) * by_camber)


DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""


def vertical(
    c: Coefficients, wheel: WheelOnRoad, pressure: float, x: Scalar, y: Scalar
) -> tuple[Scalar, Scalar, Scalar]:
    """Load [N], deflection [m] and energy stored [J]: tyre, its damping, and the rim on the road.

    The forces in the contact, on which the load depends, are those of its deflection, whose stiffness is that
    of the load without them and without camber.
    """
    dpi = c.LIP * pressure / c.NOMPRES - 1.0
    R_omega = turning(c, 0.0, wheel.spin, dpi).R_omega
    sunk = R_omega - wheel.radius
    around = Surroundings(wheel.spin, R_omega, dpi, wheel.gamma, 0.0, 0.0, wheel.lean)
    if not (is_absent(c.Q_FCX) and is_absent(c.Q_FCY)):
        upright = load_61(c, sunk, around).Fz
        Cx, Cy = contact_stiffness(c, upright / c.Fz0_prime - 1.0, dpi)
        around = around._replace(Fx=Cx * x, Fy=Cy * y)
    on_tyre = load(c, sunk, around)
    rim = maximum(c.RIM_RADIUS + c.BOTTOM_OFFST - wheel.radius, 0.0)
    onset = smooth_step(on_tyre.rho / DAMPING_ONSET)
    elastic = on_tyre.Fz + c.BOTTOM_STIFF * rim
    Fz = maximum(elastic - c.VERTICAL_DAMPING * onset * wheel.radius_rate, 0.0)
    d = on_tyre.rho / c.UNLOADED_RADIUS
    q_1, q_2 = linear_term(c), c.Q_FZ2
    # Part of the load: the share of the integral of (q1 d + q2 d²) in it.
    part = c.UNLOADED_RADIUS * d * (0.5 * q_1 + q_2 * d / 3.0) / (q_1 + q_2 * d)
    return Fz, on_tyre.rho, part * on_tyre.Fz + 0.5 * c.BOTTOM_STIFF * rim * rim
