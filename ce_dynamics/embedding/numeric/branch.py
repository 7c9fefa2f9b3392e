"""The branch of a loop with one parameter, followed from the design pose to both ends of its reach.

A point u = (q, θ) of the branch has the tangent t, the null vector of Y = [Y₁, Y₂].  The reach ends where Y₁
becomes singular: the branch turns back (t_θ changes sign), or another branch crosses it.  Either way the
determinant of Y₁ changes sign along the branch.  Where a slide runs to infinity at a finite parameter, as on
a lever that becomes parallel to what it slides along, the reach ends before that.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.embedding.closures.assembly import contradiction_error, contradicts
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.curve import SMALLEST_STEP, March, close_across, has_turned
from ce_dynamics.embedding.closures.loop import with_unit_quaternions
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.hinges.base import Hinge

FARTHEST_OFF = (
    0.1  # of a step, across the tangent: half of what turns by 0.1 rad is; farther is another branch
)
SINGULAR = 1e-4  # of the largest det Y₁, from where on branches that pass close by cross this one
TURNING = 1e-3  # rate of the parameter along a branch below which it turns back
MET = 1e-9  # of det Y₁ before it vanishes: what is left of it where that is found
RETREAT = 1e-5  # of arc length, from where another branch crosses: a hundred times the accuracy of a table
NEARLY = 0.1  # of det Y₁ before it changes sign: what is left of it where it really vanishes is far less
AHEAD = 1e-3  # of arc length, beyond where no step leads on
FARTHEST_OUT = 100.0  # sizes of the loop that a hinge may slide: rounding of angles grows with the square
ITERATIONS = 40  # of Newton, which halves the error at each where branches cross


class BranchPoint(NamedTuple):
    """A point of the branch."""

    q: Array  # (n_q,), dependent coordinates
    theta: float  # the parameter
    t: Array  # (m + 1,), unit tangent in scaled velocities
    range: Array  # (rows, m), orthonormal basis of the range of Y without its rows of zeros
    det: float  # determinant of Y₁ in that basis


class BranchEnd(NamedTuple):
    """End of a branch."""

    theta: float  # parameter at the end [rad or m]
    # True if Y₁ is singular at the end, or nearly so as a slide runs to infinity; False at a limit
    singular: bool
    slide: str = ""  # owner of the hinge that runs to infinity; empty if none does


@dataclass(frozen=True, eq=False)
class Branch:
    """Points of a branch in the order of θ, and its ends."""

    kernel: LoopKernel
    points: list[BranchPoint]
    lower: BranchEnd
    upper: BranchEnd

    @property
    def centre(self) -> float:
        """The parameter in the design pose, where it was followed from."""
        return float(self.kernel.p0[0])

    @property
    def singular(self) -> bool:
        """True if it ends where Y₁ is singular, on either side."""
        return self.lower.singular or self.upper.singular

    @property
    def poses(self) -> list[tuple[Array, Array]]:
        """Dependent coordinates q and parameters p of all points."""
        return [(point.q, np.array((point.theta,))) for point in self.points]

    @cached_property
    def _thetas(self) -> list[float]:
        return [point.theta for point in self.points]

    def at(self, theta: float) -> Array:
        """Return dependent coordinates at a parameter between the ends, to rounding."""
        guess = self.guess(theta)
        closed = self.kernel.newton(guess, np.array((theta,)), ITERATIONS)
        if closed.error > self.kernel.tolerance:
            _, Y = self.kernel(closed.x, np.array((theta,)))
            if contradicts(self.kernel, closed.error, Y):
                raise contradiction_error(self.kernel.loop, f"at a coordinate of {theta:.6g}", closed.error)
            raise AssemblyError(
                f"the loop of {self.kernel.loop.name!r} cannot be followed to {theta:.9g}: its closures stay "
                f"open by {closed.error:.3g}"
            )
        return closed.x

    def guess(self, theta: float) -> Array:
        """Return dependent coordinates by cubic interpolation in arc length."""
        k = min(max(bisect_right(self._thetas, theta), 1), len(self._thetas) - 1)
        if k not in self._cubics:
            self._cubics[k] = hermite(self.kernel, *self.points[k - 1 : k + 1])
        return at_parameter(self._cubics[k], theta)[: len(self.points[0].q)]

    @cached_property
    def _cubics(self) -> dict[int, Array]:
        """Cubics between neighbouring points, by the number of the second, made on demand."""
        return {}


def hermite(kernel: LoopKernel, a: BranchPoint, b: BranchPoint) -> Array:
    """Return coefficients (4, n_q + 1) in s of the cubic for (q, θ) through two points and tangents."""
    u_a, u_b = np.append(a.q, a.theta), np.append(b.q, b.theta)
    rates_a, rates_b = (coordinate_rates(kernel, point) for point in (a, b))
    change = u_b - u_a
    h = float(np.linalg.norm(change)) / float(np.linalg.norm(rates_a))
    return np.array(
        (
            u_a,
            h * rates_a,
            3.0 * change - h * (2.0 * rates_a + rates_b),
            h * (rates_a + rates_b) - 2.0 * change,
        )
    )


def at_parameter(cubic: Array, theta: float) -> Array:
    """Return (q, θ) on a cubic whose last component increases from s = 0 to 1, where that is θ."""
    c0, c1, c2, c3 = cubic
    theta_0, d1, d2, d3 = cubic[:, -1].tolist()
    low, high = 0.0, 1.0
    for _ in range(60):
        s = 0.5 * (low + high)
        below = theta_0 + s * (d1 + s * (d2 + s * d3)) < theta
        low, high = (s, high) if below else (low, s)
    s = 0.5 * (low + high)
    return np.asarray(c0 + s * (c1 + s * (c2 + s * c3)))


def coordinate_rates(kernel: LoopKernel, point: BranchPoint) -> Array:
    """Return rates of (q, θ) per arc length."""
    velocity = point.t * kernel.column_scales
    m = kernel.loop.m
    return np.append(kernel.advance(point.q, velocity[:m]) - point.q, velocity[m])


def follow(kernel: LoopKernel, q0: Array, limits: tuple[float, float]) -> Branch:
    """Return the branch through the design pose, between singularities or limits."""
    start = first_point(kernel, q0)
    lower_points, lower = BranchMarch(kernel, start, -1.0, limits[0]).run()
    upper_points, upper = BranchMarch(kernel, start, 1.0, limits[1]).run()
    points = [*reversed(lower_points), start, *upper_points]
    return Branch(kernel, points, lower, upper)


def first_point(kernel: LoopKernel, q0: Array) -> BranchPoint:
    """Return the design pose as a point of the branch, with θ increasing along it."""
    _, Y = kernel(q0, kernel.p0)
    m, scaled = kernel.loop.m, kernel.scale_columns(Y)[kernel.live]
    t, basis = tangent_and_range(scaled)
    t = t if t[m] > 0.0 else -t
    return BranchPoint(q0, float(kernel.p0[0]), t, basis, determinant(basis, scaled, m))


def tangent_and_range(Y: Array) -> tuple[Array, Array]:
    """Return the null vector (m + 1,) of Y, and an orthonormal basis (rows, m) of its range."""
    m = Y.shape[1] - 1
    U, _, Vt = singular_values_and_vectors(Y, full_matrices=len(Y) <= m)
    return Vt[m], U[:, :m]


def determinant(basis: Array, Y: Array, m: int) -> float:
    """Return the determinant of Y₁ in a basis of the range of Y."""
    return float(np.linalg.det(basis.T @ Y[:, :m]))


class BranchMarch(March[BranchPoint, BranchEnd]):
    """From the design pose in one direction, as far as the branch or the limit goes."""

    remedy = "choose another independent coordinate"

    def __init__(self, kernel: LoopKernel, start: BranchPoint, direction: float, limit: float) -> None:
        super().__init__(kernel, start, direction)
        self.limit = limit
        hinges = {body: body.inboard for body in kernel.loop.dependent}
        self._slides = [
            body for body, hinge in hinges.items() if displacement(hinge, hinge.neutral + 1.0) > 0.0
        ]
        self._last: BranchPoint | None = None
        self._crossed = False

    def next_point(self, before: BranchPoint, here: BranchPoint, h: float) -> BranchPoint | None:
        there = step(self.kernel, here, h)
        self._crossed = False
        if there is None or has_turned(here, there):
            return None
        if there.det * here.det <= 0.0:
            there = self._last = end_within(self.kernel, here, h)
            self._crossed = there is None  # that may have been another branch, which passes close by
        return there

    def stuck(self, here: BranchPoint, h: float) -> BranchEnd | None:
        if self._crossed:
            largest_det = max(abs(point.det) for point in (self.start, *self.points))
            if h >= SMALLEST_STEP and abs(here.det) > SINGULAR * largest_det:
                return None
        elif h >= SMALLEST_STEP:
            return None
        else:
            refuse_contradiction_ahead(self.kernel, here, self.direction)
        return BranchEnd(here.theta, True)

    def find_end(self, there: BranchPoint) -> BranchEnd | None:
        if there is self._last:
            return BranchEnd(there.theta, True)
        slide, out = self._farthest(there)
        if out > FARTHEST_OUT * self.kernel.size:
            return BranchEnd(there.theta, True, slide)
        return BranchEnd(self.limit, False) if (there.theta - self.limit) * self.direction >= 0.0 else None

    def _farthest(self, there: BranchPoint) -> tuple[str, float]:
        """Return the hinge that has slid farthest, and how far [m]."""
        if not self._slides:
            return "", 0.0
        q = self.kernel.loop.split(there.q)
        ways = {body.name: displacement(body.inboard, q[body.name]) for body in self._slides}
        return max(ways.items(), key=lambda way: way[1])


def displacement(hinge: Hinge, q: Array) -> float:
    """Return the distance that a hinge has slid [m]."""
    _, r = hinge.pose(hinge.configuration(q))
    return float(np.linalg.norm(r))


def refuse_contradiction_ahead(kernel: LoopKernel, here: BranchPoint, direction: float) -> None:
    """Refuse redundant closures that cannot all be closed a little farther on."""
    m, scales = kernel.loop.m, kernel.column_scales
    step = direction * AHEAD * here.t * scales
    theta = here.theta + float(step[m])
    closed = kernel.newton(kernel.advance(here.q, step[:m]), np.array((theta,)))
    _, Y = kernel(closed.x, np.array((theta,)))
    if contradicts(kernel, closed.error, Y):
        raise contradiction_error(kernel.loop, f"at a coordinate of {theta:.6g}", closed.error)


def end_within(kernel: LoopKernel, here: BranchPoint, h: float) -> BranchPoint | None:
    """Return the point within the step h where Y₁ becomes singular; None if det Y₁ only seems to change sign.

    Where the branch does not turn back, another branch crosses.  The point lies before the crossing if
    Newton's method cannot separate the two branches.
    """
    import scipy.optimize  # here, because few models need it

    def determinant_after(s: float) -> float:
        there = step(kernel, here, s)
        return here.det if there is None else there.det

    at_end = float(scipy.optimize.brentq(determinant_after, 0.0, h, xtol=1e-14, rtol=1e-13))
    end = step(kernel, here, at_end)
    if end is None or abs(end.det) > NEARLY * abs(here.det):
        return None
    met = abs(end.det) <= MET * abs(here.det)
    if met or abs(float(end.t[kernel.loop.m])) < TURNING or abs(at_end) < 2.0 * RETREAT:
        return end
    return step(kernel, here, at_end - math.copysign(RETREAT, at_end))


def step(kernel: LoopKernel, here: BranchPoint, h: float) -> BranchPoint | None:
    """Return the point of the branch at arc length h along the tangent; None if it is not found."""
    m, scales = kernel.loop.m, kernel.column_scales
    q = kernel.advance(here.q, h * here.t[:m] * scales[:m])
    theta = here.theta + h * float(here.t[m]) * float(scales[m])
    found = close_across(kernel, q, np.array((theta,)), here.t)
    if found is None:
        return None
    off = (np.append(*found) - np.append(q, theta)) / np.append(kernel.coordinate_scales, scales[m])
    if float(np.linalg.norm(off)) > FARTHEST_OFF * abs(h):
        return None
    return orient_point(kernel, here, found[0], float(found[1][0]))


def orient_point(kernel: LoopKernel, here: BranchPoint, q: Array, theta: float) -> BranchPoint | None:
    """Return a new point with tangent and range turned the way they were at the last one."""
    m = kernel.loop.m
    q = with_unit_quaternions(kernel.loop.dependent, q)
    _, Y = kernel(q, np.array((theta,)))
    scaled = kernel.scale_columns(Y)[kernel.live]
    t, basis = tangent_and_range(scaled)
    t = t if float(t @ here.t) > 0.0 else -t
    # the basis closest to the last one (Procrustes), so that its orientation cannot flip
    left, _, right = singular_values_and_vectors(basis.T @ here.range)
    basis = basis @ (left @ right)
    return BranchPoint(q, theta, t, basis, determinant(basis, scaled, m))
