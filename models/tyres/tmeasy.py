"""TMeasy under the contract of tyre models."""

from __future__ import annotations

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, arctan, maximum, minimum, sin, sqrt
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.parts.rounding import smooth_step
from ce_dynamics.models.tyres.contract import (
    DAMPING_ONSET,
    DEFLECTIONS,
    TyreAnswer,
    TyreModel,
    WheelOnRoad,
    deflect,
)
from ce_dynamics.models.tyres.tmeasy_curves import (
    TMeasyParameters,
    axis_curve,
    force_over_slip,
    load_factor,
    pneumatic_trail,
    slip_force,
)

_TINY = 1e-24


def vertical_force(p: TMeasyParameters, deflection: Scalar, rate: Scalar) -> Scalar:
    """Return Fz = c_z δ + d_z δ̇, never pulling, zero in the air, continuous where the wheel touches down.

    Where the rim meets the road its spring carries as well.
    """
    depth = maximum(deflection, 0.0)
    onset = smooth_step(depth / DAMPING_ONSET)
    elastic = p.cz * depth + p.rim_stiffness * rim_depth(p, deflection)
    return maximum(elastic + p.dz * onset * rate, 0.0)


def rim_depth(p: TMeasyParameters, deflection: Scalar) -> Scalar:
    """Return the penetration of the rim into the road [m]; zero if the tyre has no rim."""
    return maximum(deflection - (p.radius - p.rim_radius), 0.0) if has_rim(p) else 0.0


def has_rim(p: TMeasyParameters) -> bool:
    """Return True if the tyre has a rim, that is, a rim stiffness above zero."""
    return bool(nominal(p.rim_stiffness) > 0.0)


def vertical_energy(p: TMeasyParameters, deflection: Scalar) -> Scalar:
    """Return the energy stored by the load [J]."""
    depth, rim = maximum(deflection, 0.0), rim_depth(p, deflection)
    return 0.5 * (p.cz * depth * depth + p.rim_stiffness * rim * rim)


def camber_velocity(p: TMeasyParameters, c: WheelOnRoad, deflection: Scalar, u: Scalar) -> Scalar:
    """Return the lateral sliding that a cambered wheel has of its own [m/s], whichever way it rolls.

    Tread on its way through the contact of length L is led aside by a parabola of slope L sin γ/(2 r_D) at
    its ends.
    """
    slope = 0.5 * contact_length(p, deflection) / effective_radius(p, c.radius) * sin(c.gamma)
    return p.camber_thrust * slope * u


def bore_moment(p: TMeasyParameters, c: WheelOnRoad, Fz: Scalar, s: Scalar, u: Scalar) -> Scalar:
    """Return Rill's bore moment T = −R_B F(s_G) s_B/s_G, s_B = R_B ω_n/(r_D |Ω|), of turning on the spot."""
    z = load_factor(p, Fz)
    s_B = p.bore_radius * c.yaw_rate / (u + p.slip_speed)
    curve = axis_curve(p, "y", z, c.friction / p.mu0)
    s_G = sqrt(s * s + s_B * s_B + _TINY)
    return -p.bore_radius * z * p.pn * force_over_slip(curve, s_G) * s_B


def effective_radius(p: TMeasyParameters, radius: Scalar) -> Scalar:
    """Return the rolling radius r_D = (2 r0 + r_S)/3; the unloaded radius in the air."""
    return (2.0 * p.radius + minimum(radius, p.radius)) / 3.0


def contact_length(p: TMeasyParameters, deflection: Scalar) -> Scalar:
    """Return L = 2 √(r0 δ); zero in the air (to 1e-12 m, which keeps its derivative finite)."""
    return 2.0 * sqrt(p.radius * maximum(deflection, 0.0) + _TINY)


def tyre_forces(p: TMeasyParameters, c: WheelOnRoad, x_e: Scalar, y_e: Scalar) -> TyreAnswer:
    """Return forces at the contact for the tread's deflections x_e, y_e [m], and their rates."""
    deflection = p.radius - c.radius
    Fz = vertical_force(p, deflection, -c.radius_rate)
    friction = c.friction / p.mu0
    transport = effective_radius(p, c.radius) * c.spin
    u = absolute(transport)
    v_x, v_y = c.v_x - transport, c.v_y + camber_velocity(p, c, deflection, u)
    f = slip_force(p, Fz, friction, u, v_x, v_y)
    Fx, x_dot = deflect(p.cx, p.dx, x_e, v_x, f.W_x, f.G_x, f.FM_x, p.pn)
    Fy, y_dot = deflect(p.cy, p.dy, y_e, v_y, f.W_y, f.G_y, f.FM_y, p.pn)
    # Slips as reported, and as the trail takes them, with Rill's small speed in the denominator.
    s_x, s_y = -v_x / (u + p.slip_speed), -c.v_y / (u + p.slip_speed)
    trail = pneumatic_trail(p, Fz, s_y, friction, contact_length(p, deflection))
    bore: Scalar = 0.0
    if nominal(p.bore_radius) > 0.0:
        bore = bore_moment(p, c, Fz, sqrt(s_x * s_x + s_y * s_y), u)
    My = -p.rolling_resistance * Fz * p.radius * transport / (u + p.slip_speed)
    return TyreAnswer(
        Fx=Fx,
        Fy=Fy,
        Fz=Fz,
        Mx=p.overturning * Fz * y_e,
        My=My,
        Mz=-trail * Fy + bore,
        x_dot=(x_dot, y_dot),
        slip=s_x,
        slip_angle=arctan(s_y),
        deflection=maximum(deflection, 0.0),
        rolling_speed=transport,
        potential=vertical_energy(p, deflection) + 0.5 * (p.cx * x_e * x_e + p.cy * y_e * y_e),
    )


class TMeasyTyre(TyreModel):
    """A TMeasy tyre (Rill).

    Parameters
    ----------
    parameters : TMeasyParameters
    """

    states = DEFLECTIONS

    def __init__(self, parameters: TMeasyParameters) -> None:
        self.parameters = checks.instance(
            "parameters", parameters, TMeasyParameters, "those of a TMeasy tyre"
        )

    @property
    def unloaded_radius(self) -> float:
        return self.parameters.radius

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        return tyre_forces(self.parameters, wheel, x[0], x[1])
