"""Pictures of robots from files, by the shapes that the files have for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import path_of
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.looks import BodyLook, sdf_looks, urdf_looks
from ce_dynamics.readers.mjcf.looks import mjcf_looks
from ce_dynamics.views.scene.shapes import Shape, ball, block, mesh, plane, rod

LOOKS: dict[str, Callable[..., tuple[list[BodyLook], list[str]]]] = {
    ".urdf": urdf_looks,
    ".sdf": sdf_looks,
    ".world": sdf_looks,
    ".xml": mjcf_looks,
}
ROUND = 24
"""Sides of what is round in one direction or two."""


def robot_shapes(path: str | Path, **given: Any) -> tuple[dict[str, list[Shape]], list[str]]:
    """Return shapes of the bodies of a URDF, SDF or MJCF file, for `view`.

    They are of the file's looks (``<visual>``; geoms that MuJoCo's viewer draws) and act on nothing.

    Parameters
    ----------
    path : str or Path
        ``.urdf``, ``.sdf`` or ``.world``, or MJCF in ``.xml``.
    **given
        ``pose``, ``independent`` and, of URDF, ``loops`` and ``ignore``, of SDF ``model``, ``base``,
        ``motors`` and ``ignore``, as they were given to `read_urdf`, `read_sdf` or `read_mjcf`: the shapes
        are those of the same design pose.

    Returns
    -------
    dict of str to list of Shape, list of str
        By the names of bodies (``"ground"`` has scenery), and what is left out, such as meshes of which the
        file is not there.

    Raises
    ------
    ModelError
        For a file of another format.
    DataError
        As the readers.

    Examples
    --------
    With the files' meshes beside them::

        shapes, left_out = ce.robot_shapes("robot.urdf", loops="robot.yaml")
        ce.view(model, run, shapes=shapes).save("robot.html")
    """
    suffix = path_of("robot_shapes: path", path, ModelError).suffix
    if suffix not in LOOKS:
        shown = checks.show(str(path))
        raise ModelError(f"robot_shapes: {shown} must be a .urdf, .sdf or .world file, or MJCF in .xml")
    looks, left_out = LOOKS[suffix](path, **given)
    shapes: dict[str, list[Shape]] = {}
    for look in looks:
        try:
            shapes.setdefault(look.body, []).append(paint(shape_of(look), look))
        except ModelError as error:
            left_out.append(f"{look.body}: {error}")
    return shapes, left_out


def shape_of(look: BodyLook) -> Shape:
    """Return a shape in the design pose."""
    R, r, size = look.frame.R, look.frame.r, look.size
    if look.kind == "box":
        return block(size, r, R.T)
    if look.kind == "sphere":
        return ball(r, size[0])
    if look.kind == "plane":
        return plane(r, R[:, 2])
    if look.kind in ("cylinder", "capsule"):
        half = 0.5 * size[1] * R[:, 2]
        return rod(r - half, r + half, size[0])
    if look.kind == "ellipsoid":
        vertices, triangles = unit_ball()
        return mesh(r + (vertices * size) @ R.T, triangles)
    if look.kind == "mesh":
        return mesh(r + look.vertices @ R.T, look.triangles)
    raise DataError(f"a shape of kind {look.kind} is not drawn")


def unit_ball() -> tuple[Any, Any]:
    """Return a ball of radius 1 as triangles."""
    turn, rise = np.meshgrid(
        np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False), np.linspace(0.0, np.pi, ROUND // 2 + 1)
    )
    vertices = np.stack((np.cos(turn) * np.sin(rise), np.sin(turn) * np.sin(rise), np.cos(rise)), axis=-1)
    triangles = []
    for j in range(ROUND // 2):
        for i in range(ROUND):
            a, b = j * ROUND + i, j * ROUND + (i + 1) % ROUND
            triangles += [(a, a + ROUND, b), (b, a + ROUND, b + ROUND)]
    return vertices.reshape(-1, 3), np.array(triangles)


def paint(shape: Shape, look: BodyLook) -> Shape:
    """Paint a shape in the colour of the file, if it has one."""
    if look.colour is None or shape.kind == "plane":
        return shape
    *rgb, opacity = look.colour
    return shape.paint("#" + "".join(f"{round(255 * x):02x}" for x in rgb), opacity)
