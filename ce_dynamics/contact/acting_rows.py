"""Derivatives of a state while given rows act, in machine code: v̇, multipliers, γ.

v̇ = v̇_free + M⁻¹ (G_E λ + G_s λ_s) with G_Eᵀ v̇ + γ = 0.  γ, the rate of change of the rows' rates at
constant v, is their exact derivative along (q̇, 0) and t.  Of several λ, where rows depend on each other, the
nearest to given ones is taken.

Arrays are copied and tested in plain loops: numba compiles them in a fraction of the time of assignments to
slices, masks and products of matrices.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Booleans, Integers
from ce_dynamics.contact.linear_equations import shortest
from ce_dynamics.contact.tree_step import observe, responses
from ce_dynamics.simulation.integrators.kernels import call, is_finite, kernel

CONSISTENT = 1e-7
"""Part of the accelerations that may remain of the rows' equations, where rows depend on each other."""
SLOW = 1e-9
"""Sliding slower than this has no direction [m/s or rad/s]."""


class ActingRows(NamedTuple):
    """Rows, and which of them act, (m,)."""

    kind: Integers
    normal: Integers
    limit: Floats
    held: Booleans  # as of `steps.Acting`
    sliding: Booleans
    nearest: Floats  # multipliers to which those of held rows are near where they are not unique
    quaternions: Integers  # where unit quaternions begin in q


class Rates(NamedTuple):
    """Derivatives at one instant: what is known of an evaluation."""

    y_dot: Floats
    multipliers: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    direction: Floats  # unit sliding velocities of the sliding rows, zero of others
    power: Floats  # of loads and prescribed motions, and of the rows [W]


def make_room(n: int, m: int) -> Rates:
    """Return the room for a state of n numbers and m rows."""
    multipliers, psi, rate, mu, direction = np.zeros((5, m))
    return Rates(np.zeros(n), multipliers, psi, rate, mu, direction, np.zeros(2))


@kernel
def copy_rows(source, target):  # type: ignore[no-untyped-def]
    """Copy rows: target ← source."""
    for k in range(target.size):
        target[k] = source[k]


@kernel
def numbers(chosen):  # type: ignore[no-untyped-def]
    """Return the indices at which a mask is True."""
    count = 0
    for i in range(chosen.size):
        if chosen[i]:
            count += 1
    where = np.empty(count, np.int64)
    count = 0
    for i in range(chosen.size):
        if chosen[i]:
            where[count] = i
            count += 1
    return where


@kernel
def lengths(kind, values):  # type: ignore[no-untyped-def]
    """Return |values|; of disc rows that of both."""
    size = np.empty(values.size)
    for i in range(values.size):
        size[i] = abs(values[i])
    for i in range(values.size):
        if kind[i] == 4:
            size[i] = math.sqrt(values[i] * values[i] + values[i + 1] * values[i + 1])
            size[i + 1] = size[i]
    return size


@kernel
def find_directions(kind, sliding, rate, direction):  # type: ignore[no-untyped-def]
    """Find the directions of sliding; return True if every sliding contact has one."""
    size = lengths(kind, rate)
    for i in range(rate.size):
        direction[i] = 0.0
        if sliding[i]:
            if not size[i] > SLOW:
                return False
            direction[i] = rate[i] / size[i]
    return True


@kernel
def gather(M, chosen):  # type: ignore[no-untyped-def]
    """Gather Gᵀ and (M⁻¹ G)ᵀ of chosen rows."""
    n_v = M.v.size
    GT, YT = np.empty((chosen.size, n_v)), np.empty((chosen.size, n_v))
    for a in range(chosen.size):
        for k in range(n_v):
            GT[a, k] = M.GT[chosen[a], k]
    responses(M, GT, YT)
    return GT, YT


@kernel
def products(GT, B, A):  # type: ignore[no-untyped-def]
    """Compute A ← Gᵀ Bᵀ of the first rows; return True if it is finite."""
    for a in range(len(A)):
        for b in range(len(A)):
            total = 0.0
            for k in range(GT.shape[1]):
                total += GT[a, k] * B[b, k]
            A[a, b] = total
            if not math.isfinite(total):
                return False
    return True


@kernel
def with_friction(rows, R, held, slides, Y, v_dot):  # type: ignore[no-untyped-def]
    """Compute responses to held rows, each with the friction that it causes; add constant friction to v̇."""
    n_v, lam, d, mu = v_dot.size, R.multipliers, R.direction, R.mu
    place = np.full(rows.kind.size, -1)
    B = np.empty((held.size, n_v))
    for a in range(held.size):
        place[held[a]] = a
        copy_rows(Y[a], B[a])
    for a in range(slides.size):
        i = slides[a]
        if rows.normal[i] < 0:  # friction of a constant bound
            lam[i] = -rows.limit[i] * d[i]
            for k in range(n_v):
                v_dot[k] += lam[i] * Y[held.size + a, k]
        elif place[rows.normal[i]] >= 0:  # that of μ times a normal row, which adds to its response
            for k in range(n_v):
                B[place[rows.normal[i]], k] -= mu[i] * d[i] * Y[held.size + a, k]
    return B


@kernel
def multipliers(A, wanted, near):  # type: ignore[no-untyped-def]
    """Return True if A λ = wanted has a solution, and the λ nearest to `near`."""
    n = wanted.size
    left, largest = np.empty(n), 0.0
    for a in range(n):
        left[a] = wanted[a]
        largest = max(largest, abs(wanted[a]))
        for b in range(n):
            left[a] -= A[a, b] * near[b]
    solution = shortest(A, left)
    for a in range(n):
        solution[a] += near[a]
    for a in range(n):
        total = -wanted[a]
        for b in range(n):
            total += A[a, b] * solution[b]
        if abs(total) > CONSISTENT * (1.0 + largest):
            return False, solution
    return True, solution


@kernel
def rows_act(M, rows, R):  # type: ignore[no-untyped-def]
    """Compute multipliers, and v̇ with them; return True if their equations have a solution."""
    held, slides, lam = numbers(rows.held), numbers(rows.sliding), R.multipliers
    n_v, v_dot = M.v.size, R.y_dot[M.q.size : M.q.size + M.v.size]
    chosen = np.empty(held.size + slides.size, np.int64)
    copy_rows(held, chosen[: held.size])
    copy_rows(slides, chosen[held.size :])
    GT, Y = gather(M, chosen)
    B = with_friction(rows, R, held, slides, Y, v_dot)
    copy_rows(M.q_dot, M.along[: M.q.size])
    call(M.bias_call[0], M.bias_call[1])  # γ: the derivative of the rates along (q̇, 0) and t
    A, wanted, near = np.empty((held.size, held.size)), np.empty(held.size), np.empty(held.size)
    for a in range(held.size):
        near[a] = rows.nearest[held[a]]
        wanted[a] = -M.gamma[held[a]]
        for k in range(n_v):
            wanted[a] -= GT[a, k] * v_dot[k]
    if not products(GT, B, A) or not is_finite(wanted):
        return False
    possible, solution = multipliers(A, wanted, near)
    if not possible:
        return False
    for a in range(held.size):
        lam[held[a]] = solution[a]
        for k in range(n_v):
            v_dot[k] += solution[a] * B[a, k]
    for a in range(slides.size):
        i = slides[a]
        if rows.normal[i] >= 0:
            lam[i] = -M.mu[i] * R.direction[i] * lam[rows.normal[i]]
    return True


@kernel
def evaluate(M, rows, t, y, R):  # type: ignore[no-untyped-def]
    """Compute ẏ and multipliers; return False if the rows have no solution or sliding has no direction."""
    observe(M, t, y)
    n_q, n_v = M.q.size, M.v.size
    copy_rows(M.psi, R.psi)
    copy_rows(M.rate, R.rate)
    copy_rows(M.mu, R.mu)
    copy_rows(M.q_dot, R.y_dot[:n_q])
    copy_rows(M.v_dot, R.y_dot[n_q : n_q + n_v])
    copy_rows(M.x_dot, R.y_dot[n_q + n_v :])
    acts = False
    for i in range(rows.kind.size):
        R.multipliers[i] = 0.0
        acts = acts or rows.held[i] or rows.sliding[i]
    if not find_directions(rows.kind, rows.sliding, M.rate, R.direction):
        return False
    if acts and not rows_act(M, rows, R):
        return False
    R.power[0], R.power[1] = M.power[0], 0.0
    for i in range(rows.kind.size):
        R.power[1] += R.multipliers[i] * R.rate[i]
    return is_finite(R.y_dot)
