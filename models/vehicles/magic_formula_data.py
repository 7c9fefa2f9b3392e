"""A Magic Formula tyre as numbers of a data file: the coefficients of its property file, by their names.

Each is a number as any other: it can be overridden (``front.tyre.LMUY=0.9``), swept, and stay free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any

from pydantic import create_model, model_validator

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, POSITIVE, Coefficients
from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre
from ce_dynamics.models.tyres.magic_formula.file_names import DIMENSIONS
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.vehicles.sided_tyre import SidedTyre

SIDES: Mapping[float, str] = {1.0: "left", -1.0: "right", 0.0: "symmetric"}
"""Side of the vehicle for which the coefficients hold, by the number of a data file."""
UNITS: Mapping[str, str] = {
    "SPEED": "m/s", "PRESSURE": "N/m^2", "LENGTH": "m", "MASS": "kg", "FORCE": "N", "FORCE/LENGTH": "N/m",
    "FORCE*TIME/LENGTH": "N*s/m", "FORCE*LENGTH/ANGLE": "N*m/rad", "ANGLE": "rad",
}  # fmt: skip
IDLE = (
    "ELLIPS", "YAW_STIFFNESS", "FREQ", "DAMP_LONG", "DAMP_LAT", "DAMP_YAW", "DAMP_WINDUP", "Q_BV", "PCMZ1",
    "MC_CONTOUR", "MASS", "IXX", "IYY", "BELT", "GRAVITY", "ASPECT_RATIO", "RIM_WIDTH", "ENV_", "LMUV",
)  # fmt: skip
"""Beginnings of names that change no force of any version."""
ONLY_6 = ("PKY6", "PKY7", "PPY5", "QSY5", "QSY6", "QSY7", "QSY8", "Q_RA", "Q_RB", "PCFX3", "PCFY3")
ONLY_52 = ("LGYR", "LSG", "PHY3", "PTX", "PTY", "Q_A", "QTZ1", "MBELT")
ONLY_62 = ("Q_FCY2", "Q_CAM1", "Q_CAM2", "Q_CAM3", "Q_FYS")
"""Beginnings of names that matter to some versions."""
TURN_SLIP = ("PDXP", "PDYP", "PKYP", "PHYP", "PECP", "QDTP", "QCRP", "QBRP", "QDRP", "LMP")
"""Beginnings of names that matter to turn slip only."""
CONTACT_MASS = ("MC", "CX", "CY", "KX", "KY")


@dataclass(frozen=True)
class MagicFormulaParameters(SidedTyre):
    """A Magic Formula tyre as built: coefficients, their side, turn slip, friction of the measurement."""

    coefficients: Coefficients
    side: str
    turn_slip: bool
    mu0: float

    @property
    def unloaded_radius(self) -> float:
        """[m]."""
        return self.coefficients.UNLOADED_RADIUS

    @property
    def cz(self) -> float:
        """Vertical stiffness at the nominal load [N/m]."""
        return self.coefficients.VERTICAL_STIFFNESS * self.coefficients.LCZ

    def mounted(self, side: int) -> TyreModel:
        """Mounted on the left (1) or on the right (−1)."""
        tyre = MagicFormula(self.coefficients, self.side, "left" if side > 0 else "right")
        kind = ContactMassTyre if self.coefficients.MC > 0.0 else MagicFormulaTyre
        return kind(tyre, reference_friction=self.mu0, turn_slip=self.turn_slip)


class MagicFormulaBase(Section):
    """What a data file says beside the coefficients: version 52, 61 or 62, side, turn slip, friction."""

    version: Annotated[float, Quantity("1", at_least=0.0)]
    side: Annotated[float, Quantity("1", at_least=-1.0)]
    mu0: PositiveFraction
    turn_slip: Annotated[float, Quantity("1", at_least=0.0)] | None = None
    ellipse: Annotated[float, Quantity("1", at_least=0.0)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> MagicFormulaBase:
        if self.side not in SIDES:
            raise ValueError("side must be 1 (left), -1 (right) or 0 (symmetric): for which the numbers are")
        for name in ("turn_slip", "ellipse"):
            if getattr(self, name) not in (None, 0.0, 1.0):
                raise ValueError(f"{name} is {getattr(self, name):g}; give 1, or leave it out")
        idle = without_effect(int(self.version), bool(self.turn_slip))
        for name in self.coefficients():
            if name.startswith(idle):
                turning = " without turn_slip: 1" if name.startswith(TURN_SLIP) else ""
                raise ValueError(f"{name} has no effect in version {self.version:g}{turning}; leave it out")
        try:
            self.built()
        except DataError as error:
            raise ValueError(str(error).removeprefix("tyre: ")) from error
        return self

    def coefficients(self) -> dict[str, float]:
        """Those that are given."""
        own = MagicFormulaBase.model_fields
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in own}
        return {name: value for name, value in given.items() if value is not None}

    def built(self) -> MagicFormulaParameters:
        """As built."""
        made = Coefficients(version=int(self.version), ellipse=bool(self.ellipse), **self.coefficients())
        return MagicFormulaParameters(made, SIDES[self.side], bool(self.turn_slip), self.mu0)


def without_effect(version: int, turn_slip: bool) -> tuple[str, ...]:
    """Beginnings of names that change no force in a version."""
    idle: tuple[str, ...] = ONLY_6 if version == 52 else ONLY_52
    idle += () if version == 62 else ONLY_62
    return idle if turn_slip else idle + TURN_SLIP


def quantity_of(field: Field[Any]) -> Any:
    """The annotation of a coefficient."""
    unit = unit_of(field.name) or "1"
    above = 0.0 if field.name in POSITIVE else None
    number = Annotated[float, Quantity(unit, above=above)]
    return (number, ...) if field.default is MISSING else (number | None, None)


def numbers() -> dict[str, Field[Any]]:
    """Coefficients of effect on forces."""
    return {
        f.name: f for f in fields(Coefficients) if f.name not in NO_NUMBERS and not f.name.startswith(IDLE)
    }


def as_written(file: TyreFile) -> dict[str, tuple[float, str]]:
    """What a data file says of a tyre that was read: value and unit by name, without what is as it is anyway.

    A contact has a mass where the file's USE_MODE asks for it, see `contact_mass.on_road`.
    """
    c, mode = file.coefficients, abs(file.use_mode or 0)
    found = {
        "version": (float(c.version), ""),
        "side": (next(number for number, side in SIDES.items() if side == file.side), ""),
        "mu0": (1.0 if file.friction is None else file.friction, ""),
    }
    turning, heavy = mode % 10 == 5, mode // 10 % 10 == 2 and c.MC > 0.0
    found |= {name: (1.0, "") for name, said in (("turn_slip", turning), ("ellipse", c.ellipse)) if said}
    idle = without_effect(c.version, turning) + (() if heavy else CONTACT_MASS)
    for name, field in numbers().items():
        value = float(getattr(c, name))
        if value != field.default and not name.startswith(idle):
            found[name] = value, unit_of(name)
    return found


def unit_of(name: str) -> str:
    """Of a coefficient, empty for a plain number."""
    return UNITS.get(DIMENSIONS.get(name, ""), "")


MagicFormulaData: type[MagicFormulaBase] = create_model(
    "MagicFormulaData",
    __base__=MagicFormulaBase,
    **{name: quantity_of(field) for name, field in numbers().items()},
)
"""The section ``tyre`` of the kind ``magic-formula``."""
