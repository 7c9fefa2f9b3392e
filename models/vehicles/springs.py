"""Springs and dampers between the chassis and a link: their force laws, as written, and as built."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.forces.laws import Law, Polynomial
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import (
    CubicStiffness,
    Damping,
    Length,
    Numbers,
    ParameterQuantity,
    Point,
    Stiffness,
)
from ce_dynamics.models.data.schema import Curve, Section
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
        return coil + self._integrate_stops(x) - self._integrate_stops(0.0)

    def _integrate_stops(self, x: Scalar) -> Scalar:
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


Lengths = Annotated[Numbers, ParameterQuantity("m", curve=True)]
Speeds = Annotated[Numbers, ParameterQuantity("m/s", curve=True)]
Forces = Annotated[Numbers, ParameterQuantity("N", curve=True)]
Force = Annotated[float, ParameterQuantity("N")]
Degression = Annotated[float, ParameterQuantity("s/m", at_least=0.0)]


class ForceCurve(Curve):
    """Force over deflection."""

    deflection: Lengths
    force: Forces


class SpringCurve(ForceCurve):
    """Force over deflection, linear between points and constant beyond them; corners are rounded.

    ``rounding`` is the largest half width of a corner; what has the curve sets it if it is not given.
    """

    rounding: Annotated[float, ParameterQuantity("m", above=0.0)] | None = None

    def table(self, widest: Scalar) -> RoundedTable:
        """Return its law, with corners of a half width of at most `widest` unless the curve gives one."""
        return RoundedTable(self.deflection, self.force, widest if self.rounding is None else self.rounding)


class StopCurve(SpringCurve):
    """The force of a stop over its compression, from nothing at zero."""

    @model_validator(mode="after")
    def _starts_at_zero(self) -> StopCurve:
        if (self.deflection[0], self.force[0]) != (0.0, 0.0):
            raise ValueError("deflection and force must begin at 0")
        return self


class DamperCurve(Curve):
    """Force over speed, positive in extension, linear between points, which are rounded, constant beyond."""

    speed: Speeds
    force: Forces


class DamperMapData(Section):
    """Force over speed at several lengths: the forces of all speeds at the first length, then at the next."""

    length: Lengths
    speed: Speeds
    force: Forces

    @model_validator(mode="after")
    def _is_a_map(self) -> DamperMapData:
        if len(self.force) != len(self.length) * len(self.speed):
            raise ValueError(
                f"force has {len(self.force)} numbers; {len(self.length)} lengths times {len(self.speed)} "
                f"speeds make {len(self.length) * len(self.speed)}"
            )
        for name in ("length", "speed"):
            x = getattr(self, name)
            if not all(a < b for a, b in pairwise(x)):
                raise ValueError(f"{name} must increase from number to number")
        return self

    def curves(self) -> list[RoundedTable]:
        """Return the curve at each length."""
        count = len(self.speed)
        rows = (self.force[k * count : (k + 1) * count] for k in range(len(self.length)))
        return [RoundedTable(self.speed, row, DAMPER_ROUNDING, passive=True) for row in rows]


class SpringData(Section):
    """Coil spring with stops beyond both its lengths.

    Its tension at d = length − free_length is linear d + cubic d³ + curve(d) − preload, of which those count
    that are given.  A stop compressed by δ pushes with
    stop_stiffness δ + stop_progression δ³ + stop_curve(δ).
    """

    chassis: Point
    arm: Point
    free_length: Length
    linear: Stiffness | None = None
    cubic: CubicStiffness | None = None
    curve: SpringCurve | None = None
    preload: Force | None = None
    min_length: Length | None = None
    max_length: Length | None = None
    stop_stiffness: Stiffness | None = None
    stop_progression: CubicStiffness | None = None
    stop_curve: StopCurve | None = None

    @model_validator(mode="after")
    def _has_a_law(self) -> SpringData:
        if self.linear is None and self.curve is None:
            raise ValueError("neither linear nor curve is given; give one of them")
        return self

    @model_validator(mode="after")
    def _stops_in_order(self) -> SpringData:
        ends = self.min_length, self.max_length
        stops = self.stop_stiffness, self.stop_progression, self.stop_curve
        if any(stop is not None for stop in stops) == (None in ends):
            raise ValueError(
                "stops are min_length and max_length with stop_stiffness, stop_progression or stop_curve; "
                "give both lengths and one of these, or none at all"
            )
        shortest, longest = ends
        if shortest is not None and longest is not None and not shortest < longest:
            raise ValueError(f"min_length {shortest:g} m must be less than max_length {longest:g} m")
        return self

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(np.array(self.chassis) - np.array(self.arm))

    def law(self) -> Law:
        """Return the tension over length − free length."""
        shortest, longest = 0.0, 0.0
        if self.min_length is not None and self.max_length is not None:
            shortest, longest = self.min_length - self.free_length, self.max_length - self.free_length
        coil = StoppedSpring(
            or_zero(self.linear),
            or_zero(self.cubic),
            shortest,
            longest,
            or_zero(self.stop_stiffness),
            or_zero(self.stop_progression),
        )
        laws: list[Law] = [coil]
        if self.curve is not None:
            laws.append(self.curve.table(SPRING_ROUNDING))
        if self.stop_curve is not None:
            travel = Travel(shortest, longest)
            laws.append(TabulatedStops(shortest, longest, self.stop_curve.table(travel.rounding)))
        if self.preload is not None:
            laws.append(Polynomial((-self.preload,)))
        return laws[0] if len(laws) == 1 else Together(laws)

    def add(self, system: System, name: str, chassis: Body, arm: Body) -> None:
        ends = chassis, self.chassis, arm, self.arm
        system.add_force(SpringDamper(name, *ends, spring=self.law(), free_length=self.free_length))


class DamperData(Section):
    """Shock absorber between J (chassis) and B (arm), a force over the rate of its length.

    Proportional by its ``coefficient``, less than that at speed with degressions (`Degressive`), by a
    ``curve``, or by a ``map`` over its length as well, such as hydraulic stops are.
    """

    chassis: Point
    arm: Point
    coefficient: Damping | None = None
    compression_degression: Degression | None = None
    extension_degression: Degression | None = None
    curve: DamperCurve | None = None
    map: DamperMapData | None = None

    @model_validator(mode="after")
    def _has_one_law(self) -> DamperData:
        if [self.coefficient, self.curve, self.map].count(None) != 2:
            raise ValueError("give one of coefficient, curve and map")
        if self.coefficient is None and self.degressive:
            raise ValueError("degressions belong to a coefficient; leave them out beside a curve or a map")
        return self

    @property
    def degressive(self) -> bool:
        """True if the force grows less than in proportion to the speed."""
        return self.compression_degression is not None or self.extension_degression is not None

    def law(self) -> Law | float:
        """Return the tension over the rate of the length."""
        if self.curve is not None:
            return RoundedTable(self.curve.speed, self.curve.force, DAMPER_ROUNDING, passive=True)
        if self.compression_degression is None and self.extension_degression is None:
            return or_zero(self.coefficient)
        degressions = self.compression_degression, self.extension_degression
        return Degressive(or_zero(self.coefficient), *map(or_zero, degressions))

    def add(self, system: System, name: str, chassis: Body, arm: Body) -> None:
        place = name, chassis, self.chassis, arm, self.arm
        if self.map is None:
            system.add_force(SpringDamper(*place, damper=self.law()))
        else:
            system.add_force(DamperMap(*place, lengths=self.map.length, curves=self.map.curves()))


def or_zero(value: float | None) -> float:
    """Return a number, zero where none is given."""
    return 0.0 if value is None else value
