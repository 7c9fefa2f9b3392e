"""A Magic Formula tyre as numbers of a data file: the coefficients of its property file, by their names.

Each is a number as any other: it can be overridden (``front.tyre.LMUY=0.9``), swept, and stay free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import create_model, model_validator

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.tracing.function import trace
from ce_dynamics.compiler.tracing.inline import dependencies
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.parameters import Parameter, bind
from ce_dynamics.models.data.quantities import ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.tyres.chrono import ChronoMagicFormula
from ce_dynamics.models.tyres.contract import SidedTyre, TyreModel, WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.coefficients import (
    NO_NUMBERS,
    POSITIVE,
    VERSIONS,
    Coefficients,
)
from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre
from ce_dynamics.models.tyres.magic_formula.file_names import unit_of
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre, both_ways
from ce_dynamics.models.tyres.magic_formula.outputs import peak_of
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula

ALWAYS = ("UNLOADED_RADIUS", "WIDTH", "FNOMIN", "VERTICAL_STIFFNESS", "LCZ")
"""Size of the tyre, by which the road is looked at, and its stiffness."""
CONTACT = ("MC", "CX", "CY", "KX", "KY")
"""Coefficients of the contact's mass and its carcass, which a file has or lacks."""
BOUNDS = ("KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX")
"""Bounds of slips; the wider one of either holds both ways."""
WHEEL = 11
"""Numbers that describe how a wheel is on the road."""


@lru_cache(maxsize=32)
def ineffective_coefficients(c: Coefficients, names: frozenset[str], turn_slip: bool) -> frozenset[str]:
    """Return the named coefficients on which no force, moment or rate of a state depends.

    The formulas count, not the values.  A coefficient that is multiplied by another of the value 0 has an
    effect if the other is named as well.
    """
    heavy = c.MC > 0.0
    open_ones = sorted(names.difference(ALWAYS, CONTACT, BOUNDS))
    used = effective_coefficients(c, open_ones, heavy, turn_slip)
    if heavy and 0.0 in (c.CX, c.CY):  # then the carcass is what relaxation lengths make of it
        used |= effective_coefficients(c, open_ones, False, turn_slip)
    return names.difference(ALWAYS, BOUNDS, used, CONTACT if heavy else ())


def effective_coefficients(c: Coefficients, names: Sequence[str], heavy: bool, turn_slip: bool) -> set[str]:
    """Return the named coefficients on which a force, moment or rate of a state depends."""
    kind = ContactMassTyre if heavy else MagicFormulaTyre
    tyre: Any = kind(MagicFormula(c, "left", "left"), turn_slip=turn_slip)
    opened: dict[str, Any] = {name: Parameter(name, getattr(c, name)) for name in names}
    free = [*opened.values()]
    tyre.coefficients = both_ways(replace(c, **opened))
    tyre.pressure = tyre.coefficients.INFLPRES

    def answer(wheel: Array, x: Array, values: Array) -> dict[str, Array]:
        bind(free, values, (wheel,))
        found = tyre.evaluate(WheelOnRoad(*wheel[:8])._replace(v_centre=tuple(wheel[8:])), x)
        return {"answer": np.array([*found[:6], *found.x_dot], dtype=object)}

    first = WHEEL + len(tyre.states)
    traced = trace("answer", answer, {"wheel": WHEEL, "x": len(tyre.states), "values": len(free)})
    on = {place for entry in dependencies(traced)["answer"] for place in entry.on}
    return {name for k, name in enumerate(names, start=first) if k in on}


SIDES: Mapping[float, str] = {1.0: "left", -1.0: "right", 0.0: "symmetric"}
"""Side of the vehicle for which the coefficients hold, by the number of a data file."""


@dataclass(frozen=True)
class MagicFormulaParameters(SidedTyre):
    """A Magic Formula tyre as built: coefficients, their side, turn slip, friction of the measurement."""

    coefficients: Coefficients
    side: str
    turn_slip: bool
    mu0: float
    chrono_delay: float | None = None

    @property
    def unloaded_radius(self) -> float:
        """[m]."""
        return self.coefficients.UNLOADED_RADIUS

    @property
    def cz(self) -> float:
        """Vertical stiffness at the nominal load [N/m]."""
        return self.coefficients.VERTICAL_STIFFNESS * self.coefficients.LCZ

    def mount(self, side: int) -> TyreModel:
        """Return the model of the tyre mounted on the left (1) or on the right (−1)."""
        if self.chrono_delay is not None:
            opposite = MagicFormula(self.coefficients, self.side, "right" if side > 0 else "left")
            return ChronoMagicFormula(opposite, self.mu0, delay=self.chrono_delay)
        tyre = MagicFormula(self.coefficients, self.side, "left" if side > 0 else "right")
        kind = ContactMassTyre if self.coefficients.MC > 0.0 else MagicFormulaTyre
        return kind(tyre, reference_friction=self.mu0, turn_slip=self.turn_slip)


class MagicFormulaBase(Section):
    """Data beside the coefficients: version 52, 61 or 62, side, turn slip, friction.

    With ``chrono_delay`` the tyre is evaluated as Project Chrono does, its moments late by this time.
    """

    version: Annotated[float, ParameterQuantity("1", at_least=0.0)]
    side: Annotated[float, ParameterQuantity("1", at_least=-1.0)]
    mu0: PositiveFraction | None = None
    turn_slip: Annotated[float, ParameterQuantity("1", at_least=0.0)] | None = None
    ellipse: Annotated[float, ParameterQuantity("1", at_least=0.0)] | None = None
    chrono_delay: Annotated[float, ParameterQuantity("s", at_least=0.0)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> MagicFormulaBase:
        if self.side not in SIDES:
            raise ValueError("side must be 1 (left), -1 (right) or 0 (symmetric): for which the numbers are")
        if self.version not in VERSIONS:
            raise ValueError(f"version {self.version:g}; the Magic Formula is known as 52, 61 and 62")
        for name in ("turn_slip", "ellipse"):
            if getattr(self, name) not in (None, 0.0, 1.0):
                raise ValueError(f"{name} is {getattr(self, name):g}; give 1, or leave it out")
        try:
            self._check_effects(self.build())
        except DataError as error:
            raise ValueError(str(error).removeprefix("tyre: ")) from error
        return self

    def _check_effects(self, tyre: MagicFormulaParameters) -> None:
        """Refuse coefficients that change nothing."""
        given = {name: nominal(value) for name, value in self.coefficients().items()}
        c, turning = replace(tyre.coefficients, **given), tyre.turn_slip
        idle = ineffective_coefficients(c, frozenset(given), turning)
        for name in (name for name in given if name in idle):
            lacking = missing_condition(c, name, frozenset(given), turning)
            raise DataError(f"{name} has no effect in version {c.version}{lacking}; leave it out")

    def coefficients(self) -> dict[str, float]:
        own = MagicFormulaBase.model_fields
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in own}
        return {name: value for name, value in given.items() if value is not None}

    def build(self) -> MagicFormulaParameters:
        made = Coefficients(version=int(self.version), ellipse=bool(self.ellipse), **self.coefficients())
        mu0 = peak_of(made).friction if self.mu0 is None else self.mu0
        return MagicFormulaParameters(made, SIDES[self.side], bool(self.turn_slip), mu0, self.chrono_delay)


def missing_condition(c: Coefficients, name: str, given: frozenset[str], turn_slip: bool) -> str:
    """Name what a coefficient needs to have an effect in its version; empty where it has one in others."""
    if not turn_slip and name not in ineffective_coefficients(c, given, True):
        return " without turn_slip: 1"
    others = (replace(c, version=version, ellipse=False) for version in VERSIONS)
    elsewhere = any(name not in ineffective_coefficients(other, given, turn_slip) for other in others)
    return "" if elsewhere else " beside the other coefficients"


def quantity_of(field: Field[Any]) -> Any:
    """Return the annotation of a coefficient."""
    unit = unit_of(field.name) or "1"
    above = 0.0 if field.name in POSITIVE else None
    number = Annotated[float, ParameterQuantity(unit, above=above)]
    return (number, ...) if field.default is MISSING else (number | None, None)


def numbers() -> dict[str, Field[Any]]:
    """Return all coefficients."""
    return {f.name: f for f in fields(Coefficients) if f.name not in NO_NUMBERS}


def written_values(file: TyreFile) -> dict[str, tuple[float, str]]:
    """Return value and unit by name for a tyre's data file, without defaults and numbers of no effect.

    A contact has a mass if the file's USE_MODE includes it, see `contact_mass.on_road`.
    """
    c, mode = file.coefficients, abs(file.use_mode or 0)
    found = {
        "version": (float(c.version), ""),
        "side": (next(number for number, side in SIDES.items() if side == file.side), ""),
        "mu0": (peak_of(c).friction if file.friction is None else file.friction, ""),
    }
    turning, heavy = mode % 10 == 5, mode // 10 % 10 == 2 and c.MC > 0.0
    found |= {name: (1.0, "") for name, on in (("turn_slip", turning), ("ellipse", c.ellipse)) if on}
    c = c if heavy else replace(c, MC=0.0)
    given = [name for name, field in numbers().items() if getattr(c, name) != field.default]
    idle = ineffective_coefficients(c, frozenset(given), turning)
    return found | {name: (float(getattr(c, name)), unit_of(name)) for name in given if name not in idle}


def report_on(file: TyreFile) -> str:
    """Return the report on a tyre's property file, with its coefficients on which nothing depends."""
    c = file.coefficients
    given = {name for name in numbers() if name not in file.defaulted}
    given = {name for name in given if getattr(c, name) != (1.0 if name.startswith("L") else 0.0)}
    idle = sorted(ineffective_coefficients(c, frozenset(given), turn_slip=True))
    return file.report() + (f"\nno force or moment depends on {', '.join(idle)}" if idle else "")


MagicFormulaData: type[MagicFormulaBase] = create_model(
    "MagicFormulaData",
    __base__=MagicFormulaBase,
    **{name: quantity_of(field) for name, field in numbers().items()},
)
"""The section ``tyre`` of the kind ``magic-formula``."""
