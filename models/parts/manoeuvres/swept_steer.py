"""Steering that excites many frequencies: a sine whose frequency rises, a pulse (ISO 7401)."""

from __future__ import annotations

import math

from ce_dynamics.algebra.arrays import Scalar, maximum, minimum, sin
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.driver import DriverParameters, Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    START,
    STEER,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.ramps import smooth_step, unit_clip

FADE = 1.0
"""Time over which the sine comes in and goes out [s]."""


class SineSweep(Manoeuvre):
    """A sine of the steering whose frequency rises linearly; it fades in and out, the speed is held."""

    name = "sine-sweep"
    title = "sinusoidal steering of rising frequency at constant speed"
    options = (
        speed_option(20.0),
        duration_option(34.0),
        FRICTION,
        Option(
            "steer", "1", 0.03, "amplitude, part of full lock, to the left first", at_least=-1.0, at_most=1.0
        ),
        START,
        Option("sweep", "s", 30.0, "time the sweep takes", above=2.0 * FADE),
        Option("first", "Hz", 0.1, "frequency at its beginning", at_least=0.0, at_most=10.0),
        Option("last", "Hz", 4.0, "frequency at its end", above=0.0, at_most=10.0),
    )

    def __init__(self, driver: DriverParameters, **values: float) -> None:
        super().__init__(driver, **values)
        v = self.values
        if not v["last"] > v["first"]:
            raise DataError(f"{self.name}: last = {v['last']:g} Hz must be above first = {v['first']:g} Hz")

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        since = minimum(maximum(t - v["start"], 0.0), v["sweep"])
        rate = (v["last"] - v["first"]) / v["sweep"]
        phase = 2.0 * math.pi * (v["first"] * since + 0.5 * rate * since * since)
        fading = smooth_step(since / FADE) * smooth_step((v["sweep"] - since) / FADE)
        return self._at_speed(v["steer"] * fading * sin(phase), self.speed, sensors)


class PulseSteer(Manoeuvre):
    """One half-wave of sin², there and back; the speed is held."""

    name = "pulse-steer"
    title = "pulse of the steering at constant speed"
    options = (
        speed_option(20.0),
        duration_option(8.0),
        FRICTION,
        STEER,
        START,
        Option("width", "s", 0.4, "time the pulse takes", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        wave = sin(math.pi * unit_clip((t - v["start"]) / v["width"]))
        return self._at_speed(v["steer"] * wave * wave, self.speed, sensors)
