"""Groups of bodies that touch each other: each is a complementarity problem of its own.

What is at rest does not tie together what stands on it.
"""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.complementarity.kernels import sweeps
from ce_dynamics.complementarity.machine import kernel
from ce_dynamics.complementarity.solvers.newton import HALVINGS, newton_small

NEWTON_STEPS, SWEEPS = 10, 30


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
def sparse(members, first, second, J_a, J_b, per):  # type: ignore[no-untyped-def]
    """Rows of some meetings over the velocities of all bodies, as `sweeps` takes them."""
    m = per * members.size
    starts, columns, values = np.zeros(m + 1, np.int64), np.empty(12 * m, np.int64), np.empty(12 * m)
    total = 0
    for i in range(m):
        k = members[i // per]
        row = per * k + i % per
        for n in range(6):
            if first[k] >= 0:
                columns[total], values[total] = 6 * first[k] + n, J_a[row, n]
                total += 1
        for n in range(6):
            if second[k] >= 0:
                columns[total], values[total] = 6 * second[k] + n, J_b[row, n]
                total += 1
        starts[i + 1] = total
    return starts, columns, values


@kernel
def swept(g, y, v, b, d, kind, normal, mu, none, p, aim, limit):  # type: ignore[no-untyped-def]
    """Sweeps; v is room for the changes of all velocities by p."""
    for k in range(v.size):
        v[k] = 0.0
    for i in range(p.size):
        for k in range(y[0][i], y[0][i + 1]):
            v[y[1][k]] += y[2][k] * p[i]
    return sweeps(g, y, v, b, d, kind, normal, mu, none, none, p, aim, limit)


@kernel
def island(A, g, y, v, b, kind, normal, mu, p, aim, enough):  # type: ignore[no-untyped-def]
    """Newton from p with halved, then with full steps; the same behind sweeps of Gauss–Seidel; p in place.

    Where rows are redundant full steps arrive at times where halved ones are caught.  Where nothing does, p
    is where the sweeps ended.  Returns the residual.
    """
    m = b.size
    d, none, q, residual = np.empty(m), np.zeros(m), np.empty(m), math.inf
    for i in range(m):
        d[i] = A[i, i]
        if kind[i] == 1:
            p[i] = max(0.0, p[i])
    for attempt in range(4):
        if attempt == 2:
            swept(g, y, v, b, d, kind, normal, mu, none, p, aim, SWEEPS)
        for i in range(m):
            q[i] = p[i]
        halvings = HALVINGS if attempt % 2 == 0 else 0
        _, residual = newton_small(A, b, d, kind, normal, mu, none, none, q, aim, NEWTON_STEPS, halvings)
        if residual <= enough:
            for i in range(m):
                p[i] = q[i]
            break
    return residual
