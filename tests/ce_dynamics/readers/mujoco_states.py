"""States of a model read from a robot file as MuJoCo writes them, and MuJoCo's accelerations as we do."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges import Free, Spherical

ROBOTS = Path(__file__).parents[2] / "data" / "robots"


def write(folder: Path, text: str, name: str = "robot.xml") -> Path:
    """Write a file into a folder and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class Peer:
    def __init__(self, model: Model, path: Path) -> None:
        self.model = model
        self.m: Any = mujoco.MjModel.from_xml_path(str(path))
        self.d: Any = mujoco.MjData(self.m)
        mujoco.mj_kinematics(self.m, self.d)
        self.design = [np.array(R).reshape(3, 3) for R in self.d.xmat]

    def bodies(self) -> list[tuple[int, Body]]:
        found = []
        for j in range(self.m.njnt):
            b = int(self.m.jnt_bodyid[j])
            last = int(self.m.body_jntadr[b] + self.m.body_jntnum[b]) - 1
            name = self.m.body(b).name + ("" if j == last else f"/{self.m.joint(j).name or f'joint {j}'}")
            found.append((j, self.model.system.find(name)))
        return found

    def set(self, q: Array, v: Array) -> None:
        """Put all joints, dependent ones too, where the model has them."""
        y = np.concatenate((q, v))
        motions = self.model.instant(y, self.model.u0).outward.motions
        for j, body in self.bodies():
            S = self.model.embedding.owner[body.name]
            hinge = motions[S.name].hinge_motions[body.name]
            theta_dot = v[self.columns(S)]
            rates = (hinge.X @ theta_dot + hinge.eta).astype(float)
            self.set_joint(j, body, body.inboard.coordinates(hinge.c).astype(float), rates)

    def columns(self, S: Any) -> list[int]:
        """Velocities of an aggregated body among those of the model."""
        v_of = self.model.embedding.v_of
        return [k for body in S.independent for k in range(v_of[body.name].start, v_of[body.name].stop)]

    def set_joint(self, j: int, body: Body, q: Array, v: Array) -> None:
        at, dof = int(self.m.jnt_qposadr[j]), int(self.m.jnt_dofadr[j])
        design = self.design[int(self.m.jnt_bodyid[j])]
        if isinstance(body.inboard, Free):
            R = rotation_from_quaternion(q[3:]).astype(float) @ design
            self.d.qpos[at : at + 3] = self.m.qpos0[at : at + 3] + q[:3]
            mujoco.mju_mat2Quat(self.d.qpos[at + 3 : at + 7], R.ravel())
            self.d.qvel[dof : dof + 6] = np.concatenate((v[3:], R.T @ v[:3]))
        elif isinstance(body.inboard, Spherical):
            R = rotation_from_quaternion(q).astype(float)
            mujoco.mju_mat2Quat(self.d.qpos[at : at + 4], (design.T @ R @ design).ravel())
            self.d.qvel[dof : dof + 3] = (R @ design).T @ v
        else:
            self.d.qpos[at], self.d.qvel[dof] = self.m.qpos0[at] + q[0], v[0]

    def accelerations(self, q: Array, v: Array) -> Array:
        """MuJoCo's accelerations in the order and the axes of the model's velocities."""
        self.set(q, v)
        mujoco.mj_forward(self.m, self.d)
        return self.own_accelerations(q)

    def own_accelerations(self, q: Array) -> Array:
        """``qacc`` in the order and the axes of the model's velocities; NaN for those that are no joint's."""
        result = np.full(self.model.embedding.n_v, np.nan)
        for j, body in self.bodies():
            if body.name not in self.model.embedding.v_of:
                continue
            dof = int(self.m.jnt_dofadr[j])
            design = self.design[int(self.m.jnt_bodyid[j])]
            where = self.model.embedding.v_of[body.name]
            a = np.array(self.d.qacc[dof : dof + body.inboard.n_v])
            if isinstance(body.inboard, Free):
                R = np.array(self.d.xmat[int(self.m.jnt_bodyid[j])]).reshape(3, 3)
                a = np.concatenate((R @ a[3:], a[:3]))
            elif isinstance(body.inboard, Spherical):
                q_rel = q[self.model.embedding.q_of[body.name]]
                a = rotation_from_quaternion(q_rel / np.linalg.norm(q_rel)).astype(float) @ design @ a
            result[where] = a
        return result

    def condition(self) -> float:
        """Condition of the mass matrix at the state that was set last."""
        return condition(self.m, self.d)


def condition(m: Any, d: Any) -> float:
    """Condition of the mass matrix, which need not be regular; 1 where nothing moves."""
    for step in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_makeM):
        step(m, d)
    M = np.zeros((m.nv, m.nv))
    for column, unit in enumerate(np.eye(m.nv)):
        mujoco.mj_mulM(m, d, M[column], unit)
    return float(np.linalg.cond(M)) if m.nv else 1.0


def condition_of(path: Path) -> float:
    m: Any = mujoco.MjModel.from_xml_path(str(path))
    return condition(m, mujoco.MjData(m))


def assert_hard_limit(peer: Peer, q: Array, v: Array, accelerations: Array) -> None:
    """Accelerations are those of MuJoCo in the limit of constraints that do not give way.

    Where the constraints are met, a row with impedance d has a(R) = a(0) + (a(∞) - a(0)) cR / (1 + cR), where
    R = (1 - d)/d.  Extrapolating from R1 and R2 leaves (c R1)(c R2) of the difference, c being what is seen
    between them; twice that allows for several rows.
    """

    def with_impedance(d: float) -> Array:
        peer.m.eq_solimp[:, :2] = d
        return peer.accelerations(q, v)

    R1, R2 = 0.001 / 0.999, 0.0001 / 0.9999
    soft, firm = with_impedance(0.999), with_impedance(0.9999)
    assert np.abs(peer.d.efc_pos[: peer.d.ne]).max() < 1e-12, "MuJoCo too finds the loops closed"
    hard = (firm * R1 - soft * R2) / (R1 - R2)
    size = np.abs(hard).max()
    c = np.abs(soft - firm).max() / (R1 - R2) / size
    np.testing.assert_allclose(accelerations, hard, rtol=0.0, atol=2.0 * max(c, 1.0) ** 2 * R1 * R2 * size)


def random_state(model: Model, rng: np.random.Generator, spread: float = 1.0) -> tuple[Array, Array]:
    """Coordinates about the design pose, with unit quaternions, and velocities."""
    y = model.y0
    n = model.embedding.n_q
    y[:n] += spread * rng.uniform(-1.0, 1.0, n)
    y = model.with_unit_quaternions(y)
    return y[:n], rng.uniform(-1.0, 1.0, model.embedding.n_v)
