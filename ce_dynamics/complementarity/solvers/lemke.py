"""Lemke's method for linear complementarity problems: complementary pivoting from a ray.

Find z ≥ 0 with M z + q ≥ 0 and zᵀ (M z + q) = 0.  An artificial variable z₀ makes q positive; pivots that
keep every other pair complementary drive it out.  Rows are compared lexicographically, so that degenerate
problems (friction without normal force) do not cycle [1]_.

References
----------
.. [1] R. W. Cottle, J.-S. Pang, R. E. Stone: The Linear Complementarity Problem, SIAM 2009, section 4.4.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Integers

TINY = 1e-11
"""Entries of a column that cannot be a pivot."""


def lemke(M: Floats, q: Floats, pivots: int | None = None) -> Floats | None:
    """A solution z; None if the method ends on a ray, or after so many pivots (50 per row if not given).

    For positive semidefinite M a ray means that no z ≥ 0 has M z + q ≥ 0; in general it means nothing.
    """
    n = len(q)
    if n == 0 or np.all(q >= 0.0):
        return np.zeros(n)
    # columns: w (the inverse of the basis), z, z0, right-hand side
    T = np.hstack((np.eye(n), -M, -np.ones((n, 1)), q[:, None]))
    basis = np.arange(n)
    row = int(np.argmin(q))
    entering = 2 * n
    for _ in range(50 * n + 50 if pivots is None else pivots):
        T[row] /= T[row, entering]
        factors = T[:, entering].copy()
        factors[row] = 0.0
        T -= np.outer(factors, T[row])
        leaving = basis[row]
        basis[row] = entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        found = leaving_row(T, basis, entering, n)
        if found is None:
            return None
        row = found
    return None


def leaving_row(T: Floats, basis: Integers, entering: int, n: int) -> int | None:
    """The row of least ratio; of several the lexicographically least, z₀ before all others."""
    column = T[:, entering]
    rows = np.flatnonzero(column > TINY * max(1.0, float(np.max(np.abs(column)))))
    if len(rows) == 0:
        return None
    for k in (2 * n + 1, *range(n)):
        ratio = T[rows, k] / column[rows]
        least = float(np.min(ratio))
        rows = rows[ratio <= least + 1e-13 * max(1.0, abs(least))]
        if k == 2 * n + 1 and np.any(basis[rows] == 2 * n):
            return int(rows[basis[rows] == 2 * n][0])
        if len(rows) == 1:
            break
    return int(rows[0])
