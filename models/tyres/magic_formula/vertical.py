"""Load of a Magic Formula tyre on a vehicle: tyre, its damping, the rim on the road."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.models.parts.rounding import smooth_step
from ce_dynamics.models.tyres.contract import WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import absent
from ce_dynamics.models.tyres.magic_formula.effective_radius import turning
from ce_dynamics.models.tyres.magic_formula.loaded_radius import Surroundings, linear_term, load, load_61
from ce_dynamics.models.tyres.magic_formula.relaxation import contact_stiffness

DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""


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
