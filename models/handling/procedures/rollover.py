"""Severe steering while coasting: J-turn and fishhook (NHTSA), judged by wheels that lift off."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from ce_dynamics.models.handling.metrics.rollover import wheel_lift
from ce_dynamics.models.handling.outcome import DEGREES, Chart, Line, Verdict
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.sine_with_dwell import REFERENCE
from ce_dynamics.models.handling.procedures.steering_ramp import steering_at
from ce_dynamics.models.handling.procedures.steering_wheel import LOCK
from ce_dynamics.models.handling.run import Run
from ce_dynamics.models.parts.manoeuvres import Fishhook, JTurn, Option
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option

MPH = 0.44704
SLOW_ROLL = math.radians(1.5)
"""Roll rate below which the driver of a fishhook steers back [rad/s]."""
SIDE = Option(
    "direction", "1", 1.0, "first steering: 1 to the left, -1 to the right", at_least=-1.0, at_most=1.0
)


class RolloverTest(Procedure):
    """Steering as a machine does it, with a multiple of what makes 0.3 g at 50 mph."""

    MULTIPLE: float
    RATE: float

    def perform(self) -> None:
        v = self.values
        A = abs(steering_at(self, 50.0 * MPH, REFERENCE, v["direction"]))
        steer = v["multiple"] * A
        if steer > 1.0:
            self.outcome.notes.append(f"full lock cuts {v['multiple']:g} A off to {1.0 / A:.3g} A")
            steer = 1.0
        self.outcome.add("steer", "steering-wheel angle", steer, "deg", DEGREES * v["lock"])
        run = self.steered(v["direction"] * steer, self.RATE / v["lock"])
        self.judge(run)
        self.note_violation(run)
        self.draw(run)

    @abstractmethod
    def steered(self, steer: float, rate: float) -> Run:
        """The run that is judged."""

    def judge(self, run: Run) -> None:
        """Load transfer and lift-off; a run that ended early has rolled over if it rolled."""
        out = self.outcome
        out.add("lateral_acceleration", "largest lateral acceleration", float(abs(run.ay).max()), "m/s^2")
        out.add("yaw_rate", "largest yaw rate", float(abs(run["yaw_rate"]).max()), "deg/s", DEGREES)
        sides = self.subject.side_loads(run.record)
        if sides is None:
            return
        found = wheel_lift(run.t, *sides, run.roll)
        out.add("load_transfer", "largest load transfer", found.load_transfer, "%", 100.0)
        out.add("lifted_time", "all wheels of a side off the road for", found.lifted_time, "s")
        out.add("roll", "largest roll angle", found.largest_roll, "deg", DEGREES)
        lifted = found.lifted_time > 0.0
        reached = "lift-off" if lifted else f"{100 * found.load_transfer:.3g} % of the load transferred"
        out.verdicts.append(
            Verdict("two-wheel lift", reached, "none", None if run.trouble and not lifted else not lifted)
        )

    def draw(self, run: Run) -> None:
        """Steering, roll, lateral acceleration, loads of the sides."""
        charts = self.outcome.charts
        for title, label, values in (
            ("Steering", "steering wheel [deg]", DEGREES * self.values["lock"] * run["steering"]),
            ("Roll", "roll angle [deg]", DEGREES * run.roll),
            ("Lateral acceleration", "lateral acceleration [m/s²]", run.ay),
        ):
            charts.append(Chart(title, "time [s]", label, (Line("", run.t, values),)))
        sides = self.subject.side_loads(run.record)
        if sides is not None:
            lines = tuple(
                Line(name, run.t, 1e-3 * load.sum(axis=1))
                for name, load in zip(("left", "right"), sides, strict=True)
            )
            charts.append(Chart("Loads of the sides", "time [s]", "vertical load [kN]", lines))


class JTurnTest(RolloverTest):
    """One fast turn of the steering wheel, held."""

    name = "j-turn"
    title = "J-turn"
    standard = "NHTSA Phase IV"
    options = (
        speed_option(50.0 * MPH),
        SIDE,
        FRICTION,
        LOCK,
        Option("multiple", "1", 8.0, "amplitude, multiple of the steering at 0.3 g", above=0.0),
    )
    RATE = math.radians(1000.0)

    def steered(self, steer: float, rate: float) -> Run:
        return self.run("j-turn", JTurn, speed=self.values["speed"], steer=steer, rate=rate)


class FishhookTest(RolloverTest):
    """Steering to one side, and as soon as the vehicle has stopped rolling to the other."""

    name = "fishhook"
    title = "fishhook"
    standard = "NHTSA NCAP"
    options = (
        speed_option(50.0 * MPH),
        SIDE,
        FRICTION,
        LOCK,
        Option("multiple", "1", 6.5, "amplitude, multiple of the steering at 0.3 g", above=0.0),
    )
    RATE = math.radians(720.0)

    def steered(self, steer: float, rate: float) -> Run:
        speed = self.values["speed"]
        first = self.run("first-steering", JTurn, speed=speed, steer=steer, rate=rate, duration=4.0)
        begin = 1.0 + abs(steer) / rate
        dwell = self.dwell(first, begin)
        self.outcome.add("dwell", "time until the roll stops", dwell, "s")
        return self.run("fishhook", Fishhook, speed=speed, steer=steer, rate=rate, dwell=dwell)

    def dwell(self, run: Run, begin: float) -> float:
        """Return the time from `begin` until the roll rate falls to 1.5°/s [s]; 0 if it never does."""
        rate = np.abs(np.gradient(run.roll, run.t))
        later = run.t >= begin
        slow = np.flatnonzero(later & (rate <= SLOW_ROLL))
        return float(run.t[slow[0]] - begin) if slow.size else 0.0
