"""A Magic Formula tyre on a vehicle: transients by relaxation lengths, standstill, rim on the road.

The contact is deflected along and across by x and y, with the stiffness C = K/σ of the tyre at the contact,
so that small slips follow with the relaxation lengths σ_x and σ_y (Besselink, Schmeitz and Pacejka 2010,
(19)).  What slides at the contact is the steady state of the Magic Formula, written as

    F = −(S/V) v,        S = F/slip the secant of the curve, V = |V_x|, v the sliding velocity,         (a)

in `ce_dynamics.models.parts.deflection`, which gives the deflection its share of the sliding.  At small slips
S is the slip stiffness, and this is the linear equation of relaxation, σ κ̇′ + |V_x| κ′ = |V_x| κ (7.9); at
large slips the secant falls and the contact follows faster (non-linear relaxation); at rest V = 0 and the
contact sticks, a spring and a damper that hold without creep.

At rest any sliding is an infinite slip.  Below `STICKING_SPEED` slips count as no larger than those of the
peaks, so that a wheel at rest holds as much as it can hold at all before it slides.

The shifts of the curves, which leave a force without slip, go with the speed: the horizontal ones into v, the
vertical ones at once into the force.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, arctan, maximum
from ce_dynamics.models.parts.deflection import deflection_force, deflection_rate, excess_release
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.tyres.contract import (
    DEFLECTIONS,
    TINY_SPEED,
    TyreAnswer,
    TyreModel,
    WheelOnRoad,
)
from ce_dynamics.models.tyres.magic_formula import aligning as mz, lateral as fy, longitudinal as fx
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import absent, secant, side
from ce_dynamics.models.tyres.magic_formula.effective_radius import turning
from ce_dynamics.models.tyres.magic_formula.friction_ellipse import combined
from ce_dynamics.models.tyres.magic_formula.loaded_radius import Surroundings, linear_term, load, load_61
from ce_dynamics.models.tyres.magic_formula.mode import Mode
from ce_dynamics.models.tyres.magic_formula.operating_point import (
    Inputs,
    OperatingPoint,
    low_speed_reduction,
    operating_point,
    within,
)
from ce_dynamics.models.tyres.magic_formula.overturning import overturning
from ce_dynamics.models.tyres.magic_formula.peak import peak_slips
from ce_dynamics.models.tyres.magic_formula.relaxation import contact_stiffness, relaxation
from ce_dynamics.models.tyres.magic_formula.rolling_resistance import rolling_resistance
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula

DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""

RELEASE_SPEED = 10.0
"""[m/s] per nominal load: how fast deflection is shed that exceeds what friction holds."""

STICKING_SPEED = 0.2
"""[m/s] at which sliding has become that of the curve."""

_TINY_LENGTH = 1e-6


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


class MagicFormulaTyre(TyreModel):
    """A Magic Formula tyre on a vehicle.

    Parameters
    ----------
    tyre : MagicFormula
        The tyre, and the side on which it is mounted.
    pressure : float, optional
        Inflation pressure [Pa]; that of the file if not given.
    reference_friction : float
        Friction coefficient of the road for which the coefficients hold.
    turn_slip : bool, optional
        Whether spin is included; as the file's USE_MODE says if not given.
    """

    states = DEFLECTIONS

    def __init__(
        self,
        tyre: MagicFormula,
        pressure: float | None = None,
        reference_friction: float = 1.0,
        turn_slip: bool | None = None,
    ) -> None:
        self.tyre = checks.instance("tyre", tyre, MagicFormula, "a tyre, for example MagicFormula.read(path)")
        self.coefficients = c = both_ways(tyre.coefficients)
        self.pressure = c.INFLPRES if pressure is None else checks.number("pressure", pressure, above=0.0)
        self.reference_friction = checks.number("reference_friction", reference_friction, above=0.0)
        self.peak = peak_slips(c)
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
    def tread_width(self) -> float:
        return self.tyre.coefficients.WIDTH

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        if not self.tyre.is_mirrored:
            return self.forces(wheel, x[0], x[1])
        image = wheel._replace(v_y=-wheel.v_y, gamma=-wheel.gamma, yaw_rate=-wheel.yaw_rate)
        f = self.forces(image, x[0], -x[1])
        x_dot, y_dot = f.x_dot
        return f._replace(Fy=-f.Fy, Mx=-f.Mx, Mz=-f.Mz, x_dot=(x_dot, -y_dot), slip_angle=-f.slip_angle)

    def forces(self, wheel: WheelOnRoad, x: Scalar, y: Scalar) -> TyreAnswer:
        """The answer of the tyre as its coefficients have it, for the deflections x and y [m]."""
        c, mode = self.coefficients, self.mode
        Fz, rho, potential = vertical(c, wheel, self.pressure, x, y)
        dpi = c.LIP * self.pressure / c.NOMPRES - 1.0
        Re = turning(c, Fz, wheel.spin, dpi).Re
        speed = absolute(wheel.v_x) + TINY_SPEED
        forward = side(wheel.v_x)
        Vsx = wheel.v_x - Re * wheel.spin
        kappa, tan_alpha = -forward * Vsx / speed, wheel.v_y / speed
        moving = (absolute(wheel.v_x) + absolute(wheel.v_y) + absolute(Vsx)) / STICKING_SPEED
        reach = 1.0 / (1.0 - smooth_step(moving) + TINY_SPEED)
        inputs = Inputs(
            Fz=Fz,
            kappa=within(kappa, -reach * self.peak.kappa, reach * self.peak.kappa),
            alpha=0.0,
            gamma=wheel.gamma,
            phit=-wheel.yaw_rate / maximum(absolute(wheel.v_x), c.VXLOW),
            Vx=forward * speed,
            p=self.pressure,
            omega=wheel.spin,
            friction=maximum(wheel.friction / self.reference_friction, 1e-6),
            tan_alpha=within(tan_alpha, -reach * self.peak.tan_alpha, reach * self.peak.tan_alpha),
        )
        s = operating_point(c, mode, inputs)
        px = fx.pure(c, mode, s)
        py = fy.pure(c, mode, s, s.gamma_star)
        upright = fy.pure(c, mode, s, 0.0)
        both = combined(c, mode, s, px, py, upright)
        w = both.y
        across = along_y(s, py, w, wheel.v_y, speed, forward)
        along = along_x(s, px, both.Gxa, kappa, Vsx, speed, forward)
        tread = relaxation(c, s, px.Kxk, py.Kya)
        stiff_x = stiffness(c.version == 52 and not absent(c.PTX1), px.Kxk, tread.sigmax, tread.Cx)
        stiff_y = stiffness(
            c.version == 52 and not (absent(c.PTY1) or absent(c.PTY2)), py.Kya, tread.sigmay, tread.Cy
        )
        damping = c.DAMP_RESIDUAL + c.DAMP_VLOW * (1.0 - low_speed_reduction(c, wheel.v_x)[1])
        Fx, x_dot = deflected(along, stiff_x, damping, x, px.mux * Fz, c.FNOMIN)
        Fy, y_dot = deflected(across, stiff_y, damping, y, absolute(py.muy) * Fz, c.FNOMIN)
        # Moments are those of the steady state, with arms that feel the transient forces.
        m = mz.aligning(c, mode, s, py, upright, both.upright, px.Kxk, along.steady, across.steady)
        arm = mz.arm_of_Fx(c, s, across.steady)
        Mz = m.Mz - m.t * (Fy - across.steady) + arm * (Fx - along.steady)
        return TyreAnswer(
            Fx=Fx,
            Fy=Fy,
            Fz=Fz,
            Mx=overturning(c, s, Fy),
            My=rolling_resistance(c, s, Fx),
            Mz=Mz,
            x_dot=(x_dot, y_dot),
            slip=kappa,
            slip_angle=-arctan(tan_alpha),
            deflection=rho,
            rolling_speed=Re * wheel.spin,
            potential=potential + 0.5 * (stiff_x * x * x + stiff_y * y * y),
        )


def both_ways(c: Coefficients) -> Coefficients:
    """Ranges of slips that are as wide to either side: a tyre measured under braking drives as well."""
    kappa, alpha = (max(-low, high) for low, high in ((c.KPUMIN, c.KPUMAX), (c.ALPMIN, c.ALPMAX)))
    return replace(c, KPUMIN=-kappa, KPUMAX=kappa, ALPMIN=-alpha, ALPMAX=alpha)


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
    around = Surroundings(wheel.spin, R_omega, dpi, wheel.gamma, 0.0, 0.0)
    if not (absent(c.Q_FCX) and absent(c.Q_FCY)):
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
    # Of the load, the share of the integral of (q1 d + q2 d²) in it.
    part = c.UNLOADED_RADIUS * d * (0.5 * q_1 + q_2 * d / 3.0) / (q_1 + q_2 * d)
    return Fz, on_tyre.rho, part * on_tyre.Fz + 0.5 * c.BOTTOM_STIFF * rim * rim


def along_x(
    s: OperatingPoint,
    p: fx.Longitudinal,
    G: Scalar,
    kappa: Scalar,
    Vsx: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Sliding along the wheel (a)."""
    steady = G * p.Fx0
    offset = forward * G * p.SVx
    # Beyond the range of the file the force stays and the slip does not: the secant is that of the latter.
    shift = p.kappa_x - s.kappa
    S = secant(steady - offset, kappa + shift, G * p.Kxk)
    return Sliding(speed, S, Vsx - forward * shift * speed, offset, steady)


def along_y(
    s: OperatingPoint,
    p: fy.Lateral,
    w: fy.Weight,
    Vsy: Scalar,
    speed: Scalar,
    forward: Scalar,
) -> Sliding:
    """Sliding across the wheel (a)."""
    steady = fy.combined(p.Fy0, w)
    offset = w.Gyk * forward * p.SVy + w.SVyk
    S = secant(steady - offset, Vsy / speed + forward * p.SHy, w.Gyk * p.Kya)
    return Sliding(speed, S, Vsy + forward * p.SHy * speed, offset, steady)


def stiffness(by_length: bool, K: Scalar, sigma: Scalar, C: Scalar) -> Scalar:
    """Stiffness at the contact [N/m]: C of the file, or in 5.2 K/σ where it has relaxation lengths."""
    if not by_length:
        return C
    return (absolute(K) + _TINY_LENGTH * C) / (absolute(sigma) + _TINY_LENGTH)


def deflected(
    a: Sliding, C: Scalar, damping: Scalar, x: Scalar, capacity: Scalar, nominal: Scalar
) -> tuple[Scalar, Scalar]:
    """Force of one axis [N] and rate of its deflection [m/s]."""
    W = a.W + excess_release(C * x, capacity, nominal, RELEASE_SPEED)
    d = C * damping
    force = deflection_force(C, d, x, a.v, W, a.G) + a.offset
    return force, deflection_rate(C, d, x, a.v, W, a.G)
