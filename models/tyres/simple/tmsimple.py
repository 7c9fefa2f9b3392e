"""TMsimple (Rill and Hirschberg): three numbers per axis, a sine of an exponential."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar, arcsin, exp, maximum, minimum, sin, sqrt, where
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.tyres.simple.base import TINY_SLIP, SlipModel, Steady, require
from ce_dynamics.models.tyres.tmeasy_curves import LoadPair, per_load


@dataclass(frozen=True, kw_only=True)
class TMsimpleTyre(SlipModel):
    """F = Fmax sin(B (1 − exp(−s/A))), B = π − arcsin(F∞/Fmax), A = Fmax B/dF0, along the slip.

    Parameters
    ----------
    pn : float
        Nominal load [N].
    dfx0, dfy0 : pair of float
        Slip stiffness at pn and at 2 pn [N].
    fxm, fym, fxs, fys : pair of float
        Largest force and that of full sliding at pn and at 2 pn [N].
    load_limit : float
        Load over pn up to which they are extrapolated.
    others
        See `SlipModel`; ``mu`` is not used: the forces are those on the road of the measurement.
    """

    pn: float
    dfx0: LoadPair
    fxm: LoadPair
    fxs: LoadPair
    dfy0: LoadPair
    fym: LoadPair
    fys: LoadPair
    load_limit: float = 3.5

    @property
    def nominal_load(self) -> float:
        """Nominal load [N]."""
        return self.pn

    def check(self) -> None:
        """Check that forces are positive at all loads, and those of sliding below the largest."""
        for z in (0.0, self.load_limit):
            for axis in "xy":
                names = [f"df{axis}0", f"f{axis}m", f"f{axis}s"]
                slope, most, sliding = (per_load(getattr(self, n), self.pn, z) for n in names)
                for name, value in zip(names, (slope, most, sliding), strict=True):
                    check_number("tyre", f"{name} over the load at {z:g} pn", value, above=0.0)
                require(sliding < most, f"tyre: f{axis}s must be below f{axis}m, at {z:g} pn too")

    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        z = minimum(Fz / self.pn, self.load_limit)
        held = z * self.pn
        s = sqrt(kappa * kappa + tan_alpha * tan_alpha) + TINY_SLIP
        x, y = kappa / s, tan_alpha / s

        # without slip there is no direction: that of x, of which only dF0 matters then
        rest = s < 2.0 * TINY_SLIP

        def along(a: LoadPair, b: LoadPair) -> Scalar:
            """Return a characteristic over the load, which may be zero."""
            p, q = per_load(a, self.pn, z), per_load(b, self.pn, z)
            return sqrt(where(rest, p * p, p * p * x * x + q * q * y * y))

        dF0, Fm, Fs = along(self.dfx0, self.dfy0), along(self.fxm, self.fym), along(self.fxs, self.fys)
        B = math.pi - arcsin(minimum(Fs / Fm, 1.0))
        A = Fm * B / dF0
        F = Fm * sin(B * (1.0 - exp(-s / A)))
        S = held * maximum(where(rest, dF0, F / s), 0.0) * friction
        return Steady(S, S, friction * held * Fm, 0.0)
