"""Shapes of the links of a URDF file: their looks, and points that may touch the ground."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.mechanism.checked import unit_axis
from ce_dynamics.readers.design_frames import BuildOptions, check_pose, find_design_frames
from ce_dynamics.readers.frames import Pose
from ce_dynamics.readers.looks import POINTED, BodyLook, Foot, points_of, surface
from ce_dynamics.readers.survey import check_names
from ce_dynamics.readers.urdf.companion_files import Loops
from ce_dynamics.readers.urdf.elements import origin
from ce_dynamics.readers.urdf.read import RIGHT_ANGLES, read_description
from ce_dynamics.readers.xml_file import Element

PACKAGE = "package://"
ENDS = ("file://", PACKAGE, "model://")


class PlacedLook(NamedTuple):
    """A ``<visual>`` or ``<collision>``: its link, where it is in the design pose, and its geometry."""

    link: str
    element: Element
    frame: Pose
    geometry: Element


def urdf_looks(
    path: str | Path,
    *,
    loops: Loops | None = None,
    pose: Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    ignore: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[list[BodyLook], list[str]]:
    """Return the ``<visual>`` shapes of a URDF file, and those that are left out, such as missing files.

    Parameters
    ----------
    path, loops, pose, independent, ignore, tolerance
        As of `read_urdf`: the design pose is that of the system that it gives.
    """
    placed, root = shapes_of("visual", path, loops, pose, independent, ignore, tolerance)
    colours = {each.text("name", ""): colour_of(each) for each in root.children("material")}
    found, left_out = [], []
    for each in placed:
        try:
            found.append(look(each, root.path, colours))
        except DataError as error:
            left_out.append(f"{each.link}: {error}")
    return found, left_out


def urdf_feet(
    path: str | Path,
    *,
    friction: float,
    through: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = (0.0, 0.0, 1.0),
    loops: Loops | None = None,
    pose: Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    ignore: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[list[Foot], list[str]]:
    """Return points and balls of ``<collision>`` shapes that may touch a plane, and the other shapes.

    A sphere is one ball, a capsule two, a box eight points.  The format has no ground and no friction: they
    are given here.

    Parameters
    ----------
    path, loops, pose, independent, ignore, tolerance
        As of `read_urdf`: the design pose is that of the system that it gives.
    friction : float
        μ.
    through, normal : (3,) array_like
        A point of the plane, and the direction out of it.

    Returns
    -------
    list of Foot, list of str
        The strings name shapes of other kinds, which are left out.
    """
    mu = checks.number("urdf_feet: friction", friction, at_least=0.0)
    at, up = checks.vector("urdf_feet: through", through, 3), unit_axis(normal, "urdf_feet", "normal")
    feet, others = [], []
    placed, root = shapes_of("collision", path, loops, pose, independent, ignore, tolerance)
    for number, each in enumerate(placed):
        name = each.element.text("name", "") or f"collision {number}"
        points = points_of(look(each, root.path, {})) if each.geometry.tag in POINTED else []
        if not points:
            others.append(f"{each.link} {name} ({each.geometry.tag})")
        for k, (point, radius) in enumerate(points):
            feet.append(Foot(f"{each.link} {name} {k}", each.link, point, radius, mu, at, up))
    return feet, others


def shapes_of(
    tag: str,
    path: str | Path,
    loops: Loops | None,
    pose: Mapping[str, float] | None,
    independent: Collection[str],
    ignore: Collection[str],
    tolerance: float,
) -> tuple[list[PlacedLook], Element]:
    """Return all elements of a kind that have a geometry, and the file's root."""
    check_names("ignore", ignore)
    check_names("independent", independent)
    tolerance = checks.number("tolerance", tolerance, at_least=0.0)
    given = read_description(path, loops, ignore, RIGHT_ANGLES)
    for name in independent:
        if name not in given.robot.joints:
            raise DataError(
                f"{given.root.path.name}: there is no joint {checks.show(name)} to be independent"
            )
    lead = given.motors if not independent else ()
    options = BuildOptions(
        "fixed", (0.0, 0.0, 0.0), check_pose(given.robot, pose), tuple(independent), lead, tolerance=tolerance
    )
    frames = find_design_frames(given.robot, options).frames
    return list(elements_of(tag, given.root, frames)), given.root


def elements_of(tag: str, root: Element, frames: Mapping[str, Pose]) -> Iterator[PlacedLook]:
    """Link after link."""
    for link in root.children("link"):
        for element in link.children(tag):
            geometry = element.child("geometry")
            for shape in () if geometry is None else geometry:
                at = frames[link.text("name")] @ origin(element, RIGHT_ANGLES)
                yield PlacedLook(link.text("name"), element, at, shape)


def look(
    each: PlacedLook, file: Path, colours: Mapping[str, tuple[float, float, float, float] | None]
) -> BodyLook:
    """Return one shape."""
    geometry, kind = each.geometry, each.geometry.tag
    material = each.element.child("material")
    colour = None if material is None else colour_of(material) or colours.get(material.text("name", ""))
    plain = BodyLook(each.link, kind, each.frame, colour=colour)
    if kind == "box":
        return plain._replace(size=tuple(geometry.numbers("size", 3).tolist()))
    if kind == "sphere":
        return plain._replace(size=(geometry.number("radius"),))
    if kind in ("cylinder", "capsule"):
        return plain._replace(size=(geometry.number("radius"), geometry.number("length")))
    if kind != "mesh":
        raise geometry.error(f"a shape of kind {kind} is not known")
    name = geometry.text("filename")
    found = find_file(name, file)
    if found is None:
        raise geometry.error(f"{checks.show(name)} is not there")
    vertices, triangles = surface(found, geometry.numbers("scale", 3, (1.0, 1.0, 1.0)))
    return plain._replace(vertices=vertices, triangles=triangles)


def colour_of(material: Element) -> tuple[float, float, float, float] | None:
    """Return red, green, blue and opacity of a ``<material>``, each from 0 to 1; None without a colour."""
    colour = material.child("color")
    if colour is None:
        return None
    red, green, blue, opacity = np.clip(colour.numbers("rgba", 4), 0.0, 1.0).tolist()
    return red, green, blue, opacity


def find_file(given: str, file: Path) -> Path | None:
    """Find the file of a mesh beside the robot's, or in a folder above it that matches its package."""
    name = given
    for start in ENDS:
        name = name.removeprefix(start)
    for folder in file.resolve().parents[:4]:
        for part in (name.lstrip("/"), name.lstrip("/").partition("/")[2]):
            if part and (folder / part).is_file():
                return folder / part
    return Path(name) if Path(name).is_absolute() and Path(name).is_file() else None
