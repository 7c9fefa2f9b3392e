"""Frequency response to the steering (ISO 7401): a swept sine, a pulse or random steering."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.frequency_response import (
    FrequencyResponse,
    frequency_response,
    is_at_rest,
    shape,
)
from ce_dynamics.models.handling.metrics.step_response import random_response
from ce_dynamics.models.handling.outcome import DEGREES
from ce_dynamics.models.handling.procedure import Procedure, steering_at
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import Option, PulseSteer, RandomSteer, SineSweep
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option, switch
from ce_dynamics.views.charts import Chart, Line

POINTS = 57
"""Frequencies of the response."""
PULLS = (
    "the vehicle pulls aside by itself: half the difference of two runs is taken, the second one steered the "
    "other way"
)


class FrequencyInputTest(Procedure):
    """The steering swings with small amplitude through the frequencies; ratios of spectra follow."""

    name = "frequency-input"
    title = "frequency response to the steering"
    standard = "ISO 7401:2011"
    per_degree: ClassVar[float] = 1.0 / DEGREES
    options: ClassVar[tuple[Option, ...]] = (
        speed_option(80.0 / 3.6),
        Option("lateral_acceleration", "m/s^2", 2.0, "amplitude at low frequency", above=0.0),
        FRICTION,
        switch("pulse", 0.0, "1: a pulse instead of the swept sine"),
        Option("first", "Hz", 0.2, "lowest frequency of the response", above=0.05),
        Option("last", "Hz", 3.0, "highest frequency of the response", above=0.5, at_most=8.0),
        Option("sweep", "s", 30.0, "time the sweep takes", above=10.0),
    )

    def perform(self) -> None:
        v = self.values
        if not v["last"] > v["first"]:
            raise DataError(f"{self.name}: last = {v['last']:g} Hz must be above first = {v['first']:g} Hz")
        steer = steering_at(self, v["speed"], v["lateral_acceleration"])
        run = self.valid(self.excite(steer))
        self.holds_speed(run, 1.0)
        f = np.linspace(v["first"], v["last"], POINTS)
        delta, *responses = changes(run)
        if not all(is_at_rest(response) for response in responses):
            other = changes(self.valid(self.excite(-steer, "-other-way")))
            mine = (delta, *responses)
            delta, *responses = (0.5 * (a - b) for a, b in zip(mine, other, strict=True))
            self.outcome.notes.append(PULLS)
        yaw, ay = (frequency_response(run.t, delta, response, f) for response in responses)
        self.add_figures("yaw_rate", "yaw rate", yaw, 1.0, "1/s")
        self.add_figures("lateral_acceleration", "lateral acceleration", ay, self.per_degree, "m/s^2/deg")
        self.draw(yaw, ay)

    def excite(self, steer: float, more: str = "") -> Run:
        """Return the run, with something added to its name."""
        v = self.values
        if v["pulse"] == 1.0:
            width = 1.0 / v["last"]  # the spectrum of sin² first vanishes at 2/width
            return self.run(
                f"pulse{more}",
                PulseSteer,
                speed=v["speed"],
                steer=steer,
                width=width,
                start=1.0,
                duration=6.0 + width,
            )
        return self.run(
            f"sweep{more}",
            SineSweep,
            speed=v["speed"],
            steer=steer,
            sweep=v["sweep"],
            first=0.5 * v["first"],
            last=1.3 * v["last"],
            start=1.0,
            duration=v["sweep"] + 5.0,
        )

    def add_figures(self, key: str, label: str, found: FrequencyResponse, factor: float, unit: str) -> None:
        """Add the characteristic values of one frequency response to the outcome."""
        out, read = self.outcome, shape(found)
        out.add(
            f"{key}_static_gain", f"{label}: gain at the lowest frequency", read.static_gain, unit, factor
        )
        out.add(f"{key}_resonance", f"{label}: resonance", read.resonance, "Hz")
        out.add(f"{key}_peak_ratio", f"{label}: gain there over the first", read.peak_ratio, "1")
        out.add(f"{key}_bandwidth", f"{label}: bandwidth (−3 dB)", read.bandwidth, "Hz")
        out.add(f"{key}_quarter_turn", f"{label}: lags by 45° at", read.quarter_turn, "Hz")
        out.add(f"{key}_equivalent_delay", f"{label}: equivalent delay", read.equivalent_delay, "s")

    def draw(self, yaw: FrequencyResponse, ay: FrequencyResponse) -> None:
        """Draw gains and phases."""
        self.outcome.plot(
            "frequency [Hz]",
            yaw.frequency,
            ("Yaw rate gain", "yaw rate per road-wheel angle [1/s]", yaw.gain),
            ("Yaw rate phase", "phase [deg]", DEGREES * yaw.phase),
            ("Lateral acceleration gain", "per road-wheel angle [m/s²/deg]", ay.gain / DEGREES),
            ("Lateral acceleration phase", "phase [deg]", DEGREES * ay.phase),
        )


def changes(run: Run) -> tuple[Floats, Floats, Floats]:
    """Return changes of steering, yaw rate and lateral acceleration since the beginning."""
    signals = run.steer, run["yaw_rate"], run.ay
    steer, yaw_rate, ay = (np.asarray(x - x[0]) for x in signals)
    return steer, yaw_rate, ay


BEGIN = 1.0
"""When the steering begins [s]."""
SETTLED = 2.0
"""Time from then on that is left out: the noise comes in, the vehicle settles [s]."""


class RandomInputTest(FrequencyInputTest):
    """Noise of the steering; H1 by Welch's method, and the coherence, which shows what is not linear."""

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
        Option("seed", "1", 1.0, "which noise", at_least=0.0, at_most=1e6, whole=True),
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
        self.add_figures("yaw_rate", "yaw rate", yaw.response, 1.0, "1/s")
        self.add_figures(
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
