"""Combined slip without coefficients of its own: the friction ellipse of PAC2002 (``FE_METHOD``).

With the slips κ_x and s_y measured from the zeros of the pure curves, the secants S_x = (F_x0 − S_Vx)/κ_x and
S_y = (F_y0 − S_Vy)/s_y and the peaks D_x and D_y,

    G_x = 1/√(1 + (s_y S_x/D_y)²),        G_y = 1/√(1 + (κ_x S_y/D_x)²).                              (a)

Where both pure forces are at their peaks this is F_x²/D_x² + F_y²/D_y² = 1, and less everywhere else.
PAC2002 writes it by μ_x,act = |F_x0 − S_Vx|/F_z and the angle β of the slips, which are quotients 0/0 where
the wheel rolls freely; (a) is the same with these divided out.  It measures slips from the zeros of the
curves with S_V included, which differ by S_V/K.
"""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, sin, sqrt
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import EPSILON, secant, side
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode, OperatingPoint


class Combined(NamedTuple):
    """Weights of the forces under combined slip: G_xα; G_yκ with S_Vyκ; the latter two without camber."""

    Gxa: Scalar
    y: fy.Weight
    upright: fy.Weight


def weigh_combined(
    c: Coefficients, mode: Mode, s: OperatingPoint, px: fx.Longitudinal, py: fy.Lateral, upright: fy.Lateral
) -> Combined:
    """Return weights of combined slip: by coefficients (4.E51), (4.E59), or of the ellipse (a)."""
    if not c.ellipse:
        return Combined(
            fx.weight(c, mode, s),
            fy.weight(c, mode, s, py.muy, py.zeta2),
            fy.weight(c, mode, s, upright.muy, 1.0),
        )
    Gx, Gy = ellipse(mode, s, px, py)
    of_y = fy.Weight(Gy, 0.0)
    return Combined(Gx, of_y, of_y)


def ellipse(mode: Mode, s: OperatingPoint, px: fx.Longitudinal, py: fy.Lateral) -> tuple[Scalar, Scalar]:
    """Return G_x and G_y (a)."""
    forward = side(s.Vx)  # backwards, forces are turned round with their shifts
    sine = py.alpha_y / sqrt(1.0 + py.alpha_y * py.alpha_y) if mode.star else sin(py.alpha_y)
    kappa = absolute(px.kappa_x)
    across = absolute(sine)
    Sx = secant(px.Fx0 - forward * px.SVx, kappa, px.Kxk)
    Sy = secant(py.Fy0 - (forward if mode.star else 1.0) * py.SVy, across, py.Kya)
    Dx = absolute(px.mux) * s.Fz + EPSILON
    Dy = absolute(py.muy) * s.Fz + EPSILON
    x, y = across * Sx / Dy, kappa * Sy / Dx
    return 1.0 / sqrt(1.0 + x * x), 1.0 / sqrt(1.0 + y * y)
