"""An SDF model as links, joints and loops of the same kind as those of URDF.

SDF is a graph: its joints may close loops.  A spanning tree is grown from what is fixed in the world; joints
with two axes and those with springs or dampers are taken first, ball joints last, and what is left closes the
loops.  A joint whose child is nearer to the root is turned round, so that its coordinate is what it was.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.pose import WORLD, Pose
from ce_dynamics.readers.sdf.frames import MODEL, TRUE, Frames, inverse
from ce_dynamics.readers.survey import Finding, where
from ce_dynamics.readers.urdf.model import (
    INERTIA,
    Inertial,
    Mimic,
    Range,
    Robot,
    UrdfJoint,
    UrdfLink,
    UrdfLoop,
)
from ce_dynamics.readers.xml_file import Element

KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "spherical",
    "universal": "cardan",
}
ONE_AXIS = ("revolute", "continuous", "prismatic")
UNLIMITED = 1e16
GROUND = "ground"
WORLD_NAME = "world"
EXPRESSED_IN_MODEL = (1, 5)
"""Axes of files older than this are in the axes of the model."""


@dataclass(frozen=True, eq=False)
class Edge:
    """A joint of the graph, placed."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    at: Pose
    axis: Array
    second: Array | None
    damping: float
    friction: float
    limit: Range | None
    mimic: Mimic | None

    @property
    def rank(self) -> int:
        """The lower, the sooner it belongs to the tree."""
        if self.kind == "cardan" or self.damping or self.friction or self.mimic is not None:
            return 0
        return {"fixed": 1, "prismatic": 2, "spherical": 4}.get(self.kind, 3)

    def reversed(self) -> Edge:
        """The same seen from its child: its coordinates are what they were."""
        axis, second = -self.axis, self.second
        if second is not None:
            axis, second = -second, axis
        return replace(self, parent=self.child, child=self.parent, axis=axis, second=second)


def read_model(
    model: Element, version: tuple[int, ...], right_angles: float, base: str | None
) -> tuple[Robot, list[Edge]]:
    """The robot, and the joints that close its loops."""
    frames = Frames(model, right_angles)
    links = {element.text("name"): element for element in model.children("link")}
    if not links:
        raise model.error("there is no <link>")
    edges = [edge_of(element, frames, version, links) for element in model.children("joint")]
    placed_model = frames.pose(model.child("pose"))
    if not any(GROUND in (edge.parent, edge.child) for edge in edges):
        edges.insert(0, root_edge(model, links, frames, base))
    tree, cuts = spanning_tree(model, edges, links)
    at = {GROUND: inverse(placed_model), **{edge.child: edge.at for edge in tree}}
    joints = {edge.name: joint_of(edge, at) for edge in tree}
    loops = {edge.name: loop_of(edge, at) for edge in cuts}
    bodies = {GROUND: UrdfLink(model, GROUND, None)}
    for name, element in links.items():
        to_link = inverse(at[name]) @ frames(name, element)
        bodies[name] = UrdfLink(element, name, inertial_of(element, to_link, frames))
    return Robot(model, model.text("name"), bodies, joints, loops, {}), cuts


def edge_of(element: Element, frames: Frames, version: tuple[int, ...], links: Collection[str]) -> Edge:
    """A joint."""
    name, word = element.text("name"), element.text("type")
    if word not in KINDS:
        raise element.error(f"type={checks.shown(word)} is not known; it must be one of {[*KINDS]}")
    kind = KINDS[word]
    ends = []
    for tag in ("parent", "child"):
        end = element.needed(tag).content
        if end != WORLD_NAME and end not in links:
            raise element.error(f"its {tag} {checks.shown(end)} is no link")
        ends.append(GROUND if end == WORLD_NAME else end)
    at = frames(name, element)
    first, second = (axis_of(element.child(tag), at, frames, version) for tag in ("axis", "axis2"))
    if kind in (*ONE_AXIS, "cardan") and first is None:
        raise element.error("element <axis> is missing")
    if kind == "cardan" and second is None:
        raise element.error("element <axis2> is missing")
    own = element.child("axis") if kind in (*ONE_AXIS, "cardan", "spherical") else None
    dynamics = None if own is None else own.child("dynamics")
    x = np.array((1.0, 0.0, 0.0))
    return Edge(
        element,
        name,
        kind,
        ends[0],
        ends[1],
        at,
        x if first is None else first,
        second if kind == "cardan" else None,
        number(dynamics, "damping", 0.0),
        number(dynamics, "friction", 0.0),
        limit_of(own) if kind in ("revolute", "prismatic") else None,
        mimic_of(own),
    )


def number(element: Element | None, tag: str, default: float) -> float:
    """The number in a child element."""
    given = None if element is None else element.child(tag)
    return default if given is None else float(given.values(1)[0])


def axis_of(element: Element | None, at: Pose, frames: Frames, version: tuple[int, ...]) -> Array | None:
    """The direction of an axis in the joint's frame."""
    if element is None:
        return None
    xyz = element.needed("xyz")
    axis = xyz.values(3)
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise xyz.error(f"{checks.shown(xyz.content)} is no direction")
    old = MODEL if version < EXPRESSED_IN_MODEL else ""
    said = xyz.attributes.get("expressed_in") or old
    if not said:
        return np.asarray(axis / length)
    return np.asarray(at.R.T @ frames(said, xyz).R @ (axis / length))


def limit_of(axis: Element | None) -> Range | None:
    """Limits of a joint; numbers of 1e16 and more are none, and so is a negative effort or rate."""
    given = None if axis is None else axis.child("limit")
    if given is None:
        return None
    lower, upper = number(given, "lower", -UNLIMITED), number(given, "upper", UNLIMITED)
    if lower > upper:
        raise given.error(f"lower={lower!r} is above upper={upper!r}")
    effort, velocity = (number(given, tag, -1.0) for tag in ("effort", "velocity"))
    return Range(
        given,
        -math.inf if lower <= -UNLIMITED else lower,
        math.inf if upper >= UNLIMITED else upper,
        math.inf if effort < 0.0 else effort,
        math.inf if velocity < 0.0 else velocity,
    )


def mimic_of(axis: Element | None) -> Mimic | None:
    """q = multiplier × (q of another − reference) + offset."""
    given = None if axis is None else axis.child("mimic")
    if given is None:
        return None
    multiplier = number(given, "multiplier", 1.0)
    offset = number(given, "offset", 0.0) - multiplier * number(given, "reference", 0.0)
    return Mimic(given, given.text("joint"), multiplier, offset)


def root_edge(model: Element, links: dict[str, Element], frames: Frames, base: str | None) -> Edge:
    """How a model that no joint holds in the world is held: it is free unless it is static."""
    name = model.attributes.get("canonical_link") or next(iter(links))
    if name not in links:
        raise model.error(f"canonical_link={checks.shown(name)} is no link")
    static = model.child("static")
    held = static is not None and static.content.lower() in TRUE
    kind = "fixed" if base == "fixed" or (base is None and held) else "floating"
    at, x = frames(name, model), np.array((1.0, 0.0, 0.0))
    return Edge(model, "base", kind, GROUND, name, at, x, None, 0.0, 0.0, None, None)


def spanning_tree(model: Element, edges: list[Edge], links: Collection[str]) -> tuple[list[Edge], list[Edge]]:
    """Joints of the tree, from the root outward, and the others."""
    home = {name: name for name in (GROUND, *links)}

    def top(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    chosen, cuts = [], []
    for edge in sorted(edges, key=lambda edge: edge.rank):
        one, other = top(edge.parent), top(edge.child)
        if one == other:
            cuts.append(edge)
        else:
            home[other] = one
            chosen.append(edge)
    loose = [name for name in links if top(name) != top(GROUND)]
    if loose:
        raise model.error(f"links {loose} are joined to nothing that the others are joined to; add joints")
    ordered, reached = [], {GROUND}
    while chosen:
        edge = next(edge for edge in chosen if {edge.parent, edge.child} & reached)
        chosen.remove(edge)
        edge = edge if edge.parent in reached else edge.reversed()
        ordered.append(edge)
        reached.add(edge.child)
    return ordered, cuts


def joint_of(edge: Edge, at: dict[str, Pose]) -> UrdfJoint:
    """A joint of the tree, on the frame of the joint that carries its parent."""
    return UrdfJoint(
        edge.element,
        edge.name,
        edge.kind,
        edge.parent,
        edge.child,
        inverse(at[edge.parent]) @ edge.at,
        edge.axis,
        edge.damping,
        edge.friction,
        0.0,
        edge.mimic,
        None,
        edge.limit,
        edge.second,
    )


def loop_of(edge: Edge, at: dict[str, Pose]) -> UrdfLoop:
    """A joint that closes a loop."""
    ends = [inverse(at[name]) @ edge.at for name in (edge.parent, edge.child)]
    return UrdfLoop(edge.element, edge.name, edge.kind, edge.parent, ends[0], edge.child, ends[1], edge.axis)


def inertial_of(link: Element, to_link: Pose, frames: Frames) -> Inertial | None:
    """Mass and inertia in the frame of the joint that carries the link; 1 kg, 1 kg m² where none are said."""
    given = link.child("inertial")
    mass = number(given, "mass", 1.0)
    if mass < 0.0:
        raise link.error(f"mass {mass!r} must be >= 0 kg")
    inertia = None if given is None else given.child("inertia")
    xx, xy, xz, yy, yz, zz = (
        number(inertia, tag, 1.0 if tag in ("ixx", "iyy", "izz") else 0.0) for tag in INERTIA
    )
    at = WORLD if given is None else frames.pose(given.child("pose"))
    return Inertial(to_link @ at, mass, np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def unkept(cuts: list[Edge]) -> Iterator[Finding]:
    """What joints that close loops do besides, which have no coordinates of their own."""
    for edge in cuts:
        for what, value in (("damping", edge.damping), ("friction", edge.friction)):
            if value:
                yield Finding(what, where(edge.element), name=edge.name)
        if edge.mimic is not None:
            yield Finding("mimic", where(edge.mimic.element), name=edge.name)
        if edge.kind in ("cardan", "floating"):
            yield Finding("joint@type", where(edge.element), name=edge.name)
        if edge.limit is not None and edge.limit.bounded:
            yield Finding("limit@lower, limit@upper", where(edge.element), told=True, name=edge.name)
