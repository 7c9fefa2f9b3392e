"""Given motions of the socket that holds a planar suspension."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number

Function = Callable[[float], float]

DIFFERENCE = 1e-4
"""Half the interval over which functions are differenced where no rate is given [s]."""


class SocketMotion(ABC):
    """Contract of a socket's motion: `velocity` is the rate of `position`, `lift_rate` that of `lift`."""

    @abstractmethod
    def position(self, t: float) -> float:
        """Return x_s [m]."""

    @abstractmethod
    def velocity(self, t: float) -> float:
        """Return ẋ_s [m/s]."""

    def lift(self, t: float) -> float:
        """Return the rise of the spring's upper end above its given height [m]."""
        return 0.0

    def lift_rate(self, t: float) -> float:
        """Return its rate [m/s]."""
        return 0.0


@dataclass(frozen=True)
class Socket(SocketMotion):
    """x_s(t) = start + speed t + amplitude sin(2π frequency t); the anchor climbs at a constant rate."""

    speed: float = 0.0  # [m/s]
    amplitude: float = 0.0  # [m]
    frequency: float = 0.0  # [Hz]
    start: float = 0.0  # [m]
    # Rate at which the spring's upper end rises, on a ramp of slope s for example s times the speed [m/s]
    climb: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            check_number("socket", entry.name, getattr(self, entry.name))

    def position(self, t: float) -> float:
        return self.start + self.speed * t + self.amplitude * math.sin(math.tau * self.frequency * t)

    def velocity(self, t: float) -> float:
        swing = self.amplitude * math.tau * self.frequency
        return self.speed + swing * math.cos(math.tau * self.frequency * t)

    def lift(self, t: float) -> float:
        return self.climb * t

    def lift_rate(self, t: float) -> float:
        return self.climb


class SocketFunction(SocketMotion):
    """x_s(t) [m] as a function of the time [s]; by central differences over ±0.1 ms where it has no velocity.

    Differences are off by 2e-9 of the third derivative.  ``lift`` is the rise of the spring's upper end [m].
    """

    def __init__(
        self, position: Function, velocity: Function | None = None, lift: Function | None = None
    ) -> None:
        for name, value in (("position", position), ("velocity", velocity), ("lift", lift)):
            optional = name != "position" and value is None
            if not optional and not callable(value):
                raise DataError(f"socket function: {name} {value!r} must be a function of the time in s")
        self._position, self._velocity, self._lift = position, velocity, lift

    def position(self, t: float) -> float:
        return call_user("position", self._position, t)

    def velocity(self, t: float) -> float:
        if self._velocity is not None:
            return call_user("velocity", self._velocity, t)
        return difference("position", self._position, t)

    def lift(self, t: float) -> float:
        return 0.0 if self._lift is None else call_user("lift", self._lift, t)

    def lift_rate(self, t: float) -> float:
        return 0.0 if self._lift is None else difference("lift", self._lift, t)


class SocketTable(SocketMotion):
    """x_s(t) [m] through points at increasing times [s], by monotone cubics (differentiable, no overshoot).

    The times cover the run; ``lift`` is how much higher than at first the spring's upper end is [m].
    """

    def __init__(
        self, t: ArrayLike, x: ArrayLike, lift: ArrayLike | None = None, name: str = "socket table"
    ) -> None:
        from scipy.interpolate import PchipInterpolator  # here, because few runs need it

        try:
            columns = [np.array(column, dtype=float) for column in (t, x, *(() if lift is None else (lift,)))]
        except (TypeError, ValueError):
            raise DataError(f"{name}: times and positions must be sequences of numbers") from None
        n = columns[0].size
        if n < 2 or any(column.shape != (n,) for column in columns):
            shapes = ", ".join(str(column.shape) for column in columns)
            raise DataError(f"{name}: needs two or more points and columns of equal length, got {shapes}")
        for column, what in zip(columns, ("t", "x_s", "lift"), strict=False):
            bad = np.flatnonzero(~np.isfinite(column))
            if len(bad):
                raise DataError(f"{name}: {what} of point {bad[0]} is {column[bad[0]]}; it must be finite")
        back = np.flatnonzero(np.diff(columns[0]) <= 0.0)
        if len(back):
            k = int(back[0])
            raise DataError(
                f"{name}: time {columns[0][k + 1]:g} s of point {k + 1} must be later than"
                f" {columns[0][k]:g} s"
            )
        self.name, self._range = name, (float(columns[0][0]), float(columns[0][-1]))
        self._curves = [PchipInterpolator(columns[0], column) for column in columns[1:]]
        self._rates = [curve.derivative() for curve in self._curves]

    def position(self, t: float) -> float:
        return self._at(self._curves[0], t)

    def velocity(self, t: float) -> float:
        return self._at(self._rates[0], t)

    def lift(self, t: float) -> float:
        return self._at(self._curves[1], t) if len(self._curves) > 1 else 0.0

    def lift_rate(self, t: float) -> float:
        return self._at(self._rates[1], t) if len(self._rates) > 1 else 0.0

    def _at(self, curve: Any, t: float) -> float:
        first, last = self._range
        if not first - 1e-9 <= t <= last + 1e-9:
            raise DataError(
                f"{self.name}: covers {first:g} s to {last:g} s, not t = {t:g} s; give more points or run it"
                " for a shorter time"
            )
        return float(curve(min(max(t, first), last)))


def call_user(name: str, function: Function, t: float) -> float:
    """Return the value of a user's function, which must be a finite number."""
    try:
        value = float(function(t))
    except Exception as error:
        raise DataError(f"socket function: {name}({t:g}) raised {type(error).__name__}: {error}") from error
    if not math.isfinite(value):
        raise DataError(f"socket function: {name}({t:g}) is {value}; it must be finite")
    return value


def difference(name: str, function: Function, t: float) -> float:
    """Return the central difference of a user's function."""
    ahead, behind = call_user(name, function, t + DIFFERENCE), call_user(name, function, t - DIFFERENCE)
    return (ahead - behind) / (2.0 * DIFFERENCE)
