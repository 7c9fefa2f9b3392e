"""Complementarity problems in units in which every row counts alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.conditions import Integers, Kind
from ce_dynamics.complementarity.errors import InfeasibleError
from ce_dynamics.complementarity.problem import Problem

RANK = 1e-12
"""Eigenvalues of A (scaled to a unit diagonal) below this share of the largest are rounding."""
CONSISTENT = 1e-9
"""Largest relative violation of conditions that counts as rounding."""


class Scaled(NamedTuple):
    """Rows scaled to a unit diagonal of A and a largest b of one.

    Attributes
    ----------
    A, b : arrays
    rows : (k,) int array
        Rows of the problem that move something.
    size : (k,) array
        p = unit * size * (scaled p).
    unit : float
    """

    A: Floats
    b: Floats
    rows: Integers
    size: Floats
    unit: float

    def impulses(self, scaled: Floats, m: int) -> Floats:
        """Impulses of all rows of the problem."""
        p = np.zeros(m)
        p[self.rows] = self.unit * self.size * scaled
        return p


def scaled(problem: Problem) -> Scaled:
    """Rows that move something, scaled.

    Raises
    ------
    InfeasibleError
        If a row that moves nothing is violated.
    """
    d, b, kind = problem.diagonal, problem.b, problem.conditions.kind
    unit = max(float(np.max(np.abs(b))), 1e-300)
    for i in np.flatnonzero(d == 0.0):
        wrong = abs(b[i]) if kind[i] == Kind.BILATERAL else -b[i] if kind[i] == Kind.UNILATERAL else 0.0
        if wrong > CONSISTENT * unit:
            raise InfeasibleError(
                f"row {i} asks for w = {b[i]:.3g} to change, but nothing it acts on can move"
            )
    rows = np.flatnonzero(d > 0.0)
    size = 1.0 / np.sqrt(d[rows])
    A = problem.delassus[np.ix_(rows, rows)] * np.outer(size, size)
    top = max(float(np.max(np.abs(size * b[rows]), initial=0.0)), 1e-300)
    return Scaled(A, size * b[rows] / top, rows, size, top)
