"""Accelerations at rest by MuJoCo's terms: M, forces and the Jacobian of its equality constraints.

MuJoCo's constraints give way; with its M, its forces and its J the exact equations [M Jᵀ; J 0] are solved
here, at rest, where J̇ v vanishes.  A URDF file gets its loops as connect and weld constraints.  Where no
number can be given, it is said why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model

ROUNDS, CALLS = 40, 50
LEAST = 1e-9
"""Mass [kg] and moments of inertia [kg m²] of moving links that have none, until MuJoCo has compiled them."""
APART = 1e-6
"""Gap of MuJoCo's constraints in the design pose above which the file means another loop [m]."""


class Peer(NamedTuple):
    """Results of MuJoCo for a robot.

    Attributes
    ----------
    time : float
        Time of ``mj_forward`` with the fastest solver, less that of an empty call [µs]; NaN without.
    difference : float
        Largest difference of accelerations at rest, over the largest acceleration [-]; NaN without.
    why : str
        Reason of a missing number.
    """

    time: float
    difference: float
    why: str


def without(why: str, time: float = float("nan")) -> Peer:
    """Return no difference, and why."""
    return Peer(time, float("nan"), why)


def accelerations_at_rest(model: Model, path: Path, loops: Path | None) -> Peer:
    """Return the time of MuJoCo's ``mj_forward``, and the difference of accelerations by its terms."""
    try:
        import mujoco  # here, because an extra installs it
    except ImportError:
        return without("mujoco is not installed")
    said = {} if loops is None else yaml.safe_load(loops.read_text())
    if path.suffix == ".sdf" or (path.suffix == ".urdf" and b"<loop" in path.read_bytes()):
        return without("MuJoCo does not read this format")
    if any(kind != "FIXED" for kind in said.get("joint_type") or ()):
        return without("MuJoCo reads no kinds of joints beside a file")
    try:
        peer, raised = load_model(mujoco, path, said)
    except (ValueError, KeyError, RuntimeError) as error:
        return without(f"MuJoCo refuses it: {' '.join(str(error).split())[:100]}")
    peer.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(peer)
    leading = place_joints(model, peer, data, mujoco)
    if not leading:
        return without("joints are not those of the file one by one")
    mujoco.mj_forward(peer, data)
    microseconds = time_forward(mujoco, peer, data)
    peer.body_mass[raised] = peer.body_inertia[raised] = 0.0
    mujoco.mj_setConst(peer, mujoco.MjData(peer))
    mujoco.mj_forward(peer, data)
    found = exact(mujoco, peer, data)
    if found is None:
        return without("loops of MuJoCo's model are open where the file's are closed", microseconds)
    columns, rows = zip(*leading.items(), strict=True)
    own = model.layout.split(model.dynamics(model.y0, model.u0)[0])[1]
    theirs = found[list(rows)]
    difference = np.max(np.abs(own[list(columns)] - theirs)) / max(float(np.max(np.abs(theirs))), 1e-300)
    return Peer(
        microseconds, float(difference), "" if np.isfinite(difference) else "accelerations are no numbers"
    )


def load_model(mujoco: Any, path: Path, said: Mapping[str, Any]) -> tuple[Any, list[int]]:
    """MuJoCo's model of a file, and the numbers of bodies whose weight is `LEAST`, for it refuses none."""
    if path.suffix == ".xml":
        return mujoco.MjModel.from_xml_path(str(path)), []
    from lxml import etree  # here, because an extra installs it

    root = etree.parse(str(path)).getroot()
    for element in root.xpath("//visual | //collision | //transmission | //gazebo"):
        element.getparent().remove(element)
    compiler = etree.SubElement(etree.SubElement(root, "mujoco"), "compiler")
    compiler.set("fusestatic", "false")
    spec = mujoco.MjSpec.from_string(etree.tostring(root).decode())
    joints = {joint.get("name"): joint.find("child").get("link") for joint in root.findall("joint")}
    pairs = said.get("closed_loop") or []
    for k, ((a, b), kind) in enumerate(zip(pairs, said.get("type") or ["6d"] * len(pairs), strict=True)):
        equality = spec.add_equality()
        weld = kind.lower() == "6d"
        equality.type = mujoco.mjtEq.mjEQ_WELD if weld else mujoco.mjtEq.mjEQ_CONNECT
        equality.objtype = mujoco.mjtObj.mjOBJ_SITE  # bodies would be held as they are in the zero pose
        ends = [spec.body(joints.get(end, end)).add_site(name=f"loop {k}{end}") for end in (a, b)]
        equality.name1, equality.name2 = (end.name for end in ends)
        equality.data[:] = 0.0
        if weld:
            equality.data[10] = 1.0  # torquescale
    light = [body for body in spec.bodies if body.joints and not body.mass > 0.0]
    for body in light:
        body.mass, body.inertia, body.explicitinertial = LEAST, [LEAST] * 3, True
    peer = spec.compile()
    return peer, [peer.body(body.name).id for body in light]


def place_joints(model: Model, peer: Any, data: Any, mujoco: Any) -> dict[int, int] | None:
    """Put MuJoCo's joints where the bodies are; its velocities by those of the model that lead."""
    coordinates = model.assemble().coordinates
    leading: dict[int, int] = {}
    for j in range(peer.njnt):
        simple = peer.jnt_type[j] in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        body = peer.body(int(peer.jnt_bodyid[j])).name
        alone = int(peer.body_jntnum[int(peer.jnt_bodyid[j])]) == 1
        name = body if alone else f"{body}/{peer.joint(j).name}"
        name = name if name in coordinates else body
        if not simple or name not in coordinates:
            return None
        at = int(peer.jnt_qposadr[j])
        data.qpos[at] = peer.qpos0[at] + coordinates[name]
        if name in model.embedding.v_of:
            leading[model.embedding.v_of[name].start] = int(peer.jnt_dofadr[j])
    return leading


def exact(mujoco: Any, peer: Any, data: Any) -> Floats | None:
    """Return accelerations of [M Jᵀ; J 0] at rest; None where the constraints are open."""
    M, J = np.zeros((peer.nv, peer.nv)), np.zeros((data.nefc, peer.nv))
    for row, unit in zip(M, np.eye(peer.nv), strict=True):
        mujoco.mj_mulM(peer, data, row, unit)
    for row, unit in zip(J, np.eye(data.nefc), strict=True):
        mujoco.mj_mulJacTVec(peer, data, row, unit)
    force = data.qfrc_passive + data.qfrc_actuator + data.qfrc_applied - data.qfrc_bias
    equality = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    if np.max(np.abs(data.efc_pos[: data.nefc][equality]), initial=0.0) > APART:
        return None
    J = J[equality]
    factor = np.linalg.cholesky(M)
    W, free = np.linalg.solve(factor, J.T), np.linalg.solve(factor, force)
    held = free - W @ np.linalg.lstsq(W, free, rcond=1e-10)[0]
    found: Floats = np.asarray(np.linalg.solve(factor.T, held), dtype=np.float64)
    return found


def time_forward(mujoco: Any, peer: Any, data: Any) -> float:
    """Return microseconds of ``mj_forward`` with the fastest of its solvers, less those of an empty call."""
    given = peer.opt.solver, peer.opt.jacobian
    best = float("inf")
    for solver in (mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_CG, mujoco.mjtSolver.mjSOL_PGS):
        for jacobian in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
            peer.opt.solver, peer.opt.jacobian = int(solver), int(jacobian)
            best = min(best, shortest(mujoco.mj_forward, peer, data))
    peer.opt.solver, peer.opt.jacobian = given
    return 1e6 * (best - shortest(lambda *_: None, peer, data))


def shortest(call: Callable[[Any, Any], object], peer: Any, data: Any) -> float:
    """Return seconds of a call: the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call(peer, data)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best
