"""A combustion engine: torque over speed and throttle, idle governor, limiter, inertia."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ce_dynamics.algebra.arrays import Scalar, absolute
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_step, unit_clip
from ce_dynamics.models.parts.rounding import rounded_clip
from ce_dynamics.models.parts.torque_table import TorqueTable

GOVERNOR_BAND = 0.2
"""Of the idle speed: how far below it the idle governor opens the throttle fully."""
GOVERNOR_ROUNDING = 0.1
"""Of that band: half width of its rounded corners."""
LIMITER_BAND = 0.02
"""Of the highest speed: how far beyond it the fuel is cut off."""
STANDING = 5.0
"""[rad/s] of an engine that gears turn: by which its drag has set in, either way."""


@dataclass(frozen=True)
class EngineParameters:
    """An engine.

    Attributes
    ----------
    full_speed, full_torque : tuple of float
        Engine speeds, increasing [rad/s], and torques at full throttle [N m].
    zero_speed, zero_torque : tuple of float
        The same with the throttle closed: its drag, negative.
    idle_speed : float or None
        Speed at which the governor begins to open the throttle [rad/s]; without one if None.
    max_speed : float
        Speed beyond which the fuel is cut off [rad/s].
    inertia : float
        Of everything that turns with the crankshaft [kg m²]; may be zero where gears tie it to the wheels.
    """

    full_speed: tuple[float, ...]
    full_torque: tuple[float, ...]
    zero_speed: tuple[float, ...]
    zero_torque: tuple[float, ...]
    idle_speed: float | None
    max_speed: float
    inertia: float = 0.0

    def __post_init__(self) -> None:
        for name in ("full", "zero"):
            check_table("engine", name, getattr(self, f"{name}_speed"), getattr(self, f"{name}_torque"))
        check_number("engine", "max_speed", self.max_speed, above=0.0)
        check_number("engine", "inertia", self.inertia, at_least=0.0)
        if self.idle_speed is None:
            return
        check_number("engine", "idle_speed", self.idle_speed, above=0.0)
        if self.idle_speed >= self.max_speed:
            raise DataError(
                f"engine: idle_speed = {self.idle_speed:g} rad/s must be below "
                f"max_speed = {self.max_speed:g} rad/s"
            )

    def torque(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """Torque on the crankshaft [N m]; the throttle, 0 … 1, blends the two curves linearly.

        The governor opens its part of what the throttle leaves closed.
        """
        drag, full = (curve(speed) for curve in self._curves)
        return drag + self._opening(speed, throttle) * (full - drag)

    def tied_torque(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """The same where gears turn the engine, either way: what it drags is against its turning."""
        way, faster = way_of_turning(speed), absolute(speed)
        drag, full = (dragging(curve(faster), way) for curve in self._curves)
        return drag + self._opening(faster, throttle) * (full - drag)

    @property
    def _curves(self) -> tuple[TorqueTable, TorqueTable]:
        """Over speed, with the throttle closed and open."""
        return TorqueTable(self.zero_speed, self.zero_torque), TorqueTable(self.full_speed, self.full_torque)

    def _opening(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """Return the throttle opening after governor and limiter."""
        opening = unit_clip(throttle)
        if self.idle_speed is not None:
            below = (self.idle_speed - speed) / (GOVERNOR_BAND * self.idle_speed)
            opening = opening + (1.0 - opening) * rounded_clip(below, GOVERNOR_ROUNDING)
        return opening * smooth_step(1.0 - (speed - self.max_speed) / (LIMITER_BAND * self.max_speed))


def way_of_turning(speed: Scalar) -> Scalar:
    """1 forwards, −1 backwards, exactly so beyond `STANDING`."""
    return 2.0 * smooth_step(0.5 + 0.5 * speed / STANDING) - 1.0


def dragging(torque: Scalar, way: Scalar) -> Scalar:
    """A torque by a curve over |speed|: as it is where it pulls, against the turning where it drags."""
    return 0.5 * ((1.0 + way) * torque + (1.0 - way) * absolute(torque))


def check_table(owner: str, name: str, x: Sequence[float], y: Sequence[float]) -> None:
    """Refuse what is no function: numbers that do not pair up, or abscissae that do not increase."""
    for k, number in enumerate((*x, *y)):
        check_number(owner, f"{name}[{k % len(x)}]", number)
    if len(x) != len(y) or len(x) < 2:
        raise DataError(
            f"{owner}: {name} has {len(x)} and {len(y)} values; give as many of each, at least two"
        )
    if any(b <= a for a, b in pairwise(x)):
        raise DataError(f"{owner}: the abscissae of {name} must increase from value to value")
