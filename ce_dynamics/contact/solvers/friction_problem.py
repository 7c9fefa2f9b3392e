"""Frictional contact problems given by their matrix: W, q and μ, as the FCLIB collection states them.

u = W r + q in contact frames, normal first, with Coulomb's law between r and u: in De Saxcé's form

    K_μ ∋ r ⊥ u + μ |u_T| n ∈ K_μ*,    K_μ = {r: |r_T| ≤ μ r_N}.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, Kind
from ce_dynamics.contact.problem import Problem
from ce_dynamics.contact.solvers.chain import solve_quickly
from ce_dynamics.contact.solvers.proximal import solve_rows
from ce_dynamics.contact.solvers.rows import Operator, scale_rows, to_csr
from ce_dynamics.errors import ModelError


@dataclass(frozen=True, eq=False)
class FrictionSolution:
    """Result of a friction solver.

    Attributes
    ----------
    r, u : (m,) arrays
        Impulses (or forces) and velocities, contact after contact, normal first.
    residual : float
        ‖r − P_K(r − u − μ |u_T| n)‖ / (1 + ‖q‖).
    converged : bool
        True if the residual is within the tolerance; if not, r is the best point found.
    steps : int
        Number of linear systems solved, and of sweeps.
    method : str
        Method that found r.
    """

    r: Floats
    u: Floats
    residual: float
    converged: bool
    steps: int
    method: str


def solve_friction(
    W: Operator,
    q: ArrayLike,
    mu: ArrayLike,
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    time_limit: float = math.inf,
    diagonal: ArrayLike | None = None,
) -> FrictionSolution:
    """Solve a frictional contact problem.

    Parameters
    ----------
    W : (m, m) array, SciPy sparse matrix or LinearOperator
        Delassus matrix, positive semidefinite; singular where contacts are redundant.  The matrix of an
        operator is formed, column by column.
    q : (m,) array_like
        Free velocities.
    mu : (m/3,) or (m/2,) array_like
        Friction coefficients, one per contact; their number distinguishes spatial from planar contacts.
    start : (m,) array_like, optional
        Impulses near the solution.
    tolerance : float
        Of the residual of `FrictionSolution`.
    time_limit : float
        Of the processor [s]; the best point met is returned then.
    diagonal : (m,) array_like, optional
        Deprecated: it is that of W.

    Raises
    ------
    ModelError
        If sizes do not fit, a number is not finite, or a coefficient is negative.

    Examples
    --------
    A unit mass pressed down by 2 that slides with (3, 4), μ = 0.25:

    >>> import numpy as np
    >>> from ce_dynamics.contact import solve_friction
    >>> solve_friction(np.eye(3), [-2.0, 3.0, 4.0], [0.25]).r.round(6) + 0.0
    array([ 2. , -0.3, -0.4])
    """
    velocity = checks.numbers("solve_friction: q", q)
    friction = checks.numbers("solve_friction: mu", mu)
    tolerance = checks.number("solve_friction: tolerance", tolerance, above=0.0)
    time_limit = checks.number("solve_friction: time_limit", time_limit, above=0.0, infinite=True)
    if not isinstance(W, LinearOperator) and not sp.issparse(W):
        W = checks.numbers("solve_friction: W", W)
    conditions = contact_conditions(W, velocity, friction)
    if diagonal is not None:
        warnings.warn("solve_friction: diagonal is no longer used", DeprecationWarning, stacklevel=2)
    A, d = matrix_and_diagonal(W)
    rows = scale_rows(A, velocity, conditions, d)
    size = len(velocity)
    r0 = np.zeros(size) if start is None else checks.vector("solve_friction: start", start, size)

    def judge(r: Floats) -> float:
        return de_saxce_residual(r, A @ r + velocity, friction, velocity) / tolerance

    steps, method = 0, "start"
    if size and judge(r0) > 1.0:
        problem = Problem(sp.identity(size, format="csr"), to_csr(A.T), velocity, np.zeros(size), conditions)
        quick = solve_quickly(problem, r0, 0.0)
        if judge(quick.p) < judge(r0):
            r0, steps, method = quick.p, quick.sweeps, quick.method
    found = solve_rows(rows, rows.scale(r0), judge, time_limit)
    r = rows.impulses(found.x)
    return FrictionSolution(
        r,
        np.asarray(A @ r + velocity),
        found.verdict * tolerance,
        found.verdict <= 1.0,
        steps + found.steps,
        "proximal points" if found.steps else method,
    )


def matrix_and_diagonal(W: Operator) -> tuple[Operator, Floats]:
    """Return W as array or CSR matrix, and its diagonal without rounding below zero."""
    if isinstance(W, LinearOperator):
        W = np.column_stack([W @ e for e in np.eye(W.shape[1])]) if W.shape[1] else np.zeros((0, 0))
    is_sparse = sp.issparse(W)
    A = to_csr(W) if is_sparse else np.asarray(W, dtype=float)
    if not np.all(np.isfinite(A.data if is_sparse else A)):
        raise ModelError("solve_friction: W holds numbers that are not finite")
    d = np.asarray(A.diagonal(), dtype=float)
    return A, np.where(d > 1e-14 * float(np.max(d, initial=0.0)), d, 0.0)


def contact_conditions(W: Operator, q: Floats, mu: Floats) -> Conditions:
    """Return unilateral normal rows with a disc (spatial) or one friction row (planar) each."""
    m = q.size
    if q.ndim != 1 or mu.ndim != 1 or np.shape(W) != (m, m):
        raise ModelError(f"solve_friction: W is {np.shape(W)}, q {q.shape}; they must be (m, m) and (m,)")
    n = mu.size
    if n == 0 and m == 0:
        return Conditions.of([])
    if n == 0 or m not in (2 * n, 3 * n):
        raise ModelError(
            f"solve_friction: {m} rows and {n} coefficients; there must be 3 rows per contact, in the plane 2"
        )
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(mu)) and np.all(mu >= 0.0)):
        raise ModelError("solve_friction: q and μ must be finite and μ not negative")
    per = m // n
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] if per == 3 else [Kind.UNILATERAL, Kind.FRICTION]
    rows = Conditions.of(kinds, [NONE] + [0] * (per - 1)).repeat(n)
    return rows._replace(mu=np.where(rows.normal >= 0, np.repeat(mu, per), 0.0))


def de_saxce_residual(r: Floats, u: Floats, mu: Floats, q: Floats) -> float:
    """Return ‖r − P_K(r − u − μ |u_T| n)‖ / (1 + ‖q‖)."""
    if len(mu) == 0:
        return 0.0
    R, U = r.reshape(len(mu), -1), u.reshape(len(mu), -1)
    with np.errstate(over="ignore", invalid="ignore"):  # of points that a search has lost
        y = R - U
        y[:, 0] -= mu * np.linalg.norm(U[:, 1:], axis=1)
        length = np.linalg.norm(y[:, 1:], axis=1)
        inside, polar = length <= mu * y[:, 0], mu * length <= -y[:, 0]
        top = np.where(inside, y[:, 0], np.where(polar, 0.0, (y[:, 0] + mu * length) / (1.0 + mu * mu)))
        factor = np.where(inside, 1.0, mu * top / np.where(length > 0.0, length, 1.0))
        P = np.column_stack((top, factor[:, None] * y[:, 1:]))
        residual = float(np.linalg.norm(R - P) / (1.0 + np.linalg.norm(q)))
    return residual if math.isfinite(residual) else math.inf
