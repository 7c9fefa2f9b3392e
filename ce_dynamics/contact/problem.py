"""Complementarity problems at velocity level: what one time step has to solve.

With free velocities v (those that all other forces lead to), impulses p and

    v⁺ = v + M⁻¹ G p,    w = Gᵀ v⁺ + c,

every row asks for one of

===========  ======================================================================
bilateral    w = 0
unilateral   0 ≤ p ⊥ w ≥ 0
box          p = lower where w > 0, p = upper where w < 0, in between where w = 0
friction     a box of ± μ times the impulse of another row, a unilateral one or a box
disc         two rows whose impulse has at most the length μ times that of another
             row; where it is reached, it is opposite to the sliding velocity
===========  ======================================================================

c holds ψ/h + ∂ψ/∂t of gaps ψ (see `ce_dynamics.contact.step`), target velocities, and what restitution asks
for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import (
    Conditions,
    ConvergenceError,
    Kind,
    arrays_of,
    check_rows,
    row_products,
)
from ce_dynamics.contact.newton import residual
from ce_dynamics.errors import ModelError

ROUNDING = 1e-13
"""Rounding error of sums of some hundred terms, relative to the sizes of the terms."""
POOR = 1e-3
"""Residual, as a share of the speeds, from which the best impulses met may do anything."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One complementarity problem.

    Parameters
    ----------
    GT : (m, n) array or SciPy sparse matrix
        Gᵀ; kept in CSR form.
    YT : (m, n) array or SciPy sparse matrix
        (M⁻¹ G)ᵀ, one response to a unit impulse per row.
    v : (n,) array
        Free velocities v + h M⁻¹ f.
    c : (m,) array
        Given part of w.
    conditions : Conditions

    Raises
    ------
    ModelError
        If sizes do not fit or a number is not finite.
    """

    GT: Any
    YT: Any
    v: Floats
    c: Floats
    conditions: Conditions

    def __post_init__(self) -> None:
        for name, part in (("v", self.v), ("c", self.c)):
            checks.finite_array(f"problem: {name}", part, (None,))
        checks.instance("problem: conditions", self.conditions, Conditions, "Conditions.of(...)")
        m, n = len(self.c), len(self.v)
        for name in ("GT", "YT"):
            rows = check_rows(f"problem: {name}", getattr(self, name), (m, n))
            object.__setattr__(self, name, rows)
        if len(self.conditions.kind) != m:
            raise ModelError(f"problem: {len(self.conditions.kind)} conditions for {m} rows")

    @classmethod
    def from_dense(cls, GT: ArrayLike, M: ArrayLike, v: ArrayLike, c: ArrayLike, rows: Conditions) -> Problem:
        """Return the problem of a dense Gᵀ (m, n) and mass matrix M (n, n).

        Raises
        ------
        ModelError
            If M is not positive definite, or see `Problem`.
        """
        dense = checks.finite_array("problem: GT", GT, (None, None))
        mass = checks.finite_array("problem: M", M, (dense.shape[1],) * 2)
        try:
            np.linalg.cholesky(mass)
        except np.linalg.LinAlgError:
            raise ModelError(
                "problem: M is not positive definite; give every body mass and inertia"
            ) from None
        YT = np.linalg.solve(mass, dense.T).T
        free = checks.finite_array("problem: v", v, (None,))
        given = checks.finite_array("problem: c", c, (None,))
        return cls(sp.csr_matrix(dense), sp.csr_matrix(YT), free, given, rows)

    def change(self, v: Floats, c: Floats, conditions: Conditions) -> Problem:
        """Return the problem of the same rows with other velocities and conditions, which are not checked."""
        other = object.__new__(Problem)
        other.__dict__.update(GT=self.GT, YT=self.YT, Y=self.Y, v=v, c=c, conditions=conditions)
        return other

    @cached_property
    def Y(self) -> Any:
        """M⁻¹ G."""
        return self.YT.T

    @cached_property
    def diagonal(self) -> Floats:
        """Diagonal of A = Gᵀ M⁻¹ G; zero for rows that move nothing (to rounding)."""
        d = np.empty(len(self.c))
        row_products(arrays_of(self.GT), arrays_of(self.YT), d)
        return np.where(d > 1e-14 * np.max(d, initial=0.0), d, 0.0)

    @cached_property
    def delassus(self) -> Floats:
        """A = Gᵀ M⁻¹ G, dense (m, m)."""
        A = self.GT.toarray() @ self.YT.toarray().T
        return np.asarray(0.5 * (A + A.T))

    @cached_property
    def b(self) -> Floats:
        """w at p = 0: Gᵀ v + c."""
        return self.rates(self.v)

    @cached_property
    def speed(self) -> float:
        """Size of the velocities that w is made of: the largest |Gᵀ| |v| + |c| [m/s or rad/s].

        A gap of a unilateral row beyond that velocity does not count: ψ/h of distant bodies has no meaning.
        """
        if len(self.c) == 0:
            return 0.0
        parts = abs(self.GT) @ np.abs(self.v)
        given = np.abs(self.c)
        far = (self.conditions.kind == Kind.UNILATERAL) & (self.c > parts)
        return float(np.max(parts + np.where(far, parts, given)))

    @property
    def rounding(self) -> float:
        """Residual that rounding alone may leave [m/s or rad/s]."""
        return ROUNDING * self.speed

    def rates(self, v: Floats) -> Floats:
        """Return Gᵀ v + c of any velocities."""
        return np.asarray(self.GT @ v + self.c)

    def after(self, v: Floats, p: Floats) -> Floats:
        """Return v + M⁻¹ G p of any velocities."""
        return np.asarray(v + self.Y @ p)

    def velocity(self, p: Floats) -> Floats:
        """Return v⁺ = v + M⁻¹ G p."""
        return self.after(self.v, p)

    def w(self, p: Floats) -> Floats:
        """Return Gᵀ v⁺ + c."""
        return self.rates(self.velocity(p))

    def residual(self, p: Floats) -> float:
        """Return the residual of p as a velocity: the largest of |p_i − P_i(p − ρ w)| / ρ_i.

        P is the projection of `ce_dynamics.contact.newton`; ρ_i is 1/A_ii, of the rows of a contact
        the smallest.  Rows that move nothing contribute the part of w that their condition forbids.
        """
        return float(residual(self.diagonal, self.w(p), self.conditions, p))

    def solution(self, p: Floats, method: str, sweeps: int = 0, tolerance: float = np.inf) -> Solution:
        """Return a solution from its impulses."""
        residual = self.residual(p)
        return Solution(
            self.velocity(p),
            p,
            self.w(p),
            residual,
            bool(residual <= tolerance + self.rounding),
            sweeps,
            method,
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Solution of a problem, and its accuracy.

    Attributes
    ----------
    v : (n,) array
        v⁺.
    p : (m,) array
        Impulses [N s or N m s].
    w : (m,) array
        Gᵀ v⁺ + c.
    residual : float
        `Problem.residual` [m/s or rad/s].
    converged : bool
        True if the residual is within the solver's tolerance.
    sweeps : int
        Sweeps of an iterative solver.
    method : str
    """

    v: Floats
    p: Floats
    w: Floats
    residual: float
    converged: bool
    sweeps: int
    method: str

    def after_impact(self, p: Floats, residual: float, unresolved: int) -> Solution:
        """Return the same behind impacts with impulses p."""
        solved = self.converged and not unresolved
        return replace(self, p=p + self.p, residual=max(residual, self.residual), converged=solved)

    def require(self) -> Solution:
        """Return the solution itself, if it converged.

        Raises
        ------
        ConvergenceError
            If it did not.
        """
        if not self.converged:
            raise ConvergenceError(
                f"{self.method}: a residual of {self.residual:.3g} remains after {self.sweeps} sweeps; allow"
                " more sweeps, a larger tolerance or a smaller step"
            )
        return self


def limit_gain(problem: Problem, solution: Solution, before: Floats, after: Floats) -> Solution:
    """Return a solution, or impulses far from one times the share α ≤ 1 that does no positive work.

    That is α pᵀ (w⁻ + w_free + α A p) / 2 with the rates w⁻ before the step and w_free without impulses;
    `before` and `after` are the rates of the rows at both ends of the step, with these impulses.
    """
    if solution.converged or solution.residual <= POOR * problem.speed:
        return solution
    change = problem.GT @ (solution.v - problem.v)
    first, second = float(solution.p @ (before + after - change)), float(solution.p @ change)
    if not (first + second > 0.0 and second > 0.0):
        return solution
    return problem.solution(max(0.0, -first / second) * solution.p, solution.method, solution.sweeps, 0.0)
