"""An axle that is a free graph of bodies, joints, distances and springs: any linkage that data describe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector, add_rigid_body, rod
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import (
    CHASSIS,
    STEERING,
    SUBSTEPS,
    SuspensionGraph,
    free_hinges,
)
from ce_dynamics.models.vehicles.suspensions.graph_tree import Edge, Leading, Leads, grow_tree, joint_of
from ce_dynamics.models.vehicles.suspensions.graph_words import (
    FORCES,
    JOINTS,
    SURROUNDINGS,
    DistanceData,
    Item,
    TorsionData,
)
from ce_dynamics.models.vehicles.suspensions.linked import EveryAxleData, LinkedCorner, Parts, read
from ce_dynamics.models.vehicles.suspensions.points import wheel_frame


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphEnd(LinkedCorner):
    """One side of a graph, in vehicle coordinates."""

    template = "graph"
    section = CornerData
    whole: GraphAxle | None = None
    torsions: Mapping[str, TorsionData]

    @classmethod
    def make_left(cls, data: Any, **common: Any) -> GraphEnd:
        """The left side."""
        found = read(data, common["origin"], (), CornerData)
        return cls(
            **common,
            points=found.points,
            parts={**found.bodies, **rods(data, found.points)},
            springs=found.springs,
            torsions=torsions(data),
        )

    @property
    def axle(self) -> GraphAxle:
        """The graph it is part of."""
        assert self.whole is not None, "set by `GraphAxle.of`"
        return self.whole

    def connect(self, graph: SuspensionGraph) -> None:
        """Nothing: the graph adds itself."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Return the body that carries the wheel; the system has it already."""
        name = self.axle.body_name(self.axle.find_body("wheel"), self)
        return chassis if name == CHASSIS else system.find(name)

    @property
    def drop_link_carrier(self) -> str:
        """Name of the body that the item ``bar`` gives, else of the body that carries the wheel."""
        given = {item.name for item in self.axle.items if item.kind == "carrier"}
        return self.axle.body_name(self.axle.find_body("bar" if "bar" in given else "wheel"), self)

    @property
    def tie_rod_end(self) -> Vector:
        """The first point that the steering holds, in the design position [m]."""
        return self.axle.find_steered_point(self)

    @cached_property
    def bench(self) -> Bench:
        """The graph on a chassis at rest, with a body in place of the steering that can be shifted."""
        return Bench.of(self.axle, self)

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the independent coordinates held and what the steering holds shifted to L."""
        return self.bench.wheel_angle(np.asarray(nominal(L - self.tie_rod_end), dtype=float))


class Bench(NamedTuple):
    """A graph by itself, whose steering is shifted."""

    model: Model
    carrier: str
    axis: Vector

    @classmethod
    def of(cls, axle: GraphAxle, end: GraphEnd) -> Bench:
        """The graph on a chassis that does not move."""
        system = System(gravity=(0.0, 0.0, 0.0))
        body = system.add_body("chassis", mass=1.0, parent=system.ground, hinge=Fixed())
        steering = chassis = body
        for direction, name in zip(np.eye(3), SHIFTS, strict=True):
            for each in (name, f"{name}_rate", f"{name}_acceleration"):
                system.add_input(each, "")
            hinge = Prismatic(direction, at=end.tie_rod_end)
            steering = system.add_body(name, mass=1.0, parent=steering, hinge=hinge)
            system.prescribe(steering, Driven(name))
        axle.add(system, chassis, steering)
        return cls(Model(system), end.add(system, chassis, steering).name, end.wheel.axis)

    def wheel_angle(self, shift: Vector) -> Scalar:
        """Angle of the wheel about the vertical, positive to the left [rad]; NaN out of reach."""
        u = self.model.inputs_with(inputs=dict(zip(SHIFTS, shift.tolist(), strict=True)))
        system = self.model.system
        outward = self.model.instant(self.model.y0, u).outward
        turned = outward.direction(system.find(self.carrier), self.axis, system.find("chassis"))
        forward, left = wheel_frame(self.axis)
        return float(np.arctan2(-float(turned @ forward), float(turned @ left)))


SHIFTS = ("steering_x", "steering_y", "steering_z")


def torsions(data: Section) -> dict[str, TorsionData]:
    """Torsion springs by name."""
    values = {name: getattr(data, name) for name in type(data).model_fields}
    return {name: value for name, value in values.items() if isinstance(value, TorsionData)}


def rods(data: Section, points: Mapping[str, Vector]) -> dict[str, BodyParameters]:
    """Bodies of distances that have mass, by name."""
    values = {name: getattr(data, name) for name in type(data).model_fields}
    return {
        name: rod(value.rod, points[f"{name}.one"], points[f"{name}.other"])
        for name, value in values.items()
        if isinstance(value, DistanceData) and value.rod is not None
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphAxle:
    """An axle made of items, in vehicle coordinates.

    The tree is grown from the chassis along the joints with the fewest freedoms; what is left closes loops,
    which Newton's method solves, led by coordinates that the library chooses.

    Attributes
    ----------
    items : tuple of Item
    points, parts, springs, torsions
        Of what is there once, by name.
    ends : pair of GraphEnd
        The same of what is there on either side.
    """

    name: str
    items: tuple[Item, ...]
    points: Mapping[str, Vector]
    parts: Mapping[str, BodyParameters]
    springs: Mapping[str, SpringData | DamperData]
    torsions: Mapping[str, TorsionData]
    ends: tuple[GraphEnd, GraphEnd]
    steered: bool

    @classmethod
    def of(
        cls, name: str, items: tuple[Item, ...], data: Section | None, ends: Mapping[str, Any], steered: bool
    ) -> GraphAxle:
        """The axle called `name` from its own data and those of its two sides."""
        joined = any("steering" in item.between for item in items)
        if joined != steered:
            missing = "is joined to the steering" if steered else "names a steering mechanism"
            raise DataError(f"axles.{name}: the graph and its axle disagree: none of them {missing}")
        origin = np.array(next(iter(ends.values())).origin)
        own = Parts({}, {}, {}) if data is None else read(data, origin, (), EveryAxleData)
        made = [GraphEnd.of(corner, end, steered) for corner, end in ends.items()]
        axle = cls(
            name=name,
            items=items,
            points=own.points,
            parts=own.bodies if data is None else {**own.bodies, **rods(data, own.points)},
            springs=own.springs,
            torsions={} if data is None else torsions(data),
            ends=(made[0], made[1]),
            steered=steered,
        )
        left, right = (replace(end, whole=axle) for end in made)
        object.__setattr__(axle, "ends", (left, right))  # the two know each other
        return axle

    def bodies(self) -> tuple[BodyParameters, ...]:
        """Bodies that are there once; the sides tell theirs."""
        return tuple(self.parts.values())

    def find_body(self, carrier: str) -> str:
        """The body that a carrier item names."""
        return next(item.between[0] for item in self.items if item.name == carrier and item.kind == "carrier")

    def body_name(self, reference: str, end: GraphEnd | None) -> str:
        """Full name of a body as an item on a side calls it."""
        plain, _, side = reference.partition(".")
        if plain in SURROUNDINGS:
            return plain
        if side:
            return f"{self.name}_{side}.{plain}"
        single = next(item.single for item in self.items if item.name == plain and item.kind == "body")
        return f"{self.name}.{plain}" if single or end is None else f"{end.name}.{plain}"

    def housing(self) -> str | None:
        """Name of the body that may carry a final drive: one that carries both wheels, if there is one."""
        left, right = (self.body_name(self.find_body("wheel"), end) for end in self.ends)
        return left if left == right != CHASSIS else None

    @property
    def final_drive(self) -> str:
        """Place of the final drive, unless data files give it: the chassis, or an axle with a housing."""
        return CHASSIS if self.housing() is None else "axle"

    def find_steered_point(self, end: GraphEnd) -> Vector:
        """The first point that the steering holds, on a side or in the middle."""
        item = next(item for item in self.items if "steering" in item.between)
        points = self.points if item.single else end.points
        which = ("one", "other")[item.between.index("steering")] if item.kind == "distance" else "at"
        return points[f"{item.name}.{which}"]

    def place_items(self) -> Iterator[tuple[Item, GraphEnd | None, GraphAxle | GraphEnd]]:
        """Every item as often as it is there, with its side and with what holds its numbers."""
        for item in self.items:
            if item.single:
                yield item, None, self
            else:
                for end in self.ends:
                    yield item, end, end

    def edges(self) -> list[Edge]:
        """All joints."""
        found = []
        for item, end, store in self.place_items():
            if item.kind in JOINTS:
                one, other = (self.body_name(name, end) for name in item.between)
                joint = joint_of(item, store.points)
                found.append(Edge(f"{self.name if end is None else end.name}.{item.name}", one, other, joint))
        return found

    def add(self, system: System, chassis: Body, steering: Body | None) -> None:
        """Add all bodies, joints and forces."""
        around = {CHASSIS: chassis, STEERING: chassis if steering is None else steering}
        tree = self.join(system, around, self.leads)
        self.add_rods(system, around)
        self.add_forces(system, around, tree)

    def join(self, system: System, around: Mapping[str, Body], leads: Leads) -> dict[str, str]:
        """Add bodies and joints; the carrier of every body."""
        parts = {
            f"{self.name if end is None else end.name}.{item.name}": store.parts[item.name]
            for item, end, store in self.place_items()
            if item.kind == "body"
        }
        tree, cut = grow_tree(self.edges(), parts)
        for name, carrier, hinge in tree:
            parent = around.get(carrier) or system.find(carrier)
            add_rigid_body(system, name, parts[name], parent, hinge)
        for name, *ends, joint in cut:
            one, other = (around.get(body) or system.find(body) for body in ends)
            leading = leads.get(name, ())
            if leading and STEERING in ends:
                leading = [*leading, *free_hinges(system, around[STEERING], around[CHASSIS])]
            system.close_loop(name, one, other, joint, leading, substeps=SUBSTEPS)
        return {name: carrier for name, carrier, _ in tree}

    def add_rods(self, system: System, around: Mapping[str, Body]) -> None:
        """Bodies of distances that have mass: each points from its first end at its second."""
        for item, end, store in self.place_items():
            if item.kind != "distance" or item.name not in store.parts:
                continue
            name = f"{self.name if end is None else end.name}.{item.name}"
            carrier, anchor = (
                (around.get(body) or system.find(body)).name
                for body in (self.body_name(body, end) for body in item.between)
            )
            P, Q = (store.points[f"{item.name}.{which}"] for which in ("one", "other"))
            linkage = Rod(P, Q, name, carrier, anchor)
            for joint in linkage.joints():
                add_rigid_body(system, joint.body, store.parts[item.name], joint.carrier, joint.hinge)
            linkage.close(system)

    @cached_property
    def leads(self) -> Leads:
        """Independent coordinates of the loops, by the joints that close them."""
        wheel = self.find_body("wheel")
        return Leading(self.join, tuple(self.body_name(wheel, end) for end in self.ends)).leads()

    def add_forces(self, system: System, around: Mapping[str, Body], tree: Mapping[str, str]) -> None:
        """Springs, dampers and torsion springs."""
        for item, end, store in self.place_items():
            name = f"{self.name if end is None else end.name}.{item.name}"
            if item.kind in FORCES:
                ends = [self.body_name(body, end) for body in item.between]
                bodies = [around.get(body) or system.find(body) for body in ends]
                store.springs[item.name].add(system, name, bodies[0], bodies[1])
            elif item.kind == "torsion":
                joint = next(other for other in self.items if other.name == item.between[0])
                one, other = (self.body_name(body, end) for body in joint.between)
                owner = other if tree.get(other) == one else one
                if tree.get(owner) not in (one, other):
                    raise DataError(
                        f"{name}: its joint {joint.name} closes a loop, where no angle is known; put the "
                        "spring on another joint of that loop"
                    )
                # As seen from the carrier; on the right the axis of the mirrored points turns the other way.
                sign = (1.0 if owner == other else -1.0) * (-1.0 if end is not None and end.side < 0 else 1.0)
                data = store.torsions[item.name]
                system.add_force(
                    TorsionSpringDamper(
                        name,
                        system.find(owner),
                        spring=data.stiffness,
                        damper=data.damping,
                        free=sign * data.free_angle,
                    )
                )
