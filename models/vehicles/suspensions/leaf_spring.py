"""Beams that slide up and down and roll about a point of the chassis, and pinned ones."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked_axles import X, Z


class LeafSpringData(BeamData):
    """The beam rolls about ``roll_centre``, through which the line passes that it slides along."""

    roll_centre: Point


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafSpringAxle(BeamAxle):
    """Leaf springs as a guide: heave along the beam's own vertical, and roll; nothing else moves."""

    template = "leaf-spring"
    section = LeafSpringData
    along = (("roll_centre", 0, ""),)

    def guide(self, graph: Graph) -> None:
        """A guide without mass that rolls on the chassis, and the beam that slides on it."""
        at = self.points["roll_centre"].tolist()
        graph.add("guide", CHASSIS, Revolute(X, at))
        graph.add("axle", "guide", Prismatic(Z, at))


class PinnedData(BeamData):
    """The beam turns about the axis along the vehicle through ``pin``."""

    pin: Point


@dataclass(frozen=True, eq=False, kw_only=True)
class PinnedAxle(BeamAxle):
    """A beam pinned to the chassis: it rolls, without springs."""

    template = "pinned-axle"
    section = PinnedData
    along = (("pin", 0, ""),)

    def guide(self, graph: Graph) -> None:
        """The beam on its pin."""
        graph.add("axle", CHASSIS, Revolute(X, self.points["pin"].tolist()))
