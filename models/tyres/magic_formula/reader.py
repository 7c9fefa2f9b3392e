"""Magic Formula tyres from property files: MF-Tyre 5.x, 6.x and PAC2002, which has other names for some."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.curves import (
    LOAD,
    RIM,
    bottoming,
    rim,
    spring,
    stiffness_of_terms,
)
from ce_dynamics.models.tyres.magic_formula.file_model import ellipse_of, mode_of, side_of, version_of
from ce_dynamics.models.tyres.magic_formula.file_names import (
    ALIASES,
    ASYMMETRY,
    DIMENSIONS,
    IGNORED,
    NO_FORCE,
    ONLY_6,
    ONLY_52,
    ONLY_62,
    SECTIONS,
)
from ce_dynamics.models.tyres.property_file import PropertyEntry, PropertyFile, read_property_file


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
        Side of the vehicle for which the coefficients hold: left where the file names none.
    use_mode : int or None
        The file's own USE_MODE: 0 load only, 1 Fx and My, 2 Fy, Mx and Mz, 3 both without influence on each
        other, 4 combined, 5 with turn slip; tens: transients (0 none, 1 relaxation lengths, 2 beyond those).
    defaulted : dict of str to float
        Coefficients that the file does not have, and what is used instead.
    unknown : tuple of str
        Keys of the file that mean nothing here.
    tables : mapping
        Tables of the file, such as ``DEFLECTION_LOAD_CURVE``, by section [units of the file].
    notes : tuple of str
        What was done in words: of curves, sides, combined slip.
    friction : float or None
        Friction coefficient of the road for which the coefficients hold, where that is given.
    """

    coefficients: Coefficients
    name: str
    side: str
    use_mode: int | None
    defaulted: Mapping[str, float]
    unknown: tuple[str, ...]
    tables: Mapping[str, tuple[tuple[float, ...], ...]]
    notes: tuple[str, ...] = ()
    friction: float | None = None

    def report(self) -> str:
        """Return a text that lists the file's missing entries and those not understood."""
        idle: tuple[str, ...] = NO_FORCE + (ONLY_6 if self.coefficients.version == 52 else ONLY_52)
        idle += () if self.coefficients.version == 62 else ONLY_62
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
        unused = [name for name in self.tables if name not in (LOAD, RIM)]
        if unused:
            lines.append("tables that are not used: " + ", ".join(unused))
        lines += self.notes
        lines += self._about_use_mode()
        return "\n".join(lines)

    def _about_use_mode(self) -> list[str]:
        """In what it is not followed."""
        if self.use_mode is None:
            return []
        lines, transients = [], abs(self.use_mode) // 10 % 10
        if abs(self.use_mode) % 10 < 4:
            lines.append(f"USE_MODE = {self.use_mode} is not followed: all forces, combined, are computed")
        if transients == 2 and not self.coefficients.MC > 0.0:
            lines.append(
                f"USE_MODE = {self.use_mode}: the file has no mass of the contact (MC); on a vehicle its "
                "tyres follow with relaxation lengths"
            )
        if transients > 2:
            lines.append(f"USE_MODE = {self.use_mode}: belts are left out; relaxation lengths are taken")
        return lines


SIZES = 0.01, 5.0
"""Radii [m] between those of the smallest model cars and of the largest dumpers, with room on both sides."""


def read_tyre_file(path: str | Path) -> TyreFile:
    """Read a Magic Formula tyre from a property file.

    Parameters
    ----------
    path : str or path
        A ``.tir`` file: MF-Tyre 5.0–6.2 (FITTYP 5, 6, 21, 52, 60, 61, 62) or PAC2002.
    """
    return tyre_of(read_property_file(path))


def tyre_of(file: PropertyFile) -> TyreFile:
    """The tyre that the content of a property file describes."""
    version = version_of(file)
    known = {f.name: f for f in fields(Coefficients) if f.name not in NO_NUMBERS}
    values: dict[str, float] = {}
    unknown: list[str] = []
    for section, entries in file.sections.items():
        for key, entry in entries.items():
            name = ALIASES.get(key, key)
            if name in known and (key != "MASS" or section == "INERTIA"):
                add(file, values, name, key, entry)
            elif section in SECTIONS and key not in IGNORED and (section, key) != ("UNITS", "MASS"):
                unknown.append(key)
    notes = find_unused_sections(file, known)
    notes += [f"[{name}] stands twice with other rows: the first counts" for name in file.repeated]
    for found, said in (spring(file, values), rim(file, values)):
        values |= found
        notes += said
    stiffness_of_terms(file, version, values)
    missing = sorted(name for name, f in known.items() if f.default is MISSING and name not in values)
    if missing:
        near = [k for name in missing for k in difflib.get_close_matches(name, unknown, n=1)]
        hint = f"; not understood, and perhaps meant: {', '.join(near)}" if near else ""
        raise DataError(f"{file.name} lacks {', '.join(missing)}, which a Magic Formula tyre needs{hint}")
    check_size(file, values["UNLOADED_RADIUS"])
    bottoming(file, values)
    notes += range_of_loads(values)
    side, said = side_of(file)
    notes += said
    if side == "symmetric":
        values |= dict.fromkeys(ASYMMETRY, 0.0)
    ellipse, said = ellipse_of(file, version, values)
    notes += said
    defaulted = {k: float(str(f.default)) for k, f in known.items() if k not in values}
    try:
        coefficients = Coefficients(version=version, ellipse=ellipse, **values)
    except DataError as error:
        raise DataError(f"{file.name}: {error}") from error
    return TyreFile(
        coefficients,
        file.name,
        side,
        mode_of(file),
        defaulted,
        tuple(unknown),
        file.tables,
        tuple(notes),
    )


def check_size(file: PropertyFile, radius: float) -> None:
    """Refuse a tyre of another order of size than any; its lengths are not in the units that it names."""
    smallest, largest = SIZES
    if not smallest <= radius <= largest:
        raise DataError(
            f"{file.name}: UNLOADED_RADIUS is {radius:g} m by the units of the file, and tyres have "
            f"{smallest:g} m to {largest:g} m; say in [UNITS] what LENGTH is in"
        )


def find_unused_sections(file: PropertyFile, known: Mapping[str, object]) -> list[str]:
    """Sections of which nothing is read."""
    found = [
        section
        for section, entries in file.sections.items()
        if entries
        and section not in (*SECTIONS, "MDI_HEADER")
        and not any(ALIASES.get(key, key) in known for key in entries)
    ]
    return [f"sections that are not used: {', '.join(found)}"] if found else []


def range_of_loads(values: dict[str, float]) -> list[str]:
    """FZMAX where a file has none: the default is that of a car, and would hold down a truck's tyre."""
    if "FZMAX" in values or 2.0 * values["FNOMIN"] <= Coefficients.FZMAX:
        return []
    values["FZMAX"] = 2.0 * values["FNOMIN"]
    return [f"FZMAX is not given: {values['FZMAX']:g} N, twice the nominal load"]


def add(file: PropertyFile, values: dict[str, float], name: str, key: str, entry: PropertyEntry) -> None:
    """A coefficient in SI."""
    value = file.number(key, entry) * scale(file, name)
    known = values.setdefault(name, value)
    if known != value:
        raise DataError(
            f"{file.where(entry)}: {key} = {checks.show(entry.value)} is {name}, which another line gives "
            f"as {known:g}; one of them has to go"
        )


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
