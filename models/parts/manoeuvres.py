"""Manoeuvres: what the driver does, at which speed, on which road.

Each class of `MANOEUVRES` names its options with units, defaults and bounds, so that a command line can
offer them.
"""

from __future__ import annotations

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ce_dynamics.algebra.arrays import Scalar, minimum, sin, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.driver import DriverParameters, Sensors, hold_speed, steer
from ce_dynamics.models.parts.paths import CirclePath, LateralPath, LateralStep, Path
from ce_dynamics.models.parts.ramps import smooth_step
from ce_dynamics.models.parts.road import BumpRoad, FlatRoad, InclinedRoad, Road


@dataclass(frozen=True)
class Option:
    """A number a manoeuvre can be given.

    Attributes
    ----------
    name, unit : str
        Keyword and SI unit (``"1"`` for a plain number).
    default : float
        Its value if none is given.
    description : str
        One line for the help text.
    above, at_least, at_most : float
        Bounds.
    """

    name: str
    unit: str
    default: float
    description: str
    above: float = -math.inf
    at_least: float = -math.inf
    at_most: float = math.inf

    def check(self, owner: str, value: object) -> float:
        """The value as a float.

        Raises
        ------
        DataError
            If it is no finite number within the bounds.
        """
        return check_number(
            owner, self.name, value, above=self.above, at_least=self.at_least, at_most=self.at_most
        )


def _speed(default: float) -> Option:
    return Option(
        "speed", "m/s", default, "speed at the start, held unless said otherwise", above=0.0, at_most=60.0
    )


def _duration(default: float) -> Option:
    return Option("duration", "s", default, "length of the simulation", above=0.0)


_FRICTION = Option("friction", "1", 0.8, "friction coefficient of the road", above=0.0, at_most=2.0)
_START = Option("start", "s", 1.0, "time at which it begins", at_least=0.0)
_STEER = Option(
    "steer", "1", 0.15, "steering input, part of full lock, positive to the left", at_least=-1.0, at_most=1.0
)


class Manoeuvre(ABC):
    """Contract of a manoeuvre.

    1. ``name``, ``title``, ``options``: for the command line; every manoeuvre has the options ``duration``
       and ``friction``.
    2. ``duration`` [s] and ``speed`` [m/s] at the start; ``road``.
    3. `inputs` gives the inputs ``steering`` (−1 … 1, positive to the left), ``throttle`` and ``brake`` (0 …
       1) from time and sensors (see `ce_dynamics.models.parts.driver.Sensors`), without branches and without
       memory.
    4. ``path`` is what is to be followed, None where the manoeuvre is open-loop; `path_error` the distance
       from it.

    Parameters
    ----------
    driver : DriverParameters
        Who drives.
    **values : float
        Options by name; the others take their defaults.

    Raises
    ------
    DataError
        If an option is unknown, no finite number or out of bounds.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    options: ClassVar[tuple[Option, ...]]

    path: Path | None = None
    speed: float

    def __init__(self, driver: DriverParameters, **values: float) -> None:
        known = {option.name: option for option in self.options}
        for name in values:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
                raise DataError(f"{self.name}: unknown option {name!r}; {hint}")
        self.driver = driver
        self.values: Mapping[str, float] = {
            name: option.check(self.name, values.get(name, option.default)) for name, option in known.items()
        }
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
        """The driver's inputs at time t [s]."""

    def path_error(self, sensors: Sensors) -> Scalar | None:
        """Distance from the path, positive to its left [m]; None where there is no path."""
        if self.path is None:
            return None
        return self.path.offset(sensors["x"], sensors["y"])

    def _follow(self, sensors: Sensors) -> Scalar:
        assert self.path is not None, f"{self.name} has no path"
        return steer(self.driver, self.path, sensors)

    def _at_speed(self, steering: Scalar, target: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        throttle, brake = hold_speed(self.driver, target, sensors)
        return {"steering": steering, "throttle": throttle, "brake": brake}


class Gate(NamedTuple):
    """A section between cones: from x = ``start`` to ``end``, y between ``right`` and ``left`` [m]."""

    start: float
    end: float
    right: float
    left: float

    @property
    def centre(self) -> float:
        """y of the middle [m]."""
        return 0.5 * (self.right + self.left)


class DoubleLaneChange(Manoeuvre):
    """ISO 3888-1: sections of 15, 30, 25, 25, 15 m (and 15 m to leave).

    The lanes of sections 1, 3 and 5 are 1.1, 1.2 and 1.3 vehicle widths plus 0.25 m wide.  The second lane
    lies 3.5 m to the left of the first, right edge to right edge; the right edges of the first and third
    lanes are in line.  The reference path is the middle of the lanes, joined by quintics in sections 2 and
    4.
    """

    name = "double-lane-change"
    title = "ISO 3888-1 double lane change"
    options = (
        _speed(12.0),
        _duration(10.0),
        _FRICTION,
        Option("vehicle_width", "m", 2.16, "width of the vehicle, which sets the lanes' widths", above=0.0),
        Option("lead_in", "m", 5.0, "straight ahead of the first section", at_least=0.0),
    )
    LENGTHS = (15.0, 30.0, 25.0, 25.0, 15.0)
    WIDTHS = (1.1, 1.2, 1.3)
    CLEARANCE = 0.25
    LANE_OFFSET = 3.5

    @property
    def gates(self) -> tuple[Gate, Gate, Gate]:
        """The three lanes; the middle of the first is y = 0."""
        width = [factor * self.values["vehicle_width"] + self.CLEARANCE for factor in self.WIDTHS]
        ends = [self.values["lead_in"]]
        for length in self.LENGTHS:
            ends.append(ends[-1] + length)
        right = -0.5 * width[0]
        second = right + self.LANE_OFFSET
        return (
            Gate(ends[0], ends[1], right, right + width[0]),
            Gate(ends[2], ends[3], second, second + width[1]),
            Gate(ends[4], ends[5], right, right + width[2]),
        )

    def _path(self) -> Path:
        first, second, third = self.gates
        return LateralPath(
            (
                LateralStep(first.end, second.start - first.end, second.centre - first.centre),
                LateralStep(second.end, third.start - second.end, third.centre - second.centre),
            )
        )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return self._at_speed(self._follow(sensors), self.speed, sensors)


class StepSteer(Manoeuvre):
    """The steering goes to a constant value within the rise time; the speed is held."""

    name = "step-steer"
    title = "step steer at constant speed"
    options = (
        _speed(12.0),
        _duration(6.0),
        _FRICTION,
        _STEER,
        _START,
        Option("rise", "s", 0.2, "time the steering takes", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        return self._at_speed(v["steer"] * smooth_step((t - v["start"]) / v["rise"]), self.speed, sensors)


class SineSteer(Manoeuvre):
    """Sine of the steering for a number of periods; the speed is held."""

    name = "sine-steer"
    title = "sinusoidal steering at constant speed"
    options = (
        _speed(12.0),
        _duration(8.0),
        _FRICTION,
        _STEER,
        _START,
        Option("frequency", "Hz", 0.5, "frequency of the steering", above=0.0, at_most=10.0),
        Option("periods", "1", 2.0, "number of periods", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        phase = v["frequency"] * (t - v["start"])
        active = where(phase < 0.0, 0.0, where(phase > v["periods"], 0.0, 1.0))
        return self._at_speed(active * v["steer"] * sin(2.0 * math.pi * phase), self.speed, sensors)


class StraightAcceleration(Manoeuvre):
    """Throttle on a straight line."""

    name = "straight-acceleration"
    title = "acceleration on a straight line"
    options = (
        _speed(1.0),
        _duration(10.0),
        _FRICTION,
        Option("throttle", "1", 0.6, "throttle", at_least=0.0, at_most=1.0),
        Option("start", "s", 0.5, "time at which it begins", at_least=0.0),
        Option("rise", "s", 0.3, "time the pedal takes", above=0.0),
    )

    def _path(self) -> Path:
        return LateralPath()

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        throttle = v["throttle"] * smooth_step((t - v["start"]) / v["rise"])
        return {"steering": self._follow(sensors), "throttle": throttle, "brake": 0.0}


class Braking(Manoeuvre):
    """Braking from speed to rest on a straight line."""

    name = "braking"
    title = "braking to rest on a straight line"
    options = (
        _speed(20.0),
        _duration(8.0),
        _FRICTION,
        Option("brake", "1", 0.4, "brake pedal", at_least=0.0, at_most=1.0),
        _START,
        Option("rise", "s", 0.2, "time the pedal takes", above=0.0),
    )

    def _path(self) -> Path:
        return LateralPath()

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        pressed = smooth_step((t - v["start"]) / v["rise"])
        throttle, _ = hold_speed(self.driver, self.speed, sensors)
        return {
            "steering": self._follow(sensors),
            "throttle": throttle * (1.0 - pressed),
            "brake": v["brake"] * pressed,
        }


class ConstantRadius(Manoeuvre):
    """A circle, at constant or slowly rising speed (as ISO 4138)."""

    name = "constant-radius"
    title = "steady-state cornering on a circle"
    options = (
        _speed(8.0),
        _duration(15.0),
        _FRICTION,
        Option("radius", "m", 30.0, "radius of the circle", above=0.0),
        Option("direction", "1", 1.0, "1 turns left, -1 right", at_least=-1.0, at_most=1.0),
        Option("acceleration", "m/s^2", 0.0, "rate at which the speed is raised", at_least=0.0),
        Option("top_speed", "m/s", 30.0, "speed at which it is raised no further", above=0.0, at_most=60.0),
    )

    def _path(self) -> Path:
        v = self.values
        if abs(v["direction"]) != 1.0:
            raise DataError(f"{self.name}: direction = {v['direction']:g} must be 1 (left) or -1 (right)")
        if v["acceleration"] > 0.0 and v["top_speed"] < v["speed"]:
            raise DataError(
                f"{self.name}: top_speed = {v['top_speed']:g} must be at least speed = {v['speed']:g}"
            )
        return CirclePath(v["direction"] * v["radius"])

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        target: Scalar = self.speed
        if v["acceleration"] > 0.0:
            target = minimum(self.speed + v["acceleration"] * t, v["top_speed"])
        return self._at_speed(self._follow(sensors), target, sensors)


class DriveOverBump(Manoeuvre):
    """Straight over a smooth bump, on both tracks or one."""

    name = "bump"
    title = "drive over a bump"
    options = (
        _speed(6.0),
        _duration(5.0),
        _FRICTION,
        Option("height", "m", 0.1, "height of the bump, negative for a dip", at_least=-0.5, at_most=0.5),
        Option("length", "m", 2.0, "length of the bump", above=0.0),
        Option("position", "m", 8.0, "where the bump begins"),
        Option("side", "1", 0.0, "0 both tracks, 1 left, -1 right", at_least=-1.0, at_most=1.0),
    )

    def _road(self) -> Road:
        v = self.values
        tracks = {0.0: "both", 1.0: "left", -1.0: "right"}
        if v["side"] not in tracks:
            raise DataError(
                f"{self.name}: side = {v['side']:g} must be 0 (both tracks), 1 (left) or -1 (right)"
            )
        return BumpRoad(v["friction"], v["height"], v["length"], v["position"], tracks[v["side"]])

    def _path(self) -> Path:
        return LateralPath()

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return self._at_speed(self._follow(sensors), self.speed, sensors)


class StandStill(Manoeuvre):
    """Parked with the brake on, on the flat or on a grade along x."""

    name = "stand-still"
    title = "parked, on the flat or on a grade"
    options = (
        _duration(5.0),
        _FRICTION,
        Option("grade", "1", 0.0, "rise over run of the road along x", at_least=-0.6, at_most=0.6),
        Option("brake", "1", 1.0, "brake pedal", at_least=0.0, at_most=1.0),
    )

    def _road(self) -> Road:
        grade = self.values["grade"]
        if grade == 0.0:
            return FlatRoad(self.values["friction"])
        return InclinedRoad(self.values["friction"], math.atan(grade))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return {"steering": 0.0, "throttle": 0.0, "brake": self.values["brake"]}


MANOEUVRES: Mapping[str, type[Manoeuvre]] = {
    kind.name: kind
    for kind in (
        DoubleLaneChange,
        StepSteer,
        SineSteer,
        StraightAcceleration,
        Braking,
        ConstantRadius,
        DriveOverBump,
        StandStill,
    )
}
"""Manoeuvres by the name the command line uses."""
