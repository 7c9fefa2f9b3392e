"""The obstacle avoidance of ISO 3888-2."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.parts.driver import Sensors
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, Option, duration_option, speed_option
from ce_dynamics.models.parts.manoeuvres.lane_change import DoubleLaneChange
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path
from ce_dynamics.models.parts.planned_path import Gate
from ce_dynamics.models.parts.ramps import smooth_step

ROOM = 0.4
"""Between flank and cone, where the path cuts a corner [m]."""
EARLY = 1.2, 1.2
"""How far before a lane ends a change begins, and before the next begins it is done [m]."""
RELEASE = 2.0, 1.0
"""How far behind the entry the throttle is released, and over which distance [m]."""


class ObstacleAvoidance(DoubleLaneChange):
    """ISO 3888-2: sections of 12, 13.5, 11, 12.5 and 12 m, the throttle released 2 m behind the entry.

    With the vehicle's width b the lanes of sections 1, 3 and 5 are 1.1 b + 0.25 m, b + 1 m and 1.3 b + 0.25
    m (3 m at least) wide; 1 m lies between the left edge of the first and the right edge of the second, and
    the right edges of first and third are in line.
    """

    name = "obstacle-avoidance"
    title = "ISO 3888-2 obstacle avoidance"
    options = (
        speed_option(14.0),
        duration_option(6.5),
        FRICTION,
        Option("vehicle_width", "m", 2.16, "width of the vehicle, which sets the lanes' widths", above=0.0),
        Option("lead_in", "m", 5.0, "straight ahead of the first section", at_least=0.0),
    )
    LENGTHS = (12.0, 13.5, 11.0, 12.5, 12.0)
    LANE_OFFSET = 1.0
    LEAST_LAST = 3.0

    @property
    def gates(self) -> tuple[Gate, Gate, Gate]:
        """The three lanes; the middle of the first is y = 0."""
        b = self.values["vehicle_width"]
        first, last = (factor * b + self.CLEARANCE for factor in (self.WIDTHS[0], self.WIDTHS[2]))
        ends = [self.values["lead_in"]]
        for length in self.LENGTHS:
            ends.append(ends[-1] + length)
        right = -0.5 * first
        second = right + first + self.LANE_OFFSET
        return (
            Gate(ends[0], ends[1], right, right + first),
            Gate(ends[2], ends[3], second, second + b + 1.0),
            Gate(ends[4], ends[5], right, right + max(last, self.LEAST_LAST)),
        )

    def _path(self) -> Path:
        """From the middle of the first lane along the near sides of the others."""
        first, second, third = self.gates
        half = 0.5 * self.values["vehicle_width"]
        out, back = second.right + half + ROOM, third.left - half - ROOM
        begin, done = EARLY
        return LateralPath(
            (
                LateralStep(first.end - begin, second.start - done - first.end + begin, out - first.centre),
                LateralStep(second.end - begin, third.start - done - second.end + begin, back - out),
            )
        )

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        at, over = RELEASE
        released = smooth_step((sensors["x"] - self.values["lead_in"] - at) / over)
        held = self._at_speed(self._follow(sensors), self.speed, sensors)
        return {
            "steering": held["steering"],
            "throttle": (1.0 - released) * held["throttle"],
            "brake": (1.0 - released) * held["brake"],
        }
