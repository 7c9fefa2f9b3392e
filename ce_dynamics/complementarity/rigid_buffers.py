"""Input data, state and scratch arrays of the kernels of plain bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Integers
from ce_dynamics.complementarity.meeting_kernels import room
from ce_dynamics.complementarity.narrow_phase import Meetings
from ce_dynamics.complementarity.rigid import RigidState


class Given(NamedTuple):
    """Data of bodies and contacts that do not change from step to step.

    Attributes
    ----------
    mass : (n,) array
    inertia, inverse : (n, 3, 3) arrays
        Inertia matrices and their inverses in body axes.
    reach : (n,) array
        Radius around each centre of mass that contains the body's shapes [m].
    gravity : (3,) array
    kind, normal : (rows,) int arrays
    mu : (rows,) array
        Friction coefficients of the rows of the largest possible island.
    per : int
    rolling : bool
    e, rest_speed : float
    """

    mass: Floats
    inertia: Floats
    inverse: Floats
    reach: Floats
    gravity: Floats
    kind: Integers
    normal: Integers
    mu: Floats
    per: int
    rolling: bool
    e: float
    rest_speed: float


class Buffers(NamedTuple):
    """State and scratch; the state is advanced in place.

    Attributes
    ----------
    r, quaternion, v : arrays
        See `RigidState`.
    rates, free, before, spun, R, Y : arrays
        q̇, free velocities, angular velocities in body axes before and behind the gyroscopic
        terms, rotations, R I⁻¹ Rᵀ.
    found : Meetings
    J_a, J_b, Y_a, Y_b : (rows, 6) arrays
        Gᵀ and (M⁻¹ G)ᵀ.
    rate, b, p : (rows,) arrays
    old_key, old_p, old_count : arrays
        Meetings and impulses of the step before.
    parent, order, starts : int arrays
        Of the islands.
    """

    r: Floats
    quaternion: Floats
    v: Floats
    rates: Floats
    free: Floats
    before: Floats
    spun: Floats
    R: Floats
    Y: Floats
    found: Meetings
    J_a: Floats
    J_b: Floats
    Y_a: Floats
    Y_b: Floats
    rate: Floats
    b: Floats
    p: Floats
    old_key: Integers
    old_p: Floats
    old_count: Integers
    parent: Integers
    order: Integers
    starts: Integers


def buffers(state: RigidState, per: int, count: int) -> Buffers:
    """For a state and so many meetings."""
    n, rows = len(state.r), per * count
    J = np.zeros((4, rows, 6))
    of_rows = np.zeros((4, rows))
    return Buffers(
        state.r.copy(),
        state.quaternion.copy(),
        state.v.copy(),
        np.zeros((n, 4)),
        np.zeros((n, 6)),
        np.zeros((n, 3)),
        np.zeros((n, 3)),
        np.zeros((n, 3, 3)),
        np.zeros((n, 3, 3)),
        room(count),
        J[0],
        J[1],
        J[2],
        J[3],
        of_rows[0],
        of_rows[1],
        of_rows[2],
        np.zeros(count, dtype=np.int64),
        of_rows[3],
        np.zeros(1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
    )
