"""Absolute states: every body as if it were free, in world axes; those of an embedded system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, concatenate, cross, dot, zeros
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.mechanism.body import Body

POSITIONS = 7
"""Per body in p: [x y z, qw qx qy qz], centre of mass in the world and the unit quaternion body to world."""

VELOCITIES = 6
"""Per body in V: [wx wy wz, vx vy vz], angular velocity and velocity of the centre of mass in world axes."""


class BodyState(NamedTuple):
    """A body's motion in the world.

    Attributes
    ----------
    R : (3, 3) array
        Body axes to world axes.
    r, v : (3,) arrays
        Centre of mass and its velocity.
    w : (3,) array
        Angular velocity.
    """

    R: Array
    r: Array
    w: Array
    v: Array


AT_REST = BodyState(IDENTITY, zeros(3), zeros(3), zeros(3))
"""The ground."""


def body_states(bodies: Sequence[Body], p: Array, V: Array) -> dict[str, BodyState]:
    """Return states of all bodies, and of the ground, from the vectors p and V."""
    states = {"ground": AT_REST}
    for k, body in enumerate(bodies):
        position, twist = p[POSITIONS * k : POSITIONS * (k + 1)], V[VELOCITIES * k : VELOCITIES * (k + 1)]
        R = rotation_from_quaternion(normalise(position[3:]))
        states[body.name] = BodyState(R, position[:3], twist[:3], twist[3:])
    return states


def position_vector(bodies: Sequence[Body], states: Mapping[str, BodyState]) -> Array:
    """Return the vector p of given states (floats only)."""
    from scipy.spatial.transform import Rotation  # here, because it loads slowly and few need it

    parts: list[Array] = []
    for body in bodies:
        x, y, z, w = Rotation.from_matrix(np.asarray(states[body.name].R, dtype=float)).as_quat()
        parts += [states[body.name].r, np.array((w, x, y, z))]
    return concatenate(parts).astype(float)


def velocity_vector(bodies: Sequence[Body], states: Mapping[str, BodyState]) -> Array:
    """Return the vector V of given states."""
    return concatenate([part for body in bodies for part in (states[body.name].w, states[body.name].v)])


def position_rate(p: Array, W: Array) -> Array:
    """Return ṗ for velocities W: ṙ = v and q̇ = ½ (0, ω) ⊗ q."""
    parts = []
    for k in range(len(p) // POSITIONS):
        quaternion, twist = (
            p[POSITIONS * k + 3 : POSITIONS * (k + 1)],
            W[VELOCITIES * k : VELOCITIES * (k + 1)],
        )
        parts += [twist[3:], quaternion_rate(quaternion, twist[:3])]
    return concatenate(parts)


def kinetic_energy(bodies: Sequence[Body], states: Mapping[str, BodyState]) -> Scalar:
    """Return Σ ½ ωᵀ I ω + ½ m vᵀ v."""
    total: Scalar = 0.0
    for body in bodies:
        state = states[body.name]
        w = state.R.T @ state.w
        total = total + 0.5 * dot(w, body.inertia @ w) + 0.5 * body.mass * dot(state.v, state.v)
    return total


def gravity_potential(bodies: Sequence[Body], states: Mapping[str, BodyState], gravity: Array) -> Scalar:
    """Return −Σ m g · r, zero at the world's origin."""
    total: Scalar = 0.0
    for body in bodies:
        total = total - body.mass * dot(gravity, states[body.name].r)
    return total


def point_of(body: Body, state: BodyState, at: Array) -> tuple[Array, Array]:
    """Return the world position and velocity of the body-fixed point that is at ``at`` in the design pose."""
    e = state.R @ body.local(at)
    return state.r + e, state.v + cross(state.w, e)


def compute_states(
    embedding: Embedding, layout: Layout, q: Array, v: Array, x: Array, u: Array
) -> dict[str, BodyState]:
    """Return world states of all bodies of an embedded system."""
    return observe_states(Instant(embedding, layout, q, v, x, u).outward)


def observe_states(outward: Outward) -> dict[str, BodyState]:
    """Return world states of all bodies."""
    system = outward.embedding.system
    states = {"ground": AT_REST}
    for body in system.bodies:
        place = outward.placement(body, system.ground)
        states[body.name] = BodyState(place.R, place.r, place.w, place.v)
    return states


def compute_accelerations(embedding: Embedding, q: Array, v: Array, x: Array, u: Array) -> dict[str, Array]:
    """Compute world accelerations [ω̇; acceleration of the centre of mass] of all bodies by embedding."""
    system = embedding.system
    instant = Instant(embedding, Layout(embedding), q, v, x, u)
    result = {}
    for body in system.bodies:
        R = instant.outward.placement(body, system.ground).R
        alpha = instant.accelerations.alpha[body.name]
        result[body.name] = concatenate((R @ alpha[:3], R @ alpha[3:] + system.gravity)).astype(np.float64)
    return result
