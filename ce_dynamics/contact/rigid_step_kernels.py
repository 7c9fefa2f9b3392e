"""Steps of plain rigid bodies as one piece of machine code.

Meetings, rows, free velocities, a complementarity problem for every island, the new state: the formulas of
`RigidContacts.step` with `Chain`, step after step without a Python object in between.  A step is left to
Python where something rebounds, or where an island is larger than Newton's dense matrices should be or is not
solved by Newton's method and a few sweeps.

Groups of bodies that touch each other: each is a complementarity problem of its own.

What is at rest does not tie together what stands on it.
"""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.contact.gyroscopic import ENOUGH
from ce_dynamics.contact.kernels import spin, sweeps
from ce_dynamics.contact.machine import kernel
from ce_dynamics.contact.meeting_kernels import meetings
from ce_dynamics.contact.problem import ROUNDING
from ce_dynamics.contact.rigid_kernels import (
    along_rows,
    congruent,
    contact_rows,
    in_body,
    in_world,
    quaternion_rates,
    responses,
    rotate_all,
    rotations,
)
from ce_dynamics.contact.solvers.newton import HALVINGS, newton_small

NEWTON_STEPS, SWEEPS = 10, 30


@kernel
def root_of(parent, body):  # type: ignore[no-untyped-def]
    """The body that stands for a group."""
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@kernel
def group_islands(first, second, parent, order, starts):  # type: ignore[no-untyped-def]
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
def sweep_rows(g, y, v, b, d, kind, normal, mu, none, p, aim, limit):  # type: ignore[no-untyped-def]
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
            sweep_rows(g, y, v, b, d, kind, normal, mu, none, p, aim, SWEEPS)
        for i in range(m):
            q[i] = p[i]
        halvings = HALVINGS if attempt % 2 == 0 else 0
        _, residual = newton_small(A, b, d, kind, normal, mu, none, none, q, aim, NEWTON_STEPS, halvings)
        if residual <= enough:
            for i in range(m):
                p[i] = q[i]
            break
    return residual


DONE, LEFT, REBOUNDS, PAIRS, ROOM = range(5)


@kernel
def furthest(G, v, h):  # type: ignore[no-untyped-def]
    """The largest speed of any point of any shape, and the margin in which meetings matter."""
    fastest, g = 0.0, 0.0
    for k in range(len(v)):
        speed = math.sqrt(v[k, 0] ** 2 + v[k, 1] ** 2 + v[k, 2] ** 2)
        spinning = math.sqrt(v[k, 3] ** 2 + v[k, 4] ** 2 + v[k, 5] ** 2)
        point = speed + spinning * G.reach[k]
        if not point <= fastest:
            fastest = point
    for i in range(3):
        g += G.gravity[i] ** 2
    return fastest, 2.0 * h * (fastest + h * math.sqrt(g))


@kernel
def freely(G, B, h):  # type: ignore[no-untyped-def]
    """Rotations, inverse inertias and velocities without impulses, as `RigidBodies.free_velocities`."""
    rotations(B.quaternion, B.R)
    congruent(B.R, G.inverse, B.Y)
    in_body(B.R, B.v, B.before)
    for k in range(len(B.v)):
        for i in range(3):
            B.spun[k, i] = B.before[k, i]
    spin(G.inertia, B.before, h, ENOUGH, B.spun)
    for k in range(len(B.v)):
        for i in range(3):
            B.free[k, i] = B.v[k, i] + h * G.gravity[i]
    in_world(B.R, B.spun, B.free)


@kernel
def carry_over(B, count, per):  # type: ignore[no-untyped-def]
    """Impulses of the step before for the meetings that are still there; both lists are in order."""
    old = 0
    for k in range(count):
        while old < B.old_count[0] and B.old_key[old] < B.found.key[k]:
            old += 1
        same = old < B.old_count[0] and B.old_key[old] == B.found.key[k]
        for row in range(per):
            B.p[per * k + row] = B.old_p[per * old + row] if same else 0.0


@kernel
def free_rates(G, B, count, h):  # type: ignore[no-untyped-def]
    """b = Gᵀ v + c; the speed of the problem as `Problem.speed` and whether a row rebounds."""
    first, second = B.found.first[:count], B.found.second[:count]
    rows = G.per * count
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.v, B.rate[:rows])
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.free, B.b[:rows])
    speed, rebounds = 0.0, False
    for i in range(rows):
        size, c = 0.0, 0.0
        for n in range(6):
            if first[i // G.per] >= 0:
                size += abs(B.J_a[i, n] * B.free[first[i // G.per], n])
            if second[i // G.per] >= 0:
                size += abs(B.J_b[i, n] * B.free[second[i // G.per], n])
        if i % G.per == 0:
            c = B.found.psi[i // G.per] / h
            if G.e > 0.0 and B.rate[i] < -G.rest_speed and c + B.b[i] <= 0.0:
                rebounds = True
            c = max(c, min(B.b[i], 0.0) - G.rest_speed)  # as `closing`
            B.b[i] += c
        far = i % G.per == 0 and c > size
        speed = max(speed, size + (size if far else abs(c)))
    return speed, rebounds


@kernel
def each_island(G, B, count, aim, enough):  # type: ignore[no-untyped-def]
    """Solve the islands that can be solved here; whether all were, and the largest residual."""
    per = G.per
    first, second = B.found.first[:count], B.found.second[:count]
    rows = per * count
    responses(first, per, B.J_a[:rows], G.mass, B.Y, B.Y_a)
    responses(second, per, B.J_b[:rows], G.mass, B.Y, B.Y_b)
    islands = group_islands(first, second, B.parent, B.order, B.starts)
    solved, worst, v = True, 0.0, np.empty(6 * len(B.r))
    for k in range(islands):
        members = B.order[B.starts[k] : B.starts[k + 1]]
        m = per * members.size
        if m > G.kind.size:
            solved = False
            continue
        A, b, p = np.empty((m, m)), np.empty(m), np.empty(m)
        delassus(members, first, second, B.J_a, B.J_b, B.Y_a, B.Y_b, per, A)
        for i in range(m):
            row = per * members[i // per] + i % per
            b[i], p[i] = B.b[row], B.p[row]
        g = sparse(members, first, second, B.J_a, B.J_b, per)
        y = sparse(members, first, second, B.Y_a, B.Y_b, per)
        residual = island(A, g, y, v, b, G.kind[:m], G.normal[:m], G.mu[:m], p, aim, enough)
        for i in range(m):
            B.p[per * members[i // per] + i % per] = p[i]
        if not residual <= enough:
            solved = False
        elif residual > worst:
            worst = residual
    return solved, worst


@kernel
def behind(G, B, count):  # type: ignore[no-untyped-def]
    """v⁺ into the place of the free velocities; the work of the contacts."""
    per = G.per
    for k in range(count):
        a, b = B.found.first[k], B.found.second[k]
        for row in range(per * k, per * k + per):
            for i in range(6):
                if a >= 0:
                    B.free[a, i] += B.Y_a[row, i] * B.p[row]
                if b >= 0:
                    B.free[b, i] += B.Y_b[row, i] * B.p[row]
    rows = per * count
    first, second = B.found.first[:count], B.found.second[:count]
    along_rows(first, second, B.J_a[:rows], B.J_b[:rows], B.free, B.b[:rows])
    work = 0.0
    for row in range(rows):
        work += 0.5 * B.p[row] * (B.rate[row] + B.b[row])
    return work


@kernel
def move_all(B, count, per, h):  # type: ignore[no-untyped-def]
    """The new state and what the next step starts from."""
    quaternion_rates(B.quaternion, B.free, B.rates)
    rotate_all(B.quaternion, B.rates, h, B.quaternion)
    for k in range(len(B.r)):
        for i in range(3):
            B.r[k, i] += h * B.free[k, i]
        for i in range(6):
            B.v[k, i] = B.free[k, i]
    B.old_count[0] = count
    for k in range(count):
        B.old_key[k] = B.found.key[k]
        for row in range(per * k, per * k + per):
            B.old_p[row] = B.p[row]


@kernel
def steps(S, G, B, pairs, within, h, count, tolerance):  # type: ignore[no-untyped-def]
    """Up to so many steps.

    ``pairs`` are those within the distance ``within`` at the first of them.  Returns the steps made, why no
    more, the work of the contacts, the largest residual and speed, what is left of ``within`` and the
    meetings of the last attempt.
    """
    work, worst, top, found = 0.0, 0.0, 0.0, B.old_count[0]
    for k in range(count):
        _, margin = furthest(G, B.v, h)
        if not margin <= within:
            return k, PAIRS, work, worst, top, within, found
        freely(G, B, h)
        found = meetings(S, B.r, B.R, pairs, margin, B.found)
        if found > len(B.found.psi):
            return k, ROOM, work, worst, top, within, found
        rows = G.per * found
        contact_rows(
            S,
            B.found.first[:found],
            B.found.second[:found],
            B.found.C,
            B.found.n,
            B.r,
            G.rolling,
            B.J_a[:rows],
            B.J_b[:rows],
        )
        speed, rebounds = free_rates(G, B, found, h)
        if rebounds:
            return k, REBOUNDS, work, worst, top, within, found
        carry_over(B, found, G.per)
        rounding = ROUNDING * speed
        aim = max(1e-4 * tolerance * speed, 0.1 * rounding)  # a last step of Newton's method costs little
        solved, residual = each_island(G, B, found, aim, tolerance * speed + rounding)
        if not solved:
            return k, LEFT, work, worst, top, within, found
        work += behind(G, B, found)
        move_all(B, found, G.per, h)
        worst = max(worst, residual)
        reached, _ = furthest(G, B.v, h)
        within -= 2.0 * h * reached
        top = max(top, reached)
    return count, DONE, work, worst, top, within, found
