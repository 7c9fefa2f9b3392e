"""A step of second or fourth order with given rows acting, as one piece of machine code.

The formulas are those of `ce_dynamics.contact.steps`, the derivatives those of `acting_rows`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.acting_rows import (
    Rates,
    copy_rows,
    evaluate,
    gather,
    lengths,
    numbers,
    products,
)
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.linear_equations import shortest
from ce_dynamics.contact.tree_step import observe
from ce_dynamics.simulation.integrators.fixed_kernels import explicit_step
from ce_dynamics.simulation.integrators.kernels import call, is_finite, kernel

PUSH = 1e-9
"""Part of the largest multiplier by which others may pull: rounding."""
AT_REST = 1e-6
"""Rate and gap of held rows, next to a rate of one, with which a smooth step may begin."""
RESOLVED = 0.003
"""Part of the speed by which its change in a good step may differ between two rules of second order."""
CLOSED = 1e-9
"""Gaps that one Newton step closes to rounding: what it leaves is of their squares [m or rad]."""

FAR = 100.0
"""Bound for `stopping`; rows of box contacts, which depend on each other or differ, give a few."""
FRESH, KNOWN, PROJECTION = range(3)
"""Tasks of `smooth_step`; one kernel compiles in less time than three with the same parts."""


@kernel
def consistent(rows, R):  # type: ignore[no-untyped-def]
    """Return True if held rows are at rest and held gaps closed, so that nothing is to be projected."""
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
def is_sound(rows, R):  # type: ignore[no-untyped-def]
    """Return True if contacts push and what sticks stays within its bounds."""
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
    """Return True if sliding has turned by less than 60°: towards rest it turns ever faster, and back."""
    for i in range(rows.kind.size):
        if rows.sliding[i] and rows.kind[i] != 5:
            product = before[i] * after[i]
            if rows.kind[i] == 4:
                product += before[i + 1] * after[i + 1]
            if not product > 0.5:
                return False
    return True


@kernel
def is_resolved(v, change, h, first, last):  # type: ignore[no-untyped-def]
    """Return True if the change of v agrees with the trapezoidal rule; the two differ by terms of h³."""
    speed, differs = 0.0, 0.0
    for k in range(v.size):
        speed = max(speed, abs(v[k]) + abs(change[k]))
        differs = max(differs, abs(change[k] - 0.5 * h * (first[k] + last[k])))
    return differs <= RESOLVED * speed


@kernel
def unit(quaternions, y):  # type: ignore[no-untyped-def]
    """Scale quaternions to unit length, in place."""
    for first in quaternions:
        size = 0.0
        for k in range(first, first + 4):
            size += y[k] * y[k]
        for k in range(first, first + 4):
            y[k] /= math.sqrt(size)


@kernel
def stopping(M, chosen, values):  # type: ignore[no-untyped-def]
    """Compute the shortest p = −(Gᵀ M⁻¹ G)⁻¹ values of chosen rows, and M⁻¹ G p.

    Return True, too, if that leads no further than `FAR` times what the rows need one by one.  Of rows that
    hardly differ, what takes all values to zero at once leads anywhere.
    """
    n = chosen.size
    GT, Y = gather(M, chosen)
    A, wanted, change = np.empty((n, n)), np.empty(n), np.zeros(M.v.size)
    for a in range(n):
        wanted[a] = values[chosen[a]]
    if not products(GT, Y, A):
        return False, wanted, change
    p = shortest(A, wanted)
    together, alone = 0.0, 0.0
    for a in range(n):
        p[a] = -p[a]
        together -= p[a] * wanted[a]
        if A[a, a] > 0.0:
            alone += wanted[a] * wanted[a] / A[a, a]
        for k in range(change.size):
            change[k] += p[a] * Y[a, k]
    return together <= FAR * FAR * alone, p, change


@kernel
def project(M, rows, t, y):  # type: ignore[no-untyped-def]
    """Close held gaps and stop held rows, in place, by the nearest state in the metric of M.

    Returns whether there is one nearby, and the work of the impulses that change the rates.
    """
    n_q = M.q.size
    held = numbers(rows.held)
    if held.size == 0:
        return True, 0.0
    is_gap = np.empty(rows.kind.size, np.bool_)
    for i in range(rows.kind.size):
        is_gap[i] = rows.held[i] and rows.kind[i] == 1
    gaps = numbers(is_gap)
    for _ in range(2 if gaps.size else 0):
        observe(M, t, y)
        if not is_finite(M.GT.reshape(M.GT.size)):
            return False, 0.0
        is_near, _p, change = stopping(M, gaps, M.psi)
        if not is_near:
            return False, 0.0
        copy_rows(change, M.v)
        call(M.rates_call[0], M.rates_call[1])
        for k in range(n_q):
            y[k] += M.q_dot[k]
        unit(rows.quaternions, y)
        largest = 0.0
        for i in gaps:
            largest = max(largest, abs(M.psi[i]))
        if largest <= CLOSED:
            break
    observe(M, t, y)
    if not (is_finite(M.GT.reshape(M.GT.size)) and is_finite(M.rate)):
        return False, 0.0
    is_near, p, change = stopping(M, held, M.rate)
    if not is_near:
        return False, 0.0
    work = 0.0
    for k in range(M.v.size):
        y[n_q + k] += change[k]
    for a in range(held.size):
        work += p[a] * M.rate[held[a]]
    return True, 0.5 * work


class SmoothSpace(NamedTuple):
    """State and work space of smooth steps, the states followed by the work of loads and of rows."""

    y: Floats  # at the start of a step, work zero, (n + 2,)
    ahead: Floats  # at its end
    weights: Floats  # table and stages of the method, see `ExplicitSpace`
    places: Integers
    K: Floats
    rate: Floats  # ẏ and the powers
    stage: Integers  # number of the stage at hand, (1,)
    first: Rates  # at the start of a step
    middle: Rates  # at a stage
    last: Rates  # at the end


class Stages(NamedTuple):
    """The rows that act, for `rates_while_rows_act`."""

    M: Any
    rows: Any
    space: Any
    rate: Any


@kernel
def rates_while_rows_act(b, t, y):  # type: ignore[no-untyped-def]
    """Leave ẏ and powers in `rate`, of the first stage those known; NaN where the rows do not act so."""
    first, R, n, acts = b.space.first, b.space.middle, b.rate.size - 2, True
    if b.space.stage[0] == 0:
        R = first
    else:
        acts = evaluate(b.M, b.rows, t, y[:n], R) and slides_on(b.rows, first.direction, R.direction)
    b.space.stage[0] += 1
    for k in range(n):
        b.rate[k] = R.y_dot[k] if acts else math.nan
    b.rate[n], b.rate[n + 1] = R.power[0], R.power[1]


@kernel
def step_with_rows(M, rows, S, known, t, h):  # type: ignore[no-untyped-def]
    """Step from S.y to S.ahead with the given rows acting.

    ``first`` holds the derivatives at its start if they are known; ``last`` those at its end.  Returns
    whether the rows act so throughout, and whether ``first`` may be used again.
    """
    n, n_q, n_v = S.y.size - 2, M.q.size, M.v.size
    y, y_end, first, last = S.y[:n], S.ahead[:n], S.first, S.last
    if not known and not (
        evaluate(M, rows, t, y, first) and consistent(rows, first) and is_sound(rows, first)
    ):
        return False, False
    S.stage[0] = 0
    explicit_step(rates_while_rows_act, Stages(M, rows, S, S.rate), S, S.y, t, h)
    if not is_finite(y_end):
        return False, True
    change = np.empty(n_v)
    for k in range(n_v):
        change[k] = y_end[n_q + k] - y[n_q + k]
    unit(rows.quaternions, y_end)
    possible, lost = project(M, rows, t + h, y_end)
    if not possible or not evaluate(M, rows, t + h, y_end, last) or not is_sound(rows, last):
        return False, True
    for i in range(rows.kind.size):
        if rows.kind[i] == 1 and not rows.held[i] and last.psi[i] < 0.0:
            return False, True
    moving = slice(n_q, n_q + n_v)
    resolved = is_resolved(y[moving], change, h, first.y_dot[moving], last.y_dot[moving])
    S.ahead[n + 1] += lost
    return resolved and slides_on(rows, first.direction, last.direction), True


@kernel
def smooth_step(M, rows, S, what, t, h):  # type: ignore[no-untyped-def]
    """Step with the given rows acting (FRESH, or KNOWN if ``first`` is), see `step_with_rows`.

    Instead of a step, a PROJECTION of S.y into S.ahead.
    """
    n = S.y.size - 2
    if what == PROJECTION:
        copy_rows(S.y, S.ahead)
        possible, work = project(M, rows, t, S.ahead[:n])
        S.ahead[n + 1] = work
        return possible, False
    return step_with_rows(M, rows, S, what == KNOWN, t, h)
