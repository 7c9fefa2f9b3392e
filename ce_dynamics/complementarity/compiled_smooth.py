"""A step of second or fourth order with given rows acting, as one piece of machine code.

The formulas are those of `ce_dynamics.complementarity.smooth`: v̇ = v̇_free + M⁻¹ (G_E λ + G_s λ_s) with
G_Eᵀ v̇ + γ = 0.  γ, the rate of change of the rows' rates at constant v, is their exact derivative along
(q̇, 0) and t.  Of several λ, where rows depend on each other, the nearest to given ones is taken.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Booleans, Integers
from ce_dynamics.complementarity.machine import kernel, observe, responses
from ce_dynamics.complementarity.shortest import shortest
from ce_dynamics.simulation.integrators.kernels import call

CONSISTENT = 1e-7
"""Part of the accelerations that may remain of the rows' equations, where rows depend on each other."""
PUSH = 1e-9
"""Part of the largest multiplier by which others may pull: rounding."""
AT_REST = 1e-6
"""Rate and gap of held rows, next to a rate of one, with which a smooth step may begin."""
SLOW = 1e-9
"""Sliding slower than this has no direction [m/s or rad/s]."""
CLOSED = 1e-9
"""Gaps that one Newton step closes to rounding: what it leaves is of their squares [m or rad]."""


class Rows(NamedTuple):
    """Rows, and which of them act.

    Attributes
    ----------
    kind, normal : (m,) int arrays
    limit : (m,) array
    held, sliding : (m,) bool arrays
        As of `smooth.Acting`.
    nearest : (m,) array
        Multipliers to which those of held rows shall be near where they are not unique.
    quaternions : int array
        Where unit quaternions begin in q.
    """

    kind: Integers
    normal: Integers
    limit: Floats
    held: Booleans
    sliding: Booleans
    nearest: Floats
    quaternions: Integers


class Rates(NamedTuple):
    """Derivatives at one instant: what is known of an evaluation.

    Attributes
    ----------
    y_dot : array
    multipliers, psi, rate, mu : (m,) arrays
    direction : (m,) array
        Unit sliding velocities of the sliding rows, zero of others.
    power : (2,) array
        Of loads and prescribed motions, and of the rows [W].
    """

    y_dot: Floats
    multipliers: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    direction: Floats
    power: Floats


def room(n: int, m: int) -> Rates:
    """Room for a state of n numbers and m rows."""
    multipliers, psi, rate, mu, direction = np.zeros((5, m))
    return Rates(np.zeros(n), multipliers, psi, rate, mu, direction, np.zeros(2))


@kernel
def lengths(kind, values):  # type: ignore[no-untyped-def]
    """|values|, of disc rows that of both."""
    size = np.abs(values)
    for i in range(values.size):
        if kind[i] == 4:
            size[i] = math.sqrt(values[i] * values[i] + values[i + 1] * values[i + 1])
            size[i + 1] = size[i]
    return size


@kernel
def find_directions(rows, rate, direction):  # type: ignore[no-untyped-def]
    """Directions of sliding; whether all that slides has one."""
    size = lengths(rows.kind, rate)
    for i in range(rate.size):
        direction[i] = 0.0
        if rows.sliding[i]:
            if not size[i] > SLOW:
                return False
            direction[i] = rate[i] / size[i]
    return True


@kernel
def gather(M, chosen):  # type: ignore[no-untyped-def]
    """Gᵀ and (M⁻¹ G)ᵀ of chosen rows."""
    n_v = M.v.size
    GT, YT = np.empty((chosen.size, n_v)), np.empty((chosen.size, n_v))
    for a in range(chosen.size):
        for k in range(n_v):
            GT[a, k] = M.GT[chosen[a], k]
    responses(M, GT, YT)
    return GT, YT


@kernel
def bias(M):  # type: ignore[no-untyped-def]
    """γ into the machine: the derivative of the rates along (q̇, 0) and t."""
    for k in range(M.q.size):
        M.along[k] = M.q_dot[k]
    call(M.calls[4], M.calls[10])


@kernel
def bias_at(M, t, y, R):  # type: ignore[no-untyped-def]
    """γ at (t, y), the machine's own array; gaps and rates into R."""
    observe(M, t, y)
    R.psi[:], R.rate[:] = M.psi, M.rate
    bias(M)
    return M.gamma


@kernel
def rows_act(M, rows, R):  # type: ignore[no-untyped-def]
    """Multipliers, and v̇ with them; whether their equations have a solution."""
    n_q, n_v, m = M.q.size, M.v.size, rows.kind.size
    held, slides = np.flatnonzero(rows.held), np.flatnonzero(rows.sliding)
    lam, d = R.multipliers, R.direction
    GT, Y = gather(M, np.concatenate((held, slides)))
    place = np.full(m, -1)
    for a in range(held.size):
        place[held[a]] = a
    B = Y[: held.size].copy()
    for a in range(slides.size):
        i = slides[a]
        if rows.normal[i] < 0:  # friction of a constant bound
            lam[i] = -rows.limit[i] * d[i]
            for k in range(n_v):
                R.y_dot[n_q + k] += lam[i] * Y[held.size + a, k]
        elif place[rows.normal[i]] >= 0:  # that of μ times a normal row, which adds to its response
            for k in range(n_v):
                B[place[rows.normal[i]], k] -= M.mu[i] * d[i] * Y[held.size + a, k]
    bias(M)
    A, wanted = np.zeros((held.size, held.size)), np.empty(held.size)
    for a in range(held.size):
        wanted[a] = -M.gamma[held[a]]
        for k in range(n_v):
            wanted[a] -= GT[a, k] * R.y_dot[n_q + k]
        for b in range(held.size):
            for k in range(n_v):
                A[a, b] += GT[a, k] * B[b, k]
    if not (np.all(np.isfinite(A)) and np.all(np.isfinite(wanted))):
        return False
    near = rows.nearest[held]
    solution = near + shortest(A, wanted - A @ near)
    largest = 0.0
    for a in range(held.size):
        largest = max(largest, abs(wanted[a]))
    for a in range(held.size):
        left = -wanted[a]
        for b in range(held.size):
            left += A[a, b] * solution[b]
        if abs(left) > CONSISTENT * (1.0 + largest):
            return False
        lam[held[a]] = solution[a]
        for k in range(n_v):
            R.y_dot[n_q + k] += solution[a] * B[a, k]
    for a in range(slides.size):
        i = slides[a]
        if rows.normal[i] >= 0:
            lam[i] = -M.mu[i] * d[i] * lam[rows.normal[i]]
    return True


@kernel
def evaluate(M, rows, t, y, R):  # type: ignore[no-untyped-def]
    """ẏ and multipliers; False where the rows' equations have no solution or sliding has no direction."""
    observe(M, t, y)
    n_q, n_v = M.q.size, M.v.size
    R.psi[:], R.rate[:], R.mu[:], R.multipliers[:] = M.psi, M.rate, M.mu, 0.0
    R.y_dot[:n_q], R.y_dot[n_q : n_q + n_v], R.y_dot[n_q + n_v :] = M.q_dot, M.v_dot, M.x_dot
    if not find_directions(rows, M.rate, R.direction):
        return False
    if (np.any(rows.held) or np.any(rows.sliding)) and not rows_act(M, rows, R):
        return False
    R.power[0], R.power[1] = M.power[0], 0.0
    for i in range(rows.kind.size):
        R.power[1] += R.multipliers[i] * R.rate[i]
    return np.all(np.isfinite(R.y_dot))


@kernel
def consistent(rows, R):  # type: ignore[no-untyped-def]
    """Whether held rows are at rest and held gaps closed, so that nothing is to be projected."""
    size = 1.0
    for i in range(rows.kind.size):
        size = max(size, 1.0 + abs(R.rate[i]))
    for i in range(rows.kind.size):
        if rows.held[i]:
            if not abs(R.rate[i]) <= AT_REST * size:
                return False
            if rows.kind[i] == 1 and not abs(R.psi[i]) <= AT_REST:
                return False
    return True


@kernel
def sound(rows, R):  # type: ignore[no-untyped-def]
    """Whether contacts push and what sticks stays within its bounds."""
    lam, largest = R.multipliers, 0.0
    for i in range(lam.size):
        largest = max(largest, abs(lam[i]))
    size = lengths(rows.kind, lam)
    for i in range(lam.size):
        if rows.kind[i] == 1 and lam[i] < -PUSH * largest:
            return False
        if rows.held[i] and rows.kind[i] >= 2:
            n = rows.normal[i]
            reach = R.mu[i] * max(lam[n], 0.0) if n >= 0 else rows.limit[i]
            if not size[i] <= reach:
                return False
    return True


@kernel
def slides_on(rows, before, after):  # type: ignore[no-untyped-def]
    """Whether sliding has turned by less than 60°: towards rest it turns ever faster, and back."""
    for i in range(rows.kind.size):
        if rows.sliding[i] and rows.kind[i] != 5:
            product = before[i] * after[i]
            if rows.kind[i] == 4:
                product += before[i + 1] * after[i + 1]
            if not product > 0.5:
                return False
    return True


@kernel
def unit(rows, y):  # type: ignore[no-untyped-def]
    """Quaternions of unit length, in place."""
    for first in rows.quaternions:
        size = 0.0
        for k in range(first, first + 4):
            size += y[k] * y[k]
        for k in range(first, first + 4):
            y[k] /= math.sqrt(size)


@kernel
def project(M, rows, t, y):  # type: ignore[no-untyped-def]
    """Close held gaps and stop held rows, in place, by the nearest state in the metric of M.

    Returns whether that was possible, and the work of the impulses that change the rates.
    """
    n_q = M.q.size
    held = np.flatnonzero(rows.held)
    if held.size == 0:
        return True, 0.0
    gaps = np.flatnonzero(rows.held & (rows.kind == 1))
    for _ in range(2 if gaps.size else 0):
        observe(M, t, y)
        if not np.all(np.isfinite(M.GT)):
            return False, 0.0
        GT, Y = gather(M, gaps)
        M.v[:] = -shortest(GT @ Y.T, M.psi[gaps]) @ Y
        call(M.calls[3], M.calls[9])
        for k in range(n_q):
            y[k] += M.q_dot[k]
        unit(rows, y)
        if np.max(np.abs(M.psi[gaps])) <= CLOSED:
            break
    observe(M, t, y)
    if not (np.all(np.isfinite(M.GT)) and np.all(np.isfinite(M.rate))):
        return False, 0.0
    GT, Y = gather(M, held)
    p = -shortest(GT @ Y.T, M.rate[held])
    y[n_q : n_q + M.v.size] += p @ Y
    return True, 0.5 * np.sum(p * M.rate[held])


@kernel
def smooth_step(  # type: ignore[no-untyped-def]
    M, rows, t, y, h, when, weights, known, first, middle, last, y_end
):
    """A step with the given rows acting.

    ``first`` holds the derivatives at its start where they are known; ``last`` those at its end.  Returns
    whether the rows act so throughout, whether ``first`` may be used again, work of loads and of rows.
    """
    if not known and not (evaluate(M, rows, t, y, first) and consistent(rows, first) and sound(rows, first)):
        return False, False, 0.0, 0.0
    y_end[:] = y + h * weights[0] * first.y_dot
    work, contact_work = h * weights[0] * first.power[0], h * weights[0] * first.power[1]
    found = first
    for k in range(1, when.size):
        if not evaluate(M, rows, t + when[k] * h, y + when[k] * h * found.y_dot, middle):
            return False, True, 0.0, 0.0
        if not slides_on(rows, first.direction, middle.direction):
            return False, True, 0.0, 0.0
        found = middle
        y_end += h * weights[k] * found.y_dot
        work += h * weights[k] * found.power[0]
        contact_work += h * weights[k] * found.power[1]
    unit(rows, y_end)
    possible, lost = project(M, rows, t + h, y_end)
    if not possible or not evaluate(M, rows, t + h, y_end, last) or not sound(rows, last):
        return False, True, 0.0, 0.0
    for i in range(rows.kind.size):
        if rows.kind[i] == 1 and not rows.held[i] and last.psi[i] < 0.0:
            return False, True, 0.0, 0.0
    if not slides_on(rows, first.direction, last.direction):
        return False, True, 0.0, 0.0
    return True, True, work, contact_work + lost
