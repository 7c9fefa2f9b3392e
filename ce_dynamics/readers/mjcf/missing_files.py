"""Files of shapes and pictures that are not there: robots are often passed on without them.

A shape that only looks like something, or only touches, may be missing: something small stands for it.  One
that a mass comes from may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.xml_file import POINTER

TETRAHEDRON = [0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2]


def replace_missing(mujoco: Any, spec: Any, file: str) -> Iterator[Finding]:
    """Put something small where files are missing, and tell of each.

    Raises
    ------
    DataError
        If a body's mass would come from a shape that is missing.
    """
    missing = [mesh for mesh in spec.meshes if is_missing(spec, spec.meshdir, mesh.file)]
    refuse_weights(mujoco, spec, file, {mesh.name or Path(mesh.file).stem: mesh.file for mesh in missing})
    for mesh in missing:
        yield told("mesh@file", mesh.file, mesh.name)
        mesh.name = mesh.name or Path(mesh.file).stem
        mesh.file, mesh.uservert, mesh.scale = "", TETRAHEDRON, [1.0] * 3
    for field in spec.hfields:
        if is_missing(spec, spec.meshdir, field.file):
            yield told("hfield@file", field.file, field.name)
            field.name = field.name or Path(field.file).stem
            field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
    for texture in spec.textures:
        given = [name for name in (texture.file, *texture.cubefiles) if name]
        if any(is_missing(spec, spec.texturedir, name) for name in given):
            yield told("texture@file", given[0], texture.name)
            texture.name = texture.name or Path(given[0]).stem
            texture.file, texture.cubefiles = "", [""] * len(texture.cubefiles)
            texture.builtin, texture.width, texture.height = mujoco.mjtBuiltin.mjBUILTIN_FLAT, 8, 8


def told(kind: str, file: str, name: str) -> Finding:
    """Return a finding for a missing file."""
    return Finding(kind, f"{checks.shown(file)} is not there", told=True, name=name)


def is_missing(spec: Any, folder: str, name: str) -> bool:
    """Return True if a file is not there, or only a pointer of Git LFS to it."""
    if not name or "\0" in name:
        return False
    path = Path(spec.modelfiledir) / folder / (Path(name).name if spec.strippath else name)
    if not path.is_file():
        return not path.exists()
    with path.open("rb") as content:
        return content.read(len(POINTER)) == POINTER


def refuse_weights(mujoco: Any, spec: Any, file: str, missing: dict[str, str]) -> None:
    """Refuse missing shapes that masses come from, but of bodies that cannot move: those weigh nothing."""
    always = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    low, high = spec.compiler.inertiagrouprange
    still = {body.id for body in fixed_bodies(spec.worldbody)}
    for body in spec.bodies[1:] if missing else ():
        if body.explicitinertial and not always:
            continue
        for geom in body.geoms:
            if geom.meshname in missing and body.id in still:
                geom.mass = 0.0
            weightless = geom.mass == 0.0 or geom.density == 0.0 or not low <= geom.group <= high
            if geom.meshname in missing and not weightless:
                name = checks.shown(body.name)
                raise DataError(
                    f"{file}, {geom.info or body.info}: the mass of body {name} comes from the mesh "
                    f"{checks.shown(missing[geom.meshname])}, which is not there; put the file where the "
                    f"robot's file looks for it, or give the body an <inertial>"
                )


def fixed_bodies(parent: Any) -> Iterator[Any]:
    """Yield bodies that no joint lets move against the world."""
    for body in parent.bodies:
        if not body.joints:
            yield body
            yield from fixed_bodies(body)
