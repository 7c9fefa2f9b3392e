"""Planes: flat, uphill, banked."""

from __future__ import annotations

import math

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction

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
