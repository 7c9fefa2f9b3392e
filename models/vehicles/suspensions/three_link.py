"""Three links: a trailing arm on a ball joint of the chassis, and two lateral links."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked import LinkData, LinkedCorner


class HingedArmData(BodyData):
    """A trailing arm on a ball joint."""

    pivot: Point


class ThreeLinkData(CornerData):
    """A corner on a trailing arm and two links; the links' outer ends are called ``upright``."""

    trailing_arm: HingedArmData
    upper_link: LinkData
    lower_link: LinkData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeLinkCorner(LinkedCorner):
    """A corner on a trailing arm and two links, led by the pitch of the arm."""

    template = "three-link"
    section = ThreeLinkData
    independent = (Component("trailing_arm", "pitch"),)
    carrier = arm = bar = "trailing_arm"
    apart = (("upper_link.chassis", "upper_link.upright"), ("lower_link.chassis", "lower_link.upright"))

    def connect(self, graph: Graph) -> None:
        """The arm on its ball joint, held by the links."""
        p = self.points
        graph.add("trailing_arm", CHASSIS, Spherical(p["trailing_arm.pivot"].tolist()))
        for link in ("upper_link", "lower_link"):
            graph.link(link, "trailing_arm", p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"])
