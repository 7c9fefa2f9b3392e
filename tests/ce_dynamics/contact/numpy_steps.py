"""Time steps with contact in NumPy, as the theory states them: oracles of the compiled step."""

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Chain,
    Conditions,
    Kind,
    Problem,
    RigidContacts,
    Solution,
    UnilateralModel,
)
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.meetings import Meetings
from ce_dynamics.contact.restitution import Impact, impacts
from ce_dynamics.contact.rigid import RigidRows, RigidState, contact_rows, rotate_quaternions


class TreeEnd(NamedTuple):
    """State behind a step of an embedded system, the solution and the work of the rows."""

    y: Floats
    solution: Solution
    work: float


def gap_terms(psi: Floats, free: Floats, h: float, rest_speed: float) -> Floats:
    """ψ/h, but what has entered leaves at most `rest_speed` faster than it would go on."""
    return np.asarray(np.maximum(psi / h, np.minimum(free, 0.0) - rest_speed))


def tree_step(unilateral: UnilateralModel, t: float, y: Floats, h: float, start: Floats) -> TreeEnd:
    """One step with dense matrices: M⁻¹ G by the mass matrix, v_free by iteration, impacts before."""
    model, u = unilateral.model, unilateral.model.u0
    q, v, x = model.layout.split(y)
    stage = unilateral.stage(t, y, u)
    GT = stage.GT
    YT = np.linalg.solve(model.mass_matrix(q, u=u, x=x), GT.T).T
    n_q, n_v = len(q), len(v)

    def free_velocities(v: Floats) -> Floats:
        free = v
        for _ in range(100):
            middle = np.concatenate((q, 0.5 * (v + free), x))
            free = v + h * model.dynamics(middle, u)[0][n_q : n_q + n_v]
        return np.asarray(free)

    kinds = unilateral.row_kinds
    limit = h * unilateral.limit
    conditions = Conditions.of(
        [kind.kind for kind in kinds], [kind.normal for kind in kinds], stage.mu, -limit, limit
    )
    drift = stage.rate - GT @ v
    matrices = GT, YT
    drifting = Problem(*matrices, free_velocities(v), drift, conditions)
    step = h, unilateral.rest_speed
    hit = impacts(drifting, v, stage.psi, unilateral.restitution, step, Chain(1e-13))
    v = v if hit is None else hit.v
    free = free_velocities(v)
    wanted = gap_terms(stage.psi, GT @ free + drift, h, unilateral.rest_speed)
    c = drift + np.where(unilateral.unilateral, wanted, 0.0)
    solution = Chain(1e-13).solve(Problem(*matrices, free, c, conditions), start)
    q_dot = unilateral.compiled.rates(q, solution.v)[0]
    q_plus = q + h * q_dot
    for first in unilateral.quaternions:
        where = slice(first, first + 4)
        q_plus[where] = rotate_quaternions(q[None, where], q_dot[None, where], h)[0]
    work = 0.5 * float(solution.p @ (GT @ (v + solution.v)))
    x_plus = x + h * unilateral.stage(t, np.concatenate((q, v, x)), u).x_dot
    y_plus = np.concatenate((q_plus, solution.v, x_plus))
    if hit is None:
        return TreeEnd(y_plus, solution, work)
    return TreeEnd(y_plus, solution.after_impact(hit.p, hit.residual, hit.unresolved), hit.work + work)


class BodiesEnd(NamedTuple):
    """State of plain bodies behind a step, keys and impulses of its meetings, work of the contacts."""

    state: RigidState
    key: Integers
    p: Floats
    work: float


def bodies_step(contacts: RigidContacts, h: float, before: BodiesEnd) -> BodiesEnd:
    """One step with sparse rows of all bodies at once; impulses are found from those of the step before."""
    state, bodies, per = before.state, contacts.bodies, contacts.per
    meetings = contacts.meetings(state, margin_of(contacts, state, h))
    rows, conditions = contact_rows_of(contacts, meetings, state.r)
    known = dict(zip(before.key.tolist(), before.p.reshape(-1, per), strict=True))
    start = np.array([known.get(int(key), np.zeros(per)) for key in meetings.key]).ravel()
    v, work, hit = state.v.ravel(), 0.0, find_impacts(contacts, state, h, Chain())
    if hit is not None:
        v, work = hit.v, hit.work
    now = state._replace(v=v.reshape(-1, 6))
    problem = bodies.problem(now, rows, conditions, h, np.zeros(len(rows.psi)))
    wanted = gap_terms(rows.psi, problem.b, h, contacts.rest_speed)
    c = np.where(conditions.kind == Kind.UNILATERAL, wanted, 0.0)
    solution = Chain().solve(bodies.problem(now, rows, conditions, h, c), start)
    work += 0.5 * float(solution.p @ (problem.GT @ (v + solution.v)))
    p = solution.p if hit is None else solution.p + hit.p
    return BodiesEnd(bodies.move(now, solution.v, h), meetings.key, p, work)


def contact_rows_of(contacts: RigidContacts, meetings: Meetings, r: Floats) -> tuple[RigidRows, Conditions]:
    """Return the rows of every meeting of bodies at r, and their conditions."""
    m, per = len(meetings.psi), contacts.per
    J_a, J_b, psi = np.zeros((per * m, 6)), np.zeros((per * m, 6)), np.zeros((m, per))
    psi[:, 0] = meetings.psi
    contact_rows(contacts.placed.scene, meetings, r, per, J_a, J_b)
    first, second = (np.repeat(body, per) for body in (meetings.first, meetings.second))
    return RigidRows(first, second, J_a, J_b, psi.ravel(), np.zeros(per * m)), contacts.conditions(m)


def margin_of(contacts: RigidContacts, state: RigidState, h: float) -> float:
    spin = np.linalg.norm(state.v[:, 3:], axis=1)
    fastest = np.max(np.linalg.norm(state.v[:, :3], axis=1) + spin * contacts.placed.reach(len(state.r)))
    return float(2.0 * h * (fastest + h * np.linalg.norm(contacts.bodies.gravity)))


def find_impacts(contacts: RigidContacts, state: RigidState, h: float, solver: Chain) -> Impact | None:
    """Return the impacts at the start of a step."""
    meetings = contacts.meetings(state, margin_of(contacts, state, h))
    rows, conditions = contact_rows_of(contacts, meetings, state.r)
    e = np.where(conditions.kind == Kind.UNILATERAL, contacts.restitution, 0.0)
    drifting = contacts.bodies.problem(state, rows, conditions, h, rows.drift)
    return impacts(drifting, state.v.ravel(), rows.psi, e, (h, contacts.rest_speed), solver)
