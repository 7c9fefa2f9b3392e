"""Dense spatial operators H, φ, M over all bodies of a system, in world axes at centres of mass.

Assembled hinge by hinge from positions and the hinges' own matrices; of the embedding only X_S and η_S are
used.  The block columns of φ_S are inside the one φ = (1 − E_φ)⁻¹ of the spanning tree.
"""

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from tests.ce_dynamics.recursion_systems import Case

Floats = NDArray[np.float64]


def tilde(r: Array) -> Floats:
    x, y, z = (float(e) for e in r)
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def phi(r: Array) -> Floats:
    """φ for the shift r, as a matrix."""
    return np.block([[np.eye(3), tilde(r)], [np.zeros((3, 3)), np.eye(3)]])


def in_world(R: Array) -> Floats:
    return np.kron(np.eye(2), np.asarray(R, dtype=float))


class Dense:
    """The operators at one instant; J = φᵀ Hᵀ X, V are velocities."""

    def __init__(self, instant: Instant) -> None:
        self.instant, self.outward = instant, instant.outward
        self.embedding = instant.embedding
        self.system = self.embedding.system
        self.bodies = self.system.bodies
        self.place = {body.name: 6 * i for i, body in enumerate(self.bodies)}
        n = 6 * len(self.bodies)
        self.M, E = np.zeros((n, n)), np.zeros((n, n))
        H, X, eta = [], [], []
        for body in self.bodies:
            k, r, R = self.place[body.name], self.r(body), self.R(body)
            self.M[k : k + 3, k : k + 3] = R @ body.inertia @ R.T
            self.M[k + 3 : k + 6, k + 3 : k + 6] = body.mass * np.eye(3)
            if not body.carrier.is_ground:
                i = self.place[body.carrier.name]
                E[i : i + 6, k : k + 6] = phi(r - self.r(body.carrier))
            for row, X_row, eta_row in self._hinge(body):
                H.append(np.concatenate((np.zeros(k), row, np.zeros(n - k - 6))))
                X.append(X_row)
                eta.append(eta_row)
        self.phi = np.linalg.inv(np.eye(n) - E)
        self.H, self.X = np.array(H).reshape(-1, n), np.array(X).reshape(-1, self.embedding.n_v)
        self.eta = np.array(eta, dtype=float)
        self.J = self.phi.T @ self.H.T @ self.X
        self.drift = self.phi.T @ self.H.T @ self.eta
        self.V = self.J @ instant.v + self.drift

    def r(self, body: Body) -> Floats:
        return np.asarray(self.outward.placement(body, self.system.ground).r, dtype=float)

    def R(self, body: Body) -> Floats:
        return np.asarray(self.outward.placement(body, self.system.ground).R, dtype=float)

    def _hinge(self, body: Body) -> list[tuple[Floats, Floats, float]]:
        """Rows of H at the centre of mass, of X over all independent velocities, and η."""
        S = self.embedding.owner[body.name]
        known = self.outward.motions[S.name].hinge_motions[body.name]
        at = self.outward.point(body, body.inboard.at, self.system.ground).r
        rows = body.inboard.H(known.c) @ in_world(self.R(body.carrier)).T @ phi(self.r(body) - at)
        result = []
        for row, X_row, eta in zip(rows, known.X, known.eta, strict=True):
            wide = np.zeros(self.embedding.n_v)
            for other in S.independent:
                wide[self.embedding.v_of[other.name]] = X_row[S.columns(other)]
            result.append((row, wide, float(eta)))
        return result

    def observed_velocities(self) -> Floats:
        """[ω; v] of all bodies by the observer."""
        placements = [self.outward.placement(body, self.system.ground) for body in self.bodies]
        return np.concatenate([np.concatenate((p.w, p.v)) for p in placements]).astype(float)

    def positions(self) -> Floats:
        return np.concatenate([self.r(body) for body in self.bodies])

    def mass_matrix(self) -> Floats:
        return self.J.T @ self.M @ self.J

    def applied(self) -> Floats:
        """Wrenches of the loads and weights on all bodies."""
        result = np.zeros(len(self.M))
        for body in self.bodies:
            k = self.place[body.name]
            result[k + 3 : k + 6] = body.mass * self.system.gravity
            if body.name in self.instant.loads.wrenches:
                p = self.embedding.owner[body.name].parent
                result[k : k + 6] += in_world(self.R(p)) @ self.instant.loads.wrenches[body.name]
        return result

    def hinge_torques(self) -> Floats:
        torques = self.instant.loads.torques
        parts = [torques.get(body.name, np.zeros(body.inboard.n_v)) for body in self.bodies]
        return np.concatenate(parts).astype(float)

    def gyroscopic(self) -> Floats:
        result = np.zeros(len(self.M))
        for k in self.place.values():
            w = self.V[k : k + 3]
            result[k : k + 3] = np.cross(w, self.M[k : k + 3, k : k + 3] @ w)
        return result

    def force_needed(self, acceleration: Array) -> Floats:
        """Return the forces that hinges and closures must provide for every body."""
        return self.M @ acceleration + self.gyroscopic() - self.applied()

    def generalised(self, acceleration: Array) -> Floats:
        """T that the independent hinges need on top of the loads."""
        return self.J.T @ self.force_needed(acceleration) - self.X.T @ self.hinge_torques()


def accelerations(case: Case, v_dot: Array) -> Floats:
    """Accelerations of all bodies by finite differences of observed velocities."""
    return np.asarray(case.derivative(lambda instant: Dense(instant).observed_velocities(), v_dot))
