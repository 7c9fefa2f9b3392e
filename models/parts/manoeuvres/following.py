"""Manoeuvres along a path: lane changes, circles, obstacles, backwards with trailers."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import ClassVar

from ce_dynamics.algebra.arrays import Scalar, minimum
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option
from ce_dynamics.models.parts.backing import Train, last_axle
from ce_dynamics.models.parts.driver import (
    Driver,
    Sensors,
    steer_by_heart,
    steer_train,
    turn_steering,
)
from ce_dynamics.models.parts.manoeuvres.base import (
    DIRECTION,
    FRICTION,
    Manoeuvre,
    basic_options,
    duration_option,
)
from ce_dynamics.models.parts.paths import (
    CirclePath,
    Gate,
    LateralPath,
    LateralStep,
    Path,
    PlannedPath,
    plan_path,
)
from ce_dynamics.models.parts.rounding import RoundedTable, smooth_step


class ConstantRadius(Manoeuvre):
    """A circle, at constant or slowly rising speed (as ISO 4138)."""

    name = "constant-radius"
    title = "steady-state cornering on a circle"
    options = (
        *basic_options(8.0, 15.0),
        Option("radius", "m", 30.0, "radius of the circle", above=0.0),
        DIRECTION,
        Option("acceleration", "m/s^2", 0.0, "rate at which the speed is raised", at_least=0.0),
        Option("top_speed", "m/s", 30.0, "speed at which it is raised no further", above=0.0, at_most=60.0),
    )

    def _path(self) -> Path:
        v = self.values
        if v["acceleration"] > 0.0 and v["top_speed"] < v["speed"]:
            raise DataError(
                f"{self.name}: top_speed = {v['top_speed']:g} m/s must be at least speed = {v['speed']:g} m/s"
            )
        return CirclePath(v["direction"] * v["radius"])

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        v = self.values
        target: Scalar = self.speed
        if v["acceleration"] > 0.0:
            target = minimum(self.speed + v["acceleration"] * t, v["top_speed"])
        return self._at_speed(self._follow(sensors), target, sensors)


GENTLE = 5.0
"""Lateral acceleration up to which the middle of the lanes, joined by quintics, is followed [m/s²]."""
SHARPEST = 10.0 / math.sqrt(3.0)
"""Largest second derivative of a quintic step of height and length 1."""
SPARED = 0.5
"""Part of the room beside the vehicle that a planned path keeps free."""


@dataclass(frozen=True)
class Practised:
    """Steering input and yaw rate [rad/s] of a practised driver model, over the distance x [m]."""

    steering: RoundedTable
    yaw_rate: RoundedTable


class DoubleLaneChange(Manoeuvre):
    """ISO 3888-1: sections of 15, 30, 25, 25, 15 m (and 15 m to leave).

    The lanes of sections 1, 3 and 5 are 1.1, 1.2 and 1.3 vehicle widths plus 0.25 m wide.  The second lane
    lies 3.5 m to the left of the first, right edge to right edge; the right edges of the first and third
    lanes are in line.  The reference path is the middle of the lanes, joined by quintics in sections 2 and
    4, which may begin and end ``early`` within the lanes, on the ``inside`` of the second one's middle.
    Where neither is given and quintics would need more than `GENTLE`, the path is planned: it bends as
    little as the lanes allow (`plan_path`), and the driver may practise it, see
    `ce_dynamics.models.vehicles.driver_training.practise`.
    """

    name = "double-lane-change"
    title = "ISO 3888-1 double lane change"
    options: ClassVar[tuple[Option, ...]] = (
        *basic_options(12.0, 10.0),
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
        first, middle, last = (
            factor * self.values["vehicle_width"] + self.CLEARANCE for factor in self.WIDTHS
        )
        right = -0.5 * first
        second = right + self.LANE_OFFSET
        return self._lanes((right, right + first), (second, second + middle), (right, right + last))

    def _lanes(self, *sides: tuple[float, float]) -> tuple[Gate, Gate, Gate]:
        """Return the lanes between their right and left sides [m]."""
        ends = list(accumulate(self.LENGTHS, initial=self.values["lead_in"]))
        first, middle, last = (Gate(ends[2 * k], ends[2 * k + 1], *side) for k, side in enumerate(sides))
        return first, middle, last

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
            return self._plan_path()
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

    def _plan_path(self, lean: float = 0.0) -> PlannedPath:
        half = 0.5 * self.driver.wheelbase
        return plan_path(self.gates, self.values["vehicle_width"], (half, -half), SPARED, lean)

    def leaning(self, lean: float) -> DoubleLaneChange:
        """Return the manoeuvre with a path planned for a vehicle of known side-slip, see `plan_path`."""
        known = copy.copy(self)
        known.path = self._plan_path(lean)
        return known

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        return self._at_speed(self._steer(sensors), self.speed, sensors)

    def _steer(self, sensors: Sensors) -> Scalar:
        if self.practised is None or self.path is None:
            return self._follow(sensors)
        known = self.practised
        return steer_by_heart(self.driver, self.path, known.steering, known.yaw_rate, sensors)


ROOM = 0.4
"""Between flank and cone, where the path cuts a corner [m]."""
EARLY = 1.2, 1.2
"""Distances from the start of a change to the end of its lane, and from its end to the next lane [m]."""
RELEASE = 2.0, 1.0
"""Distance from the entry to the release of the throttle, and the length of the release [m]."""


class ObstacleAvoidance(DoubleLaneChange):
    """ISO 3888-2: sections of 12, 13.5, 11, 12.5 and 12 m, the throttle released 2 m behind the entry.

    With the vehicle's width b the lanes of sections 1, 3 and 5 are 1.1 b + 0.25 m, b + 1 m and 1.3 b + 0.25
    m (3 m at least) wide; 1 m lies between the left edge of the first and the right edge of the second, and
    the right edges of first and third are in line.
    """

    name = "obstacle-avoidance"
    title = "ISO 3888-2 obstacle avoidance"
    options = (
        *basic_options(14.0, 6.5),
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
        right = -0.5 * first
        second, third = right + first + self.LANE_OFFSET, right + max(last, self.LEAST_LAST)
        return self._lanes((right, right + first), (second, second + b + 1.0), (right, third))

    def _path(self) -> Path:
        """Return the path from the middle of the first lane along the near sides of the others."""
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


CLUTCH_TIME = 2.0
"""[s] that a driver takes to close the clutch, where there is one."""


class Reversing(Manoeuvre):
    """Backwards at a constant speed, with a change of lane on the way.

    The driver looks back: he sees a vehicle that drives along +x in a plane turned by half a turn, to which
    what lies ahead and to the left is what lies behind and to the right of his own.  Its yaw rate is his, and
    steering turns it the other way.  Of a train he sees the last axle, the way of which counts from where it
    begins; trailers he leads by `steer_train`, the rear half of a vehicle that folds to steer like a vehicle.
    """

    name = "reverse"
    title = "backwards along a lane"
    options = (
        Option("speed", "m/s", 2.0, "speed backwards, from rest", above=0.0, at_most=10.0),
        duration_option(15.0),
        FRICTION,
        Option("shift", "m", 0.0, "lateral offset on the way, positive to the left seen backwards"),
        Option("begin", "m", 5.0, "way before that", at_least=0.0),
        Option("length", "m", 15.0, "way that it takes", above=0.0),
    )

    def __init__(self, driver: Driver, **values: float) -> None:
        super().__init__(driver, **values)
        self.backwards, self.speed = self.speed, 0.0
        ahead = replace(driver.response, arm=-driver.response.arm)  # to who looks back
        self.driver = replace(driver, response=ahead)
        if driver.train is not None and self.backwards > driver.train.fastest:
            raise DataError(
                f"{self.name}: speed = {self.backwards:g} m/s is too fast to back up "
                f"{' and '.join(one.name for one in driver.train.towed)}, which would fold; "
                f"give {driver.train.fastest:.2g} m/s at most"
            )

    def _path(self) -> Path:
        v = self.values
        return LateralPath((LateralStep(v["begin"], v["length"], v["shift"]),))

    def inputs(self, t: Scalar, sensors: Sensors) -> dict[str, Scalar]:
        seen, train = self._look_back(sensors), self.driver.train
        if train is None or train.folded:
            steering = 0.0 - self._follow(seen)
        else:
            assert self.path is not None, "backing up has a path"
            wanted = steer_train(self.driver, train, self.path, seen)
            steering = turn_steering(self.driver, wanted, sensors)
        found = self._at_speed(steering, self.backwards, seen)
        for name in self.driver.reverse:
            found[name] = 1.0 - smooth_step(t / CLUTCH_TIME) if name == "clutch" else -1.0
        return found

    def _look_back(self, sensors: Sensors) -> dict[str, Scalar]:
        """Return the sensors' values in axes turned to look back."""
        train = self.driver.train
        seen = {**sensors, **{name: 0.0 - sensors[name] for name in ("vx", "vy")}, **place(train, sensors)}
        response = self.driver.response
        if response.position:
            for name in (response.position, response.position_rate):
                seen[name] = 0.0 - sensors[name]
        if train is not None and train.folded:  # the rear half's axle does not slip sideways
            seen |= {"vy": 0.0, "yaw_rate": sensors[f"{train.towed[0].name}.trailer_yaw_rate"]}
        return seen

    def path_error(self, sensors: Sensors) -> Scalar | None:
        train = self.driver.train  # after a run in plain numbers
        return super().path_error(place(None if train is None else train.nominal, sensors))


def place(train: Train | None, sensors: Sensors) -> dict[str, Scalar]:
    """Return the position of the leading end, in axes turned to look back."""
    if train is None:
        return {"x": 0.0 - sensors["x"], "y": 0.0 - sensors["y"]}
    x, y, yaw = last_axle(train, sensors)
    return {"x": train.last - x, "y": 0.0 - y, "yaw": yaw}
