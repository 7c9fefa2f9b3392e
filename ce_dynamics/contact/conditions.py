"""Conditions on the rows of a complementarity problem; see `ce_dynamics.contact.problem`.

Errors of their own that problems with unilateral conditions have.

Matrices by rows, as kernels take them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
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


class SparseRows(NamedTuple):
    """A matrix by rows: row i has ``values[starts[i]:starts[i+1]]`` in the columns ``columns[...]``."""

    starts: Integers
    columns: Integers
    values: Floats
    width: int

    def check(self, name: str) -> None:
        """Raise `ModelError` unless the arrays describe a matrix of finite numbers."""
        checks.integer(f"{name}: width", self.width, at_least=0)
        for what, kinds in (("starts", "iu"), ("columns", "iu"), ("values", "iuf")):
            part = getattr(self, what)  # not by `checks.numbers`, whose copies every step of a run would pay
            if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
                sort = "numbers" if what == "values" else "integers"
                raise ModelError(f"{name}: {what} {checks.show(part)} must be an array of {sort}, (n,)")
        starts, columns, values, _ = self
        if not np.isfinite(values).all():
            raise ModelError(f"{name}: values must be finite numbers")
        if (
            len(starts) == 0
            or starts[0] != 0
            or starts[-1] != len(values)
            or np.any(starts[1:] < starts[:-1])
        ):
            raise ModelError(f"{name}: starts must rise from 0 to the number of values, {len(values)}")
        if len(columns) != len(values):
            raise ModelError(f"{name}: columns must be as many as values, {len(values)}")
        if len(columns) and not (columns.min() >= 0 and columns.max() < self.width):
            raise ModelError(f"{name}: columns must be at least 0 and below the width, {self.width}")

    @classmethod
    def dense(cls, matrix: ArrayLike) -> SparseRows:
        """Return all entries of a dense matrix (m, n), zeros too."""
        A = np.asarray(matrix, dtype=float)
        m, n = A.shape
        return cls(
            np.arange(0, m * n + 1, max(n, 1), dtype=np.int64)[: m + 1] if n else np.zeros(m + 1, np.int64),
            np.tile(np.arange(n, dtype=np.int64), m),
            np.ascontiguousarray(A).ravel(),
            n,
        )

    @classmethod
    def from_two_bodies(
        cls, body_a: Integers, body_b: Integers, A: Floats, B: Floats, width: int
    ) -> SparseRows:
        """Return rows with the entries of A, B (m, n) at the velocities of two bodies each, -1 for none."""
        bodies = (np.ascontiguousarray(part, dtype=np.int64) for part in (body_a, body_b))
        starts, columns, values = rows_of_pairs(*bodies, np.arange(len(A)), 1, A, B)
        return cls(starts, columns, values, width)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def row_of(self) -> Integers:
        """Row of every value."""
        return np.repeat(np.arange(self.height, dtype=np.int64), np.diff(self.starts))

    def __matmul__(self, x: Floats) -> Floats:
        return np.asarray(np.bincount(self.row_of, self.values * x[self.columns], self.height), dtype=float)

    def multiply_transposed(self, y: Floats) -> Floats:
        """Return the product of the transpose with a vector."""
        return np.asarray(np.bincount(self.columns, self.values * y[self.row_of], self.width), dtype=float)

    def to_dense(self) -> Floats:
        """Return a dense array (m, n); values in the same place add up."""
        A = np.zeros((self.height, self.width))
        np.add.at(A, (self.row_of, self.columns), self.values)
        return A
