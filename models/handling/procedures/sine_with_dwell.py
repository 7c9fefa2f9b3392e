"""Severe steering: sine with dwell (FMVSS 126, UN Regulation 140), J-turn and fishhook (NHTSA)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ce_dynamics.models.handling.metrics.turn import (
    AT,
    RESPONSIVE,
    STABILITY,
    DwellResponse,
    dwell_response,
    least_displacement,
    wheel_lift,
)
from ce_dynamics.models.handling.outcome import DEGREES, Verdict
from ce_dynamics.models.handling.procedure import LOCK, Procedure, steering_at
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import Fishhook, JTurn, Option, SineWithDwell
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option
from ce_dynamics.views.charts import Chart, Line

REFERENCE = 0.3 * 9.81
"""Lateral acceleration at which the reference amplitude A is taken [m/s²]."""
FIRST, GROWTH, LAST = 1.5, 0.5, 6.5
"""Multiples of A: the first, the step, and the last unless a fixed angle is larger."""
LARGE, LARGEST = math.radians(270.0), math.radians(300.0)
"""Steering-wheel angles: the last one at least, and the one beyond which 6.5 A is cut off to the former."""


DwellRun: TypeAlias = "tuple[float, Run, DwellResponse | None]"
"""Multiple of A, the run with it, and its response unless the run ended early."""


def over_amplitude(found: Mapping[str, list[DwellRun]], name: str, k: int | None = None) -> tuple[Line, ...]:
    """Return a line of each side: a number of the responses over the amplitude."""

    def read(response: DwellResponse | None) -> float:
        if response is None:
            return math.nan
        value = getattr(response, name)
        return float(value if k is None else 100.0 * value[k])

    return tuple(
        Line(side, np.array([m for m, _, _ in ones]), np.array([read(response) for _, _, response in ones]))
        for side, ones in found.items()
    )


class SineWithDwellTest(Procedure):
    """Coasting, the steering swings once with a dwell, to either side, with growing amplitudes."""

    name = "sine-with-dwell"
    title = "sine with dwell"
    standard = "FMVSS 126, UN Regulation 140"
    options = (
        speed_option(80.0 / 3.6),
        FRICTION,
        LOCK,
        Option("growth", "1", GROWTH, "step of the amplitude, multiples of A", above=0.1),
    )

    def perform(self) -> None:
        out, v = self.outcome, self.values
        found: dict[str, list[DwellRun]] = {}
        for side, sign in (("left", 1.0), ("right", -1.0)):
            A = abs(steering_at(self, v["speed"], REFERENCE, sign))
            out.add(f"reference_{side}", f"A, steering wheel at 0.3 g, {side}", A, "deg", DEGREES * v["lock"])
            found[side] = [self.one(side, sign, A, multiple) for multiple in self.multiples(A)]
        self.draw(found)
        self.judge([one for ones in found.values() for one in ones])

    def multiples(self, A: float) -> list[float]:
        """Return multiples of the reference amplitude, a part of full lock."""
        at_wheel = A * self.values["lock"]
        last = LARGE / at_wheel if LAST * at_wheel < LARGE or LAST * at_wheel > LARGEST else LAST
        if last * A > 1.0:
            last = 1.0 / A
            self.outcome.notes.append(f"full lock ends the amplitudes at {last:.3g} A")
        below = np.arange(FIRST, last - 1e-9, self.values["growth"])
        return [*below.tolist(), last]

    def one(self, side: str, sign: float, A: float, multiple: float) -> DwellRun:
        """Make one run; return it with its response unless it ended early."""
        run = self.run(
            f"{side}-{multiple:.3g}A",
            SineWithDwell,
            speed=self.values["speed"],
            steer=sign * min(multiple * A, 1.0),
        )
        task = run.task
        assert isinstance(task, SineWithDwell)
        if run.trouble:
            return multiple, run, None
        self.note_violation(run)
        across = run.at_centre("y")
        response = dwell_response(
            run.t, run["yaw_rate"], across, sign, task.values["start"], task.reversal, task.end
        )
        return multiple, run, response

    def judge(self, runs: list[DwellRun]) -> None:
        """Compute the largest ratios, the smallest displacement, and the criteria."""
        out = self.outcome
        whole = [(multiple, response) for multiple, _, response in runs if response is not None]
        if not whole:
            return
        least = least_displacement(self.subject.mass)
        broken = len(whole) < len(runs)
        for k, (later, most) in enumerate(STABILITY):
            worst = max(response.yaw_rate_ratios[k] for _, response in whole)
            key = f"yaw_rate_ratio_{later:g}s".replace(".", "_")
            out.add(key, f"largest yaw rate {later:g} s after the steering, over its peak", worst, "%", 100.0)
            passed = worst <= most and not broken
            out.verdicts.append(
                Verdict(
                    f"yaw rate {later:g} s after the steering",
                    f"{100 * worst:.3g} %",
                    f"≤ {100 * most:g} %",
                    passed,
                )
            )
        large = [response.displacement for multiple, response in whole if multiple >= RESPONSIVE]
        if large:
            out.add(
                "displacement", f"least displacement after {AT} s from {RESPONSIVE:g} A on", min(large), "m"
            )
        out.verdicts.append(
            Verdict(
                f"displacement {AT} s after the beginning, from {RESPONSIVE:g} A on",
                f"{min(large):.3g} m" if large else "not reached",
                f"≥ {least:g} m",
                min(large) >= least if large else None,
            )
        )
        stable = [multiple for multiple, response in whole if not response.stable]
        if stable:
            out.add("first_unstable", "first unstable amplitude, multiple of A", min(stable), "1")

    def draw(self, found: dict[str, list[DwellRun]]) -> None:
        """Draw ratios and displacements over the amplitude, and the yaw rate at the largest."""
        charts = self.outcome.charts
        over = "steering amplitude, multiple of A"
        for k, (later, most) in enumerate(STABILITY):
            lines = over_amplitude(found, "yaw_rate_ratios", k)
            ends = np.array([min(line.x[0] for line in lines), max(line.x[-1] for line in lines)])
            allowed = Line("allowed", ends, np.full(2, 100.0 * most))
            charts.append(
                Chart(f"Yaw rate after {later:g} s", over, "of its second peak [%]", lines, (allowed,))
            )
        lines = over_amplitude(found, "displacement")
        needed = Line(
            "needed",
            np.array([RESPONSIVE, max(line.x[-1] for line in lines)]),
            np.full(2, least_displacement(self.subject.mass)),
        )
        charts.append(Chart("Displacement", over, f"to the side after {AT} s [m]", lines, (needed,)))
        runs = [ones[-1][1] for ones in found.values()]
        lines = tuple(
            Line(side, run.t, DEGREES * run["yaw_rate"]) for side, run in zip(found, runs, strict=True)
        )
        charts.append(Chart("Yaw rate at the largest amplitude", "time [s]", "yaw rate [deg/s]", lines))


MPH = 0.44704
SLOW_ROLL = math.radians(1.5)
"""Roll rate below which the driver of a fishhook steers back [rad/s]."""


def rollover_options(multiple: float) -> tuple[Option, ...]:
    """Return the options of tests that try to tip a vehicle, by the usual multiple of the amplitude."""
    return (
        speed_option(50.0 * MPH),
        Option("direction", "1", 1.0, "first steering: 1 to the left, -1 to the right", among=(1.0, -1.0)),
        FRICTION,
        LOCK,
        Option("multiple", "1", multiple, "amplitude, multiple of the steering at 0.3 g", above=0.0),
    )


class RolloverTest(Procedure):
    """Steering as a machine does it, with a multiple of what makes 0.3 g at 50 mph."""

    RATE: float

    def perform(self) -> None:
        v = self.values
        A = abs(steering_at(self, 50.0 * MPH, REFERENCE, v["direction"]))
        steer = v["multiple"] * A
        if steer > 1.0:
            self.outcome.notes.append(f"full lock cuts {v['multiple']:g} A off to {1.0 / A:.3g} A")
            steer = 1.0
        self.outcome.add("steer", "steering-wheel angle", steer, "deg", DEGREES * v["lock"])
        run = self.run_steered(v["direction"] * steer, self.RATE / v["lock"])
        self.judge(run)
        self.note_violation(run)
        self.draw(run)
        if run.trouble and self.outcome.verdicts and self.outcome.verdicts[-1].passed is False:
            self.note_early_end(run)

    @abstractmethod
    def run_steered(self, steer: float, rate: float) -> Run:
        """Return the run that is judged."""

    def judge(self, run: Run) -> None:
        """Load transfer and lift-off; a run that ended early after a lift-off has rolled over."""
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
        """Draw steering, roll, lateral acceleration and loads of the sides."""
        self.outcome.plot(
            "time [s]",
            run.t,
            ("Steering", "steering wheel [deg]", DEGREES * self.values["lock"] * run["steering"]),
            ("Roll", "roll angle [deg]", DEGREES * run.roll),
            ("Lateral acceleration", "lateral acceleration [m/s²]", run.ay),
        )
        sides = self.subject.side_loads(run.record)
        if sides is not None:
            lines = tuple(
                Line(name, run.t, 1e-3 * load.sum(axis=1))
                for name, load in zip(("left", "right"), sides, strict=True)
            )
            self.outcome.charts.append(Chart("Loads of the sides", "time [s]", "vertical load [kN]", lines))


class JTurnTest(RolloverTest):
    """One fast turn of the steering wheel, held."""

    name = "j-turn"
    title = "J-turn"
    standard = "NHTSA Phase IV"
    options = rollover_options(8.0)
    RATE = math.radians(1000.0)

    def run_steered(self, steer: float, rate: float) -> Run:
        return self.run("j-turn", JTurn, speed=self.values["speed"], steer=steer, rate=rate)


class FishhookTest(RolloverTest):
    """Steering to one side, and as soon as the vehicle has stopped rolling to the other."""

    name = "fishhook"
    title = "fishhook"
    standard = "NHTSA NCAP"
    options = rollover_options(6.5)
    RATE = math.radians(720.0)

    def run_steered(self, steer: float, rate: float) -> Run:
        speed = self.values["speed"]
        first = self.run("first-steering", JTurn, speed=speed, steer=steer, rate=rate, duration=4.0)
        if first.trouble:
            return first
        begin = 1.0 + abs(steer) / rate
        dwell = self.time_to_settle(first, begin)
        self.outcome.add("dwell", "time until the roll stops", dwell, "s")
        return self.run("fishhook", Fishhook, speed=speed, steer=steer, rate=rate, dwell=dwell)

    def time_to_settle(self, run: Run, begin: float) -> float:
        """Return the time from `begin` until the roll rate falls to 1.5°/s [s]; 0 if it never does."""
        rate = np.abs(np.gradient(run.roll, run.t))
        later = run.t >= begin
        slow = np.flatnonzero(later & (rate <= SLOW_ROLL))
        return float(run.t[slow[0]] - begin) if slow.size else 0.0
