"""The planar four-bar of (15)–(27) in the paper's symbols, with its second order.

a = |GA|, b = |AD|, c = |DF|, d = |FG|; all angles are measured from the direction G → A:

    a + b e^{iθ} = c e^{iθ3} + d e^{iθ4}.                                                              (15)

Directions are carried as (cos, sin), so that from a direction nothing needs a trigonometric function.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ce_dynamics.algebra.arrays import Scalar, arctan2, cos, sin, sqrt
from ce_dynamics.compiler.free_numbers import number


class Direction(NamedTuple):
    """A direction in the plane."""

    cos: Scalar
    sin: Scalar

    @property
    def angle(self) -> Scalar:
        """The angle in (-π, π]."""
        return arctan2(self.sin, self.cos)

    def minus(self, other: Direction) -> Direction:
        """The direction of the difference of two angles."""
        return Direction(
            self.cos * other.cos + self.sin * other.sin,
            self.sin * other.cos - self.cos * other.sin,
        )


Angle: TypeAlias = "Scalar | Direction"
"""An angle [rad] or its direction."""


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
        return self.p - 1.0, self.q - self.p, -self.q


class FourBarSecond(NamedTuple):
    """dp/dθ and dq/dθ: Ẋ_S θ̇ = [dp, dq − dp, −dq] θ̇²."""

    dp: Scalar
    dq: Scalar


def direction_of(angle: Angle) -> Direction:
    """An angle as a direction."""
    return angle if isinstance(angle, Direction) else Direction(cos(angle), sin(angle))


def four_bar_angles(a: Scalar, b: Scalar, c: Scalar, d: Scalar, theta: Angle, branch: float) -> FourBarAngles:
    """Directions of all bars for that of the bar AD.

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
    k = (m + (d * d - c * c)) * (0.5 / d)  # x cos θ4 + y sin θ4, (18)
    w = branch * sqrt(m - k * k)  # sqrt(m) sin(θ4 − γ), from (19): θ4 = γ ± acos(k / sqrt(m))
    per_m = 1.0 / m
    theta_4 = Direction((x * k - y * w) * per_m, (y * k + x * w) * per_m)  # (20)
    theta_3 = Direction((x - d * theta_4.cos) * (1.0 / c), (y - d * theta_4.sin) * (1.0 / c))  # (21)
    return FourBarAngles(theta, theta_3, theta_4, x, y)


def four_bar_rates(b: Scalar, c: Scalar, d: Scalar, angles: FourBarAngles) -> FourBarRates:
    """The factors p and q, (25) and (26); infinite or NaN at a dead point, where θ3 = θ4 (mod π)."""
    theta, theta_3, theta_4, _, _ = angles
    per_sine = 1.0 / theta_3.minus(theta_4).sin
    p = (b / c) * theta.minus(theta_4).sin * per_sine  # (25)
    q = -(b / d) * theta.minus(theta_3).sin * per_sine  # (26)
    return FourBarRates(p, q)


def four_bar_second(
    b: Scalar, c: Scalar, d: Scalar, angles: FourBarAngles, rates: FourBarRates
) -> FourBarSecond:
    """dp/dθ and dq/dθ (not printed): (24) and its counterpart differentiated once more."""
    theta, theta_3, theta_4, _, _ = angles
    p, q = rates
    cosine, sine = theta_3.minus(theta_4)
    per_sine = 1.0 / sine
    dp = ((b / c) * theta.minus(theta_4).cos * (1.0 - q) - p * (p - q) * cosine) * per_sine
    dq = (q * (q - p) * cosine - (b / d) * theta.minus(theta_3).cos * (1.0 - p)) * per_sine
    return FourBarSecond(dp, dq)


def branch_sign(theta_4: Direction, x: Scalar, y: Scalar) -> Scalar:
    """sin(θ4 − γ) · |GD|: its sign is the ± of (20), and zero is a dead point."""
    return number(x * theta_4.sin - y * theta_4.cos)
