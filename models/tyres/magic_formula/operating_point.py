"""Variables of the equations from a tyre's inputs: ranges of the file, low speed, changes of load, modes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar, absolute, cos, maximum, minimum, sin, sqrt, tan, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import EPSILON, is_absent, sign
from ce_dynamics.models.tyres.magic_formula.radii import Rolling, rolling, turning


@dataclass(frozen=True)
class Mode:
    """Selection of the parts of the Magic Formula to evaluate.

    Attributes
    ----------
    limits : bool
        Inputs are held within the ranges of the file, and slips are reduced below VXLOW.
    star : bool
        α* = tan α and γ* = sin γ (4.E3), (4.E4) instead of the angles: for large angles, and backwards.
    turn_slip : bool
        The effects of spin are included.
    least_load : bool
        With limits: moments and radii are those of at least the load FZMIN, as MFeval has them.  They then
        jump where the wheel lifts off.
    low_speed : bool
        With limits: slips are reduced below VXLOW.  Off where states keep slips finite.
    """

    limits: bool = True
    star: bool = False
    turn_slip: bool = False
    least_load: bool = True
    low_speed: bool = True

    @classmethod
    def of(cls, use_mode: int) -> Mode:
        """Return the mode of a three-digit number as MFeval and MF-Tyre's MATLAB interface use it.

        Parameters
        ----------
        use_mode : int
            Hundreds 1: within limits, 2: without; tens 1: angles, 2: α* and γ*; units 1: combined slip, 2:
            with turn slip.
        """
        number = checks.integer("use_mode", use_mode, error=DataError)
        digits = divmod(number // 10, 10) + (number % 10,)
        if any(digit not in (1, 2) for digit in digits):
            raise DataError(
                f"use_mode {number}: each of its three digits is 1 or 2 (1..: within the limits of the file, "
                "2..: without; .1.: angles, .2.: tan α and sin γ; ..1: combined slip, ..2: with turn slip)"
            )
        return cls(limits=digits[0] == 1, star=digits[1] == 2, turn_slip=digits[2] == 2)

    @property
    def use_mode(self) -> int:
        """The three-digit number."""
        return 100 * (1 if self.limits else 2) + 10 * (1 + self.star) + 1 + self.turn_slip


_UPRIGHT = 1.57
"""Slip angle [rad], files give 1.5708, from which on its tangent has no limit."""


class Inputs(NamedTuple):
    """An operating point in ISO-W axes: x forward in the wheel plane, y to the left, z up from the road.

    Attributes
    ----------
    Fz : scalar
        Load [N]; below zero counts as zero.
    kappa : scalar
        Longitudinal slip κ: −1 is a locked wheel, positive drives.
    alpha : scalar
        Side slip angle α [rad], positive where the wheel slides to the left, so that Fy is negative.
    gamma : scalar
        Inclination γ [rad], positive where the wheel leans to the right (about +x).
    phit : scalar
        Turn slip φ_t [1/m]: −ψ̇/V_c.
    Vx : scalar
        Speed of the contact centre along x [m/s].
    p : scalar
        Inflation pressure [Pa].
    omega : scalar, optional
        Spin of the wheel Ω [rad/s]; that of the slip, Ω R_e = (1 + κ) V_x, if not given.
    friction : scalar
        Friction of the road over that of the measurement.
    tan_alpha : scalar, optional
        tan α, if it is at hand: with α*, which needs nothing else of α.
    sin_gamma : scalar, optional
        sin γ, if it is at hand.
    """

    Fz: Scalar
    kappa: Scalar
    alpha: Scalar
    gamma: Scalar
    phit: Scalar
    Vx: Scalar
    p: Scalar
    omega: Scalar | None = None
    friction: Scalar = 1.0
    tan_alpha: Scalar | None = None
    sin_gamma: Scalar | None = None


class OperatingPoint(NamedTuple):
    """An operating point as the equations see it.

    Attributes
    ----------
    given : Inputs
        Before limits, the load at least zero.
    Fz, kappa, alpha, gamma, phit, p : scalar
        Within the limits, reduced at low speed.
    Fz_moment : scalar
        The load at least FZMIN, zero in the air: for moments and radii (limits only).
    Vx : scalar
        As given.
    tan_alpha, alpha_star, gamma_star, cos_alpha_prime : scalar
        (4.E3), (4.E4), (4.E6).
    dfz, dpi : scalar
        (4.E2a), (4.E2b).
    smooth : scalar
        1 above VXLOW, falls to zero at rest: for what does not vanish with the slip.
    LMUX, LMUY : scalar
        λ*_μ (4.E7).
    wheel : Rolling
        Effective radius and spin.
    phi, epsilon_gamma : scalar
        Spin φ (4.76), and how much of camber's spin is lost ε_γ (4.90); zero without turn slip.
    """

    given: Inputs
    Fz: Scalar
    Fz_moment: Scalar
    kappa: Scalar
    alpha: Scalar
    gamma: Scalar
    phit: Scalar
    p: Scalar
    Vx: Scalar
    tan_alpha: Scalar
    alpha_star: Scalar
    gamma_star: Scalar
    cos_alpha_prime: Scalar
    dfz: Scalar
    dpi: Scalar
    smooth: Scalar
    LMUX: Scalar
    LMUY: Scalar
    wheel: Rolling
    phi: Scalar
    epsilon_gamma: Scalar


def clip_smoothly(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return X, held between two bounds."""
    return minimum(maximum(x, low), high)


def low_speed_reduction(c: Coefficients, Vx: Scalar) -> tuple[Scalar, Scalar]:
    """Return factors of slips (linear) and of offsets (smooth): 1 above VXLOW, 0 at rest."""
    linear = minimum(absolute(Vx) / c.VXLOW, 1.0)
    return linear, 0.5 * (1.0 - cos(math.pi * linear))


def limit_inputs(c: Coefficients, mode: Mode, i: Inputs) -> tuple[Inputs, Scalar]:
    """Hold an operating point within the ranges of the file, and reduce slips below VXLOW.

    Return it, and the factor of what does not vanish with the slip.
    """
    linear, smooth = low_speed_reduction(c, i.Vx)
    sideways = 1.0
    if mode.low_speed:
        speed = absolute(i.Vx) + absolute(tan(i.alpha) * i.Vx)
        sideways = minimum(speed / c.VXLOW, 1.0)
    else:
        linear = 1.0
    limited = i._replace(
        Fz=minimum(i.Fz, c.FZMAX),
        kappa=clip_smoothly(i.kappa * linear, c.KPUMIN, c.KPUMAX),
        alpha=clip_smoothly(i.alpha * sideways, c.ALPMIN, c.ALPMAX),
        gamma=clip_smoothly(i.gamma, c.CAMMIN, c.CAMMAX),
        phit=i.phit * cos(i.alpha) * linear * where(i.Vx < 0.0, -1.0, 1.0),
        p=clip_smoothly(i.p, c.PRESMIN, c.PRESMAX),
    )
    return limited, smooth


def operating_point(c: Coefficients, mode: Mode, inputs: Inputs) -> OperatingPoint:
    """Return an operating point as the equations see it."""
    given = inputs._replace(Fz=maximum(inputs.Fz, 0.0))
    Vx = given.Vx
    at, smooth = limit_inputs(c, mode, given) if mode.limits else (given, 1.0)
    Fz_moment = at.Fz
    if mode.limits and mode.least_load:
        Fz_moment = where(at.Fz > 0.0, maximum(at.Fz, c.FZMIN), 0.0)
    dfz = at.Fz / c.Fz0_prime - 1.0  # (4.E2a)
    dpi = c.LIP * at.p / c.NOMPRES - 1.0  # (4.E2b)
    tan_alpha = tan(at.alpha) if given.tan_alpha is None else tangent(c, mode, given.tan_alpha)
    speed = absolute(Vx)
    V = speed * sqrt(1.0 + tan_alpha * tan_alpha)  # of the contact centre
    wheel = (
        rolling(c, given.Fz, given.kappa, Vx, dpi)
        if given.omega is None
        else turning(c, given.Fz, given.omega, dpi)
    )
    LMUX, LMUY = c.LMUX * given.friction, c.LMUY * given.friction
    if not is_absent(c.LMUV):
        Vs = speed * finite_root(at.kappa * at.kappa + tan_alpha * tan_alpha)  # (4.E5), (3.39)
        LMUX, LMUY = (L / (1.0 + c.LMUV * Vs / c.LONGVL) for L in (LMUX, LMUY))  # (4.E7)
    phi: Scalar = 0.0
    epsilon_gamma: Scalar = 0.0
    if mode.turn_slip:
        epsilon_gamma = c.PECP1 * (1.0 + c.PECP2 * dfz)  # (4.90)
        phi = spin(c, at, epsilon_gamma, wheel.omega, V)
    return OperatingPoint(
        given=given,
        Fz=at.Fz,
        Fz_moment=Fz_moment,
        kappa=at.kappa,
        alpha=at.alpha,
        gamma=at.gamma,
        phit=at.phit,
        p=at.p,
        Vx=Vx,
        tan_alpha=tan_alpha,
        alpha_star=tan_alpha * sign(Vx) if mode.star else at.alpha,  # (4.E3)
        gamma_star=sine_of_camber(c, mode, at.gamma, given.sin_gamma) if mode.star else at.gamma,  # (4.E4)
        cos_alpha_prime=Vx / (V + EPSILON),  # (4.E6), (4.E6a)
        dfz=dfz,
        dpi=dpi,
        smooth=smooth,
        LMUX=LMUX,
        LMUY=LMUY,
        wheel=wheel,
        phi=phi,
        epsilon_gamma=epsilon_gamma,
    )


def tangent(c: Coefficients, mode: Mode, tan_alpha: Scalar) -> Scalar:
    """Return tan α within the range of α."""
    if not mode.limits:
        return tan_alpha
    low, high = (math.tan(bound) if abs(bound) < _UPRIGHT else bound * 1e12 for bound in (c.ALPMIN, c.ALPMAX))
    return clip_smoothly(tan_alpha, low, high)


def sine_of_camber(c: Coefficients, mode: Mode, gamma: Scalar, known: Scalar | None) -> Scalar:
    """Return sin γ within the range of γ; of a partly known γ where the range ends before the sine turns."""
    if known is None or max(abs(c.CAMMIN), abs(c.CAMMAX)) > _UPRIGHT:
        return sin(gamma)
    return clip_smoothly(known, sin(c.CAMMIN), sin(c.CAMMAX)) if mode.limits else known


def spin(c: Coefficients, at: Inputs, epsilon_gamma: Scalar, omega: Scalar, V: Scalar) -> Scalar:
    """Return φ = −φ_t − (1 − ε_γ) Ω sin γ/V_c (4.75), (4.76) in ISO axes, V_c at least VXLOW.

    MFeval takes VXLOW wherever V_x is below it, even if V_c is not, and with the sign of V_x, which makes φ
    jump there.
    """
    return -at.phit - (1.0 - epsilon_gamma) * omega * sin(at.gamma) / maximum(V, c.VXLOW)
