"""Steering given over time while the vehicle coasts: sine with dwell, J-turn, fishhook."""

from __future__ import annotations

import math
from abc import abstractmethod

from ce_dynamics.algebra.arrays import Scalar, cos, where
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    START,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.ramps import unit_clip

STEER = Option(
    "steer", "1", 0.3, "amplitude, part of full lock, first to the left", at_least=-1.0, at_most=1.0
)
RATE = Option("rate", "1/s", 1.3, "rate of the steering, parts of full lock per second", above=0.0)


class Coasting(Manoeuvre):
    """Both pedals are free, the steering is given over time by `steering`."""

    @abstractmethod
    def steering(self, t: Scalar) -> Scalar:
        """The steering at a time [s]."""

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return {"steering": self.steering(t), "throttle": 0.0, "brake": 0.0}


class SineWithDwell(Coasting):
    """A sine of the steering that stays for a while at its second peak (FMVSS 126, UN Regulation 140)."""

    name = "sine-with-dwell"
    title = "sine with dwell, coasting"
    options = (
        speed_option(80.0 / 3.6),
        duration_option(5.5),
        FRICTION,
        STEER,
        START,
        Option("frequency", "Hz", 0.7, "frequency of the sine", above=0.0, at_most=10.0),
        Option("dwell", "s", 0.5, "time at the second peak", at_least=0.0),
    )

    @property
    def reversal(self) -> float:
        """When the steering changes its sign [s]."""
        return self.values["start"] + 0.5 / self.values["frequency"]

    @property
    def end(self) -> float:
        """When the steering is back [s]."""
        return self.values["start"] + 1.0 / self.values["frequency"] + self.values["dwell"]

    def steering(self, t: Scalar) -> Scalar:
        v = self.values
        f = v["frequency"]
        since = t - v["start"]
        turns = where(
            f * since < 0.75,
            f * since,
            where(f * (since - v["dwell"]) < 0.75, 0.75, f * (since - v["dwell"])),
        )
        # sin 2πx = cos(2πx − π/2), whose value at x = 3/4 is exactly −1
        return v["steer"] * cos(2.0 * math.pi * (unit_clip(turns) - 0.25))


class JTurn(Coasting):
    """The steering goes to a value at a constant rate and stays."""

    name = "j-turn"
    title = "J-turn, coasting"
    options = (speed_option(20.0), duration_option(6.0), FRICTION, STEER, START, RATE)

    def steering(self, t: Scalar) -> Scalar:
        v = self.values
        return v["steer"] * unit_clip((t - v["start"]) * v["rate"] / max(abs(v["steer"]), 1e-9))


class Fishhook(Coasting):
    """The steering goes to a value at a constant rate, stays, goes to the opposite one and stays (NHTSA)."""

    name = "fishhook"
    title = "fishhook, coasting"
    options = (
        speed_option(20.0),
        duration_option(8.0),
        FRICTION,
        STEER,
        START,
        RATE,
        Option("dwell", "s", 0.25, "time at the first value", at_least=0.0),
    )

    @property
    def reached(self) -> float:
        """When the first value is reached [s]."""
        return self.values["start"] + abs(self.values["steer"]) / self.values["rate"]

    def steering(self, t: Scalar) -> Scalar:
        v = self.values
        takes = max(abs(v["steer"]) / v["rate"], 1e-9)
        there = unit_clip((t - v["start"]) / takes)
        back = unit_clip(0.5 * (t - self.reached - v["dwell"]) / takes)
        return v["steer"] * (there - 2.0 * back)
