"""Joints of a free graph as a tree, and those that close its loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

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
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING
from ce_dynamics.models.vehicles.suspensions.graph_words import Item

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
