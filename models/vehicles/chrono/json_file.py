"""JSON as Chrono writes it, with comments, and numbers from it as data files write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.suspensions.points import FARTHEST

LARGEST_FILE = 2**22
"""Bytes."""
LARGEST = 1e50
"""Largest number."""
WITHOUT_EFFECT = re.compile(
    r"Name|Type|Template|Output|Radius|Width|Size|Length|.*Visualization.*|Camera.*|Driver Position|Zombie|"
    r"Subchassis|Portal Offset|Location Stabilizer|Side Link Inertia|Transverse Beam Attachment Point|"
    r"Universal Joint Axis.*|Tierod Locations|Contact Mesh|Maximum Vertical Force \[N\]|"
    r"(Motor|Transmission) Block Inertia|Driveshaft Inertia|Central Differential Box",
    re.DOTALL,
)
"""Keys that change no motion, or that Chrono does not use either, unless a template reads them."""
DIRECTION = re.compile("Direction|Axis")
"""Part of the keys of vectors that are no points."""

_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*(?:.*?\*/|.*)', re.DOTALL)
"""Strings and comments; one that does not end reaches as far as it can, so that it is read once."""


def without_comments(text: str) -> str:
    """Replace ``//`` and ``/* */`` by blanks; strings, line numbers and comments without an end stay."""

    def blank_match(match: re.Match[str]) -> str:
        token = match[0]
        kept = token.startswith('"') or (token.startswith("/*") and not token.endswith("*/", 2))
        return token if kept else re.sub(r"[^\n]", " ", token)

    return _TOKEN.sub(blank_match, text)


def load(path: Path) -> dict[str, Any]:
    """Return the object of a JSON file with comments."""
    content = files.read("vehicle file", path, LARGEST_FILE)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: it is not UTF-8 text; save it as UTF-8") from error

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise DataError(f"{path.name}: the key {checks.show(key)} is there twice; remove one")
            found[key] = value
        return found

    try:
        value = json.loads(without_comments(text), object_pairs_hook=unique)
    except DataError:
        raise
    except json.JSONDecodeError as error:
        raise DataError(f"{path.name}:{json_error(error)}") from error
    except RecursionError as error:
        raise DataError(
            f"{path.name}: too many levels of brackets; no vehicle needs more than ten"
        ) from error
    except ValueError as error:  # an integer of thousands of digits
        raise DataError(f"{path.name}: not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f'{path.name}: expected an object {{...}} with keys such as "Template", found none')
    for name, number in numbers_of(value, ""):
        if not math.isfinite(number):
            word = json.dumps(number)
            raise DataError(f"{path.name}: {name}: {word} is no number; write a finite one")
    return value


def numbers_of(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Yield all floating-point numbers of a file by the keys that lead to them."""
    if isinstance(value, float):
        yield name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from numbers_of(item, f"{name}/{key}" if name else key)
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from numbers_of(item, f"{name}[{k}]")


def json_error(error: json.JSONDecodeError) -> str:
    """Return the line that is wrong, what is, and what to do."""
    before = error.doc[: error.pos].rstrip()
    if before.endswith(",") and error.doc[error.pos : error.pos + 1] in ("}", "]"):
        line = before.count("\n") + 1
        return f"{line}: not valid JSON: a comma after the last item; take it away"
    return f"{error.lineno}: not valid JSON: {error.msg}; correct this line"


def quantity(value: float, unit: str = "", source: str = "") -> str:
    """Return a number with its unit and, in brackets, its source; every bit of it."""
    return f"{plain(value)} {unit}".rstrip() + f" [{source}]" * bool(source)


def quantities(values: ArrayLike | Iterable[float], unit: str = "") -> str:
    """Return a point, a table's column: numbers in brackets, then the unit."""
    numbers = ", ".join(plain(x) for x in np.asarray(values, dtype=float).ravel())
    return f"({numbers}) {unit}".rstrip()


def inertia(J: ArrayLike, note: str = "") -> str:
    """Return a symmetric matrix: its diagonal, or all six."""
    M = np.asarray(J, dtype=float)
    off = M[0, 1], M[0, 2], M[1, 2]
    if any(off):
        text = quantities((*np.diag(M), *off), "kg*m^2")
    else:
        text = "diag" + quantities(np.diag(M), "kg*m^2")
    return f"{text} [{note}]" if note else text


def plain(value: float) -> str:
    """Return the shortest decimal of a number; never −0."""
    text = repr(float(value) + 0.0)
    return text[:-2] if text.endswith(".0") else text


class JsonObject:
    """An object of a file (``at`` its key there): its keys are read by kind; keys not read can be listed."""

    def __init__(self, data: dict[str, Any], path: Path, at: str = "") -> None:
        self.data, self.path, self.at = data, path, at
        self.read: set[str] = set()
        self.parts: dict[str, JsonObject] = {}

    @classmethod
    def of(cls, path: Path) -> JsonObject:
        return cls(load(path), path)

    def has(self, key: str) -> bool:
        """Return True if a key is present, and count it as read."""
        self.read.add(key)
        return key in self.data

    def key_error(self, key: str, problem: str) -> DataError:
        return DataError(f"{self.path.name}: {self.name(key)}: {problem}")

    def name(self, key: str) -> str:
        """Return a key with the keys that lead to it."""
        return f"{self.at}/{key}" if self.at else key

    def number(self, key: str, default: float | None = None, *, least: float = -math.inf) -> float:
        """Return a finite number, at least `least`."""
        if default is not None and not self.has(key):
            return default
        value = self._finite(key, self._value(key, "a number, for example 1.5"))
        if value < least:
            raise self.key_error(key, f"{value:g} is less than {least:g}; give a larger number")
        return value

    def positive(self, key: str, default: float | None = None) -> float:
        """Return a number above zero."""
        value = self.number(key, default)
        if not value > 0.0:
            raise self.key_error(key, f"{value:g} is not above 0; give a positive number")
        return value

    def numbers(self, key: str, count: int | None = None) -> tuple[float, ...]:
        expected = f"a list of {count} numbers" if count else "a list of numbers"
        value = self._value(key, f"{expected}, for example [1, 2, 3]")
        if not isinstance(value, list) or not value or (count is not None and len(value) != count):
            raise self.key_error(key, f"{checks.show(value)} is not {expected}; write [1, 2, 3]")
        return tuple(self._finite(key, item) for item in value)

    def vector(self, key: str) -> NDArray[np.float64]:
        """Return three numbers: a direction, or a point such as may be on a vehicle."""
        values = self.numbers(key, 3)
        for value in values:
            if abs(value) > FARTHEST and not DIRECTION.search(key):
                raise self.key_error(
                    key, f"{value:g} m is no place on a vehicle, at most {FARTHEST:g} m away; check the unit"
                )
        return np.array(values)

    def point(self, key: str) -> str:
        """Return a point as data files write it."""
        return quantities(self.vector(key), "m")

    def mass(self) -> str:
        """Return the mass, which may be zero, as data files write it."""
        return quantity(self.number("Mass", least=0.0), "kg")

    def moments(self, key: str) -> NDArray[np.float64]:
        """Return three principal moments of inertia, as a matrix."""
        values = self.numbers(key, 3)
        if min(values) < 0.0:
            raise self.key_error(key, f"{min(values):g} is less than 0; no body has such an inertia")
        return np.diag(values)

    def rows(self, key: str) -> list[tuple[float, ...]]:
        """Return a list of lists of numbers, all as long."""
        value = self._value(key, "a list of pairs, for example [[0, 1], [2, 3]]")
        if not isinstance(value, list) or not value or not all(isinstance(row, list) for row in value):
            raise self.key_error(key, f"{checks.show(value)} is no table; write [[0, 1], [2, 3]]")
        if len({len(row) for row in value}) > 1:
            raise self.key_error(key, "its rows are not equally long; give as many numbers in each")
        return [tuple(self._finite(key, item) for item in row) for row in value]

    def pairs(self, key: str, above: float = -math.inf) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return a function as a table: abscissae, which increase, and values, all above a number."""
        rows = self.rows(key)
        if len(rows) < 2 or len(rows[0]) != 2:
            raise self.key_error(key, "a function takes two pairs [x, y] or more; add some")
        x, y = zip(*rows, strict=True)
        for before, after in pairwise(x):
            if not before < after:
                raise self.key_error(key, f"{after:g} follows {before:g}; the first numbers must increase")
        if not min(y) > above:
            raise self.key_error(key, f"{min(y):g} is not above {above:g}; correct the second numbers")
        return x, y

    def text(self, key: str) -> str:
        value = self._value(key, "text in quotes")
        if not isinstance(value, str) or not value.strip():
            raise self.key_error(key, f"{checks.show(value)} is no text; write it in quotes")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        if not self.has(key):
            return default
        value = self.data[key]
        if not isinstance(value, bool):
            raise self.key_error(key, f"{checks.show(value)} is neither true nor false; write one of them")
        return value

    def part(self, key: str) -> JsonObject:
        """Return an object inside this one."""
        value = self._value(key, "an object {...}")
        if not isinstance(value, dict):
            raise self.key_error(key, f"{checks.show(value)} is no object; write {{...}}")
        return self.parts.setdefault(key, JsonObject(value, self.path, self.name(key)))

    def list_of_parts(self, key: str) -> list[JsonObject]:
        """Return the objects of a list."""
        value = self._value(key, "a list [...] of objects {...}")
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.key_error(key, f"{checks.show(value)} is no list of objects; write [{{...}}, {{...}}]")
        names = [f"{key}[{k}]" for k in range(len(value))]
        return [
            self.parts.setdefault(name, JsonObject(item, self.path, self.name(name)))
            for name, item in zip(names, value, strict=True)
        ]

    @property
    def template(self) -> str:
        return self.text("Template")

    def wrong_kind(self, what: str) -> DataError:
        """Return the error of a file that describes something else."""
        return self.key_error("Template", f"{checks.show(self.template)} is no {what}")

    def unread_keys(self) -> Iterator[str]:
        """Return keys that were not read, unless they are `WITHOUT_EFFECT`."""
        for key in self.data:
            if key not in self.read and not WITHOUT_EFFECT.fullmatch(key):
                yield self.name(key)
        for part in self.parts.values():
            yield from part.unread_keys()

    def cosmetic(self) -> bool:
        """Return True if the part describes visualization."""
        return any("Visualization" in key for key in self.data)

    def _value(self, key: str, expected: str) -> Any:
        if not self.has(key):
            raise self.key_error(key, f"it is missing; expected {expected}")
        return self.data[key]

    def _finite(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.key_error(key, f"{checks.show(value)} is no number; write one without quotes")
        if not -LARGEST < value < LARGEST:
            raise self.key_error(key, f"{checks.show(value)} is no finite number below {LARGEST:g}")
        return float(value)
