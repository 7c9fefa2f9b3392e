"""A ramp: level, uphill or downhill, level again."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.ramps import smooth_hinge, unit_clip
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction


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
        self.grade = check_number("ramp", "grade", grade, at_least=-1.7, at_most=1.7)
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
