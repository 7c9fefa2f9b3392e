"""Steps of plain rigid bodies as one piece of machine code.

Meetings, rows, free velocities, a complementarity problem for every island, the new state: the formulas of
`RigidContacts.step` with `Chain`, step after step without a Python object in between.  A step is left to
Python where something rebounds, or where an island is larger than Newton's dense matrices should be or is not
solved by Newton's method and a few sweeps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.gyroscopic import ENOUGH
from ce_dynamics.complementarity.islands import delassus, grouped, island
from ce_dynamics.complementarity.kernels import spin
from ce_dynamics.complementarity.machine import kernel
from ce_dynamics.complementarity.meeting_kernels import Found, meetings, room
from ce_dynamics.complementarity.problem import ROUNDING, Integers
from ce_dynamics.complementarity.rigid import RigidState
from ce_dynamics.complementarity.rigid_kernels import (
    along_rows,
    congruent,
    contact_rows,
    in_body,
    in_world,
    quaternion_rates,
    responses,
    rotations,
    turned,
)
from ce_dynamics.complementarity.solvers.rows import DENSE_ROWS

if TYPE_CHECKING:
    from ce_dynamics.complementarity.rigid_contacts import RigidContacts

DONE, LEFT, REBOUNDS, PAIRS, ROOM = range(5)
LARGEST = DENSE_ROWS
"""Rows of an island at most."""
AHEAD = 16.0
"""Steps, about, for which a list of near pairs serves."""
WIDE = 0.2
"""Mean radii of shapes by which it is wider at least."""


class Given(NamedTuple):
    """What does not change from step to step.

    Attributes
    ----------
    mass : (n,) array
    inertia, inverse : (n, 3, 3) arrays
        In body axes.
    reach : (n,) array
        How far shapes reach from the centres of mass.
    gravity : (3,) array
    kind, normal : (rows,) int arrays
    mu : (rows,) array
        Of the rows of one island, as many as there may be.
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
    found : Found
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
    found: Found
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


@kernel
def furthest(G, v, h):  # type: ignore[no-untyped-def]
    """The largest speed of any point of any shape, and the margin in which meetings matter."""
    fastest, g = 0.0, 0.0
    for k in range(len(v)):
        speed = math.sqrt(v[k, 0] ** 2 + v[k, 1] ** 2 + v[k, 2] ** 2)
        spinning = math.sqrt(v[k, 3] ** 2 + v[k, 4] ** 2 + v[k, 5] ** 2)
        point = speed + spinning * G.reach[k]
        if not point <= fastest:
            fastest = point
    for i in range(3):
        g += G.gravity[i] ** 2
    return fastest, 2.0 * h * (fastest + h * math.sqrt(g))


@kernel
def freely(G, B, h):  # type: ignore[no-untyped-def]
    """Rotations, inverse inertias and velocities without impulses, as `RigidBodies.free_velocities`."""
    rotations(B.quaternion, B.R)
    congruent(B.R, G.inverse, B.Y)
    in_body(B.R, B.v, B.before)
    for k in range(len(B.v)):
        for i in range(3):
            B.spun[k, i] = B.before[k, i]
    spin(G.inertia, B.before, h, ENOUGH, B.spun)
    for k in range(len(B.v)):
        for i in range(3):
            B.free[k, i] = B.v[k, i] + h * G.gravity[i]
    in_world(B.R, B.spun, B.free)


@kernel
def carried_over(B, count, per):  # type: ignore[no-untyped-def]
    """Impulses of the step before for the meetings that are still there; both lists are in order."""
    old = 0
    for k in range(count):
        while old < B.old_count[0] and B.old_key[old] < B.found.key[k]:
            old += 1
        same = old < B.old_count[0] and B.old_key[old] == B.found.key[k]
        for row in range(per):
            B.p[per * k + row] = B.old_p[per * old + row] if same else 0.0


@kernel
def free_rates(G, B, count, h):  # type: ignore[no-untyped-def]
    """b = Gᵀ v + c; the speed of the problem as `Problem.speed` and whether a row rebounds."""
    first, second = B.found.first[:count], B.found.second[:count]
    rows = G.per * count
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.v, B.rate[:rows])
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.free, B.b[:rows])
    speed, rebounds = 0.0, False
    for i in range(rows):
        size, c = 0.0, 0.0
        for n in range(6):
            if first[i // G.per] >= 0:
                size += abs(B.J_a[i, n] * B.free[first[i // G.per], n])
            if second[i // G.per] >= 0:
                size += abs(B.J_b[i, n] * B.free[second[i // G.per], n])
        if i % G.per == 0:
            c = B.found.psi[i // G.per] / h
            if G.e > 0.0 and B.rate[i] < -G.rest_speed and c + B.b[i] <= 0.0:
                rebounds = True
            B.b[i] += c
        far = i % G.per == 0 and c > size
        speed = max(speed, size + (size if far else abs(c)))
    return speed, rebounds


@kernel
def each_island(G, B, count, aim, enough):  # type: ignore[no-untyped-def]
    """Solve the islands that can be solved here; whether all were, Newton steps, largest residual."""
    per = G.per
    first, second = B.found.first[:count], B.found.second[:count]
    rows = per * count
    responses(first, per, B.J_a[:rows], G.mass, B.Y, B.Y_a)
    responses(second, per, B.J_b[:rows], G.mass, B.Y, B.Y_b)
    islands = grouped(first, second, B.parent, B.order, B.starts)
    solved, worst, steps = True, 0.0, 0
    for k in range(islands):
        members = B.order[B.starts[k] : B.starts[k + 1]]
        m = per * members.size
        if m > G.kind.size:
            solved = False
            continue
        A, b, p = np.empty((m, m)), np.empty(m), np.empty(m)
        delassus(members, first, second, B.J_a, B.J_b, B.Y_a, B.Y_b, per, A)
        for i in range(m):
            row = per * members[i // per] + i % per
            b[i], p[i] = B.b[row], B.p[row]
        count_here, residual = island(A, b, G.kind[:m], G.normal[:m], G.mu[:m], p, aim, enough)
        steps += count_here
        for i in range(m):
            B.p[per * members[i // per] + i % per] = p[i]
        if not residual <= enough:
            solved = False
        elif residual > worst:
            worst = residual
    return solved, steps, worst


@kernel
def behind(G, B, count):  # type: ignore[no-untyped-def]
    """v⁺ into the place of the free velocities; the work of the contacts."""
    per = G.per
    for k in range(count):
        a, b = B.found.first[k], B.found.second[k]
        for row in range(per * k, per * k + per):
            for i in range(6):
                if a >= 0:
                    B.free[a, i] += B.Y_a[row, i] * B.p[row]
                if b >= 0:
                    B.free[b, i] += B.Y_b[row, i] * B.p[row]
    rows = per * count
    first, second = B.found.first[:count], B.found.second[:count]
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.free, B.b[:rows])
    work = 0.0
    for row in range(rows):
        work += 0.5 * B.p[row] * (B.rate[row] + B.b[row])
    return work


@kernel
def moved(B, count, per, h):  # type: ignore[no-untyped-def]
    """The new state and what the next step starts from."""
    quaternion_rates(B.quaternion, B.free, B.rates)
    turned(B.quaternion, B.rates, h, B.quaternion)
    for k in range(len(B.r)):
        for i in range(3):
            B.r[k, i] += h * B.free[k, i]
        for i in range(6):
            B.v[k, i] = B.free[k, i]
    B.old_count[0] = count
    for k in range(count):
        B.old_key[k] = B.found.key[k]
        for row in range(per * k, per * k + per):
            B.old_p[row] = B.p[row]


@kernel
def steps(S, G, B, pairs, within, h, count, tolerance):  # type: ignore[no-untyped-def]
    """Up to so many steps.

    ``pairs`` are those within the distance ``within`` at the first of them.  Returns the steps made, why no
    more, the work of the contacts, the largest residual and speed, what is left of ``within`` and the
    meetings of the last attempt.
    """
    work, worst, top, found = 0.0, 0.0, 0.0, B.old_count[0]
    for k in range(count):
        _, margin = furthest(G, B.v, h)
        if not margin <= within:
            return k, PAIRS, work, worst, top, within, found
        freely(G, B, h)
        found = meetings(S, B.r, B.R, pairs, margin, B.found)
        if found > len(B.found.psi):
            return k, ROOM, work, worst, top, within, found
        rows = G.per * found
        contact_rows(
            S,
            B.found.first[:found],
            B.found.second[:found],
            B.found.C,
            B.found.n,
            B.r,
            G.rolling,
            B.J_a[:rows],
            B.J_b[:rows],
        )
        speed, rebounds = free_rates(G, B, found, h)
        if rebounds:
            return k, REBOUNDS, work, worst, top, within, found
        carried_over(B, found, G.per)
        rounding = ROUNDING * speed
        aim = max(1e-4 * tolerance * speed, 0.1 * rounding)  # a last step of Newton's method costs little
        solved, _, residual = each_island(G, B, found, aim, tolerance * speed + rounding)
        if not solved:
            return k, LEFT, work, worst, top, within, found
        work += behind(G, B, found)
        moved(B, found, G.per, h)
        worst = max(worst, residual)
        reached, _ = furthest(G, B.v, h)
        within -= 2.0 * h * reached
        top = max(top, reached)
    return count, DONE, work, worst, top, within, found


class Made(NamedTuple):
    """What was made at once.

    Attributes
    ----------
    count : int
        Steps.
    stopped : bool
        Whether the next step is left to Python.
    work : float
        Of the contacts [J].
    residual, speed : float
        Largest [m/s].
    """

    count: int
    stopped: bool
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
        self._given = Given(
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
        """As it is now."""
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
                return Made(done, why != DONE, work, worst, top)

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
        *J,
        *of_rows[:3],
        np.zeros(count, dtype=np.int64),
        of_rows[3],
        np.zeros(1, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
    )
