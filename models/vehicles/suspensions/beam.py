"""Axles whose two wheels are on one body, the beam: what all of them share, whatever guides the beam."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from pydantic import create_model

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, Vector
from ce_dynamics.models.vehicles.corner import Corner, CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.bell_crank import BellCrank, BellCrankData
from ce_dynamics.models.vehicles.suspensions.graph import Graph
from ce_dynamics.models.vehicles.suspensions.linked import EveryAxleData, LinkedCorner, read
from ce_dynamics.models.vehicles.suspensions.points import check_along
from ce_dynamics.models.vehicles.suspensions.toe_bar import Gear, GearData, TieRods, TieRodsData

if TYPE_CHECKING:
    from typing_extensions import Self


AnyGear: TypeAlias = "Gear | BellCrank | TieRods"
"""What turns the knuckles of a beam."""


class BeamData(Section):
    """Data of an axle as a whole; points are relative to the origin of its left corner."""

    axle: BodyData


class BeamEndData(CornerData):
    """One end of a beam; spring and damper act between chassis and beam."""

    spring: SpringData | None = None
    damper: DamperData | None = None


class SteeredEndData(BeamEndData):
    """One end of a steered beam; D, F: two points of the kingpin on the beam; K: toe bar on the knuckle."""

    D: Point
    F: Point
    K: Point
    knuckle: BodyData


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamEnd(LinkedCorner):
    """One end of a beam, in vehicle coordinates.

    Attributes
    ----------
    beam : BeamAxle or None
        The axle it is part of; None while that is being made.
    """

    template = "beam"
    section = BeamEndData
    apart = ()

    beam: BeamAxle | None = None

    def connect(self, graph: Graph) -> None:
        """Nothing: the beam adds itself."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Add springs to the beam, which is there, and return what carries the wheel."""
        for name, element in self.springs.items():
            body = system.find(self.axle.spring_carrier(self.name, name))
            element.add(system, f"{self.name}.{name}", chassis, body)
        return system.find(self.axle.carrier(self.name))

    @property
    def axle(self) -> BeamAxle:
        """The axle it is part of."""
        assert self.beam is not None, "set by `BeamAxle.of`"
        return self.beam

    @property
    def kingpin(self) -> tuple[tuple[str, Vector], tuple[str, Vector]] | None:
        """The kingpin of a steered end."""
        if self.axle.gear is None:
            return None
        knuckle = f"{self.name}.knuckle"
        return (knuckle, self.points["D"]), (knuckle, self.points["F"])

    @property
    def drop_link_carrier(self) -> str:
        """The beam."""
        return self.axle.spring_carrier(self.name)

    @property
    def tie_rod_end(self) -> Vector:
        """Point at which the steering holds the drag link, in the design position [m]."""
        gear = self.axle.gear
        assert gear is not None, "asked of steered corners"
        return gear.inner(self) if isinstance(gear, TieRods) else gear.end

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the beam in the design position, the knuckles turn on their kingpins."""
        gear = self.axle.gear
        if gear is None:
            raise DataError(f"{self.name}: the axle is not steered")
        return gear.wheel_angle(self.axle.ends, self, L)


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamAxle(ABC):
    """An axle with a beam, in vehicle coordinates; a template is a class of it.

    A template says:

    1. ``template``: its name in data files; ``section``: what the axle has once, ``end`` and ``steered_end``:
       what each end has.
    2. `guide`: how the body ``axle`` is held by the chassis (`Graph`).
    3. ``independent``: what leads loops without a closed form.
    4. ``along``: points of axes along x, y or z, with that component, which is to be zero or as that of
       another point: a number without effect is refused.

    5. ``final_drive``: where that is, unless data files say it: in the ``axle``, or on the ``chassis``.

    Knuckles, toe bar and drag link follow from the axle being steered (`Gear`).

    Attributes
    ----------
    points, parts
        As of `LinkedCorner`; points of the ends are in ``ends``.
    """

    template: ClassVar[str]
    section: ClassVar[type[Section]] = BeamData
    end: ClassVar[type[CornerData]] = BeamEndData
    steered_end: ClassVar[type[CornerData] | None] = SteeredEndData
    rods: ClassVar[Sequence[tuple[str, str, str]]] = ()
    independent: ClassVar[Sequence[str | Component]] = ()
    along: ClassVar[Sequence[tuple[str, int, str]]] = ()
    final_drive: ClassVar[str] = "axle"

    name: str
    points: Mapping[str, Vector]
    parts: Mapping[str, BodyParameters]
    ends: tuple[BeamEnd, BeamEnd]
    gear: AnyGear | None

    @classmethod
    def of(cls, name: str, data: Any, ends: Mapping[str, Any], steered: bool) -> Self:
        """The axle called `name` from its own data and those of its two ends, left and right.

        It has knuckles if it is steered, or if it has a steering gear: then the chassis holds its rods.
        """
        origin = np.array(next(iter(ends.values())).origin)
        own = read(data, origin, cls.rods, EveryAxleData)
        for point, k, like in cls.along:
            expected = own.points[like][k] - origin[k] if like else 0.0
            check_along(f"{name}.{point}", own.points[point] - origin, k, expected)
        made = [BeamEnd.of(corner, end, steered) for corner, end in ends.items()]
        written = getattr(data, "steering_gear", None)
        gear = None if written is None else gear_of(name, written, origin)
        parts = {
            f"{name}.{part}": body
            for part, body in own.bodies.items()
            if not part.startswith("steering_gear.")  # the gear's own
        }
        both = made[0], made[1]
        beam = cls(name=name, points=own.points, parts=parts, ends=both, gear=gear, **cls.more(data))
        left, right = (replace(end, beam=beam) for end in made)
        object.__setattr__(beam, "ends", (left, right))  # the two know each other
        return beam

    @classmethod
    def more(cls, data: Any) -> dict[str, Any]:
        """Further fields of a template, from what is written."""
        return {}

    def carrier(self, end: str) -> str:
        """Name of the body that carries the wheel of an end."""
        return f"{end}.knuckle" if self.steered else f"{self.name}.axle"

    def housing(self) -> str | None:
        """Name of the body that may carry a final drive: the beam."""
        return f"{self.name}.axle"

    def spring_carrier(self, end: str, element: str = "") -> str:
        """Name of the body that a spring or damper at an end acts on; without a name, an anti-roll bar."""
        return f"{self.name}.axle"

    @property
    def steered(self) -> bool:
        """True if the axle has knuckles, which a steering or the chassis turns."""
        return self.gear is not None

    @abstractmethod
    def guide(self, graph: Graph) -> None:
        """Add the body ``axle`` and what holds it."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> None:
        """Add the beam, and where it is steered its knuckles."""
        parts = dict(self.parts)
        for end in self.ends:
            parts |= {f"{end.name}.{part}": body for part, body in end.parts.items()}
        if self.gear is not None:
            parts |= self.gear.rods(self.name, self.ends)
        graph = Graph(system, self.name, parts, chassis, steering, self.independent)
        self.guide(graph)
        if self.gear is not None:
            self.gear.connect(graph, self.ends)

    def bodies(self) -> tuple[BodyParameters, ...]:
        """All bodies of the axle itself; its ends tell theirs."""
        rods = {} if self.gear is None else self.gear.rods(self.name, self.ends)
        return (*self.parts.values(), *rods.values())


GEARS: Mapping[str, type[Section]] = {
    "toe-bar": GearData,
    "bell-crank": BellCrankData,
    "tie-rods": TieRodsData,
}
"""Steering gears of beams by the name that data files use, and their numbers."""


def gear_of(name: str, data: Any, origin: Vector) -> AnyGear:
    """The steering gear that is written."""
    if isinstance(data, TieRodsData):
        return TieRods.of(name, data, origin)
    return (
        BellCrank.of(name, data, origin) if isinstance(data, BellCrankData) else Gear.of(name, data, origin)
    )


def make_steered_section(section: type[Section], gear: str) -> type[Section]:
    """The section of an axle with its steering gear."""
    return create_model(f"Steered{section.__name__}", __base__=section, steering_gear=(GEARS[gear], ...))


Suspension = type[Corner] | type[BeamAxle]
"""What a name of data files stands for: corners by themselves, or an axle with both."""
