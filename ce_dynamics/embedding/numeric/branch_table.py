"""Dependent coordinates of a branch as piecewise polynomials: a starting guess for Newton in compiled code.

Over an interval between singular poses the coordinates behave like the square root of the distance to its
ends; as functions of φ = asin((θ − centre) / half width) they are smooth.  Outside the interval asin is NaN,
which is what an angle that cannot be assembled must give.  Over a full turn θ itself is used.

A table is good if the steps that compiled code makes from it lead to the branch: the loop is then closed to
rounding.  That is verified, between the nodes and where the branch is sharp.  Pieces are equal where a few
are enough; else they are halved wherever the branch is too sharp for one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ce_dynamics.algebra.arrays import Array, Scalar, arcsin, array, where
from ce_dynamics.compiler import trace
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.curve import diagnose_gimbal_pose
from ce_dynamics.embedding.closures.loop import moving
from ce_dynamics.embedding.numeric.branch import Branch
from ce_dynamics.errors import AssemblyError, IndependentCoordinatesError

PIECES = (1, 2, 4, 8, 16)
LARGEST_DEGREE = 24
DEGREES = (10, 16, 22)  # of unequal pieces: many of low degree, or fewer of higher
MOST_PIECES = 64
NARROWEST = 2.0**-30  # piece, of [−1, 1]
ACCURACY = 1e-7  # of the table [rad, or sizes of the loop]: two Newton steps then reach rounding
CHECKS = 50  # places in every piece at which a table is verified: twice its nodes
SAME = 1e-6  # configurations closer than this are the same [rad, or sizes of the loop]


class TableRange(NamedTuple):
    """Values of the parameter that a table covers."""

    lower: float
    upper: float
    # whether the parameter goes round and round: any value is allowed, and comes in [lower, upper]
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
        """Return θ for x in [−1, 1]."""
        return self.centre + self.half * (x if self.turning else math.sin(0.5 * math.pi * x))

    def normalise(self, theta: Scalar) -> Scalar:
        """Return the x in [−1, 1] for θ, NaN outside the interval."""
        if self.turning:
            return (theta - self.centre) * (1.0 / self.half)
        # the quotient of the ends themselves is 1 to the last bit
        return arcsin((theta - self.centre) / self.half) * (2.0 / math.pi)


@dataclass(frozen=True, eq=False)
class BranchTable:
    """Piecewise polynomials in x over pieces of [−1, 1]."""

    reach: TableRange
    bounds: Array  # (pieces + 1,), ends of the pieces, from −1 to 1
    # (pieces, degree + 1), monomials of the local variable in [−1, 1], constant first
    coefficients: list[Array]

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return len(self.bounds) - 1

    @property
    def degrees(self) -> tuple[int, ...]:
        """Degree of each coordinate's polynomials."""
        return tuple(c.shape[1] - 1 for c in self.coefficients)

    @property
    def operations(self) -> int:
        """About what an evaluation costs."""
        return sum(2 * d + (self.pieces - 1) * (d + 1) for d in self.degrees)

    def evaluate(self, theta: Scalar) -> Array:
        """Return dependent coordinates at θ."""
        x = self.reach.normalise(theta)
        below = [x < end for end in self.bounds[1:-1].tolist()]
        middle, factor = (select_piece(below, values.tolist()) for values in self._pieces())
        local = (x - middle) * factor
        return array(self._horner(c, below, local) for c in self.coefficients)

    def evaluate_many(self, theta: Array) -> Array:
        """Return the same at plain numbers (M,): (M, n_q)."""
        x = np.array([self.reach.normalise(value) for value in theta.tolist()])
        piece = np.searchsorted(self.bounds[1:-1], x, side="right")
        middle, factor = self._pieces()
        local = (x - middle[piece]) * factor[piece]
        found = np.zeros((len(x), len(self.coefficients)))
        for j, c in enumerate(self.coefficients):
            for k in range(c.shape[1] - 1, -1, -1):
                found[:, j] = found[:, j] * local + c[piece, k]
        return found

    def _pieces(self) -> tuple[Array, Array]:
        """Return the middle of every piece, and what takes a distance from it to [−1, 1]."""
        return 0.5 * (self.bounds[1:] + self.bounds[:-1]), 2.0 / np.diff(self.bounds)

    @staticmethod
    def _horner(c: Array, below: list[Scalar], local: Scalar) -> Scalar:
        value: Scalar = 0.0
        for k in range(c.shape[1] - 1, -1, -1):
            value = value * local + select_piece(below, c[:, k].tolist())
        return value


def select_piece(below: list[Scalar], choices: list[float]) -> Scalar:
    """Return the choice of the first piece whose end lies above x."""
    if all(choice == choices[0] for choice in choices):
        return choices[0]
    value: Scalar = choices[-1]
    for condition, choice in zip(reversed(below), reversed(choices[:-1]), strict=True):
        value = where(condition, choice, value)
    return value


def tabulate(branch: Branch, reach: TableRange, basin: Basin) -> BranchTable:
    """Return the table with the fewest operations from which Newton's steps lead to the branch everywhere."""
    table = make_equal_pieces(branch, reach)
    if not len(find_misses(table, branch, basin)):
        return table
    known: dict[tuple[float, float], Array] = {}
    found = [make_unequal_pieces(branch, reach, basin, degree, known) for degree in DEGREES]
    good = [table for table in found if isinstance(table, BranchTable)]
    if good:
        return min(good, key=lambda table: table.operations)
    theta = next(place for place in found if isinstance(place, float))
    loop, (parameter,) = branch.kernel.loop, branch.kernel.parameters
    nearest = min(branch.points, key=lambda point: abs(point.theta - theta))
    remedy = diagnose_gimbal_pose(loop.dependent, nearest.t[:-1]) or (
        f"choose another of {[body.name for body in loop.dependent]} as independent coordinate, one that "
        "moves evenly there, or a path coordinate: through_dead_centres=True"
    )
    raise IndependentCoordinatesError(
        f"the loop of {loop.name!r}: led by {parameter.name!r} it is too sharp to be tabulated near "
        f"{theta:.6g} {parameter.inboard.coordinate_units[0]} of its hinge, even in {MOST_PIECES} pieces; "
        f"{remedy}"
    )


def make_equal_pieces(branch: Branch, reach: TableRange) -> BranchTable:
    """Return the cheapest table of equal pieces that is accurate enough, else that with the most pieces."""
    best: BranchTable | None = None
    for P in PIECES:
        bounds = np.linspace(-1.0, 1.0, P + 1)
        table, enough = fit_table(branch, reach, bounds, LARGEST_DEGREE - 2)
        if not np.all(enough) and PIECES[-1] > P:
            continue
        if best is None or table.operations < best.operations:
            best = table
        elif table.operations > 2 * best.operations:
            break
    assert best is not None
    return best


def make_unequal_pieces(
    branch: Branch, reach: TableRange, basin: Basin, degree: int, known: dict[tuple[float, float], Array]
) -> BranchTable | float:
    """Return a table of pieces halved until they are accurate; the parameter where that fails."""
    bounds = np.array((-1.0, 1.0))
    while len(bounds) - 1 <= MOST_PIECES:
        table, enough = fit_table(branch, reach, bounds, degree, known)
        bad = np.flatnonzero(~enough)
        if not len(bad):
            places = find_misses(table, branch, basin)
            if not len(places):
                return table
            bad = np.unique(np.searchsorted(bounds[1:-1], places, side="right"))
        middles = 0.5 * (bounds[bad] + bounds[bad + 1])
        if np.min(np.diff(bounds)[bad]) < NARROWEST:
            break
        bounds = np.sort(np.concatenate((bounds, middles)))
    narrowest = int(np.argmin(np.diff(bounds)))
    return reach.parameter(0.5 * float(bounds[narrowest] + bounds[narrowest + 1]))


def find_misses(table: BranchTable, branch: Branch, basin: Basin) -> Array:
    """Return places x at which Newton's steps from the table do not lead to the branch.

    They are looked for between the nodes of every piece, and where continuation had put points of the branch,
    which are dense where it is sharp.
    """
    reach, bounds = table.reach, table.bounds
    inner = (np.arange(CHECKS) + 0.5) / CHECKS
    x = (bounds[:-1, np.newaxis] + np.diff(bounds)[:, np.newaxis] * inner).ravel()
    theta = np.array([reach.parameter(value) for value in x.tolist()])
    _, good = basin.follow_steps(theta, table.evaluate_many(theta))
    within = [point for point in branch.points if reach.lower < point.theta < reach.upper]
    at = np.array([point.theta for point in within])
    q, closed = basin.follow_steps(at, table.evaluate_many(at))
    same = closed & basin.is_near(q, np.array([point.q for point in within]), SAME)
    places = [float(reach.normalise(value)) for value in at[~same].tolist()]
    return np.concatenate((x[~good], places))


def fit_table(
    branch: Branch,
    reach: TableRange,
    bounds: Array,
    degree: int,
    known: dict[tuple[float, float], Array] | None = None,
) -> tuple[BranchTable, Array]:
    """Return the table on given pieces, and of which pieces a degree is enough.

    ``known`` keeps the coefficients of pieces for the next time.
    """
    known = {} if known is None else known
    pieces = [(low, high) for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)]
    for piece in pieces:
        if piece not in known:
            known[piece] = fit(branch, reach, *piece)
    coefficients = np.array([known[piece] for piece in pieces])  # (pieces, degree + 1, n_q)
    scales = branch.kernel.coordinate_scales
    degrees = [find_degree(coefficients[:, :, j], ACCURACY * s) for j, s in enumerate(scales)]
    enough = [
        all(find_degree(piece[np.newaxis, :, j], ACCURACY * s) <= degree for j, s in enumerate(scales))
        for piece in coefficients
    ]
    table = BranchTable(reach, bounds, [monomials(coefficients, j, d) for j, d in enumerate(degrees)])
    return table, np.array(enough)


def fit(branch: Branch, reach: TableRange, low: float, high: float) -> Array:
    """Fit Chebyshev coefficients of all coordinates on a piece of [−1, 1]; NaN where there is no branch."""
    nodes = np.cos(np.pi * (np.arange(LARGEST_DEGREE + 1) + 0.5) / (LARGEST_DEGREE + 1))
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    try:
        values = np.array([branch.at(reach.parameter(middle + half * node)) for node in nodes])
    except AssemblyError:
        return np.full((LARGEST_DEGREE + 1, len(branch.kernel.coordinate_scales)), math.nan)
    return np.asarray(chebyshev.chebfit(nodes, values, LARGEST_DEGREE))


def find_degree(coefficients: Array, accuracy: float) -> int:
    """Return the degree beyond which the coefficients (pieces, degree + 1) add less than the accuracy."""
    tails = np.max(np.cumsum(np.abs(coefficients[:, ::-1]), axis=1)[:, ::-1], axis=0)
    enough = np.flatnonzero(tails <= accuracy)
    return max(int(enough[0]) - 1, 0) if len(enough) else LARGEST_DEGREE


def monomials(fitted: Array, j: int, degree: int) -> Array:
    """Return coefficients of coordinate j, truncated, in powers of the local variable."""
    c = fitted[:, : degree + 1, j]
    if degree < 2:
        return c.copy()

    def times_x(powers: Array) -> Array:
        return np.hstack((np.zeros((len(c), 1)), powers[:, :-1]))

    # Clenshaw's recurrence b_k = c_k + 2 x b_{k+1} - b_{k+2} on all pieces at a time
    b, next_b = np.zeros_like(c), np.zeros_like(c)
    b[:, 0], next_b[:, 0] = c[:, degree - 1], c[:, degree]
    for k in range(degree - 2, -1, -1):
        low = -next_b
        low[:, 0] += c[:, k]
        b, next_b = low, b + 2.0 * times_x(next_b)
    return np.asarray(b + times_x(next_b))


FARTHEST = 0.05
"""Largest distance of the steps from their start [rad, or sizes of the loop]: the quadratic terms that they
neglect are then some percent of what they correct, and there is no other configuration in between."""


class Basin:
    """Evaluation of many guesses at once, with the same Newton steps (``polished``) as the compiled code."""

    def __init__(self, kernel: LoopKernel, polished: Callable[..., Array]) -> None:
        self._kernel = kernel
        loop = kernel.loop
        self._scales = kernel.coordinate_scales

        def steps(q: Array, p: Array) -> dict[str, Array]:
            given = moving(kernel.parameters, p)
            found = polished(q, given)
            return {"q": found, "r": loop.residual(found, given, {})}

        sizes = {"q": len(loop.neutral()), "p": len(kernel.p0)}
        self._steps = trace(f"Newton's steps of {loop.name}", steps, sizes)

    def follow_steps(self, theta: Array, guesses: Array) -> tuple[Array, Array]:
        """Return the ends of the steps from guesses (M, n_q) at parameters θ (M,), and a mask of right ends.

        An end is right if all closures hold, redundant ones as well, and the guess was near.
        """
        found = self._steps.evaluate_many(q=guesses, p=np.asarray(theta)[:, np.newaxis])
        still_open = np.max(np.abs(found["r"]), axis=1, initial=0.0)
        return found["q"], (still_open <= self._kernel.tolerance) & self.is_near(
            found["q"], guesses, FARTHEST
        )

    def is_near(self, a: Array, b: Array, distance: float) -> Array:
        """Return the mask of coordinates that differ by at most ``distance`` [rad, or sizes of the loop]."""
        return np.asarray(np.max(np.abs(a - b) / self._scales, axis=1, initial=0.0) <= distance)
