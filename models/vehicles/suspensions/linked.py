"""Suspensions that are stated by their hardpoints: what is written becomes points, bodies and springs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import XYZ, ParameterQuantity, Point
from ce_dynamics.models.data.schema import Section, fields_of
from ce_dynamics.models.powertrain.differentials import LockedData
from ce_dynamics.models.vehicles.bodies import (
    BodyData,
    BodyParameters,
    RodData,
    Vector,
    body,
    rod,
    shift_points,
)
from ce_dynamics.models.vehicles.corner import Corner, CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.points import check_apart, check_off, measure_wheel_turn

if TYPE_CHECKING:
    from typing_extensions import Self


class EveryAxleData(Section):
    """Data that any axle may have beside its suspension."""

    anti_roll_bar: BodyData
    differential: LockedData


class LinkData(Section):
    """A rod with a ball joint at each end; without a rod it has no mass."""

    chassis: Point
    upright: Point
    rod: RodData | None = None


class MassiveLinkData(LinkData):
    """A link that has mass, since it carries a spring: a rod, or a body on a universal joint of the chassis.

    From the joint, its axis on the chassis passes through ``first`` and that on the link through ``second``.
    They say how the link turns about its own line, which matters where a spring acts beside that.
    """

    body: BodyData | None = None
    first: Point | None = None
    second: Point | None = None

    @model_validator(mode="after")
    def _has_mass(self) -> MassiveLinkData:
        joint = [name for name in ("body", "first", "second") if getattr(self, name) is not None]
        if len(joint) + 3 * (self.rod is not None) != 3:
            raise ValueError("a link that carries a spring needs either rod, or body, first and second")
        return self


class HingedData(BodyData):
    """A body that turns on the chassis about the axis through two points of it."""

    front_pivot: Point
    rear_pivot: Point


@dataclass(frozen=True)
class Parts:
    """Parts of a suspension from its data, by name, in vehicle coordinates.

    The name of a section precedes the names of its points: ``lower_arm.front_pivot``.
    """

    points: Mapping[str, Vector]
    bodies: Mapping[str, BodyParameters]
    springs: Mapping[str, SpringData | DamperData]


def read(
    data: Section, origin: Vector, rods: Sequence[tuple[str, str, str]], skipped: type[Section]
) -> Parts:
    """Points, bodies, springs and dampers of a section, but those fields that another section has too.

    Parameters
    ----------
    data : Section
    origin : (3,) array
        What its points are relative to [m].
    rods : sequence of (str, str, str)
        Names of rods and of the two points each lies between.
    skipped : type of Section
    """
    points: dict[str, Vector] = {}
    bodies: dict[str, BodyParameters] = {}
    springs: dict[str, SpringData | DamperData] = {}
    lines: dict[str, RodData] = {}
    for name, value in given_fields(data, skipped):
        if isinstance(value, (SpringData, DamperData)):
            springs[name] = shift_points(value, origin)
        elif isinstance(value, RodData):
            lines[name] = value
        elif isinstance(value, Section):
            inner = read(value, origin, (), BodyData)
            points |= {f"{name}.{key}": point for key, point in inner.points.items()}
            bodies |= {name if key == "body" else f"{name}.{key}": part for key, part in inner.bodies.items()}
            if isinstance(value, BodyData):
                bodies[name] = body(value, origin)
            elif isinstance(value, LinkData) and value.rod is not None:
                bodies[name] = rod(value.rod, points[f"{name}.upright"], points[f"{name}.chassis"])
        else:
            points[name] = origin + np.array(value)
    for name, *ends in rods:
        if name in lines:
            bodies[name] = rod(lines[name], *(points[end] for end in ends))
    return Parts(points, bodies, springs)


def given_fields(data: Section, skipped: type[Section]) -> Iterator[tuple[str, Any]]:
    """Points and sections that are given."""
    for name, kind in fields_of(type(data)).items():
        value = getattr(data, name)
        point = isinstance(kind, ParameterQuantity) and kind.components == XYZ
        wanted = point or not isinstance(kind, ParameterQuantity)
        if wanted and value is not None and name not in skipped.model_fields:
            yield name, value


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedCorner(Corner):
    """A corner whose suspension is stated by hardpoints; a template is a class of it.

    A template says:

    1. ``template`` and ``section``, as every `Corner`; ``rods`` for parts that lie between two points.
    2. `connect`: bodies on hinges, and what closes the loops (`SuspensionGraph`).
    3. ``carrier``, ``arm``, ``bar``: which body carries the wheel, the lower end of spring and damper, and
       the drop link of an anti-roll bar.
    4. ``apart`` and ``off``: points that must not coincide, and points that must not lie on a line.
    5. ``pins``: lower and upper point of the axis that a steered wheel turns about, if it does so about one,
       each with the body it is fixed on: ``(("upright", "D"), ("chassis", "F"))``.
    """

    rods: ClassVar[Sequence[tuple[str, str, str]]] = ()
    independent: ClassVar[Sequence[str | Component]] = ()
    carrier: ClassVar[str]
    arm: ClassVar[str]
    bar: ClassVar[str]
    apart: ClassVar[Sequence[tuple[str, str]]] = ()
    off: ClassVar[Sequence[tuple[str, str, str]]] = ()
    pins: ClassVar[tuple[tuple[str, str], tuple[str, str]] | None] = None

    points: Mapping[str, Vector]
    parts: Mapping[str, BodyParameters]
    springs: Mapping[str, SpringData | DamperData]

    @classmethod
    def make_left(cls, data: Any, **common: Any) -> Self:
        """The left corner."""
        found = read(data, common["origin"], cls.rods, CornerData)
        return cls(**common, points=found.points, parts=found.bodies, springs=found.springs)

    @classmethod
    def check(cls, name: str, data: CornerData) -> None:
        """Refuse points that coincide, or that lie on lines they must not lie on."""
        found: dict[str, Any] = {**read(data, np.zeros(3), (), CornerData).points, "W": np.array(data.W)}
        check_apart(name, [(a, found[a], b, found[b]) for a, b in cls.apart])
        lines = [(p, found[p], f"the line through {a} and {b}", found[a], found[b]) for p, a, b in cls.off]
        check_off(name, lines)

    @abstractmethod
    def connect(self, graph: SuspensionGraph) -> None:
        """Add bodies and close loops."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Add all but the wheel and return what carries it."""
        parts = {f"{self.name}.{part}": body for part, body in self.parts.items()}
        graph = SuspensionGraph(system, self.name, parts, chassis, steering, self.independent)
        self.connect(graph)
        arm = graph.body(self.arm)
        for name, element in self.springs.items():
            element.add(system, f"{self.name}.{name}", chassis, arm)
        return graph.body(self.carrier)

    def bodies(self) -> tuple[BodyParameters, ...]:
        """All bodies but the wheel."""
        return tuple(self.parts.values())

    @property
    def kingpin(self) -> tuple[tuple[str, Vector], tuple[str, Vector]] | None:
        """Lower and upper point of the steering axis [m], each with the body it is fixed on."""
        if self.pins is None:
            return None
        lower, upper = (
            (body if body == CHASSIS else f"{self.name}.{body}", self.points[point])
            for body, point in self.pins
        )
        return lower, upper

    @property
    def drop_link_carrier(self) -> str:
        """Name of the body that carries the drop link of an anti-roll bar."""
        return f"{self.name}.{self.bar}"

    @property
    def tie_rod_end(self) -> Vector:
        """L in the design position [m]."""
        return self.points["L"]

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the wheel at its height, the upright turns about its steering axis."""
        if self.pins is None or "K" not in self.points:
            raise DataError(f"{self.name}: a {self.template} suspension has no tie rod and cannot be steered")
        D, F = (self.points[name] for _, name in self.pins)
        return measure_wheel_turn(self.name, D, F, self.points["K"], self.points["L"], L, self.wheel.axis)
