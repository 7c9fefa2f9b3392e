"""Magic Formula tyres from property files: MF-Tyre 5.x, 6.x and PAC2002, which has other names for some."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.property_file import Entry, PropertyFile, read_property_file

VERSIONS: Mapping[int, int] = {5: 52, 6: 52, 21: 52, 52: 52, 60: 61, 61: 61, 62: 62}
"""Whose equations hold for each FITTYP."""

FORMATS = ("PAC2002", "MF_05", "MF-TYRE", "MF_TYRE", "MF52")
"""Of files without FITTYP: 5.2."""

ALIASES: Mapping[str, str] = {
    "IP": "INFLPRES",
    "IP_NOM": "NOMPRES",
    "LKG": "LKYC",
    "LFZ0": "LFZO",
    "QPX1": "PPMX1",
    "QPZ1": "PPZ1",
    "QPZ2": "PPZ2",
}
"""Other names of coefficients, those of PAC2002 above all."""

DIMENSIONS: Mapping[str, str] = {
    "LONGVL": "LENGTH/TIME",
    "VXLOW": "LENGTH/TIME",
    "INFLPRES": "PRESSURE",
    "NOMPRES": "PRESSURE",
    "PRESMIN": "PRESSURE",
    "PRESMAX": "PRESSURE",
    "UNLOADED_RADIUS": "LENGTH",
    "WIDTH": "LENGTH",
    "RIM_RADIUS": "LENGTH",
    "RIM_WIDTH": "LENGTH",
    "BOTTOM_OFFST": "LENGTH",
    "BOTTOMING_RADIUS": "LENGTH",
    "ELLIPS_MAX_STEP": "LENGTH",
    "MASS": "MASS",
    "BELT_MASS": "MASS",
    "MBELT": "MASS",
    "IXX": "MASS*LENGTH*LENGTH",
    "IYY": "MASS*LENGTH*LENGTH",
    "BELT_IXX": "MASS*LENGTH*LENGTH",
    "BELT_IYY": "MASS*LENGTH*LENGTH",
    "GRAVITY": "LENGTH/TIME/TIME",
    "FNOMIN": "FORCE",
    "FZMIN": "FORCE",
    "FZMAX": "FORCE",
    "VERTICAL_STIFFNESS": "FORCE/LENGTH",
    "VERTICAL_DAMPING": "FORCE*TIME/LENGTH",
    "BOTTOM_STIFF": "FORCE/LENGTH",
    "LONGITUDINAL_STIFFNESS": "FORCE/LENGTH",
    "LATERAL_STIFFNESS": "FORCE/LENGTH",
    "YAW_STIFFNESS": "FORCE*LENGTH/ANGLE",
    "FREQ_LONG": "1/TIME",
    "FREQ_LAT": "1/TIME",
    "FREQ_YAW": "1/TIME",
    "FREQ_WINDUP": "1/TIME",
    "ALPMIN": "ANGLE",
    "ALPMAX": "ANGLE",
    "CAMMIN": "ANGLE",
    "CAMMAX": "ANGLE",
}
"""What the units of a file apply to; the coefficients of the formulas are of SI whatever the units are."""

IGNORED = {
    "FILE_TYPE", "FILE_VERSION", "FILE_FORMAT", "FITTYP", "TYRESIDE", "USE_MODE", "PROPERTY_FILE_FORMAT",
    "FUNCTION_NAME", "USER_SUB_ID", "N_TIRE_STATES", "ROAD_INCREMENT", "ROAD_DIRECTION", "HMAX_LOCAL",
    "SWITCH_INTEG", "TIME_SWITCH_INTEG", "BOTTOMING_RADIUS", "MFSAFE1", "MFSAFE2", "MFSAFE3",
}  # fmt: skip
"""What says nothing about forces, or is read in its own way."""

SECTIONS = {
    "MODEL", "DIMENSION", "SHAPE", "INFLATION_PRESSURE", "OPERATING_CONDITIONS", "TIRE_CONDITIONS", "INERTIA",
    "VERTICAL", "STRUCTURAL", "CONTACT_PATCH", "INFLATION_PRESSURE_RANGE", "VERTICAL_FORCE_RANGE",
    "LONG_SLIP_RANGE", "SLIP_ANGLE_RANGE", "INCLINATION_ANGLE_RANGE", "SCALING_COEFFICIENTS",
    "LONGITUDINAL_COEFFICIENTS", "OVERTURNING_COEFFICIENTS", "LATERAL_COEFFICIENTS", "ROLLING_COEFFICIENTS",
    "ALIGNING_COEFFICIENTS", "TURNSLIP_COEFFICIENTS",
}  # fmt: skip
"""Whose keys mean something; others are notes of whoever wrote the file."""

SIDES = ("LEFT", "RIGHT")

_ONLY_52 = ("LGA", "LGYR", "LSG", "PHY3", "PTX", "PTY", "Q_A", "QTZ1", "MBELT", "LCZ", "LIP")
_ONLY_6 = (
    "PKY6",
    "PKY7",
    "PPY5",
    "QSY5",
    "QSY6",
    "QSY7",
    "QSY8",
    "Q_R",
    "PCF",
    "LKYC",
    "LKZC",
    "PDXP",
    "PDYP",
    "PKYP",
    "PHYP",
    "PECP",
    "QDTP",
    "QCRP",
    "QBRP",
    "QDRP",
    "LMP",
)
_ONLY_62 = ("Q_FCY2", "Q_CAM1", "Q_CAM2", "Q_CAM3", "Q_FYS", "ENV_")
_NO_FORCE = (
    "ELLIPS",
    "FREQ",
    "DAMP",
    "MC_",
    "BELT",
    "GRAVITY",
    "IXX",
    "IYY",
    "MASS",
    "Q_BV",
    "PCMZ1",
    "YAW",
    "LMUV",
)
"""Beginnings of names that matter to one version only, or to no force of the tyre."""


@dataclass(frozen=True)
class TyreFile:
    """A Magic Formula tyre as its file describes it.

    Attributes
    ----------
    coefficients : Coefficients
        In SI.
    name : str
        Of the file.
    side : {"left", "right", "symmetric"}
        Side of the vehicle for which the coefficients hold.
    use_mode : int or None
        The file's own USE_MODE: 0 load only, 1 Fx and My, 2 Fy, Mx and Mz, 3 both without influence on each
        other, 4 combined, 5 with turn slip; tens: transients.
    defaulted : dict of str to float
        Coefficients that the file does not have, and what is used instead.
    unknown : tuple of str
        Keys of the file that mean nothing here.
    tables : mapping
        Tables of the file, such as ``DEFLECTION_LOAD_CURVE``, by section [units of the file].
    """

    coefficients: Coefficients
    name: str
    side: str
    use_mode: int | None
    defaulted: Mapping[str, float]
    unknown: tuple[str, ...]
    tables: Mapping[str, tuple[tuple[float, ...], ...]]

    def report(self) -> str:
        """What the file leaves open and what is not understood of it, in words."""
        idle: tuple[str, ...] = _NO_FORCE + (_ONLY_6 if self.coefficients.version == 52 else _ONLY_52)
        idle += () if self.coefficients.version == 62 else _ONLY_62
        used = {k: v for k, v in self.defaulted.items() if not k.startswith(idle)}
        of_effect = {k: v for k, v in used.items() if v != (1.0 if k.startswith("L") else 0.0)}
        lines = [f"{self.name}: Magic Formula {self.coefficients.version / 10:.1f}, side: {self.side}"]
        if of_effect:
            lines.append("missing, default used: " + ", ".join(f"{k} = {v:g}" for k, v in of_effect.items()))
        without = [k for k in used if k not in of_effect]
        if without:
            lines.append("missing, taken as 0 (scale factors 1): " + ", ".join(without))
        if self.unknown:
            lines.append("not understood: " + ", ".join(self.unknown))
        if self.tables:
            lines.append("tables that are not used: " + ", ".join(self.tables))
        if self.use_mode is not None and abs(self.use_mode) % 10 < 4:
            lines.append(f"USE_MODE = {self.use_mode} is not followed: all forces, combined, are computed")
        return "\n".join(lines)


def read_tyre_file(path: str | Path) -> TyreFile:
    """Read a Magic Formula tyre from a property file.

    Parameters
    ----------
    path : str or path
        A ``.tir`` file: MF-Tyre 5.0–6.2 (FITTYP 5, 6, 21, 52, 60, 61, 62) or PAC2002.

    Raises
    ------
    DataError
        If it is no such file, is of another kind of tyre, lacks what nothing can stand in for (all
        missing keys are named) or has a value that cannot be.
    """
    return tyre_of(read_property_file(path))


def tyre_of(file: PropertyFile) -> TyreFile:
    """The tyre that the content of a property file describes."""
    version = version_of(file)
    known = {f.name: f for f in fields(Coefficients) if f.name != "version"}
    values, unknown = {}, []
    for section, entries in file.sections.items():
        for key, entry in entries.items():
            name = ALIASES.get(key, key)
            if name in known and (key != "MASS" or section == "INERTIA"):
                values[name] = number(file, key, entry) * scale(file, name)
            elif section in SECTIONS and key not in IGNORED:
                unknown.append(key)
    missing = sorted(name for name, f in known.items() if f.default is MISSING and name not in values)
    if missing:
        near = [k for name in missing for k in difflib.get_close_matches(name, unknown, n=1)]
        hint = f"; not understood, and perhaps meant: {', '.join(near)}" if near else ""
        raise DataError(f"{file.name} lacks {', '.join(missing)}, which a Magic Formula tyre needs{hint}")
    bottoming(file, values)
    defaulted = {k: float(str(f.default)) for k, f in known.items() if k not in values}
    try:
        coefficients = Coefficients(version=version, **values)
    except DataError as error:
        raise DataError(f"{file.name}: {error}") from error
    return TyreFile(
        coefficients, file.name, side_of(file), mode_of(file), defaulted, tuple(unknown), file.tables
    )


def version_of(file: PropertyFile) -> int:
    """Whose equations hold: 52, 61 or 62.

    Raises
    ------
    DataError
        If the file is of another tyre model, or does not say of which.
    """
    kind = file.word("PROPERTY_FILE_FORMAT", "MODEL") or ""
    entry = file.find("FITTYP", "MODEL")
    if "MC" in kind or (entry is not None and entry.value == 51.0):
        raise DataError(
            f"{file.name} describes a motorcycle tyre (MF-MCTyre), whose equations are others; "
            "FITTYP 5, 6, 21, 52, 60, 61 and 62 of car tyres are read"
        )
    if entry is not None:
        version = VERSIONS.get(int(entry.value)) if isinstance(entry.value, float) else None
        if version is None:
            raise DataError(
                f"{file.where(entry)}: FITTYP = {checks.shown(entry.value)} is no known Magic Formula; "
                f"known are {', '.join(map(str, VERSIONS))}"
            )
        return version
    if kind in FORMATS:
        return 52
    raise DataError(
        f"{file.name} does not say which tyre it describes: PROPERTY_FILE_FORMAT is {kind or 'missing'!r} "
        f"and FITTYP is missing; give FITTYP = {', '.join(map(str, VERSIONS))} "
        f"or the format {', '.join(FORMATS)}"
    )


def number(file: PropertyFile, key: str, entry: Entry) -> float:
    """A value that has to be a number.

    Raises
    ------
    DataError
        If it is a text.
    """
    if isinstance(entry.value, str):
        raise DataError(f"{file.where(entry)}: {key} = {checks.shown(entry.value)} must be a number")
    return entry.value


def scale(file: PropertyFile, name: str) -> float:
    """SI value of the file's unit of a coefficient."""
    result = 1.0
    operator = "*"
    for part in DIMENSIONS.get(name, "1").replace("*", " * ").replace("/", " / ").split():
        if part in "*/":
            operator = part
        else:
            factor = 1.0 if part == "1" else file.scales[part]
            result = result * factor if operator == "*" else result / factor
    return result


def bottoming(file: PropertyFile, values: dict[str, float]) -> None:
    """BOTTOMING_RADIUS of PAC2002 as the distance from the rim."""
    entry = file.find("BOTTOMING_RADIUS", "DIMENSION", "VERTICAL")
    if entry is not None and "RIM_RADIUS" in values:
        radius = number(file, "BOTTOMING_RADIUS", entry) * file.scales["LENGTH"]
        if radius > 0.0:
            values.setdefault("BOTTOM_OFFST", radius - values["RIM_RADIUS"])


def side_of(file: PropertyFile) -> str:
    """``left``, ``right`` or, where the file names none, ``symmetric``."""
    word = file.word("TYRESIDE", "MODEL")
    return word.lower() if word in SIDES else "symmetric"


def mode_of(file: PropertyFile) -> int | None:
    """The file's USE_MODE."""
    entry = file.find("USE_MODE", "MODEL")
    return None if entry is None else int(number(file, "USE_MODE", entry))
