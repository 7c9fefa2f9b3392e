"""Accelerations at rest by MuJoCo's terms: M, forces and the Jacobian of its equality constraints.

MuJoCo's constraints give way; with its M, its forces and its J the exact equations [M Jᵀ; J 0] are solved
here, at rest, where J̇ v vanishes.  A URDF file gets its loops as connect and weld constraints.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model

ROUNDS, CALLS = 5, 200
LEAST = 1e-9
"""Mass [kg] and moments of inertia [kg m²] of links that have none, which MuJoCo refuses: for its time."""
APART = 1e-6
"""Gap of MuJoCo's constraints in the design pose above which the file means another loop [m]."""


def accelerations_at_rest(model: Model, path: Path, loops: Path | None) -> tuple[float, float] | None:
    """Microseconds of ``mj_forward``, and the largest relative difference of accelerations; None without."""
    try:
        import mujoco  # here, because an extra installs it
    except ImportError:
        return None
    try:
        peer: Any = loaded(mujoco, path, loops)
    except (ValueError, KeyError, RuntimeError):
        return None
    if peer is None:
        return None
    peer.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(peer)
    leading = placed(model, peer, data, mujoco)
    if leading is None:
        return None
    weights = any(body.mass == 0.0 and body.inboard.n_v for body in model.system.bodies)
    mujoco.mj_forward(peer, data)
    found = exact(mujoco, peer, data)
    columns, rows = zip(*leading.items(), strict=True) if leading else ((), ())
    if found is None or not rows or weights:
        return timed(mujoco, peer, data), float("nan")
    own = model.layout.split(model.dynamics(model.y0, model.u0)[0])[1]
    theirs = found[list(rows)]
    difference = np.max(np.abs(own[list(columns)] - theirs)) / max(float(np.max(np.abs(theirs))), 1e-300)
    return timed(mujoco, peer, data), float(difference)


def loaded(mujoco: Any, path: Path, loops: Path | None) -> Any:
    """MuJoCo's model of a file; None for formats it does not read."""
    if path.suffix == ".xml":
        return mujoco.MjModel.from_xml_path(str(path))
    if path.suffix != ".urdf" or b"<loop" in path.read_bytes():
        return None
    from lxml import etree  # here, because an extra installs it

    root = etree.parse(str(path)).getroot()
    for element in root.xpath("//visual | //collision | //transmission | //gazebo"):
        element.getparent().remove(element)
    compiler = etree.SubElement(etree.SubElement(root, "mujoco"), "compiler")
    compiler.set("fusestatic", "false")
    spec = mujoco.MjSpec.from_string(etree.tostring(root).decode())
    said = {} if loops is None else yaml.safe_load(loops.read_text())
    joints = {joint.get("name"): joint.find("child").get("link") for joint in root.findall("joint")}
    pairs = said.get("closed_loop") or []
    for (a, b), kind in zip(pairs, said.get("type") or ["6d"] * len(pairs), strict=True):
        equality = spec.add_equality()
        weld = kind.lower() == "6d"
        equality.type = mujoco.mjtEq.mjEQ_WELD if weld else mujoco.mjtEq.mjEQ_CONNECT
        equality.objtype = mujoco.mjtObj.mjOBJ_BODY
        equality.name1, equality.name2 = joints.get(a, a), joints.get(b, b)
        equality.data[:] = 0.0
        if weld:
            equality.data[6], equality.data[10] = 1.0, 1.0  # frames coincide; torquescale
    try:
        return spec.compile()
    except ValueError:  # links without mass, which others carry
        spec.compiler.boundmass = spec.compiler.boundinertia = LEAST
        return spec.compile()


def placed(model: Model, peer: Any, data: Any, mujoco: Any) -> dict[int, int] | None:
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
    """Accelerations of [M Jᵀ; J 0] at rest; None where the constraints are open."""
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


def timed(mujoco: Any, peer: Any, data: Any) -> float:
    """Microseconds of ``mj_forward``: the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            mujoco.mj_forward(peer, data)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return 1e6 * best
