"""Groups of bodies that touch each other: each is a complementarity problem of its own.

What is at rest does not tie together what stands on it.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.complementarity.kernels import sweeps
from ce_dynamics.complementarity.machine import kernel
from ce_dynamics.complementarity.solvers.small import newton

NEWTON_STEPS = 10
SWEEPS = (30, 100)
"""Of Gauss–Seidel between attempts of Newton's method."""


@kernel
def root_of(parent, body):  # type: ignore[no-untyped-def]
    """The body that stands for a group."""
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@kernel
def grouped(first, second, parent, order, starts):  # type: ignore[no-untyped-def]
    """Meetings by islands: ``order[starts[k]:starts[k+1]]`` are those of island k; returns their number."""
    for body in range(parent.size):
        parent[body] = body
    for k in range(first.size):
        if first[k] >= 0 and second[k] >= 0:
            one, other = root_of(parent, first[k]), root_of(parent, second[k])
            parent[max(one, other)] = min(one, other)
    count = np.zeros(parent.size, dtype=np.int64)
    for k in range(first.size):
        count[root_of(parent, max(first[k], second[k]))] += 1
    islands, total = 0, 0
    place = np.zeros(parent.size, dtype=np.int64)
    for body in range(parent.size):
        if count[body] > 0:
            starts[islands] = total
            place[body] = total
            total += count[body]
            islands += 1
    starts[islands] = total
    for k in range(first.size):
        root = root_of(parent, max(first[k], second[k]))
        order[place[root]] = k
        place[root] += 1
    return islands


@kernel
def block(J, Y, i, k, per, sign, A, at, to):  # type: ignore[no-untyped-def]
    """Add what the rows of meetings i and k have in common through one body."""
    for a in range(per):
        for b in range(per):
            total = 0.0
            for n in range(6):
                total += J[per * i + a, n] * Y[per * k + b, n]
            A[at + a, to + b] += sign * total


@kernel
def delassus(members, first, second, J_a, J_b, Y_a, Y_b, per, A):  # type: ignore[no-untyped-def]
    """A = Gᵀ M⁻¹ G of some meetings."""
    for row in range(members.size):
        i = members[row]
        for column in range(row + 1):
            k = members[column]
            at, to = per * row, per * column
            for a in range(per):
                for b in range(per):
                    A[at + a, to + b] = 0.0
            if first[i] >= 0 and first[i] == first[k]:
                block(J_a, Y_a, i, k, per, 1.0, A, at, to)
            if second[i] >= 0 and second[i] == second[k]:
                block(J_b, Y_b, i, k, per, 1.0, A, at, to)
            if first[i] >= 0 and first[i] == second[k]:
                block(J_a, Y_b, i, k, per, 1.0, A, at, to)
            if second[i] >= 0 and second[i] == first[k]:
                block(J_b, Y_a, i, k, per, 1.0, A, at, to)
    m = len(A)
    for i in range(m):
        for k in range(i):
            A[k, i] = A[i, k]


@kernel
def swept(A, b, d, kind, normal, mu, none, p, aim, limit):  # type: ignore[no-untyped-def]
    """Sweeps over rows of A; w takes the place of velocities: an impulse changes them by a row of A."""
    m = b.size
    starts, own, w, ones = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64), np.empty(m), np.empty(m)
    columns, values = np.empty(m * m, np.int64), np.empty(m * m)
    own[m], starts[m] = m, m * m
    for i in range(m):
        own[i], starts[i], ones[i], w[i] = i, m * i, 1.0, b[i]
        for k in range(m):
            columns[m * i + k], values[m * i + k] = k, A[i, k]
            w[i] += A[i, k] * p[k]
    g, y = (own, own, ones), (starts, columns, values)
    return sweeps(g, y, w, none, d, kind, normal, mu, none, none, p, aim, limit)


@kernel
def island(A, b, kind, normal, mu, p, aim, enough):  # type: ignore[no-untyped-def]
    """Newton, sweeps of Gauss–Seidel, Newton on one problem, p in place; returns steps and residual."""
    m = b.size
    d, none, q = np.empty(m), np.zeros(m), np.empty(m)
    for i in range(m):
        d[i] = A[i, i]
        if kind[i] == 1:
            p[i] = max(0.0, p[i])
        q[i] = p[i]
    count, residual = newton(A, b, d, kind, normal, mu, none, none, q, aim, NEWTON_STEPS)
    for limit in SWEEPS:
        if residual <= enough:
            break
        count += swept(A, b, d, kind, normal, mu, none, p, aim, limit)
        for i in range(m):
            q[i] = p[i]
        more, residual = newton(A, b, d, kind, normal, mu, none, none, q, aim, NEWTON_STEPS)
        count += more
    if residual <= enough:
        for i in range(m):
            p[i] = q[i]
    return count, residual
