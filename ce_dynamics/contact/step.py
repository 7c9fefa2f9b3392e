"""One time step with contact: an assembler leaves rows, these kernels solve them.

An assembler (`tree_step`, `rigid_step`) writes Gᵀ, (M⁻¹ G)ᵀ, gaps, rates and free velocities into `StepRows`.
The step then is the same for all:

    A = Gᵀ M⁻¹ G,    w = A p + Gᵀ v_free + c,    v⁺ = v_free + M⁻¹ G p

c holds ∂ψ/∂t and, of gaps, ψ/h.  What has entered leaves at most ``rest_speed`` faster than it would go on.
So a row gives no energy, ½ p (w_free + w⁺) ≤ ½ p rest_speed, where long steps, or shapes that meet in another
place at once, let bodies enter each other.  Rows and normals turn in a step by an angle of first order in h,
which needs half of that.

An embedded system counts as one body with n_v velocities, so that all its rows are one island.  Bodies that
touch each other form an island; the ground ties nothing together.

Each island is solved by Newton's method from the impulses of the step before, and after a few sweeps.
Impacts with restitution, islands that this leaves unsolved, and other solvers than `Chain` get the same rows
as a `Problem`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions, rows_of_pairs, two_body_rows
from ce_dynamics.contact.gauss_seidel import Solver, clip_to_bounds, sweeps
from ce_dynamics.contact.newton import DENSE_ROWS, HALVINGS, newton_small
from ce_dynamics.contact.problem import ROUNDING, Problem, Solution, limit_gain
from ce_dynamics.contact.restitution import Impact, impacts
from ce_dynamics.contact.solvers.chain import NEWTON_STEPS, SWEEPS, Chain
from ce_dynamics.simulation.integrators.kernels import Integers, Matrix, Vector, kernel, reader

LARGEST = 2 * DENSE_ROWS
"""Rows of an island at most."""
SOLVED, LEFT, REBOUNDS = range(3)
ASSEMBLE, SOLVE, FINISH = range(3)
"""Tasks of an assembler; one kernel compiles in less time than three with the same parts."""


class StepRows(NamedTuple):
    """Rows of one step in meetings of equally many rows; a row acts on at most two bodies.

    Conditions and restitution are those of meetings that follow each other, as many as an island may have.
    """

    kind: Integers  # conditions
    normal: Integers
    mu: Vector
    lower: Vector
    upper: Vector
    restitution: Vector
    first: Integers  # bodies of a meeting, -1 for none
    second: Integers
    J_a: Matrix  # entries of Gᵀ at the two bodies
    J_b: Matrix
    Y_a: Matrix  # entries of (M⁻¹ G)ᵀ
    Y_b: Matrix
    psi: Vector  # gaps
    rate: Vector  # rates before the step
    drift: Vector  # their part that is not Gᵀ v
    b: Vector  # Gᵀ v_free + c
    c: Vector  # given part of w; an assembler adds to it beforehand
    p: Vector  # impulses
    w: Vector  # w behind the step
    v: Matrix  # velocities before the step, (bodies, n)
    free: Matrix  # without impulses
    behind: Matrix  # behind the step
    parent: Integers  # of the islands, see `group_islands`
    order: Integers
    starts: Integers


class StepGiven(NamedTuple):
    """Rows of a meeting, step [s], rest speed, tolerance and limit of `Chain`, whether rows may rebound."""

    per: int
    h: float
    rest_speed: float
    tolerance: float = 0.0
    limit: float = math.inf
    bouncing: bool = True


rows_of = reader(StepRows)


@kernel
def apply_transposed_rows(R, count, per, v, rate):  # type: ignore[no-untyped-def]
    """Compute Gᵀ v of the rows of all meetings."""
    for k in range(count):
        a, b = R.first[k], R.second[k]
        for i in range(per * k, per * k + per):
            total = 0.0
            if a >= 0:
                for n in range(v.shape[1]):
                    total += R.J_a[i, n] * v[a, n]
            if b >= 0:
                for n in range(v.shape[1]):
                    total += R.J_b[i, n] * v[b, n]
            rate[i] = total


@kernel
def size_of(R, i, a, b):  # type: ignore[no-untyped-def]
    """Return |Gᵀ| |v_free| of a row."""
    size = 0.0
    if a >= 0:
        for n in range(R.free.shape[1]):
            size += abs(R.J_a[i, n] * R.free[a, n])
    if b >= 0:
        for n in range(R.free.shape[1]):
            size += abs(R.J_b[i, n] * R.free[b, n])
    return size


@kernel
def complete_rows(R, G, count):  # type: ignore[no-untyped-def]
    """Complete b and c; return the speed as `Problem.speed`, and True if a row rebounds."""
    apply_transposed_rows(R, count, G.per, R.free, R.b)
    speed, rebounds = 0.0, False
    for k in range(count):
        for row in range(G.per):
            i = G.per * k + row
            size, is_gap = size_of(R, i, R.first[k], R.second[k]), R.kind[row] == 1
            if is_gap:
                after = R.b[i] + R.c[i]
                e = R.restitution[row] if G.bouncing else 0.0
                if e > 0.0 and R.rate[i] < -G.rest_speed and R.psi[i] / G.h + after <= 0.0:
                    rebounds = True
                R.c[i] += max(R.psi[i] / G.h, min(after, 0.0) - G.rest_speed)
            R.b[i] += R.c[i]
            far = is_gap and R.c[i] > size
            speed = max(speed, size + (size if far else abs(R.c[i])))
    return speed, rebounds


@kernel
def root_of(parent, body):  # type: ignore[no-untyped-def]
    """Return the body that represents a group."""
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@kernel
def group_islands(R, count):  # type: ignore[no-untyped-def]
    """Group meetings by islands, ``order[starts[k]:starts[k+1]]`` being island k; return their number."""
    parent, order, starts = R.parent, R.order, R.starts
    for body in range(parent.size):
        parent[body] = body
    for k in range(count):
        if R.first[k] >= 0 and R.second[k] >= 0:
            one, other = root_of(parent, R.first[k]), root_of(parent, R.second[k])
            parent[max(one, other)] = min(one, other)
    members = np.zeros(parent.size, dtype=np.int64)
    for k in range(count):
        members[root_of(parent, max(R.first[k], R.second[k]))] += 1
    islands, total = 0, 0
    place = np.zeros(parent.size, dtype=np.int64)
    for body in range(parent.size):
        if members[body] > 0:
            starts[islands] = total
            place[body] = total
            total += members[body]
            islands += 1
    starts[islands] = total
    for k in range(count):
        root = root_of(parent, max(R.first[k], R.second[k]))
        order[place[root]] = k
        place[root] += 1
    return islands


@kernel
def add_block(J, Y, i, k, A):  # type: ignore[no-untyped-def]
    """Add what the rows of two meetings, from i and k on, have in common through one body."""
    for a in range(len(A)):
        for b in range(A.shape[1]):
            total = 0.0
            for n in range(J.shape[1]):
                total += J[i + a, n] * Y[k + b, n]
            A[a, b] += total


@kernel
def delassus(R, members, per, A):  # type: ignore[no-untyped-def]
    """Compute A = Gᵀ M⁻¹ G of some meetings."""
    for row in range(members.size):
        i = members[row]
        for column in range(row + 1):
            k = members[column]
            block = A[per * row : per * row + per, per * column : per * column + per]
            block[:, :] = 0.0
            if R.first[i] >= 0 and R.first[i] == R.first[k]:
                add_block(R.J_a, R.Y_a, per * i, per * k, block)
            if R.second[i] >= 0 and R.second[i] == R.second[k]:
                add_block(R.J_b, R.Y_b, per * i, per * k, block)
            if R.first[i] >= 0 and R.first[i] == R.second[k]:
                add_block(R.J_a, R.Y_b, per * i, per * k, block)
            if R.second[i] >= 0 and R.second[i] == R.first[k]:
                add_block(R.J_b, R.Y_a, per * i, per * k, block)
    m = len(A)
    for i in range(m):
        for k in range(i):
            A[k, i] = A[i, k]


@kernel
def sweep_rows(R, members, per, island, C, p, aim):  # type: ignore[no-untyped-def]
    """Sweep from p; ``island`` is b, the diagonal of A, and room for the changes of all velocities by p."""
    b, d, v = island
    g = rows_of_pairs(R.first, R.second, members, per, R.J_a, R.J_b)
    y = rows_of_pairs(R.first, R.second, members, per, R.Y_a, R.Y_b)
    for k in range(v.size):
        v[k] = 0.0
    for i in range(p.size):
        for k in range(y[0][i], y[0][i + 1]):
            v[y[1][k]] += y[2][k] * p[i]
    return sweeps((g, y), v, b, d, C, p, (aim, SWEEPS))


@kernel
def solve_island(R, G, members, v, aim, enough):  # type: ignore[no-untyped-def]
    """Solve by Newton's method from p with halved, then full steps; the same again after Gauss–Seidel sweeps.

    Where rows are redundant full steps arrive at times where halved ones are caught.  Where nothing does, p
    is where the sweeps ended.  Returns the residual and the Newton steps.
    """
    per, m = G.per, G.per * members.size
    A, b, d, p, q = np.empty((m, m)), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    delassus(R, members, per, A)
    for i in range(m):
        row = per * members[i // per] + i % per
        b[i], p[i], d[i] = R.b[row], R.p[row], A[i, i]
    C = Conditions(R.kind[:m], R.normal[:m], R.mu[:m], R.lower[:m], R.upper[:m])
    wrong, residual, total = clip_to_bounds(d, b, C, p), math.inf, 0
    for attempt in range(4):
        if attempt == 2:
            sweep_rows(R, members, per, (b, d, v), C, p, aim)
        for i in range(m):
            q[i] = p[i]
        halvings = HALVINGS if attempt % 2 == 0 else 0
        count, residual = newton_small(A, b, d, C, q, (aim, NEWTON_STEPS, halvings))
        total += count
        if residual <= enough:
            for i in range(m):
                p[i] = q[i]
            break
    for i in range(m):
        R.p[per * members[i // per] + i % per] = p[i]
    return max(wrong, residual), total


@kernel
def solve_islands(R, G, count, speed):  # type: ignore[no-untyped-def]
    """Solve the islands that Newton's method solves; whether all were, largest residual, Newton steps."""
    rounding = ROUNDING * speed
    enough = G.tolerance * speed + rounding
    aim = max(1e-4 * G.tolerance * speed, 0.1 * rounding)  # a last step of Newton's method costs little
    solved, worst, total, v = True, 0.0, 0, np.empty(R.free.size)
    for k in range(group_islands(R, count)):
        members = R.order[R.starts[k] : R.starts[k + 1]]
        if G.per * members.size > LARGEST:
            solved = False
            continue
        residual, steps = solve_island(R, G, members, v, aim, enough)
        total += steps
        if not residual <= enough:
            solved = False
        elif residual > worst:
            worst = residual
    return solved and worst <= G.limit, worst, total


@kernel
def apply_impulses(R, G, count):  # type: ignore[no-untyped-def]
    """Compute v⁺ and w; return the work of the rows, ½ pᵀ Gᵀ (v + v⁺)."""
    for k in range(len(R.free)):
        for n in range(R.free.shape[1]):
            R.behind[k, n] = R.free[k, n]
    for k in range(count):
        a, b = R.first[k], R.second[k]
        for i in range(G.per * k, G.per * k + G.per):
            p = R.p[i]
            if a >= 0:
                for n in range(R.free.shape[1]):
                    R.behind[a, n] += R.Y_a[i, n] * p
            if b >= 0:
                for n in range(R.free.shape[1]):
                    R.behind[b, n] += R.Y_b[i, n] * p
    apply_transposed_rows(R, count, G.per, R.behind, R.w)
    work = 0.0
    for i in range(G.per * count):
        work += 0.5 * R.p[i] * (R.rate[i] - R.drift[i] + R.w[i])
        R.w[i] += R.c[i]
    return work


class Made(NamedTuple):
    """Result of compiled steps."""

    steps: int  # made
    status: int  # SOLVED, or LEFT or REBOUNDS if rows of a further one are assembled
    work: float  # of the rows [J]
    residual: float  # largest [m/s or rad/s]
    newton_steps: int  # of the last step
    speed: float = 0.0  # largest of free bodies [m/s]
    within: float = 0.0  # rest of the distance of near pairs, or the margin that they must have [m]
    meetings: int = 0  # of the last step


class ContactStep(ABC):
    """Steps of one system; the assembled rows of so many meetings stay in `rows` until the next."""

    rows: StepRows
    given: StepGiven
    count: int

    @abstractmethod
    def attempt(self, solve: bool, most: int = 1) -> Made:
        """Assemble the rows; if asked to, and if nothing rebounds, solve them by Newton's method and move.

        Steps of free bodies are up to so many.
        """

    @abstractmethod
    def finish(self) -> float:
        """Apply the impulses in `rows.p` and move; return the work of the rows [J]."""

    def set_velocities(self, v: Floats) -> None:
        """Start from other velocities."""
        self.rows.v[:] = v.reshape(self.rows.v.shape)

    def begin(self, solver: Solver, most: int = 1) -> Made:
        """Make the compiled part of a step, or of several of free bodies, from the impulses in `rows.p`."""
        if not isinstance(solver, Chain):
            return self.attempt(solve=False)
        if (solver.tolerance, solver.limit) != (self.given.tolerance, self.given.limit):
            self.given = self.given._replace(tolerance=solver.tolerance, limit=solver.limit)
        return self.attempt(True, most)

    def conclude(self, tried: Made, solver: Solver) -> tuple[Solution, float]:
        """Make the rest of a step whose compiled part has this result; its solution and the rows' work [J].

        Raises as the solver does, and `ModelError` if a number has become infinite or NaN.
        """
        hit = None
        if tried.status == REBOUNDS:
            hit = self._impacts(solver)
            if hit is not None:
                self.set_velocities(hit.v)
            self.given = self.given._replace(bouncing=False)
            tried = self.attempt(isinstance(solver, Chain))
            self.given = self.given._replace(bouncing=True)
        if tried.status == SOLVED:
            R, m, work = self.rows, self.given.per * self.count, tried.work
            found = R.behind.ravel().copy(), R.p[:m].copy(), R.w[:m].copy()
            solution = Solution(*found, tried.residual, True, tried.newton_steps, "Newton")
        else:
            solution = self._by_solver(solver, tried.newton_steps > 0)
            self.rows.p[: len(solution.p)] = solution.p
            work = self.finish()
        if hit is None:
            return solution, work
        return solution.after_impact(hit.p, hit.residual, hit.unresolved), hit.work + work

    def _by_solver(self, solver: Solver, newton_failed: bool) -> Solution:
        problem, m = self.problem(), self.given.per * self.count
        start = self.rows.p[:m].copy()
        if newton_failed and isinstance(solver, Chain):
            solution = solver.within(solver.solve_thoroughly(problem, start))
        else:
            solution = solver.solve(problem, start)
        before = self.rows.rate[:m]
        after = before + problem.GT @ (solution.v - self.rows.v.ravel())
        return limit_gain(problem, solution, before, after)

    def conditions(self) -> Conditions:
        """Return the conditions on the rows of all meetings."""
        R, per = self.rows, self.given.per
        one = Conditions(R.kind[:per], R.normal[:per], R.mu[:per], R.lower[:per], R.upper[:per])
        return one.repeat(self.count)

    def problem(self) -> Problem:
        """Return the complementarity problem of the step."""
        return self._problem_of(self.rows.c)

    def _problem_of(self, c: Floats) -> Problem:
        R, per, size = self.rows, self.given.per, self.rows.free.size
        pairs = R.first, R.second, np.arange(self.count), per
        GT, YT = (two_body_rows(*pairs, *J, size) for J in ((R.J_a, R.J_b), (R.Y_a, R.Y_b)))
        return Problem(GT, YT, R.free.ravel().copy(), c[: per * self.count].copy(), self.conditions())

    def _impacts(self, solver: Solver) -> Impact | None:
        """Return the impacts at the start of the step, or None if no row rebounds."""
        R, given, m = self.rows, self.given, self.given.per * self.count
        e = np.tile(R.restitution[: given.per], self.count)
        drifting = self._problem_of(R.drift)
        return impacts(drifting, R.v.ravel().copy(), R.psi[:m].copy(), e, (given.h, given.rest_speed), solver)
