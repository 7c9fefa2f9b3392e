"""Force laws: force over deflection or over rate."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ce_dynamics.arrays import Scalar


class Law(ABC):
    """Contract: `force` and its integral from zero, `energy`, without branching on the argument."""

    @abstractmethod
    def force(self, x: Scalar) -> Scalar:
        """Force at x."""

    @abstractmethod
    def energy(self, x: Scalar) -> Scalar:
        """Integral of the force from 0 to x."""


class Linear(Law):
    """F = k x."""

    def __init__(self, k: float) -> None:
        self.k = k

    def force(self, x: Scalar) -> Scalar:
        return self.k * x

    def energy(self, x: Scalar) -> Scalar:
        return 0.5 * self.k * x * x
