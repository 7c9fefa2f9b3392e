"""Along a straight line: braking to rest, also with one side on slippery ground, and accelerating."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ce_dynamics.models.handling.metrics.instants import STANDING, braking, time_over, times_to
from ce_dynamics.models.handling.outcome import DEGREES, FINE
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import Braking, Option, SplitBraking, StraightAcceleration
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option
from ce_dynamics.models.parts.manoeuvres.straight import CORRECTS, SLIPPERY

BEGIN = 1.0
LOCKED = 0.2
"""Speed of a wheel's tread over the vehicle's, below which the wheel counts as locked."""
PEDAL = Option("brake", "1", 1.0, "brake pedal", above=0.0, at_most=1.0)


class BrakingTest(Procedure):
    """The pedal is pressed on a straight line and stays."""

    name = "braking"
    title = "straight-line braking"
    standard = "ISO 21994:2007"
    options: ClassVar[tuple[Option, ...]] = (speed_option(100.0 / 3.6), FRICTION, PEDAL)
    task: ClassVar[type[Braking]] = Braking

    def perform(self) -> None:
        v = self.values
        mu = min(v["friction"], v.get("slippery", v["friction"]))
        lasts = BEGIN + 2.0 + 2.5 * v["speed"] / (0.5 * (mu + v["friction"]) * self.subject.gravity)
        run = self.run(
            "braking",
            self.task,
            speed=v["speed"],
            brake=v["brake"],
            start=BEGIN,
            duration=lasts,
            more=self.extra_options(),
        )
        self.draw(run)
        self.holds_speed(run, BEGIN)
        found = braking(run.t, run.speed, BEGIN)
        out = self.outcome
        out.add("distance", "braking distance", found.distance, "m")
        out.add("time", "braking time", found.time, "s")
        out.add("mean_deceleration", "mean fully developed deceleration", found.mean_deceleration, "m/s^2")
        moving = run.speed > 5.0
        out.add("deviation", "largest deviation from the line", float(abs(run.at_centre("y")).max()), "m")
        out.add("yaw", "largest yaw angle", float(abs(run["yaw"]).max()), "deg", DEGREES)
        steered = float(abs(run.steer[moving]).max()) if moving.any() else math.nan
        out.add("steer", "largest road-wheel angle", steered, "deg", DEGREES)
        self.note_locked_wheels(run)
        wrong = run.violation()
        if wrong is not None and not run.trouble:
            out.trouble = f"{self.subject.title}, run '{run.name}': {wrong.condition}"
        elif math.isnan(found.distance) and not run.trouble:
            left = f"{run.speed[-1]:.3g} m/s are left"
            who = self.subject.title
            out.trouble = f"{who} does not come to rest within {run.t[-1]:.3g} s: {left}"

    def extra_options(self) -> dict[str, float]:
        """Return options of the manoeuvre beyond those of braking."""
        return {}

    def note_locked_wheels(self, run: Run) -> None:
        """Add a note of the wheels that lock at speeds above 5 m/s."""
        if "tyre_bounded_slip" not in run.record:
            return
        slip, corners = run["tyre_bounded_slip"], run.record["corner"].values
        moving = run.speed > 5.0
        wheels = [str(corner) for k, corner in enumerate(corners) if np.any(slip[moving, k] < LOCKED - 1.0)]
        if wheels:
            self.outcome.notes.append(f"wheels that lock: {', '.join(w.replace('_', ' ') for w in wheels)}")

    def draw(self, run: Run) -> None:
        """Draw speed, deceleration and deviation."""
        shown = (run.t <= end_of(run)) if run.speed.size else slice(None)
        self.outcome.plot(
            "time since the pedal is touched [s]",
            run.t[shown] - BEGIN,
            ("Speed", "speed [km/h]", 3.6 * run.speed[shown]),
            ("Deceleration", "deceleration [m/s²]", -run.at_centre("ax")[shown]),
            ("Deviation", "to the left of the line [m]", run.at_centre("y")[shown]),
            ("Yaw", "yaw angle [deg]", DEGREES * run["yaw"][shown]),
            most=FINE,
        )


class SplitBrakingTest(BrakingTest):
    """The same with the left wheels on slippery ground."""

    name = "split-braking"
    title = "braking with one side on slippery ground"
    standard = "ISO 14512:1999"
    options = (
        speed_option(80.0 / 3.6),
        FRICTION,
        Option("brake", "1", 0.3, "brake pedal", above=0.0, at_most=1.0),
        SLIPPERY,
        CORRECTS,
    )
    task = SplitBraking

    def extra_options(self) -> dict[str, float]:
        return {name: self.values[name] for name in ("slippery", "corrects")}


def end_of(run: Run) -> float:
    """Return the time at which the vehicle stands, or the run ends [s]."""
    standing = run.t[(run.t > BEGIN) & (run.speed < STANDING)]
    return float(standing[0]) + 0.3 if standing.size else float(run.t[-1])


class AccelerationTest(Procedure):
    """Full throttle from walking pace on a straight line."""

    name = "acceleration"
    title = "acceleration"
    standard = "as road tests report it"
    options = (
        Option("speed", "m/s", 0.5, "speed at the start", above=0.0, at_most=60.0),
        FRICTION,
        Option("throttle", "1", 1.0, "throttle", above=0.0, at_most=1.0),
        Option("duration", "s", 40.0, "time given", above=1.0, at_most=600.0),
    )
    TARGETS = 50.0, 80.0, 100.0, 120.0, 160.0
    """[km/h]."""
    DISTANCES = 100.0, 400.0
    """[m]."""

    def perform(self) -> None:
        v, out = self.values, self.outcome
        run = self.run(
            "acceleration",
            StraightAcceleration,
            speed=v["speed"],
            throttle=v["throttle"],
            start=0.0,
            rise=0.2,
            duration=v["duration"],
        )
        vx = run.at_centre("vx")
        for target, time in zip(
            self.TARGETS, times_to(run.t, vx, 0.0, [s / 3.6 for s in self.TARGETS]), strict=True
        ):
            out.add(f"time_to_{target:g}", f"time to {target:g} km/h", time, "s")
        for distance in self.DISTANCES:
            time, speed = time_over(run.t, vx, 0.0, distance)
            out.add(f"time_over_{distance:g}", f"time over {distance:g} m", time, "s")
            out.add(f"speed_after_{distance:g}", f"speed after {distance:g} m", speed, "km/h", 3.6)
        out.add("largest_acceleration", "largest acceleration", float(run.at_centre("ax").max()), "m/s^2")
        out.add("final_speed", f"speed after {run.t[-1]:.3g} s", float(vx[-1]), "km/h", 3.6)
        speeds = "Speed", "speed [km/h]", 3.6 * vx
        rates = "Acceleration", "acceleration [m/s²]", run.at_centre("ax")
        out.plot("time [s]", run.t, speeds, rates, most=FINE)
        if math.isnan(out["time_to_100"]) and not run.trouble:
            out.notes.append(
                f"100 km/h are not reached within {run.t[-1]:g} s, but {3.6 * vx.max():.4g} km/h"
            )
