"""Accelerations of MuJoCo's model with constraints that do not give way, at any state.

[M −Jᵀ; J 0] [v̇; λ] = [f; −J̇ v] with MuJoCo's M, its forces f and its Jacobians of points and frames; J and
J̇ v of every constraint are written down here, from the definitions in MuJoCo's documentation.
"""

from typing import Any

import mujoco
import numpy as np

from ce_dynamics.algebra.arrays import Array
from tests.ce_dynamics.readers.mujoco_states import Peer

CONNECT, WELD, JOINT, TENDON = (
    int(getattr(mujoco.mjtEq, f"mjEQ_{k}")) for k in ("CONNECT", "WELD", "JOINT", "TENDON")
)
SITE = int(mujoco.mjtObj.mjOBJ_SITE)
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY")


def exact(peer: Peer, q: Array, v: Array, ctrl: Array | None = None, act: Array | None = None) -> Array:
    """Accelerations, in the order and the axes of the model's velocities, where the model's joints are."""
    m, d = peer.m, peer.d
    for name in OFF:  # what is left are forces
        m.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    d.ctrl[:] = 0.0 if ctrl is None else ctrl
    if act is not None:
        d.act[:] = act
    peer.set(q, v)
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    for row, unit in zip(M, np.eye(m.nv), strict=True):
        mujoco.mj_mulM(m, d, row, unit)
    force = d.qfrc_passive + d.qfrc_actuator + d.qfrc_applied - d.qfrc_bias
    rows = [row for k in range(m.neq) if d.eq_active[k] for row in constraint(m, d, k)]
    L = np.linalg.cholesky(M)
    free = np.linalg.solve(L, force)
    if rows:
        J, gamma = np.array([row for row, _ in rows]), np.array([bias for _, bias in rows])
        W = np.linalg.solve(L, J.T)
        U, s, Vt = np.linalg.svd(W, full_matrices=False)
        keep = s > 1e-9 * s[0]  # planar loops have redundant rows
        wanted = Vt[keep].dot(-gamma - W.T @ free) / s[keep]
        free = free + U[:, keep] @ wanted
    d.qacc[:] = np.linalg.solve(L.T, free)
    return peer.own_accelerations(q)


def constraint(m: Any, d: Any, k: int) -> list[tuple[Array, float]]:
    kind, data = int(m.eq_type[k]), np.array(m.eq_data[k])
    one, other = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    if kind == JOINT:
        return [polynomial(unit(m, one), None if other < 0 else unit(m, other), data, d)]
    if kind == TENDON:
        return [polynomial(tendon(m, one), None if other < 0 else tendon(m, other), data, d)]
    sites = int(m.eq_objtype[k]) == SITE
    if sites:
        ends = [(int(m.site_bodyid[i]), np.array(d.site_xpos[i])) for i in (one, other)]
    else:
        anchors = (data[3:6], data[0:3]) if kind == WELD else (data[0:3], data[3:6])
        ends = [
            (i, d.xpos[i] + d.xmat[i].reshape(3, 3) @ anchor)
            for i, anchor in zip((one, other), anchors, strict=True)
        ]
    (p1, r1, bp1, br1), (p2, r2, bp2, br2) = (body_jacobians(m, d, *end) for end in ends)
    rows = list(zip(p1 - p2, bp1 - bp2, strict=True))
    return rows + (list(zip(r1 - r2, br1 - br2, strict=True)) if kind == WELD else [])


def body_jacobians(m: Any, d: Any, body: int, point: Array) -> tuple[Array, Array, Array, Array]:
    """Return the Jacobians of a point and of the rotation of a body, and their J̇ v."""
    p, r, p_dot, r_dot = (np.zeros((3, m.nv)) for _ in range(4))
    mujoco.mj_jac(m, d, p, r, point, body)
    mujoco.mj_jacDot(m, d, p_dot, r_dot, point, body)
    return p, r, p_dot @ d.qvel, r_dot @ d.qvel


def unit(m: Any, joint: int) -> Array:
    row = np.zeros(m.nv)
    row[int(m.jnt_dofadr[joint])] = 1.0
    return row


def tendon(m: Any, k: int) -> Array:
    row = np.zeros(m.nv)
    for i in range(int(m.tendon_adr[k]), int(m.tendon_adr[k] + m.tendon_num[k])):
        row += float(m.wrap_prm[i]) * unit(m, int(m.wrap_objid[i]))
    return row


def polynomial(one: Array, other: Array | None, c: Array, d: Any) -> tuple[Array, float]:
    """l₁ = c₀ + c₁ x + …, x = l₂: the row l̇₁ − p'(x) ẋ and its J̇ v = −p''(x) ẋ².  Tendons: linear only."""
    if other is None:
        return one, 0.0
    m = d.model
    x = 0.0
    if np.count_nonzero(other) == 1:  # a joint
        dof = int(np.flatnonzero(other)[0])
        joint = int(m.dof_jntid[dof])
        x = float(d.qpos[m.jnt_qposadr[joint]] - m.qpos0[m.jnt_qposadr[joint]])
    rate = float(other @ d.qvel)
    slope = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]))
    curve = 2 * c[2] + x * (6 * c[3] + x * 12 * c[4])
    return one - slope * other, -curve * rate * rate
