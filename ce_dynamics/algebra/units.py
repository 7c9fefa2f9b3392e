"""Units of measure as vehicle engineers write them: ``120 kN/m``, ``25 N*s/mm``, ``2600 rpm``, ``0.4 kg m²``.

A grammar of thirty lines replaces `pint`, whose import and registry take 0.35 s, a large
part of a warm start, and nothing here needs more than a factor and five exponents.  The radian counts as a
base unit, so that rad/s and Hz cannot be confused.
"""

from __future__ import annotations

import difflib
import math
import re
from functools import lru_cache
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit as its factor to coherent SI and its exponents of kg, m, s, rad, A."""

    factor: float
    dimension: tuple[int, int, int, int, int]


_NONE = (0, 0, 0, 0, 0)
_MASS, _LENGTH, _TIME, _ANGLE = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)
_FORCE, _TORQUE, _IMPULSE = (1, 1, -2, 0, 0), (1, 2, -2, 0, 0), (1, 1, -1, 0, 0)
_SPEED, _SPIN, _PRESSURE = (0, 1, -1, 0, 0), (0, 0, -1, 1, 0), (1, -1, -2, 0, 0)
_CURRENT, _POWER, _VOLTAGE = (0, 0, 0, 0, 1), (1, 2, -3, 0, 0), (1, 2, -3, 0, -1)
_POUND_FORCE = 4.4482216152605

SYMBOLS: dict[str, Unit] = {
    "1": Unit(1.0, _NONE),
    "%": Unit(0.01, _NONE),
    "kg": Unit(1.0, _MASS),
    "g": Unit(1e-3, _MASS),
    "t": Unit(1e3, _MASS),
    "lb": Unit(0.45359237, _MASS),
    "m": Unit(1.0, _LENGTH),
    "mm": Unit(1e-3, _LENGTH),
    "cm": Unit(1e-2, _LENGTH),
    "km": Unit(1e3, _LENGTH),
    "in": Unit(0.0254, _LENGTH),
    "ft": Unit(0.3048, _LENGTH),
    "s": Unit(1.0, _TIME),
    "ms": Unit(1e-3, _TIME),
    "us": Unit(1e-6, _TIME),
    "ns": Unit(1e-9, _TIME),
    "min": Unit(60.0, _TIME),
    "h": Unit(3600.0, _TIME),
    "Hz": Unit(1.0, (0, 0, -1, 0, 0)),
    "rad": Unit(1.0, _ANGLE),
    "mrad": Unit(1e-3, _ANGLE),
    "deg": Unit(math.pi / 180.0, _ANGLE),
    "°": Unit(math.pi / 180.0, _ANGLE),
    "rpm": Unit(2.0 * math.pi / 60.0, _SPIN),
    "mph": Unit(0.44704, _SPEED),
    "kn": Unit(1852.0 / 3600.0, _SPEED),
    "N": Unit(1.0, _FORCE),
    "kN": Unit(1e3, _FORCE),
    "lbf": Unit(_POUND_FORCE, _FORCE),
    "daN": Unit(10.0, _FORCE),
    "Pa": Unit(1.0, _PRESSURE),
    "kPa": Unit(1e3, _PRESSURE),
    "MPa": Unit(1e6, _PRESSURE),
    "bar": Unit(1e5, _PRESSURE),
    "psi": Unit(_POUND_FORCE / 0.0254**2, _PRESSURE),
    "Nm": Unit(1.0, _TORQUE),
    "kNm": Unit(1e3, _TORQUE),
    "Ns": Unit(1.0, _IMPULSE),
    "J": Unit(1.0, _TORQUE),
    "W": Unit(1.0, _POWER),
    "kW": Unit(1e3, _POWER),
    "mA": Unit(1e-3, _CURRENT),
    "A": Unit(1.0, _CURRENT),
    "V": Unit(1.0, _VOLTAGE),
    "mV": Unit(1e-3, _VOLTAGE),
    "ohm": Unit(1.0, (1, 2, -3, 0, -2)),
}

_SPELLING = str.maketrans({"·": "*", "²": "2", "³": "3", "µ": "u", "μ": "u"})
_FACTOR = re.compile(r"\s*(?:(?P<operator>[*/])\s*)?(?P<symbol>[A-Za-z]+|1|%|°)\^?(?P<exponent>-?\d+)?\s*")


@lru_cache(maxsize=256)
def parse_unit(text: str) -> Unit:
    """Read a product of powers of known symbols; each ``/`` divides by the one factor behind it."""
    spelled = text.translate(_SPELLING).replace("**", "^").strip()
    result, position = Unit(1.0, _NONE), 0
    while position < len(spelled):
        match = _FACTOR.match(spelled, position)
        if match is None:
            raise ValueError(f"'{text[:80]}' is not a unit; write for example N*s/m or kg*m^2")
        digits = match["exponent"] or "1"
        if len(digits.lstrip("-")) > 1:
            raise ValueError(f"the exponent {digits[:20]} in the unit '{text[:80]}' is too large; at most 9")
        power = int(digits) * (-1 if match["operator"] == "/" else 1)
        result = _times(result, _symbol(match["symbol"]), power)
        position = match.end()
    return result


def same_dimension(left: Unit, right: Unit) -> bool:
    """Return True if one unit can be converted to the other."""
    return left.dimension == right.dimension


def _symbol(symbol: str) -> Unit:
    if symbol in SYMBOLS:
        return SYMBOLS[symbol]
    by_lower = {known.lower(): known for known in SYMBOLS} | {"kmh": "km/h", "kph": "km/h"}
    near = [by_lower[name] for name in difflib.get_close_matches(symbol.lower(), by_lower, n=2)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(SYMBOLS)}"
    raise ValueError(f"unknown unit '{symbol[:80]}'; {hint}")


def _times(unit: Unit, other: Unit, power: int) -> Unit:
    a, b = unit.dimension, other.dimension
    factor = unit.factor * other.factor**power
    if not 1e-200 < factor < 1e200:
        raise ValueError(
            "the powers in the unit make a factor that is out of all bounds; write a smaller unit"
        )
    mass, length, time, angle, current = (x + power * y for x, y in zip(a, b, strict=True))
    return Unit(factor, (mass, length, time, angle, current))
