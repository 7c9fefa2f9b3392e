"""Shapes of the bodies of robot files: their looks, and points that may touch the ground.

Shapes of URDF and SDF files are read here, those of MJCF files by MuJoCo (`ce_dynamics.readers.mjcf.looks`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import unit_axis
from ce_dynamics.readers.build import without
from ce_dynamics.readers.design_frames import RIGHT_ANGLES, PoseOptions, find_design_frames
from ce_dynamics.readers.frames import Pose
from ce_dynamics.readers.sdf.frames import Frames, inverse
from ce_dynamics.readers.sdf.model import read_model
from ce_dynamics.readers.sdf.read import chosen_model, version_of
from ce_dynamics.readers.urdf.companion_files import Loops
from ce_dynamics.readers.urdf.elements import origin
from ce_dynamics.readers.urdf.read import Described, read_description
from ce_dynamics.readers.xml_file import Element, parse
from ce_dynamics.simulation.options import lists_options

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 … 1."""
Looks = tuple[list["BodyLook"], list[str]]
"""Shapes, and those that are left out, such as missing files."""


class BodyLook(NamedTuple):
    """A shape of a body, in the design pose."""

    body: str
    # ``"box"``, ``"sphere"``, ``"cylinder"``, ``"capsule"``, ``"ellipsoid"``, ``"plane"`` or ``"mesh"``
    kind: str
    frame: Pose  # Its middle and axes; cylinders and capsules lie along z, planes have their normal there
    # Lengths of the edges; radius and distance of the ends, or of the caps' middles; half axes [m]
    size: tuple[float, ...] = ()
    # vertices, triangles (n, 3), (m, 3) int: Of a mesh, in its frame [m]
    vertices: Array = np.zeros((0, 3))
    triangles: Array = np.zeros((0, 3), dtype=int)
    colour: tuple[float, float, float, float] | None = None  # Red, green, blue and opacity, 0 … 1


def surface(path: Path, scale: Array) -> tuple[Array, Array]:
    """Return vertices and triangles of a file, by MuJoCo, which reads STL and OBJ."""
    import mujoco  # here, because an extra installs it

    spec: Any = mujoco.MjSpec()
    shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # it need not be closed
    spec.add_mesh(name="mesh", file=str(path.resolve()), scale=scale, inertia=shell)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh")
    try:
        model = spec.compile()
    except ValueError as error:
        raise DataError(f"{path.name}: MuJoCo does not read it: {' '.join(str(error).split())}") from error
    vertices, triangles = mesh_of(model, 0)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(model.mesh_quat[0]))
    return vertices @ R.reshape(3, 3).T + model.mesh_pos[0], triangles


def mesh_of(model: Any, index: int) -> tuple[Array, Array]:
    """Return vertices and triangles of MuJoCo's mesh, in the axes of its inertia, as its shapes."""
    first, count = int(model.mesh_vertadr[index]), int(model.mesh_vertnum[index])
    vertices = np.array(model.mesh_vert[first : first + count], dtype=float)
    first, count = int(model.mesh_faceadr[index]), int(model.mesh_facenum[index])
    return vertices, np.array(model.mesh_face[first : first + count], dtype=int)


CORNERS = tuple(product((-1.0, 1.0), repeat=3))


class Foot(NamedTuple):
    """A point or a ball of a body that may touch a plane.

    Attributes
    ----------
    name : str
        Unique among the feet of a file.
    body : str
        Name of the body in the system.
    at : (3,) array
        The point, or the centre of the ball, in the design pose [m].
    radius : float
        Of the ball; zero for a point [m].
    friction : float
        μ of the pair.
    through, normal : (3,) arrays
        A point of the plane, and the direction out of it.
    """

    name: str
    body: str
    at: Array
    radius: float
    friction: float
    through: Array
    normal: Array


POINTED = ("sphere", "box", "capsule")
"""Kinds of shapes that touch a plane at a few points or balls only."""


def points_of(look: BodyLook) -> list[tuple[Array, float]]:
    """Return points of a shape in the world, each with a radius; none for kinds but `POINTED`."""
    if look.kind == "sphere":
        return [(look.frame.r, look.size[0])]
    if look.kind == "box":
        half = 0.5 * np.array(look.size)
        return [(look.frame.r + look.frame.direction(np.array(signs) * half), 0.0) for signs in CORNERS]
    if look.kind == "capsule":
        radius, length = look.size
        ends = (np.array((0.0, 0.0, z)) for z in (-0.5 * length, 0.5 * length))
        return [(look.frame.r + look.frame.direction(end), radius) for end in ends]
    return []


ROUND = (("radius", 1), ("length", 1))
SIZES = {"box": (("size", 3),), "sphere": (("radius", 1),), "cylinder": ROUND, "capsule": ROUND}
"""Sizes by kind of shape: names, and how many numbers each has."""
STARTS = ("file://", "package://", "model://")


def read_shape(
    plain: BodyLook, shape: Element, numbers: Callable[..., Array], mesh_file: Callable[[], str]
) -> BodyLook:
    """Return a look with its size or its mesh; ``numbers`` reads numbers by name, or returns a default."""
    if plain.kind in SIZES:
        sizes = [numbers(name, count) for name, count in SIZES[plain.kind]]
        return plain._replace(size=tuple(np.concatenate(sizes).tolist()))
    if plain.kind != "mesh":
        raise shape.error(f"a shape of kind {plain.kind} is not known")
    name = mesh_file()
    found = find_file(name, shape.path)
    if found is None:
        raise shape.error(f"{checks.show(name)} is not there")
    vertices, triangles = surface(found, numbers("scale", 3, (1.0, 1.0, 1.0)))
    return plain._replace(vertices=vertices, triangles=triangles)


def find_file(given: str, file: Path) -> Path | None:
    """Find the file of a mesh beside the robot's, or in a folder above it that matches its package."""
    name = given
    for start in STARTS:
        name = name.removeprefix(start)
    for folder in file.resolve().parents[:4]:
        for part in (name.lstrip("/"), name.lstrip("/").partition("/")[2]):
            if part and (folder / part).is_file():
                return folder / part
    return Path(name) if Path(name).is_absolute() and Path(name).is_file() else None


def shapes_in(root: Element, tag: str) -> Iterator[tuple[str, Element, Element]]:
    """Yield link, element (``<visual>`` or ``<collision>``) and shape, link after link."""
    for link in root.children("link"):
        for element in link.children(tag):
            geometry = element.child("geometry")
            for shape in () if geometry is None else geometry:
                yield link.text("name"), element, shape


def collect_looks(root: Element, look: Callable[[str, Element, Element], BodyLook]) -> Looks:
    """Return the ``<visual>`` shapes, and those that cannot be read."""
    found, left_out = [], []
    for link, visual, shape in shapes_in(root, "visual"):
        try:
            found.append(look(link, visual, shape))
        except DataError as error:
            left_out.append(f"{link}: {error}")
    return found, left_out


# URDF


@lists_options(PoseOptions)
def urdf_looks(path: str | Path, *, loops: Loops | None = None, **options: Any) -> Looks:
    """Return the ``<visual>`` shapes of a URDF file, in the design pose that `read_urdf` gives it."""
    given, frames = place_links(path, loops, PoseOptions(**options))
    colours = {each.text("name", ""): colour_of(each) for each in given.root.children("material")}
    return collect_looks(
        given.root, lambda link, visual, shape: urdf_look(link, visual, shape, frames, colours)
    )


@lists_options(PoseOptions)
def urdf_feet(
    path: str | Path,
    *,
    friction: float,
    through: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = (0.0, 0.0, 1.0),
    loops: Loops | None = None,
    **options: Any,
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
    given, frames = place_links(path, loops, PoseOptions(**options))
    for number, (link, element, shape) in enumerate(shapes_in(given.root, "collision")):
        name = element.text("name", "") or f"collision {number}"
        points = points_of(urdf_look(link, element, shape, frames, {})) if shape.tag in POINTED else []
        if not points:
            others.append(f"{link} {name} ({shape.tag})")
        for k, (point, radius) in enumerate(points):
            feet.append(Foot(f"{link} {name} {k}", link, point, radius, mu, at, up))
    return feet, others


def place_links(
    path: str | Path, loops: Loops | None, options: PoseOptions
) -> tuple[Described, dict[str, Pose]]:
    """Return what a URDF file holds, and the frames of its links in the design pose."""
    options.check("urdf")
    given = read_description(path, loops, options)
    return given, find_design_frames(given.robot, options, given.motors).frames


def urdf_look(
    link: str,
    element: Element,
    shape: Element,
    frames: Mapping[str, Pose],
    colours: Mapping[str, Colour | None],
) -> BodyLook:
    """Return one shape."""
    material = element.child("material")
    colour = None if material is None else colour_of(material) or colours.get(material.text("name", ""))
    plain = BodyLook(link, shape.tag, frames[link] @ origin(element, RIGHT_ANGLES), colour=colour)
    return read_shape(plain, shape, shape.numbers, lambda: shape.text("filename"))


def colour_of(material: Element) -> Colour | None:
    """Return red, green, blue and opacity of a ``<material>``, each from 0 to 1; None without a colour."""
    colour = material.child("color")
    if colour is None:
        return None
    red, green, blue, opacity = np.clip(colour.numbers("rgba", 4), 0.0, 1.0).tolist()
    return red, green, blue, opacity


# SDF


@lists_options(PoseOptions)
def sdf_looks(
    path: str | Path,
    *,
    model: str | None = None,
    base: str | None = None,
    motors: Collection[str] = (),
    **options: Any,
) -> Looks:
    """Return the ``<visual>`` shapes of an SDF model, in the design pose that `read_sdf` gives it."""
    root = parse(path, "sdf")
    chosen, _ = chosen_model(root, model)
    robot, tree, _ = read_model(chosen, version_of(root), RIGHT_ANGLES, base)
    given = PoseOptions(**options)
    given.check("sdf_looks")
    robot = without(robot, given.ignore)
    kept = {name: loop for name, loop in robot.loops.items() if name not in given.ignore}
    placed = find_design_frames(replace(robot, loops=kept), given, motors).frames
    frames = Frames(chosen, RIGHT_ANGLES)
    carried = {edge.child: placed[edge.child] @ inverse(edge.frame) for edge in tree}  # from the model's axes
    return collect_looks(chosen, lambda link, visual, shape: sdf_look(link, visual, shape, carried, frames))


def sdf_look(
    link: str, visual: Element, shape: Element, carried: Mapping[str, Pose], frames: Frames
) -> BodyLook:
    """Return one shape."""
    given = visual.child("pose")
    relative = link if given is None else given.attributes.get("relative_to") or link
    frame = carried[link] @ (frames(relative, visual) @ frames.pose(given))
    plain = BodyLook(link, shape.tag, frame, colour=colour_of_visual(visual))
    if shape.tag == "ellipsoid":
        return plain._replace(size=tuple(shape.find_required("radii").values(3).tolist()))
    if shape.tag == "plane":
        normal = shape.child("normal")
        return plain if normal is None else plain._replace(frame=frame @ pose_facing(normal))

    def numbers(tag: str, count: int, default: tuple[float, ...] | None = None) -> Array:
        element = shape.find_required(tag) if default is None else shape.child(tag)
        return np.array(default) if element is None else element.values(count)

    return read_shape(plain, shape, numbers, lambda: shape.find_required("uri").content)


def pose_facing(normal: Element) -> Pose:
    """Return the pose, at the origin, that turns the z axis into a direction."""
    n: Array = normal.values(3)
    length = float(np.linalg.norm(n))
    if length == 0.0:
        raise normal.error(f"{checks.show(normal.content)} is no direction")
    x, y, z = n / length
    half = np.array((1.0 + z, -y, x, 0.0)) if z > -1.0 + 1e-12 else np.array((0.0, 1.0, 0.0, 0.0))
    return Pose(rotation_from_quaternion(half / np.linalg.norm(half)).astype(float), np.zeros(3))


def colour_of_visual(visual: Element) -> Colour | None:
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
