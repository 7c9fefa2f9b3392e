"""Shapes of the bodies of a robot file, for pictures and for contact with planes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import DataError
from ce_dynamics.readers.frames import Pose


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
