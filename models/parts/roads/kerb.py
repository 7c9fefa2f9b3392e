"""Kerbs, steps, sleepers: level ground at another height behind a rounded edge."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_step, smooth_step_slope
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.roads.sides import STEP_CURVATURE, Side


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
        self.side = Side("kerb", track)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self._profile(x) * self.side.share(y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        s = (x - self.position) / self.edge
        up = smooth_step_slope(s)
        if self.length:
            up = up - smooth_step_slope(s - (self.length / self.edge - 1.0))
        z_x = self.kerb_height / self.edge * up
        return z_x * self.side.share(y), self._profile(x) * self.side.slope(y)

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
