"""MacPherson strut: a lower arm, and an upright that slides and turns on a strut hung from the chassis."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.kinematics.strut import StrutLoop
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData, RodData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkedCorner


class MacPhersonData(CornerData):
    """A corner on a strut.

    D: ball joint of lower arm and upright; F: the strut's top mount on the chassis; S: a point of the strut's
    axis on the upright; K, L: outer and inner tie-rod joint.  The strut is the part that does not turn with
    the upright; without it, and without a rod, these have no mass.
    """

    D: Point
    F: Point
    S: Point
    K: Point
    L: Point
    lower_arm: HingedData
    upright: BodyData
    strut: BodyData | None = None
    tie_rod: RodData | None = None
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class MacPhersonCorner(LinkedCorner):
    """A corner on a strut: spring and damper act between chassis and upright."""

    template = "macpherson"
    section = MacPhersonData
    rods = (("tie_rod", "K", "L"),)
    carrier, arm, bar = "upright", "upright", "lower_arm"
    apart = (("lower_arm.front_pivot", "lower_arm.rear_pivot"), ("F", "S"), ("K", "L"), ("D", "F"))
    off = (("D", "lower_arm.front_pivot", "lower_arm.rear_pivot"), ("K", "D", "F"))
    pins = (("upright", "D"), (CHASSIS, "F"))

    def connect(self, graph: Graph) -> None:
        """Arm, upright and tie rod in closed form; the strut and the rod where they have mass."""
        p = self.points
        axis = p["lower_arm.rear_pivot"], p["lower_arm.front_pivot"]
        arm, kingpin, swivel, upright, chassis, anchor = (
            graph.name(name) for name in ("lower_arm", "kingpin", "swivel", "upright", CHASSIS, STEERING)
        )
        points = (*axis, p["D"], p["F"], p["S"], p["K"], p["L"])
        graph.use(StrutLoop(*points, arm, kingpin, swivel, upright, chassis, anchor))
        graph.rod("strut", CHASSIS, p["F"], "upright", p["S"], fixed_length=False)
        graph.rod("tie_rod", "upright", p["K"], STEERING, p["L"])
