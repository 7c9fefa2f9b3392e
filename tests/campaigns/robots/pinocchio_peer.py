"""Pinocchio's reading of a URDF file with loops beside it, and exact equations of motion from its terms."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ce_dynamics.algebra.arrays import Array


class Peer:
    """The tree of a URDF file and its closures, each a pair of frames that coincide."""

    def __init__(self, urdf: Path, loops: Path) -> None:
        import pinocchio as pin

        self.pin: Any = pin
        said = yaml.safe_load(loops.read_text())
        words = dict(zip(said.get("joint_name") or [], said.get("joint_type") or [], strict=True))
        self.model: Any = retyped(pin, pin.buildModelFromUrdf(str(urdf)), words)
        self.data: Any = self.model.createData()
        kinds = said.get("type") or ["6d"] * len(said["closed_loop"])
        self.pairs = [
            (self.model.getFrameId(a), self.model.getFrameId(b), 3 if kind.lower() == "3d" else 6)
            for (a, b), kind in zip(said["closed_loop"], kinds, strict=True)
        ]
        self.design: list[Array] = []

    def start_from(self, q: dict[str, Array], turned: dict[str, Array]) -> None:
        """Tell the design pose: coordinates of hinges, and how balls are turned from zero in world axes."""
        pin, configuration = self.pin, self.pin.neutral(self.model)
        for j in range(1, self.model.njoints):
            joint, name = self.model.joints[j], self.model.names[j]
            if joint.nv == 1:
                self.place(configuration, joint, q[name][0])
            else:
                pin.forwardKinematics(self.model, self.data, configuration)
                Z = np.array((self.data.oMi[self.model.parents[j]] * self.model.jointPlacements[j]).rotation)
                configuration[joint.idx_q : joint.idx_q + 4] = pin.Quaternion(Z.T @ turned[name] @ Z).coeffs()
        pin.forwardKinematics(self.model, self.data, configuration)
        self.design = [np.array(M.rotation) for M in self.data.oMi]

    def place(self, configuration: Array, joint: Any, angle: float) -> None:
        if joint.nq == 1:
            configuration[joint.idx_q] = angle
        else:  # a continuous joint: cosine and sine
            configuration[joint.idx_q : joint.idx_q + 2] = np.cos(angle), np.sin(angle)

    def state(
        self, q: dict[str, Array], v: dict[str, Array], balls: dict[str, tuple[Array, Array, Array]]
    ) -> tuple[Array, Array]:
        """Configuration and velocities by joint, of balls from how what carries them and what they carry is
        turned from the design pose, and the angular velocity between these, in the world's axes.
        """
        configuration, rates = self.pin.neutral(self.model), np.zeros(self.model.nv)
        for j in range(1, self.model.njoints):
            joint, name = self.model.joints[j], self.model.names[j]
            if joint.nv == 1:
                self.place(configuration, joint, q[name][0])
                rates[joint.idx_v] = v[name][0]
            else:
                R_p, R_c, w = balls[name]
                inner = self.design[self.model.parents[j]] @ np.array(self.model.jointPlacements[j].rotation)
                outer = R_c @ self.design[j]
                quaternion = self.pin.Quaternion((R_p @ inner).T @ outer)
                configuration[joint.idx_q : joint.idx_q + 4] = quaternion.coeffs()
                rates[joint.idx_v : joint.idx_v + 3] = outer.T @ w
        return configuration, rates

    def accelerations(self, q: Array, v: Array) -> tuple[dict[str, float], float, float]:
        """Solve [M Jᵀ; J 0] exactly for all joints; return also closure errors of position and speed.

        M, the bias and the accelerations of the frames at v̇ = 0 are Pinocchio's; rows that others imply are
        left to the least squares solution.
        """
        pin, model, data = self.pin, self.model, self.data
        M = np.array(pin.crba(model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        bias = np.array(pin.nonLinearEffects(model, data, q, v))
        pin.computeJointJacobians(model, data, q)
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        aligned = pin.LOCAL_WORLD_ALIGNED
        rows, drifts, gaps = [], [], []
        for a, b, n in self.pairs:
            J = [np.array(pin.getFrameJacobian(model, data, frame, aligned))[:n] for frame in (a, b)]
            accelerated = [
                pin.getFrameClassicalAcceleration(model, data, f, aligned).vector[:n] for f in (a, b)
            ]
            rows.append(J[1] - J[0])
            drifts.append(accelerated[1] - accelerated[0])
            apart = data.oMf[a].actInv(data.oMf[b])
            gaps.append(float(np.max(np.abs(apart.translation))))
            if n == 6:
                gaps.append(float(np.max(np.abs(apart.rotation - np.eye(3)))))
        stacked, drift = np.vstack(rows), np.concatenate(drifts)
        left = float(np.max(np.abs(stacked @ v)))
        # v̇ = v̇_p + Z z, Z a basis of the null space of J: exact for redundant rows too
        U, s, Vt = np.linalg.svd(stacked)
        rank = int(np.sum(s > 1e-9 * s[0]))
        Z = Vt[rank:].T
        particular = Vt[:rank].T @ ((U[:, :rank].T @ -drift) / s[:rank])
        z = np.linalg.solve(Z.T @ M @ Z, -Z.T @ (bias + M @ particular))
        found = particular + Z @ z
        single = [j for j in range(1, model.njoints) if model.joints[j].nv == 1]
        names = {model.names[j]: found[model.joints[j].idx_v] for j in single}
        return {k: float(x) for k, x in names.items()}, max(gaps), left

    def constrained(self, q: Array, v: Array) -> Callable[[], object]:
        """A call of its own constrained dynamics (one proximal step of 1e-12) at a state, through Python."""
        pin, model, data = self.pin, self.model, self.data
        models = pin.StdVec_RigidConstraintModel()
        for a, b, n in self.pairs:
            kind = pin.ContactType.CONTACT_3D if n == 3 else pin.ContactType.CONTACT_6D
            joints = [model.frames[frame].parentJoint for frame in (a, b)]
            placed = [model.frames[frame].placement for frame in (a, b)]
            models.append(
                pin.RigidConstraintModel(kind, model, joints[0], placed[0], joints[1], placed[1], pin.LOCAL)
            )
        datas = pin.StdVec_RigidConstraintData()
        for one in models:
            datas.append(one.createData())
        pin.initConstraintDynamics(model, data, models, datas)
        settings = pin.ProximalSettings(1e-14, 1e-12, 1)
        tau = np.zeros(model.nv)
        return lambda: pin.constraintDynamics(model, data, q, v, tau, models, datas, settings)

    def nothing(self) -> Callable[[], object]:
        """The same call on next to nothing: what a call costs in itself."""
        pin = self.pin
        model = pin.Model()
        model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "pendulum")
        model.appendBodyToJoint(1, pin.Inertia.Random(), pin.SE3.Identity())
        data, one = model.createData(), np.zeros(1)
        none = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        pin.initConstraintDynamics(model, data, *none)
        settings = pin.ProximalSettings(1e-14, 1e-12, 1)
        return lambda: pin.constraintDynamics(model, data, one, one, one, *none, settings)


def retyped(pin: Any, model: Any, kinds: dict[str, str]) -> Any:
    """A model with joints of other kinds: balls, and two hinges behind one another for cardan joints."""
    if not kinds:
        return model
    new, outer = pin.Model(), [0]
    for j in range(1, model.njoints):
        name, kind = model.names[j], kinds.get(model.names[j], "")
        joint, parent, placed = model.joints[j], outer[model.parents[j]], model.jointPlacements[j]
        if kind == "SPHERICAL":
            joint = pin.JointModelSpherical()
        elif kind:
            first, second = tuple(kind[-2:] if kind.startswith("UJOINT") else "XY")
            axes = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}
            parent = new.addJoint(parent, axes[first](), placed, f"{name}/1")
            joint, placed, name = axes[second](), pin.SE3.Identity(), f"{name}/2"
        outer.append(new.addJoint(parent, joint, placed, name))
        new.appendBodyToJoint(outer[j], model.inertias[j], pin.SE3.Identity())
    for frame in list(model.frames)[1:]:
        new.addFrame(pin.Frame(frame.name, outer[frame.parentJoint], frame.placement, frame.type), False)
    return new
