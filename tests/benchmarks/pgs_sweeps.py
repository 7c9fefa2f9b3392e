"""Cost of a sweep of projected Gauss–Seidel against the number of constraints.

A wall of spheres, each touching the two below it: three rows (normal and two of friction) per contact.  The
cost of a sweep is to be linear in the contacts.

    python tests/benchmarks/pgs_sweeps.py
"""

from __future__ import annotations

import math
import time

import numpy as np

from ce_dynamics.contact import Conditions, GaussSeidel, Kind, Problem, RigidBodies, RigidBody
from ce_dynamics.contact.rigid import NO_BODY, RigidRows

SWEEPS = 200
WIDE = 50
"""Spheres in a row of the wall."""


def wall(contacts: int, wide: int = WIDE) -> Problem:
    """The problem of one step of a wall with so many contacts, so many spheres in a row."""
    R = 0.5
    spheres = max(wide, contacts // 2)
    bodies: list[RigidBody] = []
    a: list[int] = []
    b: list[int] = []
    normals = []
    places: list[float] = []
    inertia = (0.4 * R * R,) * 3
    for k in range(spheres):
        row, column = divmod(k, wide)
        x = 2.0 * R * column + R * (row % 2)
        bodies.append(RigidBody(f"s{k}", 1.0, inertia, (x, 0.0, R + row * R * math.sqrt(3.0))))
        places.append(x)
        if row == 0:
            below = [(NO_BODY, (0.0, 0.0, 1.0))]
        else:
            left = k - wide - (0 if row % 2 else 1)
            below = [
                (n, (x - places[n], 0.0, R * math.sqrt(3.0)))
                for n in (left, left + 1)
                if (row - 1) * wide <= n < row * wide
            ]
        for other, d in below:
            if len(a) < contacts:
                a.append(k)
                b.append(other)
                normals.append(np.array(d) / np.linalg.norm(d))
    system = RigidBodies(bodies)
    n = np.array(normals)
    t1 = np.tile((0.0, 1.0, 0.0), (len(n), 1))
    axes = np.stack((n, t1, np.cross(n, t1)), axis=1).reshape(-1, 3)
    lever = np.repeat(-R * n, 3, axis=0)
    first, second = np.repeat(a, 3), np.repeat(b, 3)
    J_a = np.hstack((axes, np.cross(lever, axes)))
    J_b = np.hstack((-axes, np.cross(-lever, -axes)))
    m = len(first)
    rows = RigidRows(first, second, J_a, J_b, np.zeros(m), np.zeros(m))
    normal = np.repeat(3 * np.arange(len(n)), 3)
    normal[::3] = -1
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] * len(n)
    mu = np.tile((0.0, 0.5, 0.5), len(n))
    return system.problem(system.start, rows, Conditions.of(kinds, normal, mu), 1e-2, np.zeros(m))


def seconds_per_sweep(problem: Problem) -> float:
    """Best of three, of sweeps alone."""
    from ce_dynamics.contact.kernels import sweeps

    best = math.inf
    for _ in range(3):
        p, v = np.zeros(len(problem.c)), problem.v.copy()
        given = (tuple(problem.GT[:3]), tuple(problem.YT[:3]), v, problem.c, problem.diagonal)
        began = time.process_time()
        sweeps(*given, *problem.conditions, p, -1.0, SWEEPS)
        best = min(best, (time.process_time() - began) / SWEEPS)
    return best


def main() -> None:
    """Print a table and the exponent of the power law through it."""
    seconds_per_sweep(wall(10))  # compile
    sizes, costs = [], []
    print(f"{'contacts':>9s} {'rows':>7s} {'µs per sweep':>13s} {'ns per row':>11s}")
    for contacts in (100, 300, 1000, 3333, 10000):
        problem = wall(contacts)
        m = len(problem.c)
        cost = seconds_per_sweep(problem)
        sizes.append(m)
        costs.append(cost)
        print(f"{m // 3:9d} {m:7d} {1e6 * cost:13.1f} {1e9 * cost / m:11.1f}")
    slope = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    print(f"cost ∝ rows^{slope:.3f}")
    problem = wall(1000)
    for limit in (10, 100, 1000):
        began = time.process_time()
        done = GaussSeidel(1e-9, limit).solve(problem)
        spent = time.process_time() - began
        print(f"{len(problem.c)} rows, {done.sweeps} sweeps: residual {done.residual:.1e} m/s, {spent:.2f} s")


if __name__ == "__main__":
    main()
