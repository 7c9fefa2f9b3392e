"""TMeasy as Project Chrono evaluates it, for comparisons with its vehicles.

It differs from `Tyre` in what follows; everything else is the same.

- The force acts where the wheel's centre is projected on the road, not where the wheel's plane meets it, and
  slips are formed with the velocity of the centre.
- Slips are combined without normalisation, and there is no carcass: forces follow the slips at once.
- A cambered wheel is less deep in the road by (1 − cos γ) of its radius.
- The side force acts on the vehicle where the wheel was some time ago (a delay of two of Chrono's steps): its
  moment about the vertical is that of a point so far behind.
- Below 3 m/s friction of Dahl's kind takes over, below 1 m/s alone, also where the vehicle drives backwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    absolute,
    arctan,
    dot,
    exp,
    maximum,
    minimum,
    sin,
    sqrt,
)
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response, StateDeclaration
from ce_dynamics.models.parts.ramps import unit_clip
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.tmeasy_curve import (
    Curve,
    axis_curve,
    force_over_slip,
    load_factor,
    pneumatic_trail,
)
from ce_dynamics.models.parts.tmeasy_parameters import TMeasyParameters
from ce_dynamics.models.parts.tyre_tmeasy import contact, contact_length, vertical_force

DAHL_STIFFNESS, DAHL_DAMPING = 1e5, 5e3
"""[N/m], [N s/m] of the friction at rest."""
BLEND = 1.0, 3.0
"""[m/s] between which slip takes over from friction at rest."""
TINY = 1e-12


@dataclass(frozen=True)
class ChronoTMeasy:
    """A TMeasy tyre's parameters, of which the carcass is not used, and the delay of its side force [s]."""

    parameters: TMeasyParameters
    delay: float = 0.0

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.parameters.unloaded_radius

    @property
    def cz(self) -> float:
        """Vertical stiffness [N/m]."""
        return self.parameters.cz


class WheelMotion(NamedTuple):
    """Velocity of the wheel's centre along the contact's axes [m/s] and the wheel's spin [rad/s]."""

    v_x: Scalar
    v_y: Scalar
    v_z: Scalar
    spin: Scalar


class Forces(NamedTuple):
    """Forces [N] and moments [N m] in the contact's axes, rates of the friction's deflections, slips."""

    Fx: Scalar
    Fy: Scalar
    Fz: Scalar
    My: Scalar
    Mz: Scalar
    z_dot: tuple[Scalar, Scalar]
    s_x: Scalar
    s_y: Scalar


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
    curve = combined(axis_curve(p, "x", z, mu), axis_curve(p, "y", z, mu), s_x / s, s_y / s)
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
        -Fy * (trail * part + w.v_x * tyre.delay),
        (at_rest[0][1], at_rest[1][1]),
        s_x,
        s_y,
    )


def dahl(v: Scalar, z: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """Friction at rest against a velocity v, deflected by z, that holds `most`; and the rate of z."""
    rate = v - DAHL_STIFFNESS * z * absolute(v) / (most + 1.0)
    force = -(DAHL_STIFFNESS * z + DAHL_DAMPING * rate)
    return minimum(maximum(force, -most), most), rate


class ChronoTyre(ForceElement):
    """A `ChronoTMeasy` tyre between a wheel and the ground.

    Parameters
    ----------
    name : str
        Unique in the system.
    wheel, carrier : Body
    centre : (3,) array_like
        Wheel centre in the design pose [m].
    spin_axis : (3,) array_like
        In the design pose, to the left.
    tyre : ChronoTMeasy
    road : Road
    ground : Body
        The system's ground.
    """

    states = (StateDeclaration("z_x", "m"), StateDeclaration("z_y", "m"))
    outputs: Mapping[str, str] = {
        "Fz": "N",
        "Fx": "N",
        "Fy": "N",
        "Mz": "N*m",
        "slip": "1",
        "slip_angle": "rad",
        "deflection": "m",
    }

    def __init__(
        self,
        name: str,
        wheel: Body,
        carrier: Body,
        centre: Array,
        spin_axis: Array,
        tyre: ChronoTMeasy,
        road: Road,
        ground: Body,
    ) -> None:
        self.name = name
        self.wheel, self.carrier, self.ground = wheel, carrier, ground
        self.centre, self.spin_axis = centre, spin_axis
        self.tyre, self.road = tyre, road

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.wheel, self.centre), (self.carrier, self.centre), (self.ground, self.centre))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        centre = observer.point(self.wheel, self.centre, self.ground)
        axis = observer.direction(self.carrier, self.spin_axis, self.ground)
        omega = observer.angular_velocity(self.wheel, self.ground)
        r0 = self.tyre.unloaded_radius
        c = contact(self.road, r0, centre.r, axis, centre.v, omega)
        lean, upright = dot(axis, c.e_n), dot(axis, c.e_y)
        cos_gamma = upright / sqrt(lean * lean + upright * upright)
        depth = (r0 - c.radius) * cos_gamma * cos_gamma - r0 * (1.0 - cos_gamma)
        v = [dot(e, centre.v) for e in (c.e_x, c.e_y, c.e_n)]
        motion = WheelMotion(v[0], v[1], v[2], c.spin)
        f = forces(self.tyre, depth, c.friction, motion, x[0], x[1])
        foot = centre.r - (c.radius * cos_gamma) * c.e_n
        force = f.Fx * c.e_x + f.Fy * c.e_y + f.Fz * c.e_n
        torque = f.My * c.e_y + f.Mz * c.e_n
        deflection = maximum(depth, 0.0)
        stored = self.tyre.parameters.cz * deflection * deflection
        return Response(
            loads=(PointLoad(self.wheel, self.ground, foot, force, torque),),
            x_dot=f.z_dot,
            outputs={
                "Fz": f.Fz,
                "Fx": f.Fx,
                "Fy": f.Fy,
                "Mz": f.Mz,
                "slip": f.s_x,
                "slip_angle": arctan(f.s_y),
                "deflection": deflection,
            },
            potential=0.5 * stored,
        )
