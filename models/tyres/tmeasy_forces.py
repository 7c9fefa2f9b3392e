"""TMeasy on a road: vertical force, first-order horizontal forces, torques."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, sqrt
from ce_dynamics.models.parts.deflection import deflection_force, deflection_rate, excess_release
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.parts.tmeasy_curve import pneumatic_trail, slip_force
from ce_dynamics.models.parts.tmeasy_parameters import TMeasyParameters
from ce_dynamics.models.tyres.contract import WheelOnRoad

DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""

RELEASE_SPEED = 10.0
"""[m/s] per nominal load: how fast horizontal deflection is shed that exceeds the maximum force."""

_TINY = 1e-24


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


def tyre_forces(p: TMeasyParameters, c: WheelOnRoad, x_e: Scalar, y_e: Scalar) -> TyreForces:
    """Forces at the contact for the tread's deflections x_e, y_e [m]."""
    deflection = p.unloaded_radius - c.radius
    Fz = vertical_force(p, deflection, -c.radius_rate)
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
    trail = pneumatic_trail(p, Fz, s_y, friction, contact_length(p, deflection))
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
