"""An SDF model as links, joints and loops of the same kind as those of URDF.

SDF is a graph: its joints may close loops.  A spanning tree grows from links fixed in the world; joints
with two axes and those with springs or dampers come first, ball joints last, and the others close the
loops.  A joint whose child is nearer to the root is reversed without changing its coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.frames import WORLD, Pose
from ce_dynamics.readers.robot import (
    GROUND,
    INERTIA,
    AxisLoad,
    CouplingOf,
    Inertial,
    JointRange,
    Mimic,
    Robot,
    RobotJoint,
    RobotLink,
    RobotLoop,
)
from ce_dynamics.readers.sdf.frames import MODEL, TRUE, WORLD_NAME, Frames, flatten, inverse
from ce_dynamics.readers.survey import Finding, locate
from ce_dynamics.readers.xml_file import Element

PARALLEL = 1e-9
"""Sine of the angle between the axes of a gearbox and of its links' joints that counts as none."""


def with_gearboxes(
    robot: Robot,
    gearboxes: Sequence[Element],
    tree: Sequence[JointEdge],
    direction: Callable[[Element, str], Array],
) -> Robot:
    """Return the robot with couplings; ``direction`` gives an axis of a gearbox in the axes of the model."""
    couplings = dict(robot.couplings)
    for element in gearboxes:
        reference = element.find_required("gearbox_reference_body").content
        reference = GROUND if reference == "world" else reference
        ratio = float(element.find_required("gearbox_ratio").values(1)[0])
        parent, child = (element.find_required(tag).content for tag in ("parent", "child"))
        one = turning_sense(element, parent, reference, tree, direction(element, "axis"))
        other = turning_sense(element, child, reference, tree, direction(element, "axis2"))
        name = element.text("name")
        couplings[name] = CouplingOf(element, name, parent, child, -ratio * one * other)
    return replace(robot, couplings=couplings)


def turning_sense(
    element: Element, link: str, reference: str, tree: Sequence[JointEdge], axis: Array
) -> float:
    """Return 1 if a link's coordinate counts its turn on the reference body about an axis, else −1."""
    for edge in tree:
        if {edge.parent, edge.child} == {link, reference} and edge.kind in ("revolute", "continuous"):
            own = edge.frame.direction(edge.axis) * (1.0 if edge.child == link else -1.0)
            if float(np.linalg.norm(np.cross(own, axis))) < PARALLEL:
                return float(np.sign(own @ axis))
    raise element.error(
        f"link {checks.show(link)} does not turn on {checks.show(reference)}, its gearbox_reference_body, "
        f"about the gearbox's axis"
    )


KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "spherical",
    "universal": "cardan",
    "revolute2": "cardan",
    "screw": "screw",
}
GEARBOX = "gearbox"
ONE_AXIS = ("revolute", "continuous", "prismatic", "screw")
LIMITED = ("revolute", "prismatic", "screw")
"""Kinds whose coordinate has the limits of their axis."""
UNLIMITED = 1e16
INFINITE = ("inf", "infinity")
AXES = {**dict.fromkeys(ONE_AXIS, 1), "cardan": 2, "spherical": 1}
"""Axes of which dampers, springs and limits are read."""
EXPRESSED_IN_MODEL = (1, 5)
"""Axes of files older than this are in the axes of the model."""


@dataclass(frozen=True, eq=False)
class JointEdge(RobotJoint):
    """A joint of the graph: its frame is in the axes of the model, and all its axes have limits."""

    limits: tuple[JointRange, ...] = ()

    @property
    def rank(self) -> int:
        """The lower, the sooner it belongs to the tree."""
        if self.kind in ("cardan", "screw") or self.loads or self.mimic is not None:
            return 0
        return {"fixed": 1, "prismatic": 2, "spherical": 4}.get(self.kind, 3)

    def reverse(self) -> JointEdge:
        """Return the joint seen from its child, with the same coordinates."""
        axis, second, loads = -self.axis, self.second_axis, self.loads
        if second is not None:
            axis, second = -second, axis
            loads = tuple(replace(load, component=1 - load.component) for load in loads)
        turned = replace(self, axis=axis, second_axis=second, loads=loads)
        return replace(turned, parent=self.child, child=self.parent)


def read_model(
    model: Element, version: tuple[int, ...], right_angles: float, base: str | None
) -> tuple[Robot, list[JointEdge], list[JointEdge]]:
    """Return the robot, the joints of its tree, and those that close its loops."""
    flatten(model)
    frames = Frames(model, right_angles)
    links = {element.text("name"): element for element in model.children("link")}
    if not links:
        raise model.error("there is no <link>")
    joints_given = model.children("joint")
    gearboxes = [element for element in joints_given if element.text("type") == GEARBOX]
    placed_joints = [element for element in joints_given if element.text("type") != GEARBOX]
    edges = [edge_of(element, frames, version, links) for element in placed_joints]
    placed_model = frames.pose(model.child("pose"))
    if not any(GROUND in (edge.parent, edge.child) for edge in edges):
        edges.insert(0, root_edge(model, links, frames, base))
    tree, cuts = spanning_tree(model, edges, links)
    at = {GROUND: inverse(placed_model), **{edge.child: edge.frame for edge in tree}}
    joints: dict[str, RobotJoint] = {  # on the frames of the joints that carry their parents
        edge.name: replace(edge, frame=inverse(at[edge.parent]) @ edge.frame) for edge in tree
    }
    loops = {edge.name: loop_of(edge, at) for edge in cuts}
    bodies = {GROUND: RobotLink(model, GROUND, None)}
    for name, element in links.items():
        to_link = inverse(at[name]) @ frames(name, element)
        bodies[name] = RobotLink(element, name, inertial_of(element, to_link, frames))
    robot = Robot(model, model.text("name"), bodies, joints, loops, {})

    def direction(element: Element, tag: str) -> Array:
        at = frames(element.text("name"), element)
        axis = axis_of(element.find_required(tag), at, frames, version)
        assert axis is not None
        return at.direction(axis)

    return with_gearboxes(robot, gearboxes, tree, direction), tree, cuts


def edge_of(element: Element, frames: Frames, version: tuple[int, ...], links: Collection[str]) -> JointEdge:
    """Return a joint."""
    name, word = element.text("name"), element.text("type")
    if word not in KINDS:
        raise element.error(f"type={checks.show(word)} is not known; it must be one of {[*KINDS]}")
    kind = KINDS[word]
    ends = []
    for tag in ("parent", "child"):
        end = frames.carrier(element.find_required(tag).content)
        if end != WORLD_NAME and end not in links:
            raise element.error(f"its {tag} {checks.show(end)} is no link, nor a frame attached to one")
        ends.append(GROUND if end == WORLD_NAME else end)
    at = frames(name, element)
    first, second = (axis_of(element.child(tag), at, frames, version) for tag in ("axis", "axis2"))
    if kind in (*ONE_AXIS, "cardan") and first is None:
        raise element.error("element <axis> is missing")
    if kind == "cardan" and second is None:
        raise element.error("element <axis2> is missing")
    own = [element.child(tag) for tag in ("axis", "axis2")[: AXES.get(kind, 0)]]
    x = np.array((1.0, 0.0, 0.0))
    limits = tuple(limit for axis in own if (limit := limit_of(axis)) is not None)
    return JointEdge(
        element,
        name,
        kind,
        ends[0],
        ends[1],
        at,
        x if first is None else first,
        mimic=mimic_of(own[0]) if own else None,
        limit=limits[0] if limits and kind in LIMITED else None,
        second_axis=second if kind == "cardan" else None,
        pitch=pitch_of(element) if kind == "screw" else 0.0,
        loads=tuple(load for k, axis in enumerate(own) if (load := load_of(axis, k)) != AxisLoad(k)),
        limits=limits,
    )


def load_of(axis: Element | None, component: int) -> AxisLoad:
    """Return damping, friction, spring stiffness and spring reference along an axis of a joint."""
    dynamics = None if axis is None else axis.child("dynamics")
    given = ("damping", "friction", "spring_stiffness", "spring_reference")
    return AxisLoad(component, *(number(dynamics, tag, 0.0) for tag in given))


def pitch_of(joint: Element) -> float:
    """Return the displacement per angle of a screw [m/rad]; the format gives it per turn."""
    if joint.child("screw_thread_pitch") is None and joint.child("thread_pitch") is not None:
        raise joint.error(
            "engines read <thread_pitch> in different ways; give <screw_thread_pitch>, metres per turn"
        )
    return float(joint.find_required("screw_thread_pitch").values(1)[0]) / (2.0 * math.pi)


def number(element: Element | None, tag: str, default: float) -> float:
    """Return the number in a child element."""
    given = None if element is None else element.child(tag)
    return default if given is None else float(given.values(1)[0])


def axis_of(element: Element | None, at: Pose, frames: Frames, version: tuple[int, ...]) -> Array | None:
    """Return the direction of an axis in the joint's frame."""
    if element is None:
        return None
    xyz = element.find_required("xyz")
    axis = xyz.values(3)
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise xyz.error(f"{checks.show(xyz.content)} is no direction")
    given = element.child("use_parent_model_frame")
    by_model = version < EXPRESSED_IN_MODEL if given is None else given.content.lower() in TRUE
    frame = xyz.attributes.get("expressed_in") or (MODEL if by_model else "")
    if not frame:
        return np.asarray(axis / length)
    return np.asarray(at.R.T @ frames(frame, xyz).R @ (axis / length))


def limit_of(axis: Element | None) -> JointRange | None:
    """Return limits of a joint; infinity and 1e16 or more are none, nor are negative efforts or rates."""
    given = None if axis is None else axis.child("limit")
    if given is None:
        return None
    lower, upper = read_bound(given, "lower", -UNLIMITED), read_bound(given, "upper", UNLIMITED)
    if lower > upper:
        raise given.error(f"lower={lower!r} is above upper={upper!r}")
    effort, velocity = (read_bound(given, tag, -1.0) for tag in ("effort", "velocity"))
    return JointRange(
        given,
        -math.inf if lower <= -UNLIMITED else lower,
        math.inf if upper >= UNLIMITED else upper,
        math.inf if effort < 0.0 else effort,
        math.inf if velocity < 0.0 else velocity,
    )


def read_bound(limit: Element, tag: str, default: float) -> float:
    """Return a number that may be infinite."""
    given = limit.child(tag)
    if given is not None and given.content.lower().lstrip("+-") in INFINITE:
        return float(given.content)
    return number(limit, tag, default)


def mimic_of(axis: Element | None) -> Mimic | None:
    """Return q = multiplier × (q of another − reference) + offset."""
    given = None if axis is None else axis.child("mimic")
    if given is None:
        return None
    multiplier = number(given, "multiplier", 1.0)
    offset = number(given, "offset", 0.0) - multiplier * number(given, "reference", 0.0)
    return Mimic(given, given.text("joint"), multiplier, offset)


def root_edge(model: Element, links: dict[str, Element], frames: Frames, base: str | None) -> JointEdge:
    """Return the joint between the world and the canonical link of a model that no joint holds in the world.

    The kind is ``fixed`` if ``base`` is, or if ``base`` is None and the model is static; else ``floating``.
    """
    name = model.attributes.get("canonical_link") or next(iter(links))
    if name not in links:
        raise model.error(f"canonical_link={checks.show(name)} is no link")
    static = model.child("static")
    held = static is not None and static.content.lower() in TRUE
    kind = "fixed" if base == "fixed" or (base is None and held) else "floating"
    at, x = frames(name, model), np.array((1.0, 0.0, 0.0))
    return JointEdge(model, "base", kind, GROUND, name, at, x)


def spanning_tree(
    model: Element, edges: list[JointEdge], links: Collection[str]
) -> tuple[list[JointEdge], list[JointEdge]]:
    """Return joints of the tree, from the root outward, and the others."""
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
        edge = edge if edge.parent in reached else edge.reverse()
        ordered.append(edge)
        reached.add(edge.child)
    return ordered, cuts


def loop_of(edge: JointEdge, at: dict[str, Pose]) -> RobotLoop:
    """Return a joint that closes a loop."""
    ends = [inverse(at[name]) @ edge.frame for name in (edge.parent, edge.child)]
    return RobotLoop(edge.element, edge.name, edge.kind, edge.parent, ends[0], edge.child, ends[1], edge.axis)


def inertial_of(link: Element, to_link: Pose, frames: Frames) -> Inertial | None:
    """Return mass and inertia in the frame of the joint that carries the link; 1 kg, 1 kg m² by default."""
    given = link.child("inertial")
    if given is not None and given.attributes.get("auto", "false").lower() in TRUE:
        raise given.error("auto: what shapes and densities weigh is not found; give <mass> and <inertia>")
    mass = number(given, "mass", 1.0)
    if mass < 0.0:
        raise link.error(f"mass {mass!r} must be >= 0 kg")
    inertia = None if given is None else given.child("inertia")
    xx, xy, xz, yy, yz, zz = (
        number(inertia, tag, 1.0 if tag in ("ixx", "iyy", "izz") else 0.0) for tag in INERTIA
    )
    at = WORLD if given is None else frames.pose(given.child("pose"))
    return Inertial(to_link @ at, mass, np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def find_unsupported(cuts: list[JointEdge]) -> Iterator[Finding]:
    """Yield findings for loads, mimic laws, types and limits of joints that no closure can represent."""
    for edge in cuts:
        for load in edge.loads:
            for what in ("damping", "friction", "stiffness"):
                if getattr(load, what):
                    yield Finding(what, locate(edge.element), name=edge.name)
        if edge.mimic is not None:
            yield Finding("mimic", locate(edge.mimic.element), name=edge.name)
        if edge.kind in ("cardan", "floating", "screw"):
            yield Finding("joint@type", locate(edge.element), name=edge.name)
        if any(limit.is_bounded for limit in edge.limits):
            yield Finding("limit@lower, limit@upper", locate(edge.element), noted=True, name=edge.name)
