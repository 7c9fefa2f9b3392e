"""Given motion of a point: ends of cables that a position-controlled source moves."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, cos, sin
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis


class Path(Protocol):
    """Contract: `velocity` is the time derivative of `position`; both work on floats and traced scalars."""

    def position(self, t: Scalar) -> Array:
        """World position [m]."""
        ...

    def velocity(self, t: Scalar) -> Array:
        """Its rate [m/s]."""
        ...


class Straight:
    """A point that moves at constant velocity (at rest by default).

    Parameters
    ----------
    start : sequence of 3 floats
        Position at t = 0 [m].
    rate : sequence of 3 floats
        Velocity [m/s].
    """

    def __init__(self, start: ArrayLike, rate: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.start = finite_vector(start, "straight path", "start")
        self.rate = finite_vector(rate, "straight path", "rate")

    def position(self, t: Scalar) -> Array:
        return np.asarray(self.start + self.rate * t)

    def velocity(self, t: Scalar) -> Array:
        return self.rate


class Weaving:
    """A point that moves at constant velocity and swings across it, r = start + rate t + a sin(ω t).

    Parameters
    ----------
    start, rate : sequences of 3 floats
        As of `Straight`.
    across : sequence of 3 floats
        Direction of the swing.
    amplitude : float
        [m].
    frequency : float
        [Hz], positive.
    """

    def __init__(
        self,
        start: ArrayLike,
        rate: ArrayLike,
        *,
        across: ArrayLike,
        amplitude: float,
        frequency: float,
    ) -> None:
        owner = "weaving path"
        self.start = finite_vector(start, owner, "start")
        self.rate = finite_vector(rate, owner, "rate")
        self.a = finite_number(amplitude, owner, "amplitude") * unit_axis(across, owner, "across")
        self.omega = 2.0 * np.pi * finite_number(frequency, owner, "frequency")
        if not self.omega > 0.0:
            raise ModelError(f"{owner}: frequency {frequency!r} must be positive")

    def position(self, t: Scalar) -> Array:
        return np.asarray(self.start + self.rate * t + self.a * sin(self.omega * t))

    def velocity(self, t: Scalar) -> Array:
        return np.asarray(self.rate + self.a * (self.omega * cos(self.omega * t)))
