"""Step of the steering (ISO 7401)."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.models.handling.metrics.step_response import StepResponse, step_response, tb_factor
from ce_dynamics.models.handling.outcome import DEGREES, Chart, Line
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.cornering import DIRECTION
from ce_dynamics.models.handling.procedures.steering_ramp import steering_at
from ce_dynamics.models.parts.manoeuvres import Option, StepSteer
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option

START = 1.0


class StepInputTest(Procedure):
    """The steering is turned as fast as a driver can to what makes a given lateral acceleration."""

    name = "step-input"
    title = "step of the steering"
    standard = "ISO 7401:2011"
    options = (
        speed_option(80.0 / 3.6),
        Option("lateral_acceleration", "m/s^2", 4.0, "steady lateral acceleration", above=0.0),
        DIRECTION,
        FRICTION,
        Option("rise", "s", 0.15, "time the steering takes", above=0.0),
        Option("settling", "s", 4.0, "time given to become steady", above=1.0),
    )

    def perform(self) -> None:
        v, out = self.values, self.outcome
        steer = steering_at(self, v["speed"], v["lateral_acceleration"], v["direction"])
        run = self.run(
            "step",
            StepSteer,
            speed=v["speed"],
            steer=steer,
            start=START,
            rise=v["rise"],
            duration=START + v["rise"] + v["settling"],
        )
        self.draw()
        self.valid(run, START)
        self.holds_speed(run, START)
        t, delta = run.t, run.steer
        yaw = step_response(t, delta, run["yaw_rate"])
        ay = step_response(t, delta, run.ay)
        out.add("steer", "steady road-wheel angle", float(delta[-1]), "deg", DEGREES)
        out.add("lateral_acceleration", "steady lateral acceleration", abs(ay.steady), "m/s^2")
        out.add("yaw_rate_gain", "yaw rate gain", yaw.gain, "1/s")
        out.add("lateral_acceleration_gain", "lateral acceleration gain", ay.gain / DEGREES, "m/s^2/deg")
        self.times("yaw_rate", "yaw rate", yaw)
        self.times("lateral_acceleration", "lateral acceleration", ay)
        if np.any(run.roll):
            roll = step_response(t, delta, run.roll)
            out.add("roll", "steady roll angle", abs(roll.steady), "deg", DEGREES)
            self.times("roll", "roll", roll)
        beta = float(run.sideslip[t >= t[-1] - 0.5].mean())
        out.add("sideslip", "steady side-slip angle", beta * math.copysign(1.0, delta[-1]), "deg", DEGREES)
        out.add("tb_factor", "TB factor", tb_factor(beta, yaw.peak_time), "deg*s", DEGREES)

    def times(self, key: str, label: str, found: StepResponse) -> None:
        """Figures of one signal."""
        self.outcome.add(f"{key}_response_time", f"{label}: response time (90 %)", found.response_time, "s")
        self.outcome.add(f"{key}_peak_time", f"{label}: peak response time", found.peak_time, "s")
        self.outcome.add(f"{key}_overshoot", f"{label}: overshoot", found.overshoot, "%", 100.0)

    def draw(self) -> None:
        """Signals over time."""
        run = self.outcome.runs[-1]
        for title, label, values in (
            ("Yaw rate", "yaw rate [deg/s]", DEGREES * run["yaw_rate"]),
            ("Lateral acceleration", "lateral acceleration [m/s²]", run.ay),
            ("Roll", "roll angle [deg]", DEGREES * run.roll),
            ("Side-slip", "side-slip angle [deg]", DEGREES * run.sideslip),
        ):
            line = Line("", run.t - START, values)
            self.outcome.charts.append(Chart(title, "time since the steering begins [s]", label, (line,)))
