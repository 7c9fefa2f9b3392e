"""Random complementarity problems with known properties."""

from __future__ import annotations

import numpy as np

from ce_dynamics.complementarity import Conditions, Kind, Problem


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
    return Problem.reduced(GT, M, rng.normal(size=n), spare - GT @ feasible, Conditions.of(kinds))


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
    return Problem.reduced(GT, M, rng.normal(size=n), np.zeros(2 * k + 1), conditions)
