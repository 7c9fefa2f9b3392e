"""A bump or a dip across the road."""

from __future__ import annotations

import math

from ce_dynamics.algebra.arrays import Scalar, cos, sin
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import unit_clip
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.roads.sides import Side


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
        self.side = Side("bump", track)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self._profile(x) * self.side.share(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        rate = math.pi * self.bump_height / self.length
        z_x = rate * sin(2.0 * math.pi * self._along(x))
        return z_x * self.side.share(y), self._profile(x) * self.side.slope(y)

    @property
    def sharpness(self) -> float:
        along = 0.5 * abs(self.bump_height) * (2.0 * math.pi / self.length) ** 2
        return max(along, self.side.sharpness(self.bump_height))

    def _along(self, x: Scalar) -> Scalar:
        return unit_clip((x - self.position) / self.length)

    def _profile(self, x: Scalar) -> Scalar:
        return 0.5 * self.bump_height * (1.0 - cos(2.0 * math.pi * self._along(x)))
