"""Rows in a symmetric scaling (unit diagonal of A, largest velocity one), their natural map, projections.

With w = A x + b and y = x − w, every condition of `ce_dynamics.contact.problem` reads x = P(y):

    bilateral   P_i = y_i
    unilateral  P_n = max(0, y_n)
    box         P_i = y_i clipped to [lower_i, upper_i]
    friction    P_i = y_i clipped to ± μ_i P_n
    disc        P_i = y_i shortened to the length μ_i P_n

so that F(x) = x − P(x − A x − b) vanishes at solutions and nowhere else (Alart and Curnier's function [1]_).
Row i of the derivative of P has at most three entries: ``Ds`` for y_i, ``Dn`` for the y of its normal row,
``Dp`` for that of the other row of a disc.

References
----------
.. [1] P. Alart, A. Curnier: A mixed formulation for frictional contact problems prone to Newton like solution
   methods, Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, Integers, Kind
from ce_dynamics.simulation.integrators.kernels import kernel

Operator: TypeAlias = Any
"""A square matrix: array, or SciPy sparse array or matrix."""

DENSE_ROWS = 300
"""Up to here a dense matrix is faster than a sparse one whatever its pattern."""
ALIKE = 100.0
"""Ratio of diagonals up to which the rows of a contact are scaled as one."""
DENSITY = 0.2
"""Share of entries from which a matrix is better kept dense."""


class MapPoint(NamedTuple):
    """P(y) and the entries of its derivative by y_i, by y of the normal row, by y of the partner."""

    P: Floats
    Ds: Floats
    Dn: Floats
    Dp: Floats


@kernel
def clip(y, lower, upper):  # type: ignore[no-untyped-def]
    """Return y within bounds, its derivative by y, and 1, −1 or 0 at the upper, lower or no bound."""
    if y >= upper:
        return upper, 0.0, 1.0
    if y <= lower:
        return lower, 0.0, -1.0
    return y, 1.0, 0.0


@kernel
def normal_impulse(n, y, kind, lower, upper):  # type: ignore[no-untyped-def]
    """Return P_n of a normal row, unilateral or a box, and its derivative by y_n."""
    value, slope, _ = clip(y[n], lower[n], upper[n]) if kind[n] == 2 else clip(y[n], 0.0, math.inf)
    return value, slope


@kernel
def natural_map(y, C, D):  # type: ignore[no-untyped-def]
    """Store P(y) and its derivative."""
    kind, normal, mu, lower, upper = C
    P, Ds, Dn, Dp = D
    i = 0
    while i < y.size:
        what = kind[i]
        Dn[i], Dp[i] = 0.0, 0.0
        if what == 0:
            P[i], Ds[i] = y[i], 1.0
        elif what == 1 or what == 2:
            P[i], Ds[i] = normal_impulse(i, y, kind, lower, upper)
        elif what == 3:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            P[i], Ds[i], side = clip(y[i], -reach, reach)
            Dn[i] = side * mu[i] * slope_n
        else:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            a, b = y[i], y[i + 1]
            length = math.sqrt(a * a + b * b)
            Dn[i + 1], Dp[i + 1] = 0.0, 0.0
            if length <= reach:
                P[i], P[i + 1] = a, b
                Ds[i] = Ds[i + 1] = 1.0 if reach > 0.0 else 0.0
            else:  # shortened along e = y / |y|: p = reach e
                factor, e, f = reach / length, a / length, b / length
                P[i], P[i + 1] = factor * a, factor * b
                Ds[i], Ds[i + 1] = factor * (1.0 - e * e), factor * (1.0 - f * f)
                Dp[i] = Dp[i + 1] = -factor * e * f
                Dn[i], Dn[i + 1] = mu[i] * slope_n * e, mu[i] * slope_n * f
            i += 1
        i += 1


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
    """w = A x + b and what is asked of w and x; all scaled.

    Attributes
    ----------
    A : (m, m) array or CSR matrix
    b : (m,) array
    conditions : Conditions
        Of the scaled impulses.
    where : (m,) int array
        Rows of the full problem; the others have no impulse.
    size : (m,) array
        Impulse of the full problem for x = 1.
    full : int
        Number of its rows.
    """

    A: Operator
    b: Floats
    conditions: Conditions
    where: Integers
    size: Floats
    full: int

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
    """Return rows that move something, scaled so that impulses and velocities are of order one.

    Parameters
    ----------
    A : (m, m) matrix
    b : (m,) array
    conditions : Conditions
    diagonal : (m,) array
        Of A; rows with zero are left out.
    """
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


Judge: TypeAlias = Callable[[Floats], float]
"""Residual of scaled impulses, relative to what is asked for: at most one for a solution."""
