"""Steady cornering on a circle (ISO 4138, constant radius)."""

from __future__ import annotations

import math

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures.cornering import (
    DIRECTION,
    FIRST,
    RAISED,
    STANDARD,
    judge,
    points_of,
)
from ce_dynamics.models.parts.manoeuvres import ConstantRadius, Option
from ce_dynamics.models.parts.manoeuvres.base import FRICTION

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
        if abs(v["direction"]) != 1.0:
            raise DataError(f"{self.name}: direction = {v['direction']:g} must be 1 (left) or -1 (right)")
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
        points = points_of(self, [run], SETTLING, v["direction"])
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
