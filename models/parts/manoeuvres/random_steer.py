"""Random steering at constant speed (ISO 7401): all frequencies of a band at once."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, sin
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.driver import DriverParameters, Sensors
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    START,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.manoeuvres.swept_steer import FADE
from ce_dynamics.models.parts.ramps import smooth_step

WAVES = 96
"""Sines of which the noise is made."""


class RandomSteer(Manoeuvre):
    """Noise of a flat spectrum within a band: equal sines, each somewhere in its part of the band.

    The same seed is the same noise.  The standard deviation of the steering is ``steer``.
    """

    name = "random-steer"
    title = "random steering at constant speed"
    options = (
        speed_option(20.0),
        duration_option(121.0),
        FRICTION,
        Option("steer", "1", 0.02, "standard deviation, part of full lock", above=0.0, at_most=0.2),
        START,
        Option("first", "Hz", 0.1, "lowest frequency", above=0.0, at_most=10.0),
        Option("last", "Hz", 4.0, "highest frequency", above=0.0, at_most=10.0),
        Option("seed", "1", 1.0, "which noise", at_least=0.0, at_most=1e6),
    )

    def __init__(self, driver: DriverParameters, **values: float) -> None:
        super().__init__(driver, **values)
        v = self.values
        if not v["last"] > v["first"]:
            raise DataError(f"{self.name}: last = {v['last']:g} Hz must be above first = {v['first']:g} Hz")
        if v["seed"] != int(v["seed"]):
            raise DataError(f"{self.name}: seed = {v['seed']:g} must be a whole number")
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
