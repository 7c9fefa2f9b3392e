"""Cornering on a circle."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, minimum
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.paths import CirclePath, Path


class ConstantRadius(Manoeuvre):
    """A circle, at constant or slowly rising speed (as ISO 4138)."""

    name = "constant-radius"
    title = "steady-state cornering on a circle"
    options = (
        speed_option(8.0),
        duration_option(15.0),
        FRICTION,
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
                f"{self.name}: top_speed = {v['top_speed']:g} m/s must be at least speed = {v['speed']:g} m/s"
            )
        return CirclePath(v["direction"] * v["radius"])

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        target: Scalar = self.speed
        if v["acceleration"] > 0.0:
            target = minimum(self.speed + v["acceleration"] * t, v["top_speed"])
        return self._at_speed(self._follow(sensors), target, sensors)
