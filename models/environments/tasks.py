"""Driving tasks of learning environments by name: parking, the double lane change of ISO 3888-1."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cos, minimum, sin, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.models.environments.task import (
    STEERING,
    VX,
    YAW_RATE,
    DrivenVehicle,
    Feature,
    GroundLine,
    Judgement,
    PathFollowing,
    Seen,
    Sensors,
    Task,
    corners,
    prepare_vehicle,
    to_frame,
    to_world,
)
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of

NEAR = 0.3, 0.1, 0.2
"""Distance [m], heading [rad] and speed [m/s] at which the vehicle is parked."""
BONUS = 50.0
SLOW = 8.0
"""Speed above which a vehicle is not parking [m/s]."""


class Parking(Task):
    """Into a bay between two vehicles of its own size, and to a stop there.

    The reward of a step is by how much the vehicle came nearer to its place, in metres and radians, less a
    little for the time; a bonus for standing there.  Touching a neighbour, getting lost and driving much too
    fast end the episode.

    Parameters
    ----------
    vehicle : DrivenVehicle
    room : float
        To either side in the bay [m].
    distance : (float, float)
        How far away episodes begin, middle from middle [m]; 1.8 to 2.6 lengths of the vehicle if not given.
    reverse : bool
        Backwards into a bay behind, which takes a vehicle with a selector: the agent then also chooses which
        way.
    duration : float
        [s].
    """

    name = "parking"
    title = "parking in a bay"
    manoeuvre = "stand-still"
    default_speed: ClassVar[float | None] = None
    goal = ("x0", "y0", "yaw0")
    facts = ("distance", "ahead", "aside", "turned")

    def __init__(
        self,
        vehicle: DrivenVehicle,
        *,
        room: float = 0.6,
        distance: tuple[float, float] | None = None,
        reverse: bool = False,
        duration: float = 20.0,
    ) -> None:
        super().__init__(vehicle)
        checks.number(f"{self.name}: room", room, above=0.0)
        self.duration = checks.number(f"{self.name}: duration", duration, above=0.0)
        if reverse and not vehicle.reverses:
            raise ModelError(
                f"{self.name}: {vehicle.title} has no input 'selector' to go backwards with; choose one with "
                "an automatic gearbox, such as 'hmmwv-automatic', or reverse=False"
            )
        self.reverse, self.room = reverse, room
        self.distance = (1.8 * vehicle.length, 2.6 * vehicle.length) if distance is None else distance
        self.actions = ("steering", "pedal", "direction") if reverse else ("steering", "pedal")
        self.features = (
            Feature("goal_ahead", "m", 10.0, 1e3),
            Feature("goal_left", "m", 10.0, 1e3),
            Feature("cos_goal", "1", 1.0, 1.0 + 1e-6),
            Feature("sin_goal", "1", 1.0, 1.0 + 1e-6),
            VX,
            YAW_RATE,
            STEERING,
        )
        self._lost = 2.0 * max(self.distance)
        self._pitch = vehicle.width + room

    def observe(self, sensors: Sensors, goal: Array) -> Mapping[str, Scalar]:
        x, y, yaw = to_frame(sensors, *goal)
        c, s = cos(yaw), sin(yaw)
        middle = self.vehicle.middle  # of both rectangles: that of the goal has its own at its origin
        x, y = x + middle * c, y + middle * s
        return {
            "goal_ahead": -c * x - s * y,
            "goal_left": s * x - c * y,
            "cos_goal": c,
            "sin_goal": -s,
            "distance": x * x + y * y,
            "ahead": x,
            "aside": y,
            "turned": yaw,
            **{name: sensors[name] for name in ("vx", "yaw_rate", "steering")},
        }

    def drawn(self, random: np.random.Generator) -> Floats:
        away = random.uniform(*self.distance) * (-1.0 if self.reverse else 1.0)
        aside, yaw = random.uniform(-1.5, 1.5), random.uniform(-0.3, 0.3)
        return np.array([self.vehicle.middle + away, aside, yaw])

    def command(self, actions: Floats) -> dict[str, Floats]:
        given = super().command(actions)
        if self.reverse:
            given["selector"] = np.where(actions[:, 2] >= 0.0, 1.0, -1.0)
        return given

    def judge(self, before: Seen, now: Seen, actions: Floats, previous: Floats) -> Judgement:
        distance, turned = np.sqrt(now["distance"]), np.abs(wrap_angle(now["turned"]))
        nearer = np.sqrt(before["distance"]) + np.abs(wrap_angle(before["turned"])) - distance - turned
        speed = np.abs(now["vx"])
        success = (distance < NEAR[0]) & (turned < NEAR[1]) & (speed < NEAR[2])
        touched = self.touches(now["ahead"], now["aside"], now["turned"])
        failed = (touched | (distance > self._lost) | (speed > SLOW)) & ~success
        reward = nearer - 0.01 + BONUS * success - self.failure * failed
        return Judgement(reward, success | failed, success)

    def touches(self, x: Floats, y: Floats, yaw: Floats) -> NDArray[np.bool_]:
        """Return True if the vehicle, its middle at (x, y) in the frame of the bay, overlaps a neighbour."""
        own = corners(self.vehicle.length, self.vehicle.width)
        c, s = np.cos(yaw), np.sin(yaw)
        R = np.array([[c, -s], [s, c]])  # (2, 2, n)
        mine = np.einsum("ijn,kj->nki", R, own) + np.stack((x, y), axis=-1)[:, np.newaxis]
        touched = np.zeros(len(x), dtype=np.bool_)
        for side in (-1.0, 1.0):
            touched |= overlap(mine, own + [0.0, side * self._pitch], R)
        return touched

    def lines(self, goal: Floats, x: Floats) -> list[GroundLine]:
        own = corners(self.vehicle.length, self.vehicle.width)
        found = []
        for side, colour in ((-1.0, "#e0701a"), (0.0, "#0b6fb8"), (1.0, "#e0701a")):
            ring = own[[0, 1, 2, 3, 0]] + [0.0, side * self._pitch]
            found.append(GroundLine(to_world(ring, goal), colour))
        return found


def wrap_angle(angle: Floats) -> Floats:
    """Return the angle in [−π, π)."""
    turned: Floats = (angle + np.pi) % (2.0 * np.pi) - np.pi
    return turned


def overlap(mine: Floats, other: Floats, R: Floats) -> NDArray[np.bool_]:
    """Return True if rectangles (n, 4, 2), turned by R (2, 2, n), overlap one (4, 2) along x.

    Two convex figures lie apart if and only if the normal of an edge of one of them separates them.
    """
    apart = np.zeros(len(mine), dtype=np.bool_)
    for k in range(2):
        for axis in (np.eye(2)[k] + 0.0 * mine[:, 0], R[:, k].T):
            a = np.einsum("nki,ni->nk", mine, axis)
            b = np.einsum("ki,ni->nk", other, axis)
            apart |= (a.max(axis=1) < b.min(axis=1)) | (b.max(axis=1) < a.min(axis=1))
    return ~apart


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

    def observe(self, sensors: Sensors, goal: Array) -> Mapping[str, Scalar]:
        x, y, yaw = to_frame(sensors, *goal)
        c, s = cos(yaw), sin(yaw)
        vehicle = self.vehicle
        room: Scalar = FAR
        for a, b in corners(vehicle.length, vehicle.width, vehicle.middle).tolist():
            at_x, at_y = x + c * a - s * b, y + s * a + c * b
            for gate in self.gates:
                left = minimum(gate.left - at_y, at_y - gate.right)
                left = where(at_x < gate.start, FAR, where(at_x > gate.end, FAR, left))
                room = minimum(room, left)
        return {**super().observe(sensors, goal), "room": room, "progress": x}

    def judge(self, before: Seen, now: Seen, actions: Floats, previous: Floats) -> Judgement:
        along = super().judge(before, now, actions, previous)
        touched = (now["room"] < 0.0) & ~along.ended
        rear = self.vehicle.middle - 0.5 * self.vehicle.length
        success = (now["progress"] + rear > self.gates[-1].end) & ~touched & ~along.ended
        reward = along.reward - self.failure * touched + FAR_BONUS * success
        return Judgement(reward, along.ended | touched | success, success)

    def lines(self, goal: Floats, x: Floats) -> list[GroundLine]:
        found = super().lines(goal, np.array([0.0, self.gates[-1].end]))[:1]
        for gate in self.gates:
            for side in (gate.left, gate.right):
                edge = np.array([[gate.start, side], [gate.end, side]])
                found.append(GroundLine(to_world(edge, goal), "#e0701a"))
        return found


TASKS: Mapping[str, type[Task]] = {kind.name: kind for kind in (PathFollowing, LaneChange, Parking)}
"""Tasks by their names in environments."""

Ranges = Mapping[str, tuple[float, float]]
"""Free parameters that are drawn for every episode, evenly between two values."""


@dataclass(frozen=True, kw_only=True)
class EnvOptions:
    """Options of environments; `VehicleEnv` describes them."""

    speed: float | None = None
    dt: float = 0.02
    step: float = 1e-3
    road: str | None = None
    tyres: Sequence[str] = ()
    overrides: Sequence[str] = ()
    randomise: Ranges | None = None
    options: Mapping[str, Any] | None = None
    steering: float | str = 1.0


def task_of(
    task: str | type[Task], vehicle: str | Path | VehicleSetup | DrivenVehicle, options: EnvOptions
) -> Task:
    """Return a task for a vehicle."""
    kind, speed = kind_of(task), options.speed
    ranges = checks.mapping("randomise", {} if options.randomise is None else options.randomise)
    given = checks.mapping("environments: options", {} if options.options is None else options.options)
    if isinstance(vehicle, DrivenVehicle):
        of_vehicle = (speed, options.road, options.tyres or None, options.overrides or None)
        if of_vehicle != (None,) * 4 or options.steering != 1.0:
            raise ModelError(
                "speed, road, tyres, overrides and steering are those of the vehicle that is given"
            )
        ready = vehicle
    else:
        at = kind.default_speed if speed is None else speed
        if kind.default_speed is None and speed is not None:
            raise ModelError(f"{kind.name}: the vehicle starts at rest; leave the speed out")
        setup = setup_of(vehicle, overrides=options.overrides, tyres=options.tyres, road=options.road)
        setup = replace(setup, free=(*setup.free, *ranges))
        ready = prepare_vehicle(setup, kind.manoeuvre, at, steering=options.steering)
    try:
        return kind(ready, **given)
    except TypeError as error:
        raise ModelError(f"{kind.name}: {error}") from None


def kind_of(task: object) -> type[Task]:
    """Return the class of a task that is named, or given."""
    if isinstance(task, str):
        return TASKS[checks.check_name("environments: task", task, list(TASKS), "task", DataError)]
    if inspect.isclass(task) and issubclass(task, Task):
        return task
    raise ModelError(f"environments: task {checks.show(task)} must be a name or a class of Task")


def check_ranges(vehicle: DrivenVehicle, randomise: Ranges | None) -> list[tuple[str, float, float]]:
    """Return ranges of free parameters, both ends of which the model takes."""
    found = []
    known = [parameter.name for parameter in vehicle.model.layout.parameters]
    for name, ends in checks.mapping("randomise", {} if randomise is None else randomise).items():
        checks.check_name("randomise", name, known, "free parameter")
        low, high = checks.vector(f"randomise: {name}", ends, 2).tolist()
        if not low <= high:
            raise ModelError(f"randomise: {name}: {low:g} must not be above {high:g}")
        for end in (low, high):
            vehicle.model.inputs_with({name: end})
        found.append((name, low, high))
    return found
