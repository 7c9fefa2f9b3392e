"""Reads a property file's settings of the model: version, side, combined slip, use mode."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.file_names import (
    FORMATS,
    OLDER_FITTYP,
    OTHER_TYRES,
    SIDES,
    VERSIONS,
)
from ce_dynamics.models.tyres.property_file import PropertyFile


def version_of(file: PropertyFile) -> int:
    """Whose equations hold: 52, 61 or 62."""
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
        value = in_quotes(entry.value)
        whole = int(value) if isinstance(value, float) and value.is_integer() else None
        version = None if whole is None else VERSIONS.get(whole)
        if version is None:
            older = f" ({OLDER_FITTYP[whole]})" if whole is not None and whole in OLDER_FITTYP else ""
            raise DataError(
                f"{file.where(entry)}: FITTYP = {checks.show(value)}{older} is no known Magic Formula; "
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


def in_quotes(value: float | str) -> float | str:
    """The number that a text is, where it is one: '61' is 61."""
    try:
        return float(value)
    except ValueError:
        return value


def side_of(file: PropertyFile) -> tuple[str, list[str]]:
    """``left``, ``right`` or ``symmetric``, left where the file names none, and what is to be said of it."""
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
    """The file's USE_MODE."""
    entry = file.find("USE_MODE", "MODEL")
    if entry is None:
        return None
    value = file.number("USE_MODE", entry)
    if not value.is_integer() or not abs(value) < 1000.0:
        raise DataError(f"{file.where(entry)}: USE_MODE = {value:g}; give a whole number, for example 14")
    return int(value)
