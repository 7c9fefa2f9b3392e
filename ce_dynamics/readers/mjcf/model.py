"""A compiled MuJoCo model, with names for everything and the lines it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.readers.pose import Pose, clean_rotation
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.xml_file import EXTRA, POINTER

TETRAHEDRON = [0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2]


def replace_missing(mujoco: Any, spec: Any, file: str) -> Iterator[Finding]:
    """Put something small where files are missing, and tell of each."""
    missing = [mesh for mesh in spec.meshes if is_missing(spec, spec.meshdir, mesh.file)]
    refuse_weights(mujoco, spec, file, {mesh.name or Path(mesh.file).stem: mesh.file for mesh in missing})
    for mesh in missing:
        yield make_finding("mesh@file", mesh.file, mesh.name)
        mesh.name = mesh.name or Path(mesh.file).stem
        mesh.file, mesh.uservert, mesh.scale = "", TETRAHEDRON, [1.0] * 3
    for field in spec.hfields:
        if is_missing(spec, spec.meshdir, field.file):
            yield make_finding("hfield@file", field.file, field.name)
            field.name = field.name or Path(field.file).stem
            field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
    for texture in spec.textures:
        given = [name for name in (texture.file, *texture.cubefiles) if name]
        if any(is_missing(spec, spec.texturedir, name) for name in given):
            yield make_finding("texture@file", given[0], texture.name)
            texture.name = texture.name or Path(given[0]).stem
            texture.file, texture.cubefiles = "", [""] * len(texture.cubefiles)
            texture.builtin, texture.width, texture.height = mujoco.mjtBuiltin.mjBUILTIN_FLAT, 8, 8


def make_finding(kind: str, file: str, name: str) -> Finding:
    """Return a finding for a missing file."""
    return Finding(kind, f"{checks.show(file)} is not there", told=True, name=name)


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
    still = {body.id for body in find_fixed_bodies(spec.worldbody)}
    for body in spec.bodies[1:] if missing else ():
        if body.explicitinertial and not always:
            continue
        for geom in body.geoms:
            if geom.meshname in missing and body.id in still:
                geom.mass = 0.0
            weightless = geom.mass == 0.0 or geom.density == 0.0 or not low <= geom.group <= high
            if geom.meshname in missing and not weightless:
                name = checks.show(body.name)
                raise DataError(
                    f"{file}, {geom.info or body.info}: the mass of body {name} comes from the mesh "
                    f"{checks.show(missing[geom.meshname])}, which is not there; put the file where the "
                    f"robot's file looks for it, or give the body an <inertial>"
                )


def find_fixed_bodies(parent: Any) -> Iterator[Any]:
    """Yield bodies that no joint lets move against the world."""
    for body in parent.bodies:
        if not body.joints:
            yield body
            yield from find_fixed_bodies(body)


GROUND = "ground"
KEYS = {"qpos": "nq", "qvel": "nv", "act": "na", "ctrl": "nu"}
"""Vectors of a keyframe, and the fields of the model with their sizes."""


class Compiled:
    """MuJoCo model of a file: defaults resolved, inertias computed, all poses known at ``qpos0``.

    Attributes
    ----------
    mujoco : module
    model : mujoco.MjModel
    data : mujoco.MjData
        Kinematics of the design pose: ``qpos0`` of the file, unless `take_pose` sets another.
    missing : list of Finding
        Missing files, each replaced by a small placeholder.
    """

    def __init__(self, path: Path) -> None:
        try:
            import mujoco  # here, because an extra installs it
        except ImportError as error:
            raise ModelError(EXTRA.format(package="mujoco")) from error
        self.mujoco: Any = mujoco
        self.file = path.name
        with self._refusals():
            self.spec: Any = mujoco.MjSpec.from_file(str(path))
        self.missing = list(replace_missing(mujoco, self.spec, path.name))
        given = [{name: len(getattr(key, name)) for name in KEYS} for key in self.spec.keys]
        with self._refusals():
            self.model: Any = self.spec.compile()
        self._refuse_short_keys(given)
        self.data: Any = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Say what MuJoCo refuses."""
        try:
            yield
        except (ValueError, RuntimeError) as error:
            message = " ".join(
                word if len(word) <= checks.LONGEST else f"{word[: checks.LONGEST]}…"
                for word in str(error).split()
            )
            raise DataError(f"{self.file}: refused by MuJoCo: {message}") from error

    def take_pose(self, qpos: Array) -> None:
        """Find the kinematics of another pose than that of the file."""
        if np.any(self.data.qpos != qpos):
            self.data.qpos[:] = qpos
            self.mujoco.mj_kinematics(self.model, self.data)

    def _refuse_short_keys(self, given: list[dict[str, int]]) -> None:
        """Refuse keyframes with fewer numbers than the model has, which MuJoCo fills up with zeros."""
        for k, sizes in enumerate(given):
            for name, size in sizes.items():
                wanted = int(getattr(self.model, KEYS[name]))
                if size not in (0, wanted):
                    key = checks.show(str(self.model.key(k).name))
                    raise DataError(
                        f"{self.file}: keyframe {key}: {name} has {size} of {wanted} numbers; "
                        "give all of them, or none"
                    )

    # Names, and where things stand

    def body(self, index: int) -> str:
        """Name of a body."""
        return GROUND if index == 0 else self.model.body(index).name or f"body {index}"

    def joint(self, index: int) -> str:
        """Name of a joint."""
        return str(self.model.joint(index).name or f"joint {index}")

    def equality(self, index: int) -> str:
        """Name of an equality constraint."""
        kind = self.kind("mjtEq", self.model.eq_type[index]).lower()
        return str(self.model.equality(index).name or f"{kind} {index}")

    def actuator(self, index: int) -> str:
        """Name of an actuator."""
        return str(self.model.actuator(index).name or f"actuator {index}")

    def where(self, what: str, index: int, name: str) -> str:
        """Line and name of something in one of the lists of the specification."""
        line = self._lines[what].get(index, "")
        return f"{line} ({checks.show(name)})" if line else checks.show(name)

    def place(self, what: str, index: int, name: str) -> str:
        """File, line and name."""
        return f"{self.file}, {self.where(what, index, name)}"

    @cached_property
    def _lines(self) -> dict[str, dict[int, str]]:
        lists = ("bodies", "joints", "equalities", "actuators", "tendons")
        return {what: {item.id: item.info for item in getattr(self.spec, what)} for what in lists}

    def kind(self, enumeration: str, value: int) -> str:
        """Name of a constant without its prefix, as ``HINGE``."""
        return str(getattr(self.mujoco, enumeration)(int(value)).name).partition("_")[2]

    def is_disabled(self, *what: str) -> bool:
        """Return True if the file's flags switch one of these off."""
        bits = self.mujoco.mjtDisableBit
        return any(int(self.model.opt.disableflags) & int(getattr(bits, f"mjDSBL_{name}")) for name in what)

    # Things of one kind

    def joint_kind(self, index: int) -> str:
        """FREE, BALL, SLIDE or HINGE."""
        return self.kind("mjtJoint", self.model.jnt_type[index])

    def joints(self, body: int) -> range:
        """Joints that carry a body, in the order in which they act."""
        start = int(self.model.body_jntadr[body])
        return range(start, start + int(self.model.body_jntnum[body]))

    def dofs(self, joint: int) -> slice:
        """Degrees of freedom of a joint."""
        start = int(self.model.jnt_dofadr[joint])
        return slice(start, start + {"FREE": 6, "BALL": 3}.get(self.joint_kind(joint), 1))

    def coordinates(self, joint: int) -> slice:
        """Coordinates of a joint."""
        start = int(self.model.jnt_qposadr[joint])
        return slice(start, start + {"FREE": 7, "BALL": 4}.get(self.joint_kind(joint), 1))

    # Geometry in the design pose

    def frame(self, body: int) -> Pose:
        """A body's frame."""
        return Pose(matrix(self.data.xmat[body]), np.array(self.data.xpos[body]))

    def at_mass(self, body: int) -> Pose:
        """A body's principal frame at its centre of mass."""
        return Pose(matrix(self.data.ximat[body]), np.array(self.data.xipos[body]))

    def site(self, index: int) -> tuple[int, Pose]:
        """The body that has a site, and the site's frame in the body's."""
        body = int(self.model.site_bodyid[index])
        quaternion = np.array(self.model.site_quat[index])
        R = rotation_from_quaternion(quaternion).astype(float)
        return body, Pose(R, np.array(self.model.site_pos[index]))


def matrix(entries: Any) -> Array:
    """A rotation matrix of nine entries."""
    return clean_rotation(np.array(entries, dtype=float).reshape(3, 3))
