"""Force laws by tables that stay constant beyond their ends, and what is made of several laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import decided, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.rounding import rounded_absolute
from ce_dynamics.models.parts.spring import Travel
from ce_dynamics.models.parts.torque_table import TorqueTable

DAMPER_ROUNDING = 0.005
"""Largest half width of rounded corners of dampers [m/s]."""


class Ramps(Law):
    """A force by a table: see `TorqueTable`.

    Parameters
    ----------
    x, y : sequences of float
        Points, x increasing; they may be free parameters that leave it so.
    widest, passive
        As of `TorqueTable`.

    Raises
    ------
    DataError
        If the points are no function.
    """

    def __init__(
        self, x: Sequence[float], y: Sequence[float], widest: float = math.inf, passive: bool = False
    ) -> None:
        check_table("table", "points", *([nominal(value) for value in values] for values in (x, y)))
        for before, after in pairwise(x):
            decided(before < after, "the abscissae of a table must increase")
        self.table = TorqueTable(tuple(x), tuple(y), widest, passive)

    def force(self, x: Scalar) -> Scalar:
        return self.table(x)

    def energy(self, x: Scalar) -> Scalar:
        return self.table.integral(x)


class TabulatedStops(Law):
    """Stops at both ends of a travel: a compression δ beyond either pushes back with a table's force.

    Parameters
    ----------
    shortest, longest : float
        Where the stops begin.
    table : Ramps
        Force over compression, zero at zero.
    """

    def __init__(self, shortest: float, longest: float, table: Ramps) -> None:
        x, y = table.table.x[0], table.table.y[0]
        if (x, y) != (0.0, 0.0):
            raise DataError(f"stop: its table begins at ({x:g}, {y:g}); it must at (0, 0)")
        self.travel, self.table = Travel(shortest, longest), table

    def force(self, x: Scalar) -> Scalar:
        return self.travel.signed(x, self.table.force(self.travel.beyond(x)))

    def energy(self, x: Scalar) -> Scalar:
        return self.table.energy(self.travel.beyond(x)) - self.table.energy(self.travel.beyond(0.0))


class Constant(Law):
    """The same force everywhere: a preload."""

    def __init__(self, value: float) -> None:
        self.value = value

    def force(self, x: Scalar) -> Scalar:
        return self.value

    def energy(self, x: Scalar) -> Scalar:
        return self.value * x


class Degressive(Law):
    """A damper whose force grows less than its speed: F = c v / (1 + d |v|), d by direction.

    |v| is rounded within ± `DAMPER_ROUNDING`.

    Parameters
    ----------
    coefficient : float
        c at low speed [N s/m].
    compression, extension : float
        d of either direction [s/m].
    """

    def __init__(self, coefficient: float, compression: float, extension: float) -> None:
        self.coefficient, self.compression, self.extension = coefficient, compression, extension

    def force(self, x: Scalar) -> Scalar:
        mean, half = 0.5 * (self.extension + self.compression), 0.5 * (self.extension - self.compression)
        slower = mean * rounded_absolute(x, DAMPER_ROUNDING) + half * x
        return self.coefficient * x / (1.0 + slower)

    def energy(self, x: Scalar) -> Scalar:
        """Not defined: nothing asks a damper for its energy."""
        raise NotImplementedError("a damper stores no energy")


class Together(Law):
    """Laws side by side: their forces add up."""

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = tuple(laws)

    def force(self, x: Scalar) -> Scalar:
        first, *others = (law.force(x) for law in self.laws)
        return sum(others, start=first)

    def energy(self, x: Scalar) -> Scalar:
        first, *others = (law.energy(x) for law in self.laws)
        return sum(others, start=first)


def check_table(owner: str, name: str, x: Sequence[float], y: Sequence[float]) -> None:
    """Refuse what is no function: numbers that do not pair up, or abscissae that do not increase."""
    for k, number in enumerate((*x, *y)):
        check_number(owner, f"{name}[{k % len(x)}]", number)
    if len(x) != len(y) or len(x) < 2:
        raise DataError(
            f"{owner}: {name} has {len(x)} and {len(y)} values; give as many of each, at least two"
        )
    if any(b <= a for a, b in pairwise(x)):
        raise DataError(f"{owner}: the abscissae of {name} must increase from value to value")
