"""Outputs of the Magic Formula at an operating point: combined slip, relaxation lengths, peaks.

Combined slip without coefficients of its own is the friction ellipse of PAC2002 (``FE_METHOD``).  With the
slips κ_x and s_y measured from the zeros of the pure curves, the secants S_x = (F_x0 − S_Vx)/κ_x and
S_y = (F_y0 − S_Vy)/s_y and the peaks D_x and D_y,

    G_x = 1/√(1 + (s_y S_x/D_y)²),        G_y = 1/√(1 + (κ_x S_y/D_x)²).                              (a)

Where both pure forces are at their peaks this is F_x²/D_x² + F_y²/D_y² = 1, and less everywhere else.
PAC2002 writes it by μ_x,act = |F_x0 − S_Vx|/F_z and the angle β of the slips, which are quotients 0/0 where
the wheel rolls freely; (a) is the same with these divided out.  It measures slips from the zeros of the
curves with S_V included, which differ by S_V/K.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, absolute, exp, sin, sqrt, where
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.tyres.contract import PEAK_SLIPS
from ce_dynamics.models.tyres.magic_formula import (
    lateral as fy,
    longitudinal as fx,
    moments as mz,
)
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import EPSILON, is_absent, secant, side, sin_multiple
from ce_dynamics.models.tyres.magic_formula.moments import overturning, rolling_resistance
from ce_dynamics.models.tyres.magic_formula.operating_point import (
    Inputs,
    Mode,
    OperatingPoint,
    low_speed_reduction,
    operating_point,
)
from ce_dynamics.models.tyres.magic_formula.radii import Surroundings, contact_patch, deflection


class Combined(NamedTuple):
    """Curves of pure slip, and weights of combined slip: G_xα; G_yκ with S_Vyκ.

    ``upright`` is the curve across without camber, ``by_camber`` and ``without`` the weights with it and
    without any.
    """

    x: fx.Longitudinal
    y: fy.Lateral
    upright: fy.Lateral
    Gxa: Scalar
    by_camber: fy.Weight
    without: fy.Weight


def combine_slips(c: Coefficients, mode: Mode, s: OperatingPoint) -> Combined:
    """Return curves and weights: by coefficients (4.E51), (4.E59), or of the ellipse (a)."""
    x = fx.pure(c, mode, s)
    y = fy.pure(c, mode, s, s.gamma_star)
    upright = fy.pure(c, mode, s, 0.0)
    if c.ellipse:
        Gx, Gy = ellipse(mode, s, x, y)
        return Combined(x, y, upright, Gx, fy.Weight(Gy, 0.0), fy.Weight(Gy, 0.0))
    Gxa = fx.weight(c, mode, s)
    by_camber = fy.weight(c, mode, s, y.muy, y.zeta2)
    return Combined(x, y, upright, Gxa, by_camber, fy.weight(c, mode, s, upright.muy, 1.0))


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


class Outputs(NamedTuple):
    """Outputs of a Magic Formula tyre, in SI and ISO-W axes; scalars or arrays.

    Attributes
    ----------
    Fx, Fy, Fz : array
        Forces of the road on the wheel at the contact centre [N].
    Mx, My, Mz : array
        Overturning, rolling resistance and aligning moment [N m].
    kappa, alpha, gamma, phit, Vx, p : array
        The inputs: slip and turn slip reduced at low speed, pressure within its limits.
    Re, omega : array
        Effective radius [m] and spin [rad/s].
    rho, Rl, Cz : array
        Deflection and loaded radius [m], stiffness Fz/ρ [N/m] (zero in the air).
    two_a, two_b : array
        Length and width of the contact patch [m].
    t, Mzr : array
        Pneumatic trail [m], residual aligning moment [N m].
    mux, muy : array
        Friction at the peaks.
    Cx, Cy : array
        Stiffness of the tyre along and across [N/m].
    Kxk, Kya : array
        Slip stiffness [N], cornering stiffness [N/rad].
    sigmax, sigmay : array
        Relaxation lengths [m].
    """

    Fx: Any
    Fy: Any
    Fz: Any
    Mx: Any
    My: Any
    Mz: Any
    kappa: Any
    alpha: Any
    gamma: Any
    phit: Any
    Vx: Any
    p: Any
    Re: Any
    rho: Any
    two_a: Any
    t: Any
    mux: Any
    muy: Any
    omega: Any
    Rl: Any
    two_b: Any
    Mzr: Any
    Cx: Any
    Cy: Any
    Cz: Any
    Kya: Any
    sigmax: Any
    sigmay: Any
    Kxk: Any


def evaluate(c: Coefficients, mode: Mode, inputs: Inputs) -> Outputs:
    """Return all outputs at one operating point."""
    s = operating_point(c, mode, inputs)
    both = combine_slips(c, mode, s)
    x, y = both.x, both.y
    Fx = both.Gxa * x.Fx0  # (4.E50)
    Fy = fy.combine_force(y.Fy0, both.by_camber)
    m = mz.aligning(c, mode, s, y, both.upright, both.without, x.Kxk, Fx, Fy)
    muy = fy.report_friction(mode, s, y.muy)
    Mx, My = overturning(c, s, Fy), rolling_resistance(c, s, Fx)
    around = Surroundings(s.wheel.omega, s.wheel.R_omega, s.dpi, s.gamma, Fx, Fy)
    under = deflection(c, s.Fz_moment if c.version == 61 else s.Fz, around)
    patch = contact_patch(c, s.given.Fz, s.dpi)
    lag = relaxation(c, s, x.Kxk, y.Kya)
    kappa, alpha, phit = report_slips(c, mode, s)
    return Outputs(
        Fx=Fx, Fy=Fy, Fz=s.given.Fz, Mx=Mx, My=My, Mz=m.Mz, kappa=kappa, alpha=alpha, gamma=s.given.gamma,
        phit=phit, Vx=s.Vx, p=s.p, Re=s.wheel.Re, rho=under.rho, two_a=2.0 * patch.a, t=m.t, mux=x.mux,
        muy=muy, omega=s.wheel.omega, Rl=under.Rl, two_b=2.0 * patch.b, Mzr=m.Mzr, Cx=lag.Cx, Cy=lag.Cy,
        Cz=under.Cz, Kya=y.Kya, sigmax=lag.sigmax, sigmay=lag.sigmay, Kxk=x.Kxk,
    )  # fmt: skip


def report_slips(c: Coefficients, mode: Mode, s: OperatingPoint) -> tuple[Scalar, Scalar, Scalar]:
    """Return κ, α and φ_t as outputs: not clipped to their ranges, κ reduced at low speed, no α at rest."""
    kappa = s.given.kappa * low_speed_reduction(c, s.Vx)[0] if mode.limits else s.given.kappa
    return kappa, where(s.Vx == 0.0, 0.0, s.given.alpha), s.phit


class Peak(NamedTuple):
    """κ and tan α of the peaks at the nominal load, of either sign; friction coefficient.

    ``friction`` is the mean over driving and braking, between which shifts part, of the largest longitudinal
    force over the load.
    """

    kappa: float
    tan_alpha: float
    friction: float


def peak_of(coefficients: Coefficients) -> Peak:
    """Return the largest pure forces at the nominal load; at the end of `PEAK_SLIPS` without a peak."""
    return find_peak(
        Coefficients(**{f.name: nominal(getattr(coefficients, f.name)) for f in fields(coefficients)})
    )


@lru_cache(maxsize=64)  # the tyres of a vehicle are often equal
def find_peak(c: Coefficients) -> Peak:
    """Return `peak_of` numbers."""
    mode = Mode(limits=False, star=True)

    def along(slip: float) -> float:
        s = operating_point(c, mode, Inputs(c.FNOMIN, slip, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES))
        return abs(float(fx.pure(c, mode, s).Fx0))

    def across(slip: float) -> float:
        at = Inputs(c.FNOMIN, 0.0, 0.0, 0.0, 0.0, c.LONGVL, c.NOMPRES, tan_alpha=slip)
        return abs(float(fy.pure(c, mode, operating_point(c, mode, at), 0.0).Fy0))

    driven, braked = ([along(sign * slip) for slip in PEAK_SLIPS] for sign in (1.0, -1.0))
    side = [across(slip) for slip in PEAK_SLIPS]
    friction = 0.5 * (max(driven) + max(braked)) / c.FNOMIN
    return Peak(PEAK_SLIPS[int(np.argmax(driven))], PEAK_SLIPS[int(np.argmax(side))], friction)
