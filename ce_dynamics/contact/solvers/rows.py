"""Rows in a symmetric scaling (unit diagonal of A, largest velocity one): projections, and proximal Newton.

Where impulses are not unique the matrix of Newton's method is singular.  Its proximal variant solves, for
ever smaller ε,

    w = (A + ε) x + b − ε x_k,   x_{k+1} = x,

whose fixed points are the solutions themselves: nothing is softened in the end.  It ends a search that is
near a solution.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, Integers, Kind
from ce_dynamics.contact.newton import (
    ALIKE,
    DENSE_ROWS,
    HALVINGS,
    MapPoint,
    natural_map,
    newton_small,
)
from ce_dynamics.simulation.integrators.kernels import kernel

Indices = NDArray[np.int32]
"""Indices as SciPy's sparse matrices hold them."""

Operator: TypeAlias = Any
"""A square matrix: array, or SciPy sparse array or matrix."""

DENSITY = 0.2
"""Share of entries from which a matrix is better kept dense."""
STALLED = 5
"""Steps in a row without a smaller |F| that end an iteration."""
INNER = 15
"""Newton steps to one proximal point."""


@kernel
def onto_cones(y, C, groups, P):  # type: ignore[no-untyped-def]
    """Return the orthogonal projection of y onto the set of impulses that the conditions allow.

    The friction rows of normal row n are ``members[starts[n]:starts[n+1]]`` (first rows of discs).  With p_n
    given, each of their parts y_i is shortened to μ_i p_n at most; the nearest p_n solves
    p_n − y_n = Σ μ_i max(0, |y_i| − μ_i p_n), piecewise linear and concave, by Newton's method from p_n = 0.
    A box bounds its friction rows by what it is itself: exact where its bounds are equal.
    """
    kind, _, mu, lower, upper = C
    starts, members = groups
    for n in range(y.size):
        what = kind[n]
        if what == 0:
            P[n] = y[n]
        elif what == 2:
            P[n] = min(max(y[n], lower[n]), upper[n])
        if what == 1 or what == 2:
            first, last = starts[n], starts[n + 1]
            p_n = P[n] if what == 2 else 0.0
            tied = -1
            for _attempt in range(last - first + 2 if what == 1 else 0):  # rounding may go to and fro
                top, weight, count = y[n], 1.0, 0
                for k in range(first, last):
                    i = members[k]
                    length = abs(y[i]) if kind[i] == 3 else math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1])
                    if length > mu[i] * p_n:
                        top += mu[i] * length
                        weight += mu[i] * mu[i]
                        count += 1
                if count == tied:
                    break
                tied = count
                p_n = max(0.0, top / weight)
            P[n] = p_n
            for k in range(first, last):
                i = members[k]
                reach = mu[i] * p_n
                if kind[i] == 3:
                    P[i] = min(max(y[i], -reach), reach)
                else:
                    length = math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1])
                    factor = reach / length if length > reach else 1.0
                    P[i] = factor * y[i]
                    P[i + 1] = factor * y[i + 1]


@kernel
def sliding_shift(w, C, groups, s):  # type: ignore[no-untyped-def]
    """Return de Saxcé's shift of normal rows, s_n = Σ μ_i |w_i| over their friction rows."""
    starts, members = groups
    kind, mu = C.kind, C.mu
    for n in range(w.size):
        s[n] = 0.0
        if kind[n] == 1:
            for k in range(starts[n], starts[n + 1]):
                i = members[k]
                length = abs(w[i]) if kind[i] == 3 else math.sqrt(w[i] * w[i] + w[i + 1] * w[i + 1])
                s[n] += mu[i] * length


@dataclass(eq=False)
class ScaledRows:
    """w = A x + b and what is asked of w and x; all scaled."""

    A: Operator  # (m, m) array or CSR matrix
    b: Floats
    conditions: Conditions  # of the scaled impulses
    where: Integers  # rows of the full problem; the others have no impulse
    size: Floats  # impulses of the full problem for x = 1
    full: int  # number of its rows

    def __post_init__(self) -> None:
        self._point = MapPoint(*np.empty((4, len(self.b))))

    def __len__(self) -> int:
        return len(self.b)

    @property
    def dense(self) -> bool:
        """True if A is an array."""
        return isinstance(self.A, np.ndarray)

    def w(self, x: Floats) -> Floats:
        """Return a x + b."""
        return np.asarray(self.A @ x + self.b)

    def impulses(self, x: Floats) -> Floats:
        """Return impulses of all rows of the full problem."""
        p = np.zeros(self.full)
        p[self.where] = self.size * x
        return p

    def scale(self, p: Floats) -> Floats:
        """Return scaled impulses."""
        return np.asarray(p[self.where] / self.size)

    def map(self, y: Floats) -> MapPoint:
        """Return P(y) and its derivative; overwritten by the next call."""
        natural_map(y, self.conditions, self._point)
        return self._point

    def derivative(self, D: MapPoint) -> Any:
        """Return ∂P/∂y in CSR form without stored zeros, from its entries."""
        entries = np.column_stack((D.Ds, D.Dn, D.Dp)).ravel()
        columns = np.column_stack((np.arange(len(self)), self.normal_of, self.partner)).ravel()
        found = sp.csr_matrix((entries, columns, np.arange(0, len(entries) + 1, 3)), shape=(len(self),) * 2)
        found.eliminate_zeros()
        return found

    def gap(self, x: Floats) -> Floats:
        """Return F(x) = x − P(x − w): zero at solutions."""
        return np.asarray(x - self.map(x - self.w(x)).P)

    @cached_property
    def normal_of(self) -> Integers:
        """Normal row of each row, itself where it has none."""
        own = np.arange(len(self), dtype=np.int64)
        return np.where(self.conditions.normal == NONE, own, self.conditions.normal)

    @cached_property
    def partner(self) -> Integers:
        """The other row of a disc, itself for other rows."""
        kind, own = self.conditions.kind, np.arange(len(self), dtype=np.int64)
        return np.asarray(own + 1 * (kind == Kind.DISC_1) - 1 * (kind == Kind.DISC_2), dtype=np.int64)

    @cached_property
    def groups(self) -> tuple[Integers, Integers]:
        """``starts`` and ``members``: friction rows (first rows of discs) by normal row."""
        kind, normal = self.conditions.kind, self.conditions.normal
        ties = np.flatnonzero((kind == Kind.FRICTION) | (kind == Kind.DISC_1))
        order = np.argsort(normal[ties], kind="stable")
        counts = np.bincount(normal[ties], minlength=len(self))
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), ties[order].astype(np.int64)

    @cached_property
    def pairs(self) -> tuple[Integers, Indices, Indices]:
        """Rows and columns of all pairs of rows of a contact, in CSR order, and where each row starts."""
        own, ones = np.arange(len(self)), np.ones(len(self))
        member = sp.csr_matrix((ones, (own, self.normal_of)))
        pattern = sp.csr_matrix(member @ member.T + sp.csr_matrix((ones, (own, self.partner))))
        pattern.sort_indices()
        return np.repeat(own, np.diff(pattern.indptr)), pattern.indices, pattern.indptr

    @cached_property
    def by_normal(self) -> tuple[Indices, Indices]:
        """Rows sorted by their normal row, and where those of each begin."""
        order = np.argsort(self.normal_of, kind="stable").astype(np.int32)
        counts = np.bincount(self.normal_of, minlength=len(self))
        return order, np.concatenate(([0], np.cumsum(counts)), dtype=np.int32)

    def project(self, y: Floats) -> Floats:
        """Return nearest impulses that the conditions allow."""
        P = np.empty(len(self))
        onto_cones(y, self.conditions, self.groups, P)
        return P

    def shift(self, w: Floats) -> Floats:
        """Return De Saxcé's shift μ |w_T| of the normal rows."""
        s = np.empty(len(self))
        sliding_shift(w, self.conditions, self.groups, s)
        return s


def scale_rows(A: Operator, b: Floats, conditions: Conditions, diagonal: Floats) -> ScaledRows:
    """Return the rows that move something, scaled so that impulses and velocities are of order one."""
    m = len(b)
    moving = diagonal > 0.0
    kind, normal, mu, lower, upper = conditions
    first = np.flatnonzero(kind == Kind.DISC_1)
    pair = np.maximum(diagonal[first], diagonal[first + 1])
    d = diagonal.copy()
    d[first], d[first + 1] = pair, pair
    moving[first] = moving[first + 1] = pair > 0.0
    share_scale(d, normal)
    where = np.flatnonzero(moving)
    root = 1.0 / np.sqrt(np.where(moving, d, 1.0))
    unit = max(float(np.max(np.abs(root[where] * b[where]), initial=0.0)), 1e-300)
    size = unit * root
    place = np.full(m, NONE, dtype=np.int64)
    place[where] = np.arange(len(where))
    n = np.where(normal >= 0, place[normal], NONE)  # friction without a normal row that moves: none
    held = (normal >= 0) & (n == NONE)
    ratio = np.where(n >= 0, root[normal], 0.0) / root
    rows = Conditions(
        np.where(held, int(Kind.BOX), kind)[where].astype(np.int64),
        n[where].astype(np.int64),
        (mu * ratio)[where],
        np.where(held, 0.0, lower / size)[where],
        np.where(held, 0.0, upper / size)[where],
    )
    return ScaledRows(scale_matrix(A, root, where), (root * b)[where] / unit, rows, where, size[where], m)


def share_scale(d: Floats, normal: Integers) -> None:
    """Give the rows of a contact one scale, where theirs are not too different; in place.

    Projections onto a friction cone then are those of the unscaled cone, which the gradient method likes
    better; torques of rolling friction have another unit and may be far away.
    """
    tied = np.flatnonzero(normal >= 0)
    tied = tied[(d[tied] < ALIKE * d[normal[tied]]) & (d[normal[tied]] < ALIKE * d[tied])]
    np.maximum.at(d, normal[tied], d[tied])
    d[tied] = d[normal[tied]]


def scale_matrix(A: Operator, root: Floats, where: Integers) -> Operator:
    """Return S A S of the chosen rows: array or CSR matrix."""
    whole = len(where) == len(root)
    s = root[where]
    if isinstance(A, np.ndarray):
        return (A if whole else A[np.ix_(where, where)]) * s * s[:, None]
    C = to_csr(A) if whole else to_csr(A)[where][:, where]
    S = sp.diags(s)
    C = to_csr(S @ C @ S)
    many = C.nnz > DENSITY * max(1, len(s)) ** 2
    return C.toarray() if len(s) <= DENSE_ROWS or many else C


def to_csr(A: Any) -> Any:
    """Return a sparse matrix in CSR form; SciPy's types do not follow one through products."""
    return sp.csr_matrix(A)


def newton_step(D: Any, K: Any, F: Floats) -> Floats | None:
    """Return the step −(1 + D K)⁻¹ F of CSR matrices; None if the system is singular.

    Only rows with entries of D are unknowns: the step of the others is −F.
    """
    held = np.flatnonzero(np.diff(D.indptr))
    step = -F
    if len(held):
        others = step.copy()
        others[held] = 0.0
        DK = to_csr(D[held] @ K)
        left = sp.identity(len(held), format="csc") + DK.tocsc()[:, held]
        try:
            step[held] = splu(left).solve(step[held] - DK @ others)
        except RuntimeError:  # singular
            return None
    return step


Judge: TypeAlias = Callable[[Floats], float]
"""Residual of impulses, relative to what is asked for: at most one for a solution."""


class BestPoint(NamedTuple):
    """Result of an iteration."""

    x: Floats
    verdict: float  # of the judge, at most one for a solution; of Newton's method the largest |F|
    steps: int  # linear systems solved


def proximal(
    rows: ScaledRows,
    x: Floats,
    *,
    steps: int,
    tolerance: float,
    epsilon: float = 1e-4,
    deadline: float = math.inf,
) -> BestPoint:
    """Follow proximal points from x: ε shrinks where Newton's method finds one and grows where it does not.

    It ends after so many linear systems, about, where the largest entry of |F| is within the tolerance, or at
    the deadline of `time.thread_time`.
    """
    best, smallest = x, float(np.max(np.abs(rows.gap(x)), initial=0.0))
    count = failed = 0
    find = find_small_point if rows.dense and len(rows) <= 2 * DENSE_ROWS else find_sparse_point
    while count < steps and failed < 3 and time.thread_time() < deadline:
        inner = find(rows, x, epsilon, 0.1 * tolerance)
        count += max(1, inner.steps)
        gap = float(np.max(np.abs(rows.gap(inner.x))))
        if gap < smallest:
            best, smallest = inner.x, gap
        if smallest <= tolerance:
            break
        if inner.verdict <= max(0.1 * tolerance, 1e-13, 0.1 * gap):
            if (smallest < 1e-12 or inner.steps == 0) and gap >= smallest:
                break  # rounding
            x, epsilon, failed = inner.x, max(0.2 * epsilon, 1e-10), 0
        else:
            epsilon, failed = 10.0 * epsilon, failed + 1
    return BestPoint(best, smallest, count)


def find_small_point(rows: ScaledRows, centre: Floats, epsilon: float, tolerance: float) -> BestPoint:
    """Return the proximal point around ``centre``, of few rows."""
    A = rows.A + epsilon * np.eye(len(rows))
    x, b, d = centre.copy(), rows.b - epsilon * centre, A.diagonal().copy()
    count, gap = newton_small(A, b, d, rows.conditions, x, (tolerance, INNER, HALVINGS))
    return BestPoint(x, gap, count) if np.all(np.isfinite(x)) else BestPoint(centre, math.inf, count)


def find_sparse_point(rows: ScaledRows, centre: Floats, epsilon: float, tolerance: float) -> BestPoint:
    """Return the proximal point around ``centre``, of many rows."""
    K = to_csr(rows.A) + (epsilon - 1.0) * sp.identity(len(rows), format="csr")

    def evaluate(x: Floats) -> tuple[Floats, Any]:
        D = rows.map(x - rows.w(x) - epsilon * (x - centre))
        return x - D.P, rows.derivative(D)

    x = centre
    F, D = evaluate(x)
    best, smallest, stalled = x, float(np.max(np.abs(F), initial=0.0)), 0
    for count in range(INNER):
        if smallest <= tolerance or stalled == STALLED:
            return BestPoint(best, smallest, count)
        step = newton_step(D, K, F)
        if step is None or not np.all(np.isfinite(step)):
            return BestPoint(best, smallest, count + 1)
        size, factor = float(F @ F), 1.0
        tried = (math.inf, x, F, D)
        for _ in range(HALVINGS):
            there = x + factor * step
            F, D = evaluate(there)
            reached = float(F @ F)
            if reached < tried[0]:
                tried = (reached, there, F, D)
            if reached < (1.0 - 1e-4 * factor) * size:
                break
            factor *= 0.5
        _, x, F, D = tried
        now = float(np.max(np.abs(F)))
        stalled += 1
        if now < smallest:
            best, smallest, stalled = x, now, 0
        elif smallest < 1e-12:  # rounding
            return BestPoint(best, smallest, count + 1)
    return BestPoint(best, smallest, INNER)
