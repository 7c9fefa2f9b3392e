"""Following a path at a speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cos, sin
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.environments.task import (
    STEERING,
    VX,
    VY,
    YAW_RATE,
    DrivenVehicle,
    Feature,
    GroundLine,
    Judgement,
    Seen,
    Sensors,
    Task,
    to_frame,
    to_world,
)
from ce_dynamics.models.parts.paths import LateralPath, LateralStep, Path

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
