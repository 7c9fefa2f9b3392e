"""The TMeasy tyre on a road: contact geometry, vertical force, first-order horizontal forces, torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.algebra.arrays import (
    Array,
    Scalar,
    absolute,
    arctan,
    array,
    cross,
    dot,
    maximum,
    minimum,
    sqrt,
)
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response, StateDeclaration
from ce_dynamics.models.parts.deflection import deflection_force, deflection_rate, excess_release
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.tmeasy_curve import pneumatic_trail, slip_force
from ce_dynamics.models.parts.tmeasy_parameters import TMeasyParameters

__all__ = ["Contact", "TMeasyParameters", "Tyre", "TyreForces", "contact", "tyre_forces", "vertical_force"]

DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""

RELEASE_SPEED = 10.0
"""[m/s] per nominal load: how fast horizontal deflection is shed that exceeds the maximum force."""

_TINY = 1e-24
_UP = array((0.0, 0.0, 1.0))


class Contact(NamedTuple):
    """Where and how a wheel meets the road; vectors in ground axes.

    Attributes
    ----------
    r : (3,) array
        Contact point [m].
    e_x, e_y, e_n : (3,) array
        Forward and leftward in the road plane, and its normal.
    radius : scalar
        Static radius r_S: distance of the wheel centre from the road in the wheel plane [m].
    deflection, deflection_rate : scalar
        r0 − r_S [m], negative in the air, and its rate [m/s].
    v_x, v_y : scalar
        Velocity of the contact point without the wheel's spin, in the road plane [m/s].
    spin : scalar
        Angular velocity about the spin axis Ω [rad/s].
    friction : scalar
        Friction coefficient of the road.
    """

    r: Array
    e_x: Array
    e_y: Array
    e_n: Array
    radius: Scalar
    deflection: Scalar
    deflection_rate: Scalar
    v_x: Scalar
    v_y: Scalar
    spin: Scalar
    friction: Scalar


class TyreForces(NamedTuple):
    """Forces [N] and torques [N m] at the contact point, rates of the deflections, slips."""

    Fx: Scalar
    Fy: Scalar
    Fz: Scalar
    My: Scalar
    Mz: Scalar
    x_dot: Scalar
    y_dot: Scalar
    s_x: Scalar
    s_y: Scalar


def contact(road: Road, r0: float, r: Array, axis: Array, v: Array, omega: Array) -> Contact:
    """Contact of a wheel with the road's tangent plane below it.

    Parameters
    ----------
    road : Road
        The road.
    r0 : float
        Unloaded radius [m].
    r, v : (3,) array
        Position and velocity of the wheel centre in ground axes.
    axis : (3,) array
        Unit spin axis, to the left, in ground axes.
    omega : (3,) array
        Angular velocity of the wheel in ground axes.
    """
    # The road below the lowest point of the unloaded wheel.
    down = _UP - dot(_UP, axis) * axis
    low = r - (r0 / _length(down)) * down
    e_n = road.normal(low[0], low[1])
    ground = array((low[0], low[1], road.height(low[0], low[1])))
    forward = cross(axis, e_n)
    e_x = forward / _length(forward)
    e_y = cross(e_n, e_x)
    radial = cross(e_x, axis)  # up, in the wheel plane
    cos_camber = _length(forward)  # = radial · e_n
    radius = dot(r - ground, e_n) / cos_camber
    arm = -radius * radial
    spin = dot(omega, axis)
    v_contact = v + cross(omega - spin * axis, arm)
    # The contact point stays in the road plane: e_n · (v_contact − ṙ_S radial) = 0.
    radius_rate = dot(e_n, v_contact) / cos_camber
    v_road = v_contact - radius_rate * radial
    return Contact(
        r + arm,
        e_x,
        e_y,
        e_n,
        radius,
        r0 - radius,
        -radius_rate,
        dot(e_x, v_road),
        dot(e_y, v_road),
        spin,
        road.friction(low[0], low[1]),
    )


def vertical_force(p: TMeasyParameters, deflection: Scalar, rate: Scalar) -> Scalar:
    """Fz = c_z δ + d_z δ̇, never pulling, zero in the air, continuous where the wheel touches down."""
    depth = maximum(deflection, 0.0)
    onset = smooth_step(depth / DAMPING_ONSET)
    return maximum(p.cz * depth + p.dz * onset * rate, 0.0)


def effective_radius(p: TMeasyParameters, radius: Scalar) -> Scalar:
    """Dynamic rolling radius r_D = (2 r0 + r_S)/3; the unloaded radius in the air."""
    return (2.0 * p.unloaded_radius + minimum(radius, p.unloaded_radius)) / 3.0


def contact_length(p: TMeasyParameters, deflection: Scalar) -> Scalar:
    """L = 2 √(r0 δ); zero in the air (to 1e-12 m, which keeps its derivative finite)."""
    return 2.0 * sqrt(p.unloaded_radius * maximum(deflection, 0.0) + _TINY)


def tyre_forces(p: TMeasyParameters, c: Contact, x_e: Scalar, y_e: Scalar) -> TyreForces:
    """Forces at the contact for the tread's deflections x_e, y_e [m]."""
    Fz = vertical_force(p, c.deflection, c.deflection_rate)
    friction = c.friction / p.mu0
    transport = effective_radius(p, c.radius) * c.spin
    u = absolute(transport)
    v_x, v_y = c.v_x - transport, c.v_y
    f = slip_force(p, Fz, friction, u, v_x, v_y)
    W_x = f.W_x + excess_release(p.cx * x_e, f.FM_x, p.pn, RELEASE_SPEED)
    W_y = f.W_y + excess_release(p.cy * y_e, f.FM_y, p.pn, RELEASE_SPEED)
    Fx = deflection_force(p.cx, p.dx, x_e, v_x, W_x, f.G_x)
    Fy = deflection_force(p.cy, p.dy, y_e, v_y, W_y, f.G_y)
    # Slips as reported, and as the trail sees them, with Rill's small speed in the denominator.
    s_x, s_y = -v_x / (u + p.v_n), -v_y / (u + p.v_n)
    trail = pneumatic_trail(p, Fz, s_y, friction, contact_length(p, c.deflection))
    My = -p.rolling_resistance * Fz * p.unloaded_radius * transport / (u + p.v_n)
    return TyreForces(
        Fx,
        Fy,
        Fz,
        My,
        -trail * Fy,
        deflection_rate(p.cx, p.dx, x_e, v_x, W_x, f.G_x),
        deflection_rate(p.cy, p.dy, y_e, v_y, W_y, f.G_y),
        s_x,
        s_y,
    )


def _length(a: Array) -> Scalar:
    """Length of a vector, never quite zero: a wheel lying flat has no direction, but no NaN either."""
    return sqrt(dot(a, a) + _TINY)


class Tyre(ForceElement):
    """A TMeasy tyre between a wheel and the ground.

    The spin axis is taken from the carrier and only the centre and the angular velocity from the wheel, so
    that the wheel's body frame need not spin with it.  Turning on the spot about the road's normal meets no
    bore torque, and the overturning torque of the lateral deflection is neglected.

    Parameters
    ----------
    name : str
        Unique in the system.
    wheel : Body
        The wheel the forces act on.
    carrier : Body
        The body that carries it (the upright).
    centre : (3,) array_like
        Wheel centre in the design pose [m].
    spin_axis : (3,) array_like
        Spin axis in the design pose, to the left (about which rolling forward is positive).
    parameters : TMeasyParameters
        The tyre's data.
    road : Road
        What it rolls on.
    ground : Body
        The system's ground.
    """

    states = (StateDeclaration("x_e", "m"), StateDeclaration("y_e", "m"))
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
        centre: object,
        spin_axis: object,
        parameters: TMeasyParameters,
        road: Road,
        ground: Body,
    ) -> None:
        self.name = name
        self.wheel = wheel
        self.carrier = carrier
        self.centre = finite_vector(centre, f"tyre {name}", "centre")
        self.spin_axis = unit_axis(spin_axis, f"tyre {name}")
        self.parameters = parameters
        self.road = road
        self.ground = ground

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.parameters.unloaded_radius

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.wheel, self.centre), (self.carrier, self.centre), (self.ground, self.centre))

    def contact(self, observer: Observer) -> Contact:
        """The contact for the observed motion."""
        centre = observer.point(self.wheel, self.centre, self.ground)
        axis = observer.direction(self.carrier, self.spin_axis, self.ground)
        omega = observer.angular_velocity(self.wheel, self.ground)
        return contact(self.road, self.parameters.unloaded_radius, centre.r, axis, centre.v, omega)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p, c = self.parameters, self.contact(observer)
        f = tyre_forces(p, c, x[0], x[1])
        axis = observer.direction(self.carrier, self.spin_axis, self.ground)
        force = f.Fx * c.e_x + f.Fy * c.e_y + f.Fz * c.e_n
        torque = f.My * axis + f.Mz * c.e_n
        depth = maximum(c.deflection, 0.0)
        stored = p.cz * depth * depth + p.cx * x[0] * x[0] + p.cy * x[1] * x[1]
        return Response(
            loads=(PointLoad(self.wheel, self.ground, c.r, force, torque),),
            x_dot=(f.x_dot, f.y_dot),
            outputs={
                "Fz": f.Fz,
                "Fx": f.Fx,
                "Fy": f.Fy,
                "Mz": f.Mz,
                "slip": f.s_x,
                "slip_angle": arctan(f.s_y),
                "deflection": depth,
            },
            potential=0.5 * stored,
        )
