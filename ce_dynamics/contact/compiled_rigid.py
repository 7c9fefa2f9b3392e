"""Many steps of plain rigid bodies at once: `rigid_step_kernels` with room and near pairs as they need.

Input data, state and scratch arrays of the kernels of plain bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.meeting_kernels import room
from ce_dynamics.contact.narrow_phase import Meetings
from ce_dynamics.contact.rigid import RigidState
from ce_dynamics.contact.rigid_step_kernels import DONE, LEFT, PAIRS, ROOM, furthest, steps
from ce_dynamics.contact.solvers.rows import DENSE_ROWS

if TYPE_CHECKING:
    from ce_dynamics.algebra.checks import Floats
    from ce_dynamics.contact.rigid_contacts import RigidContacts


class RigidBodiesData(NamedTuple):
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


class RigidBuffers(NamedTuple):
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


def buffers(state: RigidState, per: int, count: int) -> RigidBuffers:
    """For a state and so many meetings."""
    n, rows = len(state.r), per * count
    J = np.zeros((4, rows, 6))
    of_rows = np.zeros((4, rows))
    return RigidBuffers(
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


LARGEST = 2 * DENSE_ROWS
"""Rows of an island at most."""
AHEAD = 16.0
"""Steps, about, for which a list of near pairs serves."""
WIDE = 0.2
"""Mean radii of shapes by which it is wider at least."""


class Made(NamedTuple):
    """Result of several compiled steps.

    Attributes
    ----------
    steps : int
    stopped : bool
        True if Python must make the next step.
    tried : tuple of arrays, optional
        Meetings and impulses of the next step, if only some islands remain unsolved.
    work : float
        Work of the contacts [J].
    residual, speed : float
        Largest residual and largest speed [m/s].
    """

    steps: int
    stopped: bool
    tried: tuple[Integers, Floats] | None
    work: float
    residual: float
    speed: float


class CompiledRigid:
    """Steps of one `RigidContacts`.

    Parameters
    ----------
    contacts : RigidContacts
    h : float
        Step [s].
    tolerance : float
        Of the chain.
    """

    def __init__(self, contacts: RigidContacts, h: float, tolerance: float) -> None:
        self._contacts, self._h, self._tolerance = contacts, h, tolerance
        bodies, per = contacts.bodies, contacts.per
        largest = LARGEST // per
        conditions = contacts.conditions(largest)
        self._given = RigidBodiesData(
            bodies.mass,
            bodies.inertia,
            np.ascontiguousarray(np.linalg.inv(bodies.inertia)),
            contacts.placed.reach(len(bodies.mass)),
            bodies.gravity,
            conditions.kind,
            conditions.normal,
            conditions.mu,
            per,
            contacts.rolling > 0.0,
            contacts.e,
            contacts.rest_speed,
        )
        finite = contacts.placed.radius[contacts.placed.bounded]
        self._wide = WIDE * float(np.mean(finite)) if len(finite) else 0.0
        self._pairs, self._within = np.zeros((0, 2), dtype=np.int64), -1.0
        self._buffers = buffers(contacts.bodies.start, per, 16)

    def take(self, state: RigidState, key: Integers, p: Floats) -> None:
        """Go on from a state and the meetings and impulses of the step that led to it."""
        self._grow(len(key))
        B, order = self._buffers, np.argsort(key, kind="stable")
        B.r[:], B.quaternion[:], B.v[:] = state
        B.old_count[0] = len(key)
        B.old_key[: len(key)] = key[order]
        B.old_p[: len(p)] = p.reshape(-1, self._given.per)[order].ravel()
        self._within = -1.0

    @property
    def state(self) -> RigidState:
        """Present state of the bodies."""
        B = self._buffers
        return RigidState(B.r.copy(), B.quaternion.copy(), B.v.copy())

    @property
    def last(self) -> tuple[Integers, Floats]:
        """Meetings and impulses of the last step."""
        B = self._buffers
        count = int(B.old_count[0])
        return B.old_key[:count].copy(), B.old_p[: self._given.per * count].copy()

    def advance(self, count: int) -> Made:
        """Up to so many steps."""
        done, work, worst, top = 0, 0.0, 0.0, 0.0
        while True:
            made, why, gain, residual, speed, self._within, found = steps(
                self._contacts.placed.scene,
                self._given,
                self._buffers,
                self._pairs,
                self._within,
                self._h,
                count - done,
                self._tolerance,
            )
            done, work, worst, top = done + made, work + gain, max(worst, residual), max(top, speed)
            if why == ROOM:
                self._grow(found)
                self._look()
            elif why == PAIRS:
                self._look()
            else:
                tried = self._reached(found) if why == LEFT else None
                return Made(done, why != DONE, tried, work, worst, top)

    def _reached(self, count: int) -> tuple[Integers, Floats]:
        B = self._buffers
        return B.found.key[:count].copy(), B.p[: self._given.per * count].copy()

    def _look(self) -> None:
        """Look for near pairs, for several steps."""
        _, margin = furthest(self._given, self._buffers.v, self._h)
        self._within = (1.0 + AHEAD) * margin + self._wide
        self._pairs = self._contacts.placed.near(self.state, self._within)

    def _grow(self, count: int) -> None:
        """Make room for so many meetings."""
        if count > len(self._buffers.found.psi):
            old = self._buffers
            self._buffers = buffers(self.state, self._given.per, 2 * count)
            kept = int(old.old_count[0])
            self._buffers.old_count[0] = kept
            self._buffers.old_key[:kept] = old.old_key[:kept]
            self._buffers.old_p[: self._given.per * kept] = old.old_p[: self._given.per * kept]
