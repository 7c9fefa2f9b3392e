"""Steady cornering with constant steering at slowly rising speed (ISO 4138)."""

from __future__ import annotations

import math

from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.cornering import (
    DIRECTION,
    FIRST,
    RAISED,
    STANDARD,
    judge,
    points_of,
)
from ce_dynamics.models.parts.manoeuvres import ConstantSteer, Option
from ce_dynamics.models.parts.manoeuvres.base import FRICTION

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
        judge(self, points_of(self, [run], START, v["direction"]))
