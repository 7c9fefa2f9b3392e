"""Coordinates of all hinges of a loop along its curve of configurations, as series in a path coordinate s.

s is about the arc length of the curve.  To be smooth it must not depend on where the continuation happened to
put its points, so it is defined by a *reference*, a smooth curve near the true one: the configuration at s is
where the true curve crosses the plane through the reference at s across the direction of the reference there
(T31).  Samples of that, exact to rounding, make a series that converges to rounding too; from then on the
series is the curve.  Its derivatives are those of the very function that gives the positions, and no matrix
has to be regular: dead centres and crossings of branches are points like others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.algebra.newton import Rounding, largest_residual, polish
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.curve import LoopCurve, diagnose_gimbal_pose, null_vector
from ce_dynamics.embedding.closures.loop import has_own_velocities
from ce_dynamics.embedding.path.series import NEGLIGIBLE, ChebyshevSeries, Series, Trigonometric
from ce_dynamics.errors import ModelError

REFERENCE = 1e-4  # accuracy of the reference, in radians and sizes of the loop
REFERENCE_SAMPLES = 2048
SAMPLES = (64, 128, 256, 512, 1024, 2048)
TIMES_REFERENCE = 9  # a third of the samples' orders, at three times those of an accuracy of 1e-4 or more
CONVERGED = 1e-16  # largest coefficient among the last two thirds, relative to the coordinates
ROUNDING = 1e-13  # the same, where they are rounding of the samples: of what counts as closed (`LoopKernel`)
FLAT = 0.25  # of the larger half of these coefficients the other has at least that much, if they are rounding
CHECKED = 256  # points between the samples where the closures must hold
OFFSETS = (0.37, 0.12, 0.62, 0.87)  # of the samples of a closed curve, among which to avoid crossings
NEAR_CROSSING = 0.1  # smallest singular value of Y, which amplifies the rounding of a sample


@dataclass(frozen=True, eq=False)
class PathTable:
    """Coordinates of all hinges along the curve."""

    coordinates: Series  # q(s) of all hinges, stacked
    closed: bool


def make_table(curve: LoopCurve) -> PathTable:
    """Return the series of a curve."""
    interpolated = Interpolant(curve)
    reference = reference_of(interpolated)
    return PathTable(converge_series(curve.kernel, interpolated, reference), curve.closed)


class Interpolant:
    """The curve by cubics through its points with their tangents, and what is closed about it."""

    def __init__(self, curve: LoopCurve) -> None:
        from scipy.interpolate import CubicHermiteSpline  # here, because few models need it

        kernel = curve.kernel
        self._curve = curve
        self.kernel, self.closed = kernel, curve.closed
        self.scales = kernel.coordinate_scales
        s = np.array([point.s for point in curve.points])
        q = np.array([point.q for point in curve.points])
        rates = [coordinate_map(kernel, point.q) @ point.t for point in curve.points]
        self._spline = CubicHermiteSpline(s, q, np.array(rates))
        self.lower, self.upper = float(s[0]), float(s[-1])
        self.slope = (q[-1] - q[0]) / (self.upper - self.lower)

    def __call__(self, s: Array) -> Array:
        """Return coordinates (M, n_q)."""
        if not self.closed:
            return np.asarray(self._spline(s))
        turns = np.floor(s / self.upper)
        return np.asarray(self._spline(s - turns * self.upper) + np.outer(turns, self.slope * self.upper))

    def series(self, values: Array, offset: float = 0.0) -> Trigonometric | ChebyshevSeries:
        """Return the series of scaled samples at `points`."""
        if self.closed:
            return Trigonometric.through(values, self.upper, self.slope / self.scales, offset)
        return ChebyshevSeries.through(values, self.lower, self.upper)

    def clear_offset(self, M: int) -> float:
        """Return the offset of M samples that keeps farthest from crossings of branches."""
        near = [point.s for point in self._curve.points if point.regular < NEAR_CROSSING]
        if not self.closed or not near:
            return OFFSETS[0]
        return max(OFFSETS, key=lambda offset: self._least_clearance(self.points(M, offset)))

    def _least_clearance(self, s: Array) -> float:
        return min(regularity(self.kernel, q) for q in self(s))

    @property
    def other_branch(self) -> Array:
        """Direction of another branch where it is nearest to the curve, in scaled velocities."""
        q = min(self._curve.points, key=lambda point: point.regular).q
        _, Y = self.kernel(q, self.kernel.p0)
        return np.asarray(singular_values_and_vectors(self.kernel.scale_columns(Y))[2][-2])

    def points(self, M: int, offset: float = 0.0) -> Array:
        """Return the path coordinates of M samples, (M,)."""
        if self.closed:
            return (np.arange(M) + offset) * (self.upper / M)
        return ChebyshevSeries.nodes(M, self.lower, self.upper)


def coordinate_map(kernel: LoopKernel, q: Array) -> Array:
    """Return coordinate rates per scaled velocity, (n_q, n_v)."""
    if not any(has_own_velocities(body.inboard) for body in kernel.loop.dependent):
        return np.diag(kernel.column_scales)
    steps = np.diag(kernel.column_scales)
    return np.array([kernel.advance(q, step) - q for step in steps]).T


def reference_of(interpolated: Interpolant) -> Trigonometric | ChebyshevSeries:
    """Return a smooth curve near the true one, in scaled coordinates."""
    samples = REFERENCE_SAMPLES if interpolated.closed else REFERENCE_SAMPLES // 4
    values = interpolated(interpolated.points(samples)) / interpolated.scales
    return interpolated.series(values).truncate(REFERENCE)


def converge_series(kernel: LoopKernel, interpolated: Interpolant, reference: Series) -> Series:
    """Return the series of the curve, to rounding."""
    enough = TIMES_REFERENCE * reference.order
    for M in [M for M in SAMPLES if enough <= M] or SAMPLES[-1:]:
        offset = interpolated.clear_offset(M)
        s = interpolated.points(M, offset)
        values = intersect_planes(kernel, interpolated(s), reference, s) / interpolated.scales
        series = interpolated.series(values, offset)
        noise, size = series.largest_from(M // 3), max(1.0, float(np.max(np.abs(values))))
        if noise <= CONVERGED * size or (noise <= ROUNDING * size and is_rounding(series, M // 3)):
            series = series.truncate(max(NEGLIGIBLE, 3.0 * noise))
            found = shift_to_design_pose(unscale_series(series, interpolated.scales), interpolated)
            if is_closed_between(kernel, found, interpolated):
                return found
    remedy = diagnose_gimbal_pose(kernel.loop.dependent, interpolated.other_branch) or (
        "it nearly meets another branch, so change its lengths a little, or name an independent coordinate "
        "without asking for a way through dead centres"
    )
    raise ModelError(
        f"the loop of {kernel.loop.name!r}: its path turns too sharply to be tabulated (with {SAMPLES[-1]} "
        f"samples); {remedy}"
    )


def is_rounding(series: Trigonometric | ChebyshevSeries, order: int) -> bool:
    """Return True if coefficients from ``order`` on stop decreasing, so that more samples would not help."""
    middle = (order + series.order + 1) // 2
    return series.largest_from(middle) >= FLAT * series.largest_from(order)


def is_closed_between(kernel: LoopKernel, series: Series, interpolated: Interpolant) -> bool:
    """Return True if a series of coordinates closes the loop all along the curve, also between samples.

    The points checked are at steps of the golden ratio and fall on no regular grid.
    """
    s = 0.5 * (math.sqrt(5.0) - 1.0) * np.arange(CHECKED) % 1.0
    low, high = (series.lower, series.upper) if not interpolated.closed else (0.0, interpolated.upper)
    coordinates = series.at(low + s * (high - low))
    return all(largest_residual(kernel(q, kernel.p0)[0]) <= kernel.tolerance for q in coordinates)


def regularity(kernel: LoopKernel, q: Array) -> float:
    """Return the smallest singular value of Y that is not zero by structure: zero where branches cross."""
    return null_vector(kernel.scale_columns(kernel(q, kernel.p0)[1]))[1]


def intersect_planes(kernel: LoopKernel, guesses: Array, reference: Series, s: Array) -> Array:
    """Return the points where the curve crosses the planes of the reference, (M, n_q)."""
    targets, directions = reference.at(s), reference.at(s, 1)
    return np.array(
        [
            intersect_plane(kernel, guess, target, direction / np.linalg.norm(direction))
            for guess, target, direction in zip(guesses, targets, directions, strict=True)
        ]
    )


def intersect_plane(kernel: LoopKernel, q: Array, target: Array, T: Array) -> Array:
    """Return the point (n_q,) where the curve crosses the plane through a scaled target across T."""
    scales = kernel.coordinate_scales

    def equations(q: Array) -> tuple[Array, Array]:
        r, Y = kernel(q, kernel.p0)
        along = (T / scales) @ coordinate_map(kernel, q)
        return np.append(r, T @ (q / scales - target)), np.vstack((kernel.scale_columns(Y), along))

    q, best = polish(equations, kernel.move, q, kernel.tolerance, stop=Rounding(gain=0.5), rcond=1e-13)
    if best <= kernel.tolerance:
        return q
    raise ModelError(
        f"the loop of {kernel.loop.name!r}: its path cannot be tabulated near coordinates "
        f"{np.round(q, 6).tolist()} (closures stay open by {best:.3g}); name an independent coordinate "
        f"without asking for a way through dead centres"
    )


def shift_to_design_pose(
    series: Trigonometric | ChebyshevSeries, interpolated: Interpolant
) -> Trigonometric | ChebyshevSeries:
    """Return the same with s = 0 in the design pose (the reference passes that at some small distance)."""
    q_0, s = interpolated(np.zeros(1))[0], 0.0
    for _ in range(10):
        tangent = series.at(np.array((s,)), 1)[0] / interpolated.scales
        off = (q_0 - series.at(np.array((s,)))[0]) / interpolated.scales
        s += float(tangent @ off) / float(tangent @ tangent)
    return series.shift(s)


def unscale_series(series: Trigonometric | ChebyshevSeries, scales: Array) -> Trigonometric | ChebyshevSeries:
    """Return a series of scaled coordinates as one of coordinates."""
    if isinstance(series, ChebyshevSeries):
        return ChebyshevSeries(series.lower, series.upper, series.c * scales)
    return Trigonometric(series.period, series.slope * scales, series.a * scales, series.b * scales)
