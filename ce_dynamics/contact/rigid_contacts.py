"""Contacts between many plain rigid bodies: their rows, and one time step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, InitialStateError, Integers, Kind
from ce_dynamics.contact.contact import Resistance, check_restitution, contact_kinds
from ce_dynamics.contact.gauss_seidel import Solver
from ce_dynamics.contact.meetings import RigidShape, RigidShapes
from ce_dynamics.contact.narrow_phase import Meetings
from ce_dynamics.contact.problem import Solution, closing, without_gain
from ce_dynamics.contact.restitution import Impact, TouchingRows, impacts
from ce_dynamics.contact.rigid import RigidBodies, RigidRows, RigidState, rotations
from ce_dynamics.mechanism.checked import finite_number

ALLOWED_OVERLAP = 1e-6
"""Largest overlap of two shapes in an initial state [m]."""


class RigidContacts:
    """Plain rigid bodies that touch each other.

    Parameters
    ----------
    bodies : RigidBodies
    shapes : sequence of RigidShape
        Any number on a body; shapes of one body do not touch each other, nor do those at rest.
    mu : float
        Friction coefficient of all contacts.
    restitution : float
        e of all contacts, 0 … 1.
    rest_speed : float
        Impacts slower than this do not bounce [m/s].
    rolling, spinning : float
        Lengths that bound, times the normal impulse, the torques against rolling and spinning [m].

    Attributes
    ----------
    placed : RigidShapes
    per : int
        Rows of a contact: normal, two of friction, two of rolling, one of spinning.

    Raises
    ------
    ModelError
        If a body is unknown, a half-space is not at rest, or a number is out of range.
    """

    def __init__(
        self,
        bodies: RigidBodies,
        shapes: Sequence[RigidShape],
        *,
        mu: float = 0.0,
        restitution: float = 0.0,
        rest_speed: float = 1e-2,
        rolling: float = 0.0,
        spinning: float = 0.0,
    ) -> None:
        owner = "rigid contacts"
        self.bodies = checks.instance(f"{owner}: bodies", bodies, RigidBodies, "RigidBodies([...])")
        self.mu = finite_number(mu, owner, "mu", at_least=0.0)
        self.e = check_restitution(restitution, owner)
        self.rest_speed = finite_number(rest_speed, owner, "rest_speed", at_least=0.0)
        self.rolling = finite_number(rolling, owner, "rolling", at_least=0.0)
        self.spinning = finite_number(spinning, owner, "spinning", at_least=0.0)
        self.placed = RigidShapes(bodies, shapes)
        self.kinds = contact_kinds(Resistance("disc", self.rolling, self.spinning), self.e)
        self.per = len(self.kinds)

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Return the contact points with gaps below a margin [m]."""
        return self.placed.meetings(state, margin)

    def rows(self, meetings: Meetings, r: Floats) -> tuple[RigidRows, Conditions]:
        """The rows of every meeting of bodies at r: ``per`` of each."""
        from ce_dynamics.contact.rigid_kernels import contact_rows  # here, because it loads Numba

        m, per = len(meetings.psi), self.per
        J_a, J_b, psi = np.zeros((per * m, 6)), np.zeros((per * m, 6)), np.zeros((m, per))
        psi[:, 0] = meetings.psi
        bodies = meetings.first, meetings.second
        contact_rows(self.placed.scene, *bodies, meetings.C, meetings.n, r, self.rolling > 0.0, J_a, J_b)
        of_rows = [np.repeat(body, per) for body in bodies]
        rows = RigidRows(of_rows[0], of_rows[1], J_a, J_b, psi.ravel(), np.zeros(per * m))
        return rows, self.conditions(m)

    def conditions(self, count: int) -> Conditions:
        """Return the conditions on the rows of `count` meetings."""
        per, rows = self.per, self.per * count
        kinds = np.tile(np.array([int(kind.kind) for kind in self.kinds], dtype=np.int64), count)
        normal = np.repeat(per * np.arange(count), per)
        normal[::per] = NONE
        bound = [0.0, self.mu, self.mu, *[self.rolling] * (2 * (self.rolling > 0.0))]
        mu = np.tile((bound + [self.spinning])[:per], count)
        return Conditions(kinds, normal.astype(np.int64), mu, np.zeros(rows), np.zeros(rows))

    def step(
        self, state: RigidState, h: float, solver: Solver, warm: tuple[Integers, Floats] | None = None
    ) -> tuple[RigidState, Meetings, Solution, float]:
        """State after a step, where bodies met, the solution and the work of the contacts."""
        spin = np.linalg.norm(state.v[:, 3:], axis=1)
        reach = self.placed.reach(len(state.r))
        fastest = float(np.max(np.linalg.norm(state.v[:, :3], axis=1) + spin * reach, initial=0.0))
        margin = 2.0 * h * (fastest + h * float(np.linalg.norm(self.bodies.gravity)))
        meetings = self.meetings(state, margin)
        rows, conditions = self.rows(meetings, state.r)
        work, hit = 0.0, None
        if self.e > 0.0:
            hit = self._impacts(state, rows, conditions, h, solver)
            if hit is not None:
                state, work = state._replace(v=hit.v.reshape(-1, 6)), hit.work
        problem = self.bodies.problem(state, rows, conditions, h, np.zeros(len(rows.psi)))
        wanted = closing(rows.psi, problem.b, h, self.rest_speed)
        problem = replace(problem, c=np.where(conditions.kind == Kind.UNILATERAL, wanted, 0.0))
        solution = solver.solve(problem, warm_start(meetings.key, warm, self.per))
        rate, after = velocity_of(rows, state.v), velocity_of(rows, solution.v.reshape(-1, 6))
        solution = without_gain(problem, solution, rate, after)
        after = velocity_of(rows, solution.v.reshape(-1, 6))
        work += 0.5 * float(solution.p @ (rate + after))
        if hit is not None:
            solution = solution.behind(hit.p, hit.residual, hit.unresolved)
        return self.bodies.move(state, solution.v, h), meetings, solution, work

    def _impacts(
        self, state: RigidState, rows: RigidRows, conditions: Conditions, h: float, solver: Solver
    ) -> Impact | None:
        """Return the impacts at the start of a step, or None if no contact rebounds."""
        if not np.any(velocity_of(rows, state.v)[:: self.per] < -self.rest_speed):
            return None
        R = rotations(state.quaternion)
        predicted = velocity_of(rows, self.bodies.free_velocities(state, R, h))
        e = np.where(conditions.kind == Kind.UNILATERAL, self.e, 0.0)
        touching = TouchingRows(*self.bodies.matrices(R, rows), rows.drift, rows.psi, conditions, e)
        return impacts(touching, state.v.ravel(), predicted, h, self.rest_speed, solver)

    def check_start(self, state: RigidState) -> None:
        """Refuse a state in which shapes overlap.

        Raises
        ------
        InitialStateError
            Naming the worst pair.
        """
        found = self.meetings(state, 0.0)
        if len(found.psi) and np.min(found.psi) < -ALLOWED_OVERLAP:
            k = int(np.argmin(found.psi))
            names = [
                "what is at rest" if b < 0 else repr(self.bodies.names[b])
                for b in (found.first[k], found.second[k])
            ]
            raise InitialStateError(
                f"rigid contacts: {names[0]} and {names[1]} overlap by {-found.psi[k]:.3g} m at the start;"
                " move them apart"
            )


def velocity_of(rows: RigidRows, v: Floats) -> Floats:
    """Gᵀ v."""
    total = np.zeros(len(rows.psi))
    for body, J in ((rows.body_a, rows.J_a), (rows.body_b, rows.J_b)):
        there = body >= 0
        total[there] += np.einsum("mi,mi->m", J[there], v[body[there]])
    return total


def warm_start(key: Integers, warm: tuple[Integers, Floats] | None, per: int = 3) -> Floats | None:
    """Impulses of the step before for the meetings that are still there."""
    if warm is None or not len(warm[0]):
        return None
    old, p = warm
    order = np.argsort(old, kind="stable")
    at = np.clip(np.searchsorted(old[order], key), 0, len(old) - 1)
    same = old[order][at] == key
    return np.where(same[:, None], p.reshape(-1, per)[order][at], 0.0).ravel()
