"""Interpolation on grids: cubic B-splines, or linear, as physics that is compiled.

A cubic spline passes through all values and is twice continuously differentiable: the steps of a method of
fourth order across a node err by O(h⁴) where heights enter, O(h³) where slopes do, and as often as there are
nodes, not steps.  A linear one has kinks: O(h²) there, and O(h) with slopes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar, floor, maximum, minimum, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.tables import Table
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number

LONGEST = 1e9
"""Metres of a map along an axis."""

MOST_NODES = 2**30 // 80
"""Nodes of a map from a file.  To read heights and friction takes at most 80 bytes a node, 1 GiB in all."""

LARGEST = 16 * MOST_NODES
"""Bytes of such a file, packed and unpacked: two numbers a node."""


def check_size(name: str, nodes: int) -> None:
    """Reject a map from a file before it fills the memory."""
    if nodes > MOST_NODES:
        raise DataError(
            f"road {name}: a map of {nodes:,} nodes is larger than {MOST_NODES:,}; cut the road, or "
            "make its grid coarser"
        )


class AxisPosition(NamedTuple):
    """Position on an axis: number of the node before it, part s of the way to the next, step [m]."""

    cell: Scalar
    s: Scalar
    step: Scalar


class Axis:
    """Equally spaced nodes from ``start`` [m]; the first follows the last of a periodic one."""

    def __init__(self, start: float, step: float, number: int, periodic: bool = False) -> None:
        self.start = check_number("grid", "start", start)
        self.step = check_number("grid", "step", step, above=0.0)
        if number < 2:
            raise DataError(f"grid: {number} nodes along an axis; there must be two at least")
        self.number = int(number)
        self.periodic = bool(periodic)

    @property
    def end(self) -> float:
        return self.start + self.step * (self.number - 1)

    @property
    def nodes(self) -> Floats:
        return np.asarray(self.start + self.step * np.arange(self.number))

    def place(self, x: Scalar) -> AxisPosition:
        """Return the cell of x and the position in it; x is limited to the end nodes unless periodic."""
        t = (x - self.start) / self.step
        if self.periodic:
            t = t - self.number * floor(t / self.number)
            cell = minimum(floor(t), self.number - 1.0)
        else:
            t = minimum(self.number - 1.0, maximum(0.0, t))  # in this order NaN stays NaN
            cell = minimum(floor(t), self.number - 2.0)
        return AxisPosition(cell, t - cell, self.step)

    def fit(self, values: Floats) -> Floats:
        """Return the coefficients of the cubic spline through values along the first array axis."""
        return coefficients(values, self.periodic)

    def weights(self, at: AxisPosition) -> Sequence[Scalar]:
        """Return the shares of the four coefficients around a place."""
        return cubic_weights(at.s)

    def slopes(self, at: AxisPosition) -> Sequence[Scalar]:
        """Return the derivatives of `weights` by s."""
        return cubic_slopes(at.s)

    def inside(self, x: Scalar) -> Scalar:
        """Return the distance from the nearer end [m], negative beyond it."""
        return minimum(x - self.start, self.end - x)


class UnevenAxis(Axis):
    """Nodes (n,) at any distances, increasing [m].

    A cell is found by a list of pieces as long as the shortest distance of two nodes: each has one node in it
    at most.  The four B-splines of a cell are looked up as polynomials in s.
    """

    def __init__(self, nodes: Floats) -> None:
        v = np.asarray(nodes, dtype=float)
        self.shortest = float(np.diff(v).min())
        super().__init__(float(v[0]), self.shortest, v.size)
        pieces = v[0] + self.shortest * np.arange(np.ceil((v[-1] - v[0]) / self.shortest))
        self._nodes = v
        self._positions = Table(v, reach=1)
        self._before = Table(np.searchsorted(v, pieces, side="right") - 1.0)
        self._polynomials = Table(basis_polynomials(v), reach=15)

    @property
    def end(self) -> float:
        return float(self._nodes[-1])

    @property
    def nodes(self) -> Floats:
        return self._nodes

    def place(self, x: Scalar) -> AxisPosition:
        x = minimum(self.end, maximum(self.start, x))
        cell = self._before.at(floor((x - self.start) / self.shortest))
        cell = minimum(where(x < self._positions.at(cell, 1), cell, cell + 1.0), self.number - 2.0)
        first = self._positions.at(cell)
        step = self._positions.at(cell, 1) - first
        return AxisPosition(cell, (x - first) / step, step)

    def fit(self, values: Floats) -> Floats:
        from scipy.interpolate import make_interp_spline  # here, because most runs have no maps

        return np.asarray(make_interp_spline(self._nodes, values, 3, bc_type="natural").c)

    def weights(self, at: AxisPosition) -> Sequence[Scalar]:
        return [a + at.s * (b + at.s * (c + at.s * d)) for a, b, c, d in self._around(at)]

    def slopes(self, at: AxisPosition) -> Sequence[Scalar]:
        return [b + at.s * (2.0 * c + at.s * (3.0 * d)) for _, b, c, d in self._around(at)]

    def _around(self, at: AxisPosition) -> list[list[Scalar]]:
        first = 16.0 * at.cell
        return [[self._polynomials.at(first, 4 * i + k) for k in range(4)] for i in range(4)]


def basis_polynomials(v: Floats) -> Floats:
    """Return the four cubic B-splines of each cell as polynomials in s, lowest power first: (cells, 4, 4)."""
    from scipy.interpolate import BSpline, make_interp_spline  # here, because most runs have no maps

    knots = make_interp_spline(v, v, 3, bc_type="natural").t
    basis = BSpline(knots, np.eye(v.size + 2), 3)
    cells, step = np.arange(v.size - 1), np.diff(v)
    taylor = np.stack([basis(v[:-1], k) * (step**k / math.factorial(k))[:, None] for k in range(4)], axis=-1)
    return np.asarray(taylor[cells[:, None], cells[:, None] + np.arange(4)])


def axes_of(owner: str, x: Sequence[float], y: Sequence[float], shape: tuple[int, ...]) -> tuple[Axis, Axis]:
    """Return axes of a user's first nodes and spacings."""
    made = []
    for name, pair, number in zip("xy", (x, y), shape, strict=True):
        start, step = checks.vector(f"{owner}: {name}", pair, 2, DataError).tolist()
        axis = Axis(start, check_number(owner, f"{name}[1], the step,", step, above=0.0), number)
        if not axis.end - start < LONGEST:
            raise DataError(f"{owner}: {name} = {pair!r} goes on for {axis.end - start:g} m")
        made.append(axis)
    return made[0], made[1]


def cubic_weights(s: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return uniform cubic B-splines: shares of the four coefficients around a place."""
    r = 1.0 - s
    s2, r2 = s * s, r * r
    w_0, w_3 = r2 * r / 6.0, s2 * s / 6.0
    w_1 = 2.0 / 3.0 - s2 * (1.0 - 0.5 * s)
    w_2 = 2.0 / 3.0 - r2 * (1.0 - 0.5 * r)
    return w_0, w_1, w_2, w_3


def cubic_slopes(s: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return derivatives of `cubic_weights` by s."""
    r = 1.0 - s
    return -0.5 * r * r, s * (1.5 * s - 2.0), r * (2.0 - 1.5 * r), 0.5 * s * s


def coefficients(values: Floats, periodic: bool = False) -> Floats:
    """Return the coefficients of the cubic spline through values along the first axis.

    There is one more coefficient before the values, and one after them, two if periodic.

    The ends of other splines are straight (second derivative zero).
    """
    from scipy.linalg import solve_banded  # here, because most runs have no maps

    n = len(values)
    if periodic:
        # (c_{k-1} + 4 c_k + c_{k+1})/6 = z_k is a convolution
        share = (4.0 + 2.0 * np.cos(2.0 * np.pi * np.arange(n // 2 + 1) / n)) / 6.0
        shape = (-1,) + (1,) * (values.ndim - 1)
        c = np.fft.irfft(np.fft.rfft(values, axis=0) / share.reshape(shape), n, axis=0)
        return np.concatenate((c[-1:], c, c[:2]))
    bands = np.ones((3, n))
    bands[1] = 4.0
    bands[0, 1] = bands[2, -2] = 0.0
    bands[1, 0] = bands[1, -1] = 6.0  # straight ends: c_0 = z_0
    c = solve_banded((1, 1), bands, 6.0 * values)
    return np.concatenate((2.0 * c[:1] - c[1:2], c, 2.0 * c[-1:] - c[-2:-1]))


def linear_weights(s: Scalar) -> tuple[Scalar, Scalar]:
    """Return shares of the two values around a place."""
    return 1.0 - s, s


def linear_slopes(s: Scalar) -> tuple[Scalar, Scalar]:
    """Return derivatives of `linear_weights` by s."""
    return -1.0, 1.0


class SplineCurve:
    """A cubic spline through values at the nodes of one axis."""

    def __init__(self, values: Floats, axis: Axis) -> None:
        self.axis = axis
        self.table = Table(coefficients(np.asarray(values, dtype=float), axis.periodic), reach=3)

    def value(self, place: AxisPosition) -> Scalar:
        return self._sum(place, cubic_weights(place.s))

    def slope(self, place: AxisPosition) -> Scalar:
        return self._sum(place, cubic_slopes(place.s)) / place.step

    def _sum(self, place: AxisPosition, weights: tuple[Scalar, ...]) -> Scalar:
        total: Scalar = 0.0
        for k, w in enumerate(weights):
            total = total + w * self.table.at(place.cell, k)
        return total


class Grid:
    """A surface through values (n_x, n_y) at the nodes of two axes: cubic if smooth, or else linear."""

    def __init__(self, values: Floats, x: Axis, y: Axis, smooth: bool = True) -> None:
        z = np.asarray(values, dtype=float)
        self.x, self.y, self.smooth = x, y, smooth
        if smooth:
            z = y.fit(x.fit(z).T).T
        self.row = z.shape[1]
        self.order = 4 if smooth else 2
        self.table = Table(z, reach=(self.order - 1) * (self.row + 1))

    def value(self, x: Scalar, y: Scalar) -> Scalar:
        along, across = self.x.place(x), self.y.place(y)
        return self._sum(along, across, self._weights(self.x, along), self._weights(self.y, across))

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self.x.place(x), self.y.place(y)
        by_x = self._sum(along, across, self._slopes(self.x, along), self._weights(self.y, across))
        by_y = self._sum(along, across, self._weights(self.x, along), self._slopes(self.y, across))
        return by_x / along.step, by_y / across.step

    def _weights(self, axis: Axis, at: AxisPosition) -> Sequence[Scalar]:
        return axis.weights(at) if self.smooth else linear_weights(at.s)

    def _slopes(self, axis: Axis, at: AxisPosition) -> Sequence[Scalar]:
        return axis.slopes(at) if self.smooth else linear_slopes(at.s)

    def _sum(
        self, along: AxisPosition, across: AxisPosition, w_x: Sequence[Scalar], w_y: Sequence[Scalar]
    ) -> Scalar:
        first = along.cell * float(self.row) + across.cell
        total: Scalar = 0.0
        for i, w in enumerate(w_x):
            line: Scalar = 0.0
            for j, share in enumerate(w_y):
                line = line + share * self.table.at(first, i * self.row + j)
            total = total + w * line
        return total
