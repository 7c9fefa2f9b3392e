"""Dependent coordinates of a branch as piecewise polynomials: a starting guess for Newton in compiled code.

Over an interval between singular poses the coordinates behave like the square root of the distance to its
ends; as functions of φ = asin((θ − centre) / half width) they are smooth.  Outside the interval asin is NaN,
which is what an angle that cannot be assembled must give.  Over a full turn θ itself is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ce_dynamics.arrays import Array, Scalar, arcsin, array, where
from ce_dynamics.loops.branch import Branch

PIECES = (1, 2, 4, 8, 16)
LARGEST_DEGREE = 24
ACCURACY = 1e-7  # of the table [rad, or sizes of the loop]: two Newton steps then reach rounding


class Reach(NamedTuple):
    """Values of the parameter that a table covers.

    Attributes
    ----------
    lower, upper : float
    turning : bool
        Whether the parameter goes round and round: any value is allowed, and comes in [lower, upper].
    """

    lower: float
    upper: float
    turning: bool

    @property
    def centre(self) -> float:
        """Middle of the interval."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return 0.5 * (self.upper - self.lower)

    def parameter(self, x: float) -> float:
        """θ for x in [−1, 1]."""
        return self.centre + self.half * (x if self.turning else math.sin(0.5 * math.pi * x))

    def reduced(self, theta: Scalar) -> Scalar:
        """x in [−1, 1] for θ, NaN outside the interval."""
        if self.turning:
            return (theta - self.centre) * (1.0 / self.half)
        # the quotient of the ends themselves is 1 to the last bit
        return arcsin((theta - self.centre) / self.half) * (2.0 / math.pi)


@dataclass(frozen=True, eq=False)
class BranchTable:
    """Piecewise polynomials in x over equal pieces of [−1, 1].

    Attributes
    ----------
    reach : Reach
    coefficients : list over coordinates of (pieces, degree + 1) arrays
        Monomials of the local variable in [−1, 1], constant first.
    """

    reach: Reach
    coefficients: list[Array]

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return len(self.coefficients[0])

    @property
    def degrees(self) -> tuple[int, ...]:
        """Degree of each coordinate's polynomials."""
        return tuple(c.shape[1] - 1 for c in self.coefficients)

    def evaluate(self, theta: Scalar) -> Array:
        """Dependent coordinates at θ."""
        x = self.reach.reduced(theta)
        P = self.pieces
        ends = [-1.0 + 2.0 * (k + 1) / P for k in range(P - 1)]
        below = [x < end for end in ends]
        middle = selected(below, [-1.0 + (2.0 * k + 1.0) / P for k in range(P)])
        local = (x - middle) * P
        return array(self._horner(c, below, local) for c in self.coefficients)

    def error(self, branch: Branch, samples: int = 97) -> float:
        """Largest difference to the branch [rad, or sizes of the loop], between its nodes."""
        scales = np.array(coordinate_scales(branch))
        places = [self.reach.parameter(x) for x in np.linspace(-0.999, 0.999, samples)]
        errors = [np.abs(self.evaluate(theta) - branch.at(theta)) / scales for theta in places]
        return float(np.max(errors, initial=0.0))

    @staticmethod
    def _horner(c: Array, below: list[Scalar], local: Scalar) -> Scalar:
        value: Scalar = 0.0
        for k in range(c.shape[1] - 1, -1, -1):
            value = value * local + selected(below, c[:, k].tolist())
        return value


def selected(below: list[Scalar], choices: list[float]) -> Scalar:
    """The choice of the first piece whose end lies above x."""
    value: Scalar = choices[-1]
    for condition, choice in zip(reversed(below), reversed(choices[:-1]), strict=True):
        value = where(condition, choice, value)
    return value


def tabulate(branch: Branch, reach: Reach) -> BranchTable:
    """The table with the fewest operations that is accurate enough."""
    best: tuple[int, BranchTable] | None = None
    scales = coordinate_scales(branch)
    for P in PIECES:
        fitted = [fit(branch, reach, P, k) for k in range(P)]  # each (degree + 1, n_q)
        by_coordinate = [np.array([piece[:, j] for piece in fitted]) for j in range(len(scales))]
        degrees = [needed(c, ACCURACY * s) for c, s in zip(by_coordinate, scales, strict=True)]
        if max(degrees) > LARGEST_DEGREE - 2 and PIECES[-1] > P:
            continue
        cost = sum(2 * d + (P - 1) * (d + 1) for d in degrees)
        table = BranchTable(reach, [monomials(fitted, j, d) for j, d in enumerate(degrees)])
        if best is None or cost < best[0]:
            best = (cost, table)
        elif cost > 2 * best[0]:
            break
    assert best is not None
    return best[1]


def coordinate_scales(branch: Branch) -> list[float]:
    """What counts as one unit of each dependent coordinate."""
    size = branch.kernel.size
    return [
        size if unit.startswith("m") else 1.0
        for body in branch.kernel.loop.dependent
        for unit in body.inboard.coordinate_units
    ]


def fit(branch: Branch, reach: Reach, P: int, k: int) -> Array:
    """Chebyshev coefficients of all coordinates on piece k of P."""
    nodes = np.cos(np.pi * (np.arange(LARGEST_DEGREE + 1) + 0.5) / (LARGEST_DEGREE + 1))
    middle = -1.0 + (2.0 * k + 1.0) / P
    values = np.array([branch.at(reach.parameter(middle + node / P)) for node in nodes])
    return np.asarray(chebyshev.chebfit(nodes, values, LARGEST_DEGREE))


def needed(coefficients: Array, accuracy: float) -> int:
    """Degree beyond which the coefficients (pieces, degree + 1) add less than the accuracy."""
    tails = np.max(np.cumsum(np.abs(coefficients[:, ::-1]), axis=1)[:, ::-1], axis=0)
    enough = np.flatnonzero(tails <= accuracy)
    return max(int(enough[0]) - 1, 0) if len(enough) else LARGEST_DEGREE


def monomials(fitted: list[Array], j: int, degree: int) -> Array:
    """Coefficients of coordinate j, truncated, in powers of the local variable."""
    rows = []
    for piece in fitted:
        powers = chebyshev.cheb2poly(piece[: degree + 1, j])
        rows.append(np.concatenate((powers, np.zeros(degree + 1 - len(powers)))))
    return np.array(rows)
