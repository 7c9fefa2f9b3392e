"""The double lane change of ISO 3888-1 between its cones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, cos, minimum, sin, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError
from ce_dynamics.models.environments.path_following import PathFollowing
from ce_dynamics.models.environments.task import Judgement, Line, Seen, Sensors, corners, outward, within
from ce_dynamics.models.environments.vehicle import DrivenVehicle
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange

FAR = 100.0
"""Room where there are no cones [m]."""
FAR_BONUS = 50.0
"""For a course that is driven to its end."""


class LaneChange(PathFollowing):
    """Through the three lanes of ISO 3888-1, at constant speed.

    Rewards are those of following the middle of the lanes.  A corner of the vehicle over a lane's edge ends
    the episode, and so does the end of the course, with a bonus.

    Parameters
    ----------
    vehicle : DrivenVehicle
        Prepared for the double lane change, which has the lanes.
    width, offset, heading, duration
        As of `PathFollowing`.
    """

    name = "lane-change"
    title = "ISO 3888-1 double lane change"
    manoeuvre = DoubleLaneChange.name
    default_speed: ClassVar[float | None] = 15.0
    facts: tuple[str, ...] = ("along", "room", "progress")

    def __init__(
        self,
        vehicle: DrivenVehicle,
        *,
        width: float = 3.0,
        offset: float = 0.1,
        heading: float = 0.01,
        duration: float = 15.0,
    ) -> None:
        course = vehicle.manoeuvre
        if not isinstance(course, DoubleLaneChange) or course.path is None:
            raise ModelError(f"{self.name}: the vehicle is not prepared for a double lane change")
        super().__init__(
            vehicle, path=course.path, width=width, offset=offset, heading=heading, duration=duration
        )
        self.gates = course.gates

    def seen(self, sensors: Sensors, goal: Array) -> Mapping[str, Scalar]:
        x, y, yaw = within(sensors, *goal)
        c, s = cos(yaw), sin(yaw)
        vehicle = self.vehicle
        room: Scalar = FAR
        for a, b in corners(vehicle.length, vehicle.width, vehicle.middle).tolist():
            at_x, at_y = x + c * a - s * b, y + s * a + c * b
            for gate in self.gates:
                left = minimum(gate.left - at_y, at_y - gate.right)
                left = where(at_x < gate.start, FAR, where(at_x > gate.end, FAR, left))
                room = minimum(room, left)
        return {**super().seen(sensors, goal), "room": room, "progress": x}

    def judged(self, before: Seen, now: Seen, actions: Floats, previous: Floats) -> Judgement:
        along = super().judged(before, now, actions, previous)
        touched = (now["room"] < 0.0) & ~along.ended
        rear = self.vehicle.middle - 0.5 * self.vehicle.length
        success = (now["progress"] + rear > self.gates[-1].end) & ~touched & ~along.ended
        reward = along.reward - self.failure * touched + FAR_BONUS * success
        return Judgement(reward, along.ended | touched | success, success)

    def lines(self, goal: Floats, x: Floats) -> list[Line]:
        found = super().lines(goal, np.array([0.0, self.gates[-1].end]))[:1]
        for gate in self.gates:
            for side in (gate.left, gate.right):
                edge = np.array([[gate.start, side], [gate.end, side]])
                found.append(Line(outward(edge, goal), "#e0701a"))
        return found
