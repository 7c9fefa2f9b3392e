"""Adds an axle to a system: bodies on hinges, closed forms, loops, springs, bars; trees of listed graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, cross
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, Point
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, add_rigid_body, body, image, massless
from ce_dynamics.models.vehicles.suspensions.axle import AXES, BuiltAxle, JointStep, Side
from ce_dynamics.models.vehicles.suspensions.linkages import (
    LINKAGES,
    Given,
    PlacedJoint,
    is_hinge,
)
from ce_dynamics.models.vehicles.suspensions.points import check_apart, check_off
from ce_dynamics.models.vehicles.suspensions.suspension_graph import Edge, Lead, Leading, Leads, grow_tree
from ce_dynamics.models.vehicles.suspensions.template import CHASSIS, STEERING

SUBSTEPS = 3
"""Steps from the design position to any other one of loops without a closed form: suspensions turn by less
than half a radian each (`System.close_loop`)."""


def add_axle(axle: BuiltAxle, system: System, chassis: Body, steering: Body | None) -> None:
    """Add all of an axle whose sides belong together, but springs and wheels of its corners."""
    builder = Builder(axle, system, chassis, steering)
    if axle.template.listed:
        tree = builder.grow(find_leads(axle))
        builder.add_listed_forces(tree)
        return
    for step in axle.steps:
        builder.build(step)
    builder.add_torsions()


def add_corner(axle: BuiltAxle, corner: str, system: System, chassis: Body, steering: Body | None) -> Body:
    """Add a corner's springs, and its bodies unless the axle has, and return what carries the wheel."""
    side = axle.side(corner)
    builder = Builder(axle, system, chassis, steering, side)
    if not axle.is_joined:
        for step in axle.steps:
            if step.joints[0].owner == corner:
                builder.build(step)
    if not axle.template.listed:
        for part in axle.template.side.parts_of_kind("spring", "damper"):
            if part.name in side.springs:
                builder.add_spring(side, part.name, (CHASSIS, *part.words)[-2:])
    return builder.find(axle.find_carrier(corner))


def find_leads(axle: BuiltAxle) -> Leads:
    """Return the independent coordinates of the loops of a listed graph, by the joints that close them."""

    def join(system: System, around: Mapping[str, Body], leads: Leads) -> object:
        return Builder(axle, system, around[CHASSIS], around[STEERING]).grow(leads, rods=False)

    if "leads" not in axle.cache:
        carriers = tuple(axle.find_carrier(side.name) for side in axle.sides)
        axle.cache["leads"] = Leading(join, carriers).leads()
    found: Leads = axle.cache["leads"]
    return found


class Builder:
    """Adds a side of an axle, or with side None the axle as a whole, to a system.

    ``steering`` carries the inner ends of tie rods; the chassis if None.
    """

    def __init__(
        self, axle: BuiltAxle, system: System, chassis: Body, steering: Body | None, side: Side | None = None
    ) -> None:
        self.axle, self.system, self.side = axle, system, side
        self.around = {CHASSIS: chassis, STEERING: chassis if steering is None else steering}

    def find(self, name: str) -> Body:
        return self.around.get(name) or self.system.find(name)

    def name(self, word: str) -> str:
        return self.around[word].name if word in self.around else word

    def add(self, name: str, carrier: str, hinge: Any) -> Body:
        """Add a body on a hinge; without mass unless it is a part."""
        part = self.axle.parts.get(name) or massless(hinge.at)
        return add_rigid_body(self.system, name, part, self.name(carrier), hinge)

    def build(self, step: JointStep) -> None:
        """Add what a step describes, and bodies that lie in its joints."""
        there = {body.name for body in self.system.bodies}
        if step.linkage:
            self.use(LINKAGES[step.linkage](Given(step.joints, self.name, self.axle.parts.__contains__)))
        else:
            (joint,) = step.joints
            check_ends(joint)
            closure = None if joint.kind == "leaf" else joint.make_closure()
            if closure is not None and is_hinge(closure) and joint.other not in there:
                self.add(joint.other, joint.one, closure)
            elif closure is not None:
                self.close(joint, closure)
        there = {body.name for body in self.system.bodies}
        for joint in step.joints:
            lies = joint.kind in ("distance", "leaf") or (step.linkage and joint.kind == "point-on-line")
            if lies and joint.body in self.axle.parts and joint.body not in there:
                self.use(joint.make_rod(self.name))

    def close(self, joint: PlacedJoint, closure: Closure) -> None:
        """Close a loop that no closed form solves."""
        leads = self.leads()
        if leads and STEERING in (joint.one, joint.other):
            leads += free_hinges(self.system, self.around[STEERING], self.around[CHASSIS])
        names = self.name(joint.one), self.name(joint.other)
        name = f"{names[0]}/{names[1]} {joint.label}".rstrip()
        self.system.close_loop(name, *names, closure, independent=leads, substeps=SUBSTEPS)

    def leads(self) -> list[Lead]:
        """Return the independent coordinates of loops; a rod that may be left out takes the last one."""
        axle, template = self.axle, self.axle.template
        optional = [joint for joint in axle.joints_of(None) if joint.given and axle.is_given(joint, None)]
        found: list[Lead] = []
        for word in template.lead[: len(template.lead) - len(optional)]:
            plain, _, last = word.rpartition(".")
            whole = not plain or last in (*axle.by_side, "end")
            name = axle.body(word if whole else plain, self.side)
            found.append(name if whole else Component(name, last))
        return found

    def use(self, linkage: ClosedForm) -> None:
        """Add the bodies of a closed form that are not there yet, and let it close its loops."""
        there = {body.name for body in self.system.bodies}
        for joint in linkage.joints():
            if joint.body not in there:
                self.add(joint.body, joint.carrier, joint.hinge)
        linkage.close(self.system)

    def add_spring(self, side: Side, name: str, between: Sequence[str]) -> None:
        """Add a spring or a damper of a side, or of the middle."""
        own = None if side is self.axle.middle else side
        one, other = (self.find(self.axle.body(word, own)) for word in between)
        side.springs[name].add(self.system, f"{side.name}.{name}", one, other)

    def add_torsions(self) -> None:
        """Add the elasticities of leaf springs at their clamps, and that of a twist beam."""
        middle = self.axle.middle
        assert self.axle.template.axle is not None, "it is joined"
        for side in self.axle.sides:
            for part in self.axle.template.axle.parts_of_kind("clamp"):
                leaf, e = f"{side.name}.{part.words[0]}", middle.numbers[part.name]
                r = side.points[f"{part.words[0]}.eye"] - side.points[f"{part.words[0]}.clamp"]
                # A positive angle about r × Z lifts the eye.
                free = e.preload * magnitude(cross(r, AXES["z"])) / e.bending
                self.add_torsion(f"{leaf}.lateral", leaf, e.lateral, e.lateral_damping)
                self.add_torsion(f"{leaf}.bending", leaf, e.bending, e.bending_damping, free, component=1)
        if self.axle.template.torsion:
            joint = next(one for one in self.axle.joints if one.name == self.axle.template.torsion)
            numbers = middle.numbers["stiffness"], middle.numbers["damping"]
            self.add_torsion(f"{middle.name}.{joint.name}", joint.other, *numbers)

    def add_torsion(
        self, name: str, body: str, spring: float, damper: float, free: Scalar = 0.0, component: int = 0
    ) -> None:
        self.system.add_force(
            TorsionSpringDamper(
                name, self.system.find(body), spring=spring, damper=damper, free=free, component=component
            )
        )

    # The graph of a data file.

    def grow(self, leads: Leads, rods: bool = True) -> dict[str, str]:
        """Add bodies on the hinges of a spanning tree, close loops, and return the carrier of every body."""
        axle, parts = self.axle, {}
        for name, side in axle.list_in_order():
            owner = axle.middle if side is None else side
            if name in owner.bodies:
                parts[f"{owner.name}.{name}"] = owner.bodies[name]
        joints = list(axle.joints)
        edges = [
            Edge(f"{joint.owner}.{joint.name}", joint.one, joint.other, joint.make_closure())
            for joint in joints
        ]
        tree, cut = grow_tree(edges, parts)
        for name, carrier, hinge in tree:
            self.add(name, carrier, hinge)
        for name, one, other, closure in cut:
            leading = list(leads.get(name, ()))
            if leading and STEERING in (one, other):
                leading += free_hinges(self.system, self.around[STEERING], self.around[CHASSIS])
            ends = self.find(one), self.find(other)
            self.system.close_loop(name, *ends, closure, leading, substeps=SUBSTEPS)
        for joint in joints if rods else ():
            if joint.kind == "distance" and joint.body in axle.parts:
                self.use(joint.make_rod(self.name))
        return {name: carrier for name, carrier, _ in tree}

    def add_listed_forces(self, tree: Mapping[str, str]) -> None:
        """Add springs, dampers and torsion springs."""
        axle = self.axle
        parts = {part.name: part for blocks in axle.blocks for block in blocks for part in block.parts}
        for name, side in axle.list_in_order():
            owner, part = axle.middle if side is None else side, parts.get(name)
            if part is None or part.kind not in ("spring", "damper", "torsion"):
                continue
            if part.kind != "torsion":
                self.add_spring(owner, name, part.words)
                continue
            joint = next(one for one in axle.joints if one.name == part.words[0] and one.owner == owner.name)
            body = joint.other if tree.get(joint.other) == joint.one else joint.one
            if tree.get(body) not in (joint.one, joint.other):
                raise DataError(
                    f"{owner.name}.{name}: its joint {joint.name} closes a loop, where no angle is known; "
                    "put the spring on another joint of that loop"
                )
            # As seen from the carrier; on the right the axis of the mirrored points turns the other way.
            sign = (1.0 if body == joint.other else -1.0) * (-1.0 if side is axle.sides[1] else 1.0)
            data = owner.numbers[name]
            self.add_torsion(
                f"{owner.name}.{name}", body, data.stiffness, data.damping, sign * data.free_angle
            )


def check_ends(joint: PlacedJoint) -> None:
    """Refuse a rod without length."""
    if joint.kind == "distance":
        one, other = (body.rpartition(".")[2] for body in (joint.one, joint.other))
        first, second = f"its end on {one}", f"that on {other}"
        ends = first, tuple(joint.points[0]), second, tuple(joint.points[1])
        check_apart(f"{joint.owner}.{joint.name}", [ends])


def free_hinges(system: System, steering: Body, chassis: Body) -> list[Lead]:
    """Return hinges of a steering that nothing moves or closes: a column's, or that of a link which tilts.

    Loops with the steering in them, whose independent coordinates are named, name them too.
    """
    held = {name for linkage in system.linkages for name in linkage.determines} | set(system.prescribed)
    found: list[Lead] = []
    while steering is not chassis and steering.parent is not None:
        if steering.inboard.n_v and steering.name not in held:
            found.append(steering.name)
        steering = steering.parent
    return found


class AntiRollBarData(BodyData):
    """A bar's left half, relative to the vehicle's origin; the right half is its mirror image.

    The half turns about the lateral axis through ``pivot``; a drop link of constant length joins its ``end``
    to ``link``, a point of the suspension.
    """

    pivot: Point
    end: Point
    link: Point
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]

    @property
    def half(self) -> BodyParameters:
        return body(self, np.zeros(3))

    def check(self, axle: str) -> None:
        """Refuse points that make no bar."""
        name = f"{axle}.anti_roll_bar"
        check_apart(name, [("end", self.end, "link", self.link)])
        beside = (self.pivot[0], self.pivot[1] + 1.0, self.pivot[2])
        check_off(name, [("end", self.end, "the bar's axis", self.pivot, beside)])
        if not decide(self.end[1] > 0.0, f"{name}.end: not on the left"):
            raise DataError(
                f"{name}.end: y = {self.end[1]:g} m is not on the left; give the left half (y > 0)"
            )

    def add(self, system: System, axle: str, chassis: Body, links: tuple[Body, Body]) -> None:
        """Add both halves, hung on the suspensions' bodies `links` (left, right), and the torsion between."""
        halves = []
        points = [np.array(point) for point in (self.pivot, self.end, self.link)]
        left = "left", self.half, points, links[0]
        right = "right", self.half.mirror(), [image(point) for point in points], links[1]
        for side, half, (pivot, end, link), carrier in (left, right):
            along = pivot + np.array((0.0, 1.0, 0.0))
            name = f"{axle}_{side}.anti_roll_bar"
            drop_link = SpindleTieRod(pivot, along, end, link, name, None, chassis.name, carrier.name)
            (joint,) = drop_link.joints()
            halves.append(add_rigid_body(system, name, half, chassis, joint.hinge))
            drop_link.close(system)
        first, second = halves
        system.add_force(TwistSpring(f"{axle}.anti_roll_bar", first, second, self.stiffness, self.damping))


class TwistSpring(ForceElement):
    """Spring and damper on the difference of the angles of parallel hinges: the first gets −k Δ − c Δ̇."""

    outputs: Mapping[str, str] = MappingProxyType({"twist": "rad", "torque": "N*m"})

    def __init__(self, name: str, one: Body, other: Body, stiffness: float, damping: float) -> None:
        self.name = name
        self.one, self.other = one, other
        self.stiffness, self.damping = stiffness, damping

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinges = [(body, body.inboard) for body in (self.one, self.other)]
        carried = tuple((body, hinge.at_child) for body, hinge in hinges)
        return (*carried, *((body.carrier, hinge.at_parent) for body, hinge in hinges))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        twist = observer.coordinate(self.one, 0) - observer.coordinate(self.other, 0)
        rate = observer.rate(self.one) - observer.rate(self.other)
        torque = -self.stiffness * twist - self.damping * rate
        return Response(
            loads=(HingeLoad(self.one, 0, torque), HingeLoad(self.other, 0, -torque)),
            outputs={"twist": twist, "torque": torque},
            potential=0.5 * self.stiffness * twist * twist,
        )
