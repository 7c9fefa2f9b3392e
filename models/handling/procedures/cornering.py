"""Steady cornering (ISO 4138) at constant radius, speed or steering; steering step (ISO 7401)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.handling.metrics.steady_state import (
    lateral_acceleration_gain,
    steady_cornering,
    understeer_angle,
    yaw_rate_gain,
)
from ce_dynamics.models.handling.metrics.step_response import StepResponse, step_response, tb_factor
from ce_dynamics.models.handling.outcome import DEGREES, FINE
from ce_dynamics.models.handling.procedure import BEGIN, Procedure, ramp, steering_at
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import ConstantRadius, ConstantSteer, Option, StepSteer
from ce_dynamics.models.parts.manoeuvres.base import DIRECTION, FRICTION, speed_option

G = 9.80665
"""Standard gravity, for figures per g [m/s²]."""
RAISED = Option("acceleration", "m/s^2", 0.25, "rate at which the speed is raised", above=0.0, at_most=1.0)
FIRST = Option("first", "m/s^2", 0.4, "lateral acceleration at the beginning", above=0.0)
STANDARD = "ISO 4138:2021"


class CorneringPoints(NamedTuple):
    """Points of (nearly) steady cornering, those of a turn to the right mirrored.

    ``steer`` [rad], ``ay`` [m/s²], ``speed`` [m/s], ``roll`` and ``sideslip`` [rad].
    """

    steer: Floats
    ay: Floats
    speed: Floats
    roll: Floats
    sideslip: Floats


def points_of(procedure: Procedure, run: Run, begin: float, sign: float) -> CorneringPoints:
    """Return all instants from a time on until the lateral acceleration is largest.

    Where the vehicle no longer corners steadily, spins or tips before, they end: the outcome's trouble.
    """
    ay = sign * run.ay
    first = min(int(np.searchsorted(run.t, begin)), len(run.t) - 1)
    wrong = run.violation(begin, steady=True)
    end = len(run.t) if wrong is None else max(int(np.searchsorted(run.t, wrong.t)), first + 1)
    used = slice(first, first + int(np.argmax(ay[first:end])) + 1)
    if wrong is not None and used.stop == end:
        procedure.outcome.trouble = (
            f"{run.subject.title}, run '{run.name}': figures hold up to {ay[used].max():.3g} m/s² of "
            f"lateral acceleration: {wrong.condition}"
        )
    signals = sign * run.steer, ay, run.speed, sign * run.roll, sign * run.sideslip
    return CorneringPoints(*(signal[used] for signal in signals))


def judge(procedure: Procedure, points: CorneringPoints) -> None:
    """Compute figures and charts of steady cornering."""
    L, out = procedure.subject.wheelbase, procedure.outcome
    out.add("largest_lateral_acceleration", "largest lateral acceleration", float(points.ay.max()), "m/s^2")
    draw(procedure, points)
    found = steady_cornering(
        points.steer, points.ay, points.speed, L, roll=points.roll, sideslip=points.sideslip
    )
    per_g = DEGREES * G
    out.add("understeer_gradient", "understeer gradient", found.understeer_gradient, "deg/g", per_g)
    if found.understeer_gradient > 0.0:
        out.add("characteristic_speed", "characteristic speed", found.characteristic_speed, "km/h", 3.6)
    else:
        out.add("critical_speed", "critical speed", found.critical_speed, "km/h", 3.6)
    out.add("roll_gradient", "roll gradient", found.roll_gradient, "deg/g", per_g)
    out.add("sideslip_gradient", "side-slip gradient", found.sideslip_gradient, "deg/g", per_g)


def draw(procedure: Procedure, points: CorneringPoints) -> None:
    """Draw the handling diagram, and steering, roll and side-slip over lateral acceleration."""
    excess = understeer_angle(points.steer, points.ay, points.speed, procedure.subject.wheelbase)
    procedure.outcome.plot(
        "lateral acceleration [m/s²]",
        points.ay,
        ("Handling diagram", "understeer angle δ − L/R [deg]", DEGREES * excess),
        ("Steering", "road-wheel angle [deg]", DEGREES * points.steer),
        ("Roll", "roll angle, outwards [deg]", DEGREES * points.roll),
        ("Side-slip", "side-slip angle of the centre of mass [deg]", DEGREES * points.sideslip),
        most=FINE,
    )


SETTLING = 6.0
"""Time after which the first steady circle counts [s]."""
LEFT = 0.05
"""Part of the radius by which a vehicle may leave the circle: beyond, it has reached its limit."""


class ConstantRadiusTest(Procedure):
    """The speed rises slowly on a circle that the driver keeps to."""

    name = "constant-radius"
    title = "steady cornering, constant radius"
    standard = STANDARD
    options = (
        Option("radius", "m", 60.0, "radius of the circle", above=5.0),
        DIRECTION,
        FRICTION,
        RAISED,
        FIRST,
    )

    def perform(self) -> None:
        v = self.values
        slowest = math.sqrt(v["first"] * v["radius"])
        fastest = math.sqrt(1.1 * v["friction"] * self.subject.gravity * v["radius"])
        run = self.run(
            "circle",
            ConstantRadius,
            speed=slowest,
            radius=v["radius"],
            direction=v["direction"],
            acceleration=v["acceleration"],
            top_speed=min(fastest, 60.0),
            duration=SETTLING + (fastest - slowest) / v["acceleration"],
        )
        off = abs(run["path_error"]) > LEFT * v["radius"]
        points = points_of(self, run, SETTLING, v["direction"])
        if off.any():
            k = int(off.argmax())
            self.outcome.notes.append(
                f"the vehicle left the circle by {100 * LEFT:g} % of its radius at {run.speed[k]:.3g} m/s "
                f"with {abs(run.ay[k]):.3g} m/s² of lateral acceleration"
            )
            kept = run.t[k] - SETTLING
            n = int(kept / (run.t[1] - run.t[0]))
            points = type(points)(*(x[: max(n, 2)] for x in points))
        judge(self, points)


class ConstantSpeedTest(Procedure):
    """The steering rises slowly to the limit while the speed is held."""

    name = "constant-speed"
    title = "steady cornering, constant speed"
    standard = STANDARD
    options = (speed_option(80.0 / 3.6), DIRECTION, FRICTION)
    LAG = 1.0
    """Time after the beginning from which points count [s]."""

    def perform(self) -> None:
        v = self.values
        run = ramp(self, v["speed"], 1.1 * v["friction"] * self.subject.gravity, v["direction"], 1.3)
        judge(self, points_of(self, run, BEGIN + self.LAG, v["direction"]))
        K, L = self.outcome["understeer_gradient"] / (DEGREES * G), self.subject.wheelbase
        self.outcome.add(
            "yaw_rate_gain", "yaw rate gain at this speed", yaw_rate_gain(v["speed"], L, K), "1/s"
        )
        gain = lateral_acceleration_gain(v["speed"], L, K)
        self.outcome.add(
            "lateral_acceleration_gain", "lateral acceleration gain", gain / DEGREES, "m/s^2/deg"
        )


START = 6.0


class ConstantSteeringTest(Procedure):
    """The steering of a slow circle is held while the speed rises."""

    name = "constant-steering"
    title = "steady cornering, constant steering"
    standard = STANDARD
    options = (
        Option("radius", "m", 50.0, "radius of the circle at walking pace", above=5.0),
        DIRECTION,
        FRICTION,
        RAISED,
        FIRST,
    )

    def perform(self) -> None:
        v, L = self.values, self.subject.wheelbase
        slowest = math.sqrt(v["first"] * v["radius"])
        limit = 1.1 * v["friction"] * self.subject.gravity
        # δ = L/R + K a_y: an understeering vehicle's circle widens
        radius = 1.0 / max(1.0 / v["radius"] - self.subject.driver.understeer * limit / L, 0.2 / v["radius"])
        fastest = min(math.sqrt(limit * radius), 60.0)
        run = self.run(
            "circle",
            ConstantSteer,
            speed=slowest,
            steer=self.subject.steering_for(v["direction"] * L / v["radius"]),
            start=START,
            acceleration=v["acceleration"],
            top_speed=fastest,
            duration=START + (fastest - slowest) / v["acceleration"],
        )
        judge(self, points_of(self, run, START, v["direction"]))


STEP_AT = 1.0


class StepInputTest(Procedure):
    """The steering is turned as fast as a driver can to the angle for a given lateral acceleration."""

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
            start=STEP_AT,
            rise=v["rise"],
            duration=STEP_AT + v["rise"] + v["settling"],
        )
        self.draw()
        self.valid(run, STEP_AT)
        self.holds_speed(run, STEP_AT)
        t, delta = run.t, run.steer
        yaw = step_response(t, delta, run["yaw_rate"])
        ay = step_response(t, delta, run.ay)
        out.add("steer", "steady road-wheel angle", float(delta[-1]), "deg", DEGREES)
        out.add("lateral_acceleration", "steady lateral acceleration", abs(ay.steady), "m/s^2")
        out.add("yaw_rate_gain", "yaw rate gain", yaw.gain, "1/s")
        out.add("lateral_acceleration_gain", "lateral acceleration gain", ay.gain / DEGREES, "m/s^2/deg")
        self.signal_figures("yaw_rate", "yaw rate", yaw)
        self.signal_figures("lateral_acceleration", "lateral acceleration", ay)
        if np.any(run.roll):
            roll = step_response(t, delta, run.roll)
            out.add("roll", "steady roll angle", abs(roll.steady), "deg", DEGREES)
            self.signal_figures("roll", "roll", roll)
        beta = float(run.sideslip[t >= t[-1] - 0.5].mean())
        out.add("sideslip", "steady side-slip angle", beta * math.copysign(1.0, delta[-1]), "deg", DEGREES)
        out.add("tb_factor", "TB factor", tb_factor(beta, yaw.peak_time), "deg*s", DEGREES)

    def signal_figures(self, key: str, label: str, found: StepResponse) -> None:
        """Return figures of one signal."""
        self.outcome.add(f"{key}_response_time", f"{label}: response time (90 %)", found.response_time, "s")
        self.outcome.add(f"{key}_peak_time", f"{label}: peak response time", found.peak_time, "s")
        self.outcome.add(f"{key}_overshoot", f"{label}: overshoot", found.overshoot, "%", 100.0)

    def draw(self) -> None:
        """Draw signals over time."""
        run = self.outcome.runs[-1]
        self.outcome.plot(
            "time since the steering begins [s]",
            run.t - STEP_AT,
            ("Yaw rate", "yaw rate [deg/s]", DEGREES * run["yaw_rate"]),
            ("Lateral acceleration", "lateral acceleration [m/s²]", run.ay),
            ("Roll", "roll angle [deg]", DEGREES * run.roll),
            ("Side-slip", "side-slip angle [deg]", DEGREES * run.sideslip),
        )
