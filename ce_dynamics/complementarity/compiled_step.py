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
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.loops import kernel
from ce_dynamics.complementarity.gyroscopic import ENOUGH
from ce_dynamics.complementarity.problem import ROUNDING, Conditions, Integers
from ce_dynamics.complementarity.solvers.small import newton
from ce_dynamics.simulation.integrators.kernels import call

SOLVED, LEFT, REBOUNDS = 1, 0, 2
NEWTON_STEPS = 10


class Machine(NamedTuple):
    """What the kernel sees.

    Attributes
    ----------
    calls : (8,) int array
        Addresses of stage, response, dynamics, rates and of their tables.
    y, u, t : arrays
        Inputs of the stage.
    v_dot, x_dot, GT, psi, rate, mu, power : arrays
        Its outputs.
    y_lanes, u_lanes, T, Y : arrays, the last axis of which is the lane
        Of the response, for several rows at once.
    y_mid, y_dot : arrays
        Of the dynamics.
    q, v, q_dot : arrays
        Of the rates.
    """

    calls: Integers
    y: Floats
    u: Floats
    t: Floats
    v_dot: Floats
    x_dot: Floats
    GT: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    power: Floats
    y_lanes: Floats
    u_lanes: Floats
    T: Floats
    Y: Floats
    y_mid: Floats
    y_dot: Floats
    q: Floats
    v: Floats
    q_dot: Floats


def machine(
    stage: CompiledFunction, response: CompiledFunction, dynamics: CompiledFunction, rates: CompiledFunction
) -> tuple[Machine, tuple[object, ...]]:
    """Buffers and addresses, and what has to live as long as they are used."""
    y, u, t = (np.zeros(stage.input_shapes[name]) for name in ("y", "u", "t"))
    out = [np.zeros(shape) for shape in stage.output_shapes.values()]
    y_lanes, u_lanes, T = (np.zeros(response.input_shapes[name]) for name in ("y", "u", "T"))
    Y = np.zeros(response.output_shapes["Y"])
    y_mid, y_dot = np.zeros_like(y), np.zeros(dynamics.output_shapes["y_dot"])
    q, v = np.zeros(rates.input_shapes["q"]), np.zeros(rates.input_shapes["v"])
    q_dot = np.zeros(rates.output_shapes["q_dot"])
    functions = (stage, response, dynamics, rates)
    tables = [
        np.array([array.ctypes.data for array in arrays], dtype=np.int64)
        for arrays in ((y, u, t, *out), (y_lanes, u_lanes, T, Y), (y_mid, u, y_dot), (q, v, q_dot))
    ]
    addresses = [function.table_address for function in functions] + [table.ctypes.data for table in tables]
    calls = np.array(addresses, dtype=np.int64)
    wide = [array.reshape(-1, response.lanes) for array in (y_lanes, u_lanes, T, Y)]
    buffers = [y, u, t, *out, *wide, y_mid, y_dot, q, v, q_dot]
    return Machine(calls, *buffers), (functions, tables)


@kernel
def midpoint(calls, y, y_mid, y_dot, v_dot, first, last, h, v_free):  # type: ignore[no-untyped-def]
    """v_free = v + h v̇(½ (v + v_free)), by iteration as `gyroscopic.at_midpoint`; whether it converged."""
    n = last - first
    speed, rise = 0.0, 0.0
    for k in range(y.size):
        y_mid[k] = y[k]
    for k in range(n):
        speed, rise = max(speed, abs(y[first + k])), max(rise, abs(v_dot[k]))
        v_free[k] = y[first + k] + h * v_dot[k]
    enough = ENOUGH * (speed + h * rise)
    before = math.inf
    for _ in range(60):
        for k in range(n):
            y_mid[first + k] = 0.5 * (y[first + k] + v_free[k])
        call(calls[2], calls[6])
        change = 0.0
        for k in range(n):
            new = y[first + k] + h * y_dot[first + k]
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
def responses(calls, y, u, GT, y_lanes, u_lanes, T, Y, YT):  # type: ignore[no-untyped-def]
    """(M⁻¹ G)ᵀ, as many rows at a time as there are lanes."""
    m, n_v = GT.shape
    lanes = T.shape[1]
    for lane in range(lanes):
        for k in range(y.size):
            y_lanes[k, lane] = y[k]
        for k in range(u.size):
            u_lanes[k, lane] = u[k]
    for first in range(0, m, lanes):
        for lane in range(lanes):
            row = min(first + lane, m - 1)
            for k in range(n_v):
                T[k, lane] = GT[row, k]
        call(calls[1], calls[5])
        for lane in range(min(lanes, m - first)):
            for k in range(n_v):
                YT[first + lane, k] = Y[k, lane]


@kernel
def whole_step(  # type: ignore[no-untyped-def]
    calls,
    y,
    u,
    GT,
    v_dot,
    x_dot,
    psi,
    rate,
    mu,
    y_lanes,
    u_lanes,
    T,
    Y,
    y_mid,
    y_dot,
    q,
    v,
    q_dot,
    h,
    kind,
    normal,
    limit,
    restitution,
    rest_speed,
    tolerance,
    quaternions,
    p,
    y_plus,
    w,
):
    """One step; returns status, Newton steps, residual, work of the rows.  p in and out."""
    n_q, n_v, m = q.size, v.size, p.size
    call(calls[0], calls[4])
    v_free = np.empty(n_v)
    if not midpoint(calls, y, y_mid, y_dot, v_dot, n_q, n_q + n_v, h, v_free):
        return LEFT, 0, 0.0, 0.0
    YT, A, b, c, d = np.empty((m, n_v)), np.empty((m, m)), np.empty(m), np.empty(m), np.empty(m)
    lower, upper, free, sizes = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    speed, top = 0.0, 0.0
    for i in range(m):
        before, after, sizes[i] = 0.0, 0.0, 0.0
        for k in range(n_v):
            before += GT[i, k] * y[n_q + k]
            after += GT[i, k] * v_free[k]
            sizes[i] += abs(GT[i, k] * v_free[k])
        c[i] = rate[i] - before  # ∂ψ/∂t and what prescribed motions add
        free[i] = after
        if kind[i] == 1:
            # as `restitution.rebounding`
            if restitution[i] > 0.0 and rate[i] < -rest_speed and psi[i] / h + after + c[i] <= 0.0:
                return REBOUNDS, 0, 0.0, 0.0
            c[i] += psi[i] / h
    responses(calls, y, u, GT, y_lanes, u_lanes, T, Y, YT)
    for i in range(m):
        b[i] = free[i] + c[i]
        far = kind[i] == 1 and c[i] > sizes[i]  # see `Problem.speed`
        speed = max(speed, sizes[i] + (sizes[i] if far else abs(c[i])))
        lower[i], upper[i] = -h * limit[i], h * limit[i]
    for i in range(m):
        for j in range(i + 1):
            one, other = 0.0, 0.0
            for k in range(n_v):
                one += GT[i, k] * YT[j, k]
                other += GT[j, k] * YT[i, k]
            A[i, j] = A[j, i] = 0.5 * (one + other)
        d[i] = A[i, i]
        top = max(top, d[i])
    residual = 0.0
    for i in range(m):
        if not d[i] > 1e-14 * top:
            d[i] = 0.0
            p[i] = 0.0
            if kind[i] == 0:
                residual = max(residual, abs(b[i]))
            elif kind[i] == 1:
                residual = max(residual, -b[i])
        elif kind[i] == 1:
            p[i] = max(0.0, p[i])
        elif kind[i] == 2:
            p[i] = min(max(lower[i], p[i]), upper[i])
    rounding = ROUNDING * speed
    aim = max(1e-4 * tolerance * speed, 0.1 * rounding)
    count, reached = newton(A, b, d, kind, normal, mu, lower, upper, p, aim, NEWTON_STEPS)
    residual = max(residual, reached)
    if not residual <= tolerance * speed + rounding:
        return LEFT, count, residual, 0.0
    for k in range(n_v):
        v[k] = v_free[k]
        for i in range(m):
            v[k] += YT[i, k] * p[i]
    work = 0.0
    for i in range(m):
        w[i] = c[i]
        for k in range(n_v):
            w[i] += GT[i, k] * v[k]
            work += 0.5 * p[i] * GT[i, k] * (y[n_q + k] + v[k])
    for k in range(n_q):
        q[k] = y[k]
    call(calls[3], calls[7])
    for k in range(n_q):
        y_plus[k] = q[k] + h * q_dot[k]  # u⁺ = u + V v⁺ h
    for first in quaternions:  # exact for constant angular velocity, see `rigid.turned`
        size = 0.0
        for k in range(first, first + 4):
            size += q_dot[k] * q_dot[k]
        angle = h * math.sqrt(size)
        share = math.sin(angle) / angle if angle > 0.0 else 1.0
        size = 0.0
        for k in range(first, first + 4):
            y_plus[k] = math.cos(angle) * q[k] + h * share * q_dot[k]
            size += y_plus[k] * y_plus[k]
        for k in range(first, first + 4):
            y_plus[k] /= math.sqrt(size)
    for k in range(n_v):
        y_plus[n_q + k] = v[k]
    for k in range(x_dot.size):
        y_plus[n_q + n_v + k] = y[n_q + n_v + k] + h * x_dot[k]
    return SOLVED, count, residual, work


class Answer(NamedTuple):
    """What a step gave, or that rows rebound at its start; arrays are the caller's own."""

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
    stage, response, dynamics, rates : CompiledFunction
    conditions : Conditions
    limit : (m,) array
    quaternions : sequence of int
        Where unit quaternions begin in q.
    """

    def __init__(
        self,
        stage: CompiledFunction,
        response: CompiledFunction,
        dynamics: CompiledFunction,
        rates: CompiledFunction,
        conditions: Conditions,
        limit: Floats,
        quaternions: list[int],
    ) -> None:
        self.machine, self._alive = machine(stage, response, dynamics, rates)
        self._given = conditions.kind, conditions.normal, limit
        self._quaternions = np.array(quaternions, dtype=np.int64)

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
    ) -> Answer | None:
        """One step; None if it is left to others.  The buffers of the machine hold what the stage gave."""
        M = self.machine
        kind, normal, limit = self._given
        M.y[:] = y
        M.u[:] = u
        M.t[0] = t
        p = np.zeros(len(kind)) if start is None else np.array(start)
        y_plus, w = np.empty(len(y)), np.empty(len(kind))
        numbers = h, kind, normal, limit, restitution, rest_speed, tolerance, self._quaternions
        stage = M.calls, M.y, M.u, M.GT, M.v_dot, M.x_dot, M.psi, M.rate, M.mu
        others = M.y_lanes, M.u_lanes, M.T, M.Y, M.y_mid, M.y_dot, M.q, M.v, M.q_dot
        status, count, residual, work = whole_step(*stage, *others, *numbers, p, y_plus, w)
        if status == LEFT or not math.isfinite(residual):
            return None
        return Answer(y_plus, M.v.copy(), p, w, residual, count, work, status == REBOUNDS)
