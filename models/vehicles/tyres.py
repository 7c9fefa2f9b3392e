"""Tyres: as written in data files."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import (
    PAIR,
    Damping,
    Fraction,
    Length,
    Numbers,
    PositiveFraction,
    PositiveStiffness,
    Quantity,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.tmeasy_parameters import LoadPair, TMeasyParameters

Pair = Annotated[Numbers, Quantity("1", components=PAIR, above=0.0)]
"""Values at the loads pn | 2 pn."""


class TMeasyData(Section):
    """A TMeasy tyre's load and slips (Rill): slopes and forces in multiples of the load, at pn | 2 pn.

    ``mu0`` is the friction coefficient of the road of the curves: their own peak, ``fxm`` at pn, if left out.
    """

    radius: Length
    pn: Annotated[float, Quantity("N", above=0.0)]
    pn_max: Annotated[float, Quantity("N", above=0.0)]
    mu0: PositiveFraction | None = None
    rolling_resistance: Fraction
    slip_speed: Annotated[float, Quantity("m/s", above=0.0)]
    cz: PositiveStiffness
    dz: Damping
    dfx0: Pair
    fxm: Pair
    sxm: Pair
    fxs: Pair
    sxs: Pair
    dfy0: Pair
    fym: Pair
    sym: Pair
    fys: Pair
    sys: Pair
    nL0: Pair
    sq0: Pair
    sqe: Pair
    rim_radius: Length | None = None
    rim_stiffness: PositiveStiffness | None = None

    @model_validator(mode="after")
    def _consistent(self) -> TMeasyData:
        if not self.pn <= self.pn_max:
            raise ValueError(f"pn_max {self.pn_max:g} N must be at least pn {self.pn:g} N")
        for peak, slide in (("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe")):
            if not all(m < s for m, s in zip(getattr(self, peak), getattr(self, slide), strict=True)):
                raise ValueError(f"{peak} must be less than {slide} at both loads")
        if (self.rim_radius is None) != (self.rim_stiffness is None):
            raise ValueError("rim_radius and rim_stiffness belong together; give both or none")
        return self

    def parameters(self, cx: float, dx: float, cy: float, dy: float, **more: float) -> TMeasyParameters:
        """With a carcass, and more of what a TMeasy tyre may have: slopes and forces in N."""
        return TMeasyParameters(
            unloaded_radius=self.radius,
            cz=self.cz,
            dz=self.dz,
            cx=cx,
            dx=dx,
            cy=cy,
            dy=dy,
            pn=self.pn,
            pn_max=self.pn_max,
            mu0=self.fxm[0] if self.mu0 is None else self.mu0,
            rolling_resistance=self.rolling_resistance,
            v_n=self.slip_speed,
            dfx0=self._forces(self.dfx0),
            fxm=self._forces(self.fxm),
            sxm=pair(self.sxm),
            fxs=self._forces(self.fxs),
            sxs=pair(self.sxs),
            dfy0=self._forces(self.dfy0),
            fym=self._forces(self.fym),
            sym=pair(self.sym),
            fys=self._forces(self.fys),
            sys=pair(self.sys),
            nl0=pair(self.nL0),
            sq0=pair(self.sq0),
            sqe=pair(self.sqe),
            rim_radius=self.rim_radius or 0.0,
            rim_stiffness=self.rim_stiffness or 0.0,
            **more,
        )

    def _forces(self, per_load: Numbers) -> LoadPair:
        at_pn, at_two_pn = per_load
        return at_pn * self.pn, at_two_pn * (2.0 * self.pn)


class TyreData(TMeasyData):
    """A TMeasy tyre with a carcass that is deflected along and across.

    Left out unless given: ``camber_thrust`` (Rill: 0.333), ``overturning`` (1 if the load moves with the
    contact), ``bore_radius``; see `TMeasyParameters`.
    """

    cx: PositiveStiffness
    dx: Damping
    cy: PositiveStiffness
    dy: Damping
    camber_thrust: Fraction | None = None
    overturning: Fraction | None = None
    bore_radius: Length | None = None

    def built(self) -> TMeasyParameters:
        """Return the parameters of the tyre, with slopes and forces in N."""
        names = ("camber_thrust", "overturning", "bore_radius")
        more = {name: getattr(self, name) or 0.0 for name in names}
        return self.parameters(self.cx, self.dx, self.cy, self.dy, **more)


def pair(values: Numbers) -> LoadPair:
    """The values at the two loads."""
    first, second = values
    return first, second
