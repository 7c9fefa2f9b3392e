"""Steering that rises slowly, or stays while the speed rises: quasi-steady cornering (ISO 4138)."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, maximum, minimum
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


class RampSteer(Manoeuvre):
    """The steering rises at a constant rate up to a value, the speed is held (ISO 4138, constant speed)."""

    name = "ramp-steer"
    title = "slowly rising steering at constant speed"
    options = (
        speed_option(20.0),
        duration_option(30.0),
        FRICTION,
        STEER,
        START,
        Option("rate", "1/s", 0.01, "rate of the steering, parts of full lock per second", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        sign = 1.0 if v["steer"] >= 0.0 else -1.0
        steering = sign * minimum(v["rate"] * maximum(t - v["start"], 0.0), abs(v["steer"]))
        return self._at_speed(steering, self.speed, sensors)


class ConstantSteer(Manoeuvre):
    """The steering goes to a value and stays, then the speed rises (ISO 4138, constant steering angle)."""

    name = "constant-steer"
    title = "constant steering at slowly rising speed"
    options = (
        speed_option(4.0),
        duration_option(60.0),
        FRICTION,
        STEER,
        Option("rise", "s", 3.0, "time the steering takes", above=0.0),
        Option("start", "s", 6.0, "time from which the speed is raised", at_least=0.0),
        Option("acceleration", "m/s^2", 0.2, "rate at which the speed is raised", at_least=0.0),
        Option("top_speed", "m/s", 30.0, "speed at which it is raised no further", above=0.0, at_most=60.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        target = minimum(self.speed + v["acceleration"] * maximum(t - v["start"], 0.0), v["top_speed"])
        return self._at_speed(v["steer"] * smooth_step(t / v["rise"]), target, sensors)
