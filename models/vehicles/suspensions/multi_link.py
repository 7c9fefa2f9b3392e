"""Five links: an upright held by five rods, one of which may be the tie rod."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData, RodData, Vector
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.linked import LinkData, LinkedCorner
from ce_dynamics.models.vehicles.suspensions.upright_pose import turned_upright

LINKS = ("link_1", "link_2", "link_3", "link_4")


class FiveLinkData(CornerData):
    """A corner on five rods: four links in any order, and the tie rod from K to L."""

    K: Point
    L: Point
    link_1: LinkData
    link_2: LinkData
    link_3: LinkData
    link_4: LinkData
    tie_rod: RodData | None = None
    upright: BodyData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveLinkCorner(LinkedCorner):
    """A corner on five rods, led by the wheel's travel; spring and damper act on the upright."""

    template = "five-link"
    section = FiveLinkData
    rods = (("tie_rod", "K", "L"),)
    independent = (Component("upright", "z"),)
    carrier, arm, bar = "upright", "upright", "upright"
    apart = (*((f"{link}.chassis", f"{link}.upright") for link in LINKS), ("K", "L"))

    def connect(self, graph: Graph) -> None:
        """The upright on no hinge, counted from the wheel's centre, and the rods."""
        p = self.points
        graph.add("upright", CHASSIS, Free(self.W.tolist()))
        ends = [(link, p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"]) for link in LINKS]
        ends.append(("tie_rod", p["K"], STEERING, p["L"]))
        for name, U, inner, C in ends:
            graph.link(name, "upright", U, inner, C)

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the wheel at its height, the rods lead the upright."""
        p = self.points
        fixed = [(p[f"{link}.upright"], p[f"{link}.chassis"], p[f"{link}.chassis"]) for link in LINKS]
        return turned_upright([*fixed, (p["K"], p["L"], L)], self.W, self.wheel.axis)
