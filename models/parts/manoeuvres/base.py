"""Contract of manoeuvres, and options that several of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.data.quantities import Option, values_of
from ce_dynamics.models.parts.driver import (
    Driver,
    Sensors,
    hold_speed,
    reversals_at_limits,
    steer,
)
from ce_dynamics.models.parts.paths import Path
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import FlatRoad


def speed_option(default: float) -> Option:
    """Return the speed at the start."""
    return Option(
        "speed", "m/s", default, "initial speed, held unless a manoeuvre changes it", above=0.0, at_most=60.0
    )


def duration_option(default: float) -> Option:
    """Return the length of the simulation."""
    return Option("duration", "s", default, "length of the simulation", above=0.0)


def switch(name: str, default: float, description: str) -> Option:
    """Return an option that is 1 or 0."""
    return Option(name, "1", default, description, among=(1.0, 0.0))


MOST_FRICTION = 5.0
"""Friction coefficient of dragsters on prepared tracks; racing tyres reach 2.5 on test rigs."""
FRICTION = Option(
    "friction",
    "1",
    0.8,
    "friction coefficient of the road: largest longitudinal force over load of the tyres, at nominal load",
    above=0.0,
    at_most=MOST_FRICTION,
)
DIRECTION = Option("direction", "1", 1.0, "1 turns left, -1 right", among=(1.0, -1.0))
START = Option("start", "s", 1.0, "time at which it begins", at_least=0.0)
STEER = Option(
    "steer", "1", 0.15, "steering input, part of full lock, positive to the left", at_least=-1.0, at_most=1.0
)


def basic_options(speed: float, duration: float) -> tuple[Option, ...]:
    """Return speed, duration and friction, which nearly every manoeuvre has."""
    return speed_option(speed), duration_option(duration), FRICTION


MOST_REVERSALS = 8
"""Changes of the steering from a limit to the opposite one that a run may have, see `Manoeuvre.trouble`."""


class Manoeuvre(ABC):
    """Contract of a manoeuvre: a driver model drives it with values of its options, else their defaults.

    1. ``name``, ``title``, ``options``: for the command line; every manoeuvre has the options ``duration``
       and ``friction``.
    2. ``duration`` [s] and ``speed`` [m/s] at the start; ``road``.
    3. `inputs` gives the inputs ``steering`` (−1 … 1, positive to the left), ``throttle`` and ``brake`` (0 …
       1) from time and sensors (see `ce_dynamics.models.parts.driver.Sensors`), without branches and without
       memory.
    4. ``path`` is the path to follow, None for open-loop manoeuvres; `path_error` the distance
       from it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]

    path: Path | None = None
    speed: float

    def __init__(self, driver: Driver, **values: float) -> None:
        self.driver = driver
        self.values: Mapping[str, float] = values_of(self.name, self.options, values)
        self.duration = self.values["duration"]
        self.speed = self.values.get("speed", 0.0)
        self.road: Road = self._road()
        self.path = self._path()

    def _road(self) -> Road:
        return FlatRoad(self.values["friction"])

    def _path(self) -> Path | None:
        return None

    @abstractmethod
    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        """Return the driver's inputs at time t [s]."""

    def path_error(self, sensors: Sensors) -> Scalar | None:
        """Return the distance from the path, positive to its left [m]; None where there is no path."""
        if self.path is None:
            return None
        return self.path.offset(sensors["x"], sensors["y"])

    def trouble(self, steering: Floats, rate: Floats | None) -> str:
        """Return a message if the driver swings between limits, see `reversals_at_limits`; empty if not.

        A double lane change has four turns of the steering wheel, and to catch the vehicle behind it takes as
        many again.
        """
        count = 0 if self.path is None else reversals_at_limits(self.driver, steering, rate)
        if count <= MOST_REVERSALS:
            return ""
        return (
            f"{self.name}: the driver does not hold the vehicle on its path: the steering went {count} times "
            f"from one limit, full lock or {self.driver.response.rate:.3g} locks per second, to the other, "
            f"more than {MOST_REVERSALS} times; give a lower speed, or raise driver.preview_time and "
            "driver.min_preview"
        )

    def _follow(self, sensors: Sensors, brake: Scalar = 0.0) -> Scalar:
        assert self.path is not None, f"{self.name} has no path"
        return steer(self.driver, self.path, sensors, brake)

    def _at_speed(self, steering: Scalar, target: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        throttle, brake = hold_speed(self.driver, target, sensors)
        return {"steering": steering, "throttle": throttle, "brake": brake}
