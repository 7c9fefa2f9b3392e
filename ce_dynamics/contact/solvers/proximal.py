"""Proximal points of Coulomb's law by semismooth Newton: the solver for problems that are cold or jam.

Coulomb's law in De Saxcé's form asks for x = P(x − w − s(w)) with w = A x + b, P the projection onto the
friction cones and s_n = Σ μ_i |w_i| the shift of normal rows.  The augmented Lagrangian method [1]_ finds it
by a sequence of points, each around the impulses x_k of the one before and with a step ρ,

    Φ(z) = z − Cᵀ x = 0,   x = P(x_k − ρ H (w + s(w))),   w = C z + b_k.                        (contact 1)

H is one number per contact, √|x_k| but at least one: through light bodies heavy ones push each other with
impulses x far above one, to which equal steps would creep.  It leaves cones and shift as they are.
x becomes x_{k+1}; a solution is where x_{k+1} = x_k.  Impulses of contacts that jam creep to their values in
this way, along directions that move nothing.  For small ρ (contact 1) is strongly monotone, so that Newton's
method finds it; for large ρ few points are needed.  So ρ grows where a point is found in few Newton steps,
and falls to a third where none is.  A point that is ten times better than the last of that kind is handed to
proximal Newton (`rows.proximal`), which ends the search where it is near enough.

A = C Cᵀ has the rank r of the bodies' velocities z; the Newton matrix is 1 + Cᵀ D (1 + S) C, D = ρ H ∂P,
S = ∂s.  Of many rows whose contacts are redundant r is small and A sparse: then steps are solved for the
impulses y of as many rows J, C_J = L, where with the step Lᵀ y the matrix is A_JJ + A_J D (1 + S) A_Jᵀ.
Where contacts are not redundant z = x and C = A, and only rows with D ≠ 0 are unknowns of a sparse system.
b_k = b + A x_k − C z(x_k) corrects what the factor leaves out (rounding, and what is not symmetric in a
measured A): the solution is that of A.

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
from ce_dynamics.algebra.dense import one_blas_thread
from ce_dynamics.contact.conditions import Booleans, Integers, Kind
from ce_dynamics.contact.solvers.rows import (
    DENSITY,
    BestPoint,
    Judge,
    ScaledRows,
    newton_step,
    proximal,
    to_csr,
)
from ce_dynamics.simulation.integrators.kernels import kernel

RANK = 1e-11
"""Pivots of A, of unit diagonal, that count as zero."""
FIRST, LEAST, MOST = 10.0, 1e-6, 1e7
"""ρ to begin with, that at which the search is given up, and the largest, also of ρ H.

With ρ = 1e-6 a step moves impulses by no more than rounding of the tolerance 1e-10 times a few thousand
points; beyond 1e7 rounding of Φ, 1e-13 ρ, exceeds the impulses themselves.
"""
ROUNDING, ACCEPTED = 1e-15, 1e-10
"""|Φ| that is rounding, and that of a point that counts as found, for each unit of ρ (at least one)."""
START, POLISH = 15, 80
"""Linear systems of proximal Newton from a start, and from a point.

With 60 from a point five cubes, each ten times as heavy as that below, keep 2e-11, with 80 1e-12; sixty boxes
in a heap make 640 steps in a second with 80 and 580 with 120.
"""
MISSES = 500
"""Points with the largest ρ that are no better than 0.9 times the best, after which a search ends.

Of 18 problems of a jammed heap 60 leave 6 over a tolerance of 1e-10, 500 leave one or two.
"""
STEPS = 14
"""Newton steps on (contact 1): of 10, 14, 20 and 30 with which six jammed piles took the fewest systems."""
HALVINGS = 8
"""Largest number of halvings of a Newton step."""
LARGEST = 1e12
"""Size of a step, for scaled rows, beyond which the system was singular but for rounding."""
WARM, MANY = 1500, 20_000
"""Linear systems from the given start and from zero, and from the best point of both.

Most jammed heaps of the campaign are solved within 1,500 from either, all but one within 10,000.
"""
WITHIN = 1e-14
"""Largest |F| of scaled rows at which proximal Newton stops."""
FACTORED = 5000
"""Rows up to which A is factored: the factor is dense."""


def solve_rows(rows: ScaledRows, x: Floats, judge: Judge, time_limit: float = math.inf) -> BestPoint:
    """Follow proximal points from x to a solution, or return the best point met.

    The judge returns the residual of impulses of the full problem, at most one for a solution; the time
    limit is the processor's [s].
    """
    deadline = time.thread_time() + time_limit

    def verdict_on(x: Floats) -> float:
        return judge(rows.impulses(x))

    best, smallest = x, verdict_on(x)
    if smallest <= 1.0 or len(rows) == 0:
        return BestPoint(best, smallest, 0)
    points = RowPoints(rows) if has_few_bodies_contacts(rows) else BodyPoints(rows)
    # a start that is near saves nearly all systems; one that misleads is left for zero, and then for the best
    starts = [(x, WARM), (np.zeros(len(rows)), WARM)] if np.any(x) else [(x, WARM)]
    with one_blas_thread():
        for start, most in [*starts, (None, MANY)]:
            from_here = best if start is None else start
            found = follow(points, from_here, verdict_on, points.systems + most, deadline)
            if found.verdict < smallest:
                best, smallest = found.x, found.verdict
            if smallest <= 1.0:
                break
    return BestPoint(best, smallest, points.systems)


def follow(points: RowPoints, x: Floats, judge: Judge, until: int, deadline: float) -> BestPoint:
    """Follow the proximal points from a start until so many systems are solved, see `solve_rows`."""
    best, smallest = x, judge(x)

    def polish(x: Floats, steps: int) -> None:
        nonlocal best, smallest
        sharp = proximal(points.rows, x, steps=steps, tolerance=WITHIN, deadline=deadline)
        points.systems += sharp.steps
        if (verdict := judge(sharp.x)) < smallest:
            best, smallest = sharp.x, verdict

    polished = smallest
    if smallest > 1.0 and np.any(x):
        polish(x, START)
    x, rho, misses = points.rows.project(x), FIRST, 0
    z = points.gather(x)
    while smallest > 1.0 and rho >= LEAST and misses < MISSES and points.systems < until:
        if time.thread_time() > deadline:
            break
        before = points.systems
        found = points.find(x, z, rho, deadline)
        steps = points.systems - before
        if found is None:
            rho /= 3.0
            continue
        z, x = found
        verdict = judge(x)
        misses += rho == MOST and verdict > 0.9 * smallest
        if verdict < smallest:
            best, smallest = x, verdict
        if 1.0 < verdict < 0.1 * polished:
            polished = verdict
            polish(x, POLISH)
        rho = min(rho * growth(steps), MOST)
    return BestPoint(best, smallest, points.systems)


def growth(steps: int) -> float:
    """Return the factor of ρ after a point that took so many Newton steps: √10 … 1/√10^0.4, 1 for ten.

    Rules that double ρ always, or by 4, 2 and 1 for few, some and many steps, took 1.05 to 1.3 times as many
    systems on walls and jammed heaps.
    """
    return float(10.0 ** (0.5 - 0.05 * steps))


def has_few_bodies_contacts(rows: ScaledRows) -> bool:
    """Return True if A is sparse and of nearly full rank, so that its factor would be no smaller.

    With c contacts at each body a row meets 3 (2 c − 1) others, and A has the rank 4 m / c of m rows: half of
    them from c = 8 on, which is 45 entries in a row.
    """
    if rows.dense:
        return False
    return len(rows) > FACTORED or rows.A.nnz < 45 * len(rows)


class RowPoints:
    """Newton's method on (contact 1), in the space of the rows with a sparse A; counts its ``systems``."""

    def __init__(self, rows: ScaledRows) -> None:
        self.rows, self.systems = rows, 0

    def gather(self, x: Floats) -> Floats:
        """Return z = Cᵀ x."""
        return x

    def spread(self, z: Floats) -> Floats:
        """Return C z."""
        return np.asarray(self.rows.A @ z)

    def step(self, D: Any, S: Any, Phi: Floats) -> Floats | None:
        """Return the Newton step −(1 + Cᵀ D (1 + S) C)⁻¹ Φ; None if the system is singular."""
        return newton_step(to_csr(D + D @ S), self.rows.A, Phi)

    def find(self, centre: Floats, z: Floats, rho: float, deadline: float) -> tuple[Floats, Floats] | None:
        """Return z and x of (contact 1) around x_k = ``centre``; None if Newton's method does not find it."""
        rows = self.rows
        b = rows.w(centre) - self.spread(self.gather(centre))
        rho_H = np.minimum(rho * contact_weights(rows, centre), MOST)

        def evaluate(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            w = self.spread(z) + b
            y = centre - rho_H * (w + rows.shift(w))
            x = rows.project(y)
            return z - self.gather(x), w, y, x

        rounding, accepted = ROUNDING * max(1.0, rho), ACCEPTED * max(1.0, rho)
        Phi, w, y, x = evaluate(z)
        for count in range(STEPS):
            # one step at least: for large ρ what counts as rounding of Φ is much for x
            near = count > 0 and np.max(np.abs(Phi), initial=0.0) <= rounding
            if near or time.thread_time() > deadline:
                break
            self.systems += 1
            D = projection_derivative(rows, y, x)
            D.data *= np.repeat(rho_H, np.diff(D.indptr))
            step = self.step(D, shift_derivative(rows, w), Phi)
            if step is None or not np.max(np.abs(step), initial=0.0) < LARGEST:
                break
            size, factor = float(np.linalg.norm(Phi)), 1.0
            reached, taken = math.inf, (z, (Phi, w, y, x))
            for _ in range(HALVINGS):
                there = z + factor * step
                tried = evaluate(there)
                length = float(np.linalg.norm(tried[0]))
                if length < reached:
                    reached, taken = length, (there, tried)
                if length < (1.0 - 1e-3 * factor) * size:
                    break
                factor *= 0.5
            z, (Phi, w, y, x) = taken
            if reached > 0.5 * size and np.max(np.abs(Phi)) <= accepted:
                break  # rounding
        return (z, x) if np.max(np.abs(Phi), initial=0.0) <= accepted else None


class BodyPoints(RowPoints):
    """The same in the space of the bodies' velocities, with a dense factor of A."""

    def __init__(self, rows: ScaledRows) -> None:
        super().__init__(rows)
        self.C, J = factor(rows.A)
        if rows.dense:
            return
        self.L = self.C[J]
        A_J = to_csr(rows.A[J])
        self.A_JJ, self.A_J = A_J[:, J].toarray(), to_csr(A_J.T)
        if self.A_J.nnz > DENSITY * self.C.size:
            self.A_J = self.A_J.toarray()

    def gather(self, x: Floats) -> Floats:
        return np.asarray(self.C.T @ x)

    def spread(self, z: Floats) -> Floats:
        return np.asarray(self.C @ z)

    def step(self, D: Any, S: Any, Phi: Floats) -> Floats | None:
        held = np.flatnonzero(np.diff(D.indptr))  # rows without impulse do not matter
        D = D[held]
        if self.rows.dense:
            H = self.C[held].T @ ((D + D @ S) @ self.C)
            H[np.diag_indices_from(H)] += 1.0
            return solve_dense(H, -Phi)
        right = to_csr(D + D @ S) @ self.A_J
        left, H = self.A_J[held], self.A_JJ.copy()
        if sp.issparse(left):
            add_products(csr_parts(left), csr_parts(right), H)
        else:
            H += left.T @ right
        impulses = solve_dense(H, -self.L @ Phi)
        return None if impulses is None else np.asarray(self.L.T @ impulses)


def solve_dense(H: Floats, right: Floats) -> Floats | None:
    """Return H⁻¹ right; None where H is singular.  H is overwritten."""
    lu, pivots, info = la.lapack.dgetrf(H.T, overwrite_a=1)  # transposed: nothing is copied
    return None if info != 0 else np.asarray(la.lapack.dgetrs(lu, pivots, right, trans=1)[0])


def factor(A: Any) -> tuple[Floats, Integers]:
    """Return C with A = C Cᵀ, with as many columns as A has rank, and the rows J, by pivoted Cholesky."""
    dense = to_csr(A).toarray() if sp.issparse(A) else A
    C, pivots, rank, _ = la.lapack.dpstrf(dense, lower=1, tol=RANK)
    B = np.empty((len(dense), rank))
    B[pivots - 1] = np.tril(C)[:, :rank]
    return B, np.asarray(pivots[:rank] - 1, dtype=np.int64)


@kernel
def add_products(left, right, H):  # type: ignore[no-untyped-def]
    """Add products H += Xᵀ Y of two matrices with the same rows, in CSR form."""
    starts, columns, values = left
    right_starts, right_columns, right_values = right
    for i in range(starts.size - 1):
        for a in range(starts[i], starts[i + 1]):
            for b in range(right_starts[i], right_starts[i + 1]):
                H[columns[a], right_columns[b]] += values[a] * right_values[b]


def csr_parts(X: Any) -> tuple[Integers, Integers, Floats]:
    """Return starts, columns and values of a matrix in CSR form."""
    return X.indptr, X.indices, X.data


# Derivatives


def friction_lengths(rows: ScaledRows, y: Floats) -> Floats:
    """Return |y_i| of every row, of both rows of a disc that of both."""
    partner = rows.partner
    return np.where(partner == np.arange(len(y)), np.abs(y), np.hypot(y, y[partner]))


def contact_weights(rows: ScaledRows, x: Floats) -> Floats:
    """Return the root of the largest impulse of each row's contact, at least one."""
    sizes = np.ones(len(rows))
    np.maximum.at(sizes, rows.normal_of, np.abs(x))
    return np.sqrt(sizes[rows.normal_of])


def is_friction(rows: ScaledRows) -> Booleans:
    """Return the mask of friction rows."""
    return np.asarray(rows.conditions.kind >= Kind.FRICTION)


def projection_derivative(rows: ScaledRows, y: Floats, p: Floats) -> Any:
    """Return D = ∂P/∂y at a point and its projection, (m, m) in CSR form without stored zeros.

    With p = P(y), of a normal row n with friction rows i, each a number or a disc with e_i = y_i / |y_i|:

        p_n > 0, |y_i| ≤ μ_i p_n    ∂p_i = ∂y_i
        p_n > 0, |y_i| > μ_i p_n    ∂p_i = μ_i e_i ∂p_n + (μ_i p_n / |y_i|) (1 − e_i e_iᵀ) ∂y_i
                                    ∂p_n = (∂y_n + Σ μ_i e_iᵀ ∂y_i) / (1 + Σ μ_i²), the sums over such i
        p_n = 0                     nothing                                                     (contact 2)

    D is symmetric, positive semidefinite and at most one: P projects onto a convex set.  Boxes that bound
    friction count as given, as they do in the projection.
    """
    kind, _, mu, lower, upper = rows.conditions
    m, own, n = len(y), np.arange(len(y)), rows.normal_of
    friction, length = is_friction(rows), friction_lengths(rows, y)
    reach = mu * np.maximum(p[n], 0.0)
    slides = friction & (length > reach) & (p[n] > 0.0)
    direction = np.where(slides, y / np.where(length > 0.0, length, 1.0), 0.0)
    cone = kind == Kind.UNILATERAL
    within = (kind == Kind.BOX) & (y > lower) & (y < upper)
    bent = np.where(slides, reach / np.where(length > 0.0, length, 1.0), 0.0)
    one = (kind == Kind.BILATERAL) | within | (friction & ~slides & (p[n] > 0.0))
    disc = slides & (rows.partner != own)
    # 1 of what is free, and (μ p_n/|y|) (1 − e eᵀ) of discs; of a number that slides 1 − e eᵀ = 0
    diagonal = np.where(one, 1.0, np.where(disc, bent * (1.0 - direction**2), 0.0))
    beside = np.where(disc, -bent * direction * direction[rows.partner], 0.0)
    # d = (1, μ_i e_i) of the rows of a cone: D = d dᵀ / dᵀd + ...
    d = np.where(slides & cone[n], mu * direction, np.where(cone & (p > 0.0), 1.0, 0.0))
    root = np.sqrt(1.0 / np.maximum(np.bincount(n, d * d, minlength=m), 1.0))
    along, (i, k, starts) = d * root[n], rows.pairs
    D = np.where(n[i] == n[k], along[i] * along[k], 0.0)
    D += np.where(i == k, diagonal[i], np.where(k == rows.partner[i], beside[i], 0.0))
    kept = D != 0.0
    kept_before = np.concatenate(([0], np.cumsum(kept)), dtype=np.int32)
    return sp.csr_matrix((D[kept], k[kept], kept_before[starts]), shape=(m, m))


def shift_derivative(rows: ScaledRows, w: Floats) -> Any:
    """Return ∂s/∂w of s_n = Σ μ_i |w_i|, (m, m) in CSR form; zero by those i with w_i = 0."""
    length = friction_lengths(rows, w)
    moves = is_friction(rows) & (length > 0.0) & (rows.conditions.kind[rows.normal_of] == Kind.UNILATERAL)
    slope = np.where(moves, rows.conditions.mu * w / np.where(length > 0.0, length, 1.0), 0.0)
    columns, starts = rows.by_normal
    return sp.csr_matrix((slope[columns], columns, starts), shape=(len(w), len(w)))
