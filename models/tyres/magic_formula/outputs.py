"""Everything the Magic Formula answers at an operating point."""

from __future__ import annotations

from typing import Any, NamedTuple

from ce_dynamics.algebra.arrays import Scalar, where
from ce_dynamics.models.tyres.magic_formula import (
    lateral as fy,
    longitudinal as fx,
    moments as mz,
)
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.compliance import relaxation
from ce_dynamics.models.tyres.magic_formula.friction_ellipse import weigh_combined
from ce_dynamics.models.tyres.magic_formula.moments import overturning, rolling_resistance
from ce_dynamics.models.tyres.magic_formula.operating_point import (
    Inputs,
    Mode,
    OperatingPoint,
    low_speed_reduction,
    operating_point,
)
from ce_dynamics.models.tyres.magic_formula.radii import Surroundings, contact_patch, deflection


class Forces(NamedTuple):
    """Forces [N] and moments [N m] on the wheel at the contact centre, and what they are made of."""

    Fx: Scalar
    Fy: Scalar
    Mx: Scalar
    My: Scalar
    Mz: Scalar
    t: Scalar
    Mzr: Scalar
    mux: Scalar
    muy: Scalar
    Kxk: Scalar
    Kya: Scalar


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


def forces(c: Coefficients, mode: Mode, s: OperatingPoint) -> Forces:
    """Return forces and moments at combined slip."""
    x = fx.pure(c, mode, s)
    y = fy.pure(c, mode, s, s.gamma_star)
    upright = fy.pure(c, mode, s, 0.0)  # without camber
    both = weigh_combined(c, mode, s, x, y, upright)
    Fx = both.Gxa * x.Fx0  # (4.E50)
    Fy = fy.combine_force(y.Fy0, both.y)
    m = mz.aligning(c, mode, s, y, upright, both.upright, x.Kxk, Fx, Fy)
    muy = fy.report_friction(mode, s, y.muy)
    Mx, My = overturning(c, s, Fy), rolling_resistance(c, s, Fx)
    return Forces(Fx, Fy, Mx, My, m.Mz, m.t, m.Mzr, x.mux, muy, x.Kxk, y.Kya)


def evaluate(c: Coefficients, mode: Mode, inputs: Inputs) -> Outputs:
    """Return all outputs at one operating point."""
    s = operating_point(c, mode, inputs)
    f = forces(c, mode, s)
    around = Surroundings(s.wheel.omega, s.wheel.R_omega, s.dpi, s.gamma, f.Fx, f.Fy)
    under = deflection(c, s.Fz_moment if c.version == 61 else s.Fz, around)
    patch = contact_patch(c, s.given.Fz, s.dpi)
    lag = relaxation(c, s, f.Kxk, f.Kya)
    kappa, alpha, phit = report_slips(c, mode, s)
    return Outputs(
        Fx=f.Fx,
        Fy=f.Fy,
        Fz=s.given.Fz,
        Mx=f.Mx,
        My=f.My,
        Mz=f.Mz,
        kappa=kappa,
        alpha=alpha,
        gamma=s.given.gamma,
        phit=phit,
        Vx=s.Vx,
        p=s.p,
        Re=s.wheel.Re,
        rho=under.rho,
        two_a=2.0 * patch.a,
        t=f.t,
        mux=f.mux,
        muy=f.muy,
        omega=s.wheel.omega,
        Rl=under.Rl,
        two_b=2.0 * patch.b,
        Mzr=f.Mzr,
        Cx=lag.Cx,
        Cy=lag.Cy,
        Cz=under.Cz,
        Kya=f.Kya,
        sigmax=lag.sigmax,
        sigmay=lag.sigmay,
        Kxk=f.Kxk,
    )


def report_slips(c: Coefficients, mode: Mode, s: OperatingPoint) -> tuple[Scalar, Scalar, Scalar]:
    """Return κ, α and φ_t as outputs: not clipped to their ranges, κ reduced at low speed, no α at rest."""
    kappa = s.given.kappa * low_speed_reduction(c, s.Vx)[0] if mode.limits else s.given.kappa
    return kappa, where(s.Vx == 0.0, 0.0, s.given.alpha), s.phit
