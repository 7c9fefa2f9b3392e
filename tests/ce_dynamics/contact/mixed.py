"""The mixed problem (MLCP) in v⁺ and p, as towing by cables is usually written, and its reduction.

```
[0]   [ M  −G] [v⁺]   [−M v − h f      ]
[w] = [ Gᵀ  0] [p ] + [ψ/h + ∂ψ/∂t     ],     0 ≤ p ⊥ w ≥ 0
```
"""

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import InfeasibleError

CONTRADICTED = 1e-9
"""Distance from (0, 1) that counts as none: rounding."""


class Mixed(NamedTuple):
    """An MLCP of unilateral rows."""

    M: Floats
    G: Floats
    momentum: Floats  # M v + h f
    c: Floats  # ψ/h + ∂ψ/∂t

    @property
    def matrix(self) -> Floats:
        """[M −G; Gᵀ 0], (n + m, n + m)."""
        m = self.G.shape[1]
        return np.block([[self.M, -self.G], [self.G.T, np.zeros((m, m))]])

    @property
    def vector(self) -> Floats:
        """[−M v − h f; ψ/h + ∂ψ/∂t]."""
        return np.concatenate((-self.momentum, self.c))

    def eliminate_velocities(self) -> tuple[Floats, Floats]:
        """A and b of the LCP 0 ≤ p ⊥ A p + b ≥ 0 that is left when v⁺ is eliminated."""
        Y = np.linalg.solve(self.M, self.G)
        A = self.G.T @ Y
        return 0.5 * (A + A.T), Y.T @ self.momentum + self.c

    def solve(self) -> tuple[Floats, Floats, Floats]:
        """v⁺, p and w, exactly, without forming the reduced problem.

        With M = L Lᵀ and x = Lᵀ (v⁺ − v), Gauss's principle makes x the shortest vector that satisfies
        Gᵀ L⁻ᵀ x + b ≥ 0: a problem of non-negative least squares (Lawson and Hanson, Solving Least Squares
        Problems, chapter 23).

        Raises
        ------
        InfeasibleError
            If no v⁺ satisfies all conditions.
        """
        # here, because few runs need it
        from scipy.linalg import cho_solve, solve_triangular
        from scipy.optimize import nnls

        L = np.linalg.cholesky(self.M)
        v = cho_solve((L, True), self.momentum)
        H = solve_triangular(L, self.G, lower=True).T
        b = self.G.T @ v + self.c
        size = np.linalg.norm(H, axis=1)
        size = np.where(size > 0.0, size, 1.0)
        unit = max(float(np.max(np.abs(b / size), initial=0.0)), 1e-300)
        # minimise |E u − f| for u ≥ 0, E = [Hᵀ; −bᵀ], f = (0, 1); then p = u / |E u − f|²
        E = np.vstack((H.T / size, -b / size / unit))
        f = np.append(np.zeros(len(v)), 1.0)
        u = np.asarray(nnls(E, f, maxiter=100 * len(b) + 100)[0])
        distance = float(np.linalg.norm(E @ u - f))
        if not distance > CONTRADICTED:
            raise InfeasibleError("rows contradict each other; no velocity satisfies all of them")
        p = unit * u / distance**2 / size
        v_plus = v + solve_triangular(L, H.T @ p, lower=True, trans="T")
        return v_plus, p, self.G.T @ v_plus + self.c
