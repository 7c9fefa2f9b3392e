"""Jacobians and biases of body-fixed points and frames, in the world, loops included.

The twist [ω; v] of a frame on a body is J v + drift: going from the body to the ground, every aggregated body
S on the way moves the frame by the columns of its body there, taken to where the frame is now.
"""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.dynamics.inverse_dynamics import body_accelerations
from ce_dynamics.dynamics.outward import Outward
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
