"""Reading SDF, the format of Gazebo and Drake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.build import (
    ARMATURE,
    BASES,
    DAMPING,
    FRICTION,
    build,
    limits,
    losses,
    without,
)
from ce_dynamics.readers.design_frames import ReadingOptions
from ce_dynamics.readers.sdf.frames import TRUE
from ce_dynamics.readers.sdf.model import JointEdge, find_unsupported, read_model
from ce_dynamics.readers.survey import (
    LOOKS,
    NOTED,
    Finding,
    Grammar,
    annotate,
    check_ignored,
    check_names,
    locate,
    make_rule,
    refuse,
    survey,
)
from ce_dynamics.readers.xml_file import Element, parse
from ce_dynamics.simulation.options import lists_options

POSE = make_rule("relative_to", "rotation_format", "degrees")
VALUE = make_rule()
AXIS = make_rule(children="axis")
MODEL = make_rule("name", "canonical_link", children="model")
INNER = make_rule("name", "placement_frame", "merge", children="model")
GEARBOX = ("gearbox_ratio", "gearbox_reference_body")
SCENERY = ("light", "gui", "scene", "physics", "magnetic_field", "spherical_coordinates")

GRAMMAR: Grammar = {
    "file": {"sdf": make_rule("version", children="sdf")},
    "sdf": {"model": MODEL, "world": make_rule("name", children="world")},
    "world": {
        "model": MODEL,
        "gravity": VALUE,
        **dict.fromkeys(SCENERY, LOOKS),
        **dict.fromkeys(("plugin", "wind", "atmosphere", "audio", "include", "actor"), NOTED),
    },
    "model": {
        "pose": POSE,
        "static": VALUE,
        "link": make_rule("name", children="link"),
        "joint": make_rule("name", "type", children="joint"),
        "frame": make_rule("name", "attached_to", children="frame"),
        "model": INNER,
        **dict.fromkeys(("self_collide", "plugin", "allow_auto_disable", "enable_wind"), NOTED),
        "drake:collision_filter_group": NOTED,
    },
    "frame": {"pose": POSE},
    "link": {
        "pose": POSE,
        "inertial": make_rule("auto", children="inertial"),
        **dict.fromkeys(("visual", "sensor", "light"), LOOKS),
        **dict.fromkeys(
            ("collision", "self_collide", "enable_wind", "must_be_base_link", "projector"), NOTED
        ),
        **dict.fromkeys(("kinematic", "velocity_decay", "audio_source", "audio_sink", "battery"), NOTED),
        "gravity": VALUE,
    },
    "inertial": {"pose": POSE, "mass": VALUE, "inertia": make_rule(children="inertia"), "density": NOTED},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), VALUE),
    "joint": {
        "pose": POSE,
        "parent": VALUE,
        "child": VALUE,
        "axis": AXIS,
        "axis2": AXIS,
        **dict.fromkeys(("screw_thread_pitch", *GEARBOX), VALUE),
        **dict.fromkeys(("physics", "thread_pitch"), NOTED),
        "sensor": LOOKS,
    },
    "axis": {
        "xyz": make_rule("expressed_in"),
        "use_parent_model_frame": VALUE,
        "limit": make_rule(children="limit"),
        "dynamics": make_rule(children="dynamics"),
        "mimic": make_rule("joint", "axis", children="mimic"),
    },
    "limit": {
        **dict.fromkeys(("lower", "upper", "effort", "velocity"), VALUE),
        **dict.fromkeys(("stiffness", "dissipation"), NOTED),
    },
    "dynamics": dict.fromkeys(("damping", "friction", "spring_reference", "spring_stiffness"), VALUE),
    "mimic": dict.fromkeys(("multiplier", "offset", "reference"), VALUE),
    "nothing": {},
    "anything": {},
}


EARTH = (0.0, 0.0, -9.81)


@lists_options(ReadingOptions)
def read_sdf(
    path: str | Path,
    *,
    model: str | None = None,
    base: str | None = None,
    gravity: ArrayLike | None = None,
    motors: Collection[str] = (),
    **options: Any,
) -> System:
    """Return a model of an SDF file; joints that a spanning tree does not need close its loops.

    Every link becomes a body of its name; coordinates are those of the joints.  Of a model that no joint
    holds in the world, the canonical link moves freely, unless the model is static.

    Parameters
    ----------
    path : str or Path
    model : str, optional
        Which one, where the file has several.
    base : str, optional
        ``"fixed"`` or ``"floating"``: how a model is held that no joint holds in the world.
    gravity : (3,) array_like, optional
        Acceleration of free fall [m/s²]; that of the file's world, or 9.81 m/s² downwards, if not given.
    pose, independent, stops, ignore, right_angles, armature, tolerance
        As of `read_urdf`.
    motors : collection of str
        Joints that get an actuator, with an input of their name.

    Returns
    -------
    System
        ``system.notes`` lists skipped elements.

    Raises
    ------
    DataError
        The message names file, line and element: for elements outside ``ignore`` that cannot be represented,
        missing or malformed values, frames that refer to each other in a circle, links that nothing holds.
    ModelError
        For another ``base``, or a string as ``ignore``.
    """
    if base is not None:
        checks.choice("read_sdf: base", base, BASES)
    given = ReadingOptions(**options)
    given.check("read_sdf")
    check_names("read_sdf: motors", motors)
    ignore = given.ignore
    root = parse(path, "sdf")
    findings = list(survey([root], GRAMMAR))
    chosen, found_gravity = chosen_model(root, model)
    robot, tree, cuts = read_model(chosen, version_of(root), given.right_angles, base)
    for name in (*given.independent, *motors):
        if name not in robot.joints:
            shown = checks.show(name)
            raise DataError(f"{root.path.name}: {shown} is no joint of the tree: {[*robot.joints]}")
    findings += [*find_unread(tree, chosen.children("link")), *find_unsupported(cuts), *losses(robot, ignore)]
    findings += limits(robot, given.stops, motors)
    check_ignored(
        root.path.name, ignore, root, findings, GRAMMAR, more=(FRICTION, DAMPING, ARMATURE, *robot.loops)
    )
    notes = refuse(root.path.name, findings, ignore)
    robot = without(robot, ignore)
    robot = replace(robot, loops={k: v for k, v in robot.loops.items() if k not in ignore})
    system, more = build(robot, given, found_gravity if gravity is None else gravity, motors)
    annotate(system, [*notes, *(f"{edge.element.place}: closes a loop" for edge in cuts), *more])
    return system


def chosen_model(root: Element, name: str | None) -> tuple[Element, tuple[float, ...]]:
    """Return the model, and the gravity of its world."""
    gravity = EARTH
    models = root.children("model")
    for world in root.children("world"):
        given = world.child("gravity")
        if given is not None:
            gravity = tuple(given.values(3).tolist())
        models += world.children("model")
    names = [each.text("name") for each in models]
    if not models:
        raise root.error("there is no <model>; what an <include> names is not fetched: read that file")
    if name is None and len(models) == 1:
        return models[0], gravity
    if name is None or name not in names:
        called = "" if name is None else f" {checks.show(name)}"
        raise root.error(f"which model{called} is meant? There are {names}; name one with model=")
    return models[names.index(name)], gravity


def version_of(root: Element) -> tuple[int, ...]:
    """Return the version of the format."""
    words = root.text("version").split(".")
    if not all(word.isdigit() for word in words):
        raise root.error(f"version={checks.show(root.text('version'))} must be numbers such as 1.9")
    return tuple(int(word) for word in words)


def find_unread(edges: Collection[JointEdge], links: Iterable[Element]) -> Iterator[Finding]:
    """Yield limits of joints with several coordinates, and links without weight."""
    for edge in edges:
        if edge.limit is None and any(limit.is_bounded for limit in edge.limits):
            yield Finding("limit@lower, limit@upper", locate(edge.element), noted=True, name=edge.name)
    for link in links:
        weight = link.child("gravity")
        if weight is not None and weight.content.lower() not in TRUE:
            yield Finding("link gravity", locate(link), name=link.text("name"))
