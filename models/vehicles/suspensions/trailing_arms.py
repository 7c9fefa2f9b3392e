"""One arm that carries the wheel and turns on the chassis: semi-trailing, trailing and swing axle."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkedCorner


class TrailingData(BodyData):
    """An arm; its axis passes through an outer and an inner pivot on the chassis."""

    outer_pivot: Point
    inner_pivot: Point


class TrailingArmData(CornerData):
    """A corner on one arm."""

    trailing_arm: TrailingData
    spring: SpringData
    damper: DamperData


class SwingAxleData(CornerData):
    """A corner on a half axle that swings about an axis along the vehicle."""

    swing_arm: HingedData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class SemiTrailingArmCorner(LinkedCorner):
    """A corner on an arm whose axis lies between along and across the vehicle."""

    template = "semi-trailing-arm"
    section = TrailingArmData
    carrier = arm = bar = "trailing_arm"
    apart = (("trailing_arm.outer_pivot", "trailing_arm.inner_pivot"),)
    off = (("W", "trailing_arm.outer_pivot", "trailing_arm.inner_pivot"),)

    def connect(self, graph: Graph) -> None:
        """The arm on the chassis."""
        p = self.points
        graph.turning("trailing_arm", CHASSIS, p["trailing_arm.inner_pivot"], p["trailing_arm.outer_pivot"])


class TrailingArmCorner(SemiTrailingArmCorner):
    """The same whose axis lies across the vehicle."""

    template = "trailing-arm"


@dataclass(frozen=True, eq=False, kw_only=True)
class SwingAxleCorner(LinkedCorner):
    """A corner on a half axle."""

    template = "swing-axle"
    section = SwingAxleData
    carrier = arm = bar = "swing_arm"
    apart = (("swing_arm.front_pivot", "swing_arm.rear_pivot"),)
    off = (("W", "swing_arm.front_pivot", "swing_arm.rear_pivot"),)

    def connect(self, graph: Graph) -> None:
        """The half axle on the chassis."""
        p = self.points
        graph.turning("swing_arm", CHASSIS, p["swing_arm.rear_pivot"], p["swing_arm.front_pivot"])
