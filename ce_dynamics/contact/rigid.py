"""Plain rigid bodies in maximal coordinates: block-diagonal M, rows that touch at most two bodies.

Velocities are v = [linear; angular] of every body's centre of mass, in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions, Integers, SparseRows
from ce_dynamics.contact.gyroscopic import spun
from ce_dynamics.contact.problem import Problem
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector
from ce_dynamics.mechanism.inertia import check_inertia

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
        """Number of a body.

        Raises
        ------
        ModelError
            If there is none of that name.
        """
        if name not in self.names:
            raise ModelError(f"no body {name!r}; there are {self.names}")
        return self.names.index(name)

    def blocks(self, R: Floats) -> Floats:
        """M, (n, 6, 6): m 1 and R I Rᵀ."""
        M = np.zeros((len(self.mass), 6, 6))
        M[:, range(3), range(3)] = self.mass[:, None]
        M[:, 3:, 3:] = R @ self.inertia @ R.transpose(0, 2, 1)
        return M

    def inverse_blocks(self, R: Floats) -> Floats:
        """M⁻¹, (n, 6, 6)."""
        Y = np.zeros((len(self.mass), 6, 6))
        Y[:, range(3), range(3)] = 1.0 / self.mass[:, None]
        Y[:, 3:, 3:] = R @ np.linalg.inv(self.inertia) @ R.transpose(0, 2, 1)
        return Y

    def free_velocities(self, state: RigidState, R: Floats, h: float, forces: Floats | None = None) -> Floats:
        """Velocities after h without impulses, (n, 6): gravity, given wrenches, gyroscopic terms.

        The last are taken at the middle of the step; see `ce_dynamics.contact.gyroscopic`.
        """
        v = state.v.copy()
        v[:, :3] += h * self.gravity
        in_body = np.einsum("nji,nj->ni", R, state.v[:, 3:])
        v[:, 3:] = np.einsum("nij,nj->ni", R, spun(self.inertia, in_body, h))
        if forces is not None:
            f = np.asarray(forces, dtype=float).reshape(v.shape)
            v += h * np.einsum("nij,nj->ni", self.inverse_blocks(R), f)
        return v

    def energy(self, state: RigidState) -> float:
        """Kinetic and gravitational energy [J]."""
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
        """The complementarity problem of one step.

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

    def matrices(self, R: Floats, rows: RigidRows) -> tuple[SparseRows, SparseRows]:
        """Gᵀ and (M⁻¹ G)ᵀ."""
        Y = self.inverse_blocks(R)
        Y_a = np.einsum("mij,mj->mi", Y[rows.body_a], rows.J_a)
        Y_b = np.einsum("mij,mj->mi", Y[rows.body_b], rows.J_b)
        n = 6 * len(self.mass)
        GT = two_body_rows(rows.body_a, rows.body_b, rows.J_a, rows.J_b, n)
        return GT, two_body_rows(rows.body_a, rows.body_b, Y_a, Y_b, n)

    def move(self, state: RigidState, v_plus: Floats, h: float) -> RigidState:
        """u⁺ = u + V v⁺ h; orientations turn by h ω⁺ about it."""
        v = v_plus.reshape(state.v.shape)
        quaternion = rotate_quaternions(state.quaternion, quaternion_rates(state.quaternion, v), h)
        return RigidState(state.r + h * v[:, :3], quaternion, v)


def two_body_rows(body_a: Integers, body_b: Integers, A: Floats, B: Floats, n: int) -> SparseRows:
    """Rows with six entries for each body they touch."""
    first = np.stack((body_a, body_b), axis=1)  # (m, 2)
    there = first >= 0
    columns = 6 * first[:, :, None] + np.arange(6)
    values = np.stack((A, B), axis=1)
    starts = np.concatenate(([0], np.cumsum(6 * there.sum(axis=1))))
    return SparseRows(
        starts.astype(np.int64), columns[there].ravel().astype(np.int64), values[there].ravel(), n
    )


def rotations(quaternion: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of unit quaternions (n, 4)."""
    from ce_dynamics.contact.rigid_kernels import rotations  # here, because it loads Numba

    R = np.empty((len(quaternion), 3, 3))
    rotations(np.ascontiguousarray(quaternion), R)
    return R


def quaternion_rates(quaternion: Floats, v: Floats) -> Floats:
    """½ (0, ω) ⊗ quaternion for world angular velocities, the last three of v (n, 6); (n, 4)."""
    from ce_dynamics.contact.rigid_kernels import quaternion_rates  # here, because it loads Numba

    rate = np.empty_like(quaternion)
    quaternion_rates(quaternion, v, rate)
    return rate


def rotate_quaternions(quaternion: Floats, rate: Floats, h: float) -> Floats:
    """Unit quaternions (n, 4) after h at constant angular velocity."""
    from ce_dynamics.contact.rigid_kernels import rotate_all  # here, because it loads Numba

    new = np.empty_like(quaternion)
    rotate_all(quaternion, rate, h, new)
    return new


def levers(R: Floats, body: Integers, local: Array) -> Floats:
    """Body-fixed vectors (m, 3) of the given bodies in world axes; as they are where there is no body."""
    e = np.array(local, dtype=float)
    tied = body >= 0
    e[tied] = np.einsum("mij,mj->mi", R[body[tied]], e[tied])
    return e
