"""Parameters of a TMeasy tyre."""

from __future__ import annotations

from dataclasses import dataclass, fields

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
    unloaded_radius : float
        r0 [m].
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
    v_n : float
        Speed added to the rolling speed wherever a reported slip is formed, and within which the rolling
        resistance changes sign [m/s].
    dfx0, dfy0 : pair of float
        Slip stiffness: initial slope of the force over the slip [N].
    fxm, fym, sxm, sym : pair of float
        Maximum force [N] and the slip at which it is reached.
    fxs, fys, sxs, sys : pair of float
        Force of full sliding [N] and the slip at which it begins.
    nl0 : pair of float
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

    unloaded_radius: float
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
    v_n: float
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
    nl0: LoadPair
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
        for axis in "xy":
            self._check_curve(axis)
        self._check_trail()

    def _check_curve(self, axis: str) -> None:
        """The curve rises, reaches its maximum, falls and slides, at every load up to pn_max."""
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
        """The pneumatic trail's slips are positive and in order at every load up to pn_max."""
        self._check_order("sq0", "sqe")
        for z in (0.0, self.pn_max / self.pn):
            nl0, s0, sE = (at_load(getattr(self, name), z) for name in ("nl0", "sq0", "sqe"))
            if not (nl0 > 0.0 and 0.0 < s0 < sE):
                raise DataError(
                    f"tyre: the pneumatic trail extrapolates to nl0 = {nl0:g}, sq0 = {s0:g}, sqe = {sE:g} "
                    f"at {z:g} pn; all must be positive and sq0 below sqe: lower pn_max or correct the pairs"
                )

    def _check_order(self, lower: str, upper: str) -> None:
        for a, b, load in zip(getattr(self, lower), getattr(self, upper), ("pn", "2 pn"), strict=True):
            if not a < b:
                unit = " N" if lower.startswith("f") else ""  # slips are plain numbers
                raise DataError(f"tyre: {lower} = {a:g}{unit} at {load} must be below {upper} = {b:g}{unit}")


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
