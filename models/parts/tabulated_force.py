"""Force laws by tables that stay constant beyond their ends, and what is made of several laws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.compiler.free_numbers import decided, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.models.parts.engine import check_table


class Ramps(Law):
    """A piecewise linear force through points, constant beyond the first and the last.

    F = y₀ + Σ Δs_k (x − x_k)₊ with the changes Δs_k of slope: a multiplication and a maximum per point.

    Parameters
    ----------
    x, y : sequences of float
        Points, x increasing; they may be free parameters that leave it so.

    Raises
    ------
    DataError
        If the points are no function.
    """

    def __init__(self, x: Sequence[float], y: Sequence[float]) -> None:
        check_table("table", "points", *([nominal(value) for value in values] for values in (x, y)))
        for before, after in pairwise(x):
            decided(before < after, "the abscissae of a table must increase")
        self.x, self.y = tuple(x), tuple(y)
        slopes = [(b - a) / (d - c) for a, b, c, d in zip(y, y[1:], x, x[1:], strict=False)]
        self.bends = [after - before for before, after in zip([0.0, *slopes], [*slopes, 0.0], strict=True)]

    def force(self, x: Scalar) -> Scalar:
        total: Scalar = self.y[0]
        for knot, bend in zip(self.x, self.bends, strict=True):
            total = total + bend * maximum(x - knot, 0.0)
        return total

    def energy(self, x: Scalar) -> Scalar:
        total: Scalar = self.y[0] * x
        for knot, bend in zip(self.x, self.bends, strict=True):
            beyond, before = maximum(x - knot, 0.0), maximum(-knot, 0.0)
            total = total + 0.5 * bend * (beyond * beyond - before * before)
        return total


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
        if (table.x[0], table.y[0]) != (0.0, 0.0):
            raise DataError(f"stop: its table begins at ({table.x[0]:g}, {table.y[0]:g}); it must at (0, 0)")
        self.shortest, self.longest, self.table = shortest, longest, table

    def force(self, x: Scalar) -> Scalar:
        return self.table.force(x - self.longest) - self.table.force(self.shortest - x)

    def energy(self, x: Scalar) -> Scalar:
        beyond, before = self.table.energy(-self.longest), self.table.energy(self.shortest)
        now = self.table.energy(x - self.longest) + self.table.energy(self.shortest - x)
        return now - beyond - before


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
        slower = self.extension * maximum(x, 0.0) + self.compression * maximum(-x, 0.0)
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
