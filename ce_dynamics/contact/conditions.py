"""Conditions on the rows of a complementarity problem; see `ce_dynamics.contact.problem`.

Errors of their own that problems with unilateral conditions have.

Rows of Gᵀ as SciPy's sparse matrices.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.simulation.integrators.kernels import kernel


class InitialStateError(ModelError):
    """A run would start from a state that its unilateral conditions do not allow."""


class InfeasibleError(SimulationError):
    """No velocity satisfies all conditions at once: a complementarity problem has no solution."""


class ConvergenceError(SimulationError):
    """An iteration ended before it met its tolerance."""


Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]

NONE = -1
"""Instead of the index of a normal row, where there is none."""


class Kind(int):
    """Kind of condition on a row; DISC_1 and DISC_2 follow each other.

    The class is no `Enum`: NumPy looks up attributes of compared objects and discards exceptions meanwhile.
    Before Python 3.12 an Enum runs Python code in that lookup, so that Ctrl-C was lost.
    """

    BILATERAL: ClassVar[Kind]
    UNILATERAL: ClassVar[Kind]
    BOX: ClassVar[Kind]
    FRICTION: ClassVar[Kind]
    DISC_1: ClassVar[Kind]
    DISC_2: ClassVar[Kind]


Kind.BILATERAL, Kind.UNILATERAL, Kind.BOX = Kind(0), Kind(1), Kind(2)
Kind.FRICTION, Kind.DISC_1, Kind.DISC_2 = Kind(3), Kind(4), Kind(5)


class Conditions(NamedTuple):
    """Conditions on the rows; arrays of one entry per row.

    Attributes
    ----------
    kind : (m,) int array
        `Kind` of each row.
    normal : (m,) int array
        Row whose impulse bounds a friction row; -1 for others.
    mu : (m,) array
        Friction coefficients.
    lower, upper : (m,) arrays
        Bounds of box rows [N s or N m s].
    """

    kind: Integers
    normal: Integers
    mu: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def of(
        cls,
        kind: Sequence[Kind],
        normal: ArrayLike | None = None,
        mu: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
    ) -> Conditions:
        """Return conditions with what is not given set to nothing, checked.

        Raises
        ------
        ModelError
            See `check`.
        """
        owner = "conditions"
        kinds = checks.items(f"{owner}: kind", kind)
        m = len(kinds)
        for k, one in enumerate(kinds):
            checks.integer(f"{owner}: kind {k}", one, at_least=Kind.BILATERAL, at_most=Kind.DISC_2)

        def column(name: str, values: ArrayLike | None) -> Floats:
            return np.zeros(m) if values is None else checks.numbers(f"{owner}: {name}", values).copy()

        rows = np.full(m, float(NONE)) if normal is None else checks.numbers(f"{owner}: normal", normal)
        if not np.array_equal(rows, np.rint(rows)):
            raise ModelError(f"{owner}: normal {rows.tolist()} must be numbers of rows, or {NONE} for none")
        conditions = cls(
            np.array(kinds, dtype=np.int64),
            rows.astype(np.int64),
            column("mu", mu),
            column("lower", lower),
            column("upper", upper),
        )
        conditions.check()
        return conditions

    def repeat(self, count: int) -> Conditions:
        """Return the conditions of so many contacts that have these rows each."""
        m = len(self.kind)
        normal = np.where(self.normal >= 0, self.normal + m * np.arange(count)[:, None], NONE).ravel()
        others = (np.tile(part, count) for part in (self.mu, self.lower, self.upper))
        return Conditions(np.tile(self.kind, count), normal.astype(np.int64), *others)

    def check(self) -> None:
        """Refuse conditions that do not make sense.

        Raises
        ------
        ModelError
            If arrays have different lengths, a friction row names no unilateral row or box, a coefficient is
            negative or not finite, bounds are the wrong way round, or a disc row stands alone.
        """
        m = len(self.kind)
        for name, column in self._asdict().items():
            if column.shape != (m,):
                raise ModelError(
                    f"conditions: {name} has shape {column.shape}; it must have one entry per row"
                )
        for i in np.flatnonzero(self.kind >= Kind.FRICTION):
            n = self.normal[i]
            if not 0 <= n < m or self.kind[n] not in (Kind.UNILATERAL, Kind.BOX):
                raise ModelError(
                    f"conditions: normal of friction row {i} is row {n}; it must be a unilateral row or a box"
                )
            if not 0.0 <= self.mu[i] < np.inf:
                raise ModelError(
                    f"conditions: mu of friction row {i} is {self.mu[i]!r}; it must be finite and at least 0"
                )
        firsts = np.flatnonzero(self.kind == Kind.DISC_1)
        seconds = np.flatnonzero(self.kind == Kind.DISC_2)
        paired = len(firsts) == len(seconds) and np.all(firsts + 1 == seconds)
        if not paired or np.any(self.normal[firsts] != self.normal[seconds]):
            raise ModelError(
                "conditions: disc rows must come in pairs with one normal row, first then second"
            )
        wrong = np.flatnonzero((self.kind == Kind.BOX) & ~(self.lower <= self.upper))
        if len(wrong):
            i = wrong[0]
            raise ModelError(f"box row {i}: bounds {self.lower[i]!r}, {self.upper[i]!r} must be in order")


def bounds(conditions: Conditions, p: Floats) -> tuple[Floats, Floats]:
    """Return bounds of impulses, lower and upper; those of friction follow from p (disc: per component)."""
    kind, normal, mu, lower, upper = conditions
    reach = mu * np.where(normal >= 0, p[normal], 0.0)
    low = np.select(
        [kind == Kind.BILATERAL, kind == Kind.UNILATERAL, kind == Kind.BOX], [-np.inf, 0.0, lower], -reach
    )
    high = np.select([kind <= Kind.UNILATERAL, kind == Kind.BOX], [np.inf, upper], reach)
    return low, high


@kernel
def rows_of_pairs(first, second, chosen, per, A, B):  # type: ignore[no-untyped-def]
    """Return starts, columns and values of the rows, ``per`` each, of chosen pairs of bodies, -1 for none."""
    m, n = per * chosen.size, A.shape[1]
    starts, total = np.zeros(m + 1, np.int64), 0
    columns, values = np.empty(2 * n * m, np.int64), np.empty(2 * n * m)
    for i in range(m):
        k = chosen[i // per]
        row = per * k + i % per
        for body, J in ((first[k], A), (second[k], B)):
            for j in range(n if body >= 0 else 0):
                columns[total], values[total] = n * body + j, J[row, j]
                total += 1
        starts[i + 1] = total
    return starts, columns[:total], values[:total]


def two_body_rows(
    first: Integers, second: Integers, chosen: Integers, per: int, A: Floats, B: Floats, width: int
) -> sp.csr_matrix:
    """Return rows with entries of A, B (m, n) at the velocities of two bodies, see `rows_of_pairs`."""
    starts, columns, values = rows_of_pairs(first, second, chosen, per, A, B)
    return sp.csr_matrix((values, columns, starts), shape=(len(starts) - 1, width))


@kernel
def row_product(X, i, Y, k):  # type: ignore[no-untyped-def]
    """Return the product of row i of X and row k of Y, both as starts, columns and values."""
    total = 0.0
    for a in range(X[0][i], X[0][i + 1]):
        for b in range(Y[0][k], Y[0][k + 1]):
            if X[1][a] == Y[1][b]:
                total += X[2][a] * Y[2][b]
    return total


@kernel
def row_products(X, Y, d):  # type: ignore[no-untyped-def]
    """Compute the products of the rows of X with those of Y, one by one."""
    for i in range(d.size):
        d[i] = row_product(X, i, Y, i)


def arrays_of(rows: sp.csr_matrix) -> tuple[Integers, Integers, Floats]:
    """Return starts, columns and values for kernels, whose indices are those of `rows_of_pairs`."""
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data


def check_rows(name: str, given: Any, shape: tuple[int, int]) -> Any:
    """Return an array or a SciPy matrix in CSR form; refuse other sizes and numbers that are not finite."""
    if not sp.issparse(given):
        given = sp.csr_matrix(checks.finite_array(name, given, (None, None)))
    rows = given.tocsr().astype(float, copy=False)
    if rows.shape != shape:
        raise ModelError(f"{name} is {rows.shape[0]}×{rows.shape[1]}; it must be {shape[0]}×{shape[1]}")
    try:
        rows.check_format(full_check=True)
    except ValueError as error:
        raise ModelError(f"{name} is no matrix ({error}); give an array or another sparse matrix") from None
    if not np.isfinite(rows.data).all():
        raise ModelError(f"{name}: values must be finite numbers")
    return rows


class SparseRows:
    """Deprecated: `Problem` takes arrays and SciPy's sparse matrices."""

    def __new__(cls, starts: Any, columns: Any, values: Any, width: int) -> Any:
        """Return the matrix whose row i has ``values[starts[i]:starts[i+1]]`` in ``columns[...]``."""
        warnings.warn("SparseRows: give a scipy.sparse.csr_matrix", DeprecationWarning, stacklevel=2)
        values, size = checks.finite_array("SparseRows: values", values, (None,)), np.size(starts) - 1
        width = checks.integer("SparseRows: width", width, at_least=0)
        try:
            rows = sp.csr_matrix((values, columns, starts), shape=(size, width))
        except (TypeError, ValueError) as error:
            raise ModelError(f"SparseRows: no matrix ({error}); give a scipy.sparse.csr_matrix") from None
        return check_rows("SparseRows", rows, rows.shape)

    @staticmethod
    def dense(matrix: ArrayLike) -> Floats:
        """Return the matrix."""
        warnings.warn("SparseRows.dense: give the array itself", DeprecationWarning, stacklevel=2)
        return np.asarray(matrix, dtype=float)
