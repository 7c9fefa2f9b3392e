"""Pedals in a turn, the steering held: braking (ISO 7975), power off (ISO 9816)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.instants import STANDING
from ce_dynamics.models.handling.metrics.turn import TurnReaction, turn_reaction
from ce_dynamics.models.handling.metrics.validity import CREEPING
from ce_dynamics.models.handling.outcome import DEGREES
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import BrakeInTurn, ConstantRadius, Option, PowerOff
from ce_dynamics.models.parts.manoeuvres.base import DIRECTION, FRICTION
from ce_dynamics.views.charts import Chart, Line

LASTS = 4.0
"""Time after the event [s]."""
CIRCLES = (1.0, 15.0), (0.6, 20.0)
"""Ways onto the circle on which the steering is found: at once, or, where that ends early or in a spin,
from a part of the speed; and the time there [s]."""
KEPT = 0.1
"""Allowed deviation from radius and speed of a vehicle that keeps to the circle, in parts of them."""
GATHERED = 0.5
"""Acceleration up to the speed [m/s²]."""


class PowerOffTest(Procedure):
    """On a steady circle the throttle is released; the steering stays as it was."""

    name = "power-off"
    title = "power off in a turn"
    standard = "ISO 9816:2018"
    options: ClassVar[tuple[Option, ...]] = (
        Option("radius", "m", 100.0, "radius of the circle", above=10.0),
        Option("lateral_acceleration", "m/s^2", 5.0, "on the circle", above=0.0),
        DIRECTION,
        FRICTION,
    )
    task: ClassVar[type[PowerOff]] = PowerOff

    def perform(self) -> None:
        v = self.values
        speed = math.sqrt(v["lateral_acceleration"] * v["radius"])
        steer = self.steering_of_circle(speed)
        reactions = []
        for name, pedal in self.levels().items():
            lasts = float(self.task(self.subject.driver).values["start"]) + LASTS
            run = self.run(name, self.task, speed=speed, steer=steer, duration=lasts, more=pedal)
            assert isinstance(run.task, PowerOff)
            self.draw(run, name, run.task.event)
            if not run.trouble:
                reactions.append(self.judge(run, name, run.task.event))
        self.compare(reactions)

    def levels(self) -> dict[str, dict[str, float]]:
        """Return the names of the runs, and the pedals of each."""
        return {"power off": {}}

    def compare(self, reactions: Sequence[TurnReaction]) -> None:
        """Add charts that compare the reactions of several runs; none unless overridden."""

    def steering_of_circle(self, speed: float) -> float:
        """Return the steering input that keeps the vehicle on the circle at a speed [m/s]."""
        v = self.values
        for begin, lasts in CIRCLES:
            self.outcome.runs.clear()  # of the way before
            run = self.run(
                "circle",
                ConstantRadius,
                speed=begin * speed,
                radius=v["radius"],
                direction=v["direction"],
                acceleration=GATHERED,
                top_speed=speed,
                duration=lasts + (1.0 - begin) * speed / GATHERED,
            )
            if run.trouble and (begin, lasts) != CIRCLES[-1]:
                continue
            self.whole(run)
            end = run.t >= run.t[-1] - 1.0
            curvature = float(np.mean(run["yaw_rate"][end] / run.speed[end])) * v["direction"] * v["radius"]
            if abs(curvature - 1.0) <= KEPT and run.speed[end].min() >= (1.0 - KEPT) * speed:
                return float(np.mean(run["steering"][end]))
        raise DataError(
            f"{self.subject.title} does not keep to a circle of {v['radius']:g} m at {speed:.4g} m/s "
            f"({v['lateral_acceleration']:g} m/s²): it drives one of "
            f"{v['radius'] / max(abs(curvature), 1e-9):.4g} m at "
            f"{run.speed[end].mean():.4g} m/s; give a lower lateral acceleration"
        )

    def judge(self, run: Run, name: str, event: float) -> TurnReaction:
        """Return figures of the reaction."""
        out = self.outcome
        slow = run.t[(run.t > event) & (run.speed < CREEPING)]
        until = float(slow[0]) if slow.size else float(run.t[-1])
        found = turn_reaction(
            run.t,
            run.at_centre("x"),
            run.at_centre("y"),
            run.speed,
            run["yaw_rate"],
            run.sideslip,
            run.course,
            event,
            until,
        )
        if not any(figure.key == "radius" for figure in out.figures):
            out.add("radius", "radius before", found.radius, "m")
            out.add(
                "lateral_acceleration", "lateral acceleration before", found.lateral_acceleration, "m/s^2"
            )
            radius = self.values["radius"]
            if abs(radius / found.radius - 1.0) > KEPT:
                out.notes.append(
                    f"with the steering held the vehicle leaves the circle of {radius:g} m before anything "
                    "is pressed or released: it is not stable there; give a lower lateral acceleration"
                )
        key = name.replace(" ", "_").replace("%", "percent")
        out.add(
            f"deceleration_{key}",
            f"{name}: mean deceleration in the first second",
            found.deceleration,
            "m/s^2",
        )
        ratio = "yaw rate after 1 s over that of the circle"
        out.add(f"yaw_rate_ratio_{key}", f"{name}: {ratio}", found.yaw_rate_ratio, "1")
        out.add(
            f"sideslip_change_{key}",
            f"{name}: largest change of side-slip",
            found.sideslip_change,
            "deg",
            DEGREES,
        )
        inside = f"{name}: to the inside of the circle after 1 s"
        out.add(f"path_deviation_{key}", inside, found.path_deviation, "m")
        self.note_violation(run, event)
        return found

    def draw(self, run: Run, name: str, event: float) -> None:
        """Draw yaw rate, side-slip and deceleration from shortly before the event."""
        shown = (run.t >= event - 1.0) & (run.speed > STANDING)
        sign, charts = self.values["direction"], self.outcome.charts
        for title, label, values in (
            ("Yaw rate", "yaw rate [deg/s]", DEGREES * sign * run["yaw_rate"]),
            ("Side-slip", "side-slip angle [deg]", DEGREES * sign * run.sideslip),
            ("Speed", "speed [km/h]", 3.6 * run.speed),
            ("Lateral acceleration", "lateral acceleration [m/s²]", sign * run.ay),
        ):
            line = Line(name if len(self.levels()) > 1 else "", run.t[shown] - event, values[shown])
            drawn = next((k for k, chart in enumerate(charts) if chart.title == title), None)
            if drawn is None:
                charts.append(Chart(title, "time since the event [s]", label, (line,)))
            else:
                charts[drawn] = charts[drawn]._replace(lines=(*charts[drawn].lines, line))


class BrakeInTurnTest(PowerOffTest):
    """On a steady circle the throttle is released and the brake pressed; the steering stays as it was."""

    name = "brake-in-turn"
    title = "braking in a turn"
    standard = "ISO 7975:2019"
    options = (
        *PowerOffTest.options,
        Option("brake", "1", 0.4, "brake pedal in the last run", above=0.0, at_most=1.0),
        Option(
            "levels", "1", 4.0, "number of runs, pedals equally apart", at_least=1.0, at_most=20.0, whole=True
        ),
    )
    task = BrakeInTurn

    def levels(self) -> dict[str, dict[str, float]]:
        n = round(self.values["levels"])
        pedals = [self.values["brake"] * (k + 1) / n for k in range(n)]
        return {f"pedal {100 * pedal:.3g} %": {"brake": pedal} for pedal in pedals}

    def compare(self, reactions: Sequence[TurnReaction]) -> None:
        x = np.array([reaction.deceleration for reaction in reactions])
        ratio = np.array([reaction.yaw_rate_ratio for reaction in reactions])
        inside = np.array([reaction.path_deviation for reaction in reactions])
        turning = "Turning in", "yaw rate after 1 s over the circle's", ratio
        path = "Path", "to the inside after 1 s [m]", inside
        self.outcome.plot("mean deceleration [m/s²]", x, turning, path)
