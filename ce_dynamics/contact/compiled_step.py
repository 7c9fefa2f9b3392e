"""A whole time step of an embedded system as one piece of machine code.

Evaluation, midpoint, responses, complementarity problem, Newton's method and the new state: the same formulas
as `UnilateralModel.step` with `Chain`, without a Python object in between.  Where Newton's method does not
get there from the impulses of the step before, the step is left to the chain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Conditions, Integers
from ce_dynamics.contact.gyroscopic import ENOUGH
from ce_dynamics.contact.machine import ContactFunctions, kernel, machine, observe, responses
from ce_dynamics.contact.problem import ROUNDING
from ce_dynamics.contact.rigid_kernels import rotate_all
from ce_dynamics.contact.solvers.newton import HALVINGS, newton_small
from ce_dynamics.simulation.integrators.kernels import call

SOLVED, LEFT, REBOUNDS = 1, 0, 2
NEWTON_STEPS = 10


class StepData(NamedTuple):
    """Conditions, restitution and tolerances of a step.

    Attributes
    ----------
    kind, normal : (m,) int arrays
    limit, restitution : (m,) arrays
    quaternions : int array
        Indices at which unit quaternions begin in q.
    rest_speed, tolerance : float
    turning : (m,) array
        Term added to w: h γ where v is consistent at the start of the step.
    """

    kind: Integers
    normal: Integers
    limit: Floats
    restitution: Floats
    quaternions: Integers
    rest_speed: float
    tolerance: float
    turning: Floats


class Scratch(NamedTuple):
    """The problem of a step: A, b, c, diagonal, bounds, (M⁻¹ G)ᵀ, free velocities, sizes of Gᵀ v."""

    A: Floats
    b: Floats
    c: Floats
    d: Floats
    lower: Floats
    upper: Floats
    YT: Floats
    v_free: Floats
    sizes: Floats


def scratch(m: int, n_v: int) -> Scratch:
    """Room for m rows."""
    b, c, d, lower, upper, sizes = np.zeros((6, m))
    return Scratch(np.zeros((m, m)), b, c, d, lower, upper, np.zeros((m, n_v)), np.zeros(n_v), sizes)


@kernel
def midpoint(M, y, h, v_free):  # type: ignore[no-untyped-def]
    """v_free = v + h v̇(½ (v + v_free)), by iteration as `gyroscopic.at_midpoint`; whether it converged."""
    n, first = v_free.size, M.q.size
    speed, rise = 0.0, 0.0
    for k in range(y.size):
        M.y_mid[k] = y[k]
    for k in range(n):
        speed, rise = max(speed, abs(y[first + k])), max(rise, abs(M.v_dot[k]))
        v_free[k] = y[first + k] + h * M.v_dot[k]
    enough = ENOUGH * (speed + h * rise)
    before = math.inf
    for _ in range(60):
        for k in range(n):
            M.y_mid[first + k] = 0.5 * (y[first + k] + v_free[k])
        call(M.dynamics_call[0], M.dynamics_call[1])
        change = 0.0
        for k in range(n):
            new = y[first + k] + h * M.y_dot[first + k]
            if not abs(new - v_free[k]) <= change:
                change = abs(new - v_free[k])
            v_free[k] = new
        if change <= enough:
            return True
        if not change < 0.7 * before:
            return False
        before = change
    return False


@kernel
def free_rates(M, G, S, y, h):  # type: ignore[no-untyped-def]
    """b without gaps, c and sizes; whether a row rebounds as `restitution.rebounding` says."""
    n_q = M.q.size
    for i in range(S.b.size):
        before, after, size = 0.0, 0.0, 0.0
        for k in range(S.v_free.size):
            before += M.GT[i, k] * y[n_q + k]
            after += M.GT[i, k] * S.v_free[k]
            size += abs(M.GT[i, k] * S.v_free[k])
        S.c[i] = M.rate[i] - before + G.turning[i]  # ∂ψ/∂t and what prescribed motions add
        S.b[i], S.sizes[i] = after, size
        if G.kind[i] == 1:
            closes = M.psi[i] / h + after + S.c[i] <= 0.0
            if G.restitution[i] > 0.0 and M.rate[i] < -G.rest_speed and closes:
                return True
            S.c[i] += max(M.psi[i] / h, min(after + S.c[i], 0.0) - G.rest_speed)  # as `closing`
    return False


@kernel
def problem(M, G, S, h):  # type: ignore[no-untyped-def]
    """A, b, bounds; returns the speed of the problem and the largest A_ii."""
    responses(M, M.GT, S.YT)
    m, n_v = S.YT.shape
    speed, top = 0.0, 0.0
    for i in range(m):
        S.b[i] += S.c[i]
        far = G.kind[i] == 1 and S.c[i] > S.sizes[i]  # see `Problem.speed`
        speed = max(speed, S.sizes[i] + (S.sizes[i] if far else abs(S.c[i])))
        S.lower[i], S.upper[i] = -h * G.limit[i], h * G.limit[i]
        for j in range(i + 1):
            one, other = 0.0, 0.0
            for k in range(n_v):
                one += M.GT[i, k] * S.YT[j, k]
                other += M.GT[j, k] * S.YT[i, k]
            S.A[i, j] = S.A[j, i] = 0.5 * (one + other)
        S.d[i] = S.A[i, i]
        top = max(top, S.d[i])
    return speed, top


@kernel
def admit(G, S, top, p):  # type: ignore[no-untyped-def]
    """Impulses within their constant bounds; returns what rows that move nothing violate."""
    residual = 0.0
    for i in range(p.size):
        if not S.d[i] > 1e-14 * top:
            S.d[i] = 0.0
            p[i] = 0.0
            if G.kind[i] == 0:
                residual = max(residual, abs(S.b[i]))
            elif G.kind[i] == 1:
                residual = max(residual, -S.b[i])
        elif G.kind[i] == 1:
            p[i] = max(0.0, p[i])
        elif G.kind[i] == 2:
            p[i] = min(max(S.lower[i], p[i]), S.upper[i])
    return residual


@kernel
def behind(M, S, y, p, w):  # type: ignore[no-untyped-def]
    """v⁺ into the machine, w, and the work of the rows."""
    n_q, work = M.q.size, 0.0
    for k in range(S.v_free.size):
        M.v[k] = S.v_free[k]
        for i in range(p.size):
            M.v[k] += S.YT[i, k] * p[i]
    for i in range(p.size):
        w[i] = S.c[i]
        for k in range(S.v_free.size):
            w[i] += M.GT[i, k] * M.v[k]
            work += 0.5 * p[i] * M.GT[i, k] * (y[n_q + k] + M.v[k])
    return work


@kernel
def move_bodies(M, G, y, h, y_plus):  # type: ignore[no-untyped-def]
    """u⁺ = u + V v⁺ h, orientations by the exponential of h ω⁺ (`rigid.rotate_quaternions`), and ẋ."""
    n_q, n_v = M.q.size, M.v.size
    for k in range(n_q):
        M.q[k] = y[k]
    call(M.rates_call[0], M.rates_call[1])
    for k in range(n_q):
        y_plus[k] = M.q[k] + h * M.q_dot[k]
    for first in G.quaternions:
        part = slice(first, first + 4)
        rotate_all(M.q[part].reshape(1, 4), M.q_dot[part].reshape(1, 4), h, y_plus[part].reshape(1, 4))
    for k in range(n_v):
        y_plus[n_q + k] = M.v[k]
    for k in range(M.x_dot.size):
        y_plus[n_q + n_v + k] = y[n_q + n_v + k] + h * M.x_dot[k]


@kernel
def whole_step(M, G, S, t, y, h, p, y_plus, w):  # type: ignore[no-untyped-def]
    """One step; returns status, Newton steps, residual, work of the rows.  p in and out."""
    observe(M, t, y)
    if not midpoint(M, y, h, S.v_free):
        return LEFT, 0, 0.0, 0.0
    if free_rates(M, G, S, y, h):
        return REBOUNDS, 0, 0.0, 0.0
    speed, top = problem(M, G, S, h)
    residual = admit(G, S, top, p)
    rounding = ROUNDING * speed
    aim = max(1e-4 * G.tolerance * speed, 0.1 * rounding)  # a last step of Newton's method costs little
    count, reached = newton_small(
        S.A, S.b, S.d, G.kind, G.normal, M.mu, S.lower, S.upper, p, aim, NEWTON_STEPS, HALVINGS
    )
    residual = max(residual, reached)
    if not residual <= G.tolerance * speed + rounding:
        return LEFT, count, residual, 0.0
    work = behind(M, S, y, p, w)
    move_bodies(M, G, y, h, y_plus)
    return SOLVED, count, residual, work


class Answer(NamedTuple):
    """Result of a compiled step; the arrays belong to the caller.

    `rebounds` is True if rows rebound at the start of the step.
    """

    y: Floats
    v: Floats
    p: Floats
    w: Floats
    residual: float
    steps: int
    work: float
    rebounds: bool


class CompiledStep:
    """Steps of one `UnilateralModel`.

    Parameters
    ----------
    functions : Functions
    conditions : Conditions
    limit : (m,) array
    quaternions : sequence of int
        Indices at which unit quaternions begin in q.
    """

    def __init__(
        self,
        functions: ContactFunctions,
        conditions: Conditions,
        limit: Floats,
        quaternions: list[int],
    ) -> None:
        self.machine, self._alive = machine(functions)
        self._rows = conditions.kind, conditions.normal, limit
        self._quaternions = np.array(quaternions, dtype=np.int64)
        self._scratch = scratch(len(limit), len(self.machine.v))
        self._nothing = np.zeros(len(limit))

    def step(
        self,
        t: float,
        y: Floats,
        u: Floats,
        h: float,
        start: Floats | None,
        tolerance: float,
        restitution: Floats,
        rest_speed: float,
        turning: Floats | None = None,
    ) -> Answer | None:
        """One step; None if it is left to others.  The buffers of the machine hold what the stage gave."""
        M = self.machine
        M.u[:] = u
        m = len(restitution)
        p = np.zeros(m) if start is None else np.array(start)
        y_plus, w = np.empty(len(y)), np.empty(m)
        added = self._nothing if turning is None else turning
        given = StepData(*self._rows, restitution, self._quaternions, rest_speed, tolerance, added)
        status, count, residual, work = whole_step(M, given, self._scratch, t, y, h, p, y_plus, w)
        if status == LEFT or not math.isfinite(residual):
            return None
        return Answer(y_plus, M.v.copy(), p, w, residual, count, work, status == REBOUNDS)
