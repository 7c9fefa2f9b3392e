"""Roads: height, normal and friction coefficient over the ground plane."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, maximum, minimum, sin, sqrt
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_step, smooth_step_slope


class Road(ABC):
    """Contract of a road, in ground axes with z up.

    1. `height` is a once differentiable function of x and y; no overhangs.
    2. `slope` is its gradient, from which `normal` follows.
    3. `friction` is positive.
    4. All are written on scalars and `where`: they never branch on a value.
    """

    @abstractmethod
    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """z of the road [m]."""

    @abstractmethod
    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """(∂z/∂x, ∂z/∂y)."""

    def normal(self, x: Scalar, y: Scalar) -> Array:
        """Upward unit normal (3,)."""
        z_x, z_y = self.slope(x, y)
        length = sqrt(1.0 + z_x * z_x + z_y * z_y)
        return array((-z_x / length, -z_y / length, 1.0 / length))

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        """Friction coefficient μ."""
        return self._friction

    def __init__(self, friction: float) -> None:
        self._friction = check_number("road", "friction", friction, above=0.0)


class FlatRoad(Road):
    """The plane z = 0.

    Parameters
    ----------
    friction : float
        Friction coefficient, positive.
    """

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return 0.0

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return 0.0, 0.0


class InclinedRoad(Road):
    """The plane z = x tan(angle): uphill along +x for a positive angle.

    Parameters
    ----------
    friction : float
        Friction coefficient, positive.
    angle : float
        Angle of the grade [rad], within ±60°.
    """

    def __init__(self, friction: float, angle: float) -> None:
        super().__init__(friction)
        steepest = math.radians(60.0)
        self.angle = check_number("inclined road", "angle", angle, at_least=-steepest, at_most=steepest)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return math.tan(self.angle) * x

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        return math.tan(self.angle), 0.0


class BumpRoad(Road):
    """A flat road with one bump across it, z = h (1 − cos 2πξ)/2 for ξ = (x − position)/length in [0, 1].

    Parameters
    ----------
    friction : float
        Friction coefficient, positive.
    height : float
        h [m]; negative for a dip.
    length : float
        Along x [m], positive.
    position : float
        x at which the bump begins [m].
    track : {"both", "left", "right"}
        Side of the road that has the bump: left is y > 0.  The bump fades out over ``EDGE`` around y = 0.
    """

    EDGE = 0.2
    """Width over which a one-sided bump fades out [m]."""

    def __init__(
        self, friction: float, height: float, length: float, position: float, track: str = "both"
    ) -> None:
        super().__init__(friction)
        self.bump_height = check_number("bump", "height", height)
        self.length = check_number("bump", "length", length, above=0.0)
        self.position = check_number("bump", "position", position)
        if track not in ("both", "left", "right"):
            raise DataError(f"bump: track = {track!r} must be 'both', 'left' or 'right'")
        self.track = track

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self._profile(x) * self._window(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        rate = math.pi * self.bump_height / self.length
        z_x = rate * sin(2.0 * math.pi * self._along(x))
        return z_x * self._window(y), self._profile(x) * self._window_slope(y)

    def _along(self, x: Scalar) -> Scalar:
        return minimum(maximum((x - self.position) / self.length, 0.0), 1.0)

    def _profile(self, x: Scalar) -> Scalar:
        return 0.5 * self.bump_height * (1.0 - cos(2.0 * math.pi * self._along(x)))

    @property
    def _side(self) -> float:
        return {"both": 0.0, "left": 1.0, "right": -1.0}[self.track]

    def _window(self, y: Scalar) -> Scalar:
        return 1.0 if self.track == "both" else smooth_step(0.5 + self._side * y / self.EDGE)

    def _window_slope(self, y: Scalar) -> Scalar:
        if self.track == "both":
            return 0.0
        return self._side / self.EDGE * smooth_step_slope(0.5 + self._side * y / self.EDGE)
