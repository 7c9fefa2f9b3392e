"""Proximal points found in the space of the bodies, for contacts that jam.

A = B Bᵀ has the rank of the bodies' velocities z, w = B z + b: fewer than rows where contacts are redundant.
A proximal point of Coulomb's law in De Saxcé's form, around impulses x_k and with the step ρ, is the z with

    Φ(z) = z − Bᵀ x = 0,   x = P(x_k − ρ (w + s(w))),   w = B z + b,                            (1)

with P the projection onto the friction cones and s_n = Σ μ_i |w_i| the shift of normal rows: the augmented
Lagrangian of the velocities [1]_.  x is x_{k+1}; a solution is where x_{k+1} = x_k.  Newton's method on (1),
∂Φ = 1 + ρ Bᵀ D (1 + S) B with D = ∂P, S = ∂s, is quadratic near the point.  ρ doubles with each point that is
found, and shrinks to a third where none is.

Systems are solved for the impulses of as many rows J as A has rank, B_J = L: with the step Lᵀ y their matrix
is L (1 + ρ Bᵀ D (1 + S) B) Lᵀ = A_JJ + ρ A_J D (1 + S) A_Jᵀ, and A_Jᵀ, the columns J of A, has few entries.

References
----------
.. [1] R. T. Rockafellar: Augmented Lagrangians and applications of the proximal point algorithm in convex
   programming, Mathematics of Operations Research 1 (1976) 97-116.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.loops import kernel
from ce_dynamics.complementarity.conditions import Integers
from ce_dynamics.complementarity.solvers.cone_derivative import projection_derivative, shift_derivative
from ce_dynamics.complementarity.solvers.rows import DENSITY, Judge, Rows, in_rows

ROWS = 5000
"""At most, for a factor of A."""
RANK = 1e-11
"""Pivots of A, of unit diagonal, that count as zero."""
FIRST, LEAST, MOST = 10.0, 1.0, 1e7
"""ρ to begin with, that at which the search is given up, and the largest."""
ROUNDING = 1e-13
"""|Φ| that is rounding, for each unit of ρ (at least one); what is accepted is a thousand times that."""
STEPS = 14
"""Newton steps on (1): of 10, 14, 20 and 30 with which six jammed piles of rocks took the fewest systems."""
LARGEST = 1e12
"""Size of a step, for scaled rows, beyond which the system was singular but for rounding."""


def factor(A: Any) -> tuple[Floats, Integers]:
    """B with A = B Bᵀ, of as many columns as A has rank, and as many rows J, by Cholesky with pivots."""
    dense = in_rows(A).toarray() if sp.issparse(A) else A
    C, pivots, rank, _ = la.lapack.dpstrf(dense, lower=1, tol=RANK)
    B = np.empty((len(dense), rank))
    B[pivots - 1] = np.tril(C)[:, :rank]
    return B, np.asarray(pivots[:rank] - 1, dtype=np.int64)


@kernel
def add_products(  # type: ignore[no-untyped-def]
    starts, columns, values, right_starts, right_columns, right_values, rho, H
):
    """H += ρ Xᵀ Y of two matrices of the same rows, in CSR form."""
    for i in range(starts.size - 1):
        for a in range(starts[i], starts[i + 1]):
            row, factor = columns[a], rho * values[a]
            for b in range(right_starts[i], right_starts[i + 1]):
                H[row, right_columns[b]] += factor * right_values[b]


def parts(X: Any) -> tuple[Integers, Integers, Floats]:
    """Starts, columns and values of a matrix in CSR form."""
    return X.indptr, X.indices, X.data


class Bodies:
    """Proximal points one after the other.

    Attributes
    ----------
    x : (m,) array
        Impulses of the last point.
    rho : float
        ρ of the next.
    steps : int
        Linear systems so far.
    """

    def __init__(self, rows: Rows, x: Floats) -> None:
        self.rows = rows
        self.B, J = factor(rows.A)
        self.L = self.B[J]
        self.A_J = in_rows(rows.A[:, J])  # transposed
        self.A_JJ = self.A_J[J].toarray()
        if self.A_J.nnz > DENSITY * self.B.size:
            self.A_J = self.A_J.toarray()
        self.x = rows.project(x)
        self.z = np.asarray(self.B.T @ self.x)
        self.rho, self.steps = FIRST, 0

    def advance(self, judge: Judge, steps: int, deadline: float = math.inf) -> tuple[Floats, bool]:
        """Go on until a point is ten times better or so many systems are solved.

        Returns
        -------
        x : (m,) array
            The point that the judge liked most.
        over : bool
            Whether there is nothing more to be got: out of systems, time, or ρ.
        """
        best, smallest = self.x, judge(self.x)
        until, wanted = self.steps + steps, max(1.0, 0.1 * smallest)
        while smallest > wanted:
            if self.steps >= until or self.rho < LEAST or time.thread_time() > deadline:
                return best, True
            before = self.steps
            found = self.point(deadline)
            if found is None:
                self.rho /= 3.0
                continue
            self.z, self.x = found
            verdict = judge(self.x)
            if verdict < smallest:
                best, smallest = self.x, verdict
            elif self.steps == before and self.rho == MOST:
                return best, True  # rounding
            self.rho = min(2.0 * self.rho, MOST)
        return best, False

    @property
    def rounding(self) -> float:
        """|Φ| that is rounding."""
        return ROUNDING * max(1.0, self.rho)

    def w(self, z: Floats) -> Floats:
        """B z + b."""
        return np.asarray(self.B @ z + self.rows.b)

    def impulses(self, velocity: Floats) -> tuple[Floats, Floats]:
        """y = x_k − ρ (w + s) and P(y)."""
        y = self.x - self.rho * velocity
        return y, self.rows.project(y)

    def step(self, y: Floats, x: Floats, w: Floats, Phi: Floats) -> Floats | None:
        """Return −(1 + ρ Bᵀ D (1 + S) B)⁻¹ Φ; None where that is singular or vast."""
        D = projection_derivative(self.rows, y, x)
        D.eliminate_zeros()
        held = np.flatnonzero(np.diff(D.indptr))  # the rows that D leaves out are left out
        D = D[held]
        right = in_rows(D + D @ shift_derivative(self.rows, w)) @ self.A_J
        left, H = self.A_J[held], self.A_JJ.copy()
        if sp.issparse(left):
            add_products(*parts(left), *parts(right), self.rho, H)
        else:
            H += self.rho * (left.T @ right)
        self.steps += 1
        impulses = solved(H, -self.L @ Phi)
        if impulses is None or not np.max(np.abs(impulses), initial=0.0) < LARGEST:
            return None
        return np.asarray(self.L.T @ impulses)

    def point(self, deadline: float) -> tuple[Floats, Floats] | None:
        """Return z and x of (1), found by Newton's method with halved steps; None where it is not found."""

        def evaluate(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            w = self.w(z)
            y, x = self.impulses(w + self.rows.shift(w))
            return np.asarray(z - self.B.T @ x), w, y, x

        z = self.z
        Phi, w, y, x = evaluate(z)
        for _ in range(STEPS):
            size = float(np.linalg.norm(Phi))
            if np.max(np.abs(Phi), initial=0.0) <= self.rounding or time.thread_time() > deadline:
                break
            step = self.step(y, x, w, Phi)
            if step is None:
                break
            taken: tuple[float, Any, Any] = (math.inf, None, None)
            for halvings in range(8):
                there = z + 0.5**halvings * step
                new = evaluate(there)
                reached = float(np.linalg.norm(new[0]))
                if reached < taken[0]:
                    taken = (reached, there, new)
                if reached < (1.0 - 1e-3 * 0.5**halvings) * size:
                    break
            if taken[1] is None:
                break
            z, (Phi, w, y, x) = taken[1], taken[2]
        return (z, x) if np.max(np.abs(Phi), initial=0.0) <= 1e3 * self.rounding else None


def solved(H: Floats, right: Floats) -> Floats | None:
    """H⁻¹ right; None where H is singular or not finite."""
    lu, pivots, info = la.lapack.dgetrf(H.T, overwrite_a=1)  # transposed: nothing is copied
    if info != 0:
        return None
    x = la.lapack.dgetrs(lu, pivots, right, trans=1)[0]
    return np.asarray(x) if np.all(np.isfinite(x)) else None
