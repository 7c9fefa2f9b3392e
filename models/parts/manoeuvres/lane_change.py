"""The double lane change of ISO 3888-1."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.parts.driver import Sensors, steer_by_heart
from ce_dynamics.models.parts.manoeuvres.base import (
    FRICTION,
    Manoeuvre,
    Option,
    duration_option,
    speed_option,
)
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path
from ce_dynamics.models.parts.planned_path import Gate, PlannedPath, planned
from ce_dynamics.models.parts.torque_table import TorqueTable

GENTLE = 5.0
"""Lateral acceleration up to which the middle of the lanes, joined by quintics, is followed [m/s²]."""
SHARPEST = 10.0 / math.sqrt(3.0)
"""Largest second derivative of a quintic step of height and length 1."""
SPARED = 0.5
"""Part of the room beside the vehicle that a planned path keeps free."""


@dataclass(frozen=True)
class Practised:
    """Steering and yaw rate of a practised driver model, over the distance x [m].

    Attributes
    ----------
    steering : TorqueTable
        Steering input.
    yaw_rate : TorqueTable
        Resulting yaw rate [rad/s].
    """

    steering: TorqueTable
    yaw_rate: TorqueTable


class DoubleLaneChange(Manoeuvre):
    """ISO 3888-1: sections of 15, 30, 25, 25, 15 m (and 15 m to leave).

    The lanes of sections 1, 3 and 5 are 1.1, 1.2 and 1.3 vehicle widths plus 0.25 m wide.  The second lane
    lies 3.5 m to the left of the first, right edge to right edge; the right edges of the first and third
    lanes are in line.  The reference path is the middle of the lanes, joined by quintics in sections 2 and
    4, which may begin and end ``early`` within the lanes, on the ``inside`` of the second one's middle.
    Where neither is given and quintics would ask for more than `GENTLE`, the path is planned: it bends as
    little as the lanes allow (`planned`), and the driver may practise it, see
    `ce_dynamics.models.vehicles.practice.practised`.
    """

    name = "double-lane-change"
    title = "ISO 3888-1 double lane change"
    options: ClassVar[tuple[Option, ...]] = (
        speed_option(12.0),
        duration_option(10.0),
        FRICTION,
        Option("vehicle_width", "m", 2.16, "width of the vehicle, which sets the lanes' widths", above=0.0),
        Option("lead_in", "m", 5.0, "straight ahead of the first section", at_least=0.0),
        Option("early", "m", 0.0, "by which a change of lane begins and ends within lanes", at_least=0.0),
        Option("inside", "m", 0.0, "by which the path keeps to the right of the second lane's middle"),
    )
    LENGTHS = (15.0, 30.0, 25.0, 25.0, 15.0)
    WIDTHS = (1.1, 1.2, 1.3)
    CLEARANCE = 0.25
    LANE_OFFSET = 3.5

    @property
    def gates(self) -> tuple[Gate, Gate, Gate]:
        """The three lanes; the middle of the first is y = 0."""
        width = [factor * self.values["vehicle_width"] + self.CLEARANCE for factor in self.WIDTHS]
        ends = [self.values["lead_in"]]
        for length in self.LENGTHS:
            ends.append(ends[-1] + length)
        right = -0.5 * width[0]
        second = right + self.LANE_OFFSET
        return (
            Gate(ends[0], ends[1], right, right + width[0]),
            Gate(ends[2], ends[3], second, second + width[1]),
            Gate(ends[4], ends[5], right, right + width[2]),
        )

    practised: Practised | None = None

    @property
    def is_planned(self) -> bool:
        """True if the path is planned, and does not merely join the lanes' middles."""
        return isinstance(self.path, PlannedPath)

    def _path(self) -> Path:
        gates = self.gates
        sharpest = max(
            SHARPEST * abs(other.centre - one.centre) / (other.start - one.end) ** 2
            for one, other in pairwise(gates)
        )
        plain = self.values["early"] == 0.0 and self.values["inside"] == 0.0
        if plain and sharpest * self.speed * self.speed > GENTLE:
            return self._planned()
        early, inside = self.values["early"], self.values["inside"]
        return LateralPath(
            tuple(
                LateralStep(
                    one.end - early,
                    other.start - one.end + 2.0 * early,
                    other.centre - one.centre - side * inside,
                )
                for (one, other), side in zip(pairwise(self.gates), (1.0, -1.0), strict=True)
            )
        )

    def _planned(self, lean: float = 0.0) -> PlannedPath:
        half = 0.5 * self.driver.wheelbase
        return planned(self.gates, self.values["vehicle_width"], (half, -half), SPARED, lean)

    def leaning(self, lean: float) -> DoubleLaneChange:
        """The same with a path that is planned for a vehicle whose side-slip is known, see `planned`."""
        known = copy.copy(self)
        known.path = self._planned(lean)
        return known

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return self._at_speed(self._steered(sensors), self.speed, sensors)

    def _steered(self, sensors: Sensors) -> Scalar:
        if self.practised is None or self.path is None:
            return self._follow(sensors)
        known = self.practised
        return steer_by_heart(self.driver, self.path, known.steering, known.yaw_rate, sensors)
