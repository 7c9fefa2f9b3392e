"""Rows of plain rigid bodies for a step, and their motion: many steps in one call of machine code.

A list of near pairs serves for several steps.  A call ends where a step needs Python: another list, more
room, something that rebounds, or an island that Newton's method does not solve.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.gyroscopic import rotate_all, spin
from ce_dynamics.contact.meetings import Meetings, RigidShapes, ShapeArrays, find_meetings, make_room
from ce_dynamics.contact.problem import Solution
from ce_dynamics.contact.rigid import (
    RigidState,
    contact_rows,
    find_quaternion_rates,
    find_rotations,
    responses,
    rotate_inertias,
    to_body_axes,
    to_world_axes,
)
from ce_dynamics.contact.step import (
    ASSEMBLE,
    FINISH,
    LEFT,
    REBOUNDS,
    SOLVE,
    SOLVED,
    ContactStep,
    Made,
    StepGiven,
    StepRows,
    apply_impulses,
    apply_transposed_rows,
    complete_rows,
    rows_of,
    solve_islands,
)
from ce_dynamics.simulation.integrators.kernels import Cubes, Integers, Matrix, Vector, kernel, reader
from ce_dynamics.simulation.integrators.workspace import block_of

PAIRS, ROOM = REBOUNDS + 1, REBOUNDS + 2
"""Further reasons for which a call ends."""
AHEAD = 16.0
"""Steps, about, for which a list of near pairs serves."""
WIDE = 0.2
"""Mean radii of shapes by which it is wider at least."""


class RigidData(NamedTuple):
    """Bodies, their state, which is advanced in place, and the impulses of the step before."""

    mass: Vector
    inertia: Cubes  # in body axes
    inverse: Cubes  # of the inertia matrices
    reach: Vector  # radius around a centre of mass that contains the body's shapes [m]
    gravity: Vector
    r: Matrix  # see `RigidState`; velocities are those of `StepRows`
    quaternion: Matrix
    rates: Matrix  # q̇
    before: Matrix  # angular velocities in body axes
    spun: Matrix  # behind the gyroscopic terms
    R: Cubes  # rotations
    Y: Cubes  # R I⁻¹ Rᵀ
    old_key: Integers  # meetings of the step before
    old_p: Vector  # their impulses
    old_count: Integers


@kernel
def speed_and_margin(B, v, h):  # type: ignore[no-untyped-def]
    """Return the largest speed of any point of any shape, and the margin in which meetings matter."""
    fastest, g = 0.0, 0.0
    for k in range(len(v)):
        speed = math.sqrt(v[k, 0] ** 2 + v[k, 1] ** 2 + v[k, 2] ** 2)
        spinning = math.sqrt(v[k, 3] ** 2 + v[k, 4] ** 2 + v[k, 5] ** 2)
        point = speed + spinning * B.reach[k]
        if not point <= fastest:
            fastest = point
    for i in range(3):
        g += B.gravity[i] ** 2
    return fastest, 2.0 * h * (fastest + h * math.sqrt(g))


@kernel
def velocities_without_impulses(B, R, h):  # type: ignore[no-untyped-def]
    """Compute rotations, inverse inertias and velocities without impulses: `RigidBodies.free_velocities`."""
    find_rotations(B.quaternion, B.R)
    rotate_inertias(B.R, B.inverse, B.Y)
    to_body_axes(B.R, R.v, B.before)
    spin(B.inertia, B.before, h, B.spun)
    for k in range(len(R.v)):
        for i in range(3):
            R.free[k, i] = R.v[k, i] + h * B.gravity[i]
    to_world_axes(B.R, B.spun, R.free)


@kernel
def carry_over(B, F, R, count, per):  # type: ignore[no-untyped-def]
    """Copy impulses of the step before to the meetings that remain; both lists are sorted."""
    old = 0
    for k in range(count):
        while old < B.old_count[0] and B.old_key[old] < F.key[k]:
            old += 1
        same = old < B.old_count[0] and B.old_key[old] == F.key[k]
        for row in range(per * k, per * k + per):
            R.p[row] = B.old_p[per * old + row - per * k] if same else 0.0


@kernel
def assemble_bodies(S, B, F, R, G, pairs, margin):  # type: ignore[no-untyped-def]
    """Assemble rows of the present state, with impulses of the step before.

    Returns ROOM, LEFT or REBOUNDS, the number of meetings, their problem's speed.
    """
    velocities_without_impulses(B, R, G.h)
    count = find_meetings(S, B.r, B.R, pairs, margin, F)
    if count > len(F.psi):
        return ROOM, count, 0.0
    rows, first, second = G.per * count, R.first[:count], R.second[:count]
    contact_rows(S, F, B.r, G.per, R.J_a[:rows], R.J_b[:rows])
    responses(first, G.per, R.J_a[:rows], B.mass, B.Y, R.Y_a[:rows])
    responses(second, G.per, R.J_b[:rows], B.mass, B.Y, R.Y_b[:rows])
    apply_transposed_rows(R, count, G.per, R.v, R.rate)
    for i in range(rows):
        R.psi[i] = R.c[i] = 0.0
    for k in range(count):
        R.psi[G.per * k] = F.psi[k]
    speed, rebounds = complete_rows(R, G, count)
    carry_over(B, F, R, count, G.per)
    return REBOUNDS if rebounds else LEFT, count, speed


@kernel
def finish_bodies(B, F, R, G, count):  # type: ignore[no-untyped-def]
    """Apply the impulses and move; return the work of the contacts.  The next step starts from here."""
    work, h = apply_impulses(R, G, count), G.h
    find_quaternion_rates(B.quaternion, R.behind, B.rates)
    rotate_all(B.quaternion, B.rates, h, B.quaternion)
    for k in range(len(B.r)):
        for i in range(3):
            B.r[k, i] += h * R.behind[k, i]
        for i in range(6):
            R.v[k, i] = R.behind[k, i]
    B.old_count[0] = count
    for k in range(count):
        B.old_key[k] = F.key[k]
        for row in range(G.per * k, G.per * k + G.per):
            B.old_p[row] = R.p[row]
    return work


bodies_of = reader(RigidData, StepRows)
meetings_of = reader(Meetings, StepRows, RigidData)
scene_of = reader(ShapeArrays, StepRows, RigidData, Meetings)


@kernel
def rigid_step(block, G, pairs, within, task, number):  # type: ignore[no-untyped-def]
    """Make up to so many steps with the pairs within a distance; returns the entries of `Made`.

    ``block`` has the arrays of `StepRows`, `RigidData`, `Meetings` and `ShapeArrays`, see `block_of`.  To
    ASSEMBLE ends before the first solution; to FINISH goes on from there, with a number of meetings.
    """
    R, B, F, S = rows_of(block), bodies_of(block), meetings_of(block), scene_of(block)
    if task == FINISH:
        return 1, SOLVED, finish_bodies(B, F, R, G, number), 0.0, 0, 0.0, within, number
    work, worst, top, count, newton = 0.0, 0.0, 0.0, B.old_count[0], 0
    _, margin = speed_and_margin(B, R.v, G.h)
    for k in range(number):
        if not margin <= within:
            return k, PAIRS, work, worst, 0, top, margin, 0
        status, count, speed = assemble_bodies(S, B, F, R, G, pairs, margin)
        if status != LEFT or task == ASSEMBLE:
            return k, status, work, worst, 0, top, within, count
        solved, residual, newton = solve_islands(R, G, count, speed)
        if not solved:
            return k, LEFT, work, worst, newton, top, within, count
        work += finish_bodies(B, F, R, G, count)
        worst = max(worst, residual)
        reached, margin = speed_and_margin(B, R.v, G.h)
        within -= 2.0 * G.h * reached
        top = max(top, reached)
    return number, SOLVED, work, worst, newton, top, within, count


class RigidStep(ContactStep):
    """Steps of one `RigidContacts`; conditions and restitution are those of the largest island."""

    def __init__(
        self,
        placed: RigidShapes,
        conditions: Conditions,
        restitution: Floats,
        given: StepGiven,
    ) -> None:
        self._placed, self._conditions = placed, conditions
        self._restitution = restitution
        self.given, self.count = given, 0
        finite = placed.radius[placed.bounded]
        self._wide = WIDE * float(np.mean(finite)) if len(finite) else 0.0
        self._pairs, self._within = np.zeros((0, 2), dtype=np.int64), -1.0
        self._make_room(16, placed.bodies.start)

    def _make_room(self, count: int, state: RigidState) -> None:
        """Make arrays for so many meetings."""
        bodies, rows, n = self._placed.bodies, self.given.per * count, len(state.r)
        kind, normal, mu, lower, upper = self._conditions
        J_a, J_b, Y_a, Y_b = np.zeros((4, rows, 6))
        psi, rate, drift, b, c, p, w, old_p = np.zeros((8, rows))
        free, behind = np.zeros((2, n, 6))
        found = self._found = make_room(count)
        self.rows = StepRows(
            kind, normal, mu, lower, upper, self._restitution, found.first, found.second,
            J_a, J_b, Y_a, Y_b,
            psi, rate, drift, b, c, p, w, state.v.copy(), free, behind,
            np.zeros(n, dtype=np.int64), np.zeros(count, dtype=np.int64), np.zeros(n + 1, dtype=np.int64),
        )  # fmt: skip
        R, Y = np.zeros((2, n, 3, 3))
        self._data = RigidData(
            bodies.mass, bodies.inertia, np.ascontiguousarray(np.linalg.inv(bodies.inertia)),
            self._placed.reach(n), bodies.gravity, state.r.copy(),
            state.quaternion.copy(), np.zeros((n, 4)), np.zeros((n, 3)), np.zeros((n, 3)), R, Y,
            np.zeros(count, dtype=np.int64), old_p, np.zeros(1, dtype=np.int64),
        )  # fmt: skip
        self._block = block_of((*self.rows, *self._data, *found, *self._placed.scene))

    def take(self, state: RigidState, key: Integers, p: Floats) -> None:
        """Go on from a state and the meetings and impulses of the step that led to it."""
        if len(key) > len(self._data.old_key):
            self._make_room(2 * len(key), state)
        B, order = self._data, np.argsort(key, kind="stable")
        B.r[:], B.quaternion[:], self.rows.v[:] = state
        B.old_count[0] = len(key)
        B.old_key[: len(key)] = key[order]
        B.old_p[: len(p)] = p.reshape(-1, self.given.per)[order].ravel()
        self._within = -1.0

    @property
    def state(self) -> RigidState:
        """Present state of the bodies."""
        return RigidState(self._data.r.copy(), self._data.quaternion.copy(), self.rows.v.copy())

    @property
    def last(self) -> tuple[Integers, Floats]:
        """Meetings and impulses of the last step."""
        count = int(self._data.old_count[0])
        return self._data.old_key[:count].copy(), self._data.old_p[: self.given.per * count].copy()

    def meetings(self) -> Meetings:
        """Return the meetings of bodies in the current step."""
        return self._found.take_first(self.count)

    def advance(self, count: int, solver: Solver) -> tuple[Made, Solution | None]:
        """Make up to so many steps, fewer where one needs Python; the solution is that of such a last one."""
        made = self.begin(solver, count)
        if made.status == SOLVED:
            return made, None
        solution, work = self.conclude(made, solver)
        self._within = -1.0
        speed = float(np.max(np.abs(self.rows.v[:, :3]), initial=0.0))
        worst, top = max(made.residual, solution.residual), max(made.speed, speed)
        return made._replace(steps=made.steps + 1, work=made.work + work, residual=worst, speed=top), solution

    def attempt(self, solve: bool, most: int = 1) -> Made:
        """Make up to so many steps in machine code, with new lists of near pairs and more room as needed."""
        task, total = SOLVE if solve else ASSEMBLE, Made(0, SOLVED, 0.0, 0.0, 0)
        while True:
            now = self._call(task, most - total.steps)
            total = now._replace(
                steps=total.steps + now.steps,
                work=total.work + now.work,
                residual=max(total.residual, now.residual),
                speed=max(total.speed, now.speed),
            )
            if not self._helped(now):
                return total

    def finish(self) -> float:
        return self._call(FINISH, self.count).work

    def _call(self, task: int, number: int) -> Made:
        return Made(*rigid_step(self._block, self.given, self._pairs, self._within, task, number))

    def _helped(self, now: Made) -> bool:
        """Return True if a list of pairs or room was missing, and is there now."""
        self._within, self.count = now.within, now.meetings
        if now.status == ROOM:
            state, last = self.state, self.last
            self._make_room(2 * now.meetings, state)
            self.take(state, *last)
        elif now.status == PAIRS:
            self._within = (1.0 + AHEAD) * now.within + self._wide
            self._pairs = self._placed.find_near_pairs(self.state, self._within)
        return now.status in (ROOM, PAIRS)
