"""Parameters of a TMeasy tyre.

The TMeasy force characteristic: load, friction and combined slip.

After Rill, Road Vehicle Dynamics (2nd ed.), chapter 3.  Forces are formed as a coefficient times the load,
so that nothing is singular at lift-off, and as functions of the transport speed u = r_D |Ω| and the sliding
velocity v instead of their quotient, the slip, so that nothing is singular at stand-still.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, sqrt, where
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number

ZERO_ALLOWED = (
    *("dz", "rolling_resistance", "camber_thrust", "overturning", "bore_radius"),
    *("rim_radius", "rim_stiffness"),
)

LoadPair = tuple[float, float]
"""A curve parameter at the nominal load pn and at 2 pn."""


@dataclass(frozen=True)
class TMeasyParameters:
    """A tyre in Rill's TMeasy description.

    Pairs hold the values at the nominal load pn and at 2 pn.

    Attributes
    ----------
    radius : float
        Unloaded, r0 [m].
    cz, dz : float
        Vertical stiffness [N/m] and damping [N s/m].
    cx, dx, cy, dy : float
        Stiffness [N/m] and damping [N s/m] of the tread's longitudinal and lateral deflection.
    pn, pn_max : float
        Nominal load and the load up to which the curves hold [N]; horizontal forces grow no further beyond
        it.
    mu0 : float
        Friction coefficient of the road for which the curves were measured.
    rolling_resistance : float
        Rolling resistance torque over load times unloaded radius.
    slip_speed : float
        v_n, added to the rolling speed wherever a reported slip is formed, and within which the rolling
        resistance changes sign [m/s].
    dfx0, dfy0 : pair of float
        Slip stiffness: initial slope of the force over the slip [N].
    fxm, fym, sxm, sym : pair of float
        Maximum force [N] and the slip at which it is reached.
    fxs, fys, sxs, sys : pair of float
        Force of full sliding [N] and the slip at which it begins.
    nL0 : pair of float
        Pneumatic trail over contact length at zero slip.
    sq0, sqe : pair of float
        Lateral slips at which the pneumatic trail passes zero, and from which on it stays zero.
    camber_thrust : float
        Share of the camber slip L sin γ/(2 r_D) that counts as lateral slip: Rill has 1/3.  Zero leaves
        camber out.
    overturning : float
        Moment about x per load and lateral deflection of the contact: 1 if the load moves with the contact.
    bore_radius : float
        Arm R_B of the friction against turning about the road's normal [m]; zero leaves it out.
    rim_radius, rim_stiffness : float
        Distance of the wheel centre from the road below which the rim carries as well [m], and its stiffness
        [N/m].
    """

    radius: float
    cz: float
    dz: float
    cx: float
    dx: float
    cy: float
    dy: float
    pn: float
    pn_max: float
    mu0: float
    rolling_resistance: float
    slip_speed: float
    dfx0: LoadPair
    fxm: LoadPair
    sxm: LoadPair
    fxs: LoadPair
    sxs: LoadPair
    dfy0: LoadPair
    fym: LoadPair
    sym: LoadPair
    fys: LoadPair
    sys: LoadPair
    nL0: LoadPair
    sq0: LoadPair
    sqe: LoadPair
    camber_thrust: float = 0.0
    overturning: float = 0.0
    bore_radius: float = 0.0
    rim_radius: float = 0.0
    rim_stiffness: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "LoadPair":
                if not isinstance(value, (tuple, list)) or len(value) != 2:
                    raise DataError(f"tyre: {field.name} = {value!r} must be two numbers, at pn and at 2 pn")
                for load, number in zip(("pn", "2 pn"), value, strict=True):
                    check_number("tyre", f"{field.name} at {load}", number, above=0.0)
            elif field.name in ZERO_ALLOWED:
                check_number("tyre", field.name, value, at_least=0.0)
            else:
                check_number("tyre", field.name, value, above=0.0)
        if self.pn_max < self.pn:
            raise DataError(f"tyre: pn_max = {self.pn_max:g} N must be at least pn = {self.pn:g} N")
        if (nominal(self.rim_radius) > 0.0) != (nominal(self.rim_stiffness) > 0.0):
            raise DataError("tyre: rim_radius and rim_stiffness belong together; give both or none")
        for axis in "xy":
            self._check_curve(axis)
        self._check_trail()

    @property
    def unloaded_radius(self) -> float:
        return self.radius

    def _check_curve(self, axis: str) -> None:
        """Check that the curve rises, reaches its maximum, falls and slides, at every load up to pn_max."""
        self._check_order(f"s{axis}m", f"s{axis}s")
        self._check_order(f"f{axis}s", f"f{axis}m")
        for name in (f"df{axis}0", f"f{axis}m", f"f{axis}s"):
            for z in (0.0, self.pn_max / self.pn):
                if per_load(getattr(self, name), self.pn, z) <= 0.0:
                    raise DataError(
                        f"tyre: {name} = {getattr(self, name)} extrapolates to zero or less at {z:g} pn; "
                        "lower pn_max or correct the pair"
                    )
        for z in (0.0, 1.0, 2.0, self.pn_max / self.pn):
            dF0, FM, FS = (
                per_load(getattr(self, n), self.pn, z) for n in (f"df{axis}0", f"f{axis}m", f"f{axis}s")
            )
            sM, sS = (at_load(getattr(self, n), z) for n in (f"s{axis}m", f"s{axis}s"))
            s_star = sM + (FM - FS) * dF0 * sM**3 / (FM**2 * (sS - sM)) if sS > sM > 0.0 else sS
            if not 0.0 < sM < s_star < sS:
                raise DataError(
                    f"tyre: the {axis} curve cannot fall from its maximum at slip {sM:g} to sliding at "
                    f"{sS:g} at {z:g} pn; raise s{axis}s, lower s{axis}m "
                    f"or the difference of f{axis}m and f{axis}s"
                )

    def _check_trail(self) -> None:
        """Check that the trail's slips are positive and in order at every load up to pn_max."""
        self._check_order("sq0", "sqe")
        for z in (0.0, self.pn_max / self.pn):
            nL0, s0, sE = (at_load(getattr(self, name), z) for name in ("nL0", "sq0", "sqe"))
            if not (nL0 > 0.0 and 0.0 < s0 < sE):
                raise DataError(
                    f"tyre: the pneumatic trail extrapolates to nL0 = {nL0:g}, sq0 = {s0:g}, sqe = {sE:g} "
                    f"at {z:g} pn; all must be positive and sq0 below sqe: lower pn_max or correct the pairs"
                )

    def _check_order(self, lower: str, upper: str) -> None:
        for a, b, load in zip(getattr(self, lower), getattr(self, upper), ("pn", "2 pn"), strict=True):
            if not a < b:
                unit = " N" if lower.startswith("f") else ""  # slips are plain numbers
                given = f"{a:g}{unit} and {b:g}{unit}"
                raise DataError(f"tyre: {lower} must be less than {upper}; at {load} they are {given}")


def per_load(pair: LoadPair, pn: float, z: float) -> float:
    """Return a force parameter over the load, Y(Fz)/Fz, at the load Fz = z pn.

    Y is the parabola through zero, Y1 at pn and Y2 at 2 pn (Rill), so that the quotient is a straight line
    and stays regular at zero load.
    """
    y1, y2 = pair[0] / pn, 0.5 * pair[1] / pn
    return y1 + (y2 - y1) * (z - 1.0)


def at_load(pair: LoadPair, z: float) -> float:
    """Return a slip parameter at the load Fz = z pn: the straight line through both values (Rill)."""
    return pair[0] + (pair[1] - pair[0]) * (z - 1.0)


TINY_SPEED = 1e-9
"""[m/s]; below it, rolling and sliding count as rest."""

STICK_SPEED = 0.1
"""[m/s] of sliding per slip beyond that of the peak: what hardly moves holds with the peak friction."""

ISOTROPIC_SLIP = 0.01
"""Normalised slip within which the initial slope blends from the combined to each axis' own."""

TINY_FRICTION = 1e-6
"""Least friction scaling; the slips of the curve must not collapse to zero."""


class SlipCurve(NamedTuple):
    """A characteristic F(s): initial slope, maximum and its slip, sliding force and its slip."""

    dF0: Scalar
    FM: Scalar
    sM: Scalar
    FS: Scalar
    sS: Scalar


class SlipForce(NamedTuple):
    """Steady-state characteristic per axis as F = −(G/W) v, and capacities.

    The form is that of `ce_dynamics.models.parts.brake`: W are speeds, G forces; ``s`` is the
    generalised slip, ``FM_x`` and ``FM_y`` are the maximum forces.
    """

    W_x: Scalar
    G_x: Scalar
    W_y: Scalar
    G_y: Scalar
    s: Scalar
    FM_x: Scalar
    FM_y: Scalar


def load_factor(p: TMeasyParameters, Fz: Scalar) -> Scalar:
    """Return z = Fz/pn within [0, pn_max/pn], the range of the data."""
    return minimum(maximum(Fz, 0.0), p.pn_max) / p.pn


def axis_curve(p: TMeasyParameters, axis: str, z: Scalar, friction: Scalar) -> SlipCurve:
    """Return the longitudinal (``"x"``) or lateral (``"y"``) curve at load z pn, forces over the load.

    ``friction`` = μ/μ0 scales maximum and sliding, forces and slips alike; the initial slope is the tread's.
    """
    forces = (per_load(getattr(p, name), p.pn, z) for name in (f"df{axis}0", f"f{axis}m", f"f{axis}s"))
    slips = (at_load(getattr(p, name), z) for name in (f"s{axis}m", f"s{axis}s"))
    dF0, FM, FS = forces
    sM, sS = slips
    scale = maximum(friction, TINY_FRICTION)
    return SlipCurve(dF0, scale * FM, scale * sM, scale * FS, scale * sS)


def force_over_slip(curve: SlipCurve, s: Scalar) -> Scalar:
    """Return F(s)/s for s ≥ 0: rational rise, two parabolas down to sliding, constant beyond."""
    dF0, FM, sM, FS, sS = curve
    n = minimum(s, sM) / sM
    rise = dF0 / (1.0 + n * (n + dF0 * sM / FM - 2.0))  # 0 ≤ s ≤ sM
    # The first parabola continues the curvature of the rise; the second ends it with slope zero at sS.
    a = FM * FM / (dF0 * sM * sM * sM)
    fall_slip = (FM - FS) / (a * (sS - sM))
    s_star = sM + fall_slip
    b = a * fall_slip / (sS - s_star)
    s_fall = minimum(maximum(s, sM), sS)
    fall = where(
        s_fall < s_star, FM - a * (s_fall - sM) * (s_fall - sM), FS + b * (sS - s_fall) * (sS - s_fall)
    )
    return where(s < sM, rise, fall / maximum(s, sM))


def normalising_slips(x: SlipCurve, y: SlipCurve) -> tuple[Scalar, Scalar]:
    """Return Rill's factors ŝx, ŝy that make longitudinal and lateral slip comparable."""
    rise_x, rise_y = x.FM / x.dF0, y.FM / y.dF0
    return (
        x.sM / (x.sM + y.sM) + rise_x / (rise_x + rise_y),
        y.sM / (x.sM + y.sM) + rise_y / (rise_x + rise_y),
    )


def slip_force(
    p: TMeasyParameters, Fz: Scalar, friction: Scalar, u: Scalar, v_x: Scalar, v_y: Scalar
) -> SlipForce:
    """Return forces of combined slip at load Fz for transport speed u ≥ 0 and sliding velocity (v_x, v_y).

    Parameters
    ----------
    p : TMeasyParameters
        The tyre.
    Fz : scalar
        Load [N].
    friction : scalar
        Friction coefficient of the road over that of the data, μ/μ0.
    u : scalar
        Transport speed r_D |Ω| [m/s].
    v_x, v_y : scalar
        Sliding velocity of the contact point, v_x − r_D Ω and v_y [m/s].
    """
    z = load_factor(p, Fz)
    x, y = axis_curve(p, "x", z, friction), axis_curve(p, "y", z, friction)
    hat_x, hat_y = normalising_slips(x, y)
    # Generalised slip s and the direction φ of the normalised slips; φ is diagonal at rest.
    vN_x, vN_y = v_x / hat_x, v_y / hat_y
    rest = 1e-6 * TINY_SPEED * TINY_SPEED
    vN2 = vN_x * vN_x + vN_y * vN_y + rest
    cos2, sin2 = (vN_x * vN_x + 0.5 * rest) / vN2, (vN_y * vN_y + 0.5 * rest) / vN2
    vN = sqrt(vN2)
    s = vN / (u + TINY_SPEED)

    def combine_axes(along_x: Scalar, along_y: Scalar) -> Scalar:
        return sqrt(along_x * along_x * cos2 + along_y * along_y * sin2)

    slope_x, slope_y = x.dF0 * hat_x, y.dF0 * hat_y
    curve = SlipCurve(
        combine_axes(slope_x, slope_y),
        combine_axes(x.FM, y.FM),
        combine_axes(x.sM / hat_x, y.sM / hat_y),
        combine_axes(x.FS, y.FS),
        combine_axes(x.sS / hat_x, y.sS / hat_y),
    )
    # F = f(s) s, written with speeds: W = u (1 + s), G = f (1 + s) are bounded at rest (u → 0, s → ∞).
    W = u + vN
    Fz_held = z * p.pn
    # The slip of a locked wheel is infinite at any speed; but a wheel that hardly moves sticks, and the peak
    # is passed only as the sliding passes the stick speed.
    seen = minimum(s, curve.sM + vN / STICK_SPEED)
    G = Fz_held * force_over_slip(curve, seen) * (1.0 + s) * (seen / s)
    # Rill's initial slope depends on φ although φ has no meaning at s = 0; there each axis gets its own
    # slope, which leaves pure slip as it is and makes the force differentiable.
    near_zero = ISOTROPIC_SLIP * ISOTROPIC_SLIP / (ISOTROPIC_SLIP * ISOTROPIC_SLIP + s * s)
    G_x = G * (1.0 + near_zero * (slope_x / curve.dF0 - 1.0))
    G_y = G * (1.0 + near_zero * (slope_y / curve.dF0 - 1.0))
    return SlipForce(W * hat_x, G_x, W * hat_y, G_y, s, Fz_held * x.FM, Fz_held * y.FM)


def pneumatic_trail(p: TMeasyParameters, Fz: Scalar, s_y: Scalar, friction: Scalar, length: Scalar) -> Scalar:
    """Return the pneumatic trail n [m] at lateral slip s_y for a contact of the given length.

    Rill's two polynomials: from n0 to zero at s0, a negative bump from there to sE, zero beyond; the slope is
    continuous at s0 and at sE.
    """
    z = load_factor(p, Fz)
    scale = maximum(friction, TINY_FRICTION)
    s0, sE = scale * at_load(p.sq0, z), scale * at_load(p.sqe, z)
    w = s0 / sE
    slip = minimum(absolute(s_y), sE)
    s = minimum(slip, s0) / s0
    rising = (1.0 - w) * (1.0 - s) + w * (1.0 - (3.0 - 2.0 * s) * s * s)
    edge = (sE - slip) / (sE - s0)
    bump = -(1.0 - w) * (slip - s0) / s0 * edge * edge
    return at_load(p.nL0, z) * length * where(slip < s0, rising, bump)
