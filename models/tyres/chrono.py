"""Tyres as Project Chrono evaluates them, for comparisons with its vehicles.

Common to all of its tyre models, beside the library's:

- Forces follow the slips at once: there are no relaxation lengths and there is no carcass.
- The contact's axes along and across are e_w × e_n and e_n × (e_w × e_n) for the wheel's axis e_w and the
  road's normal e_n, of length cos γ.  Chrono makes a quaternion of this matrix and turns vectors by that, see
  `contact_axes`: the velocities, and once more the forces.  A cambered wheel so depends on its heading.
- Slips are formed with the velocity of the wheel's centre.
- A cambered wheel is less deep in the road by (1 − cos γ) of its radius.
- The moment about the wheel's centre is kept in the axes of the wheel, which turn on before it acts (a delay
  of one of Chrono's steps).  About the spin axis that changes nothing; the side force's, F_y R about the line
  of travel, gets a part about the vertical, as if F_y acted behind by R ω times the delay.
- Below 3 m/s friction of Dahl's kind takes over, below 1 m/s alone, also where the vehicle drives backwards.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    absolute,
    arctan,
    cos,
    exp,
    maximum,
    minimum,
    sin,
    sqrt,
    where,
)
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.rounding import unit_clip
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.magic_formula import lateral as fy, longitudinal as fx, moments as mz
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import is_absent, sine_curve
from ce_dynamics.models.tyres.magic_formula.operating_point import (
    Inputs,
    Mode,
    OperatingPoint,
    operating_point,
)
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.tyres.simple.base import SlipModel
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from ce_dynamics.models.tyres.tmeasy import contact_length, vertical_energy, vertical_force
from ce_dynamics.models.tyres.tmeasy_curves import (
    SlipCurve,
    TMeasyParameters,
    axis_curve,
    force_over_slip,
    load_factor,
    pneumatic_trail,
)

DAHL_STIFFNESS, DAHL_DAMPING = 1e5, 5e3
"""[N/m], [N s/m] of the friction at rest."""
FASTEST = 1e3
"""[1/s]; in contact with 4 kN, sliding reaches it at 40 m/s, where slip has long taken over."""
BLEND = 1.0, 3.0
"""[m/s] between which slip takes over from friction at rest."""
STEEPEST = math.radians(4.0)
"""[rad] of inclination up to which the righting moment grows."""
TINY = 1e-12
SLOWEST = 0.1
"""Speed that slips are divided by at least [m/s]; friction at rest acts alone there."""


class ChronoContact(NamedTuple):
    """A wheel on the road as Chrono's tyres see it.

    Attributes
    ----------
    Fz, depth : scalar
        Load [N] and depth of the wheel in the road [m].
    friction : scalar
        Of the road.
    v_x, v_y : scalar
        Velocity of the wheel's centre along the contact's axes [m/s].
    spin, gamma : scalar
        [rad/s], [rad].
    """

    Fz: Scalar
    depth: Scalar
    friction: Scalar
    v_x: Scalar
    v_y: Scalar
    spin: Scalar
    gamma: Scalar


class SlipForces(NamedTuple):
    """Forces [N] and moments [N m] that follow the slips, and these; the moment about x without righting."""

    Fx: Scalar
    Fy: Scalar
    Mz: Scalar
    s_x: Scalar
    s_y: Scalar
    Mx: Scalar = 0.0


def combine_curves(x: SlipCurve, y: SlipCurve, c: Scalar, s: Scalar) -> SlipCurve:
    """Return the curve in the direction (c, s) of the slips: each number by its components in both axes."""
    numbers = [sqrt(a * a * c * c + b * b * s * s) for a, b in zip(x, y, strict=True)]
    dF0, FM, sM, FS, sS = numbers
    return SlipCurve(maximum(dF0, 2.0 * FM / sM), FM, sM, FS, sS)


def dahl(v: Scalar, z: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """Return the friction at rest against a velocity v, deflected by z, that holds `most`; and the rate of z.

    Without load z relaxes.  Fast sliding under next to none is followed no faster than `FASTEST`, so that
    steps of a simulation remain stable; z then exceeds what friction holds, to which the force is cut.
    """
    held = minimum(most, 1.0)
    followed = minimum(DAHL_STIFFNESS * absolute(v) / (most + 1.0), FASTEST)
    rate = held * v - (followed + (1.0 - held) * FASTEST) * z
    force = -(DAHL_STIFFNESS * z + DAHL_DAMPING * rate)
    return minimum(maximum(force, -most), most), rate


class ContactAxes(NamedTuple):
    """Turn of vectors from contact axes to those of the heading by a quaternion that is no unit quaternion.

    Attributes
    ----------
    along, across, upward : scalar
        Images of the axes x, y, z are (along, across, 0), (−across, along, 0) and (0, 0, upward).
    """

    along: Scalar
    across: Scalar
    upward: Scalar

    def turn(self, x: Scalar, y: Scalar, z: Scalar) -> list[Scalar]:
        """Return a vector in the axes of the heading."""
        return [self.along * x - self.across * y, self.across * x + self.along * y, self.upward * z]

    def turn_back(self, x: Scalar, y: Scalar, z: Scalar) -> list[Scalar]:
        """Return a vector in contact axes, by the transposed matrix."""
        return [self.along * x + self.across * y, self.along * y - self.across * x, self.upward * z]


def contact_axes(upright: Scalar, heading: tuple[Scalar, Scalar]) -> ContactAxes:
    """Return how Chrono turns vectors of a wheel with cos γ = c on a level road, by its heading ψ.

    Of the matrix (c cos ψ, −c sin ψ, 0; c sin ψ, c cos ψ, 0; 0, 0, 1) `ChMatrix33::GetQuaternion` makes
    e_0 = s/2, e_3 = c sin ψ/s with s² = 2 + 2 c cos ψ where its trace is not negative, else e_3 = s/2,
    e_0 = c sin ψ/s with s² = 2 − 2 c cos ψ.  `ChQuaternion::Rotate` has 2 (e_0² + e_i²) − 1 on its diagonal.
    """
    cosine, sine = heading
    X, Y = upright * cosine, upright * sine
    turned = 2.0 * X + 1.0 < 0.0
    size = where(turned, -X, X)  # at least −½
    part = Y * Y / (1.0 + size)
    return ContactAxes(
        where(turned, (part - 1.0) * cosine + Y * sine, upright),
        where(turned, Y * cosine - (part - 1.0) * sine, 0.0),
        part + size,
    )


@dataclass(frozen=True, kw_only=True)
class ChronoTyre(TyreModel):
    """Base of Chrono's tyre models.

    Attributes
    ----------
    width : float
        Of the contact [m], for what rights a cambered wheel.
    delay : float
        Of the moments in the axes of the wheel [s].
    """

    width: float = 0.0
    delay: float = 0.0

    states = (StateDeclaration("z_x", "m"), StateDeclaration("z_y", "m"))

    @property
    @abstractmethod
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""

    @property
    @abstractmethod
    def own_friction(self) -> float:
        """Friction coefficient of the road of the measurement."""

    @abstractmethod
    def load(self, depth: Scalar, rate: Scalar) -> Scalar:
        """Load at a depth [m] and its rate."""

    @abstractmethod
    def compute_stored_energy(self, depth: Scalar) -> Scalar:
        """Return the energy stored by the load [J]."""

    @abstractmethod
    def rolling_radius(self, depth: Scalar) -> Scalar:
        """Return the radius that slips are formed with [m]."""

    @abstractmethod
    def rolling_arm(self, depth: Scalar) -> Scalar:
        """Return the moment of rolling resistance over the load [m]."""

    @abstractmethod
    def slip_forces(self, at: ChronoContact) -> SlipForces:
        """Return forces at slips; the road's friction is that of the measurement times `own_friction`."""

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        r0 = self.unloaded_radius
        lean, upright = sin(wheel.gamma), cos(wheel.gamma)
        depth = (r0 - wheel.radius) * upright * upright - r0 * (1.0 - upright)
        axes = contact_axes(upright, wheel.heading)
        v_x, v_y, v_z = axes.turn_back(*wheel.v_centre)
        Fz = self.load(depth, -v_z)
        f = self.slip_forces(ChronoContact(Fz, depth, wheel.friction, v_x, v_y, wheel.spin, wheel.gamma))
        rolling = self.rolling_radius(depth) * wheel.spin
        most = Fz * wheel.friction / self.own_friction
        (rest_x, z_x), (rest_y, z_y) = dahl(v_x - rolling, x[0], most), dahl(v_y, x[1], most)
        lowest, highest = BLEND
        part = unit_clip((v_x - lowest) / (highest - lowest))
        part = part - sin(2.0 * math.pi * part) / (2.0 * math.pi)
        Fx = part * f.Fx + (1.0 - part) * rest_x
        Fy = part * f.Fy + (1.0 - part) * rest_y
        # tanh by exp of a bounded argument
        e = exp(minimum(maximum(-2.0 * wheel.spin, -60.0), 60.0))
        turning = -self.rolling_arm(depth) * Fz * (1.0 - e) / (1.0 + e)
        deflection = maximum(depth, 0.0)
        loaded = minimum(maximum(Fz, 0.0), 1.0)
        steep = maximum(minimum(wheel.gamma, STEEPEST), -STEEPEST)
        righting = -loaded * self.width * self.width * self.cz / 12.0 * steep
        F = axes.turn(Fx, Fy, Fz)
        M = axes.turn(righting + part * f.Mx, turning, part * f.Mz)
        # moved to the contact from Chrono's: the centre's projection as far along the wheel's plane as the
        # centre lies above where the lowest point of the disc is projected to
        moved = (r0 - wheel.radius) * lean * lean * lean
        M_x, M_y, M_z = M[0] + moved * F[2], M[1], M[2] - moved * F[0]
        # about the wheel's centre, from which the contact lies by
        across, below = wheel.radius * lean, -wheel.radius * upright
        C_x, C_y, C_z = M_x + across * F[2] - below * F[1], M_y + below * F[0], M_z - across * F[0]
        # turned with the wheel meanwhile, about the spin axis (0, cos γ, sin γ)
        turn = wheel.spin * self.delay
        return TyreAnswer(
            Fx=F[0],
            Fy=F[1],
            Fz=F[2],
            Mx=M_x + turn * (upright * C_z - lean * C_y),
            My=M_y + turn * lean * C_x,
            Mz=M_z - turn * upright * C_x,
            x_dot=(z_x, z_y),
            slip=f.s_x,
            slip_angle=arctan(f.s_y),
            deflection=deflection,
            rolling_speed=rolling,
            potential=self.compute_stored_energy(depth)
            + (1.0 - part) * 0.5 * DAHL_STIFFNESS * (x[0] * x[0] + x[1] * x[1]),
        )


@dataclass(frozen=True)
class ChronoTMeasy(ChronoTyre):
    """A TMeasy tyre's parameters, of which the carcass is not used.

    Slips are combined without normalisation.  A cambered wheel is righted by −γ w² c_z/12 for the width w of
    its contact, up to an inclination of 4 degrees.
    """

    parameters: TMeasyParameters

    @property
    def unloaded_radius(self) -> float:
        return self.parameters.radius

    @property
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""
        return self.parameters.cz

    @property
    def own_friction(self) -> float:
        return self.parameters.mu0

    def load(self, depth: Scalar, rate: Scalar) -> Scalar:
        return vertical_force(self.parameters, depth, rate)

    def compute_stored_energy(self, depth: Scalar) -> Scalar:
        return vertical_energy(self.parameters, depth)

    def rolling_radius(self, depth: Scalar) -> Scalar:
        return self.unloaded_radius - maximum(depth, 0.0) / 3.0

    def rolling_arm(self, depth: Scalar) -> Scalar:
        return self.parameters.rolling_resistance * self.unloaded_radius

    def slip_forces(self, at: ChronoContact) -> SlipForces:
        p, mu = self.parameters, at.friction / self.own_friction
        R_e = self.rolling_radius(at.depth)
        v_t = R_e * absolute(at.spin) + p.slip_speed
        s_x, s_y = (at.spin * R_e - at.v_x) / v_t, -at.v_y / v_t
        s = sqrt(s_x * s_x + s_y * s_y + TINY * TINY)
        z = load_factor(p, at.Fz)
        # at rest, without a direction, half of each
        along, across = (sqrt(one * one + 0.5 * TINY * TINY) / s for one in (s_x, s_y))
        curve = combine_curves(axis_curve(p, "x", z, mu), axis_curve(p, "y", z, mu), along, across)
        per_slip = z * p.pn * force_over_slip(curve, s)
        Fy = per_slip * s_y
        trail = pneumatic_trail(p, at.Fz, s_y, 1.0, contact_length(p, at.depth))
        return SlipForces(per_slip * s_x, Fy, -trail * Fy, s_x, s_y)


@dataclass(frozen=True)
class ChronoSlipTyre(ChronoTyre):
    """A simple tyre by its steady state.

    Fiala's rolls on its loaded radius, TMsimple on the unloaded one less a third of its deflection.
    """

    law: SlipModel

    @property
    def unloaded_radius(self) -> float:
        return self.law.radius

    @property
    def tread_width(self) -> float:
        return self.law.tread_width

    @property
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""
        return self.law.cz

    @property
    def own_friction(self) -> float:
        return self.law.own_friction

    def load(self, depth: Scalar, rate: Scalar) -> Scalar:
        return self.law.load(maximum(depth, 0.0), rate)

    def compute_stored_energy(self, depth: Scalar) -> Scalar:
        return self.law.compute_stored_energy(maximum(depth, 0.0))

    def rolling_radius(self, depth: Scalar) -> Scalar:
        share = 1.0 / 3.0 if isinstance(self.law, TMsimpleTyre) else 1.0
        return self.unloaded_radius - share * maximum(depth, 0.0)

    def rolling_arm(self, depth: Scalar) -> Scalar:
        return self.law.rolling_resistance * self.unloaded_radius

    def slip_forces(self, at: ChronoContact) -> SlipForces:
        rolling = self.rolling_radius(at.depth) * at.spin
        by = absolute(rolling) if isinstance(self.law, TMsimpleTyre) else absolute(at.v_x)
        kappa, tan_alpha = ((v / maximum(by, SLOWEST)) for v in (rolling - at.v_x, at.v_y))
        part, loaded = limit_load(at.Fz, self.law)
        s = self.law.steady(loaded, kappa, tan_alpha, maximum(at.friction / self.own_friction, 1e-6))
        Fx, Fy = part * s.Sx * kappa, -part * s.Sy * tan_alpha
        return SlipForces(Fx, Fy, -s.trail * Fy, kappa, -tan_alpha)


def limit_load(Fz: Scalar, law: SlipModel) -> tuple[Scalar, Scalar]:
    """Return the part of a least load that is there, and a load that is not less; forces vanish with it."""
    loaded = maximum(Fz, 1e-6 * law.radius * law.cz)
    return Fz / loaded, loaded


@dataclass(frozen=True)
class ChronoPac89(ChronoSlipTyre):
    """The Magic Formula of 1989 with its own curve of the aligning moment and without combined slip.

    The side force deflects the tyre by F_y/c_y, by which load and longitudinal force have arms.

    Attributes
    ----------
    aligning : tuple of 18 float
        c0 ... c17, of loads in kN and angles in degrees.
    lateral_stiffness : float
        c_y [N/m].
    """

    aligning: Sequence[float]
    lateral_stiffness: float

    def rolling_arm(self, depth: Scalar) -> Scalar:
        return self.law.rolling_resistance * self.rolling_radius(depth)

    def slip_forces(self, at: ChronoContact) -> SlipForces:
        rolling = self.rolling_radius(at.depth) * at.spin
        kappa = minimum(maximum((rolling - at.v_x) / maximum(absolute(at.v_x), SLOWEST), -1.0), 1.0)
        tan_alpha = at.v_y / maximum(absolute(rolling), SLOWEST)
        friction = maximum(at.friction / self.own_friction, 1e-6)
        c, (part, loaded) = self.aligning, limit_load(at.Fz, self.law)
        f, gamma = 1e-3 * loaded, math.degrees(1.0) * absolute(at.gamma)
        D = f * (c[1] * f + c[2])
        slope = f * (c[3] * f + c[4]) * (1.0 - c[6] * gamma) * exp(-c[5] * f)
        E = (f * (c[7] * f + c[8]) + c[9]) * (1.0 - c[10] * gamma)
        angle = -math.degrees(1.0) * arctan(tan_alpha)
        own = part * sine_curve(D, c[0], slope / (c[0] * D), E, angle)
        Fx = part * self.law.steady(loaded, kappa, 0.0, friction).Sx * kappa
        Fy = -part * self.law.steady(loaded, 0.0, tan_alpha, friction).Sy * tan_alpha
        arm = Fy / self.lateral_stiffness
        return SlipForces(Fx, Fy, own + Fx * arm, kappa, -tan_alpha, at.Fz * arm)


@dataclass(frozen=True)
class ChronoMagicFormula(ChronoTyre):
    """The Magic Formula PAC2002: it does not resist rolling, camber has no effect, shifts act the other way.

    Beside the library's:

    - Signs of slip angle and side force are turned round, but not those of the shifts.
    - Curves have angles, not their tangents, and remain at the force of B x = π/2 beyond it.
    - Forces inclined to each other's ellipse are measured from where the curves with both shifts vanish.
    - The pneumatic trail is per scaled nominal load; with the ellipse the longitudinal force has no arm.

    Attributes
    ----------
    tyre : MagicFormula
        Mounted on the side opposite to its own.
    reference_friction : float
        Friction coefficient of the road of the measurement.
    """

    tyre: MagicFormula
    reference_friction: float

    @cached_property
    def mode(self) -> Mode:
        """Evaluation settings: angles as slips, E at most 1."""
        return Mode(limits=True, star=False, turn_slip=False, least_load=False, low_speed=False)

    @cached_property
    def coefficients(self) -> Coefficients:
        """Coefficients without the ranges of the file."""
        return replace(
            self.tyre.coefficients,
            FZMAX=MOST_LOAD,
            KPUMIN=-1.0,
            KPUMAX=1.0,
            ALPMIN=-STEEPEST_SLIP,
            ALPMAX=STEEPEST_SLIP,
        )

    @property
    def unloaded_radius(self) -> float:
        return self.tyre.coefficients.UNLOADED_RADIUS

    @property
    def tread_width(self) -> float:
        return self.tyre.coefficients.WIDTH

    @property
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""
        return self.tyre.coefficients.VERTICAL_STIFFNESS * self.tyre.coefficients.LCZ

    @property
    def own_friction(self) -> float:
        return self.reference_friction

    def load(self, depth: Scalar, rate: Scalar) -> Scalar:
        pressed = maximum(depth, 0.0)
        onset = minimum(pressed / ONSET, 1.0)
        damping = self.tyre.coefficients.VERTICAL_DAMPING
        return maximum(self.cz * pressed + damping * onset * rate, 0.0)

    def compute_stored_energy(self, depth: Scalar) -> Scalar:
        pressed = maximum(depth, 0.0)
        return 0.5 * self.cz * pressed * pressed

    def rolling_radius(self, depth: Scalar) -> Scalar:
        return self.unloaded_radius - maximum(depth, 0.0) / 3.0

    def rolling_arm(self, depth: Scalar) -> Scalar:
        return 0.0

    def slip_forces(self, at: ChronoContact) -> SlipForces:
        c, speed = self.coefficients, absolute(at.v_x) + SLOWEST
        sense = -1.0 if self.tyre.is_mirrored else 1.0
        tan_alpha, rolling = at.v_y / speed, self.rolling_radius(at.depth) * at.spin
        s = operating_point(
            c,
            self.mode,
            Inputs(
                Fz=maximum(at.Fz, 1e-3 * c.FNOMIN),
                kappa=(rolling - at.v_x) / speed,
                alpha=sense * arctan(tan_alpha),
                gamma=0.0,
                phit=0.0,
                Vx=speed,
                p=c.NOMPRES / c.LIP,
                friction=maximum(at.friction / self.reference_friction, 1e-6),
            ),
        )
        Fx, Fy, Mz = self.forces(s)
        part = minimum(at.Fz / (1e-3 * c.FNOMIN), 1.0)
        return SlipForces(part * Fx, sense * part * Fy, sense * part * Mz, s.kappa, -tan_alpha)

    def forces(self, s: OperatingPoint) -> tuple[Scalar, Scalar, Scalar]:
        """Return F_x, F_y and M_z of combined slip, on the side of the coefficients."""
        c, mode = self.coefficients, self.mode
        px, py = fx.pure(c, mode, s), fy.pure(c, mode, s, 0.0)
        Cx = c.PCX1 * c.LCX
        kappa = held(px.kappa_x, px.Kxk / (Cx * px.mux * s.Fz)) - (px.kappa_x - s.kappa)
        alpha = held(py.alpha_y, py.ByCy / (c.PCY1 * c.LCY)) - py.SHy
        Fx0 = fx.pure(c, mode, s._replace(kappa=kappa)).Fx0
        Fy0 = fy.pure(c, mode, s._replace(alpha_star=alpha), 0.0).Fy0
        induced: Scalar = 0.0
        equivalent = mz.slips(c, s, py, px.Kxk)
        if c.ellipse:
            x, y = absolute(px.kappa_x + px.SVx / px.Kxk), absolute(sin(py.alpha_y + py.SVy / py.Kya))
            Dx, Dy = absolute(px.mux) * s.Fz, absolute(py.muy) * s.Fz
            Fx = Fx0 * share(x, y * (Fx0 - px.SVx) / Dy)
            Fy = Fy0 * share(y, x * (Fy0 - py.SVy) / Dx)
        else:
            weight = fy.weight(c, mode, s, py.muy, 1.0)
            Fx, Fy, induced = Fx0 * fx.weight(c, mode, s), fy.combine_force(Fy0, weight), weight.SVyk
        if c.ellipse or is_absent(c.RCX1):  # forces are not combined
            a = equivalent._replace(alpha_r_eq=equivalent.alpha_r, alpha_t_eq=equivalent.alpha_t)
            arm: Scalar = 0.0
        else:
            a, arm = equivalent, mz.arm_of_Fx(c, s, Fy)
        trail = mz.pneumatic_trail(c, mode, s, a) / c.LFZO
        residual = mz.residual_moment(c, mode, s, py, fy.Weight(1.0, induced), a)
        return Fx, Fy, -trail * (Fy - induced) + residual + arm * Fx


def held(slip: Scalar, B: Scalar) -> Scalar:
    """Return a slip whose product with B is within ± `STEEPEST_SLIP`."""
    largest = STEEPEST_SLIP / absolute(B)
    return minimum(maximum(slip, -largest), largest)


def share(own: Scalar, other: Scalar) -> Scalar:
    """Return own/√(own² + other²); 1 where both vanish."""
    square = own * own + TINY * TINY
    return sqrt(square / (square + other * other))


STEEPEST_SLIP = 0.5 * math.pi - 0.01
"""Largest B times slip, and slip angle [rad]."""
MOST_LOAD = 1e9
"""[N]; above that of any tyre."""
ONSET = 1e-3
"""Depth over which the damping of a Magic Formula tyre sets in [m]."""
