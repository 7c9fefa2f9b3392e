"""Absolute states and accelerations of an embedded system, for starting and comparing."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.states import AT_REST, BodyState
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding


def compute_states(
    embedding: Embedding, layout: Layout, q: Array, v: Array, x: Array, u: Array
) -> dict[str, BodyState]:
    """World states of all bodies of an embedded system."""
    return observe_states(Instant(embedding, layout, q, v, x, u).outward)


def observe_states(outward: Outward) -> dict[str, BodyState]:
    """World states of all bodies, with the frames of axisymmetric bodies turning with them."""
    system = outward.embedding.system
    states = {"ground": AT_REST}
    for body in system.bodies:
        R = array(outward.direction(body, axis, system.ground) for axis in IDENTITY).T
        at = outward.point(body, body.com, system.ground)
        states[body.name] = BodyState(R, at.r, outward.angular_velocity(body, system.ground), at.v)
    return states


def compute_accelerations(embedding: Embedding, q: Array, v: Array, x: Array, u: Array) -> dict[str, Array]:
    """World accelerations [ω̇; acceleration of the centre of mass] of all bodies by the embedded path."""
    system = embedding.system
    instant = Instant(embedding, Layout(embedding), q, v, x, u)
    result = {}
    for body in system.bodies:
        R = instant.outward.placement(body, system.ground).R
        alpha = instant.accelerations.alpha[body.name]
        result[body.name] = concatenate((R @ alpha[:3], R @ alpha[3:] + system.gravity)).astype(np.float64)
    return result
