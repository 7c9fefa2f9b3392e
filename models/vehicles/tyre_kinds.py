"""Tyres by kind: as written in data files, and the models they make."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, ClassVar, TypeAlias, get_type_hints

from pydantic import create_model, model_validator

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import (
    PAIR,
    Damping,
    Fraction,
    Length,
    Numbers,
    ParameterQuantity,
    PositiveFraction,
    PositiveStiffness,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import RoundedTable
from ce_dynamics.models.tyres.chrono import (
    DAHL_DAMPING,
    DAHL_STIFFNESS,
    ChronoPac89,
    ChronoSlipTyre,
    ChronoTMeasy,
    ChronoTyre,
)
from ce_dynamics.models.tyres.contract import SidedTyre, TyreModel
from ce_dynamics.models.tyres.simple import SLIP_MODELS
from ce_dynamics.models.tyres.simple.base import SlipModel, require
from ce_dynamics.models.tyres.simple.fiala import FialaTyre
from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from ce_dynamics.models.tyres.tmeasy_curves import TMeasyParameters
from ce_dynamics.models.vehicles.springs import SpringCurve

Pair = Annotated[Numbers, ParameterQuantity("1", components=PAIR, above=0.0)]
"""Values at the loads pn | 2 pn."""


class TyreBase(Section):
    """Data of a tyre; those of which no tyre can be built are refused where they stand."""

    def build(self) -> BuiltTyre:
        raise NotImplementedError

    @model_validator(mode="after")
    def _can_be_built(self) -> TyreBase:
        try:
            self.build()
        except DataError as error:
            raise ValueError(str(error).removeprefix("tyre: ")) from None
        return self


class TMeasyData(TyreBase):
    """A TMeasy tyre's load and slips (Rill): slopes and forces in multiples of the load, at pn | 2 pn.

    ``mu0`` is the friction coefficient of the road of the curves: their own peak, ``fxm`` at pn, if left out.
    """

    radius: Length
    pn: Annotated[float, ParameterQuantity("N", above=0.0)]
    pn_max: Annotated[float, ParameterQuantity("N", above=0.0)]
    mu0: PositiveFraction | None = None
    rolling_resistance: Fraction
    slip_speed: Annotated[float, ParameterQuantity("m/s", above=0.0)]
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

    def parameters(self, **carcass: float) -> TMeasyParameters:
        """Return the parameters of a tyre, slopes and forces in N, with a carcass if its data have none."""
        own = {field.name: getattr(self, field.name, None) for field in fields(TMeasyParameters)}
        given: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
        return TMeasyParameters(**{"mu0": self.fxm[0]} | given | forces_of(self, self.pn) | carcass)


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

    def build(self) -> TMeasyParameters:
        return self.parameters()


def forces_of(data: Section, pn: float) -> dict[str, Any]:
    """Return slopes and forces [N], which are written in multiples of the loads pn and 2 pn."""
    names = ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys")
    pairs = {name: getattr(data, name) for name in names}
    return {name: (first * pn, second * (2.0 * pn)) for name, (first, second) in pairs.items()}


BuiltTyre: TypeAlias = TMeasyParameters | ChronoTyre | SlipModel | SidedTyre
"""A tyre as built: TMeasy's parameters, one as Chrono evaluates it, a model, or one of either side."""


class SlipLawData(TyreBase):
    """Common data of simple tyres, see `SlipModel`; ``mu0`` is the friction of their measurement."""

    radius: Length
    cz: PositiveStiffness
    dz: Damping
    mu0: PositiveFraction | None = None
    rolling_resistance: Fraction
    load_curve: SpringCurve | None = None

    def law(self) -> SlipModel:
        raise NotImplementedError

    def common(self) -> dict[str, Any]:
        """Return the fields that all simple models have."""
        names = ("radius", "cz", "dz", "rolling_resistance")
        own: dict[str, Any] = {name: getattr(self, name) for name in names}
        own |= {name: getattr(self, name, DAHL_STIFFNESS) for name in ("cx", "cy")}
        curve = None if self.load_curve is None else continue_curve(self.load_curve, self.radius)
        damping = getattr(self, "contact_damping", 0.0)
        return {**own, "damping": damping, "reference_friction": self.mu0, "load_curve": curve}


def continue_curve(curve: SpringCurve, radius: float) -> RoundedTable:
    """Return a load curve whose ends are continued in their directions by the radius."""
    x, y = list(curve.deflection), list(curve.force)
    first, last = (y[1] - y[0]) / (x[1] - x[0]), (y[-1] - y[-2]) / (x[-1] - x[-2])
    return RoundedTable(
        (x[0] - radius, *x[1:-1], x[-1] + radius),
        (y[0] - first * radius, *y[1:-1], y[-1] + last * radius),
        math.inf if curve.rounding is None else curve.rounding,
    )


class SlipTyreData(SlipLawData):
    """A simple tyre with stiffness and damping of the contact."""

    cx: PositiveStiffness
    cy: PositiveStiffness
    contact_damping: Annotated[float, ParameterQuantity("s", at_least=0.0)]

    def build(self) -> BuiltTyre:
        return self.law()


@cache
def own_fields(model: type[SlipModel]) -> dict[str, Any]:
    """Return the fields of a model beyond those of all simple tyres, by name, with units and defaults."""
    kinds = get_type_hints(model, include_extras=True)
    common = {field.name for field in fields(SlipModel)}
    own = [field for field in fields(model) if field.name not in common]
    return {
        field.name: (kinds[field.name], ... if field.default is MISSING else field.default) for field in own
    }


class SlipModelLaw(SlipLawData):
    """Data of a simple tyre whose fields are those of its model; ``mu`` is its friction without slip."""

    model: ClassVar[type[SlipModel]]
    mu: PositiveFraction

    def law(self) -> SlipModel:
        own = {name: getattr(self, name) for name in own_fields(self.model)}
        return self.model(**self.common(), mu=self.mu, **own)


def section_of_model(model: type[SlipModel], base: type[SlipModelLaw]) -> type[SlipModelLaw]:
    """Return the section of a simple tyre."""
    doc = str(model.__doc__).partition("\n")[0]
    made: type[SlipModelLaw] = create_model(model.__name__, __base__=base, __doc__=doc, **own_fields(model))
    made.model = model
    return made


class SlipModelData(SlipTyreData, SlipModelLaw):
    """A simple tyre with a contact that is deflected."""


class TMsimpleLaw(SlipLawData):
    """TMsimple: slopes, largest forces and forces of sliding in multiples of the load, at pn | 2 pn."""

    pn: Annotated[float, ParameterQuantity("N", above=0.0)]
    dfx0: Pair
    fxm: Pair
    fxs: Pair
    dfy0: Pair
    fym: Pair
    fys: Pair

    def law(self) -> TMsimpleTyre:
        return TMsimpleTyre(**self.common(), pn=self.pn, **forces_of(self, self.pn))


class TMsimpleData(SlipTyreData, TMsimpleLaw):
    """TMsimple with a contact that is deflected."""


class Pac89Law(SlipLawData):
    """The Magic Formula of 1989 without camber and shifts, in its units: kN, degrees, per cent.

    ``lateral`` are a0 … a4, a6, a7, ``longitudinal`` b0 … b8; ``trail`` is the pneumatic trail without slip.
    """

    lateral: Annotated[Numbers, ParameterQuantity("1", curve=True)]
    longitudinal: Annotated[Numbers, ParameterQuantity("1", curve=True)]

    def law(self) -> Pac89Tyre:
        for name, count, which in (("lateral", 7, "a0 to a4, a6, a7"), ("longitudinal", 9, "b0 to b8")):
            given = len(getattr(self, name))
            require(given == count, f"{name} has {given} coefficients; give {count}: {which}")
        a, b = self.lateral, self.longitudinal
        lateral = (*a[:5], 0.0, *a[5:], *(0.0,) * 6)
        trail = getattr(self, "trail", 0.0)
        return Pac89Tyre(**self.common(), a=lateral, b=(*b, 0.0, 0.0), trail=trail)


class Pac89Data(SlipTyreData, Pac89Law):
    """Pac89 with a contact that is deflected and a pneumatic trail."""

    trail: Annotated[float, ParameterQuantity("m", at_least=0.0)]


class ChronoData(Section):
    """Numbers of tyres as Project Chrono evaluates them (`models.tyres.chrono`).

    The width of the contact rights a cambered wheel; moments are late by the delay.
    """

    delay: Annotated[float, ParameterQuantity("s", at_least=0.0)] | None = None


class ChronoTMeasyData(ChronoData, TMeasyData):
    """TMeasy as Project Chrono evaluates it."""

    width: Length | None = None

    def build(self) -> BuiltTyre:
        stiffness, damping = DAHL_STIFFNESS, DAHL_DAMPING
        carcass = {"cx": stiffness, "dx": damping, "cy": stiffness, "dy": damping}
        return ChronoTMeasy(self.parameters(**carcass), width=self.width or 0.0, delay=self.delay or 0.0)


class ChronoSlipData(ChronoData, SlipModelLaw):
    """A simple tyre as Project Chrono evaluates it."""

    def build(self) -> BuiltTyre:
        return ChronoSlipTyre(self.law(), delay=self.delay or 0.0)


class ChronoTMsimpleData(ChronoData, TMsimpleLaw):
    """TMsimple as Project Chrono evaluates it."""

    width: Length | None = None

    def build(self) -> BuiltTyre:
        return ChronoSlipTyre(self.law(), width=self.width or 0.0, delay=self.delay or 0.0)


class ChronoPac89Data(ChronoData, Pac89Law):
    """Pac89 as Project Chrono evaluates it; ``aligning`` are c0 … c17."""

    aligning: Annotated[Numbers, ParameterQuantity("1", curve=True)]
    lateral_stiffness: PositiveStiffness

    def build(self) -> BuiltTyre:
        given = len(self.aligning)
        require(given == 18, f"aligning has {given} coefficients; give 18: c0 to c17")
        return ChronoPac89(self.law(), tuple(self.aligning), self.lateral_stiffness, delay=self.delay or 0.0)


TYRES: Mapping[str, type[TyreBase]] = {
    "tmeasy": TyreData,
    "tmeasy-chrono": ChronoTMeasyData,
    "fiala-chrono": section_of_model(FialaTyre, ChronoSlipData),
    "tmsimple": TMsimpleData,
    "tmsimple-chrono": ChronoTMsimpleData,
    "pac89": Pac89Data,
    "pac89-chrono": ChronoPac89Data,
    **{name: section_of_model(model, SlipModelData) for name, model in SLIP_MODELS.items()},
}
"""Tyres by the name that data files use, but the Magic Formula."""
MAGIC_FORMULA = "magic-formula"
TYRE_KINDS = (*TYRES, MAGIC_FORMULA)
"""All names."""


def tyre_section(kind: str) -> type[Section]:
    """Return the section of a kind of tyre."""
    if kind != MAGIC_FORMULA:
        return TYRES[kind]
    # here, because it is long, and few vehicles have it
    from ce_dynamics.models.vehicles.magic_formula_data import MagicFormulaData

    return MagicFormulaData


def model_of(tyre: BuiltTyre, side: int) -> TyreModel:
    """Return the model of a tyre as built, mounted on the left (1) or on the right (−1)."""
    if isinstance(tyre, SidedTyre):
        return tyre.mount(side)
    return TMeasyTyre(tyre) if isinstance(tyre, TMeasyParameters) else tyre


def reference_friction(tyre: BuiltTyre) -> float:
    """Return the friction coefficient of the road for which its curves are."""
    return tyre.mu0 if isinstance(tyre, (TMeasyParameters, SidedTyre)) else tyre.own_friction
