"""Single wishbone: one arm carries the kingpin, about which a tie rod turns the upright."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData, RodData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkedCorner


class SingleWishboneData(CornerData):
    """A corner on one wishbone; D, F: two points of the kingpin, which is fixed on the arm; K, L: tie rod."""

    D: Point
    F: Point
    K: Point
    L: Point
    control_arm: HingedData
    upright: BodyData
    tie_rod: RodData | None = None
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class SingleWishboneCorner(LinkedCorner):
    """A corner on one wishbone: spring and damper act on the arm."""

    template = "single-wishbone"
    section = SingleWishboneData
    rods = (("tie_rod", "K", "L"),)
    carrier, arm, bar = "upright", "control_arm", "control_arm"
    apart = (("control_arm.front_pivot", "control_arm.rear_pivot"), ("D", "F"), ("K", "L"))
    off = (("K", "D", "F"),)
    pins = (("upright", "D"), ("upright", "F"))

    def connect(self, graph: Graph) -> None:
        """The arm on the chassis, the upright on the arm, held by the tie rod."""
        p = self.points
        graph.turning("control_arm", CHASSIS, p["control_arm.rear_pivot"], p["control_arm.front_pivot"])
        tie_rod = graph.name("tie_rod") if "tie_rod" in self.parts else None
        names = (graph.name("upright"), tie_rod, graph.name("control_arm"), graph.name(STEERING))
        graph.use(SpindleTieRod(p["D"], p["F"], p["K"], p["L"], *names))
