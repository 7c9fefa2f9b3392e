"""Reads the shapes of the links of an SDF model, for pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.readers.build import without
from ce_dynamics.readers.design_frames import BuildOptions, check_pose, find_design_frames
from ce_dynamics.readers.frames import Pose
from ce_dynamics.readers.looks import BodyLook, surface
from ce_dynamics.readers.sdf.frames import Frames, inverse
from ce_dynamics.readers.sdf.model import read_model
from ce_dynamics.readers.sdf.read import chosen_model, version_of
from ce_dynamics.readers.urdf.looks import find_file
from ce_dynamics.readers.urdf.read import RIGHT_ANGLES
from ce_dynamics.readers.xml_file import Element, parse

WIDTH_OF = {"box": "size", "sphere": "radius", "ellipsoid": "radii"}
"""Elements of one size."""


def sdf_looks(
    path: str | Path,
    *,
    model: str | None = None,
    base: str | None = None,
    pose: Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    motors: Collection[str] = (),
    ignore: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[list[BodyLook], list[str]]:
    """Return the ``<visual>`` shapes of an SDF model, and those that are left out, such as missing files.

    Parameters
    ----------
    path, model, base, pose, independent, motors, ignore, tolerance
        As of `read_sdf`: the design pose is that of the system that it gives.
    """
    root = parse(path, "sdf")
    chosen, _ = chosen_model(root, model)
    robot, tree, _ = read_model(chosen, version_of(root), RIGHT_ANGLES, base)
    robot = without(robot, ignore)
    robot = replace(robot, loops={name: loop for name, loop in robot.loops.items() if name not in ignore})
    options = BuildOptions(
        "fixed", (0.0,) * 3, check_pose(robot, pose), tuple(independent), tuple(motors), tolerance=tolerance
    )
    placed = find_design_frames(robot, options).frames
    frames = Frames(chosen, RIGHT_ANGLES)
    carried = {edge.child: placed[edge.child] @ inverse(edge.at) for edge in tree}  # from the model's axes
    found, left_out = [], []
    for link, visual, shape in visuals(chosen):
        name = link.text("name")
        try:
            found.append(
                look(name, visual, shape, carried[name] @ visual_in_model(visual, name, frames), root.path)
            )
        except DataError as error:
            left_out.append(f"{name}: {error}")
    return found, left_out


def visuals(model: Element) -> Iterator[tuple[Element, Element, Element]]:
    """Yield links, their visuals, and the shapes of these."""
    for link in model.children("link"):
        for visual in link.children("visual"):
            geometry = visual.child("geometry")
            for shape in () if geometry is None else geometry:
                yield link, visual, shape


def visual_in_model(visual: Element, link: str, frames: Frames) -> Pose:
    """Return a visual in the axes of the model, as the file has it."""
    given = visual.child("pose")
    relative = link if given is None else given.attributes.get("relative_to") or link
    return frames(relative, visual) @ frames.pose(given)


def look(link: str, visual: Element, shape: Element, frame: Pose, file: Path) -> BodyLook:
    """Return one shape."""
    kind = shape.tag
    plain = BodyLook(link, kind, frame, colour=colour_of(visual))
    if kind in WIDTH_OF:
        number = 1 if kind == "sphere" else 3
        return plain._replace(size=tuple(shape.find_required(WIDTH_OF[kind]).values(number).tolist()))
    if kind in ("cylinder", "capsule"):
        sizes = (float(shape.find_required(tag).values(1)[0]) for tag in ("radius", "length"))
        return plain._replace(size=tuple(sizes))
    if kind == "plane":
        normal = shape.child("normal")
        return plain if normal is None else plain._replace(frame=frame @ pose_facing(normal))
    if kind != "mesh":
        raise shape.error(f"a shape of kind {kind} is not known")
    uri = shape.find_required("uri").content
    found = find_file(uri, file)
    if found is None:
        raise shape.error(f"{checks.show(uri)} is not there")
    scale = shape.child("scale")
    vertices, triangles = surface(found, np.ones(3) if scale is None else scale.values(3))
    return plain._replace(vertices=vertices, triangles=triangles)


def pose_facing(normal: Element) -> Pose:
    """Return the pose, at the origin, that turns the z axis into a direction."""
    n: Array = normal.values(3)
    length = float(np.linalg.norm(n))
    if length == 0.0:
        raise normal.error(f"{checks.show(normal.content)} is no direction")
    x, y, z = n / length
    half = np.array((1.0 + z, -y, x, 0.0)) if z > -1.0 + 1e-12 else np.array((0.0, 1.0, 0.0, 0.0))
    return Pose(rotation_from_quaternion(half / np.linalg.norm(half)).astype(float), np.zeros(3))


def colour_of(visual: Element) -> tuple[float, float, float, float] | None:
    """Return red, green, blue and opacity of a ``<visual>``, each from 0 to 1.

    Its ``<transparency>`` scales the opacity.  None without a diffuse or ambient colour.
    """
    material, given = visual.child("material"), visual.child("transparency")
    diffuse = None if material is None else material.child("diffuse") or material.child("ambient")
    if diffuse is None:
        return None
    number = 3 if len(diffuse.content.split()) == 3 else 4
    red, green, blue, *rest = np.clip(diffuse.values(number), 0.0, 1.0).tolist()
    seen = 1.0 if given is None else 1.0 - float(np.clip(given.values(1)[0], 0.0, 1.0))
    return red, green, blue, (rest[0] if rest else 1.0) * seen
