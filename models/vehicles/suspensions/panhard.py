"""A beam that moves in a plane across the vehicle, held sideways by a Panhard rod."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.vehicles.bodies import RodData
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked_axles import X, Y, Z
from ce_dynamics.models.vehicles.suspensions.push_pipe import PanhardData


class PanhardAxleData(BeamData):
    """The beam neither pitches nor yaws nor moves along the vehicle."""

    panhard: PanhardData
    panhard_rod: RodData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PanhardAxle(BeamAxle):
    """A beam led by heave and roll; the rod finds how far it moves sideways."""

    template = "panhard"
    section = PanhardAxleData
    rods = (("panhard_rod", "panhard.axle", "panhard.chassis"),)
    independent = ("heave", "axle")

    def guide(self, graph: Graph) -> None:
        """Two bodies without mass that slide up and sideways, the beam that rolls on them, and the rod."""
        p = self.points
        at = self.parts[graph.name("axle")].com.tolist()
        graph.add("heave", CHASSIS, Prismatic(Z, at))
        graph.add("sideways", "heave", Prismatic(Y, at))
        graph.add("axle", "sideways", Revolute(X, at))
        graph.link("panhard_rod", "axle", p["panhard.axle"], CHASSIS, p["panhard.chassis"])
