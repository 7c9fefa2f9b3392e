"""Radii of a Magic Formula tyre, its contact patch, and its deflection under load."""

from __future__ import annotations

import math
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, arctan, maximum, minimum, sqrt, tan, where
from ce_dynamics.models.parts.rounding import finite_root
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.curve import is_absent, power

_SPIN_STEPS = 5
"""A tyre grows by less than a tenth of its radius; the error of that, squared five times, is below 1e-16."""


class Rolling(NamedTuple):
    """Effective radius R_e [m], spin Ω [rad/s], radius R_Ω [m] of the free tyre that turns so fast."""

    Re: Scalar
    omega: Scalar
    R_omega: Scalar


def stiffness(c: Coefficients, dpi: Scalar) -> Scalar:
    """Return the cz at the inflation pressure [N/m] (A3.5 of the book's appendix 3)."""
    return c.VERTICAL_STIFFNESS * c.LCZ * (1.0 + c.PFZ1 * dpi)


def free_radius(c: Coefficients, omega: Scalar) -> Scalar:
    """Return R_Ω = R0 (q_re0 + q_V1 (Ω R0/V0)²) (A3.1) [m]."""
    v = omega * c.UNLOADED_RADIUS / c.LONGVL
    return c.UNLOADED_RADIUS * (c.Q_RE0 + c.Q_V1 * v * v)


def flattening(c: Coefficients, Fz: Scalar, dpi: Scalar) -> Scalar:
    """Return R_Ω − R_e = Fz0/Cz (D_reff arctan(B_reff Fz/Fz0) + F_reff Fz/Fz0) (A3.7) [m]."""
    f = Fz / c.FNOMIN
    return c.FNOMIN / stiffness(c, dpi) * (c.DREFF * arctan(c.BREFF * f) + c.FREFF * f)


def turning(c: Coefficients, Fz: Scalar, omega: Scalar, dpi: Scalar) -> Rolling:
    """Return R_e where the spin is known (A3.7)."""
    R_omega = free_radius(c, omega)
    return Rolling(R_omega - flattening(c, Fz, dpi), omega, R_omega)


def rolling(c: Coefficients, Fz: Scalar, kappa: Scalar, Vx: Scalar, dpi: Scalar) -> Rolling:
    """Return R_e and Ω where the slip is known: Ω R_e = (1 + κ) V_x (2.5) together with (A3.7).

    R_e³ − A R_e² − B = 0, solved by Newton's method from A, the radius without growth, from where it
    climbs to the root.
    """
    R0 = c.UNLOADED_RADIUS
    A = R0 * c.Q_RE0 - flattening(c, Fz, dpi)
    v = (1.0 + kappa) * Vx
    Re = A
    if not is_absent(c.Q_V1):
        w = v * R0 / c.LONGVL
        B = R0 * c.Q_V1 * w * w
        for _ in range(_SPIN_STEPS):
            b = B / (Re * Re)
            Re = Re - (Re - A - b) / (1.0 + 2.0 * b / Re)
    omega = v / Re
    return Rolling(Re, omega, free_radius(c, omega))


class ContactPatch(NamedTuple):
    """Half length a and half width b [m]."""

    a: Scalar
    b: Scalar


def contact_patch(c: Coefficients, Fz: Scalar, dpi: Scalar) -> ContactPatch:
    """Return a and b at the load given: (9), (10) of Besselink et al. (2010), that of the manual for 5.2.

    The patch grows no further once the rim meets the road.
    """
    R0 = c.UNLOADED_RADIUS
    Cz = stiffness(c, dpi)
    Fz = minimum(Fz, (R0 - c.RIM_RADIUS - c.BOTTOM_OFFST) * Cz)
    if c.version == 52:
        q_1, q_2 = length_of_52(c)
        f = Fz / c.FNOMIN
        return ContactPatch(R0 * (q_2 * f + q_1 * finite_root(f)), 0.5 * c.WIDTH)
    d = Fz / (Cz * R0)
    a = R0 * (c.Q_RA2 * d + c.Q_RA1 * finite_root(d))
    return ContactPatch(a, c.WIDTH * (c.Q_RB2 * d + c.Q_RB1 * power(d, 1.0 / 3.0)))


def length_of_52(c: Coefficients) -> tuple[float, float]:
    """Return Q_A1 and Q_A2; where a file has neither, MF-Tyre's estimates from the stiffness."""
    if not (is_absent(c.Q_A1) and is_absent(c.Q_A2)):
        return c.Q_A1, c.Q_A2
    y = math.log10(c.linear_stiffness)
    q_1 = ((-0.0388 * y + 0.2509) * y - 0.6283) * y + 0.6279
    return q_1, 1.693 * q_1 * q_1


_NEWTON_STEPS = 7
"""From the deflection without camber; the last step is below 1e-15 of R0 (shown in the tests)."""


_LYING = 1e-12
"""cos² γ of a wheel that lies on the road."""

_NO_LOAD = 1e-9
"""Load [N] below which a wheel counts as in the air."""


class Deflection(NamedTuple):
    """Deflection ρ [m], loaded radius R_l [m], stiffness C_z = Fz/ρ [N/m]."""

    rho: Scalar
    Rl: Scalar
    Cz: Scalar


class Surroundings(NamedTuple):
    """Quantities besides the deflection on which the load depends.

    Attributes
    ----------
    omega, R_omega : scalar
        Spin [rad/s], and radius of the free tyre at this spin [m].
    dpi, gamma : scalar
        Change of pressure, camber [rad].
    Fx, Fy : scalar
        Forces at the contact [N].
    sin_gamma : scalar, optional
        sin γ, if it is at hand.
    """

    omega: Scalar
    R_omega: Scalar
    dpi: Scalar
    gamma: Scalar
    Fx: Scalar
    Fy: Scalar
    sin_gamma: Scalar | None = None

    @property
    def tan_lean(self) -> Scalar:
        """Tangent of |γ|."""
        if self.sin_gamma is None:
            return tan(absolute(self.gamma))
        s = absolute(self.sin_gamma)
        return s / sqrt(maximum(1.0 - s * s, _LYING))


def linear_term(c: Coefficients) -> Scalar:
    """Return q_Fz1, from the stiffness at Fz0: (4) of Besselink et al. (2010)."""
    k = c.linear_stiffness
    return sqrt(k * k - 4.0 * c.Q_FZ2)


def stiffening(c: Coefficients, at: Surroundings) -> tuple[Scalar, Scalar]:
    """Return 1 + q_V2 R0/V0 |Ω| − (q_Fcx Fx/Fz0)², and the factor of the pressure (A3.3)."""
    x = c.Q_FCX * at.Fx / c.FNOMIN
    grown = 1.0 + c.Q_V2 * c.UNLOADED_RADIUS / c.LONGVL * absolute(at.omega) - x * x
    return grown, 1.0 + c.PFZ1 * at.dpi


def deflection_61(c: Coefficients, Fz: Scalar, at: Surroundings) -> Deflection:
    """Return deflection and loaded radius of 6.1 (A3.2), (A3.3): the root of a quadratic."""
    R0 = c.UNLOADED_RADIUS
    grown, by_pressure = stiffening(c, at)
    y = c.Q_FCY * at.Fy / c.FNOMIN
    q = Fz / ((grown - y * y) * by_pressure * c.FNOMIN)
    q_1 = linear_term(c)
    d = 2.0 * q / (q_1 + sqrt(q_1 * q_1 + 4.0 * c.Q_FZ2 * q))  # q_Fz2 d² + q_Fz1 d = q
    rho = maximum(d * R0, 0.0)
    return Deflection(rho, maximum(at.R_omega - rho, 0.0), stiffness_of(Fz, rho))


def stiffness_of(Fz: Scalar, rho: Scalar) -> Scalar:
    """Return Fz/ρ; zero in the air."""
    touching = Fz > _NO_LOAD
    return where(touching, Fz / where(touching, rho, 1.0), 0.0)


class Load(NamedTuple):
    """Deflection ρ [m], load [N] and its slope against the sinking of the wheel [N/m]."""

    rho: Scalar
    Fz: Scalar
    slope: Scalar


def load_61(c: Coefficients, sunk: Scalar, at: Surroundings) -> Load:
    """Load of 5.2 and 6.1 where the wheel has sunk by R_Ω − R_l (A3.3); zero in the air."""
    R0 = c.UNLOADED_RADIUS
    rho = maximum(sunk, 0.0)
    d = rho / R0
    grown, by_pressure = stiffening(c, at)
    y = c.Q_FCY * at.Fy / c.FNOMIN
    factor = (grown - y * y) * by_pressure * c.FNOMIN
    q_1, q_2 = linear_term(c), c.Q_FZ2
    return Load(rho, factor * (q_1 + q_2 * d) * d, factor * (q_1 + 2.0 * q_2 * d) / R0)


def load(c: Coefficients, sunk: Scalar, at: Surroundings) -> Load:
    """Load where the wheel has sunk by R_Ω − R_l, as the version of the tyre has it."""
    return load_62(c, sunk, at) if c.version == 62 else load_61(c, sunk, at)


def load_62(c: Coefficients, sunk: Scalar, at: Surroundings) -> Load:
    """Load of 6.2 where the wheel has sunk by R_Ω − R_l; negative in the air over the crown.

    The deflection exceeds the sinking by what camber adds at the shoulder, so a leaning wheel touches before
    its crown does.
    """
    R0, R = c.UNLOADED_RADIUS, at.R_omega
    lean = absolute(at.gamma)
    shoulder, shoulder_slope = camber_deflection(c, sunk, R, at.tan_lean)
    rho = maximum(sunk + shoulder - c.Q_CAM3 * lean * sunk, 0.0)
    rho_slope = 1.0 + shoulder_slope - c.Q_CAM3 * lean
    # Fy that camber brings along leaves the stiffness alone.
    part = 1.0 - sunk / R
    Sfyg = (c.Q_FYS1 + c.Q_FYS2 * part + c.Q_FYS3 * part * part) * at.gamma
    Sfyg_slope = -(c.Q_FYS2 + 2.0 * c.Q_FYS3 * part) * at.gamma / R
    y = c.Q_FCY * (at.Fy - Sfyg) / c.FNOMIN
    y_slope = -c.Q_FCY * Sfyg_slope / c.FNOMIN
    d = rho / R0
    grown, by_pressure = stiffening(c, at)
    q_1, q_2 = linear_term(c), c.Q_FZ2
    spring, spring_slope = (q_1 + q_2 * d) * d, (q_1 + 2.0 * q_2 * d) * rho_slope / R0
    touching = where(rho > 0.0, 1.0, 0.0)
    loss: Scalar = 0.0
    loss_slope: Scalar = 0.0
    if not is_absent(c.Q_FCY):
        safe = where(rho > 0.0, d, 1.0)
        root = power(safe, 2.0 * c.Q_FCY2)
        loss_slope = root * y * (2.0 * y_slope + 2.0 * c.Q_FCY2 * y * rho_slope / (R0 * safe))
        loss = root * y * y
    factor = touching * by_pressure * c.FNOMIN
    Fz = factor * (grown - loss) * spring
    return Load(rho, Fz, factor * ((grown - loss) * spring_slope - loss_slope * spring))


def camber_deflection(c: Coefficients, sunk: Scalar, R: Scalar, tan_lean: Scalar) -> tuple[Scalar, Scalar]:
    """Return the deflection [m] by camber at the shoulder, without Q_CAM3, and its slope by the sinking."""
    if is_absent(c.Q_CAM1) and is_absent(c.Q_CAM2):
        return 0.0, 0.0
    tread_width = (1.075 - 0.5 * c.ASPECT_RATIO) * c.WIDTH
    Rl = R - sunk
    full = (c.Q_CAM1 + c.Q_CAM2 * R) * R
    part = (c.Q_CAM1 + c.Q_CAM2 * Rl) * Rl / full
    part_slope = -(c.Q_CAM1 + 2.0 * c.Q_CAM2 * Rl) / full
    width = 0.125 * tread_width * tan_lean
    return width * part * part, 2.0 * width * part * part_slope


def deflection_62(c: Coefficients, Fz: Scalar, at: Surroundings) -> Deflection:
    """Return deflection and loaded radius of 6.2, by Newton's method from those without camber."""
    sunk = deflection_61(c, Fz, at._replace(Fy=0.0)).rho
    for _ in range(_NEWTON_STEPS):
        load = load_62(c, sunk, at)
        sunk = sunk - (load.Fz - Fz) / where(load.slope > 0.0, load.slope, c.VERTICAL_STIFFNESS)
    rho = load_62(c, sunk, at).rho
    return Deflection(rho, maximum(at.R_omega - sunk, 0.0), stiffness_of(Fz, rho))


def deflection(c: Coefficients, Fz: Scalar, at: Surroundings) -> Deflection:
    """Return deflection, loaded radius and stiffness under a load, for the version of the tyre."""
    return deflection_62(c, Fz, at) if c.version == 62 else deflection_61(c, Fz, at)
