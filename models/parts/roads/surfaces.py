"""Roads of formulas: planes, ramps, bumps, kerbs, across the road or under one track."""

from __future__ import annotations

import math

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar, cos, sin
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.rounding import smooth_hinge, smooth_step, smooth_step_slope, unit_clip

STEEPEST = math.radians(60.0)


class FlatRoad(Road):
    """The plane z = 0.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    """

    title = "flat"

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return 0.0

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return 0.0, 0.0


class InclinedRoad(Road):
    """The plane z = x tan(angle) + y tan(bank).

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    angle : float
        Angle of the grade [rad], uphill along +x if positive, within ±60°.
    bank : float
        Angle across [rad], higher on the left if positive, within ±60°.
    """

    title = "inclined plane"

    def __init__(self, friction: float | Friction, angle: float, bank: float = 0.0) -> None:
        super().__init__(friction)
        self.angle = check_number(
            "inclined road", "angle", angle, at_least=-STEEPEST, at_most=STEEPEST, unit="rad"
        )
        self.bank = check_number(
            "inclined road", "bank", bank, at_least=-STEEPEST, at_most=STEEPEST, unit="rad"
        )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return math.tan(self.angle) * x + math.tan(self.bank) * y

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return math.tan(self.angle), math.tan(self.bank)


class RampRoad(Road):
    """Level up to a place, then of a constant grade, then level.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    grade : float
        Rise over run, uphill along +x if positive.
    position, length : float
        x at which it begins, and how long it is [m].
    rounding : float
        Length over which the grade changes at either end [m].
    """

    title = "ramp"

    def __init__(
        self,
        friction: float | Friction,
        grade: float,
        position: float,
        length: float,
        rounding: float = 1.0,
    ) -> None:
        super().__init__(friction)
        self.grade = check_number("ramp", "grade", grade, at_least=-1.7, at_most=1.7, unit="1")
        self.position = check_number("ramp", "position", position)
        self.rounding = check_number("ramp", "rounding", rounding, above=0.0)
        self.length = check_number("ramp", "length", length, at_least=self.rounding, unit="m")

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        s = x - self.position
        up = smooth_hinge(s, self.rounding) - smooth_hinge(s - self.length, self.rounding)
        return self.grade * up

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        s = (x - self.position) / self.rounding
        up = unit_clip(s) - unit_clip(s - self.length / self.rounding)
        return self.grade * up, 0.0

    @property
    def sharpness(self) -> float:
        return abs(self.grade) / self.rounding


TRACKS = {"both": 0.0, "left": 1.0, "right": -1.0}

EDGE = 0.2
"""Width around y = 0 over which an obstacle of one side fades out [m]."""


class ObstacleSide:
    """Side of the road with an obstacle, ``track``: "both", "left" (y > 0) or "right"."""

    def __init__(self, owner: str, track: str) -> None:
        self.track = checks.choice(f"{owner}: track", track, TRACKS, DataError)
        self.sign = TRACKS[track]

    def share_inside(self, y: Scalar) -> Scalar:
        """Return 1 where the obstacle is, 0 on the other side."""
        return 1.0 if self.track == "both" else smooth_step(0.5 + self.sign * y / EDGE)

    def slope(self, y: Scalar) -> Scalar:
        """Return the derivative of `share_inside`."""
        if self.track == "both":
            return 0.0
        return self.sign / EDGE * smooth_step_slope(0.5 + self.sign * y / EDGE)

    def sharpness(self, height: float) -> float:
        """Return the curvature across an obstacle of a height [1/m]: the quintic step has at most 10/√3."""
        return 0.0 if self.track == "both" else abs(height) * STEP_CURVATURE / EDGE**2


STEP_CURVATURE = 10.0 / 3.0**0.5
"""Largest second derivative of `smooth_step`."""


class BumpRoad(Road):
    """A flat road with one bump across it, z = h (1 − cos 2πξ)/2 for ξ = (x − position)/length in [0, 1].

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    height : float
        h [m]; negative for a dip.
    length : float
        Along x [m], positive.
    position : float
        x at which the bump begins [m].
    track : {"both", "left", "right"}
        Side of the road that has the bump: left is y > 0.  The bump fades out around y = 0.
    """

    title = "bump"

    def __init__(
        self,
        friction: float | Friction,
        height: float,
        length: float,
        position: float,
        track: str = "both",
    ) -> None:
        super().__init__(friction)
        self.bump_height = check_number("bump", "height", height)
        self.length = check_number("bump", "length", length, above=0.0)
        self.position = check_number("bump", "position", position)
        self.side = ObstacleSide("bump", track)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self._profile(x) * self.side.share_inside(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        rate = math.pi * self.bump_height / self.length
        z_x = rate * sin(2.0 * math.pi * self._along(x))
        return z_x * self.side.share_inside(y), self._profile(x) * self.side.slope(y)

    @property
    def sharpness(self) -> float:
        along = 0.5 * abs(self.bump_height) * (2.0 * math.pi / self.length) ** 2
        return max(along, self.side.sharpness(self.bump_height))

    def _along(self, x: Scalar) -> Scalar:
        return unit_clip((x - self.position) / self.length)

    def _profile(self, x: Scalar) -> Scalar:
        return 0.5 * self.bump_height * (1.0 - cos(2.0 * math.pi * self._along(x)))


class HillsRoad(Road):
    """A flat road with a row of hills, z = h sin²(nπξ) sin²(πη), ξ and η in [0, 1] over a rectangle.

    h is negative for hollows; the rectangle has its first corner at x, y [m] and n = ``count`` hills along x.
    """

    title = "hills"

    def __init__(
        self,
        friction: float | Friction,
        height: float,
        x: float,
        y: float,
        length: float,
        width: float,
        count: float = 1,
    ) -> None:
        super().__init__(friction)
        self.hill_height = check_number("hills", "height", height)
        self.x, self.y = check_number("hills", "x", x), check_number("hills", "y", y)
        self.length = check_number("hills", "length", length, above=0.0)
        self.width = check_number("hills", "width", width, above=0.0)
        self.count = check_number("hills", "count", count, at_least=1.0, at_most=1e6, unit="1")
        if self.count != math.floor(self.count):
            raise DataError(f"hills: count {self.count:g} must be a whole number")

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        along, across = self._angles(x, y)
        return self.hill_height * sin(along) ** 2 * sin(across) ** 2

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self._angles(x, y)
        by_x, by_y = math.pi * self.count / self.length, math.pi / self.width
        h = self.hill_height
        return h * by_x * sin(2.0 * along) * sin(across) ** 2, h * by_y * sin(2.0 * across) * sin(along) ** 2

    @property
    def sharpness(self) -> float:
        """Bound of the larger eigenvalue of the second derivatives, by Gershgorin's circles."""
        by_x, by_y = math.pi * self.count / self.length, math.pi / self.width
        return abs(self.hill_height) * (2.0 * max(by_x, by_y) ** 2 + by_x * by_y)

    def _angles(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        xi, eta = unit_clip((x - self.x) / self.length), unit_clip((y - self.y) / self.width)
        return math.pi * self.count * xi, math.pi * eta


class KerbRoad(Road):
    """A step across the road, and after a length one down again.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    height : float
        [m]; negative for a step down or a pothole.
    position : float
        x at which the edge begins [m].
    length : float
        From there to the foot of the other edge [m]; zero for a kerb that stays up.
    edge : float
        Width of an edge along x [m]; it is rounded so that slope and curvature are continuous.
    track : {"both", "left", "right"}
        Side of the road that has it.
    """

    title = "kerb"

    def __init__(
        self,
        friction: float | Friction,
        height: float,
        position: float,
        length: float = 0.0,
        edge: float = 0.05,
        track: str = "both",
    ) -> None:
        super().__init__(friction)
        self.kerb_height = check_number("kerb", "height", height)
        self.position = check_number("kerb", "position", position)
        self.edge = check_number("kerb", "edge", edge, above=0.0)
        self.length = check_number("kerb", "length", length, at_least=0.0)
        if self.length:
            check_number("kerb", "length", length, at_least=2.0 * self.edge, unit="m")
        self.side = ObstacleSide("kerb", track)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self._profile(x) * self.side.share_inside(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        s = (x - self.position) / self.edge
        up = smooth_step_slope(s)
        if self.length:
            up = up - smooth_step_slope(s - (self.length / self.edge - 1.0))
        z_x = self.kerb_height / self.edge * up
        return z_x * self.side.share_inside(y), self._profile(x) * self.side.slope(y)

    @property
    def sharpness(self) -> float:
        along = abs(self.kerb_height) * STEP_CURVATURE / self.edge**2
        return max(along, self.side.sharpness(self.kerb_height))

    def _profile(self, x: Scalar) -> Scalar:
        s = (x - self.position) / self.edge
        up = smooth_step(s)
        if self.length:
            up = up - smooth_step(s - (self.length / self.edge - 1.0))
        return self.kerb_height * up
