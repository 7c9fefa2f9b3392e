"""Campaign ``robots.answers FOLDER``: answers of robots' models, beside algebra on Pinocchio's terms.

At random states, with Z the velocities of all joints for unit independent rates and Pinocchio's M, g, J: mass
matrix ZᵀMZ, gravity compensation Zᵀg, orientations, centre of mass and centroidal momentum, a PD motor within
its limit, operational space (J Z (ZᵀMZ)⁻¹ ZᵀJᵀ)⁻¹, what is free while a point is held (which then does not
accelerate, by differences), and the way back from a position and from a dependent coordinate.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, skew
from tests.campaigns.robots.__main__ import robots
from tests.campaigns.robots.compare import SEED, Reference, assembles, lengths

STATES, AROUND = 4, 0.4
EPSILON = 1e-6  # of differences in time, of second order: 1e-12 relative, and rounding of 1e-16 / 1e-6
GAIN, DAMPING, LIMIT = 5.0, 0.3, 1.0


class Seen:
    """The largest relative difference of each answer."""

    def __init__(self) -> None:
        self.worst: dict[str, float] = {}

    def compare(self, what: str, found: Any, expected: Any, size: float = 0.0) -> None:
        """Differences over the largest of what is expected, or a size."""
        a, b = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        scale = size or max(float(np.max(np.abs(b))), 1e-300)
        self.worst[what] = max(self.worst.get(what, 0.0), float(np.max(np.abs(a - b))) / scale)

    def __str__(self) -> str:
        return ", ".join(f"{what} {worst:.0e}" for what, worst in self.worst.items())


class Answers:
    """A robot whose first coordinate has a motor that holds it by PD within a limit."""

    def __init__(self, urdf: Path, loops: Path) -> None:
        system = ce.read_urdf(urdf, loops=loops)
        self.first = ce.compile(system).layout.q[0].name
        system.add_input("wanted angle", "rad")
        body, gain, bias = system.find(self.first), (GAIN, 0, 0), (0, -GAIN, -DAMPING)
        system.add_force(
            ce.Actuator("PD", body, command="wanted angle", gain=gain, bias=bias, force_range=(-LIMIT, LIMIT))
        )
        self.model = ce.compile(system)
        self.reference = Reference(self.model, urdf, loops)
        assert self.reference.peer is not None
        self.peer = self.reference.peer
        self.pin, self.m, self.d = self.peer.pin, self.peer.model, self.peer.data
        joint_of = self.reference.joint_of
        self.joint = {b: self.m.getJointId(j) for b, j in joint_of.items() if self.m.existJointName(j)}
        self.seen = Seen()

    def terms(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Pinocchio's state, and Z; its data hold frames and Jacobians at the state."""
        at, speed = self.reference.peer_state(q, v)
        Z = np.array([self.reference.peer_state(q, unit)[1] for unit in np.eye(len(v))]).T
        self.pin.computeJointJacobians(self.m, self.d, at)
        return at, speed, Z

    def point(self, body: str, q: Array, v: Array, Z: Array) -> Array:
        """Jacobian of a body's centre of mass."""
        poses, frame = self.model.poses(np.concatenate((q, v))), self.d.oMi[self.joint[body]]
        J = self.pin.getJointJacobian(self.m, self.d, self.joint[body], self.pin.LOCAL_WORLD_ALIGNED) @ Z
        arm = poses.positions[poses.bodies.index(body)] - frame.translation
        return np.asarray(J[:3] - skew(arm) @ J[3:])

    def inputs(self, angle: float) -> Array:
        """The PD motor's wanted angle; the motors of the file do nothing."""
        return self.model.inputs_with(inputs={"wanted angle": angle})

    def at(self, q: Array, v: Array, angle: float) -> None:
        """Compare at one state."""
        model, seen, pin, m, d = self.model, self.seen, self.pin, self.m, self.d
        y, n, u = np.concatenate((q, v)), len(v), self.inputs(angle)
        at, speed, Z = self.terms(q, v)
        upper = np.triu(pin.crba(m, d, at))
        M = Z.T @ (upper + np.triu(upper, 1).T) @ Z
        seen.compare("mass matrix", model.mass_matrix(q), M)
        weight = Z.T @ pin.computeGeneralizedGravity(m, d, at)
        motor = np.zeros(n)
        motor[0] = np.clip(GAIN * (angle - q[0]), -LIMIT, LIMIT)
        seen.compare("gravity", model.inverse_dynamics(q, 0 * v, 0 * v, u=u), weight - motor)
        moving = np.zeros(n)
        moving[0] = np.clip(GAIN * (angle - q[0]) - DAMPING * v[0], -LIMIT, LIMIT)
        idle = q[0] + DAMPING * v[0] / GAIN
        low, high = (model.accelerations(q, v, u=self.inputs(wanted)) for wanted in (idle, angle))
        seen.compare("motor", M @ (high - low), moving, LIMIT)
        poses = model.poses(y, u=u)
        for body, j in self.joint.items():
            R = poses.rotations[poses.bodies.index(body)]
            seen.compare("orientations", R, d.oMi[j].rotation @ self.peer.design[j].T)
        self.centroidal(q, v, at, speed, Z)
        tip, other = [*self.joint][-1], [*self.joint][len(self.joint) // 3]
        J, J_c = self.point(tip, q, v, Z), self.point(other, q, v, Z)
        A = J @ np.linalg.solve(M, J.T)
        D = np.linalg.svd(A)[0][:, : np.linalg.matrix_rank(A, 1e-9)].T
        ends = [model.point(body, model.system.find(body).com.astype(float)) for body in (tip, other)]
        space = model.operational_space(ends[0], y=y, u=u, directions=D)
        seen.compare("operational space", space.inertia, np.linalg.inv(D @ A @ D.T))
        E = np.eye(3)[[int(np.argmax(np.linalg.norm(J_c, axis=1)))]]
        held = model.contact_space(ends[1], y=y, u=u, held=E)
        J_c = E @ J_c
        response = np.linalg.solve(M, J_c.T)
        free = np.eye(n) - response @ np.linalg.solve(J_c @ response, J_c)
        seen.compare("held", held.free, free, 1.0)
        rates = []
        for h in (EPSILON, -EPSILON):
            q_h, v_h = q + h * v, v + h * held.v_dot
            rates.append((E @ self.point(other, q_h, v_h, self.terms(q_h, v_h)[2]) @ v_h)[0])
        acceleration = (rates[0] - rates[1]) / (2.0 * EPSILON)
        seen.compare("held still", acceleration, 0.0, max(1.0, float(np.max(np.abs(held.v_dot)))))
        self.back(y, u, ends[0], poses.positions[poses.bodies.index(tip)])

    def centroidal(self, q: Array, v: Array, at: Array, speed: Array, Z: Array) -> None:
        """Centre of mass and momentum; what stands on the ground counts, and is Pinocchio's universe."""
        pin, m, d = self.pin, self.m, self.d
        found, standing = self.model.centroidal(q, v), m.inertias[0]
        moving, mass = pin.computeTotalMass(m), pin.computeTotalMass(m) + standing.mass
        c = np.array(pin.centerOfMass(m, d, at))
        com = (moving * c + standing.mass * standing.lever) / mass
        self.seen.compare("centre of mass", found.com, com, 1.0)
        A = pin.computeCentroidalMap(m, d, at) @ Z
        about = np.concatenate((A[3:] + skew(c - com) @ A[:3], A[:3]))
        self.seen.compare("centroidal matrix", found.A, about)
        self.seen.compare("momentum", found.h, about @ np.linalg.lstsq(Z, speed)[0])

    def back(self, y: Array, u: Array, point: Any, r: Array) -> None:
        """Check that inverse kinematics and assembly return to the state, also by dependent ones."""
        model = self.model
        found = model.inverse_kinematics({point: r}, u=u)
        there = found.poses.positions[found.poses.bodies.index(point.frame.body.name)]
        self.seen.compare("inverse kinematics", there, r, 1.0)
        q = y[: model.embedding.n_q]
        names = [entry.name for entry in model.layout.q]
        all_of = model.assemble(dict(zip(names, q, strict=True)), u=u).coordinates
        led = [b.name for S in model.embedding.aggregates for b in S.dependent if b.inboard.n_v == 1]
        slopes = model.slope_of(y, u, [list(all_of).index(name) for name in led])
        k, j = np.unravel_index(np.argmax(np.abs(slopes)), slopes.shape)
        wanted = {name: all_of[name] for name in (*names[:j], *names[j + 1 :], led[k])}
        again = model.assemble(wanted, y=y + 0.05 * np.eye(len(y))[j], u=u).coordinates
        self.seen.compare("assembly", [again[name] for name in names], q, 1.0)


def answered(urdf: Path, loops: Path) -> Seen:
    """Return the answers of a robot."""
    answers, rng = Answers(urdf, loops), np.random.default_rng(SEED)
    model = answers.model
    q0, _, _ = model.layout.split(model.y0)
    done = 0
    while done < STATES:
        q = q0 + rng.uniform(-AROUND, AROUND, len(q0)) * lengths(model, len(q0))
        v = rng.uniform(-1.0, 1.0, model.embedding.n_v)
        if assembles(model, q, v):
            answers.at(q, v, float(q[0] + rng.uniform(-0.4, 0.4)))
            done += 1
    return answers.seen


def main() -> int:
    """A line for every robot of a folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign robots.answers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="words in the paths of the robots that are wanted")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ce.ImmobilityWarning)
    for urdf, loops in robots(given.folder, given.only):
        print(f"{urdf.parent.name:24s} {answered(urdf, loops)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
