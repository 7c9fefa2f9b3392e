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
from ce_dynamics.readers.frames import Pose, clean_rotation
from ce_dynamics.readers.robot import GROUND
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.xml_file import EXTRA, POINTER

TETRAHEDRON = [0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 1e-2]


def replace_missing(mujoco: Any, spec: Any, file: str) -> Iterator[Finding]:
    """Replace missing files by small ones, and list them."""
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
    return Finding(kind, f"{checks.show(file)} is not there", noted=True, name=name)


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


KEYS = {"qpos": "nq", "qvel": "nv", "act": "na", "ctrl": "nu"}
"""Vectors of a keyframe, and the fields of the model with their sizes."""
BUFFERS = ("memory", "njmax", "nconmax", "nstack", "nuserdata")
"""Sizes of buffers of MuJoCo's simulation, which is not used: a file may set any size."""


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
        default = mujoco.MjSpec()
        for name in BUFFERS:
            setattr(self.spec, name, getattr(default, name))
        self.missing = list(replace_missing(mujoco, self.spec, path.name))
        given = [{name: len(getattr(key, name)) for name in KEYS} for key in self.spec.keys]
        with self._refusals():
            self.model: Any = self.spec.compile()
        self._refuse_short_keys(given)
        self.data: Any = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Return the reasons of MuJoCo for rejecting a file."""
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

    def locate(self, what: str, index: int, name: str) -> str:
        """Return the line and name of something in one of the lists of the specification."""
        line = self._lines[what].get(index, "")
        return f"{line} ({checks.show(name)})" if line else checks.show(name)

    def place(self, what: str, index: int, name: str) -> str:
        """Return file, line and name."""
        return f"{self.file}, {self.locate(what, index, name)}"

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
        """Return FREE, BALL, SLIDE or HINGE."""
        return self.kind("mjtJoint", self.model.jnt_type[index])

    def joints(self, body: int) -> range:
        """Return joints that carry a body, in the order in which they act."""
        start = int(self.model.body_jntadr[body])
        return range(start, start + int(self.model.body_jntnum[body]))

    def dofs(self, joint: int) -> slice:
        """Return degrees of freedom of a joint."""
        start = int(self.model.jnt_dofadr[joint])
        return slice(start, start + {"FREE": 6, "BALL": 3}.get(self.joint_kind(joint), 1))

    def coordinates(self, joint: int) -> slice:
        """Return coordinates of a joint."""
        start = int(self.model.jnt_qposadr[joint])
        return slice(start, start + {"FREE": 7, "BALL": 4}.get(self.joint_kind(joint), 1))

    # Geometry in the design pose

    def frame(self, body: int) -> Pose:
        """Return a body's frame."""
        return Pose(matrix(self.data.xmat[body]), np.array(self.data.xpos[body]))

    def principal_frame(self, body: int) -> Pose:
        """Return a body's principal frame at its centre of mass."""
        return Pose(matrix(self.data.ximat[body]), np.array(self.data.xipos[body]))

    def site(self, index: int) -> tuple[int, Pose]:
        """Return the body that has a site, and the site's frame in the body's."""
        body = int(self.model.site_bodyid[index])
        quaternion = np.array(self.model.site_quat[index])
        R = rotation_from_quaternion(quaternion).astype(float)
        return body, Pose(R, np.array(self.model.site_pos[index]))


def matrix(entries: Any) -> Array:
    """Return a rotation matrix of nine entries."""
    return clean_rotation(np.array(entries, dtype=float).reshape(3, 3))


ONE_COORDINATE = ("HINGE", "SLIDE")


def find_unrepresentable(file: Compiled) -> Iterator[Finding]:
    """Yield everything, item by item."""
    for joint in range(file.model.njnt):
        yield from unsupported_of_joint(file, joint)
    yield from find_moved_bodies(file)
    yield from unsupported_of_medium(file)
    yield from find_pairs_in_contact(file)


def unsupported_of_joint(file: Compiled, joint: int) -> Iterator[Finding]:
    """Yield limits, dry friction of several velocities, springs and dampers that are not linear and even."""
    model, where = file.model, file.locate("joints", joint, file.joint(joint))
    dofs = file.dofs(joint)
    simple = file.joint_kind(joint) in ONE_COORDINATE
    name = file.joint(joint)
    if is_limited(file, joint):
        yield Finding("joint@range", where, noted=True, name=name)
    if friction(file, joint) and not simple:
        yield Finding("joint@frictionloss", where, name=name)
    if not file.is_disabled("SPRING"):
        curved = nonlinear(model, "jnt_stiffnesspoly", joint)
        if curved or (model.jnt_stiffness[joint] and not simple):
            yield Finding("joint@stiffness", where)
        if nonlinear(model, "jnt_springyield", joint):
            yield Finding("joint@springyield", where)
    if not file.is_disabled("DAMPER"):
        curved = nonlinear(model, "dof_dampingpoly", dofs)
        uneven = bool(np.ptp(model.dof_damping[dofs])) if dofs.stop > dofs.start else False
        if curved or uneven:
            yield Finding("joint@damping", where, name=name)


def is_limited(file: Compiled, joint: int) -> bool:
    """Return True if a joint has a range that is to be kept."""
    return bool(file.model.jnt_limited[joint]) and not file.is_disabled("CONSTRAINT", "LIMIT")


def friction(file: Compiled, joint: int) -> float:
    """Return the largest dry friction of a joint."""
    if file.is_disabled("CONSTRAINT", "FRICTIONLOSS"):
        return 0.0
    return float(np.max(file.model.dof_frictionloss[file.dofs(joint)], initial=0.0))


def nonlinear(model: object, field: str, index: int | slice) -> bool:
    """Return True if a field that older versions of MuJoCo do not have is not zero."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(values[index]))


def find_moved_bodies(file: Compiled) -> Iterator[Finding]:
    """Yield bodies that are moved from outside (mocap), which stay where they are here."""
    for body in range(1, file.model.nbody):
        if file.model.body_mocapid[body] >= 0:
            name = file.body(body)
            yield Finding("body@mocap", file.locate("bodies", body, name), noted=True, name=name)


def unsupported_of_medium(file: Compiled) -> Iterator[Finding]:
    """Yield shapes in the fluid that everything moves in, other than boxes of bodies' inertias."""
    model = file.model
    if not (model.opt.density or model.opt.viscosity):
        return
    for geom in np.flatnonzero(np.asarray(model.geom_fluid)[:, 0] > 0.0).tolist():
        name = str(model.geom(geom).name or f"geom {geom}")
        yield Finding("geom@fluidshape", checks.show(name), name=name)


def find_pairs_in_contact(file: Compiled) -> Iterator[Finding]:
    """Yield pairs of bodies whose geoms may touch, by the rules of MuJoCo."""
    model = file.model
    if file.is_disabled("CONSTRAINT", "CONTACT"):
        return
    excluded = {int(signature) for signature in model.exclude_signature}
    touching = dict.fromkeys(
        pair
        for pair in pairs(file)
        if (pair[0] << 16) + pair[1] not in excluded and not is_excluded(file, *pair)
    )
    for one, other in touching:
        yield Finding("contact", f"{file.body(one)!r} on {file.body(other)!r}", noted=True)


def pairs(file: Compiled) -> Iterator[tuple[int, int]]:
    """Yield pairs of bodies, the lower first, with geoms whose masks match."""
    model = file.model
    kind, partner = model.geom_contype, model.geom_conaffinity
    one, other = np.nonzero((kind[:, None] & partner[None, :]) | (partner[:, None] & kind[None, :]))
    for i, j in zip(one.tolist(), other.tolist(), strict=True):
        bodies = int(model.geom_bodyid[i]), int(model.geom_bodyid[j])
        if bodies[0] < bodies[1]:
            yield bodies


def is_excluded(file: Compiled, one: int, other: int) -> bool:
    """Return True if contact of two bodies is ruled out: rigidly joined, or parent and child.

    Parent and child may touch where the file disables ``FILTERPARENT``, or where the parent is fixed to the
    world.
    """
    weld, parent = file.model.body_weldid, file.model.body_parentid
    a, b = int(weld[one]), int(weld[other])
    if a == b:
        return True
    over_a, over_b = int(weld[parent[a]]), int(weld[parent[b]])
    return not file.is_disabled("FILTERPARENT") and ((a != 0 and a == over_b) or (b != 0 and b == over_a))
