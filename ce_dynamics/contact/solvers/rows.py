"""Conditions with a symmetric scaling: unit diagonal of A, largest velocity one; what the solvers work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import NONE, Conditions, Integers, Kind
from ce_dynamics.contact.solvers.natural_map import natural_map, onto_cones, sliding_shift

Operator: TypeAlias = Any
"""A square matrix: array, or SciPy sparse array or matrix."""

DENSE_ROWS = 300
"""Up to here a dense matrix is faster than a sparse one whatever its pattern."""
ALIKE = 100.0
"""Ratio of diagonals up to which the rows of a contact are scaled as one."""
DENSITY = 0.2
"""Share of entries from which a matrix is better kept dense."""


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
        m = len(self.b)
        self._work = tuple(np.empty(m) for _ in range(5))

    def __len__(self) -> int:
        return len(self.b)

    @property
    def dense(self) -> bool:
        """True if A is an array."""
        return isinstance(self.A, np.ndarray)

    def w(self, x: Floats) -> Floats:
        """A x + b."""
        return np.asarray(self.A @ x + self.b)

    def impulses(self, x: Floats) -> Floats:
        """Impulses of all rows of the full problem."""
        p = np.zeros(self.full)
        p[self.where] = self.size * x
        return p

    def scale(self, p: Floats) -> Floats:
        """Scaled impulses."""
        return np.asarray(p[self.where] / self.size)

    def map(self, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """P(y) and the entries Ds, Dn, Dp of its derivative; overwritten by the next call."""
        P, Ds, Dn, Dp, _ = self._work
        natural_map(y, *self.conditions, P, Ds, Dn, Dp)
        return P, Ds, Dn, Dp

    def gap(self, x: Floats) -> Floats:
        """F(x) = x − P(x − w): zero at solutions."""
        return np.asarray(x - self.map(x - self.w(x))[0])

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
        """Nearest impulses that the conditions allow."""
        P = np.empty(len(self))
        kind, _, mu, lower, upper = self.conditions
        onto_cones(y, kind, lower, upper, *self.groups, mu, P)
        return P

    def shift(self, w: Floats) -> Floats:
        """De Saxcé's shift μ |w_T| of the normal rows."""
        s = np.empty(len(self))
        sliding_shift(w, self.conditions.kind, *self.groups, self.conditions.mu, s)
        return s


def scale_rows(A: Operator, b: Floats, conditions: Conditions, diagonal: Floats) -> ScaledRows:
    """Rows that move something, scaled so that impulses and velocities are of order one.

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
    together(d, normal)
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


def together(d: Floats, normal: Integers) -> None:
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
    C = in_rows(A) if whole else in_rows(A)[where][:, where]
    S = sp.diags(s)
    C = in_rows(S @ C @ S)
    many = C.nnz > DENSITY * max(1, len(s)) ** 2
    return C.toarray() if len(s) <= DENSE_ROWS or many else C


def in_rows(A: Any) -> Any:
    """A sparse matrix in CSR form; SciPy's types do not follow one through products."""
    return sp.csr_matrix(A)


Judge: TypeAlias = Callable[[Floats], float]
"""Residual of scaled impulses, relative to what is asked for: at most one for a solution."""
