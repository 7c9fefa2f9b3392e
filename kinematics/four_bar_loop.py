"""A planar four-bar placed in space: the formulas of `four_bar` between bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot
from ce_dynamics.compiler.free_numbers import decided, nominal, number
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion
from ce_dynamics.errors import ModelError, SingularConfigurationError
from ce_dynamics.kinematics.four_bar import (
    Direction,
    FourBarAngles,
    branch_sign,
    four_bar_angles,
    four_bar_rates,
    four_bar_second,
)
from ce_dynamics.kinematics.hardpoints import DEAD_POINT, SMALLEST_LENGTH, Point, checked_point
from ce_dynamics.mechanism.checked import magnitude, unit_axis
from ce_dynamics.mechanism.hinges.revolute import Revolute


class TurningRate(NamedTuple):
    """The rate of one angle: X θ̇(S) + eta, and its acceleration at θ̈(S) = 0."""

    X: Array
    eta: Scalar
    bias: Scalar
    total: Scalar

    def geared(self, factor: Scalar, factor_rate: Scalar) -> TurningRate:
        """The rate of an angle that turns ``factor`` times as fast; ``factor_rate`` is d factor / dθ."""
        return TurningRate(
            factor * self.X,
            factor * self.eta,
            factor * self.bias + factor_rate * (self.total * self.total),
            factor * self.total,
        )

    def minus(self, other: TurningRate) -> TurningRate:
        """The rate of a difference of angles."""
        return TurningRate(
            self.X - other.X, self.eta - other.eta, self.bias - other.bias, self.total - other.total
        )


class Turning(NamedTuple):
    """A bar: its direction less that of the design pose, and its rate."""

    turned: Direction
    rate: TurningRate

    def minus(self, other: Turning) -> Turning:
        """The bar's turning relative to another bar."""
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


class FourBarLoop:
    """Design geometry of a four-bar A–D–F–G whose hinges are parallel to one axis.

    Lengths are those in the plane perpendicular to the axis: points may be offset along it.

    Parameters
    ----------
    A, D, F, G : points
        Hinges ground–crank, crank–coupler, coupler–rocker, rocker–ground, in the design pose [m].
    axis : direction
        Common direction of the hinges.
    owner : str
        Names the linkage in messages.
    names : tuple of 4 str
        The four points' names in messages.

    Raises
    ------
    ModelError
        If neighbouring points coincide in the plane.
    SingularConfigurationError
        If the design pose is a dead point (D, F, G in line).
    """

    def __init__(
        self,
        A: Point,
        D: Point,
        F: Point,
        G: Point,
        axis: Point,
        owner: str,
        names: tuple[str, str, str, str] = ("A", "D", "F", "G"),
    ) -> None:
        self.A, self.D, self.F, self.G = (
            checked_point(point, owner, name) for point, name in zip((A, D, F, G), names, strict=True)
        )
        self.axis = unit_axis(axis, owner)
        nA, nD, nF, nG = names
        self.a, ex = self._bar(self.G, self.A, owner, nG + nA)
        self.b, _ = self._bar(self.A, self.D, owner, nA + nD)
        self.c, _ = self._bar(self.F, self.D, owner, nF + nD)
        self.d, _ = self._bar(self.G, self.F, owner, nG + nF)
        self.ex, self.ey = ex, cross(self.axis, ex)
        self.theta_0 = self._direction(self.D - self.A, self.b)
        self.theta_30 = self._direction(self.D - self.F, self.c)
        self.theta_40 = self._direction(self.F - self.G, self.d)
        GD = self.D - self.G
        x, y = number(self.ex @ GD), number(self.ey @ GD)
        sine = branch_sign(self.theta_40, x, y)
        dead = f"{owner}: {nD}, {nF} and {nG} are in line"
        if decided(abs(sine) <= DEAD_POINT * magnitude(array((x, y))), dead):
            raise SingularConfigurationError(
                f"{owner}: the design pose is a dead point: {nD}, {nF} and {nG} are in line, so that the "
                "linkage cannot tell its two branches apart; give hardpoints of a pose away from it"
            )
        # The branch is that of the nominal values of free parameters: others may not change it.
        self.branch = 1.0 if decided(sine > 0.0, f"{dead}, or have passed it: another branch") else -1.0

    def revolute(self, at: Array) -> Revolute:
        """A hinge of the linkage at one of its points."""
        return Revolute(self.axis.tolist(), at.tolist())

    def bars(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> FourBarBars:
        """Motion of all bars for that of the crank, both bodies given relative to p."""
        angles = self._angles(frame, crank, theta_dot)
        theta = angles.theta
        p, q = rates = four_bar_rates(self.b, self.c, self.d, angles)
        dp, dq = four_bar_second(self.b, self.c, self.d, angles, rates)
        rate = self._rate(frame, crank)
        return FourBarBars(
            Turning(theta.minus(self.theta_0), rate),
            Turning(angles.theta_3.minus(self.theta_30), rate.geared(p, dp)),
            Turning(angles.theta_4.minus(self.theta_40), rate.geared(q, dq)),
        )

    def margin(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> float:
        """Sine of the angle between coupler and rocker, of plain numbers."""
        angles = self._angles(frame, crank, theta_dot)
        return float(abs(angles.theta_3.minus(angles.theta_4).sin))

    def _angles(self, frame: BodyMotion, crank: BodyMotion, theta_dot: Array) -> FourBarAngles:
        """Directions of the bars, from the crank's A and D as seen from the frame."""
        A, D = crank.point(self.A, theta_dot), crank.point(self.D, theta_dot)
        AD = frame.R.T @ (D.r - A.r)
        theta = Direction(dot(self.ex, AD) * (1.0 / self.b), dot(self.ey, AD) * (1.0 / self.b))
        return four_bar_angles(self.a, self.b, self.c, self.d, theta, self.branch)

    def _rate(self, frame: BodyMotion, crank: BodyMotion) -> TurningRate:
        """θ̇ and θ̈ of the crank relative to the frame, about the axis."""
        u = frame.R @ self.axis
        w_relative = crank.w_total - frame.w_total
        coriolis = cross(frame.w_total, w_relative)
        return TurningRate(
            u @ (crank.w - frame.w),
            dot(u, crank.w_drift - frame.w_drift),
            dot(u, crank.alpha - frame.alpha - coriolis),
            dot(u, w_relative),
        )

    def _bar(self, start: Array, finish: Array, owner: str, names: str) -> tuple[Scalar, Array]:
        bar = finish - start
        bar = bar - self.axis * (self.axis @ bar)
        length = magnitude(bar)
        coincide = f"{owner}: points {names} coincide as seen along the axis"
        if decided(length < SMALLEST_LENGTH, coincide):
            raise ModelError(
                f"{coincide} {nominal(self.axis).tolist()} "
                f"(distance {length:g} m); they must be more than {SMALLEST_LENGTH:g} m apart"
            )
        return length, bar / length

    def _direction(self, bar: Array, length: Scalar) -> Direction:
        return Direction(number(self.ex @ bar) / length, number(self.ey @ bar) / length)
