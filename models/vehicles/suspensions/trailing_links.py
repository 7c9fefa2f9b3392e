"""Multi-link: an upright on an upper arm, a lateral and a trailing link, and a tie rod."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
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
    """A corner led by its upper arm; spring and damper act on the trailing link."""

    template = "multi-link"
    section = MultiLinkData
    rods = (("tie_rod", "K", "L"),)
    independent = ("upper_arm",)
    carrier, arm, bar = "upright", "trailing_link", "trailing_link"
    apart = (("upper_arm.front_pivot", "upper_arm.rear_pivot"), ("K", "L"))
    off = (("F", "upper_arm.front_pivot", "upper_arm.rear_pivot"),)

    def connect(self, graph: Graph) -> None:
        """The upright on the arm's ball joint, held by the links and the tie rod."""
        p = self.points
        graph.turning("upper_arm", CHASSIS, *(p[f"upper_arm.{pivot}"] for pivot in PIVOTS[::-1]))
        graph.add("upright", "upper_arm", Spherical(p["F"].tolist()))
        for link in ("lateral_link", "trailing_link"):
            graph.link(link, "upright", p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"], self.joint(link))
        graph.link("tie_rod", "upright", p["K"], STEERING, p["L"])

    def joint(self, link: str) -> Universal | None:
        """The universal joint of a link on the chassis; None for a rod."""
        if f"{link}.first" not in self.points:
            return None
        C, first, second = (self.points[f"{link}.{end}"] for end in ("chassis", "first", "second"))
        return Universal(first - C, second - C, at=C.tolist())

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the upper arm in the design position, the rods turn the upright about its ball joint."""
        p = self.points
        fixed = [(p["F"], p[f"upper_arm.{pivot}"], p[f"upper_arm.{pivot}"]) for pivot in PIVOTS]
        fixed += [
            (p[f"{link}.upright"], p[f"{link}.chassis"], p[f"{link}.chassis"])
            for link in ("lateral_link", "trailing_link")
        ]
        return turned_upright([*fixed, (p["K"], p["L"], L)], p["F"], self.wheel.axis)
