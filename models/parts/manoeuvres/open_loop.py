"""Manoeuvres with steering given over time: steps, ramps, sines, pulses, random and severe steering."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, cos, maximum, minimum, sin, where
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option
from ce_dynamics.models.parts.driver import Driver, Sensors
from ce_dynamics.models.parts.manoeuvres.base import START, STEER, Manoeuvre, basic_options
from ce_dynamics.models.parts.rounding import smooth_step, unit_clip


class StepSteer(Manoeuvre):
    """The steering rises to a constant value within the rise time; the speed is held."""

    name = "step-steer"
    title = "step steer at constant speed"
    options = (
        *basic_options(12.0, 6.0),
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
        *basic_options(12.0, 8.0),
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


class RampSteer(Manoeuvre):
    """The steering rises at a constant rate up to a value, the speed is held (ISO 4138, constant speed)."""

    name = "ramp-steer"
    title = "slowly rising steering at constant speed"
    options = (
        *basic_options(20.0, 30.0),
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
    """The steering rises to a value and stays, then the speed rises (ISO 4138, constant steering angle)."""

    name = "constant-steer"
    title = "constant steering at slowly rising speed"
    options = (
        *basic_options(4.0, 60.0),
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


FADE = 1.0
"""Time over which the sine comes in and goes out [s]."""


class SineSweep(Manoeuvre):
    """A sine of the steering whose frequency rises linearly; it fades in and out, the speed is held."""

    name = "sine-sweep"
    title = "sinusoidal steering of rising frequency at constant speed"
    options = (
        *basic_options(20.0, 34.0),
        Option(
            "steer", "1", 0.03, "amplitude, part of full lock, to the left first", at_least=-1.0, at_most=1.0
        ),
        START,
        Option("sweep", "s", 30.0, "time the sweep takes", above=2.0 * FADE),
        Option("first", "Hz", 0.1, "frequency at its beginning", at_least=0.0, at_most=10.0),
        Option("last", "Hz", 4.0, "frequency at its end", above=0.0, at_most=10.0),
    )

    def __init__(self, driver: Driver, **values: float) -> None:
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
        *basic_options(20.0, 8.0),
        STEER,
        START,
        Option("width", "s", 0.4, "time the pulse takes", above=0.0),
    )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        wave = sin(math.pi * unit_clip((t - v["start"]) / v["width"]))
        return self._at_speed(v["steer"] * wave * wave, self.speed, sensors)


WAVES = 96
"""Sines of which the noise is made."""


class RandomSteer(Manoeuvre):
    """Noise of a flat spectrum within a band: equal sines, each somewhere in its part of the band.

    The same seed is the same noise.  The standard deviation of the steering is ``steer``.
    """

    name = "random-steer"
    title = "random steering at constant speed"
    options = (
        *basic_options(20.0, 121.0),
        Option("steer", "1", 0.02, "standard deviation, part of full lock", above=0.0, at_most=0.2),
        START,
        Option("first", "Hz", 0.1, "lowest frequency", above=0.0, at_most=10.0),
        Option("last", "Hz", 4.0, "highest frequency", above=0.0, at_most=10.0),
        Option("seed", "1", 1.0, "which noise", at_least=0.0, at_most=1e6, whole=True),
    )

    def __init__(self, driver: Driver, **values: float) -> None:
        super().__init__(driver, **values)
        v = self.values
        if not v["last"] > v["first"]:
            raise DataError(f"{self.name}: last = {v['last']:g} Hz must be above first = {v['first']:g} Hz")
        rng = np.random.default_rng(int(v["seed"]))
        width = (v["last"] - v["first"]) / WAVES
        self.frequencies = v["first"] + width * (np.arange(WAVES) + rng.uniform(size=WAVES))
        self.phases = rng.uniform(0.0, 2.0 * math.pi, WAVES)

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        since = t - v["start"]
        pairs = zip((2.0 * math.pi * self.frequencies).tolist(), self.phases.tolist(), strict=True)
        noise = sum(sin(omega * since + phase) for omega, phase in pairs)
        fading = smooth_step(since / FADE)
        return self._at_speed(v["steer"] * math.sqrt(2.0 / WAVES) * fading * noise, self.speed, sensors)


SEVERE = Option(
    "steer", "1", 0.3, "amplitude, part of full lock, first to the left", at_least=-1.0, at_most=1.0
)
RATE = Option("rate", "1/s", 1.3, "rate of the steering, parts of full lock per second", above=0.0)


class Coasting(Manoeuvre):
    """Both pedals are free, the steering is given over time by `steering`."""

    @abstractmethod
    def steering(self, t: Scalar) -> Scalar:
        """Return the steering at a time [s]."""

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return {"steering": self.steering(t), "throttle": 0.0, "brake": 0.0}


class SineWithDwell(Coasting):
    """A sine of the steering that stays for a while at its second peak (FMVSS 126, UN Regulation 140)."""

    name = "sine-with-dwell"
    title = "sine with dwell, coasting"
    options = (
        *basic_options(80.0 / 3.6, 5.5),
        SEVERE,
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
    """The steering rises to a value at a constant rate and stays."""

    name = "j-turn"
    title = "J-turn, coasting"
    options = (*basic_options(20.0, 6.0), SEVERE, START, RATE)

    def steering(self, t: Scalar) -> Scalar:
        v = self.values
        return v["steer"] * unit_clip((t - v["start"]) * v["rate"] / max(abs(v["steer"]), 1e-9))


class Fishhook(Coasting):
    """The steering rises to a value at a constant rate, stays, then the same at the opposite one (NHTSA)."""

    name = "fishhook"
    title = "fishhook, coasting"
    options = (
        *basic_options(20.0, 8.0),
        SEVERE,
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
