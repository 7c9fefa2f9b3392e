"""Smooth functions of one variable as finite series, with their first two derivatives.

Both kinds have all derivatives everywhere, so that results are as smooth as an integrator needs, and a fixed
number of operations.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, sin, where

NEGLIGIBLE = 1e-16
"""A coefficient, relative to the scale of its function, that is left out: rounding of the samples."""


class Jet(NamedTuple):
    """Some functions at one point: values, first and second derivatives, (n,) each."""

    value: Array
    first: Array
    second: Array


class Series(ABC):
    """n functions of s."""

    lower: float
    upper: float

    @abstractmethod
    def evaluate(self, s: Scalar) -> Jet:
        """Return values and derivatives at s, a float or a traced scalar."""

    @abstractmethod
    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return values or derivatives (M, n) at M plain points."""

    @property
    @abstractmethod
    def order(self) -> int:
        """Highest order of a term."""


@dataclass(frozen=True, eq=False)
class Trigonometric(Series):
    """``slope·s + Σ a_k cos kφ + b_k sin kφ`` with φ = 2π s / period."""

    period: float
    slope: Array  # (n,)
    a: Array  # (order + 1, n)
    b: Array  # (order + 1, n)
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def order(self) -> int:
        return len(self.a) - 1

    def evaluate(self, s: Scalar) -> Jet:
        omega = 2.0 * math.pi / self.period
        phi = s * omega
        c_1, s_1 = cos(phi), sin(phi)
        cosines, sines = [1.0, c_1], [0.0, s_1]
        for _ in range(2, self.order + 1):
            c, d = cosines[-1], sines[-1]
            cosines.append(c * c_1 - d * s_1)
            sines.append(d * c_1 + c * s_1)
        n = len(self.slope)
        value, first, second = [0.0] * n, [0.0] * n, [0.0] * n
        for k in range(self.order, 0, -1):  # the small terms first
            for j in range(n):
                a, b = float(self.a[k, j]), float(self.b[k, j])
                wave = a * cosines[k] + b * sines[k]
                value[j] = value[j] + wave
                first[j] = first[j] + (k * omega * b) * cosines[k] - (k * omega * a) * sines[k]
                second[j] = second[j] - (k * omega) ** 2 * wave
        return Jet(
            array(value[j] + float(self.a[0, j]) + float(self.slope[j]) * s for j in range(n)),
            array(first[j] + float(self.slope[j]) for j in range(n)),
            array(second),
        )

    def at(self, s: Array, derivative: int = 0) -> Array:
        omega = 2.0 * math.pi / self.period
        k = np.arange(self.order + 1)
        waves = np.exp(1j * omega * np.outer(s, k)) * (1j * omega * k) ** derivative
        line = np.outer(s, self.slope) if derivative == 0 else self.slope * float(derivative == 1)
        return np.asarray((waves @ (self.a - 1j * self.b)).real + line)

    @classmethod
    def through(cls, values: Array, period: float, slope: Array, offset: float = 0.0) -> Trigonometric:
        """Return the series through samples at s = (j + offset) period / M, j = 0 … M − 1."""
        M = len(values)
        s = (np.arange(M) + offset) * (period / M)
        F = np.fft.rfft(values - np.outer(s, slope), axis=0)[: (M - 1) // 2 + 1] / M
        k = np.arange(len(F))[:, np.newaxis]
        F = F * np.exp(-2j * math.pi * k * offset / M) * np.where(k == 0, 1.0, 2.0)
        return cls(period, slope, F.real.copy(), -F.imag)

    def shift(self, by: float) -> Trigonometric:
        """Return the functions f(s + by)."""
        k = np.arange(self.order + 1)[:, np.newaxis]
        turned = (self.a - 1j * self.b) * np.exp(2j * math.pi * k * by / self.period)
        a, b = turned.real, -turned.imag
        a[0] += self.slope * by
        return Trigonometric(self.period, self.slope, a, b)

    def largest_from(self, order: int) -> float:
        """Return largest coefficient from some order on: what rounding left, if the samples were enough."""
        return float(max(np.max(np.abs(x[order:]), initial=0.0) for x in (self.a, self.b)))

    def truncate(self, tolerance: float) -> Trigonometric:
        """Drop coefficients, and orders, below a tolerance."""
        a, b = (np.where(np.abs(x) > tolerance, x, 0.0) for x in (self.a, self.b))
        a[0] = self.a[0]
        last = int(np.max(np.flatnonzero(np.any((a != 0.0) | (b != 0.0), axis=1)), initial=0))
        return Trigonometric(self.period, self.slope, a[: last + 1], b[: last + 1])


@dataclass(frozen=True, eq=False)
class ChebyshevSeries(Series):
    """``Σ c_k T_k(x)`` on [lower, upper], NaN outside; x runs from −1 to 1."""

    lower: float
    upper: float
    c: Array  # (order + 1, n)

    @property
    def order(self) -> int:
        return len(self.c) - 1

    def evaluate(self, s: Scalar) -> Jet:
        half = 0.5 * (self.upper - self.lower)
        x = (s - 0.5 * (self.lower + self.upper)) * (1.0 / half)
        x = where((s >= self.lower) & (s <= self.upper), x, math.nan)
        T: list[Scalar] = [1.0 + 0.0 * x, x]
        for _ in range(2, self.order + 1):
            T.append(2.0 * x * T[-1] - T[-2])
        sums = []
        for derivative in range(3):
            c = chebyshev.chebder(self.c, derivative, scl=1.0 / half) if derivative else self.c
            sums.append(array(sum_weighted(c[:, j], T) for j in range(c.shape[1])))
        return Jet(*sums)

    def at(self, s: Array, derivative: int = 0) -> Array:
        half = 0.5 * (self.upper - self.lower)
        c = chebyshev.chebder(self.c, derivative, scl=1.0 / half) if derivative else self.c
        x = (s - 0.5 * (self.lower + self.upper)) / half
        return np.asarray(chebyshev.chebval(x, c).T).reshape(len(s), -1)

    @classmethod
    def through(cls, values: Array, lower: float, upper: float) -> ChebyshevSeries:
        """Return the series through samples at `nodes`."""
        M = len(values)
        quarters = np.outer(np.arange(M), 2 * np.arange(M) + 1) % (4 * M)  # T_k at a node, in whole numbers
        c = 2.0 / M * np.cos(0.5 * math.pi / M * quarters) @ values
        c[0] *= 0.5
        return cls(lower, upper, c)

    @staticmethod
    def nodes(M: int, lower: float, upper: float) -> Array:
        """Return chebyshev points of an interval."""
        x = np.cos(np.pi * (np.arange(M) + 0.5) / M)
        return np.asarray(0.5 * (lower + upper) + 0.5 * (upper - lower) * x)

    def shift(self, by: float) -> ChebyshevSeries:
        """Return the functions f(s + by)."""
        return ChebyshevSeries(self.lower - by, self.upper - by, self.c)

    def largest_from(self, order: int) -> float:
        """Return the largest coefficient from ``order`` on: rounding error, if the samples suffice."""
        return float(np.max(np.abs(self.c[order:]), initial=0.0))

    def truncate(self, tolerance: float) -> ChebyshevSeries:
        """Drop coefficients, and orders, below a tolerance."""
        kept = np.abs(self.c) > tolerance
        kept[0] = True
        last = int(np.max(np.flatnonzero(np.any(kept, axis=1))))
        return ChebyshevSeries(self.lower, self.upper, np.where(kept, self.c, 0.0)[: last + 1])


def sum_weighted(c: Array, T: list[Scalar]) -> Scalar:
    """Return Σ c_k T_k, the small terms first."""
    total: Scalar = 0.0
    for k in range(len(c) - 1, -1, -1):
        if c[k] != 0.0 or k == 0:
            total = total + float(c[k]) * T[k]
    return total
