"""Joints of a free graph as a tree, those that close its loops, and its leading coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import ModelError
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
from ce_dynamics.models.vehicles.bodies import BodyParameters
from ce_dynamics.models.vehicles.suspensions.template import CHASSIS, STEERING


class Edge(NamedTuple):
    """A joint as built: what it is called, the names of its bodies, and the joint itself."""

    name: str
    one: str
    other: str
    joint: Closure


def grow_tree(
    edges: Sequence[Edge], parts: Mapping[str, BodyParameters]
) -> tuple[list[tuple[str, str, Hinge]], list[Edge]]:
    """A spanning tree of some bodies, each with its carrier and hinge, and the joints that are left.

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
    """A joint with its bodies exchanged: (Rot(a1, χ) Rot(a2, ζ))ᵀ = Rot(a2, −ζ) Rot(a1, −χ)."""
    if isinstance(joint, Universal):
        return Universal(joint.axis2.tolist(), joint.axis1.tolist(), at=joint.at.tolist())
    return joint


Lead: TypeAlias = str | Component
Leads: TypeAlias = Mapping[str, Sequence[Lead]]
"""Independent coordinates of loops, by the joints that close them."""


class LedAxle(NamedTuple):
    """An axle by itself.

    Attributes
    ----------
    leads : Leads
    effort : int
        Sum of the squares of the numbers of unknowns that Newton's method finds together.
    members : mapping of str to tuple of Body
        Bodies of the loop that a joint closes.
    """

    leads: Leads
    effort: int
    members: Mapping[str, tuple[Body, ...]]


class Leading(NamedTuple):
    """The choice of what leads an axle.

    Attributes
    ----------
    join : callable
        Adds its bodies and joints to a system, with surroundings by name, for some independent coordinates.
    carriers : tuple of str
        What carries its wheels.
    """

    join: Callable[[System, Mapping[str, Body], Leads], object]
    carriers: tuple[str, ...]

    def leads(self) -> Leads:
        """Independent coordinates of the loops, by the joints that close them: the best conditioned ones.

        What a body on no hinge leads is led by its height and roll, where these can lead.  The hinges on the
        way to a wheel lead instead where that leaves Newton's method less to solve.
        """
        led = self.lead_by({})
        led = self.change_leads(led, {name: self.find_unsteered(led, name) for name in led.leads}) or led
        upright = {name: heave_and_roll(leads) for name, leads in led.leads.items()}
        led = self.change_leads(led, upright) or led
        outward = self.change_leads(led, {name: self.on_the_way(led, name) for name in led.leads})
        return (led if outward is None or outward.effort >= led.effort else outward).leads

    def change_leads(self, led: LedAxle, leads: Leads) -> LedAxle | None:
        """The same with other independent coordinates; None if these are no others or cannot lead."""
        if leads == led.leads:
            return None
        try:
            return self.lead_by(leads)
        except ModelError:
            return None

    def lead_by(self, leads: Leads) -> LedAxle:
        """The axle by itself, with independent coordinates by closure of which some may be named."""
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

    def on_the_way(self, led: LedAxle, closure: str) -> Sequence[Lead]:
        """Return hinges from chassis to wheel with as many freedoms as the leads, else the leads."""
        leads, members = led.leads[closure], {body.name: body for body in led.members[closure]}
        body = next((members[name] for name in self.carriers if name in members), None)
        if body is None or any(isinstance(lead, Component) for lead in leads):
            return leads
        way = way_to(body, members)
        number = sum(members[str(lead)].inboard.n_v for lead in leads)
        found: list[Lead] = []
        for body in reversed(way):
            if number > 0 and body.inboard.n_v:
                found.append(body.name)
                number -= body.inboard.n_v
        return found if number == 0 else leads

    def find_unsteered(self, led: LedAxle, closure: str) -> Sequence[Lead]:
        """The roll of the beam that a crank or knuckle is on, not that one's own angle; alone, its height.

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
        ways = [way_to(members[name], members) for name in self.carriers if name in members]
        return loose and all(beam in way for way in ways) and not all(body in way for way in ways)


def way_to(body: Body, members: Mapping[str, Body]) -> list[Body]:
    """A body and what carries it, as far as they are members."""
    way = []
    while body.name in members:
        way.append(body)
        body = body.carrier
    return way


def heave_and_roll(leads: Sequence[Lead]) -> Sequence[Lead]:
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
