"""Problems of one time step of piled bodies, with more contacts than hold them, that are hard for sweeps."""

import math
from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import Conditions, Kind, Problem, RigidBodies, RigidBody, RigidRows
from ce_dynamics.contact.rigid import NO_BODY

Touch = tuple[int, int, Sequence[float], Sequence[float], Sequence[float]]
"""Upper and lower body, normal towards the upper, point from the centre of either."""


def touching(bodies: list[RigidBody], touches: list[Touch], mu: float, h: float = 1e-2) -> Problem:
    """The problem of a step of bodies that touch each other already."""
    n = np.array([touch[2] for touch in touches], dtype=float)
    helper = np.where(np.abs(n[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    t = np.cross(n, helper)
    t /= np.linalg.norm(t, axis=1)[:, None]
    axes = np.stack((n, t, np.cross(n, t)), axis=1).reshape(-1, 3)
    upper, lower = (np.repeat([touch[k] for touch in touches], 3).astype(np.int64) for k in (0, 1))
    above, below = (
        np.repeat(np.array([touch[k] for touch in touches], dtype=float), 3, axis=0) for k in (3, 4)
    )
    J_a = np.hstack((axes, np.cross(above, axes)))
    J_b = np.hstack((-axes, np.cross(below, -axes)))
    m = len(axes)
    normal = np.repeat(3 * np.arange(len(touches)), 3)
    normal[::3] = -1
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] * len(touches)
    conditions = Conditions.of(kinds, normal, np.tile((0.0, mu, mu), len(touches)))
    system = RigidBodies(bodies)
    rows = RigidRows(upper, lower, J_a, J_b, np.zeros(m), np.zeros(m))
    return system.problem(system.start, rows, conditions, h, np.zeros(m))


def stack(count: int, mu: float = 0.5, ratio: float = 1.0) -> Problem:
    """Unit cubes on each other, each ``ratio`` times as heavy as that below; the middle one is pushed."""
    bodies: list[RigidBody] = []
    touches: list[Touch] = []
    for k in range(count):
        mass = ratio**k
        pushed = (0.3 * (k == count // 2), 0.03, 0.0)
        cube = RigidBody(f"b{k}", mass, (mass / 6.0,) * 3, (0, 0, 0.5 + k), (1, 0, 0, 0), pushed, (0, 0, 0.2))
        bodies.append(cube)
        for x in (-0.5, 0.5):
            for y in (-0.5, 0.5):
                below = (x, y, 0.5) if k else (0.0, 0.0, 0.0)
                touches.append((k, k - 1 if k else NO_BODY, (0, 0, 1), (x, y, -0.5), below))
    return touching(bodies, touches, mu)


def bricks(courses: int, columns: int, mu: float = 0.5) -> Problem:
    """A wall of bricks 2 × 1 × 1, each on two of the course below; the middle course is pushed."""
    bodies: list[RigidBody] = []
    touches: list[Touch] = []
    for k in range(courses * columns):
        row, column = divmod(k, columns)
        x = 2.0 * column + row % 2
        pushed = (0.0, 0.2 * (row == courses // 2), 0.0)
        inertia = (1 / 6, 5 / 12, 5 / 12)
        bodies.append(RigidBody(f"b{k}", 1.0, inertia, (x, 0.0, 0.5 + row), (1, 0, 0, 0), pushed))
        below = [(NO_BODY, x)] if row == 0 else []
        if row:
            nearby = (column, column + 1) if row % 2 else (column - 1, column)
            below = [((row - 1) * columns + c, 2.0 * c + (row - 1) % 2) for c in nearby if 0 <= c < columns]
        for other, centre in below:
            for at in (max(x, centre) - 1.0, min(x, centre) + 1.0):
                for y in (-0.5, 0.5):
                    foot = (at - centre, y, 0.5) if other != NO_BODY else (0.0, 0.0, 0.0)
                    touches.append((k, other, (0, 0, 1), (at - x, y, -0.5), foot))
    return touching(bodies, touches, mu)


def rocks(count: int, mu: float, seed: int = 0, *, decades: float = 0.0) -> Problem:
    """Bodies heaped up, each touching those within reach in one to four points: many more than hold it.

    All contacts open where every body moves away from the origin, so that there is a solution.  Masses are
    spread over so many decades, and speeds with them up to thirty times those of equal bodies.
    """
    rng, spread = np.random.default_rng(seed), np.random.default_rng(seed + 1000)
    drawn = spread.uniform(size=(count, 2))
    factors, speeds = 10.0 ** (decades * drawn[:, 0]), 30.0 * drawn[:, 1] if decades else np.ones(count)
    wide = max(1, round((count / 1.5) ** (1 / 3)))
    cells = [(i, j, k) for k in range(count) for j in range(wide) for i in range(wide)][:count]
    at = np.array(cells, dtype=float) + rng.uniform(-0.2, 0.2, size=(count, 3)) + (0.0, 0.0, 0.5)
    bodies: list[RigidBody] = []
    touches: list[Touch] = []
    for k in range(count):
        m = rng.uniform(0.3, 3.0)
        inertia, pushed = m * rng.uniform(0.13, 0.25, 3), 0.02 * speeds[k] * rng.normal(size=3)
        m, inertia = m * factors[k], inertia * factors[k]
        bodies.append(RigidBody(f"b{k}", m, inertia, at[k], (1, 0, 0, 0), pushed))
    patch = ((0.2, 0.2), (-0.2, 0.2), (0.2, -0.2), (-0.2, -0.2))
    for a in range(count):
        for b in (b for b in range(a) if np.linalg.norm(at[a] - at[b]) < 1.25):
            n = (at[a] - at[b]) / np.linalg.norm(at[a] - at[b])
            t = np.cross(n, rng.normal(size=3))
            t /= np.linalg.norm(t)
            for x, y in patch[: rng.integers(1, 5)]:
                point = 0.5 * (at[a] + at[b]) + x * t + y * np.cross(n, t)
                touches.append((a, b, tuple(n), tuple(point - at[a]), tuple(point - at[b])))
        if cells[a][2] == 0:
            touches += [(a, NO_BODY, (0, 0, 1), (1.5 * x, 1.5 * y, -at[a, 2]), (0, 0, 0)) for x, y in patch]
    return touching(bodies, touches, mu)


def groove(count: int, mu: float) -> Problem:
    """Spheres in a row in a groove of two plates at 45°, each touching the next; the last is pushed."""
    bodies: list[RigidBody] = []
    touches: list[Touch] = []
    s, radius = np.sqrt(0.5), 0.5
    for k in range(count):
        at, pushed = (2.0 * radius * k, 0.0, radius / s), (-0.5 * (k == count - 1), 0.1, 0.0)
        bodies.append(RigidBody(f"b{k}", 1.0 + k % 3, (0.1,) * 3, at, (1, 0, 0, 0), pushed, (0.0, 0.3, 0.1)))
        touches += [
            (k, NO_BODY, (0, -y * s, s), (0, y * s * radius, -s * radius), (0, 0, 0)) for y in (-1.0, 1.0)
        ]
        if k:
            touches.append((k, k - 1, (1, 0, 0), (-radius, 0, 0), (radius, 0, 0)))
    return touching(bodies, touches, mu)


def sphere_wall(contacts: int, mu: float, wide: int = 50) -> Problem:
    """A wall of spheres, so many in a row, each touching the two below it; three rows per contact."""
    R, height = 0.5, 0.5 * math.sqrt(3.0)
    bodies: list[RigidBody] = []
    places: list[float] = []
    touches: list[Touch] = []
    for k in range(max(wide, contacts // 2)):
        row, column = divmod(k, wide)
        x = 2.0 * R * column + R * (row % 2)
        bodies.append(RigidBody(f"s{k}", 1.0, (0.4 * R * R,) * 3, (x, 0.0, R + row * height)))
        places.append(x)
        left = k - wide - (0 if row % 2 else 1)
        nearby = [n for n in (left, left + 1) if (row - 1) * wide <= n < row * wide]
        below = [(n, (x - places[n], 0.0, height)) for n in nearby] if row else [(NO_BODY, (0.0, 0.0, 1.0))]
        for other, d in below:
            n = np.array(d) / np.linalg.norm(d)
            touches.append((k, other, n, -R * n, R * n))
    return touching(bodies, touches[:contacts], mu)


def coulomb_violation(problem: Problem, p: Floats) -> float:
    """Return the violation of Coulomb's law by impulses of spatial contacts, without projection: a velocity.

    p_n ≥ 0, w_n ≥ 0, |p_t| ≤ μ p_n; where p_n > 0 (impulses count as velocities A_nn p_n) w_n = 0; where
    |p_t| < μ p_n w_t = 0; and w_t opposite to p_t.
    """
    d = problem.diagonal.reshape(-1, 3).max(axis=1)
    P, w = d[:, None] * p.reshape(-1, 3), problem.w(p).reshape(-1, 3)
    mu = problem.conditions.mu[1::3]
    grip, slip = np.hypot(P[:, 1], P[:, 2]), np.hypot(w[:, 1], w[:, 2])
    spare = mu * P[:, 0] - grip
    opposite = np.einsum("ij,ij->i", P[:, 1:], w[:, 1:]) + grip * slip
    speed = problem.speed
    parts = (
        -P[:, 0], -w[:, 0], -spare, np.minimum(P[:, 0], np.abs(w[:, 0])), np.minimum(spare, slip),
        opposite / speed,
    )  # fmt: skip
    return float(max(np.max(part) for part in parts))
