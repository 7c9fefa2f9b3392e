"""Magic Formula tyres from property files: MF-Tyre 5.x, 6.x and PAC2002.

Some files name their model or coefficients in other words, and some hold curves as tables.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.file_names import (
    ALIASES,
    ASYMMETRY,
    DIMENSIONS,
    FORMATS,
    IGNORED,
    NO_FORCE,
    OLDER_FITTYP,
    ONLY_6,
    ONLY_52,
    ONLY_62,
    OTHER_TYRES,
    SECTIONS,
    SIDES,
    VERSIONS,
)
from ce_dynamics.models.tyres.property_file import PropertyEntry, PropertyFile, read_property_file


def version_of(file: PropertyFile) -> int:
    """Return the version whose equations hold: 52, 61 or 62."""
    kind = file.word("PROPERTY_FILE_FORMAT", "MODEL") or ""
    entry = file.find("FITTYP", "MODEL")
    if "MC" in kind or (entry is not None and entry.value == 51.0):
        raise DataError(
            f"{file.name} describes a motorcycle tyre (MF-MCTyre), whose equations are others; "
            "FITTYP 5, 6, 21, 52, 60, 61 and 62 of car tyres are read"
        )
    if kind in OTHER_TYRES:
        raise DataError(
            f"{file.name}: PROPERTY_FILE_FORMAT = {checks.show(kind)} is {OTHER_TYRES[kind]}; "
            "FITTYP 5, 6, 21, 52, 60, 61, 62 and PAC2002 are read"
        )
    if entry is not None:
        value = unquote_number(entry.value)
        whole = int(value) if isinstance(value, float) and value.is_integer() else None
        version = None if whole is None else VERSIONS.get(whole)
        if version is None:
            older = f" ({OLDER_FITTYP[whole]})" if whole is not None and whole in OLDER_FITTYP else ""
            raise DataError(
                f"{file.locate(entry)}: FITTYP = {checks.show(value)}{older} is no known Magic Formula; "
                f"known are {', '.join(map(str, VERSIONS))}"
            )
        return version
    if kind in FORMATS:
        return 52
    raise DataError(
        f"{file.name} does not name the kind of its tyre: PROPERTY_FILE_FORMAT is {kind or 'missing'!r} "
        f"and FITTYP is missing; give FITTYP = {', '.join(map(str, VERSIONS))} "
        f"or the format {', '.join(FORMATS)}"
    )


def unquote_number(value: float | str) -> float | str:
    """Return the number that a text is, where it is one: '61' is 61."""
    try:
        return float(value)
    except ValueError:
        return value


def side_of(file: PropertyFile) -> tuple[str, list[str]]:
    """Return ``left``, ``right`` or ``symmetric``, left where the file names none, and a note on it."""
    word = file.word("TYRESIDE", "MODEL") or file.word("TIRESIDE", "MODEL") or "UNKNOWN"
    word = {"L": "LEFT", "R": "RIGHT"}.get(word, word)
    if word not in SIDES:
        raise DataError(f"{file.name}: TYRESIDE = {checks.show(word)}; give one of {', '.join(SIDES)}")
    if word == "UNKNOWN":
        return "left", ["TYRESIDE is not given: the coefficients are taken as those of a left tyre"]
    if word == "SYMMETRIC":
        return "symmetric", ["TYRESIDE = 'SYMMETRIC': without conicity, ply steer and their like"]
    return word.lower(), []


def ellipse_of(file: PropertyFile, version: int, values: Mapping[str, float]) -> tuple[bool, list[str]]:
    """Return True if combined slip follows the friction ellipse of PAC2002, and remarks for the user.

    ``FE_METHOD`` decides if it is given.  Otherwise the ellipse holds for files of 5.2 without coefficients
    of combined slip.
    """
    word = file.word("FE_METHOD", "MODEL")
    if word not in (None, "YES", "NO"):
        raise DataError(f"{file.name}: FE_METHOD = {checks.show(word)}; give 'YES' or 'NO'")
    if version != 52:
        if word == "YES":
            raise DataError(
                f"{file.name}: FE_METHOD = 'YES' is of PAC2002; this is Magic Formula {version / 10}"
            )
        return False, []
    without = not values.get("RBX1") and not values.get("RBY1")
    if word == "YES" or (word is None and without):
        reason = "FE_METHOD = 'YES'" if word else "no coefficients of combined slip (RBX1, RBY1)"
        return True, [f"{reason}: combined slip by the friction ellipse"]
    return False, []


def mode_of(file: PropertyFile) -> int | None:
    """Return the file's USE_MODE."""
    entry = file.find("USE_MODE", "MODEL")
    if entry is None:
        return None
    value = file.number("USE_MODE", entry)
    if not value.is_integer() or not abs(value) < 1000.0:
        raise DataError(f"{file.locate(entry)}: USE_MODE = {value:g}; give a whole number, for example 14")
    return int(value)


LOAD, RIM = "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE"
SCALED_BY = ("UNLOADED_RADIUS", "FNOMIN")


def spring(file: PropertyFile, values: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Return ``VERTICAL_STIFFNESS`` and ``Q_FZ2`` of the load curve of a file, and notes on them.

    Fz = Fz0 (q_1 d + q_2 d²), d = ρ/R0, (A3.3), through the points by least squares; q_2 is at least zero, as
    the load has to grow with the deflection.  Both are needed the other way round as well, in closed form.
    """
    if LOAD not in file.tables or not set(SCALED_BY) <= values.keys():
        return {}, []
    rho, Fz = increasing_table(file, LOAD)
    R0, Fz0 = (checks.number(name, values[name], above=0.0, error=DataError) for name in SCALED_BY)
    d, f = rho / R0, Fz / Fz0
    q_1, q_2 = np.linalg.lstsq(np.stack([d, d * d], axis=1), f, rcond=None)[0]
    if q_2 < 0.0 or q_1 <= 0.0:
        q_1, q_2 = float(d @ f / (d @ d)), 0.0
    off = float(np.abs(q_1 * d + q_2 * d * d - f).max())
    # Cz0 is the slope of the load at Fz0: (4) of Besselink et al. (2010) turned round.
    stiffness = Fz0 / R0 * float(np.sqrt(q_1 * q_1 + 4.0 * q_2))
    note = (
        f"{LOAD}: VERTICAL_STIFFNESS = {stiffness:.6g} N/m, Q_FZ2 = {q_2:.6g}; "
        f"its points are met within {off * Fz0:.0f} N"
    )
    return {"VERTICAL_STIFFNESS": stiffness, "Q_FZ2": float(q_2)}, [note]


def rim(file: PropertyFile, values: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Return ``BOTTOM_OFFST`` and ``BOTTOM_STIFF`` of the bottoming curve: its start and its slope."""
    if RIM not in file.tables or not {"UNLOADED_RADIUS", "RIM_RADIUS"} <= values.keys():
        return {}, []
    pen, force = increasing_table(file, RIM)
    onset = int(np.flatnonzero(force > 0.0)[0]) - 1
    rise = (force[-1] - force[onset]) / (pen[-1] - pen[onset])
    offset = values["UNLOADED_RADIUS"] - values["RIM_RADIUS"] - float(pen[onset])
    note = f"{RIM}: BOTTOM_OFFST = {offset:.6g} m, BOTTOM_STIFF = {rise:.6g} N/m"
    return {"BOTTOM_OFFST": offset, "BOTTOM_STIFF": float(rise)}, [note]


def increasing_table(file: PropertyFile, section: str) -> tuple[np.ndarray, np.ndarray]:
    """Return deflection [m] and force [N] of a table."""
    rows = file.tables[section]
    table = np.array(rows) if len({len(row) for row in rows}) == 1 else np.empty((0, 0))
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        raise DataError(f"{file.name}: [{section}] must have two rows or more of deflection and force")
    pen, force = table[:, 0] * file.scales["LENGTH"], table[:, 1] * file.scales["FORCE"]
    if pen[0] != 0.0 or force[0] != 0.0:
        raise DataError(f"{file.name}: [{section}] must begin with 0 0, got {pen[0]:g} {force[0]:g}")
    if not (np.diff(pen) > 0.0).all() or not (np.diff(force) >= 0.0).all() or force[-1] <= 0.0:
        raise DataError(f"{file.name}: [{section}] must increase in both columns; put its rows in order")
    return pen, force


def stiffness_of_terms(file: PropertyFile, version: int, values: dict[str, float]) -> None:
    """Return the stiffness at Fz0 of q_Fz1 and q_Fz2, which PAC2002 takes first, 6.x without another.

    q_Fz1² + 4 q_Fz2 = (Cz0 R0/Fz0)²: (4) of Besselink et al. (2010).
    """
    entry = file.find("QFZ1") or file.find("Q_FZ1")
    if entry is None or not {"UNLOADED_RADIUS", "FNOMIN"} <= values.keys() or LOAD in file.tables:
        return
    q_1 = file.number("Q_FZ1", entry)
    if q_1 > 0.0 and (version == 52 or "VERTICAL_STIFFNESS" not in values):
        q_2 = values.get("Q_FZ2", 0.0)
        k = math.sqrt(max(q_1 * q_1 + 4.0 * q_2, 0.0)) / values.get("LCZ", 1.0)
        values.setdefault("Q_FZ2", q_2)
        values["VERTICAL_STIFFNESS"] = k * values["FNOMIN"] / values["UNLOADED_RADIUS"]


def bottoming(file: PropertyFile, values: dict[str, float]) -> None:
    """Return BOTTOMING_RADIUS of PAC2002 as the distance from the rim."""
    entry = file.find("BOTTOMING_RADIUS", "DIMENSION", "VERTICAL")
    if entry is not None and "RIM_RADIUS" in values:
        radius = file.number("BOTTOMING_RADIUS", entry) * file.scales["LENGTH"]
        if radius > 0.0:
            values.setdefault("BOTTOM_OFFST", radius - values["RIM_RADIUS"])


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
        """Return notes on parts of USE_MODE that are not followed."""
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
    """Return the tyre that the content of a property file describes."""
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
    for found, note in (spring(file, values), rim(file, values)):
        values |= found
        notes += note
    stiffness_of_terms(file, version, values)
    missing = sorted(name for name, f in known.items() if f.default is MISSING and name not in values)
    if missing:
        near = [k for name in missing for k in difflib.get_close_matches(name, unknown, n=1)]
        hint = f"; not understood, and perhaps meant: {', '.join(near)}" if near else ""
        raise DataError(f"{file.name} lacks {', '.join(missing)}, which a Magic Formula tyre needs{hint}")
    check_size(file, values["UNLOADED_RADIUS"])
    bottoming(file, values)
    notes += range_of_loads(values)
    side, note = side_of(file)
    notes += note
    if side == "symmetric":
        values |= dict.fromkeys(ASYMMETRY, 0.0)
    ellipse, note = ellipse_of(file, version, values)
    notes += note
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
            f"{smallest:g} m to {largest:g} m; set the unit of LENGTH in [UNITS]"
        )


def find_unused_sections(file: PropertyFile, known: Mapping[str, object]) -> list[str]:
    """Return sections of which nothing is read."""
    found = [
        section
        for section, entries in file.sections.items()
        if entries
        and section not in (*SECTIONS, "MDI_HEADER")
        and not any(ALIASES.get(key, key) in known for key in entries)
    ]
    return [f"sections that are not used: {', '.join(found)}"] if found else []


def range_of_loads(values: dict[str, float]) -> list[str]:
    """Return FZMAX where a file has none: the default is that of a car, too small for a truck's tyre."""
    if "FZMAX" in values or 2.0 * values["FNOMIN"] <= Coefficients.FZMAX:
        return []
    values["FZMAX"] = 2.0 * values["FNOMIN"]
    return [f"FZMAX is not given: {values['FZMAX']:g} N, twice the nominal load"]


def add(file: PropertyFile, values: dict[str, float], name: str, key: str, entry: PropertyEntry) -> None:
    """Add a coefficient in SI."""
    value = file.number(key, entry) * scale(file, name)
    known = values.setdefault(name, value)
    if known != value:
        raise DataError(
            f"{file.locate(entry)}: {key} = {checks.show(entry.value)} is {name}, which another line gives "
            f"as {known:g}; one of them has to go"
        )


def scale(file: PropertyFile, name: str) -> float:
    """Return SI value of the file's unit of a coefficient."""
    result = 1.0
    operator = "*"
    for part in DIMENSIONS.get(name, "1").replace("*", " * ").replace("/", " / ").split():
        if part in "*/":
            operator = part
        else:
            factor = 1.0 if part == "1" else file.scales[part]
            result = result * factor if operator == "*" else result / factor
    return result
