"""Physical quantities as field types of parameter schemas.

A field ``mass: Annotated[float, Quantity("kg", above=0.0)]`` accepts ``"23.965 kg"``, ``"2.4e4 g"`` and the
bare number ``23.965`` (bare numbers are coherent SI), holds the SI value, and refuses everything else with a
message that names the given value, the expected unit and an example.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.units import parse_unit, same_dimension
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import finite_number

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


Numbers: TypeAlias = tuple[float, ...]

XYZ = ("x", "y", "z")
PAIR = ("0", "1")
LARGEST = 1e50
"""Largest number in SI: its sixth power is finite, and so are results computed from it."""
LONGEST = 80
"""Characters of a value that a message shows."""
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|(?:nan|inf|NaN|Inf)\b)"
_SCALAR = re.compile(rf"\s*(?P<numbers>{_NUMBER})(?P<unit>.*)$", re.DOTALL)
_LIST = re.compile(r"\s*(?:diag\s*)?[(\[](?P<numbers>[^)\]]*)[)\]](?P<unit>.*)$", re.DOTALL)

# Plausible values by unit, for messages about keys that no shipped file has.
_EXAMPLES = {
    "kg": "23.9 kg",
    "m": "0.35 m",
    "kg*m^2": "0.4 kg*m^2",
    "N": "8500 N",
    "N/m": "120 kN/m",
    "N/m^3": "3.6e7 N/m^3",
    "N*s/m": "19000 N*s/m",
    "N*m": "4000 N*m",
    "rad": "30 deg",
    "rad/s": "2600 rpm",
    "Hz": "5 Hz",
    "s": "0.5 s",
    "m/s": "12 m/s",
    "m/s^2": "9.81 m/s^2",
    "N/rad": "80 kN/rad",
    "N*m/rad": "8000 N*m/rad",
    "N*m*s/rad": "50 N*m*s/rad",
    "m^2": "2.2 m^2",
    "kg/m^3": "1.225 kg/m^3",
    "V": "350 V",
    "ohm": "0.05 ohm",
    "1": "0.8",
}
_CURVES = {
    "m": "(-0.06, 0.0, 0.06) m",
    "N": "(-3000, 0, 3000) N",
    "m/s": "(-1.0, 0.0, 1.0) m/s",
    "rad": "(-3, 0, 3) deg",
    "N*m": "(150, 200, 250) N*m",
    "rad/s": "(1000, 3500, 6000) rpm",
}
_VECTORS = {("m", XYZ): "(1.2, 0.45, 0.3) m", ("m/s", XYZ[:2]): "(3.0, -2.0) m/s"}


class QuantityError(ValueError):
    """A value that is no quantity of its kind: the problem, the expected unit, and a plausible value."""

    def __init__(self, problem: str, unit: str, example: str) -> None:
        self.problem, self.unit = problem, unit
        super().__init__(f"{problem}; expected {unit}, for example {example}")

    def with_example(self, example: str) -> str:
        return str(QuantityError(self.problem, self.unit, example))


@dataclass(frozen=True)
class ParameterQuantity:
    """Coherent SI unit, components and bounds of a parameter.

    A scalar has no ``components``; their names are used for keys such as ``front.D.y``.  A ``curve`` is a
    list of at least `fewest` numbers instead.  Bounds hold for every component.
    """

    unit: str
    components: tuple[str, ...] = ()
    curve: bool = False
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    fewest: int = 2

    @property
    def scalar(self) -> bool:
        return not self.components and not self.curve

    @property
    def example(self) -> str:
        one = _EXAMPLES.get(self.unit, f"1 {self.unit}")
        if self.below is not None and self.below <= 0.0:
            one = f"-{one}"
        if self.components == INERTIA:
            return "diag(0.2, 0.3, 0.3) kg*m^2"
        if self.scalar:
            return one
        known = _CURVES.get(self.unit) if self.curve else _VECTORS.get((self.unit, self.components))
        if known is not None and self.above is None and self.at_least is None:
            return known
        number, _, unit = one.partition(" ")
        numbers = (
            [f"{step * float(number):g}" for step in (1, 2, 3)]
            if self.curve
            else [number] * len(self.components)
        )
        return f"({', '.join(numbers)}) {unit}".rstrip()

    def parse(self, value: object) -> float | Numbers:
        """Return the SI value of a number in a file or an override; `ValueError` if it is none."""
        numbers, unit_text = self._split(value)
        factor = self._factor(unit_text, value)
        si = tuple(factor * number for number in numbers)
        for number in si:
            self.check(number, value)
        if self.components == INERTIA:
            return self._inertia(si, value)
        if self.scalar:
            return si[0]
        return si

    def component_index(self, name: str) -> int | None:
        """Return the position of the component called `name`, None if there is none."""
        if self.curve:
            return int(name) if name.isdecimal() else None
        return self.components.index(name) if name in self.components else None

    def component(self) -> ParameterQuantity:
        """Return the kind of one component of this quantity."""
        return ParameterQuantity(self.unit, above=self.above, at_least=self.at_least, below=self.below)

    def text(self, value: float | Sequence[float]) -> str:
        """Write an SI value so that `parse` reads the same bits back."""
        numbers = (
            repr(float(value)) if isinstance(value, (int, float)) else f"({', '.join(map(repr, value))})"
        )
        return numbers if self.unit == "1" else f"{numbers} {self.unit}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make pydantic validate by `parse`."""
        from pydantic_core import core_schema  # here, because numbers are also read without pydantic

        return core_schema.no_info_plain_validator_function(self.parse)

    def _split(self, value: object) -> tuple[Numbers, str]:
        """Return numbers and unit of a text; a YAML list gives bare numbers."""
        if isinstance(value, (list, tuple)) and not self.scalar:
            return self._count(tuple(self._number(item, value) for item in value), value), ""
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self.scalar:
            return (float(value),), ""
        if not isinstance(value, str):
            raise self._error(f"{_quote(value)} is not {self._kind}")
        match = _SCALAR.match(value) if self.scalar else _LIST.match(value)
        if match is None:
            raise self._error(f"{_quote(value)} is not {self._kind}")
        if self.scalar:
            return (float(match["numbers"]),), match["unit"].strip()
        items = [item.strip() for item in match["numbers"].split(",")]
        return self._count(tuple(self._number(item, value) for item in items), value), match["unit"].strip()

    def _number(self, item: object, value: object) -> float:
        if isinstance(item, bool) or not isinstance(item, (int, float, str)):
            raise self._error(f"{_quote(item)} in {_quote(value)} is not a number")
        try:
            return float(item)
        except ValueError:
            raise self._error(
                f"{_quote(item)} in {_quote(value)} is not a number (the unit follows the bracket)"
            ) from None

    def _count(self, numbers: Numbers, value: object) -> Numbers:
        """Return the numbers, if they are as many as they must be."""
        if self.components == INERTIA:
            allowed: tuple[int, ...] = (3, 6)
        elif self.curve:
            if len(numbers) < self.fewest:
                raise self._error(
                    f"{_quote(value)} has {len(numbers)} numbers, at least {self.fewest} are needed"
                )
            return numbers
        else:
            allowed = (len(self.components),)
        if len(numbers) not in allowed:
            expected = " or ".join(map(str, allowed))
            raise self._error(f"{_quote(value)} has {len(numbers)} numbers, {expected} are needed")
        return numbers

    def _factor(self, unit_text: str, value: object) -> float:
        if not unit_text:
            return 1.0  # bare numbers are coherent SI
        try:
            unit = parse_unit(unit_text)
        except ValueError as error:
            raise self._error(f"{_quote(value)}: {error}") from None
        if not same_dimension(unit, parse_unit(self.unit)):
            named = unit_text if len(unit_text) <= LONGEST else f"{unit_text[:LONGEST]}…"
            raise self._error(
                f"{_quote(value)} has the wrong unit: {named} cannot be converted to {self._unit_name}"
            )
        return unit.factor

    def check(self, number: Scalar, value: object) -> None:
        """Raise `ValueError` for a number that is not finite or out of bounds; the user gave `value`."""
        if not math.isfinite(nominal(number)):
            raise self._error(f"{_quote(value)} is not finite")
        if abs(nominal(number)) > LARGEST:
            raise self._error(f"{_quote(value)} is beyond {LARGEST:g} {self.unit}")
        if self.above is not None and not number > self.above:
            raise self._error(f"{_quote(value)} must be above {self._format_bound(self.above)}")
        if self.at_least is not None and not number >= self.at_least:
            raise self._error(f"{_quote(value)} must be at least {self._format_bound(self.at_least)}")
        if self.below is not None and not number < self.below:
            raise self._error(f"{_quote(value)} must be below {self._format_bound(self.below)}")

    def _inertia(self, si: Numbers, value: object) -> Numbers:
        full = si if len(si) == 6 else (*si, 0.0, 0.0, 0.0)
        smallest = float(np.linalg.eigvalsh(inertia_matrix(full))[0])
        if smallest < -1e-12 * max(map(abs, full)):
            raise self._error(
                f"{_quote(value)} is no inertia: its smallest principal moment is {smallest:.4g}, negative"
            )
        return full

    def _format_bound(self, bound: float) -> str:
        return f"{bound:.6g}" if self.unit == "1" else f"{bound:.6g} {self.unit}"

    @property
    def _unit_name(self) -> str:
        return "a plain number" if self.unit == "1" else self.unit

    @property
    def _kind(self) -> str:
        what = "a number" if self.scalar else "a list of numbers"
        return what if self.unit == "1" else f"{what} in {self.unit}"

    def _error(self, problem: str) -> QuantityError:
        return QuantityError(problem, self._unit_name, self.example)


def inertia_matrix(components: Sequence[float]) -> NDArray[np.float64]:
    """Return the symmetric 3×3 matrix of the elements (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = components
    rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return np.array(rows, dtype=object if is_free(rows) else np.float64)


def triangle_excess(inertia: NDArray[np.float64]) -> float:
    """Return the excess of the largest principal moment over the sum of the others; positive if unphysical.

    Rounding is forgiven up to 1e-9 of the largest moment (a thin rod has exactly zero excess).
    """
    small, middle, large = (float(p) for p in np.linalg.eigvalsh(inertia))
    excess = large - (small + middle)
    return excess if excess > 1e-9 * large else 0.0


def check_function(name: str, x: Numbers, values: str, y: Numbers) -> None:
    """Refuse numbers that are no function: they do not pair up, or the abscissae do not increase."""
    if len(x) != len(y):
        raise ValueError(f"{name} has {len(x)} numbers and {values} {len(y)}; they must pair up")
    if not all(a < b for a, b in pairwise(x)):
        raise ValueError(f"{name} must increase from number to number")


def _quote(value: object) -> str:
    if value is None:
        return "no value"
    text = str(value)
    return f"'{text}'" if len(text) <= LONGEST else f"'{text[:LONGEST]}…'"


Mass = Annotated[float, ParameterQuantity("kg", at_least=0.0)]
"""A mass that may be zero: bodies inside an aggregated body."""
PositiveMass = Annotated[float, ParameterQuantity("kg", above=0.0)]
Length = Annotated[float, ParameterQuantity("m", above=0.0)]
Point = Annotated[Numbers, ParameterQuantity("m", components=XYZ)]
InertiaTensor = Annotated[Numbers, ParameterQuantity("kg*m^2", components=INERTIA)]
MomentOfInertia = Annotated[float, ParameterQuantity("kg*m^2", at_least=0.0)]
Stiffness = Annotated[float, ParameterQuantity("N/m", at_least=0.0)]
PositiveStiffness = Annotated[float, ParameterQuantity("N/m", above=0.0)]
CubicStiffness = Annotated[float, ParameterQuantity("N/m^3", at_least=0.0)]
Damping = Annotated[float, ParameterQuantity("N*s/m", at_least=0.0)]
Fraction = Annotated[float, ParameterQuantity("1", at_least=0.0)]
PositiveFraction = Annotated[float, ParameterQuantity("1", above=0.0)]


def si_value(owner: str, value: float | str, unit: str) -> float:
    """Return a number in SI, given as number or as text with a unit; `owner` starts the message."""
    given = value if isinstance(value, str) else checks.as_float(owner, value, DataError)
    try:
        number = ParameterQuantity(unit).parse(given)
    except ValueError as error:
        raise DataError(f"{owner}: {error}") from None
    assert isinstance(number, float), "a quantity without components is one number"
    return number


def check_number(
    owner: str,
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    unit: str = "1",
) -> float:
    """Return the value as a float, if it is a finite number within its bounds; one that is free stays so.

    ``owner`` and ``name`` start the message; ``above`` excludes its own value; ``unit`` is that of the
    bounds.
    """
    return finite_number(
        value, owner, name, above=above, at_least=at_least, at_most=at_most, unit=unit, error=DataError
    )


@dataclass(frozen=True)
class Option:
    """A value that a manoeuvre, a test or a road can be given: its name and SI unit, default, bounds.

    The unit is "1" for a plain number and empty for text; a default None means that a value is needed.
    ``description`` is one line for the help text; ``among`` are the values that it may have, if these are
    few; ``whole`` is for whole numbers.
    """

    name: str
    unit: str
    default: Any
    description: str
    above: float = -math.inf
    at_least: float = -math.inf
    at_most: float = math.inf
    among: tuple[Any, ...] = ()
    whole: bool = False

    def check(self, owner: str, value: Any) -> Any:
        """Return the value as a float; text as it is, if it is a known one."""
        if not self.unit:
            if self.among:
                checks.choice(f"{owner}: {self.name}", value, self.among, DataError)
            return value
        bounds = {name: getattr(self, name) for name in ("above", "at_least", "at_most", "unit")}
        number = check_number(owner, self.name, value, **bounds)
        allowed = "a whole number" if self.whole else " or ".join(f"{one:g}" for one in self.among)
        if (self.among and number not in self.among) or (self.whole and number != round(number)):
            raise DataError(f"{owner}: {self.name} = {number:g} must be {allowed}; {self.description}")
        return number

    def parse(self, owner: str, given: float | str) -> Any:
        """Return a value, a number in SI or written, as a number in SI; text as it is."""
        if not self.unit:
            return given
        return self.check(owner, si_value(f"{owner}: {self.name}", given, self.unit))


def values_of(owner: str, options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked values of all options, defaults where none are given."""
    known = {one.name: one for one in options}
    for name in given:
        find_option(owner, known.values(), name)
    missing = [name for name, one in known.items() if one.default is None and name not in given]
    if missing:
        raise DataError(f"{owner}: set {', '.join(missing)}, for example {owner}:{missing[0]}=0.5")
    return {name: one.check(owner, given.get(name, one.default)) for name, one in known.items()}


def parse_values(owner: str, options: Iterable[Option], given: Mapping[str, float | str]) -> dict[str, Any]:
    """Return the given values by name, checked and in SI."""
    found = [(find_option(owner, options, name), value) for name, value in given.items()]
    return {option.name: option.parse(owner, value) for option, value in found}


def find_option(owner: str, options: Iterable[Option], name: str) -> Option:
    """Return the option of a name; refuse an unknown one."""
    known = {option.name: option for option in options}
    if name not in known:
        hint = f"known are {', '.join(known)}" if known else "it has none"
        raise DataError(
            f"{owner}: unknown option {checks.show(name)}{checks.suggest_name(name, known) or ';'} {hint}"
        )
    return known[name]
