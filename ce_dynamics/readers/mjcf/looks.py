"""Shapes of the bodies of an MJCF file: as MuJoCo draws them, and where they may touch a plane."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.readers.frames import Pose
from ce_dynamics.readers.looks import POINTED, BodyLook, Foot, mesh_of, points_of
from ce_dynamics.readers.mjcf.model import Compiled, is_excluded, matrix
from ce_dynamics.readers.mjcf.posing import move_to_design_pose
from ce_dynamics.readers.mjcf.read import Included, check_sizes
from ce_dynamics.readers.survey import check_names
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
    """Return the shapes of an MJCF file that MuJoCo's viewer draws, and those that are left out.

    The design pose is that of the system that `read_mjcf` gives.
    """
    file = load_in_pose(path, pose, independent, tolerance)
    found, left_out = [], [finding.where for finding in file.missing]
    for geom in range(file.model.ngeom):
        if int(file.model.geom_group[geom]) < SHOWN and not is_replaced(file, geom):
            shape = look(file, geom)
            if shape is None:
                left_out.append(f"{file.model.geom(geom).name or f'geom {geom}'}")
            else:
                found.append(shape)
    return found, left_out


def load_in_pose(
    path: str | Path, pose: str | Mapping[str, float] | None, independent: Collection[str], tolerance: float
) -> Compiled:
    """Return a file's model in the design pose."""
    root = parse(path, "mujoco")
    check_sizes([root], Included(root))
    file = Compiled(root.path)
    move_to_design_pose(file, pose, independent, tolerance=tolerance)
    return file


def is_replaced(file: Compiled, geom: int) -> bool:
    """Return True if a shape stands for a file that is missing."""
    if file.kind("mjtGeom", file.model.geom_type[geom]) != "MESH":
        return False
    name = str(file.model.mesh(int(file.model.geom_dataid[geom])).name)
    return any(name == finding.name for finding in file.missing)


def look(file: Compiled, geom: int) -> BodyLook | None:
    """Return a shape; None for kinds that are not drawn."""
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


def mjcf_feet(
    path: str | Path,
    *,
    pose: str | Mapping[str, float] | None = None,
    independent: Collection[str] = (),
    tolerance: float = TOLERANCE,
) -> tuple[list[Foot], list[str]]:
    """Return points and balls of an MJCF file that may touch its planes, and names of other contacts.

    A sphere is one ball, a capsule two, a box eight points.  Which pairs touch, and their friction, are
    MuJoCo's rules: masks, exclusions, priorities, else the larger friction.

    Parameters
    ----------
    path, pose, independent, tolerance
        As of `read_mjcf`: the design pose is that of the system that it gives.

    Returns
    -------
    list of Foot, list of str
        The strings name shapes of other kinds that may touch a plane, and are left out.

    Raises
    ------
    DataError
        As `read_mjcf`, for files that MuJoCo refuses.

    Examples
    --------
    Contacts without compliance of a model that is stepped in time::

        feet, left_out = ce.mjcf_feet("walker.xml")
        elements = [
            Contact(f.name, system.find(f.body), f.at, Plane(f.friction, f.normal, f.through),
                    radius=f.radius)
            for f in feet
        ]
    """
    check_names("mjcf_feet: independent", independent)
    checks.number("mjcf_feet: tolerance", tolerance, at_least=0.0)
    file = load_in_pose(path, pose, independent, tolerance)
    feet: list[Foot] = []
    others: list[str] = []
    planes = [g for g in range(file.model.ngeom) if kind(file, g) == "PLANE"]
    grounds = [g for g in planes if file.model.body_weldid[file.model.geom_bodyid[g]] == 0]
    for plane, geom in product(grounds, range(file.model.ngeom)):
        if geom in planes or not may_touch(file, plane, geom):
            continue
        shape = look(file, geom) if kind(file, geom).lower() in POINTED else None
        found = [] if shape is None else points_of(shape)
        if not found:
            others.append(f"{geom_name(file, geom)} ({kind(file, geom).lower()})")
        feet += [foot(file, plane, geom, k, *point) for k, point in enumerate(found)]
    return feet, others


def kind(file: Compiled, geom: int) -> str:
    """Return SPHERE, CAPSULE, BOX, PLANE and so on."""
    return file.kind("mjtGeom", file.model.geom_type[geom])


def geom_name(file: Compiled, geom: int) -> str:
    """Name of a shape, or its number."""
    return str(file.model.geom(geom).name or f"geom {geom}")


def may_touch(file: Compiled, one: int, other: int) -> bool:
    """Return True if MuJoCo lets two shapes touch."""
    model = file.model
    if file.is_disabled("CONSTRAINT", "CONTACT"):
        return False
    masks = model.geom_contype[one] & model.geom_conaffinity[other]
    masks |= model.geom_contype[other] & model.geom_conaffinity[one]
    bodies = sorted((int(model.geom_bodyid[one]), int(model.geom_bodyid[other])))
    excluded = (bodies[0] << 16) + bodies[1] in {int(each) for each in model.exclude_signature}
    return bool(masks) and not excluded and not is_excluded(file, bodies[0], bodies[1])


def foot(file: Compiled, plane: int, geom: int, k: int, at: Array, radius: float) -> Foot:
    """Return one of the points of a shape."""
    body = int(file.model.geom_bodyid[geom])
    name = f"{file.body(body)} {geom_name(file, geom)} {k} on {geom_name(file, plane)}"
    normal = matrix(file.data.geom_xmat[plane])[:, 2]
    through = np.array(file.data.geom_xpos[plane])
    return Foot(name, file.body(body), at, radius, friction(file, plane, geom), through, normal)


def friction(file: Compiled, one: int, other: int) -> float:
    """Return μ of two shapes: that of the higher priority, else the larger."""
    model = file.model
    priorities = int(model.geom_priority[one]), int(model.geom_priority[other])
    values = float(model.geom_friction[one][0]), float(model.geom_friction[other][0])
    if priorities[0] != priorities[1]:
        return values[0] if priorities[0] > priorities[1] else values[1]
    return max(values)
