"""Shapes of the bodies of an MJCF file, as MuJoCo draws them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.readers.looks import BodyLook, mesh_of
from ce_dynamics.readers.mjcf.limits import check_copies
from ce_dynamics.readers.mjcf.model import Compiled, matrix
from ce_dynamics.readers.mjcf.posing import put_together
from ce_dynamics.readers.mjcf.read import Included
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.xml_file import parse

SHOWN = 3
"""Groups of shapes below this are drawn by MuJoCo's viewer; those for contact only are often above."""


def mjcf_looks(
    path: str | Path,
    *,
    pose: str | Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[list[BodyLook], list[str]]:
    """The shapes of an MJCF file that MuJoCo's viewer draws, and those that are left out.

    Parameters
    ----------
    path, pose, independent, tolerance
        As of `read_mjcf`: the design pose is that of the system that it gives.
    """
    root = parse(path, "mujoco")
    check_copies([root], Included(root))
    file = Compiled(root.path)
    put_together(file, pose, independent, tolerance=tolerance)
    found, left_out = [], [finding.where for finding in file.missing]
    for geom in range(file.model.ngeom):
        if int(file.model.geom_group[geom]) < SHOWN and not is_replaced(file, geom):
            shape = look(file, geom)
            if shape is None:
                left_out.append(f"{file.model.geom(geom).name or f'geom {geom}'}")
            else:
                found.append(shape)
    return found, left_out


def is_replaced(file: Compiled, geom: int) -> bool:
    """Return True if a shape stands for a file that is missing."""
    if file.kind("mjtGeom", file.model.geom_type[geom]) != "MESH":
        return False
    name = str(file.model.mesh(int(file.model.geom_dataid[geom])).name)
    return any(name == finding.name for finding in file.missing)


def look(file: Compiled, geom: int) -> BodyLook | None:
    """One shape; None of kinds that are not drawn."""
    model = file.model
    kind = file.kind("mjtGeom", model.geom_type[geom]).lower()
    frame = Pose(matrix(file.data.geom_xmat[geom]), np.array(file.data.geom_xpos[geom]))
    a, b, c = (float(x) for x in model.geom_size[geom])
    material = int(model.geom_matid[geom])
    rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
    red, green, blue, opacity = (float(x) for x in rgba)
    name = file.body(int(model.geom_bodyid[geom]))
    plain = BodyLook(name, kind, frame, colour=(red, green, blue, opacity))
    if kind == "box":
        return plain._replace(size=(2.0 * a, 2.0 * b, 2.0 * c))
    if kind in ("sphere", "plane"):
        return plain._replace(size=(a,))
    if kind in ("cylinder", "capsule"):
        return plain._replace(size=(a, 2.0 * b))
    if kind == "ellipsoid":
        return plain._replace(size=(a, b, c))
    if kind != "mesh":
        return None
    vertices, triangles = mesh_of(model, int(model.geom_dataid[geom]))
    return plain._replace(vertices=vertices, triangles=triangles)
