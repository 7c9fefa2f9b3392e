"""An axle that is a free graph of bodies, joints, distances and springs: any linkage that data describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.cylindrical import Cylindrical
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.guides import PointOnLine, PointOnPlane
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector, add_rigid_body, rod
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperParameters, SpringParameters
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, SUBSTEPS, Graph
from ce_dynamics.models.vehicles.suspensions.graph_words import (
    FORCES,
    JOINTS,
    SURROUNDINGS,
    DistanceData,
    Item,
    TorsionData,
)
from ce_dynamics.models.vehicles.suspensions.kingpin import wheel_frame
from ce_dynamics.models.vehicles.suspensions.linked import EveryAxleData, LinkedCorner, Parts, read

LINES: Mapping[str, Callable[..., Hinge]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "cylindrical": Cylindrical,
}
GUIDES: Mapping[str, Callable[..., Closure]] = {"point-on-line": PointOnLine, "point-on-plane": PointOnPlane}


class Edge(NamedTuple):
    """A joint as built: what it is called, the names of its bodies, and the joint itself."""

    name: str
    one: str
    other: str
    joint: Closure


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphEnd(LinkedCorner):
    """One side of a graph, in vehicle coordinates."""

    template = "graph"
    section = CornerData
    whole: GraphAxle | None = None
    torsions: Mapping[str, TorsionData]

    @classmethod
    def left(cls, data: Any, **common: Any) -> GraphEnd:
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

    def connect(self, graph: Graph) -> None:
        """Nothing: the graph adds itself."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """What carries the wheel, which is there."""
        name = self.axle.body_name(self.axle.named("wheel"), self)
        return chassis if name == CHASSIS else system.find(name)

    @property
    def drop_link_carrier(self) -> str:
        """What the item ``bar`` says, else what carries the wheel."""
        given = {item.name for item in self.axle.items if item.kind == "carrier"}
        return self.axle.body_name(self.axle.named("bar" if "bar" in given else "wheel"), self)

    @property
    def tie_rod_end(self) -> Vector:
        """The first point that the steering holds, in the design position [m]."""
        return self.axle.steered_point(self)

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
    springs: Mapping[str, SpringParameters | DamperParameters]
    torsions: Mapping[str, TorsionData]
    ends: tuple[GraphEnd, GraphEnd]
    steered: bool

    @classmethod
    def of(
        cls, name: str, items: tuple[Item, ...], data: Section | None, ends: Mapping[str, Any], steered: bool
    ) -> GraphAxle:
        """The axle called `name` from its own data and those of its two sides.

        Raises
        ------
        DataError
            If it is to be steered and nothing of it is joined to the steering, or the other way round.
        """
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

    def named(self, carrier: str) -> str:
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
        left, right = (self.body_name(self.named("wheel"), end) for end in self.ends)
        return left if left == right != CHASSIS else None

    @property
    def final_drive(self) -> str:
        """Where that is, unless data files say it."""
        return CHASSIS if self.housing() is None else "axle"

    def steered_point(self, end: GraphEnd) -> Vector:
        """The first point that the steering holds, on a side or in the middle."""
        item = next(item for item in self.items if "steering" in item.between)
        points = self.points if item.single else end.points
        which = ("one", "other")[item.between.index("steering")] if item.kind == "distance" else "at"
        return points[f"{item.name}.{which}"]

    def placed(self) -> Iterator[tuple[Item, GraphEnd | None, GraphAxle | GraphEnd]]:
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
        for item, end, store in self.placed():
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

    def join(
        self, system: System, around: Mapping[str, Body], leads: Mapping[str, Sequence[str | Component]]
    ) -> dict[str, str]:
        """Add bodies and joints; the carrier of every body."""
        parts = {
            f"{self.name if end is None else end.name}.{item.name}": store.parts[item.name]
            for item, end, store in self.placed()
            if item.kind == "body"
        }
        tree, cut = grown(self.edges(), parts)
        for name, carrier, hinge in tree:
            parent = around.get(carrier) or system.find(carrier)
            add_rigid_body(system, name, parts[name], parent, hinge)
        for name, *ends, joint in cut:
            one, other = (around.get(body) or system.find(body) for body in ends)
            system.close_loop(name, one, other, joint, leads.get(name, ()), substeps=SUBSTEPS)
        return {name: carrier for name, carrier, _ in tree}

    def add_rods(self, system: System, around: Mapping[str, Body]) -> None:
        """Bodies of distances that have mass: each points from its first end at its second."""
        for item, end, store in self.placed():
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
    def leads(self) -> Mapping[str, Sequence[str | Component]]:
        """Independent coordinates of the loops, by the joints that close them: the best conditioned ones.

        What a body on no hinge leads is led by its height and roll, where these can lead.
        """
        chosen = self.chosen({})
        for better in (self.unsteered, heave_and_roll):
            plain = {name: better(leads) for name, leads in chosen.items()}
            if plain == chosen:
                continue
            try:
                chosen = self.chosen(plain)
            except ModelError:
                continue
        return chosen

    def unsteered(self, leads: Sequence[str | Component]) -> Sequence[str | Component]:
        """The roll of the body that a crank or knuckle is on, in place of that body's angle.

        What the steering holds by a rod would be an independent coordinate else, and the steering move the
        axle.
        """
        held = {
            self.body_name(body, end): item
            for item, end, _ in self.placed()
            if "steering" in item.between
            for body in item.between
            if body != "steering"
        }
        pivots = {
            self.body_name(body, end): self.body_name(other, end)
            for item, end, _ in self.placed()
            if item.kind == "revolute"
            for other, body in (item.between, item.between[::-1])
        }
        found: list[str | Component] = []
        for lead in leads:
            on = pivots.get(lead, CHASSIS) if isinstance(lead, str) and lead in held else CHASSIS
            found.append(lead if on == CHASSIS else Component(on, "roll"))
        return found

    def chosen(
        self, leads: Mapping[str, Sequence[str | Component]]
    ) -> Mapping[str, Sequence[str | Component]]:
        """Independent coordinates by closure, of the axle by itself, for which some may be named."""
        system = System(name=self.name)
        chassis = system.add_body("chassis", mass=1.0, parent=system.ground, hinge=Fixed())
        self.join(system, {CHASSIS: chassis, STEERING: chassis}, leads)
        names = {body.name for body in system.bodies}
        found: dict[str, Sequence[str | Component]] = {}
        for S in embed(system).aggregates:
            leading = [body.name if body.name in names else component(body.name) for body in S.independent]
            found |= {closure.name: leading for closure in S.closures}
        return found

    def add_forces(self, system: System, around: Mapping[str, Body], tree: Mapping[str, str]) -> None:
        """Springs, dampers and torsion springs."""
        for item, end, store in self.placed():
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


def heave_and_roll(leads: Sequence[str | Component]) -> Sequence[str | Component]:
    """Height and roll of a body whose displacements were chosen; others as they are."""
    bodies = {lead.body for lead in leads if isinstance(lead, Component) and lead.which in ("x", "y", "z")}
    if len(bodies) != 1 or len(leads) > 2 or any(isinstance(lead, str) for lead in leads):
        return leads
    (body,) = bodies
    return [Component(body, which) for which in ("z", "roll")[: len(leads)]]


def component(name: str) -> Component:
    """The component of a hinge that a coordinate is."""
    body, _, which = name.rpartition(".")
    return Component(body, which)


def joint_of(item: Item, points: Mapping[str, Vector]) -> Closure:
    """The joint of an item, placed."""
    p = {name.rpartition(".")[2]: point for name, point in points.items() if name.startswith(f"{item.name}.")}
    if item.kind == "distance":
        return Distance(p["one"].tolist(), p["other"].tolist())
    at = p["at"]
    if item.kind in LINES:
        return LINES[item.kind]((p["through"] - at).tolist(), at=at.tolist())
    if item.kind in GUIDES:
        return GUIDES[item.kind]((p["through"] - at).tolist(), at=at.tolist())
    if item.kind == "universal":
        return Universal((p["first"] - at).tolist(), (p["second"] - at).tolist(), at=at.tolist())
    return Spherical(at.tolist()) if item.kind == "spherical" else Fixed(at.tolist())


def grown(
    edges: Sequence[Edge], parts: Mapping[str, BodyParameters]
) -> tuple[list[tuple[str, str, Hinge]], list[Edge]]:
    """A spanning tree of some bodies, each with its carrier and hinge, and the joints that are left.

    Joints with few freedoms come first, which leaves few unknowns.  Bodies that no joint leads to are on no
    hinge.  A universal joint counts its first axis on its first body, so it is taken in that sense only.
    """
    reached = {CHASSIS}
    tree: list[tuple[str, str, Hinge]] = []
    left = list(edges)
    while len(reached) <= len(parts):
        ready = [
            (edge.joint.n_v, k)
            for k, edge in enumerate(left)
            if isinstance(edge.joint, Hinge)
            and (edge.one in reached) != (edge.other in reached)
            and {edge.one, edge.other} - reached != {STEERING}
            and (edge.one in reached or not isinstance(edge.joint, Universal))
        ]
        if ready:
            edge = left.pop(min(ready)[1])
            carrier, body = (edge.one, edge.other) if edge.one in reached else (edge.other, edge.one)
            assert isinstance(edge.joint, Hinge)
            tree.append((body, carrier, edge.joint))
        else:
            body = next(name for name in parts if name not in reached)
            tree.append((body, CHASSIS, Free(parts[body].com.tolist())))
        reached.add(body)
    return tree, left
