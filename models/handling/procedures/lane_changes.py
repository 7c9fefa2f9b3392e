"""Lane changes between cones (ISO 3888): the highest speed without touching one."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ce_dynamics.models.handling.outcome import DEGREES, FINE, decimate
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, ObstacleAvoidance, Option
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option, switch
from ce_dynamics.models.vehicles.driving import clearance
from ce_dynamics.views.charts import Chart, Line

BEYOND = 20.0
"""Way behind the last gate [m]."""
SEARCH = switch("search", 1.0, "1: look for the highest speed without touching a cone; 0: one run")
FINENESS = Option("fineness", "m/s", 0.5, "how close the highest speed is looked for", above=0.0)
PRACTICE = switch("practice", 0.0, "1: the driver model has practised each run; 0: it has not")
WIDTH = Option("vehicle_width", "m", 1.8, "width of the vehicle, which sets the lanes' widths", above=0.0)
FASTEST = 45.0
"""Speed up to which is searched [m/s]."""


class DoubleLaneChangeTest(Procedure):
    """The path-following driver takes the lanes; the speed at the entry is raised until a cone falls."""

    name = "double-lane-change"
    title = "double lane change"
    standard = "ISO 3888-1:2018"
    options: ClassVar[tuple[Option, ...]] = (
        speed_option(80.0 / 3.6),
        FRICTION,
        WIDTH,
        SEARCH,
        FINENESS,
        PRACTICE,
    )
    task: ClassVar[type[DoubleLaneChange]] = DoubleLaneChange
    SLOWEST = 8.0
    """Speed from which is searched [m/s]."""
    PATIENCE = 1.25
    """Time given, over what the distance takes at the speed of the entry."""

    def perform(self) -> None:
        v = self.values
        run = self.find_fastest() if v["search"] == 1.0 else self.at_speed(v["speed"])
        if run is None:
            return
        out = self.outcome
        self.note_violation(run)
        out.add("entry_speed", "speed at the entry", run.task.speed, "km/h", 3.6)
        out.add("exit_speed", "speed at the exit", self.exit_speed(run), "km/h", 3.6)
        out.add("clearance", "least distance from a cone", self.clearance(run), "m")
        out.add("lateral_acceleration", "largest lateral acceleration", float(abs(run.ay).max()), "m/s^2")
        out.add("yaw_rate", "largest yaw rate", float(abs(run["yaw_rate"]).max()), "deg/s", DEGREES)
        out.add("roll", "largest roll angle", float(abs(run.roll).max()), "deg", DEGREES)
        out.add("sideslip", "largest side-slip angle", float(abs(run.sideslip).max()), "deg", DEGREES)
        self.draw(run)

    def at_speed(self, speed: float) -> Run:
        """Return a run at a speed [m/s]."""
        task = self.subject.manoeuvre(self.task, speed=speed, vehicle_width=self.values["vehicle_width"])
        assert isinstance(task, DoubleLaneChange)
        lasts = (task.gates[-1].end + BEYOND) / speed
        return self.run(
            f"{3.6 * speed:.4g}-km-h",
            self.task,
            speed=speed,
            duration=self.PATIENCE * lasts,
            vehicle_width=self.values["vehicle_width"],
            practised=self.values.get("practice") == 1.0,
        )

    def exit_speed(self, run: Run) -> float:
        """Return the speed at the end of the last gate [m/s], NaN short of it."""
        assert isinstance(run.task, DoubleLaneChange)
        beyond = run["x"] >= run.task.gates[-1].end
        return float(run.speed[int(np.argmax(beyond))]) if beyond.any() else math.nan

    def clearance(self, run: Run) -> float:
        """Return least distance from the cones [m]: negative where they fall, NaN short of the last gate."""
        assert isinstance(run.task, DoubleLaneChange)
        gates = run.task.gates
        if run.trouble or run["x"][-1] < gates[-1].end:
            return math.nan
        return clearance(self.subject.axle_paths(run.record), self.values["vehicle_width"], gates)

    def has_passed(self, run: Run) -> bool:
        """Return True if all cones stand."""
        return self.clearance(run) >= 0.0

    def find_fastest(self) -> Run | None:
        """Return the fastest run without a fallen cone, by bisection; the runs that failed are kept as such.

        None if even the slowest knocks cones over.
        """
        best = self.at_speed(self.SLOWEST)
        if not self.has_passed(best):
            if math.isnan(self.clearance(best)):
                what = "does not get to the last gate at {}; give search = 0 and a higher speed"
            else:
                what = "knocks cones over at {} already: the path-following driver does not get it through"
            self.outcome.trouble = f"{self.subject.title} {what.format(f'{3.6 * self.SLOWEST:.3g} km/h')}"
            return None
        low, high = self.SLOWEST, FASTEST
        while high - low > self.values["fineness"]:
            middle = 0.5 * (low + high)
            run = self.at_speed(middle)
            if self.has_passed(run):
                low, best = middle, run
            else:
                high = middle
                self.outcome.runs.remove(run)
        self.outcome.notes.append(
            f"at {3.6 * high:.4g} km/h a cone falls; the driver is the path-following one"
            + (", who has practised" if self.values.get("practice") == 1.0 else ", another may do better")
        )
        return best

    def draw(self, run: Run) -> None:
        """Draw the path between the cones, steering and lateral acceleration."""
        charts = self.outcome.charts
        assert isinstance(run.task, DoubleLaneChange)
        edges = [
            Line("lane", np.array([gate.start, gate.end]), np.array([y, y]))
            for gate in run.task.gates
            for y in (gate.left, gate.right)
        ]
        path = Line("", *decimate(run["x"], run["y"]))
        charts.append(Chart("Path", "x [m]", "y [m]", (path,), tuple(edges)))
        steering = "Steering", "road-wheel angle [deg]", DEGREES * run.steer
        across = "Lateral acceleration", "lateral acceleration [m/s²]", run.ay
        self.outcome.plot("x [m]", run["x"], steering, across, most=FINE)


class ObstacleAvoidanceTest(DoubleLaneChangeTest):
    """The shorter and narrower lanes of part 2, the throttle released at the entry."""

    name = "obstacle-avoidance"
    title = "obstacle avoidance"
    standard = "ISO 3888-2:2011"
    options = (speed_option(60.0 / 3.6), FRICTION, WIDTH, SEARCH, FINENESS)
    task = ObstacleAvoidance
    SLOWEST = 9.0
    PATIENCE = 2.5
