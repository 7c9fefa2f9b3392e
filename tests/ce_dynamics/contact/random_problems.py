"""Random complementarity problems with known properties."""

from itertools import product

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import Conditions, Kind, Problem


def frictionless(rng: np.random.Generator, *, doubled: bool) -> Problem:
    """Bilateral and unilateral rows that some velocity satisfies; with ``doubled``, rows occur twice."""
    n, m = int(rng.integers(2, 12)), int(rng.integers(1, 15))
    B = rng.normal(size=(n, n))
    M = B @ B.T + 0.5 * np.eye(n)
    GT = rng.normal(size=(m, n))
    if doubled:
        GT[m // 2 :] = GT[: m - m // 2]
    feasible = rng.normal(size=n)
    kinds = [Kind.BILATERAL if k < n // 3 and rng.random() < 0.3 else Kind.UNILATERAL for k in range(m)]
    spare = np.abs(rng.normal(size=m)) * (rng.random(m) < 0.5)
    spare[[kind == Kind.BILATERAL for kind in kinds]] = 0.0
    return Problem.from_dense(GT, M, rng.normal(size=n), spare - GT @ feasible, Conditions.of(kinds))


def frictional(rng: np.random.Generator) -> Problem:
    """Contacts with one friction row each, and one box row."""
    n, k = int(rng.integers(4, 9)), int(rng.integers(1, 5))
    B = rng.normal(size=(n, n))
    M = B @ B.T + 0.5 * np.eye(n)
    kinds = [Kind.UNILATERAL, Kind.FRICTION] * k + [Kind.BOX]
    normal = [row for i in range(k) for row in (-1, 2 * i)] + [-1]
    mu = [0.0, 0.5] * k + [0.0]
    limit = [0.0] * (2 * k) + [0.2]
    conditions = Conditions.of(kinds, normal, mu, [-x for x in limit], limit)
    GT = rng.normal(size=(2 * k + 1, n))
    return Problem.from_dense(GT, M, rng.normal(size=n), np.zeros(2 * k + 1), conditions)


def states_of(problem: Problem) -> list[Floats]:
    """All solutions with friction on boxes, one for each state of rows that leads to any: by trying all."""
    A, b = problem.delassus, problem.b
    kind, normal, mu, lower, upper = problem.conditions
    m = len(b)
    choices = [{Kind.BILATERAL: (0,), Kind.UNILATERAL: (0, 1)}.get(Kind(int(k)), (-1, 0, 1)) for k in kind]
    found = []
    for states in product(*choices):
        K, r = A.copy(), -b
        r = r.copy()
        for i, state in enumerate(states):
            if kind[i] == Kind.UNILATERAL and state == 1:
                K[i], r[i] = np.eye(m)[i], 0.0
            elif kind[i] >= Kind.BOX and state:
                K[i] = np.eye(m)[i]
                r[i] = (upper[i] if state > 0 else lower[i]) if kind[i] == Kind.BOX else 0.0
                if kind[i] == Kind.FRICTION:
                    K[i, normal[i]] -= state * mu[i]
        if abs(np.linalg.det(K)) < 1e-12:
            continue
        p = np.asarray(np.linalg.solve(K, r), dtype=float)
        if problem.residual(p) <= 1e-9:
            found.append(p)
    return found
