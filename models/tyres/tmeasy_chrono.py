"""TMeasy as Project Chrono evaluates it, for comparisons with its vehicles.

It differs from `TMeasyTyre` in what follows; everything else is the same.

- Slips are formed with the velocity of the wheel's centre.
- Slips are combined without normalisation, and there is no carcass: forces follow the slips at once.
- A cambered wheel is less deep in the road by (1 − cos γ) of its radius, and righted by −γ w² c_z/12 for the
  width w of its contact, up to an inclination of 4 degrees.
- The moment about the wheel's centre is kept in the axes of the wheel, which turn on before it acts (a delay
  of one of Chrono's steps).  About the spin axis that changes nothing; the side force's, F_y R about the line
  of travel, gets a part about the vertical, as if F_y acted behind by R ω times the delay.
- Below 3 m/s friction of Dahl's kind takes over, below 1 m/s alone, also where the vehicle drives backwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
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
)
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.rounding import unit_clip
from ce_dynamics.models.parts.tmeasy_curve import (
    Curve,
    axis_curve,
    force_over_slip,
    load_factor,
    pneumatic_trail,
)
from ce_dynamics.models.parts.tmeasy_parameters import TMeasyParameters
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.tmeasy_forces import contact_length, effective_radius, vertical_force

DAHL_STIFFNESS, DAHL_DAMPING = 1e5, 5e3
"""[N/m], [N s/m] of the friction at rest."""
FASTEST = 1e3
"""[1/s]; in contact with 4 kN, sliding reaches it at 40 m/s, where slip has long taken over."""
BLEND = 1.0, 3.0
"""[m/s] between which slip takes over from friction at rest."""
STEEPEST = math.radians(4.0)
"""[rad] of inclination up to which the righting moment grows."""
TINY = 1e-12


class WheelMotion(NamedTuple):
    """Velocity of the wheel's centre along the contact's axes [m/s] and the wheel's spin [rad/s]."""

    v_x: Scalar
    v_y: Scalar
    v_z: Scalar
    spin: Scalar


class Forces(NamedTuple):
    """Forces [N] and moments [N m] in the contact's axes, rates of the friction's deflections, slips.

    ``stored`` is the energy [J] of those deflections, as far as friction at rest has taken over.
    """

    Fx: Scalar
    Fy: Scalar
    Fz: Scalar
    My: Scalar
    Mz: Scalar
    z_dot: tuple[Scalar, Scalar]
    s_x: Scalar
    s_y: Scalar
    stored: Scalar


def combined(x: Curve, y: Curve, c: Scalar, s: Scalar) -> Curve:
    """The curve in the direction (c, s) of the slips: each number by its components in both axes."""
    numbers = [sqrt(a * a * c * c + b * b * s * s) for a, b in zip(x, y, strict=True)]
    dF0, FM, sM, FS, sS = numbers
    return Curve(maximum(dF0, 2.0 * FM / sM), FM, sM, FS, sS)


def forces(
    tyre: ChronoTMeasy, depth: Scalar, friction: Scalar, w: WheelMotion, z_x: Scalar, z_y: Scalar
) -> Forces:
    """Forces at a depth [m] on a road of a friction coefficient."""
    p = tyre.parameters
    Fz = vertical_force(p, depth, -w.v_z)
    mu = friction / p.mu0
    R_e = (2.0 * p.unloaded_radius + minimum(p.unloaded_radius - depth, p.unloaded_radius)) / 3.0
    v_sx = w.v_x - w.spin * R_e
    v_t = R_e * absolute(w.spin) + p.v_n
    s_x, s_y = -v_sx / v_t, -w.v_y / v_t
    s = sqrt(s_x * s_x + s_y * s_y + TINY * TINY)
    z = load_factor(p, Fz)
    # at rest, without a direction, half of each
    along, across = (sqrt(one * one + 0.5 * TINY * TINY) / s for one in (s_x, s_y))
    curve = combined(axis_curve(p, "x", z, mu), axis_curve(p, "y", z, mu), along, across)
    per_slip = z * p.pn * force_over_slip(curve, s)
    most = Fz * mu
    at_rest = [dahl(v, deflection, most) for v, deflection in ((v_sx, z_x), (w.v_y, z_y))]
    lowest, highest = BLEND
    part = unit_clip((w.v_x - lowest) / (highest - lowest))
    part = part - sin(2.0 * math.pi * part) / (2.0 * math.pi)
    Fx = part * per_slip * s_x + (1.0 - part) * at_rest[0][0]
    Fy = part * per_slip * s_y + (1.0 - part) * at_rest[1][0]
    trail = pneumatic_trail(p, Fz, s_y, 1.0, contact_length(p, depth))
    # tanh by exp of a bounded argument
    e = exp(minimum(maximum(-2.0 * w.spin, -60.0), 60.0))
    return Forces(
        Fx,
        Fy,
        Fz,
        -p.rolling_resistance * Fz * p.unloaded_radius * (1.0 - e) / (1.0 + e),
        -Fy * trail * part,
        (at_rest[0][1], at_rest[1][1]),
        s_x,
        s_y,
        (1.0 - part) * 0.5 * DAHL_STIFFNESS * (z_x * z_x + z_y * z_y),
    )


def dahl(v: Scalar, z: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """Friction at rest against a velocity v, deflected by z, that holds `most`; and the rate of z.

    Without load z relaxes.  Fast sliding under next to none is followed no faster than `FASTEST`, so that
    steps of a simulation remain stable; z then exceeds what friction holds, to which the force is cut.
    """
    held = minimum(most, 1.0)
    followed = minimum(DAHL_STIFFNESS * absolute(v) / (most + 1.0), FASTEST)
    rate = held * v - (followed + (1.0 - held) * FASTEST) * z
    force = -(DAHL_STIFFNESS * z + DAHL_DAMPING * rate)
    return minimum(maximum(force, -most), most), rate


@dataclass(frozen=True)
class ChronoTMeasy(TyreModel):
    """A TMeasy tyre's parameters, of which the carcass is not used.

    Attributes
    ----------
    parameters : TMeasyParameters
    width : float
        Of the contact [m], for what rights a cambered wheel.
    delay : float
        Of the moments in the axes of the wheel [s].
    """

    parameters: TMeasyParameters
    width: float = 0.0
    delay: float = 0.0

    states = (StateDeclaration("z_x", "m"), StateDeclaration("z_y", "m"))

    @property
    def unloaded_radius(self) -> float:
        return self.parameters.unloaded_radius

    @property
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""
        return self.parameters.cz

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        r0 = self.unloaded_radius
        lean, upright = sin(wheel.gamma), cos(wheel.gamma)
        depth = (r0 - wheel.radius) * upright * upright - r0 * (1.0 - upright)
        f = forces(self, depth, wheel.friction, WheelMotion(*wheel.v_centre, wheel.spin), x[0], x[1])
        deflection = maximum(depth, 0.0)
        loaded = minimum(maximum(f.Fz, 0.0), 1.0)
        steep = maximum(minimum(wheel.gamma, STEEPEST), -STEEPEST)
        righting = -loaded * self.width * self.width * self.cz / 12.0 * steep
        # about the wheel's centre, from which the contact's lies by
        across, below = wheel.radius * lean, -wheel.radius * upright
        M_x = righting + across * f.Fz - below * f.Fy
        M_y = f.My + below * f.Fx
        M_z = f.Mz - across * f.Fx
        # turned with the wheel meanwhile, about the spin axis (0, cos γ, sin γ)
        turn = wheel.spin * self.delay
        return TyreAnswer(
            Fx=f.Fx,
            Fy=f.Fy,
            Fz=f.Fz,
            Mx=righting + turn * (upright * M_z - lean * M_y),
            My=f.My + turn * lean * M_x,
            Mz=f.Mz - turn * upright * M_x,
            x_dot=f.z_dot,
            slip=f.s_x,
            slip_angle=arctan(f.s_y),
            deflection=deflection,
            rolling_speed=effective_radius(self.parameters, r0 - depth) * wheel.spin,
            potential=0.5 * self.cz * deflection * deflection + f.stored,
        )
