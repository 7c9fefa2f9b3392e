"""Multi-link: an upright on an upper arm, a lateral and a trailing link, and a tie rod."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.kinematics.swing_arm import SwingArm
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData, RodData, Vector
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkData, LinkedCorner, MassiveLinkData
from ce_dynamics.models.vehicles.suspensions.upright_pose import turned_upright

PIVOTS = ("front_pivot", "rear_pivot")


class MultiLinkData(CornerData):
    """A corner on an upper arm with ball joint F, two links and the tie rod from K to L."""

    F: Point
    K: Point
    L: Point
    upper_arm: HingedData
    lateral_link: LinkData
    trailing_link: MassiveLinkData
    tie_rod: RodData | None = None
    upright: BodyData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiLinkCorner(LinkedCorner):
    """A corner led by the wheel's travel; spring and damper act on the trailing link."""

    template = "multi-link"
    section = MultiLinkData
    rods = (("tie_rod", "K", "L"),)
    independent = (Component("upright", "z"),)
    carrier, arm, bar = "upright", "trailing_link", "trailing_link"
    apart = (("upper_arm.front_pivot", "upper_arm.rear_pivot"), ("K", "L"))
    off = (("F", "upper_arm.front_pivot", "upper_arm.rear_pivot"),)

    def connect(self, graph: Graph) -> None:
        """The upright on no hinge, counted from the wheel's centre; the arm as the two legs that hold F."""
        p = self.points
        graph.add("upright", CHASSIS, Free(self.W.tolist()))
        legs = [p[f"upper_arm.{pivot}"] for pivot in PIVOTS]
        for pivot, leg in zip(PIVOTS, legs, strict=True):
            graph.close("upright", CHASSIS, Distance(p["F"].tolist(), leg.tolist()), f"upper arm, {pivot}")
        for link in ("lateral_link", "trailing_link"):
            graph.link(link, "upright", p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"])
        graph.link("tie_rod", "upright", p["K"], STEERING, p["L"])
        upper_arm, chassis, upright = (graph.name(name) for name in ("upper_arm", CHASSIS, "upright"))
        graph.use(SwingArm(legs[1], legs[0], p["F"], upper_arm, chassis, upright))

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the wheel at its height, arm and rods lead the upright."""
        p = self.points
        fixed = [(p["F"], p[f"upper_arm.{pivot}"], p[f"upper_arm.{pivot}"]) for pivot in PIVOTS]
        fixed += [
            (p[f"{link}.upright"], p[f"{link}.chassis"], p[f"{link}.chassis"])
            for link in ("lateral_link", "trailing_link")
        ]
        return turned_upright([*fixed, (p["K"], p["L"], L)], self.W, self.wheel.axis)
