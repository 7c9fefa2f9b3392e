"""Force laws of springs and dampers: cubic springs with stops, tables, maps over length and rate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.models.parts.rounding import (
    RoundedTable,
    round_absolute,
    round_ramp,
    rounded_ramp_integral,
    smooth_step,
)

SPRING_ROUNDING = 5e-4
"""Largest half width of the corner where a stop begins, and of those of a spring's table [m]."""


class Travel(NamedTuple):
    """Between two stops that are alike: extensions at which they begin [m]."""

    shortest: float
    longest: float

    def beyond(self, x: Scalar) -> Scalar:
        """Return the compression of the nearer stop [m], negative between both stops."""
        return absolute(x - self._middle) - 0.5 * (self.longest - self.shortest)

    def sign_push(self, x: Scalar, push: Scalar) -> Scalar:
        """Return the push of the nearer stop as a tension."""
        return where(x > self._middle, push, -push)

    @property
    def rounding(self) -> Scalar:
        """Half width of the corners where the stops begin; they end in the middle at the latest."""
        return minimum(SPRING_ROUNDING, 0.5 * (self.longest - self.shortest))

    @property
    def _middle(self) -> float:
        return 0.5 * (self.longest + self.shortest)


class StoppedSpring(Law):
    """Tension a d + b d³ at the extension d, and stops that push back with k δ + k₃ δ³ at δ beyond one.

    The corner of k δ is rounded; stops begin at the extensions ``shortest`` and ``longest`` [m].
    """

    def __init__(self, a: float, b: float, shortest: float, longest: float, k: float, k_3: float) -> None:
        self.a, self.b = a, b
        self.travel = Travel(shortest, longest)
        self.k, self.k_3 = k, k_3

    def force(self, x: Scalar) -> Scalar:
        coil = x * (self.a + self.b * x * x)
        if self.k == 0.0 and self.k_3 == 0.0:
            return coil
        beyond = self.travel.beyond(x)
        delta = maximum(beyond, 0.0)
        push = self.k * round_ramp(beyond, self.travel.rounding) + self.k_3 * (delta * delta * delta)
        return coil + self.travel.sign_push(x, push)

    def energy(self, x: Scalar) -> Scalar:
        xx = x * x
        coil = xx * (0.5 * self.a + 0.25 * self.b * xx)
        if self.k == 0.0 and self.k_3 == 0.0:
            return coil
        return coil + self._stored(x) - self._stored(0.0)

    def _stored(self, x: Scalar) -> Scalar:
        beyond = self.travel.beyond(x)
        delta = maximum(beyond, 0.0)
        squared = delta * delta
        return self.k * rounded_ramp_integral(beyond, self.travel.rounding) + 0.25 * self.k_3 * (
            squared * squared
        )


DAMPER_ROUNDING = 0.005
"""Largest half width of rounded corners of dampers [m/s]."""


class TabulatedStops(Law):
    """Stops at both ends of a travel: a compression δ beyond either pushes back with a table's force."""

    def __init__(self, shortest: float, longest: float, table: RoundedTable) -> None:
        x, y = table.x[0], table.y[0]
        if (x, y) != (0.0, 0.0):
            raise DataError(f"stop: its table begins at ({x:g}, {y:g}); it must at (0, 0)")
        self.travel, self.table = Travel(shortest, longest), table

    def force(self, x: Scalar) -> Scalar:
        return self.travel.sign_push(x, self.table.force(self.travel.beyond(x)))

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
    """A damper whose force grows less than its speed: F = c v / (1 + d |v|), d by direction [s/m].

    |v| is rounded within ± `DAMPER_ROUNDING`.
    """

    def __init__(self, coefficient: float, compression: float, extension: float) -> None:
        self.coefficient, self.compression, self.extension = coefficient, compression, extension

    def force(self, x: Scalar) -> Scalar:
        mean, half = 0.5 * (self.extension + self.compression), 0.5 * (self.extension - self.compression)
        slower = mean * round_absolute(x, DAMPER_ROUNDING) + half * x
        return self.coefficient * x / (1.0 + slower)

    def energy(self, x: Scalar) -> Scalar:
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


class DamperMap(SpringDamper):
    """A damper with a curve of tension over rate [N over m/s] at each of several increasing lengths [m].

    Between two lengths the force goes over smoothly from one curve to the other; beyond the first and the
    last it is that of their curve.  ``place`` is as of `SpringDamper`.
    """

    def __init__(self, *place: Any, lengths: Sequence[float], curves: Sequence[RoundedTable]) -> None:
        super().__init__(*place, free_length=0.0)
        if len(lengths) != len(curves) or len(lengths) < 2:
            raise DataError(
                f"damper {self.name}: {len(lengths)} lengths and {len(curves)} curves must pair up"
            )
        if not all(decide(a < b, "its lengths must increase") for a, b in pairwise(lengths)):
            raise DataError(f"damper {self.name}: lengths {tuple(lengths)} must increase")
        self.lengths, self.curves = tuple(lengths), tuple(curves)

    def tension(self, extension: Scalar, rate: Scalar) -> Scalar:
        """Return the tension at a length, which is the extension from nothing, and its rate."""
        forces = [curve.force(rate) for curve in self.curves]
        total = forces[0]
        for (shorter, longer), (before, after) in zip(pairwise(self.lengths), pairwise(forces), strict=True):
            total = total + (after - before) * smooth_step((extension - shorter) / (longer - shorter))
        return total
