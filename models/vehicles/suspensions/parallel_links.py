"""A beam on lower and upper links that turn about lines across the vehicle, as air suspensions have.

Pivots without play on either side hold the beam in roll and yaw: it rises and pitches as a four-bar linkage
in the plane along the vehicle, and links of both sides, which turn by the same angle, are one body each.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.swing_arm import SwingArm
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData, SteeredEndData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked_axles import Y


class LinksData(BodyData):
    """The links of both sides, in the middle; ``pivot`` on the chassis, ``joint`` on the beam."""

    pivot: Point
    joint: Point


class ParallelLinksData(BeamData):
    """Data of the axle as a whole."""

    lower_links: LinksData
    upper_links: LinksData


class ParallelEndData(CornerData):
    """One end: spring and damper on the lower links, and others on the beam."""

    spring: SpringData | None = None
    damper: DamperData | None = None
    beam_spring: SpringData | None = None
    beam_damper: DamperData | None = None


class SteeredParallelEndData(SteeredEndData):
    """The same of an axle with knuckles."""

    beam_spring: SpringData | None = None
    beam_damper: DamperData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ParallelLinksAxle(BeamAxle):
    """A beam led by the angle of its lower links."""

    template = "parallel-links"
    section = ParallelLinksData
    end = ParallelEndData
    steered_end = SteeredParallelEndData
    along = tuple(
        (f"{which}_links.{point}", 1, "") for which in ("lower", "upper") for point in ("pivot", "joint")
    )

    def spring_carrier(self, end: str, element: str = "") -> str:
        """The beam for what is named after it, else the lower links."""
        return f"{self.name}.{'axle' if element.startswith('beam') else 'lower_links'}"

    def guide(self, graph: Graph) -> None:
        """The four-bar linkage in closed form, the upper links following the beam."""
        lower, upper = (
            (self.points[f"{which}_links.pivot"], self.points[f"{which}_links.joint"])
            for which in ("lower", "upper")
        )
        graph.add("lower_links", CHASSIS, Revolute(Y, lower[0].tolist()))
        axle, links, chassis = graph.name("axle"), graph.name("lower_links"), graph.name(CHASSIS)
        graph.use(SpindleTieRod(lower[1], lower[1] + Y, upper[1], upper[0], axle, None, links, chassis))
        graph.use(SwingArm(upper[0] - Y, upper[0] + Y, upper[1], graph.name("upper_links"), chassis, axle))
