"""Steering given over time, at constant speed."""

from __future__ import annotations

import math

from ce_dynamics.algebra.arrays import Scalar, sin, where
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    START,
    STEER,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.ramps import smooth_step


class StepSteer(Manoeuvre):
    """The steering goes to a constant value within the rise time; the speed is held."""

    name = "step-steer"
    title = "step steer at constant speed"
    options = (
        speed_option(12.0),
        duration_option(6.0),
        FRICTION,
        STEER,
        START,
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
        speed_option(12.0),
        duration_option(8.0),
        FRICTION,
        STEER,
        START,
        Option("frequency", "Hz", 0.5, "frequency of the steering", above=0.0, at_most=10.0),
        Option("periods", "1", 2.0, "number of periods", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        phase = v["frequency"] * (t - v["start"])
        active = where(phase < 0.0, 0.0, where(phase > v["periods"], 0.0, 1.0))
        return self._at_speed(active * v["steer"] * sin(2.0 * math.pi * phase), self.speed, sensors)
