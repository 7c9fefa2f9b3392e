"""Tyre property files (``.tir``): sections of named values, tables of numbers, units of measure.

::

    [UNITS]
    LENGTH = 'meter'
    [DIMENSION]
    UNLOADED_RADIUS = 0.3135   $ what follows $, ! or # is a comment
    [DEFLECTION_LOAD_CURVE]
    {pen     fz}
    0.00     0.0
    0.05  8000.0

Blocks ``(COMMENTS)`` of quoted lines, names of columns in braces and lines drawn with dashes are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError

LARGEST_FILE = 2**20
"""Bytes of a property file."""

_SECTION = re.compile(r"\[([^\]]+)\]$")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][-+]?\d+)?$")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_SAYS_NOTHING = re.compile(r"\{.*|\([\w\s]+\)|['\"].*|[. ]*[-=*_~+][-=*_~+. ]*")
"""Names of columns, headings of comments, quoted lines, lines of punctuation."""

SCALES: Mapping[str, Mapping[str, float]] = {
    "LENGTH": {
        "m": 1.0, "meter": 1.0, "metre": 1.0, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "centimeter": 1e-2,
        "km": 1e3, "kilometer": 1e3, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "foot": 0.3048,
        "feet": 0.3048, "millimetre": 1e-3, "centimetre": 1e-2, "kilometre": 1e3, "mile": 1609.344,
    },
    "FORCE": {
        "n": 1.0, "newton": 1.0, "kn": 1e3, "kilonewton": 1e3, "kilo_newton": 1e3, "mn": 1e6,
        "kgf": 9.80665, "kilogram_force": 9.80665, "lbf": 4.4482216152605, "pound_force": 4.4482216152605,
        "lb": 4.4482216152605, "kilopound_force": 4448.2216152605, "dan": 10.0, "dyne": 1e-5,
    },
    "ANGLE": {"rad": 1.0, "radian": 1.0, "deg": math.pi / 180.0, "degree": math.pi / 180.0},
    "MASS": {
        "kg": 1.0, "kilogram": 1.0, "g": 1e-3, "gram": 1e-3, "t": 1e3, "tonne": 1e3,
        "lbm": 0.45359237, "pound_mass": 0.45359237, "slug": 14.59390293720636, "lb": 0.45359237,
        "ounce_mass": 0.028349523125,
    },
    "TIME": {
        "s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1e-3, "millisecond": 1e-3, "min": 60.0, "minute": 60.0,
        "h": 3600.0, "hour": 3600.0,
    },
    "SPEED": {
        "m/s": 1.0, "meter/second": 1.0, "mm/s": 1e-3, "km/h": 1.0 / 3.6, "kph": 1.0 / 3.6, "kmh": 1.0 / 3.6,
        "mph": 0.44704, "mile/h": 0.44704, "ft/s": 0.3048,
    },
    "PRESSURE": {
        "pa": 1.0, "pascal": 1.0, "kpa": 1e3, "kilopascal": 1e3, "mpa": 1e6, "megapascal": 1e6, "bar": 1e5,
        "psi": 6894.757293168361, "n/m^2": 1.0, "n/mm^2": 1e6,
    },
}  # fmt: skip
"""SI value of the units that ``[UNITS]`` may name, singular; ``SPEED`` is else length over time."""

USUAL: Mapping[str, tuple[tuple[str, ...], float, float]] = {
    "SPEED": (("LONGVL",), 0.5, 150.0),
    "PRESSURE": (("NOMPRES", "INFLPRES", "IP_NOM", "IP"), 2e4, 5e6),
}
"""Keys that determine the unit of a kind where ``[UNITS]`` does not, and their bounds in SI."""

OTHER_NAMES: Mapping[str, str] = {"VELOCITY": "SPEED"}
"""Other names of kinds of units."""


@dataclass(frozen=True)
class PropertyEntry:
    """A value, a number or a text, and the line of the file where it stands."""

    value: float | str
    line: int


@dataclass(frozen=True)
class PropertyFile:
    """The content of a property file.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    sections : mapping
        Entries by section and key, both in capitals.
    tables : mapping
        Rows of numbers, by section.
    scales : mapping
        SI value of the file's unit of each kind: ``LENGTH``, ``FORCE``, ....
    repeated : tuple of str
        Sections with a table that stand again, with another table: the first counts.
    """

    name: str
    sections: Mapping[str, Mapping[str, PropertyEntry]]
    tables: Mapping[str, tuple[tuple[float, ...], ...]]
    scales: Mapping[str, float] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()

    def find(self, key: str, *sections: str) -> PropertyEntry | None:
        """Find a key in the first of the sections that has it; in all sections, if none is named."""
        for section in sections or self.sections:
            entry = self.sections.get(section, {}).get(key)
            if entry is not None:
                return entry
        return None

    def word(self, key: str, *sections: str) -> str | None:
        """Return a text in capitals, None if the file has none."""
        entry = self.find(key, *sections)
        return None if entry is None else str(entry.value).strip().upper()

    def number(self, key: str, entry: PropertyEntry) -> float:
        """Return a value that has to be a number."""
        if isinstance(entry.value, str):
            raise DataError(f"{self.locate(entry)}: {key} = {checks.show(entry.value)} must be a number")
        return entry.value

    def locate(self, entry: PropertyEntry) -> str:
        """Return file and line, for messages."""
        return f"{self.name}, line {entry.line}"


def read_property_file(path: str | Path) -> PropertyFile:
    """Read a tyre property file."""
    content = files.read("tyre property file", path, LARGEST_FILE)
    return parse(decode(content), Path(path).name)


def decode(content: bytes) -> str:
    """Return text of UTF-8 or UTF-16 with a mark, else of Latin-1; without what MS-DOS ends files with."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
    return text.rstrip("\x00\x1a \r\n\t")


def parse(text: str, name: str = "tyre property file") -> PropertyFile:
    """Return the same of a text, with the name that messages give it."""
    sections: dict[str, dict[str, PropertyEntry]] = {}
    tables: dict[str, list[tuple[float, ...]]] = {}
    repeated: list[str] = []
    section, skipped = "", False
    for number, line in _lines(text):
        heading = _SECTION.match(line)
        if heading is not None:
            section = heading[1].strip().upper()
            sections.setdefault(section, {})
            skipped = section in tables
        elif _SAYS_NOTHING.fullmatch(line):
            continue
        elif "=" in line:
            key, _, value = line.partition("=")
            _add(sections.setdefault(section, {}), key, PropertyEntry(_value(value), number), name)
        else:
            row = _row(line, number, name)
            if not skipped:
                tables.setdefault(section, []).append(row)
            elif section not in repeated:
                repeated.append(section)
    if not any(sections.values()):
        raise DataError(f"{name} is no tyre property file: it has no line KEY = value")
    file = PropertyFile(name, sections, {key: tuple(rows) for key, rows in tables.items()})
    return replace(file, scales=_scales(file), repeated=tuple(repeated))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with a content, without their comments."""
    for number, raw in enumerate(text.splitlines(), start=1):
        quoted = {i for found in _QUOTED.finditer(raw) for i in range(*found.span())}
        end = min((i for i, x in enumerate(raw) if x in "$!#" and i not in quoted), default=len(raw))
        line = raw[:end].strip()
        if line:
            yield number, line


def _add(entries: dict[str, PropertyEntry], key: str, entry: PropertyEntry, name: str) -> None:
    key = key.strip().upper()
    if isinstance(entry.value, float) and not math.isfinite(entry.value):
        raise DataError(f"{name}, line {entry.line}: {key} must be a finite number")
    known = entries.setdefault(key, entry)
    if known.value != entry.value:
        raise DataError(
            f"{name}, line {entry.line}: {key} = {checks.show(entry.value)}, but "
            f"{checks.show(known.value)} in line {known.line}; one of them has to go"
        )


def _value(text: str) -> float | str:
    text = text.strip()
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return quoted[1] if quoted[1] is not None else quoted[2]
    text = text.strip("'\"").rstrip()  # a quote that was forgotten
    return _number(text) if _NUMBER.match(text) else text


def _number(text: str) -> float:
    return float(text.replace("D", "e").replace("d", "e"))


def _row(line: str, number: int, name: str) -> tuple[float, ...]:
    words = line.replace(",", " ").split()
    if not all(_NUMBER.match(word) for word in words):
        raise DataError(
            f"{name}, line {number}: {checks.show(line)} is neither [SECTION], KEY = value, "
            "nor a row of numbers"
        )
    numbers = tuple(_number(word) for word in words)
    if not all(math.isfinite(value) for value in numbers):
        raise DataError(f"{name}, line {number}: {checks.show(line)} must be finite numbers")
    return numbers


def _scales(file: PropertyFile) -> dict[str, float]:
    """Return SI values of the file's units; SI where it names none.

    Those of speed and pressure follow from length, time and force, unless what is measured in them could then
    not be: files in millimetres give pressures in N/mm² or in Pa, and speeds in mm/s or in m/s.
    """
    named = {OTHER_NAMES.get(kind, kind): entry for kind, entry in file.sections.get("UNITS", {}).items()}
    scales = {kind: _unit(file, kind, named[kind]) if kind in named else 1.0 for kind in SCALES}
    length, time, force = (scales[kind] for kind in ("LENGTH", "TIME", "FORCE"))
    for kind, derived in (("SPEED", length / time), ("PRESSURE", force / length**2)):
        if kind not in named:
            scales[kind] = derived if _can_be(file, kind, derived) or not _can_be(file, kind, 1.0) else 1.0
    return scales


def _can_be(file: PropertyFile, kind: str, scale: float) -> bool:
    """Return True if all values of a kind, times the scale, lie within the usual range of tyres."""
    keys, low, high = USUAL[kind]
    values = [entry.value for key in keys if (entry := file.find(key)) is not None]
    return all(low <= value * scale <= high for value in values if isinstance(value, float))


def _unit(file: PropertyFile, kind: str, entry: PropertyEntry) -> float:
    known = SCALES[kind]
    unit = str(entry.value).strip().lower()
    found = known.get(unit, known.get(unit.removesuffix("s"), known.get(unit.removesuffix("es"))))
    if found is None:
        raise DataError(
            f"{file.locate(entry)}: {kind} = {checks.show(entry.value)} is no known unit; "
            f"known are {', '.join(known)}"
        )
    return found
