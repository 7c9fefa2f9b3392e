"""The planar four-bar of (15)–(27) in the paper's symbols, with its second order.

a = |GA|, b = |AD|, c = |DF|, d = |FG|; all angles are measured from the direction G → A:

    a + b e^{iθ} = c e^{iθ3} + d e^{iθ4}                                                               (15)

with the real and imaginary parts (16), from which θ3 is eliminated (18).

Directions are carried as (cos, sin), so that from a direction nothing needs a trigonometric function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, arctan2, array, cos, cross, dot, sin, sqrt
from ce_dynamics.compiler.free_numbers import decide, nominal, number
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.errors import ModelError, SingularConfigurationError
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import (
    DEAD_POINT,
    SMALLEST_LENGTH,
    Axis,
    Point,
    check_fields,
)
from ce_dynamics.mechanism.checked import magnitude, unit_axis
from ce_dynamics.mechanism.hinges.revolute import Revolute


class Direction(NamedTuple):
    """A direction in the plane."""

    cos: Scalar
    sin: Scalar

    @property
    def angle(self) -> Scalar:
        """The angle in (-π, π]."""
        return arctan2(self.sin, self.cos)

    def minus(self, other: Direction) -> Direction:
        """Return the direction of the difference of two angles."""
        return Direction(
            self.cos * other.cos + self.sin * other.sin,
            self.sin * other.cos - self.cos * other.sin,
        )


Angle: TypeAlias = "Scalar | Direction"  # an angle [rad] or its direction


class FourBarAngles(NamedTuple):
    """Absolute directions of the bars AD (θ), FD (θ3) and GF (θ4), and the point D = (x, y) seen from G."""

    theta: Direction
    theta_3: Direction
    theta_4: Direction
    x: Scalar
    y: Scalar

    @property
    def gamma(self) -> Scalar:
        """γ = atan2(y, x), (20)."""
        return arctan2(self.y, self.x)


class FourBarRates(NamedTuple):
    """θ̇3 = p θ̇ and θ̇4 = q θ̇."""

    p: Scalar
    q: Scalar

    @property
    def X(self) -> tuple[Scalar, Scalar, Scalar]:
        """(27): rates of ∠NDO, ∠OFG, ∠RGA per θ̇."""
        return self.p - 1.0, self.q - self.p, -self.q  # (23)


class FourBarSecond(NamedTuple):
    """dp/dθ and dq/dθ: Ẋ_S θ̇ = [dp, dq − dp, −dq] θ̇²."""

    dp: Scalar
    dq: Scalar


def direction_of(angle: Angle) -> Direction:
    """Return an angle as a direction."""
    return angle if isinstance(angle, Direction) else Direction(cos(angle), sin(angle))


def four_bar_angles(a: Scalar, b: Scalar, c: Scalar, d: Scalar, theta: Angle, branch: float) -> FourBarAngles:
    """Return directions of all bars for that of the bar AD.

    Parameters
    ----------
    a, b, c, d : scalar
        Lengths of the bars [m].
    theta : scalar or Direction
        θ.
    branch : float
        The sign of ± in (20), 1 or -1.

    Returns
    -------
    FourBarAngles
        NaN where the bars cannot be assembled.
    """
    theta = direction_of(theta)
    x = a + b * theta.cos  # (17)
    y = b * theta.sin  # (17)
    m = x * x + y * y
    k = (m + (d * d - c * c)) * (0.5 / d)  # = x cos θ4 + y sin θ4, (18)
    w = branch * sqrt(m - k * k)  # sqrt(m) sin(θ4 − γ), as cos(θ4 − γ) = k / sqrt(m) (19)
    per_m = 1.0 / m
    theta_4 = Direction((x * k - y * w) * per_m, (y * k + x * w) * per_m)  # (20)
    theta_3 = Direction((x - d * theta_4.cos) * (1.0 / c), (y - d * theta_4.sin) * (1.0 / c))  # (16), (21)
    return FourBarAngles(theta, theta_3, theta_4, x, y)


def four_bar_rates(b: Scalar, c: Scalar, d: Scalar, angles: FourBarAngles) -> FourBarRates:
    """Return the factors p and q; infinite or NaN at a dead point, where θ3 = θ4 (mod π)."""
    theta, theta_3, theta_4, _, _ = angles
    # b θ̇ e^{iθ} = c θ̇3 e^{iθ3} + d θ̇4 e^{iθ4} (24), seen along e^{iθ4} and along e^{iθ3}: imaginary parts
    per_sine = 1.0 / theta_3.minus(theta_4).sin
    p = (b / c) * theta.minus(theta_4).sin * per_sine  # (25)
    q = -(b / d) * theta.minus(theta_3).sin * per_sine  # (26)
    return FourBarRates(p, q)


def four_bar_second(
    b: Scalar, c: Scalar, d: Scalar, angles: FourBarAngles, rates: FourBarRates
) -> FourBarSecond:
    """Return dp/dθ and dq/dθ (not printed): the imaginary parts of (24) differentiated once more."""
    theta, theta_3, theta_4, _, _ = angles
    p, q = rates
    cosine, sine = theta_3.minus(theta_4)
    per_sine = 1.0 / sine
    dp = ((b / c) * theta.minus(theta_4).cos * (1.0 - q) - p * (p - q) * cosine) * per_sine
    dq = (q * (q - p) * cosine - (b / d) * theta.minus(theta_3).cos * (1.0 - p)) * per_sine
    return FourBarSecond(dp, dq)


def branch_sign(theta_4: Direction, x: Scalar, y: Scalar) -> Scalar:
    """Return sin(θ4 − γ) · |GD|: its sign is the ± of (20), and zero is a dead point."""
    return number(x * theta_4.sin - y * theta_4.cos)


class TurningRate(NamedTuple):
    """The rate of one angle: X θ̇(S) + eta, and its acceleration at θ̈(S) = 0."""

    X: Array
    eta: Scalar
    bias: Scalar
    total: Scalar

    def scale_by_ratio(self, factor: Scalar, factor_rate: Scalar) -> TurningRate:
        """Return the rate of an angle that turns ``factor`` times as fast; ``factor_rate`` is d factor/dθ."""
        return TurningRate(
            factor * self.X,
            factor * self.eta,
            factor * self.bias + factor_rate * (self.total * self.total),
            factor * self.total,
        )

    def minus(self, other: TurningRate) -> TurningRate:
        """Return the rate of a difference of angles."""
        return TurningRate(
            self.X - other.X, self.eta - other.eta, self.bias - other.bias, self.total - other.total
        )


class Turning(NamedTuple):
    """A bar: its direction less that of the design pose, and its rate."""

    turned: Direction
    rate: TurningRate

    def minus(self, other: Turning) -> Turning:
        """Return the bar's turning relative to another bar."""
        return Turning(self.turned.minus(other.turned), self.rate.minus(other.rate))

    @property
    def hinge_motion(self) -> HingeMotion:
        """Motion of a revolute hinge about the linkage's axis that turns as the bar."""
        return HingeMotion(
            array((self.turned.cos, self.turned.sin)),
            self.rate.X[np.newaxis],
            array((self.rate.eta,)),
            array((self.rate.bias,)),
        )


class FourBarBars(NamedTuple):
    """Motion of the bars AD, DF and FG relative to the ground bar GA."""

    crank: Turning
    coupler: Turning
    rocker: Turning


@dataclass(eq=False, repr=False)
class FourBarLoop:
    """Design geometry of a four-bar A–D–F–G whose hinges are parallel to one axis.

    Lengths are those in the plane perpendicular to the axis: points may be offset along it.  ``owner`` names
    the linkage in messages, ``names`` the points.
    """

    A: Point
    D: Point
    F: Point
    G: Point
    axis: Axis
    owner: str
    names: tuple[str, str, str, str] = ("A", "D", "F", "G")

    def __post_init__(self) -> None:
        self.axis = unit_axis(self.axis, self.owner)
        nA, nD, nF, nG = self.names
        self.a, ex = self._bar(self.G, self.A, nG + nA)
        self.b, _ = self._bar(self.A, self.D, nA + nD)
        self.c, _ = self._bar(self.F, self.D, nF + nD)
        self.d, _ = self._bar(self.G, self.F, nG + nF)
        self.ex, self.ey = ex, cross(self.axis, ex)
        self.theta_0 = self._direction(self.D - self.A, self.b)
        self.theta_30 = self._direction(self.D - self.F, self.c)
        self.theta_40 = self._direction(self.F - self.G, self.d)
        GD = self.D - self.G
        x, y = number(self.ex @ GD), number(self.ey @ GD)
        sine = branch_sign(self.theta_40, x, y)
        dead = f"{self.owner}: {nD}, {nF} and {nG} are in line"
        if decide(abs(sine) <= DEAD_POINT * magnitude(array((x, y))), dead):
            raise SingularConfigurationError(
                f"{self.owner}: the design pose is a dead point: {nD}, {nF} and {nG} are in line, so that "
                "the linkage cannot distinguish its two branches; give hardpoints of a pose away from it"
            )
        # The branch is that of the nominal values of free parameters: others may not change it.
        self.branch = 1.0 if decide(sine > 0.0, f"{dead}, or have passed it: another branch") else -1.0

    def revolute(self, at: Array) -> Revolute:
        """Return a hinge of the linkage at one of its points."""
        return Revolute(self.axis.tolist(), at.tolist())

    def bars(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> FourBarBars:
        """Return the motion of all bars for that of the crank, both bodies given relative to p."""
        angles = self._angles(frame, crank, theta_dot)
        theta = angles.theta
        p, q = rates = four_bar_rates(self.b, self.c, self.d, angles)
        dp, dq = four_bar_second(self.b, self.c, self.d, angles, rates)
        rate = self._rate(frame, crank)
        return FourBarBars(
            Turning(theta.minus(self.theta_0), rate),
            Turning(angles.theta_3.minus(self.theta_30), rate.scale_by_ratio(p, dp)),
            Turning(angles.theta_4.minus(self.theta_40), rate.scale_by_ratio(q, dq)),
        )

    def margin(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> Scalar:
        """Return the sine of the angle between coupler and rocker."""
        angles = self._angles(frame, crank, theta_dot)
        return absolute(angles.theta_3.minus(angles.theta_4).sin)

    def _angles(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> FourBarAngles:
        """Return directions of the bars, from the crank's A and D as seen from the frame."""
        A, D = crank.point(self.A, theta_dot), crank.point(self.D, theta_dot)
        AD = frame.R.T @ (D.r - A.r)
        theta = Direction(dot(self.ex, AD) * (1.0 / self.b), dot(self.ey, AD) * (1.0 / self.b))
        return four_bar_angles(self.a, self.b, self.c, self.d, theta, self.branch)

    def _rate(self, frame: BodyMotion, crank: BodyMotion) -> TurningRate:
        """Return θ̇ and θ̈ of the crank relative to the frame, about the axis."""
        u = frame.R @ self.axis
        w_relative = crank.w_total - frame.w_total
        coriolis = cross(frame.w_total, w_relative)
        return TurningRate(
            u @ (crank.w - frame.w),
            dot(u, crank.w_drift - frame.w_drift),
            dot(u, crank.alpha - frame.alpha - coriolis),
            dot(u, w_relative),
        )

    def _bar(self, start: Array, finish: Array, names: str) -> tuple[Scalar, Array]:
        bar = finish - start
        bar = bar - self.axis * (self.axis @ bar)
        length = magnitude(bar)
        coincide = f"{self.owner}: points {names} coincide as seen along the axis"
        if decide(length < SMALLEST_LENGTH, coincide):
            raise ModelError(
                f"{coincide} {nominal(self.axis).tolist()} "
                f"(distance {length:g} m); they must be more than {SMALLEST_LENGTH:g} m apart"
            )
        return length, bar / length

    def _direction(self, bar: Array, length: Scalar) -> Direction:
        return Direction(number(self.ex @ bar) / length, number(self.ey @ bar) / length)


@dataclass(eq=False, repr=False)
class FourBar(ClosedForm):
    """Crank AD, coupler DF and rocker FG between two points of a frame; hinges about one common axis.

    The hinge angles are ∠NDO at D and ∠OFG at F; the closure's is ∠RGA at G (22).  Their rates are
    [p − 1, q − p, −q] θ̇ (27).

    Parameters
    ----------
    A, D, F, G : points
        Hinges frame–crank, crank–coupler, coupler–rocker, rocker–frame, in the design pose [m].
    axis : direction
        Common direction of the hinges.
    crank, coupler, rocker, frame : str
        Names of the bodies.  The crank is the independent one.

    Raises
    ------
    ModelError
        If neighbouring points coincide, or the design pose is a dead point (D, F, G in line).
    """

    A: Point
    D: Point
    F: Point
    G: Point
    axis: Axis
    crank: str = "crank"
    coupler: str = "coupler"
    rocker: str = "rocker"
    frame: str = "ground"

    def __post_init__(self) -> None:
        owner = f"four-bar of {self.crank!r}"
        check_fields(self, owner)
        self.loop = FourBarLoop(self.A, self.D, self.F, self.G, self.axis, owner)
        self.axis = self.loop.axis
        self._hinges = tuple(self.loop.revolute(at) for at in (self.A, self.D, self.F))
        self._closure = self.loop.revolute(self.G)
        self.independent = self.crank
        self.determines = (self.coupler, self.rocker)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the chain frame–crank–coupler–rocker."""
        bodies = (self.crank, self.coupler, self.rocker)
        carriers = (self.frame, self.crank, self.coupler)
        return tuple(Joint(*row) for row in zip(bodies, carriers, self._hinges, strict=True))

    def cuts(self) -> tuple[Cut, ...]:
        """Return the hinge at G, whose coordinate is the angle of the frame relative to the rocker."""
        return (Cut(f"{self.rocker}/{self.frame}", self.rocker, self.frame, self._closure),)

    def bars(self, motion: SubgraphMotion) -> FourBarBars:
        """Return the motion of all bars relative to the frame."""
        return self.loop.bars(motion.body(self.frame), motion.body(self.crank), motion.theta_dot)

    def closure_turning(self, motion: SubgraphMotion) -> Turning:
        """Return ∠RGA less its design value, and its rate −q θ̇."""
        rocker = self.bars(motion).rocker
        return Turning(rocker.turned._replace(sin=-rocker.turned.sin), rocker.rate.scale_by_ratio(-1.0, 0.0))

    def margin(self, motion: SubgraphMotion) -> Scalar:
        return self.loop.margin(motion.body(self.frame), motion.body(self.crank), motion.theta_dot)

    def solve(self, motion: SubgraphMotion) -> None:
        for name, hinge in zip(self.determines, self._hinges[1:], strict=True):
            expect_hinge(motion, name, hinge)
        crank, coupler, rocker = self.bars(motion)
        motion.set(self.coupler, coupler.minus(crank).hinge_motion)  # ∠NDO of (22), p − 1 of (23)
        motion.set(self.rocker, rocker.minus(coupler).hinge_motion)  # ∠OFG of (22), q − p of (23)
