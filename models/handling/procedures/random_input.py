"""Frequency response to random steering (ISO 7401)."""

from __future__ import annotations

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.random_response import random_response
from ce_dynamics.models.handling.outcome import Chart, Line
from ce_dynamics.models.handling.procedures.frequency_input import FrequencyInputTest
from ce_dynamics.models.handling.procedures.steering_ramp import steering_at
from ce_dynamics.models.parts.manoeuvres import Option, RandomSteer
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option

BEGIN = 1.0
"""When the steering begins [s]."""
SETTLED = 2.0
"""Time from then on that is left out: the noise comes in, the vehicle settles [s]."""


class RandomInputTest(FrequencyInputTest):
    """Noise of the steering; H1 by Welch's method, and the coherence, which tells what is not linear."""

    name = "random-input"
    title = "frequency response to random steering"
    options = (
        speed_option(80.0 / 3.6),
        Option("lateral_acceleration", "m/s^2", 1.0, "standard deviation at low frequency", above=0.0),
        FRICTION,
        Option("first", "Hz", 0.2, "lowest frequency of the response", above=0.05),
        Option("last", "Hz", 3.0, "highest frequency of the response", above=0.5, at_most=8.0),
        Option("record", "s", 240.0, "length of the record", above=20.0),
        Option("segment", "s", 20.0, "length of the segments that are averaged", above=1.0),
        Option("seed", "1", 1.0, "which noise", at_least=0.0, at_most=1e6),
    )

    def perform(self) -> None:
        v = self.values
        if not v["last"] > v["first"]:
            raise DataError(f"{self.name}: last = {v['last']:g} Hz must be above first = {v['first']:g} Hz")
        steer = steering_at(self, v["speed"], v["lateral_acceleration"])
        run = self.valid(
            self.run(
                "noise",
                RandomSteer,
                speed=v["speed"],
                steer=steer,
                first=0.5 * v["first"],
                last=1.3 * v["last"],
                seed=v["seed"],
                start=BEGIN,
                duration=BEGIN + SETTLED + v["record"],
            )
        )
        self.holds_speed(run, BEGIN)
        used = run.t >= BEGIN + SETTLED
        band = v["first"], v["last"], v["segment"]
        yaw = random_response(run.t[used], run.steer[used], run["yaw_rate"][used], *band)
        ay = random_response(run.t[used], run.steer[used], run.ay[used], *band)
        self.figures("yaw_rate", "yaw rate", yaw.response, 1.0, "1/s")
        self.figures(
            "lateral_acceleration", "lateral acceleration", ay.response, self.per_degree, "m/s^2/deg"
        )
        self.outcome.add("segments", "segments that were averaged", float(yaw.segments), "1")
        for key, label, found in (
            ("yaw_rate", "yaw rate", yaw),
            ("lateral_acceleration", "lateral acceleration", ay),
        ):
            self.outcome.add(
                f"{key}_coherence", f"{label}: least coherence", float(found.coherence.min()), "1"
            )
        self.draw(yaw.response, ay.response)
        lines = tuple(
            Line(label, found.response.frequency, found.coherence)
            for label, found in (("yaw rate", yaw), ("lateral acceleration", ay))
        )
        self.outcome.charts.append(Chart("Coherence", "frequency [Hz]", "coherence", lines))
