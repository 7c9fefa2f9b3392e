"""Contracts of environments: the vehicle; the task with observations, actions, rewards; path following."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cos, sin
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.lazy_names import adopt_former_methods
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of
from ce_dynamics.models.vehicles.driving import most_steering
from ce_dynamics.models.vehicles.pictures import tyres_of
from ce_dynamics.models.vehicles.special_bodies import WIDTH, radius_of

SENSORS = ("x", "y", "yaw", "vx", "vy", "yaw_rate")
INPUTS = ("steering", "throttle", "brake")


@dataclass(frozen=True, eq=False)
class DrivenVehicle:
    """A vehicle for environments.

    Attributes
    ----------
    title : str
    model : Model
        With the outputs `SENSORS` and the inputs `INPUTS`, as vehicles of the library have them.
    y0 : array
        Where it starts, at the origin along x.
    speed : float
        At the start, and to be held [m/s].
    length, width : float
        Of the rectangle that it takes on the ground [m].
    middle : float
        Distance by which the middle lies ahead of the point whose place the sensors return [m].
    manoeuvre : Manoeuvre, optional
        That it was prepared for: paths and lanes.
    steering : float
        Steering input at an action of 1 [1].
    """

    title: str
    model: Model
    y0: Floats
    speed: float
    length: float
    width: float
    middle: float
    manoeuvre: Manoeuvre | None = None
    steering: float = 1.0

    def __post_init__(self) -> None:
        checks.text("title", self.title)
        checks.instance("model", self.model, Model, "a compiled vehicle (ce_dynamics.compile)")
        outputs, inputs = self.model.system.outputs, self.model.system.inputs
        missing = [name for name in SENSORS if name not in outputs]
        missing += [name for name in INPUTS if name not in inputs]
        if missing:
            raise ModelError(
                f"{self.title}: environments drive systems with the outputs {', '.join(SENSORS)} and the "
                f"inputs {', '.join(INPUTS)}; there is no {missing[0]!r}"
            )

    @property
    def reverses(self) -> bool:
        """True if it has a gear to go backwards."""
        return "selector" in self.model.system.inputs


def prepare_vehicle(
    vehicle: str | FilePath | VehicleSetup,
    manoeuvre: str,
    speed: float | None,
    options: Mapping[str, float | str] | None = None,
    steering: float | str = 1.0,
) -> DrivenVehicle:
    """Return a vehicle of the library, of a data file, or as it was loaded, ready for a manoeuvre.

    ``steering`` at an action of 1 is a part of full lock, or an angle of the steering wheel with its unit.
    """
    setup = setup_of(vehicle)
    case = setup.prepare(manoeuvre, speed=speed, options=options, practice=False)
    most = most_steering("environments", steering, setup.data)
    fitted = tyres_of(case.model.system)
    if not fitted:
        raise ModelError(f"{setup.model}: environments drive vehicles with tyres")
    centres = np.array([nominal(tyre.centre) for tyre in fitted]).astype(float)
    radius = max(radius_of(tyre) for tyre in fitted)
    rear, front = centres[:, 0].min(), centres[:, 0].max()
    assert case.manoeuvre is not None, "vehicles with tyres are driven"
    width = 2.0 * float(np.abs(centres[:, 1]).max()) + WIDTH * radius
    return DrivenVehicle(
        case.title, case.model, case.y0, case.manoeuvre.speed, float(front - rear + 2.2 * radius),
        float(case.manoeuvre.values.get("vehicle_width", width)), float(0.5 * (front + rear)), case.manoeuvre,
        most,
    )  # fmt: skip


Sensors = Mapping[str, Scalar]
Seen = Mapping[str, Floats]
"""By name, a number for each copy of the vehicle."""


class Feature(NamedTuple):
    """Observed number of the agent: divided by ``scale``, and limited to ±``bound`` [unit]."""

    name: str
    unit: str
    scale: float
    bound: float


class Judgement(NamedTuple):
    """Judgement of a step, for each copy.

    Attributes
    ----------
    reward : array
    ended : bool array
        The episode is over, with or without success.
    success : bool array
        The episode is over with success.
    """

    reward: Floats
    ended: NDArray[np.bool_]
    success: NDArray[np.bool_]


class GroundLine(NamedTuple):
    """Something on the ground for pictures: points (n, 2) in the world, and a colour."""

    points: Floats
    colour: str


STEERING = Feature("steering", "1", 1.0, 1.0)
VX = Feature("vx", "m/s", 10.0, 100.0)
VY = Feature("vy", "m/s", 3.0, 100.0)
YAW_RATE = Feature("yaw_rate", "rad/s", 1.0, 20.0)


class Task(ABC):
    """Contract of a task.

    1. ``name``, ``title``; ``manoeuvre`` whose road and settings the vehicle is prepared with, at
       ``default_speed`` (None where it stands); ``duration`` of an episode [s].
    2. ``features`` are observed by the agent, ``facts`` are further numbers for the reward; `observe` returns
       both by name, from sensors and held inputs and from ``goal``, numbers that `drawn` chooses for every
       episode.  It is traced: no branches on numbers.
    3. ``actions`` names the actions, each within ±1; `command` converts them to inputs.
    4. `judge` returns the reward of a step, on arrays with one entry for each copy.
    5. `lines` are for pictures.

    The vehicle always starts at the origin; what changes from episode to episode is where things lie.

    Parameters
    ----------
    vehicle : DrivenVehicle
    """

    name: ClassVar[str]
    title: ClassVar[str]
    manoeuvre: ClassVar[str]
    default_speed: ClassVar[float | None]
    goal: ClassVar[tuple[str, ...]]

    features: tuple[Feature, ...]
    facts: tuple[str, ...]
    actions: tuple[str, ...] = ("steering", "pedal")
    duration: float
    failure: float = 10.0
    """Cost of a failed episode."""

    def __init__(self, vehicle: DrivenVehicle) -> None:
        self.vehicle = vehicle

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features, then of the facts."""
        return (*(feature.name for feature in self.features), *self.facts)

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        adopt_former_methods(cls, {"seen": "observe", "commanded": "command", "judged": "judge"})

    @abstractmethod
    def observe(self, sensors: Sensors, goal: Array) -> Mapping[str, Scalar]:
        """Return features and facts by name."""

    @abstractmethod
    def drawn(self, random: np.random.Generator) -> Floats:
        """Return the goal of an episode."""

    def command(self, actions: Floats) -> dict[str, Floats]:
        """Return inputs by name, of actions (n, actions); positive pedals throttle, negative ones brake."""
        pedal = actions[:, 1]
        return {
            "steering": self.vehicle.steering * actions[:, 0],
            "throttle": np.maximum(pedal, 0.0),
            "brake": np.maximum(-pedal, 0.0),
        }

    @abstractmethod
    def judge(self, before: Seen, now: Seen, actions: Floats, previous: Floats) -> Judgement:
        """Return the judgement of a step, for each copy."""

    @abstractmethod
    def lines(self, goal: Floats, x: Floats) -> list[GroundLine]:
        """Return the lines on the ground, for a vehicle that has been at the positions x [m]."""


def to_frame(sensors: Sensors, x0: Scalar, y0: Scalar, yaw0: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Place and heading in a frame that lies at (x0, y0), turned by yaw0."""
    c, s = cos(yaw0), sin(yaw0)
    dx, dy = sensors["x"] - x0, sensors["y"] - y0
    return c * dx + s * dy, c * dy - s * dx, sensors["yaw"] - yaw0


def to_world(points: Floats, goal: Floats) -> Floats:
    """Return points (n, 2) of the frame of a goal (x0, y0, yaw0) in the world."""
    c, s = np.cos(goal[2]), np.sin(goal[2])
    turned: Floats = points @ np.array([[c, s], [-s, c]]) + goal[:2]
    return turned


def corners(length: float, width: float, middle: float = 0.0) -> Floats:
    """Return corners (4, 2) of a rectangle along x."""
    a, b = 0.5 * length, 0.5 * width
    return np.array([[middle + a, b], [middle + a, -b], [middle - a, -b], [middle - a, b]])


WINDING = LateralPath([LateralStep(15.0 + 45.0 * k, 35.0, 4.0 * (-1.0) ** (k // 2)) for k in range(12)])
"""Two lanes to the left, two to the right, and so on, 4 m each on 35 m."""
AHEAD = (0.4, 0.8, 1.6)
"""Previews of the agent, in seconds at the speed to be held."""


class PathFollowing(Task):
    """Along a path, at constant speed.

    The reward of a step is at most 1: the part of the speed that is made along the path, less the squares of
    the distance from the path in parts of `width` and of the change of the actions.  Leaving the strip ends
    the episode.

    Parameters
    ----------
    vehicle : DrivenVehicle
    path : Path
        A winding one if not given.
    width : float
        How far off the path the vehicle may get [m].
    offset, heading : float
        How far from the path and how much askew an episode begins at most [m, rad].
    duration : float
        [s].
    """

    name = "path-following"
    title = "following a path"
    manoeuvre = "straight"
    default_speed: ClassVar[float | None] = 12.0
    goal = ("x0", "y0", "yaw0")
    facts: tuple[str, ...] = ("along",)

    def __init__(
        self,
        vehicle: DrivenVehicle,
        *,
        path: Path = WINDING,
        width: float = 3.0,
        offset: float = 0.5,
        heading: float = 0.05,
        duration: float = 20.0,
    ) -> None:
        super().__init__(vehicle)
        self.path = checks.instance("path following: path", path, Path, "a Path")
        for what, value in (("width", width), ("duration", duration)):
            checks.number(f"{self.name}: {what}", value, above=0.0)
        self.width, self.duration = width, duration
        self._spread = np.array([0.0, offset, heading])
        self.features = (
            Feature("offset", "m", width, 20.0 * width),
            Feature("heading_error", "rad", 1.0, np.pi),
            *(Feature(f"aim_{k}", "m", 5.0, 1e3) for k in range(len(AHEAD))),
            *(Feature(f"curvature_{k}", "1/m", 0.02, 1e3) for k in range(len(AHEAD))),
            VX,
            VY,
            YAW_RATE,
            STEERING,
        )

    def observe(self, sensors: Sensors, goal: Array) -> Mapping[str, Scalar]:
        x, y, yaw = to_frame(sensors, *goal)
        speed = self.vehicle.speed
        views = [self.path.view(x, y, yaw, speed * ahead, speed * ahead) for ahead in AHEAD]
        error = views[0].heading_error
        found: dict[str, Scalar] = {
            "offset": views[0].offset,
            "heading_error": error,
            "along": sensors["vx"] * cos(error) - sensors["vy"] * sin(error),
        }
        for k, view in enumerate(views):
            found |= {f"aim_{k}": view.aim, f"curvature_{k}": view.curvature}
        return found | {name: sensors[name] for name in ("vx", "vy", "yaw_rate", "steering")}

    def drawn(self, random: np.random.Generator) -> Floats:
        drawn: Floats = random.uniform(-self._spread, self._spread)
        return drawn

    def judge(self, before: Seen, now: Seen, actions: Floats, previous: Floats) -> Judgement:
        offset, speed = now["offset"] / self.width, self.vehicle.speed
        made = 1.0 - np.abs(now["along"] - speed) / speed
        reward = made - offset * offset - 0.05 * ((actions - previous) ** 2).sum(axis=1)
        left = np.abs(offset) > 1.0
        return Judgement(reward - self.failure * left, left, np.zeros_like(left))

    def lines(self, goal: Floats, x: Floats) -> list[GroundLine]:
        along = np.linspace(x.min() - 10.0, x.max() + 40.0, 200)
        if not isinstance(self.path, LateralPath):
            return []
        middle = np.array([[s, float(self.path.y_ref(s))] for s in along])
        side = np.array([0.0, self.width])
        found = [GroundLine(to_world(middle, goal), "#0b6fb8")]
        return [
            *found,
            *(GroundLine(to_world(middle + sign * side, goal), "#999999") for sign in (-1.0, 1.0)),
        ]
