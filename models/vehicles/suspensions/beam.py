"""Axles whose two wheels are on one body, the beam: what all of them share, whatever guides the beam."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from pydantic import create_model

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, RodData, Vector, body, rod
from ce_dynamics.models.vehicles.corner import Corner, CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import STEERING, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.linked import EveryAxleData, LinkedCorner, read
from ce_dynamics.models.vehicles.suspensions.points import (
    check_along,
    check_apart,
    check_off,
    measure_wheel_turn,
)
from ce_dynamics.models.vehicles.suspensions.toe_bar import Ends, GearData, SteeringGear, TieRods, TieRodsData

if TYPE_CHECKING:
    from typing_extensions import Self


class CrankData(BodyData):
    """A crank that turns on the beam about the line through ``pivot`` and ``shaft``.

    ``drag_link`` is its point for the drag link, ``left_rod`` and ``right_rod`` are those for the tie rods.
    """

    pivot: Point
    shaft: Point
    drag_link: Point
    left_rod: Point
    right_rod: Point


class BellCrankData(Section):
    """Crank, drag link from the steering to it, tie rods from it to the knuckles' points K."""

    steering: Point
    crank: CrankData
    drag_link: RodData | None = None
    tie_rods: RodData | None = None


@dataclass(frozen=True, eq=False)
class BellCrank:
    """The gear in vehicle coordinates; see `CrankData` for its points."""

    end: Vector
    pivot: Vector
    axis: Vector
    knob: Vector
    rods_on_crank: tuple[Vector, Vector]
    crank: BodyParameters
    drag_link: RodData | None
    tie_rods: RodData | None

    @classmethod
    def of(cls, name: str, data: BellCrankData, origin: Vector) -> BellCrank:
        """Build the gear from its data."""
        c = data.crank
        owner = f"{name}.steering_gear"
        check_apart(owner, [("steering", data.steering, "crank.drag_link", c.drag_link)])
        check_apart(owner, [("crank.pivot", c.pivot, "crank.shaft", c.shaft)])
        check_off(owner, [("crank.drag_link", c.drag_link, "the crank's axis", c.pivot, c.shaft)])
        along = np.array(c.shaft) - np.array(c.pivot)
        end, pivot, knob, left, right = (
            origin + np.array(point)
            for point in (data.steering, c.pivot, c.drag_link, c.left_rod, c.right_rod)
        )
        axis = along / magnitude(along)
        return cls(end, pivot, axis, knob, (left, right), body(c, origin), data.drag_link, data.tie_rods)

    def rods(self, axle: str, ends: Ends) -> Mapping[str, BodyParameters]:
        """Bodies of crank, drag link and tie rods, the latter where they have mass."""
        found = {f"{axle}.crank": self.crank}
        if self.drag_link is not None:
            found[f"{axle}.drag_link"] = rod(self.drag_link, self.knob, self.end)
        if self.tie_rods is not None:
            for end, inner in zip(ends, self.rods_on_crank, strict=True):
                found[f"{end.name}.tie_rod"] = rod(self.tie_rods, end.points["K"], inner)
        return found

    def connect(self, graph: SuspensionGraph, ends: Ends) -> None:
        """Crank and knuckles, each in closed form."""
        axle, crank = graph.name("axle"), graph.name("crank")
        drag_link = graph.name("drag_link") if self.drag_link is not None else None
        turned = self.pivot, self.pivot + self.axis, self.knob, self.end
        graph.use(SpindleTieRod(*turned, crank, drag_link, axle, graph.name(STEERING)))
        for end, inner in zip(ends, self.rods_on_crank, strict=True):
            tie_rod = f"{end.name}.tie_rod" if self.tie_rods is not None else None
            points = end.points["D"], end.points["F"], end.points["K"], inner
            graph.use(SpindleTieRod(*points, f"{end.name}.knuckle", tie_rod, axle, crank))

    def wheel_angle(self, ends: Ends, end: LinkedCorner, L: Vector) -> Scalar:
        """Angle of the wheel at an end with the drag link's end at L and the beam as designed [rad]."""
        hinge = Revolute(self.axis, at=self.pivot)
        crank = RotationToDistance(hinge, self.knob, self.end, f"{end.name} crank", "drag link")
        c, s = crank.configuration(L - self.pivot)
        inner = self.rods_on_crank[0 if end.name == ends[0].name else 1]
        now = self.pivot + rotate_about(hinge.axis, c, s, inner - self.pivot)
        D, F, K = (end.points[name] for name in "DFK")
        return measure_wheel_turn(end.name, D, F, K, inner, now, end.wheel.axis)


AnyGear: TypeAlias = "SteeringGear | BellCrank | TieRods"
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

    def connect(self, graph: SuspensionGraph) -> None:
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
    2. `guide`: how the body ``axle`` is held by the chassis (`SuspensionGraph`).
    3. ``independent``: what leads loops without a closed form.
    4. ``along``: points of axes along x, y or z, with that component, which is to be zero or as that of
       another point: a number without effect is refused.

    5. ``final_drive``: where that is, unless data files say it: in the ``axle``, or on the ``chassis``.

    Knuckles, toe bar and drag link follow from the axle being steered (`SteeringGear`).

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
    def guide(self, graph: SuspensionGraph) -> None:
        """Add the body ``axle`` and what holds it."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> None:
        """Add the beam, and where it is steered its knuckles."""
        parts = dict(self.parts)
        for end in self.ends:
            parts |= {f"{end.name}.{part}": body for part, body in end.parts.items()}
        if self.gear is not None:
            parts |= self.gear.rods(self.name, self.ends)
        graph = SuspensionGraph(system, self.name, parts, chassis, steering, self.independent)
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
        BellCrank.of(name, data, origin)
        if isinstance(data, BellCrankData)
        else SteeringGear.of(name, data, origin)
    )


def make_steered_section(section: type[Section], gear: str) -> type[Section]:
    """The section of an axle with its steering gear."""
    return create_model(f"Steered{section.__name__}", __base__=section, steering_gear=(GEARS[gear], ...))


Suspension = type[Corner] | type[BeamAxle]
"""What a name of data files stands for: corners by themselves, or an axle with both."""
