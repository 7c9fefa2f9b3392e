"""Accelerated projected gradients with De Saxcé's shift: products with A are all it needs.

With the shift s_n = Σ μ_i |w_i| of the normal rows given, Coulomb's law is the optimality condition of

    minimise ½ xᵀ A x + (b + s)ᵀ x   over the impulses x within their friction cones,

which is convex; Nesterov's method solves it, its momentum restarted when it points uphill [1]_.  s then
follows from the new w, and so on: a fixed point of this outer iteration fulfils Coulomb's law itself, not its
convex relaxation [2]_.  The inner problem is solved a tenth as far as the outer one moves.

References
----------
.. [1] B. O'Donoghue, E. Candès: Adaptive restart for accelerated gradient schemes, Foundations of
   Computational Mathematics 15 (2015) 715-732.
.. [2] V. Acary, F. Cadoux, C. Lemaréchal, J. Malick: A formulation of the linear discrete Coulomb friction
   problem via convex optimization, ZAMM 91 (2011) 155-175.
"""

from __future__ import annotations

import math
import time

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.solvers.rows import Judge, Rows

INNER = 2000
"""Steps of an inner problem at most."""


def largest_eigenvalue(rows: Rows) -> float:
    """Return 1.1 times the largest eigenvalue of A, estimated by power iteration."""
    x = np.cos(1.0 + 2.3 * np.arange(len(rows)))
    size = 1.0
    for _ in range(30):
        x = rows.A @ (x / max(float(np.linalg.norm(x)), 1e-300))
        size = float(np.linalg.norm(x))
    return 1.1 * max(size, 1e-300)


def projected_gradient(
    rows: Rows, x: Floats, judge: Judge, L: float, products: int, deadline: float = math.inf
) -> tuple[Floats, Floats, int]:
    """Iterate with so many products.

    Parameters
    ----------
    rows : Rows
    x : (m,) array
        Start.
    judge : callable
        Of a point; at most one ends the iteration.
    L : float
        Of `largest_eigenvalue`.
    products : int
        With A, at most.
    deadline : float
        `time.thread_time` at which to stop.

    Returns
    -------
    last, best : (m,) arrays
        Where it got to, and the point the judge liked most.
    used : int
        Products.
    """
    used = 0
    x = rows.project(x)
    Ax = np.asarray(rows.A @ x)
    best, smallest = x, math.inf
    while True:
        verdict = judge(x)
        if verdict < smallest:
            best, smallest = x, verdict
        if smallest <= 1.0 or used >= products or time.thread_time() > deadline:
            return x, best, used
        linear = rows.b + rows.shift(Ax + rows.b)
        y, Ay, theta, target = x, Ax, 1.0, math.inf
        for k in range(min(INNER, products - used)):
            new = rows.project(y - (Ay + linear) / L)
            A_new = np.asarray(rows.A @ new)
            used += 1
            back, forth = y - new, new - x
            step = float(np.linalg.norm(back))
            if float(back @ forth) > 0.0:
                theta = 1.0
            following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))
            momentum = (theta - 1.0) / following
            theta = following
            y, Ay = new + momentum * forth, A_new + momentum * (A_new - Ax)
            x, Ax = new, A_new
            if k == 0:
                target = 0.1 * step
            elif k > 2 and step <= target:
                break
