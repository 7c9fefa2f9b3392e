"""Roads of formulas: planes, ramps, bumps, hills, kerbs, across the road or under one track."""

from __future__ import annotations

import math
from abc import abstractmethod

from ce_dynamics.algebra.arrays import Scalar, cos, sin
from ce_dynamics.models.data.quantities import Option, check_number
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.rounding import smooth_hinge, smooth_step, smooth_step_slope, unit_clip

STEEPEST = math.radians(60.0)


class FlatRoad(Road):
    """The plane z = 0."""

    title = "flat"

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return 0.0

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return 0.0, 0.0


class InclinedRoad(Road):
    """The plane z = x tan(angle) + y tan(bank)."""

    title = "inclined plane"
    options = (
        Option("angle", "rad", None, "of the grade, uphill along x", at_least=-STEEPEST, at_most=STEEPEST),
        Option("bank", "rad", 0.0, "across, higher on the left", at_least=-STEEPEST, at_most=STEEPEST),
    )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        z_x, z_y = self.slope(x, y)
        return z_x * x + z_y * y

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return math.tan(self.values["angle"]), math.tan(self.values["bank"])


class RampRoad(Road):
    """Level up to a place, then of a constant grade, then level."""

    title = "ramp"
    options = (
        Option("grade", "1", 0.1, "rise over run", at_least=-1.7, at_most=1.7),
        Option("position", "m", 10.0, "where it begins"),
        Option("length", "m", 20.0, "how long it is"),
        Option("rounding", "m", 1.0, "length over which the grade changes", above=0.0),
    )

    def _prepare(self) -> None:
        v = self.values
        check_number("ramp", "length", v["length"], at_least=v["rounding"], unit="m")

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        v = self.values
        s = x - v["position"]
        up = smooth_hinge(s, v["rounding"]) - smooth_hinge(s - v["length"], v["rounding"])
        return v["grade"] * up

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        v = self.values
        s = (x - v["position"]) / v["rounding"]
        up = unit_clip(s) - unit_clip(s - v["length"] / v["rounding"])
        return v["grade"] * up, 0.0

    @property
    def sharpness(self) -> float:
        return abs(self.values["grade"]) / self.values["rounding"]


TRACKS = {"both": 0.0, "left": 1.0, "right": -1.0}
TRACK = Option("track", "", "both", "both, left or right", among=tuple(TRACKS))

EDGE = 0.2
"""Width around y = 0 over which an obstacle of one side fades out [m]."""
STEP_CURVATURE = 10.0 / 3.0**0.5
"""Largest second derivative of `smooth_step`."""


class Obstacle(Road):
    """A profile along x, of a height, on both tracks or on one, where it fades out around y = 0."""

    @property
    @abstractmethod
    def curvature(self) -> float:
        """Largest second derivative of the profile [1/m]."""

    @abstractmethod
    def profile(self, x: Scalar) -> Scalar:
        """Return the height along the road [m]."""

    @abstractmethod
    def grade(self, x: Scalar) -> Scalar:
        """Return the derivative of `profile`."""

    @property
    def sign(self) -> float:
        """Sign of y on the track; 0 for both."""
        return TRACKS[str(self.values["track"])]

    def share_inside(self, y: Scalar) -> Scalar:
        """Return 1 where the obstacle is, 0 on the other side."""
        sign = self.sign
        return smooth_step(0.5 + sign * y / EDGE) if sign else 1.0

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.profile(x) * self.share_inside(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        sign = self.sign
        across = sign / EDGE * smooth_step_slope(0.5 + sign * y / EDGE) if sign else 0.0
        return self.grade(x) * self.share_inside(y), self.profile(x) * across

    @property
    def sharpness(self) -> float:
        return max(self.curvature, abs(self.sign * self.values["height"]) * STEP_CURVATURE / EDGE**2)


class BumpRoad(Obstacle):
    """A flat road with one bump across it, z = h (1 − cos 2πξ)/2 for ξ = (x − position)/length in [0, 1]."""

    title = "bump"
    options = (
        Option("height", "m", 0.1, "negative for a dip"),
        Option("length", "m", 2.0, "along x", above=0.0),
        Option("position", "m", 8.0, "where it begins"),
        TRACK,
    )

    @property
    def curvature(self) -> float:
        return 0.5 * abs(self.values["height"]) * (2.0 * math.pi / self.values["length"]) ** 2

    def grade(self, x: Scalar) -> Scalar:
        rate = math.pi * self.values["height"] / self.values["length"]
        return rate * sin(2.0 * math.pi * self._along(x))

    def profile(self, x: Scalar) -> Scalar:
        return 0.5 * self.values["height"] * (1.0 - cos(2.0 * math.pi * self._along(x)))

    def _along(self, x: Scalar) -> Scalar:
        return unit_clip((x - self.values["position"]) / self.values["length"])


class KerbRoad(Obstacle):
    """A step across the road, and after a length one down again; its slope and curvature are continuous."""

    title = "kerb"
    options = (
        Option("height", "m", 0.1, "negative for a step down"),
        Option("position", "m", 10.0, "where it begins"),
        Option("length", "m", 0.0, "to the end of the step down; 0 stays up", at_least=0.0),
        Option("edge", "m", 0.05, "width of an edge", above=0.0),
        TRACK,
    )

    def _prepare(self) -> None:
        v = self.values
        if v["length"]:
            check_number("kerb", "length", v["length"], at_least=2.0 * v["edge"], unit="m")

    @property
    def curvature(self) -> float:
        return abs(self.values["height"]) * STEP_CURVATURE / self.values["edge"] ** 2

    def grade(self, x: Scalar) -> Scalar:
        v = self.values
        s = (x - v["position"]) / v["edge"]
        up = smooth_step_slope(s)
        if v["length"]:
            up = up - smooth_step_slope(s - (v["length"] / v["edge"] - 1.0))
        return v["height"] / v["edge"] * up

    def profile(self, x: Scalar) -> Scalar:
        v = self.values
        s = (x - v["position"]) / v["edge"]
        up = smooth_step(s)
        if v["length"]:
            up = up - smooth_step(s - (v["length"] / v["edge"] - 1.0))
        return v["height"] * up


class HillsRoad(Road):
    """A flat road with a row of n hills, z = h sin²(nπξ) sin²(πη), ξ and η in [0, 1] over a rectangle."""

    title = "hills"
    options = (
        Option("height", "m", 0.1, "negative for hollows"),
        Option("x", "m", 10.0, "first corner"),
        Option("y", "m", -2.0, "first corner"),
        Option("length", "m", 10.0, "of the rectangle", above=0.0),
        Option("width", "m", 4.0, "of the rectangle", above=0.0),
        Option("count", "1", 1.0, "hills along x", at_least=1.0, at_most=1e6, whole=True),
    )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        along, across = self._angles(x, y)
        return self.values["height"] * sin(along) ** 2 * sin(across) ** 2

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self._angles(x, y)
        h, (by_x, by_y) = self.values["height"], self._rates
        return h * by_x * sin(2.0 * along) * sin(across) ** 2, h * by_y * sin(2.0 * across) * sin(along) ** 2

    @property
    def sharpness(self) -> float:
        """Bound of the larger eigenvalue of the second derivatives, by Gershgorin's circles."""
        by_x, by_y = self._rates
        return abs(self.values["height"]) * (2.0 * max(by_x, by_y) ** 2 + by_x * by_y)

    @property
    def _rates(self) -> tuple[float, float]:
        v = self.values
        return math.pi * v["count"] / v["length"], math.pi / v["width"]

    def _angles(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        v = self.values
        xi, eta = unit_clip((x - v["x"]) / v["length"]), unit_clip((y - v["y"]) / v["width"])
        return math.pi * v["count"] * xi, math.pi * eta
