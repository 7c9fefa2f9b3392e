"""Manoeuvres of the pedals: straight ahead, braking on split friction, braking and power off in a turn."""

from __future__ import annotations

import math
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar, maximum
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option
from ce_dynamics.models.parts.driver import CREEP, Driver, Sensors, hold_speed
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    MOST_FRICTION,
    START,
    STEER,
    Manoeuvre,
    basic_options,
    duration_option,
    switch,
)
from ce_dynamics.models.parts.paths import LateralPath, Path
from ce_dynamics.models.parts.roads.contract import Road, SplitFriction
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, InclinedRoad
from ce_dynamics.models.parts.rounding import smooth_step


class StraightOn(Manoeuvre):
    """Straight on at constant speed, for the road to do the rest."""

    name = "straight"
    title = "straight on at constant speed"
    options: ClassVar[tuple[Option, ...]] = basic_options(20.0, 10.0)

    def _path(self) -> Path:
        return LateralPath()

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return self._at_speed(self._follow(sensors), self.speed, sensors)


class StraightAcceleration(StraightOn):
    """Throttle on a straight line."""

    name = "straight-acceleration"
    title = "acceleration on a straight line"
    options = (
        *basic_options(1.0, 10.0),
        Option("throttle", "1", 0.6, "throttle", at_least=0.0, at_most=1.0),
        Option("start", "s", 0.5, "time at which it begins", at_least=0.0),
        Option("rise", "s", 0.3, "time the pedal takes", above=0.0),
    )

    def __init__(self, driver: Driver, **values: float) -> None:
        if not driver.shifts:
            raise DataError(
                f"{self.name}: this vehicle stays in the gear of its start; "
                "let the driver shift: assistance: {shifting: {period: 20 ms, upshift: 500 rad/s, "
                "downshift: 150 rad/s, time: 0.6 s, bite_speed: 140 rad/s}}"
            )
        super().__init__(driver, **values)

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        throttle = v["throttle"] * smooth_step((t - v["start"]) / v["rise"])
        return {"steering": self._follow(sensors), "throttle": throttle, "brake": 0.0}


class Braking(StraightOn):
    """Braking from speed to rest on a straight line."""

    name = "braking"
    title = "braking to rest on a straight line"
    options: ClassVar[tuple[Option, ...]] = (
        *basic_options(20.0, 8.0),
        Option("brake", "1", 0.4, "brake pedal", at_least=0.0, at_most=1.0),
        START,
        Option("rise", "s", 0.2, "time the pedal takes", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        arms, pressed = self.driver.response, self._pressed(t)
        felt = t - arms.relaxation / maximum(sensors["speed"], CREEP)  # tyres build up their forces
        throttle, _ = hold_speed(self.driver, self.speed, sensors)
        brake = self.values["brake"]
        # 2 b(t + T/2) − b is b + T ḃ + T²/4 b̈ and T³/24 of the next: by (D1) arms follow the pedal b
        followed = 2.0 * self._pressed(felt + 0.5 * arms.lag) - self._pressed(felt)
        return {
            "steering": self._follow(sensors, brake * followed),
            "throttle": throttle * (1.0 - pressed),
            "brake": brake * pressed,
        }

    def _pressed(self, t: Scalar) -> Scalar:
        return smooth_step((t - self.values["start"]) / self.values["rise"])


class DriveOverBump(StraightOn):
    """Straight over a smooth bump, on both tracks or one."""

    name = "bump"
    title = "drive over a bump"
    options = (
        *basic_options(6.0, 5.0),
        Option("height", "m", 0.1, "height of the bump, negative for a dip", at_least=-0.5, at_most=0.5),
        Option("length", "m", 2.0, "length of the bump", above=0.0),
        Option("position", "m", 8.0, "where the bump begins"),
        Option("side", "1", 0.0, "0 both tracks, 1 left, -1 right", among=(0.0, 1.0, -1.0)),
    )

    def _road(self) -> Road:
        v = self.values
        tracks = {0.0: "both", 1.0: "left", -1.0: "right"}
        return BumpRoad(v["friction"], v["height"], v["length"], v["position"], tracks[v["side"]])


class StandStill(Manoeuvre):
    """Parked with the brake on, on the flat or on a grade along x."""

    name = "stand-still"
    title = "parked, on the flat or on a grade"
    options = (
        duration_option(5.0),
        FRICTION,
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


SLIPPERY = Option("slippery", "1", 0.2, "friction coefficient on the left", above=0.0, at_most=MOST_FRICTION)
CORRECTS = switch("corrects", 1.0, "1: the driver keeps to the line; 0: the steering is held")


class SplitBraking(Braking):
    """Braking on a road that is slippery on its left, the steering corrected or held."""

    name = "split-braking"
    title = "braking with one side on slippery ground"
    options = (*Braking.options, SLIPPERY, CORRECTS)

    def _road(self) -> Road:
        v = self.values
        return FlatRoad(SplitFriction(left=v["slippery"], right=v["friction"]))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        given = super().inputs(t, sensors)
        return {**given, "steering": self.values["corrects"] * given["steering"]}


TURN_IN = 0.5, 2.0
"""When the steering begins, and the time it takes [s]."""
EVENT = Option(
    "start", "s", 9.0, "time at which the throttle is released, on a steady circle", above=sum(TURN_IN)
)


class PowerOff(Manoeuvre):
    """The steering is held on a circle, the speed too until the throttle is released (ISO 9816)."""

    name = "power-off"
    title = "power off in a turn, steering held"
    options: ClassVar[tuple[Option, ...]] = (
        *basic_options(20.0, 13.0),
        STEER,
        EVENT,
        Option("rise", "s", 0.2, "time the pedal takes", above=0.0),
    )

    @property
    def event(self) -> float:
        """Time at which the pedals begin the event [s]."""
        return self.values["start"]

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        begin, takes = TURN_IN
        held = self._at_speed(v["steer"] * smooth_step((t - begin) / takes), self.speed, sensors)
        released = smooth_step((t - v["start"]) / v["rise"])
        return {
            "steering": held["steering"],
            "throttle": (1.0 - released) * held["throttle"],
            "brake": (1.0 - released) * held["brake"] + self._brake(t),
        }

    def _brake(self, t: Scalar) -> Scalar:
        """Return the pedal after the throttle has been released."""
        return 0.0


class BrakeInTurn(PowerOff):
    """The same, and when the throttle is released, the brake is pressed (ISO 7975)."""

    name = "brake-in-turn"
    title = "braking in a turn, steering held"
    options = (*PowerOff.options, Option("brake", "1", 0.3, "brake pedal", at_least=0.0, at_most=1.0))

    @property
    def event(self) -> float:
        return self.values["start"] + self.values["rise"]

    def _brake(self, t: Scalar) -> Scalar:
        return self.values["brake"] * smooth_step((t - self.event) / self.values["rise"])
