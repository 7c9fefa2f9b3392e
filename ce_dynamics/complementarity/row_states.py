"""Complementarity with friction by mixed-integer programming: which state every row is in.

Rows are scaled so that impulses and velocities are of order one.  States exclude each other by bounds P on
impulses and W on velocities, which are enlarged until a solution lies within them; the impulses then follow
from linear equations, so that neither the bounds nor the program's tolerances enter the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.errors import InfeasibleError
from ce_dynamics.complementarity.problem import Booleans, Integers, Kind, Problem
from ce_dynamics.complementarity.scaled import RANK, Scaled, scaled

BOUNDS = (10.0, 100.0, 1e3, 1e4)
"""P and W, tried in turn."""
EQUAL = 1e-9
"""Accepted residual of the scaled problem."""


class Bounded(NamedTuple):
    """Conditions of the scaled rows.

    Attributes
    ----------
    kind, normal : (k,) int arrays
        ``normal`` counts scaled rows.
    mu : (k,) array
        For scaled impulses.
    lower, upper : (k,) arrays
        Of box rows, scaled.
    """

    kind: Integers
    normal: Integers
    mu: Floats
    lower: Floats
    upper: Floats


def solve_by_states(problem: Problem) -> Floats:
    """Impulses of bilateral, unilateral, box and friction rows.

    Raises
    ------
    InfeasibleError
        If no solution is found within the largest bounds.
    """
    s = scaled(problem)
    rows = bounded(problem, s)
    for bound in BOUNDS:
        found = choose(s, rows, bound)
        if found is None:
            continue
        p = settled(s, rows, *found)
        answer = s.impulses(p, len(problem.c))
        if problem.residual(answer) <= EQUAL * s.unit / float(np.min(s.size)):
            return answer
    raise InfeasibleError("no impulses satisfy all conditions; friction and contacts may jam")


def bounded(problem: Problem, s: Scaled) -> Bounded:
    """Conditions for the scaled impulses."""
    kind, normal, mu, lower, upper = problem.conditions
    place = np.full(len(kind), -1)
    place[s.rows] = np.arange(len(s.rows))
    n = np.where(normal[s.rows] >= 0, place[normal[s.rows]], -1)
    ratio = np.where(n >= 0, s.size[n], 0.0) / s.size
    scale = s.unit * s.size
    return Bounded(kind[s.rows], n, mu[s.rows] * ratio, lower[s.rows] / scale, upper[s.rows] / scale)


def choose(s: Scaled, rows: Bounded, bound: float) -> tuple[Floats, Booleans, Booleans] | None:
    """Impulses and states (closed or sliding up; sliding down) of a solution within the bounds, if any."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    k = len(s.b)
    I = np.eye(k)  # noqa: E741
    Z = np.zeros((k, k))
    blocks: list[tuple[Floats, Floats, Floats, Floats, Floats]] = []  # p, up, down; at least, at most

    def ask(mask: Booleans, p: Floats, up: Floats, down: Floats, low: Floats, high: Floats) -> None:
        blocks.append((p[mask], up[mask], down[mask], low[mask], high[mask]))

    none, many = np.full(k, -np.inf), np.full(k, np.inf)
    one = np.ones(k)
    A, b = s.A, s.b
    unilateral, slides = rows.kind == Kind.UNILATERAL, rows.kind >= Kind.BOX
    ask(rows.kind == Kind.BILATERAL, A, Z, Z, -b, -b)
    ask(unilateral, I, -bound * I, Z, none, 0.0 * one)  # p ≤ P z
    ask(unilateral, A, bound * I, Z, none, bound - b)  # w ≤ W (1 − z)
    # reach: hi = μ p_n for friction, a constant for boxes
    R = np.where((rows.normal >= 0)[:, None], rows.mu[:, None] * I[rows.normal], 0.0)
    box = rows.kind == Kind.BOX
    upper = np.where(box, np.minimum(rows.upper, bound), 0.0)
    lower = np.where(box, np.maximum(rows.lower, -bound), 0.0)
    ask(slides, I - R, Z, Z, none, upper)  # p ≤ hi
    ask(slides, I + R, Z, Z, lower, many)  # p ≥ lo
    ask(slides, I - R, -2.0 * bound * I, Z, upper - 2.0 * bound, many)  # up: p = hi, w ≤ 0
    ask(slides, I + R, Z, 2.0 * bound * I, none, lower + 2.0 * bound)  # down: p = lo, w ≥ 0
    ask(slides, A, Z, -bound * I, none, -b)  # w ≤ W down
    ask(slides, A, bound * I, Z, -b, many)  # w ≥ −W up
    ask(slides, Z, I, I, none, one)
    matrix = np.vstack([np.hstack(block[:3]) for block in blocks])
    least, most = (np.concatenate([block[j] for block in blocks]) for j in (3, 4))
    free = (rows.kind == Kind.BILATERAL) | slides
    low = np.concatenate((np.where(free, -bound, 0.0), np.zeros(2 * k)))
    high = np.concatenate((np.full(k, bound), np.where(rows.kind == Kind.BILATERAL, 0.0, 1.0), 1.0 * slides))
    # w ≥ 0 of unilateral rows
    matrix = np.vstack((matrix, np.hstack((A, Z, Z))[unilateral]))
    least, most = np.append(least, -b[unilateral]), np.append(most, many[unilateral])
    done = milp(
        np.concatenate((1.0 * unilateral, np.zeros(2 * k))),
        integrality=np.concatenate((np.zeros(k), np.ones(2 * k))),
        bounds=Bounds(low, high),
        constraints=LinearConstraint(matrix, least, most),
        options={"mip_rel_gap": 0.0, "time_limit": 60.0},
    )
    if done.x is None:
        return None
    return done.x[:k], done.x[k : 2 * k] > 0.5, done.x[2 * k :] > 0.5


def settled(s: Scaled, rows: Bounded, p: Floats, up: Booleans, down: Booleans) -> Floats:
    """Impulses that fulfil the equations of the chosen states to rounding, nearest to those given."""
    k = len(p)
    slides = rows.kind >= Kind.BOX
    K, r = s.A.copy(), -s.b.copy()  # w = 0: bilateral, closed, sticking
    for i in range(k):
        if rows.kind[i] == Kind.UNILATERAL and not up[i]:
            K[i], r[i] = np.eye(k)[i], 0.0
        elif slides[i] and (up[i] or down[i]):
            K[i] = np.eye(k)[i]
            sign = 1.0 if up[i] else -1.0
            if rows.kind[i] == Kind.BOX:
                r[i] = rows.upper[i] if up[i] else rows.lower[i]
            else:
                K[i, rows.normal[i]] -= sign * rows.mu[i]
                r[i] = 0.0
    correction = np.asarray(np.linalg.lstsq(K, r - K @ p, rcond=RANK)[0], dtype=float)
    better = p + correction
    unilateral = rows.kind == Kind.UNILATERAL
    return np.asarray(np.where(unilateral, np.maximum(better, 0.0), better))
