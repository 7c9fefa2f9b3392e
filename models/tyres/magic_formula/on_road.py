"""A Magic Formula tyre on a vehicle: transients by relaxation lengths, standstill, rim on the road.

The contact is deflected along and across by x and y, with the stiffness C = K/σ of the tyre at the contact,
so that small slips follow with the relaxation lengths σ_x and σ_y (Besselink, Schmeitz and Pacejka 2010,
(19)).  What slides at the contact is the steady state of the Magic Formula, written as

    F = −(S/V) v,        S = F/slip the secant of the curve, V = |V_x|, v the sliding velocity,         (a)

in `ce_dynamics.models.parts.brake`, which gives the deflection its share of the sliding.  At small slips
S is the slip stiffness, and this is the linear equation of relaxation, σ κ̇′ + |V_x| κ′ = |V_x| κ (7.9); at
large slips the secant falls and the contact follows faster (non-linear relaxation); at rest V = 0 and the
contact sticks, a spring and a damper that hold without creep.

At rest any sliding is an infinite slip.  Below `STICKING_SPEED` slips count as no larger than those of the
peaks, so that a wheel at rest holds as much as it can hold at all before it slides.

The shifts of the curves, which leave a force without slip, go with the speed: the horizontal ones into v, the
vertical ones at once into the force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, arctan, maximum
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.rounding import smooth_step
from ce_dynamics.models.tyres.contract import (
    DAMPING_ONSET,
    DEFLECTIONS,
    TINY_SPEED,
    TyreAnswer,
    TyreModel,
    WheelOnRoad,
    deflect,
)
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx, moments as mz
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import is_absent, secant, side
from ce_dynamics.models.tyres.magic_formula.moments import overturning, rolling_resistance
from ce_dynamics.models.tyres.magic_formula.operating_point import (
    Inputs,
    Mode,
    OperatingPoint,
    clip_smoothly,
    operating_point,
)
from ce_dynamics.models.tyres.magic_formula.outputs import (
    Combined,
    combine_slips,
    contact_stiffness,
    peak_of,
    relaxation,
)
from ce_dynamics.models.tyres.magic_formula.radii import Surroundings, linear_term, load, load_61, turning
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula

_TINY_LENGTH = 1e-6


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


class Sliding(NamedTuple):
    """One axis of the contact: F = −(G/W) v + offset.

    Attributes
    ----------
    W, G : scalar
        Speed [m/s] and force [N].
    v : scalar
        Sliding velocity, that of the horizontal shift included [m/s].
    offset : scalar
        Force of the vertical shifts [N].
    steady : scalar
        Steady-state force [N].
    """

    W: Scalar
    G: Scalar
    v: Scalar
    offset: Scalar
    steady: Scalar

    def deflect(
        self, C: Scalar, damping: Scalar, x: Scalar, capacity: Scalar, nominal: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Return the force of a deflection [N], damped by C times ``damping``, and its rate [m/s]."""
        force, rate = deflect(C, C * damping, x, self.v, self.W, self.G, capacity, nominal)
        return force + self.offset, rate


def slide_along(
    s: OperatingPoint,
    p: fx.Longitudinal,
    G: Scalar,
    kappa: Scalar,
    Vsx: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Return the sliding along the wheel (a)."""
    steady = G * p.Fx0
    offset = forward * G * p.SVx
    # Beyond the range of the file the force stays and the slip does not: the secant is that of the latter.
    shift = p.kappa_x - s.kappa
    S = secant(steady - offset, kappa + shift, G * p.Kxk)
    return Sliding(speed, S, Vsx - forward * shift * speed, offset, steady)


def slide_across(
    s: OperatingPoint,
    p: fy.Lateral,
    w: fy.Weight,
    Vsy: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Return the sliding across the wheel (a)."""
    steady = fy.combine_force(p.Fy0, w)
    offset = w.Gyk * forward * p.SVy + w.SVyk
    S = secant(steady - offset, Vsy / speed + forward * p.SHy, w.Gyk * p.Kya)
    return Sliding(speed, S, Vsy + forward * p.SHy * speed, offset, steady)


def stiffness(by_length: bool, K: Scalar, sigma: Scalar, C: Scalar) -> Scalar:
    """Return stiffness at the contact [N/m]: C of the file, or in 5.2 K/σ where it has relaxation lengths."""
    if not by_length:
        return C
    return (absolute(K) + _TINY_LENGTH * C) / (absolute(sigma) + _TINY_LENGTH)


STICKING_SPEED = 0.2
"""[m/s] at which sliding has become that of the curve."""


class SlidingTyre(NamedTuple):
    """A tyre that slides, before its forces are known.

    Attributes
    ----------
    Fz, rho, potential : scalar
        Load [N], deflection [m], energy stored in it [J].
    rolling_speed : scalar
        [m/s].
    velocity, slips : two scalars
        Sliding velocity of the wheel [m/s], κ and tan α.
    s, both
        Operating point, curves and weights of combined slip.
    along, across : Sliding
    stiffness : two scalars
        At the contact [N/m].
    """

    Fz: Scalar
    rho: Scalar
    potential: Scalar
    rolling_speed: Scalar
    velocity: tuple[Scalar, Scalar]
    slips: tuple[Scalar, Scalar]
    s: OperatingPoint
    both: Combined
    along: Sliding
    across: Sliding
    stiffness: tuple[Scalar, Scalar]


class MagicFormulaTyre(TyreModel):
    """A Magic Formula tyre on a vehicle.

    Parameters
    ----------
    tyre : MagicFormula
        The tyre, and the side on which it is mounted.
    pressure : float, optional
        Inflation pressure [Pa]; that of the file if not given.
    reference_friction : float, optional
        Friction coefficient of the road for which the coefficients hold; if not given the tyre's own: its
        largest longitudinal force over load at the nominal load.
    turn_slip : bool, optional
        Whether spin is included; by the file's USE_MODE if not given.
    """

    states: tuple[StateDeclaration, ...] = DEFLECTIONS

    def __init__(
        self,
        tyre: MagicFormula,
        pressure: float | None = None,
        reference_friction: float | None = None,
        turn_slip: bool | None = None,
    ) -> None:
        self.tyre = checks.instance("tyre", tyre, MagicFormula, "a tyre, for example MagicFormula.read(path)")
        self.coefficients = c = both_ways(tyre.coefficients)
        self.pressure = c.INFLPRES if pressure is None else checks.number("pressure", pressure, above=0.0)
        self.peak = peak_of(c)
        own = self.peak.friction if reference_friction is None else reference_friction
        self.reference_friction = checks.number("reference_friction", own, above=0.0)
        wanted = tyre.file is not None and abs(tyre.file.use_mode or 0) % 10 == 5
        self.mode = Mode(
            limits=True,
            star=True,
            turn_slip=wanted if turn_slip is None else checks.flag("turn_slip", turn_slip),
            least_load=False,
            low_speed=False,
        )

    @property
    def unloaded_radius(self) -> float:
        return self.tyre.coefficients.UNLOADED_RADIUS

    @property
    def cz(self) -> float:
        """Vertical stiffness at the nominal load [N/m]."""
        return self.tyre.coefficients.VERTICAL_STIFFNESS * self.tyre.coefficients.LCZ

    @property
    def tread_width(self) -> float:
        return self.tyre.coefficients.WIDTH

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        if not self.tyre.is_mirrored:
            return self.forces(wheel, x)
        image = wheel.mirror()
        turned = [-value if k % 2 else value for k, value in enumerate(x)]
        f = self.forces(image, np.array(turned, dtype=object))
        x_dot = tuple(-rate if k % 2 else rate for k, rate in enumerate(f.x_dot))
        return f._replace(Fy=-f.Fy, Mx=-f.Mx, Mz=-f.Mz, x_dot=x_dot, slip_angle=-f.slip_angle)

    def forces(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        """Return the answer of the tyre as its coefficients have it; states in pairs along and across."""
        at = self.sliding(wheel, x[0], x[1])
        c = self.coefficients
        damping = self.damping(at.s)
        capacity = at.both.x.mux * at.Fz, absolute(at.both.y.muy) * at.Fz
        Fx, x_dot = at.along.deflect(at.stiffness[0], damping, x[0], capacity[0], c.FNOMIN)
        Fy, y_dot = at.across.deflect(at.stiffness[1], damping, x[1], capacity[1], c.FNOMIN)
        stored = 0.5 * (at.stiffness[0] * x[0] * x[0] + at.stiffness[1] * x[1] * x[1])
        return self.answer(at, Fx, Fy, (x_dot, y_dot), stored)

    def damping(self, s: OperatingPoint) -> Scalar:
        """Return damping over stiffness at the contact [s]."""
        c = self.coefficients
        return c.DAMP_RESIDUAL + c.DAMP_VLOW * (1.0 - s.smooth)

    def sliding(
        self, wheel: WheelOnRoad, x: Scalar, y: Scalar, patch: tuple[Scalar, Scalar] | None = None
    ) -> SlidingTyre:
        """Return the sliding tyre for deflections x and y of the contact [m].

        Parameters
        ----------
        patch : two scalars, optional
            Sliding velocity of the contact patch [m/s]; that of the wheel if not given.
        """
        c, mode = self.coefficients, self.mode
        Fz, rho, potential = vertical(c, wheel, self.pressure, x, y)
        dpi = c.LIP * self.pressure / c.NOMPRES - 1.0
        Re = turning(c, Fz, wheel.spin, dpi).Re
        speed = absolute(wheel.v_x) + TINY_SPEED
        forward = side(wheel.v_x)
        of_wheel = wheel.v_x - Re * wheel.spin, wheel.v_y
        Vsx, Vsy = of_wheel if patch is None else patch
        kappa, tan_alpha = -forward * Vsx / speed, Vsy / speed
        moving = (absolute(wheel.v_x) + absolute(Vsy) + absolute(Vsx)) / STICKING_SPEED
        reach = 1.0 / (1.0 - smooth_step(moving) + TINY_SPEED)
        inputs = Inputs(
            Fz=Fz,
            kappa=clip_smoothly(kappa, -reach * self.peak.kappa, reach * self.peak.kappa),
            alpha=0.0,
            gamma=wheel.gamma,
            sin_gamma=wheel.lean,
            phit=-wheel.yaw_rate / maximum(absolute(wheel.v_x), c.VXLOW),
            Vx=forward * speed,
            p=self.pressure,
            omega=wheel.spin,
            friction=maximum(wheel.friction / self.reference_friction, 1e-6),
            tan_alpha=clip_smoothly(tan_alpha, -reach * self.peak.tan_alpha, reach * self.peak.tan_alpha),
        )
        s = operating_point(c, mode, inputs)
        both = combine_slips(c, mode, s)
        px, py = both.x, both.y
        tread = relaxation(c, s, px.Kxk, py.Kya)
        return SlidingTyre(
            Fz=Fz,
            rho=rho,
            potential=potential,
            rolling_speed=Re * wheel.spin,
            velocity=of_wheel,
            slips=(-forward * of_wheel[0] / speed, wheel.v_y / speed),
            s=s,
            both=both,
            along=slide_along(s, px, both.Gxa, kappa, Vsx, speed, forward),
            across=slide_across(s, py, both.by_camber, Vsy, speed, forward),
            stiffness=(
                stiffness(c.version == 52 and not is_absent(c.PTX1), px.Kxk, tread.sigmax, tread.Cx),
                stiffness(
                    c.version == 52 and not (is_absent(c.PTY1) or is_absent(c.PTY2)),
                    py.Kya,
                    tread.sigmay,
                    tread.Cy,
                ),
            ),
        )

    def answer(
        self, at: SlidingTyre, Fx: Scalar, Fy: Scalar, x_dot: Sequence[Scalar], stored: Scalar
    ) -> TyreAnswer:
        """Return forces, and moments of the steady state with arms that feel the transient forces."""
        c, s = self.coefficients, at.s
        steady_x, steady_y = at.along.steady, at.across.steady
        x, y, upright, _, _, weight = at.both
        m = mz.aligning(c, self.mode, s, y, upright, weight, x.Kxk, steady_x, steady_y)
        arm = mz.arm_of_Fx(c, s, steady_y)
        return TyreAnswer(
            Fx=Fx,
            Fy=Fy,
            Fz=at.Fz,
            Mx=overturning(c, s, Fy),
            My=rolling_resistance(c, s, Fx),
            Mz=m.Mz - m.t * (Fy - steady_y) + arm * (Fx - steady_x),
            x_dot=x_dot,
            slip=at.slips[0],
            slip_angle=-arctan(at.slips[1]),
            deflection=at.rho,
            rolling_speed=at.rolling_speed,
            potential=at.potential + stored,
        )


def both_ways(c: Coefficients) -> Coefficients:
    """Return ranges of slips extended to either side: a tyre measured under braking also drives."""
    kappa, alpha = (max(-low, high) for low, high in ((c.KPUMIN, c.KPUMAX), (c.ALPMIN, c.ALPMAX)))
    return replace(c, KPUMIN=-kappa, KPUMAX=kappa, ALPMIN=-alpha, ALPMAX=alpha)
