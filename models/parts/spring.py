"""A coil spring: cubic, with stops at both ends of its travel."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, absolute, maximum, minimum, where
from ce_dynamics.mechanism.forces.laws import Law
from ce_dynamics.models.parts.rounding import rounded_ramp, rounded_ramp_integral

SPRING_ROUNDING = 5e-4
"""Largest half width of the corner where a stop begins, and of those of a spring's table [m]."""


class Travel(NamedTuple):
    """Between two stops that are alike: extensions at which they begin [m]."""

    shortest: float
    longest: float

    def beyond(self, x: Scalar) -> Scalar:
        """Return the compression of the nearer stop [m], negative between both stops."""
        return absolute(x - self._middle) - 0.5 * (self.longest - self.shortest)

    def signed(self, x: Scalar, push: Scalar) -> Scalar:
        """Return the push of the nearer stop as a tension."""
        return where(x > self._middle, push, -push)

    @property
    def rounding(self) -> Scalar:
        """Half width of the corners where the stops begin; they end in the middle at the latest."""
        return minimum(SPRING_ROUNDING, 0.5 * (self.longest - self.shortest))

    @property
    def _middle(self) -> float:
        return 0.5 * (self.longest + self.shortest)


class StoppedSpring(Law):
    """Tension a d + b d³ at the extension d, and stops that push back with k δ + k₃ δ³ at δ beyond one.

    The corner of k δ is rounded.

    Parameters
    ----------
    a, b : float
        Of the coil [N/m], [N/m³].
    shortest, longest : float
        Extensions at which the stops begin [m].
    k, k_3 : float
        Of the stops [N/m], [N/m³].
    """

    def __init__(self, a: float, b: float, shortest: float, longest: float, k: float, k_3: float) -> None:
        self.a, self.b = a, b
        self.travel = Travel(shortest, longest)
        self.k, self.k_3 = k, k_3

    def force(self, x: Scalar) -> Scalar:
        coil = x * (self.a + self.b * x * x)
        if self.k == 0.0 and self.k_3 == 0.0:
            return coil
        beyond = self.travel.beyond(x)
        delta = maximum(beyond, 0.0)
        push = self.k * rounded_ramp(beyond, self.travel.rounding) + self.k_3 * (delta * delta * delta)
        return coil + self.travel.signed(x, push)

    def energy(self, x: Scalar) -> Scalar:
        xx = x * x
        coil = xx * (0.5 * self.a + 0.25 * self.b * xx)
        if self.k == 0.0 and self.k_3 == 0.0:
            return coil
        return coil + self._stored(x) - self._stored(0.0)

    def _stored(self, x: Scalar) -> Scalar:
        beyond = self.travel.beyond(x)
        delta = maximum(beyond, 0.0)
        squared = delta * delta
        return self.k * rounded_ramp_integral(beyond, self.travel.rounding) + 0.25 * self.k_3 * (
            squared * squared
        )
