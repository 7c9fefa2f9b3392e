"""A coil spring: cubic, with stops at both ends of its travel."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.mechanism.forces.laws import Law


class StoppedSpring(Law):
    """Tension a d + b d³ at the extension d, and stops that push back with k δ + k₃ δ³ at δ beyond one.

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
        self.shortest, self.longest = shortest, longest
        self.k, self.k_3 = k, k_3

    def force(self, x: Scalar) -> Scalar:
        return x * (self.a + self.b * x * x) + self._stop(x - self.longest) - self._stop(self.shortest - x)

    def energy(self, x: Scalar) -> Scalar:
        xx = x * x
        coil = xx * (0.5 * self.a + 0.25 * self.b * xx)
        return coil + self._stop_energy(x - self.longest) + self._stop_energy(self.shortest - x)

    def _stop(self, beyond: Scalar) -> Scalar:
        if self.k == 0.0 and self.k_3 == 0.0:
            return 0.0
        delta = maximum(beyond, 0.0)
        return delta * (self.k + self.k_3 * delta * delta)

    def _stop_energy(self, beyond: Scalar) -> Scalar:
        delta = maximum(beyond, 0.0)
        return delta * delta * (0.5 * self.k + 0.25 * self.k_3 * delta * delta)
