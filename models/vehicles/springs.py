"""Springs and dampers between the chassis and a link: as written, and as built."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.forces.laws import Law
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
from ce_dynamics.models.parts.force_laws import (
    DAMPER_ROUNDING,
    SPRING_ROUNDING,
    Constant,
    DamperMap,
    Degressive,
    StoppedSpring,
    TabulatedStops,
    Together,
    Travel,
)
from ce_dynamics.models.parts.rounding import RoundedTable

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
            laws.append(Constant(-self.preload))
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

    @property
    def design_length(self) -> Scalar:
        """Distance of the two points in the design position (m)."""
        return magnitude(np.array(self.chassis) - np.array(self.arm))

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
