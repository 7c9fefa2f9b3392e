"""Words of data files for a free graph of bodies, joints, distances and springs, and the tree of its joints.

::

    axles:
      rear:
        suspension:
          kind: graph
          arm: {body: mirrored, mass: 8 kg, ...}
          pivot: {revolute: chassis arm, at: ..., through: ...}
          spring: {spring: chassis arm, ...}
          wheel: {carrier: arm}

Every item exists on both sides, given as for the left, unless it is single.  A body goes by its name; a
single item calls the sides of a mirrored body ``arm.left`` and ``arm.right``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ce_dynamics.algebra import checks
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.reading import Assignment
from ce_dynamics.models.vehicles.bodies import BodyParameters
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.suspensions.template import (
    CHASSIS,
    GRAPH,
    JOINTS,
    STEERING,
    Block,
    Template,
    TemplateJoint,
    TemplatePart,
)
from ce_dynamics.models.vehicles.tree import GRAPH_WORDS


class Edge(NamedTuple):
    """A joint as built: what it is called, the names of its bodies, and the joint itself."""

    name: str
    one: str
    other: str
    joint: Closure


def grow_tree(
    edges: Sequence[Edge], parts: Mapping[str, BodyParameters]
) -> tuple[list[tuple[str, str, Hinge]], list[Edge]]:
    """Return a spanning tree of some bodies, each with its carrier and hinge, and the joints that are left.

    Joints with few freedoms come first, which leaves few unknowns.  Bodies that no joint leads to are on no
    hinge.  A universal joint counts its first axis on its first body; where that is the one carried, the axes
    change places.
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
        ]
        if ready:
            edge = left.pop(min(ready)[1])
            if edge.one in reached:
                carrier, body, joint = edge.one, edge.other, edge.joint
            else:
                carrier, body, joint = edge.other, edge.one, seen_from_the_other(edge.joint)
            assert isinstance(joint, Hinge)
            tree.append((body, carrier, joint))
        else:
            body = next(name for name in parts if name not in reached)
            tree.append((body, CHASSIS, Free(parts[body].com.tolist())))
        reached.add(body)
    return tree, left


def seen_from_the_other(joint: Closure) -> Closure:
    """Return a joint with its bodies exchanged: (Rot(a1, χ) Rot(a2, ζ))ᵀ = Rot(a2, −ζ) Rot(a1, −χ)."""
    if isinstance(joint, Universal):
        return Universal(joint.axis2.tolist(), joint.axis1.tolist(), at=joint.at.tolist())
    return joint


Lead: TypeAlias = str | Component
Leads: TypeAlias = Mapping[str, Sequence[Lead]]
"""Independent coordinates of loops, by the joints that close them."""


class LedAxle(NamedTuple):
    """An axle by itself: independent coordinates, bodies of the loop that each joint closes, effort.

    ``effort`` is the sum of squares of the numbers of unknowns that Newton's method finds together.
    """

    leads: Leads
    effort: int
    members: Mapping[str, tuple[Body, ...]]


class Leading(NamedTuple):
    """The choice of independent coordinates of an axle, by the bodies that carry its wheels.

    ``join`` adds bodies and joints to a system, with surroundings by name, for some independent coordinates.
    """

    join: Callable[[System, Mapping[str, Body], Leads], object]
    carriers: tuple[str, ...]

    def leads(self) -> Leads:
        """Return the best conditioned independent coordinates of the loops, by the joints that close them.

        What a body on no hinge leads is led by its height and roll, where these can lead.  The hinges on the
        way to a wheel lead instead where that leaves Newton's method less to solve.
        """
        led = self.lead_by({})
        led = self.change_leads(led, {name: self.find_unsteered(led, name) for name in led.leads}) or led
        upright = {name: heave_and_roll(leads) for name, leads in led.leads.items()}
        led = self.change_leads(led, upright) or led
        outward = self.change_leads(led, {name: self.hinges_to_wheel(led, name) for name in led.leads})
        return (led if outward is None or outward.effort >= led.effort else outward).leads

    def change_leads(self, led: LedAxle, leads: Leads) -> LedAxle | None:
        """Return the same with other independent coordinates; None if these are no others or cannot lead."""
        if leads == led.leads:
            return None
        try:
            return self.lead_by(leads)
        except ModelError:
            return None

    def lead_by(self, leads: Leads) -> LedAxle:
        """Return the axle by itself, with independent coordinates by closure of which some may be named."""
        system = System()
        chassis = system.add_body(CHASSIS, mass=1.0, parent=system.ground, hinge=Fixed())
        self.join(system, {CHASSIS: chassis, STEERING: chassis}, leads)
        names = {body.name for body in system.bodies}
        found: dict[str, Sequence[Lead]] = {}
        members: dict[str, tuple[Body, ...]] = {}
        effort = 0
        for S in embed(system).aggregates:
            leading = [body.name if body.name in names else component(body.name) for body in S.independent]
            found |= {closure.name: leading for closure in S.closures}
            members |= {closure.name: S.bodies for closure in S.closures}
            effort += sum(part.loop.m**2 for part in S.linkages if isinstance(part, NumericLinkage))
        return LedAxle(found, effort, members)

    def hinges_to_wheel(self, led: LedAxle, closure: str) -> Sequence[Lead]:
        """Return hinges from chassis to wheel with as many freedoms as the leads, else the leads."""
        leads, members = led.leads[closure], {body.name: body for body in led.members[closure]}
        body = next((members[name] for name in self.carriers if name in members), None)
        if body is None or any(isinstance(lead, Component) for lead in leads):
            return leads
        way = path_to(body, members)
        number = sum(members[str(lead)].inboard.n_v for lead in leads)
        found: list[Lead] = []
        for body in reversed(way):
            if number > 0 and body.inboard.n_v:
                found.append(body.name)
                number -= body.inboard.n_v
        return found if number == 0 else leads

    def find_unsteered(self, led: LedAxle, closure: str) -> Sequence[Lead]:
        """Find the roll of the beam that a crank or knuckle is on, not its own angle; alone, its height.

        What the steering holds by a rod would be an independent coordinate else, and the steering move the
        axle; and what the chassis holds by a rod soon turns back as the axle goes on.
        """
        leads, members = led.leads[closure], {body.name: body for body in led.members[closure]}
        found: list[Lead] = []
        for lead in leads:
            body = members.get(lead) if isinstance(lead, str) else None
            if body is None or not self.turns_on_beam(body, members):
                found.append(lead)
                continue
            alone = len(leads) == 1 and isinstance(body.carrier.inboard, Free)
            found.append(Component(body.carrier.name, "z" if alone else "roll"))
        return found

    def turns_on_beam(self, body: Body, members: Mapping[str, Body]) -> bool:
        """Return True if a body turns on an unguided beam that carries both wheels, unlike the body."""
        beam = body.carrier
        loose = isinstance(body.inboard, Revolute) and isinstance(beam.inboard, (Free, Spherical))
        ways = [path_to(members[name], members) for name in self.carriers if name in members]
        return loose and all(beam in way for way in ways) and not all(body in way for way in ways)


def path_to(body: Body, members: Mapping[str, Body]) -> list[Body]:
    """Return a body and what carries it, as far as they are members."""
    way = []
    while body.name in members:
        way.append(body)
        body = body.carrier
    return way


def heave_and_roll(leads: Sequence[Lead]) -> Sequence[Lead]:
    """Return the height and roll of a body whose displacements were chosen; others as they are."""
    bodies = {lead.body for lead in leads if isinstance(lead, Component) and lead.which in ("x", "y", "z")}
    if len(bodies) != 1 or len(leads) > 2 or any(isinstance(lead, str) for lead in leads):
        return leads
    (body,) = bodies
    return [Component(body, which) for which in ("z", "roll")[: len(leads)]]


def component(name: str) -> Component:
    """Return the component of a hinge that a coordinate is."""
    body, _, which = name.rpartition(".")
    return Component(body, which)


SURROUNDINGS = (CHASSIS, STEERING)
EXAMPLE = "arm: {body: mirrored}, pivot: {revolute: chassis arm}, wheel: {carrier: arm}"
BODIES = ("mirrored", "single")
KINDS = tuple(word for word in GRAPH_WORDS if word != "single")
POINTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(JOINTS, ("at", "through")),
    "universal": ("at", "first", "second"),
    "spherical": ("at",),
    "fixed": ("at",),
    "distance": ("one", "other"),
}
"""Points of joints, which are listed with them."""


@dataclass(frozen=True)
class Item:
    """One item of a graph; ``between`` are the bodies it joins, or the joint of a torsion spring.

    A ``single`` item is there once, not on either side.
    """

    name: str
    kind: str
    between: tuple[str, ...] = ()
    single: bool = False


def items_of(words: Sequence[Assignment], axle: str, label: str) -> tuple[Item, ...]:
    """Return the items of an axle's graph; a later file's entry of an item replaces the earlier."""
    sections: dict[str, dict[str, str]] = {}
    for key, entry in words:
        if key[0] != "graphs" or key[1:2] != (axle,):
            continue
        where = f"{entry.where}: axles.{axle}.suspension.{'.'.join(key[2:])}"
        if len(key) != 4 or not isinstance(entry.value, str) or key[3] not in (*KINDS, "single"):
            raise DataError(f"{where}: an item has one of {', '.join(KINDS)}, and may be single; {EXAMPLE}")
        taken = key[2] in CornerData.model_fields and key[3] != "carrier"  # which has no numbers
        if taken or not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", key[2]):
            raise DataError(f"{where}: {checks.show(key[2])} is no name for an item; use another word")
        sections.setdefault(key[2], {})[key[3]] = entry.value
    items = [item_of(f"{label}: axles.{axle}.suspension.{name}", name, e) for name, e in sections.items()]
    check_items(f"{label}: axles.{axle}.suspension", items)
    return tuple(items)


def item_of(owner: str, name: str, words: Mapping[str, str]) -> Item:
    """Return one item from its words."""
    kinds = [kind for kind in words if kind != "single"]
    if len(kinds) != 1:
        raise DataError(f"{owner}: name its kind once, by one of {', '.join(KINDS)}")
    (kind,) = kinds
    if kind in ("body", "carrier") and "single" in words:
        remedy = "write body: single" if kind == "body" else "leave it out"
        raise DataError(f"{owner}: single has no effect on a {kind}; {remedy}")
    if kind == "body":
        if words[kind] not in BODIES:
            raise DataError(f"{owner}: body: unknown {checks.show(words[kind])}; write mirrored or single")
        return Item(name, kind, (), words[kind] == "single")
    between = tuple(words[kind].split())
    count = 1 if kind in ("torsion", "carrier") else 2
    if len(between) != count:
        what = "one name" if count == 1 else "the names of two bodies"
        raise DataError(f"{owner}: {kind}: expected {what}, found {checks.show(words[kind])}")
    single = words.get("single", "no")
    if single not in ("yes", "no"):
        raise DataError(f"{owner}: single: unknown {checks.show(single)}; write yes or no")
    return Item(name, kind, between, single == "yes")


def check_items(owner: str, items: Sequence[Item]) -> None:
    """Refuse names of bodies and joints that are not there, and a graph that carries no wheel."""
    bodies = {item.name: item for item in items if item.kind == "body"}
    revolutes = [item.name for item in items if item.kind == "revolute"]
    for item in items:
        for name in item.between:
            if item.kind == "torsion":
                if name not in revolutes:
                    raise DataError(f"{owner}.{item.name}: no revolute joint {checks.show(name)}")
                continue
            plain, _, side = name.partition(".")
            known = plain in bodies or (plain in SURROUNDINGS and not side)
            if not known or side not in ("", "left", "right"):
                raise DataError(
                    f"{owner}.{item.name}: no body {checks.show(name)}; there are "
                    f"{', '.join((*SURROUNDINGS, *bodies))}"
                )
            if item.single and plain in bodies and not bodies[plain].single and not side:
                raise DataError(
                    f"{owner}.{item.name}: it is single and {plain} mirrored; name {plain}.left or "
                    f"{plain}.right"
                )
    carriers = [item.name for item in items if item.kind == "carrier"]
    if "wheel" not in carriers:
        raise DataError(f"{owner}: nothing carries the wheel; write wheel: {{carrier: BODY}}")


@lru_cache(maxsize=64)
def graph_template(items: tuple[Item, ...]) -> Template:
    """Return the template of a graph."""
    carriers = {item.name: item.between[0] for item in items if item.kind == "carrier"}
    found = [item for item in items if item.kind != "carrier"]
    single, mirrored = (block_of([item for item in found if item.single == once]) for once in (True, False))
    return Template(
        GRAPH,
        "Bodies, joints, distances and springs that the file lists",
        side=mirrored,
        axle=single,
        wheel=carriers["wheel"],
        bar=carriers.get("bar", ""),
        listed=True,
        order=tuple(item.name for item in found),
    )


def block_of(items: Sequence[Item]) -> Block:
    """Return the block of a template with items that are there equally often."""
    parts = [TemplatePart(item.name, item.kind, item.between) for item in items]
    joints = [item for item in items if item.kind in JOINTS]
    return Block(
        parts=tuple(parts),
        joints=tuple(
            TemplateJoint(
                item.name,
                item.kind,
                (item.between[0], item.between[1]),
                tuple(f"{item.name}.{point}" for point in POINTS[item.kind]),
            )
            for item in joints
        ),
    )


def check_joined(axle: str, items: Sequence[Item], steered: bool) -> None:
    """Refuse a graph that is joined to a steering that is not there, or to none that is."""
    if any(STEERING in item.between for item in items) != steered:
        missing = "is joined to the steering" if steered else "names a steering mechanism"
        raise DataError(f"axles.{axle}: the graph and its axle disagree: none of them {missing}")
