"""Jacobians and biases of body-fixed points and frames, in the world, loops included.

The twist [ω; v] of a frame on a body is J v + drift: going from the body to the ground, every aggregated body
S on the way moves the frame by the columns of its body there, taken to where the frame is now.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.dynamics.inverse_dynamics import body_accelerations
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.mechanism.body import Body


class Columns(NamedTuple):
    """Motion of a frame as a function of velocities and accelerations, world axes."""

    r: Array  # (3,): Origin [m]
    R: Array  # (3, 3): Axes as columns
    V: Array  # (6,): [ω; v]
    J: Array  # (6, n_v)
    drift: Array  # (6,): V at v = 0
    bias: Array  # (6,): V̇ at v̇ = 0


def frame_columns(outward: Outward, body: Body, at: Array) -> Columns:
    """Return the motion of the frame of a body at the point that is at ``at`` in the design pose."""
    ground = outward.embedding.system.ground
    place = outward.placement(body, ground)
    e = place.R @ (at - body.com)
    r = place.r + e
    V = spatial(place.w, place.v + cross(place.w, e))
    J, drift = jacobian(outward, body, r)
    return Columns(r, place.R, V, J, drift, bias(outward, body, e))


def frame_jacobian(outward: Outward, body: Body, at: Array) -> Array:
    """Return J (6, n_v) of the frame of a body at the point that is at ``at`` in the design pose."""
    place = outward.placement(body, outward.embedding.system.ground)
    return jacobian(outward, body, place.r + place.R @ (at - body.com))[0]


def jacobian(outward: Outward, body: Body, r: Array) -> tuple[Array, Array]:
    """Return J (6, n_v) and drift (6,) of the point of a body that is at r in the world now."""
    embedding = outward.embedding
    ground = embedding.system.ground
    columns: dict[int, Array] = {}
    drift = zeros(6)
    while not body.is_ground:
        S = embedding.owner[body.name]
        p, j = outward.placement(S.parent, ground), outward.relative_to_p(body)
        point = j.offset(p.R.T @ (r - p.r) - j.origin.r, outward.motions[S.name].theta_dot)
        drift = drift + spatial(p.R @ j.w_drift, p.R @ point.drift)
        for k, place in enumerate(embedding.places(S)):
            columns[place] = spatial(p.R @ j.w[:, k], p.R @ point.J[:, k])
        body = S.parent
    entries: list[list[Scalar]] = [list(columns.get(k, zeros(6))) for k in range(embedding.n_v)]
    return array(entries).reshape(embedding.n_v, 6).T, drift


def bias(outward: Outward, body: Body, e: Array) -> Array:
    """Return V̇ at v̇ = 0 of the point that is e (world axes) from the centre of mass of a body."""
    embedding = outward.embedding
    members = {S.name: outward.members(S) for S in embedding.aggregates}
    alpha = body_accelerations(outward, members, zeros(embedding.n_v))[body.name]
    place = outward.placement(body, embedding.system.ground)
    turning = place.R @ alpha[:3]
    swing = cross(turning, e) + cross(place.w, cross(place.w, e))
    return spatial(turning, place.R @ alpha[3:] + embedding.system.gravity + swing)


class BodyColumns(NamedTuple):
    """All bodies at one instant, each relative to what carries its aggregated body: n times O(1) numbers."""

    com: Array  # (n, 3): Centres of mass in the design pose
    # r, w, v (n, 3): Centres of mass, angular velocities and velocities in the world
    r: Array
    w: Array
    v: Array
    R: Array  # (n, 3, 3): Axes in the world
    # turning, a (n, 3): Angular acceleration, and acceleration of the centre of mass, at v̇ = 0, in the world
    turning: Array
    a: Array
    J: Array  # (sum of 6 N,): Blocks of Hᵀ(S), row by row, of body after body
    drift: Array  # (n, 6): The same for η_S


def body_columns(outward: Outward) -> BodyColumns:
    """Compute the `BodyColumns`, from which the frame of any body follows."""
    embedding = outward.embedding
    ground, gravity = embedding.system.ground, embedding.system.gravity
    members = {S.name: outward.members(S) for S in embedding.aggregates}
    alpha = body_accelerations(outward, members, zeros(embedding.n_v))
    of = {j.body.name: j for group in members.values() for j in group}
    bodies = embedding.system.bodies
    places = [outward.placement(body, ground) for body in bodies]
    return BodyColumns(
        com=array(body.com for body in bodies),
        r=array(p.r for p in places),
        w=array(p.w for p in places),
        v=array(p.v for p in places),
        R=array(p.R for p in places),
        turning=array(p.R @ alpha[b.name][:3] for b, p in zip(bodies, places, strict=True)),
        a=array(p.R @ alpha[b.name][3:] + gravity for b, p in zip(bodies, places, strict=True)),
        J=array(entry for body in bodies for entry in of[body.name].J.ravel()),
        drift=array(of[body.name].drift for body in bodies),
    )


class MovingBodies:
    """Frames of any body from the `BodyColumns` of one state, on floats."""

    def __init__(self, embedding: Embedding, columns: BodyColumns) -> None:
        self._embedding, self._columns = embedding, columns
        bodies = embedding.system.bodies
        self._place = {body.name: k for k, body in enumerate(bodies)}
        owners = [embedding.owner[body.name] for body in bodies]
        parents = [None if S.parent.is_ground else self._place[S.parent.name] for S in owners]
        R_p = np.array([np.eye(3) if k is None else columns.R[k] for k in parents]).reshape(-1, 3, 3)
        # blocks of all bodies beside each other: whose, which velocity, columns in world axes
        self._whose = np.array([k for k, S in enumerate(owners) for _ in range(S.N)], dtype=int)
        places = {S.name: embedding.places(S) for S in embedding.aggregates}
        self._velocity = np.array([i for S in owners for i in places[S.name]], dtype=int)
        ends = np.cumsum([0, *(6 * S.N for S in owners)])
        blocks = [columns.J[i:k].reshape(6, -1) for i, k in pairwise(ends)]
        J = np.concatenate([np.zeros((6, 0)), *blocks], axis=1)
        self._w, self._v = (rotate_rows(R_p[self._whose], part.T) for part in (J[:3], J[3:]))
        self._drift_w, self._drift_v = (
            rotate_rows(R_p, columns.drift[:, part]) for part in (slice(3), slice(3, 6))
        )

    def frame(self, body: Body, at: Array) -> Columns:
        """Return the motion of the frame of a body at a point, as `frame_columns` does."""
        c, k = self._columns, self._place[body.name]
        e = c.R[k] @ (np.asarray(at, dtype=float) - c.com[k])
        r = c.r[k] + e
        V = np.concatenate((c.w[k], c.v[k] + np.cross(c.w[k], e)))
        J, drift = self._jacobian(body, r)
        swing = np.cross(c.turning[k], e) + np.cross(c.w[k], np.cross(c.w[k], e))
        return Columns(r, c.R[k], V, J, drift, np.concatenate((c.turning[k], c.a[k] + swing)))

    def _jacobian(self, body: Body, r: Array) -> tuple[Array, Array]:
        """Return J (6, n_v) and drift (6,) of the point of a body that is at r in the world."""
        on_the_way = np.zeros(len(self._place), dtype=bool)
        while not body.is_ground:
            on_the_way[self._place[body.name]] = True
            body = self._embedding.owner[body.name].parent
        e = r - self._columns.r
        columns = on_the_way[self._whose]
        w, whose = self._w[columns], self._whose[columns]
        J = np.zeros((6, self._embedding.n_v))
        J[:3, self._velocity[columns]] = w.T
        J[3:, self._velocity[columns]] = (self._v[columns] + np.cross(w, e[whose])).T
        drift_w = self._drift_w[on_the_way]
        drift_v = self._drift_v[on_the_way] + np.cross(drift_w, e[on_the_way])
        return J, np.concatenate((drift_w.sum(axis=0), drift_v.sum(axis=0)))


def rotate_rows(R: Array, vectors: Array) -> Array:
    """Return every vector by the rotation matrix beside it."""
    result: Array = np.einsum("kij,kj->ki", R, vectors)
    return result
