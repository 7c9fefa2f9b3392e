"""Plain rigid bodies in maximal coordinates: block-diagonal M, rows that touch at most two bodies.

Velocities are v = [linear; angular] of every body's centre of mass, in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions, Integers, two_body_rows
from ce_dynamics.contact.gyroscopic import cross, rotate_all, spin
from ce_dynamics.contact.problem import Problem
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.inertia import check_inertia
from ce_dynamics.simulation.integrators.kernels import call, kernel

NO_BODY = -1


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A free rigid body and its initial state.

    Parameters
    ----------
    name : str
    mass : float
        [kg], positive.
    inertia : (3,) or (3, 3) array_like
        About the centre of mass, in body axes [kg m²], positive definite.
    position : sequence of 3 floats
        Of the centre of mass [m].
    orientation : sequence of 4 floats
        Unit quaternion (w, x, y, z) of the body axes.
    velocity, angular_velocity : sequences of 3 floats
        World axes [m/s], [rad/s].

    Raises
    ------
    ModelError
        If a mass or principal moment is not positive, a number not finite, or the quaternion not of unit
        length.
    """

    name: str
    mass: float
    inertia: ArrayLike
    position: ArrayLike = (0.0, 0.0, 0.0)
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        owner = f"body {self.name!r}"
        checks.name_of("RigidBody: name", self.name)
        finite_number(self.mass, owner, "mass", above=0.0)
        inertia = check_inertia(self.inertia, self.name)
        smallest = float(np.linalg.eigvalsh(inertia)[0])
        if not smallest > 0.0:
            raise ModelError(f"{owner}: principal moment of inertia {smallest:g} must be positive")
        object.__setattr__(self, "inertia", inertia)
        for what in ("position", "velocity", "angular_velocity"):
            object.__setattr__(self, what, finite_vector(getattr(self, what), owner, what))
        quaternion = np.array(checks.numbers(f"{owner}: orientation", self.orientation))
        if quaternion.shape != (4,) or not abs(float(np.linalg.norm(quaternion)) - 1.0) < 1e-9:
            raise ModelError(
                f"{owner}: orientation {self.orientation!r} must be a unit quaternion (w, x, y, z)"
            )
        object.__setattr__(self, "orientation", quaternion)


class RigidState(NamedTuple):
    """State of n bodies.

    Attributes
    ----------
    r : (n, 3) array
        Centres of mass [m].
    quaternion : (n, 4) array
    v : (n, 6) array
        [linear; angular], world axes.
    """

    r: Floats
    quaternion: Floats
    v: Floats


class RigidRows(NamedTuple):
    """Rows of Gᵀ over plain rigid bodies.

    Attributes
    ----------
    body_a, body_b : (m,) int arrays
        The bodies of a row; -1 for none.
    J_a, J_b : (m, 6) arrays
        Their entries of Gᵀ, over [linear; angular].
    psi : (m,) array
        Gaps of unilateral rows.
    drift : (m,) array
        ∂ψ/∂t.
    """

    body_a: Integers
    body_b: Integers
    J_a: Floats
    J_b: Floats
    psi: Floats
    drift: Floats


class RigidBodies:
    """Free rigid bodies under gravity.

    Parameters
    ----------
    bodies : sequence of RigidBody
    gravity : sequence of 3 floats
        [m/s²].

    Raises
    ------
    ModelError
        If two bodies have the same name or gravity is not finite.
    """

    def __init__(self, bodies: Sequence[RigidBody], gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        bodies = checks.instances("rigid bodies: bodies", bodies, RigidBody, "a RigidBody")
        self.names = [body.name for body in bodies]
        for name in self.names:
            if self.names.count(name) > 1:
                raise ModelError(f"body {name!r} exists twice; give every body its own name")
        self.gravity = finite_vector(gravity, "rigid bodies", "gravity")
        self.mass = np.array([body.mass for body in bodies], dtype=float)
        self.inertia = np.array([body.inertia for body in bodies], dtype=float).reshape(-1, 3, 3)
        self.start = RigidState(
            np.array([body.position for body in bodies], dtype=float).reshape(-1, 3),
            np.array([body.orientation for body in bodies], dtype=float).reshape(-1, 4),
            np.array([np.hstack((body.velocity, body.angular_velocity)) for body in bodies]).reshape(-1, 6),
        )

    def index(self, name: str) -> int:
        """Return the number of a body.

        Raises
        ------
        ModelError
            If there is none of that name.
        """
        if name not in self.names:
            raise ModelError(f"no body {name!r}; there are {self.names}")
        return self.names.index(name)

    def blocks(self, R: Floats) -> Floats:
        """Return M, (n, 6, 6): m 1 and R I Rᵀ."""
        M = np.zeros((len(self.mass), 6, 6))
        M[:, range(3), range(3)] = self.mass[:, None]
        M[:, 3:, 3:] = R @ self.inertia @ R.transpose(0, 2, 1)
        return M

    def inverse_blocks(self, R: Floats) -> Floats:
        """Return M⁻¹, (n, 6, 6)."""
        Y = np.zeros((len(self.mass), 6, 6))
        Y[:, range(3), range(3)] = 1.0 / self.mass[:, None]
        Y[:, 3:, 3:] = R @ np.linalg.inv(self.inertia) @ R.transpose(0, 2, 1)
        return Y

    def free_velocities(self, state: RigidState, R: Floats, h: float, forces: Floats | None = None) -> Floats:
        """Return velocities after h without impulses, (n, 6): gravity, given wrenches, gyroscopic terms.

        The last are taken at the middle of the step; see `ce_dynamics.contact.gyroscopic`.
        """
        v = state.v.copy()
        v[:, :3] += h * self.gravity
        in_body = np.einsum("nji,nj->ni", R, state.v[:, 3:])
        spin(self.inertia, in_body.copy(), h, in_body)
        v[:, 3:] = np.einsum("nij,nj->ni", R, in_body)
        if forces is not None:
            f = np.asarray(forces, dtype=float).reshape(v.shape)
            v += h * np.einsum("nij,nj->ni", self.inverse_blocks(R), f)
        return v

    def energy(self, state: RigidState) -> float:
        """Return kinetic and gravitational energy [J]."""
        M = self.blocks(rotations(state.quaternion))
        kinetic = 0.5 * float(np.einsum("ni,nij,nj->", state.v, M, state.v))
        return kinetic - float(np.sum(self.mass * (state.r @ self.gravity)))

    def problem(
        self,
        state: RigidState,
        rows: RigidRows,
        conditions: Conditions,
        h: float,
        c: Floats,
        forces: Floats | None = None,
    ) -> Problem:
        """Return the complementarity problem of one step.

        Parameters
        ----------
        state : RigidState
        rows : RigidRows
        conditions : Conditions
        h : float
            [s].
        c : (m,) array
            Given part of w: ψ/h + ∂ψ/∂t or what replaces it.
        forces : (n, 6) array, optional
            Applied forces and torques about the centres of mass, world axes.
        """
        R = rotations(state.quaternion)
        v_free = self.free_velocities(state, R, h, forces)
        return Problem(*self.matrices(R, rows), v_free.ravel(), c, conditions)

    def matrices(self, R: Floats, rows: RigidRows) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """Return gᵀ and (M⁻¹ G)ᵀ."""
        Y = self.inverse_blocks(R)
        Y_a = np.einsum("mij,mj->mi", Y[rows.body_a], rows.J_a)
        Y_b = np.einsum("mij,mj->mi", Y[rows.body_b], rows.J_b)
        a, b = (np.ascontiguousarray(part, dtype=np.int64) for part in (rows.body_a, rows.body_b))
        pairs, n = (a, b, np.arange(len(a)), 1), 6 * len(self.mass)
        return two_body_rows(*pairs, rows.J_a, rows.J_b, n), two_body_rows(*pairs, Y_a, Y_b, n)

    def move(self, state: RigidState, v_plus: Floats, h: float) -> RigidState:
        """Return u⁺ = u + V v⁺ h; orientations turn by h ω⁺ about it."""
        v = v_plus.reshape(state.v.shape)
        quaternion = rotate_quaternions(state.quaternion, quaternion_rates(state.quaternion, v), h)
        return RigidState(state.r + h * v[:, :3], quaternion, v)


def rotations(quaternion: Floats) -> Floats:
    """Return rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    R = np.empty((len(quaternion), 3, 3))
    find_rotations(np.ascontiguousarray(quaternion), R)
    return R


def quaternion_rates(quaternion: Floats, v: Floats) -> Floats:
    """Return ½ (0, ω) ⊗ quaternion for world angular velocities, the last three of v (n, 6); (n, 4)."""
    rate = np.empty_like(quaternion)
    find_quaternion_rates(quaternion, v, rate)
    return rate


def rotate_quaternions(quaternion: Floats, rate: Floats, h: float) -> Floats:
    """Return unit quaternions (n, 4) after h at constant angular velocity."""
    new = np.empty_like(quaternion)
    rotate_all(quaternion, rate, h, new)
    return new


@kernel
def find_rotations(quaternion, R):  # type: ignore[no-untyped-def]
    """Find rotation matrices of unit quaternions."""
    for k in range(len(quaternion)):
        w, x, y, z = quaternion[k, 0], quaternion[k, 1], quaternion[k, 2], quaternion[k, 3]
        R[k, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
        R[k, 0, 1] = 2.0 * (x * y - w * z)
        R[k, 0, 2] = 2.0 * (x * z + w * y)
        R[k, 1, 0] = 2.0 * (x * y + w * z)
        R[k, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
        R[k, 1, 2] = 2.0 * (y * z - w * x)
        R[k, 2, 0] = 2.0 * (x * z - w * y)
        R[k, 2, 1] = 2.0 * (y * z + w * x)
        R[k, 2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def find_quaternion_rates(quaternion, v, rate):  # type: ignore[no-untyped-def]
    """Return ½ (0, ω) ⊗ quaternion for world angular velocities, the last three of v."""
    for k in range(len(quaternion)):
        s, a, b, c = quaternion[k, 0], quaternion[k, 1], quaternion[k, 2], quaternion[k, 3]
        x, y, z = 0.5 * v[k, 3], 0.5 * v[k, 4], 0.5 * v[k, 5]
        rate[k, 0] = -(x * a + y * b + z * c)
        rate[k, 1] = s * x + y * c - z * b
        rate[k, 2] = s * y + z * a - x * c
        rate[k, 3] = s * z + x * b - y * a


@kernel
def rotate_inertias(R, inertia, out):  # type: ignore[no-untyped-def]
    """Compute R I Rᵀ of every body."""
    for k in range(len(R)):
        for i in range(3):
            a, b, c = 0.0, 0.0, 0.0  # row i of R I
            for j in range(3):
                a += R[k, i, j] * inertia[k, j, 0]
                b += R[k, i, j] * inertia[k, j, 1]
                c += R[k, i, j] * inertia[k, j, 2]
            for j in range(3):
                out[k, i, j] = a * R[k, j, 0] + b * R[k, j, 1] + c * R[k, j, 2]


@kernel
def contact_rows(S, found, r, per, J_a, J_b):  # type: ignore[no-untyped-def]
    """Compute Gᵀ of the rows of every meeting: [e; lever × e] pushes along e, [0; e] turns about it.

    Normal, two of friction, two of rolling (with five rows or six), one of spinning; the second body gets the
    opposite.
    """
    lever, turn = np.empty(3), np.empty(3)
    for k in range(len(J_a) // per):
        for i in range(3):
            S.normal[i] = found.n[k, i]
        call(S.frame[0], S.frame[1])
        for body, J, sign in ((found.first[k], J_a, 1.0), (found.second[k], J_b, -1.0)):
            for i in range(3):
                lever[i] = found.C[k, i] - (r[body, i] if body >= 0 else 0.0)
            for row in range(per):
                pushes = row < 3
                tangent = row - 1 if pushes else row - 3 if row < 5 <= per else -1
                e = S.tangents[3 * tangent : 3 * tangent + 3] if tangent >= 0 else S.normal
                cross(lever, e, turn)
                for i in range(3):
                    J[per * k + row, i] = sign * e[i] if pushes else 0.0
                    J[per * k + row, 3 + i] = sign * turn[i] if pushes else sign * e[i]


@kernel
def responses(body, per, J, mass, Y, out):  # type: ignore[no-untyped-def]
    """Compute (M⁻¹ G)ᵀ: linear parts by the mass, angular ones by R I⁻¹ Rᵀ."""
    for k in range(len(body)):
        b = body[k]
        if b < 0:
            continue
        for row in range(per * k, per * k + per):
            for i in range(3):
                out[row, i] = J[row, i] / mass[b]
                out[row, 3 + i] = Y[b, i, 0] * J[row, 3] + Y[b, i, 1] * J[row, 4] + Y[b, i, 2] * J[row, 5]


@kernel
def to_body_axes(R, v, w):  # type: ignore[no-untyped-def]
    """Return angular velocities in body axes."""
    for k in range(len(R)):
        for i in range(3):
            w[k, i] = R[k, 0, i] * v[k, 3] + R[k, 1, i] * v[k, 4] + R[k, 2, i] * v[k, 5]


@kernel
def to_world_axes(R, w, v):  # type: ignore[no-untyped-def]
    """Return angular velocities in world axes."""
    for k in range(len(R)):
        for i in range(3):
            v[k, 3 + i] = R[k, i, 0] * w[k, 0] + R[k, i, 1] * w[k, 1] + R[k, i, 2] * w[k, 2]
