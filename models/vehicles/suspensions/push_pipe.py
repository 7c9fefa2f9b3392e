"""Beams on a ball joint of the chassis: held sideways by a Panhard rod, or by a Watt linkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, RodData, Vector
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, SuspensionGraph

X, Y, Z = np.eye(3)


class PanhardData(Section):
    """A rod from the beam to the chassis."""

    axle: Point
    chassis: Point


class PushPipeData(BeamData):
    """The beam's pipe ends in ``ball`` on the chassis."""

    ball: Point
    panhard: PanhardData
    panhard_rod: RodData | None = None


class CentreLinkData(BodyData):
    """The middle link of a Watt linkage; it turns on the beam about the axis along the vehicle."""

    pivot: Point


class WattLinkData(Section):
    """An outer link of a Watt linkage, from the chassis to the middle link."""

    chassis: Point
    centre: Point


class DeDionData(BeamData):
    """The beam's tube ends in ``ball`` on the chassis."""

    ball: Point
    centre_link: CentreLinkData
    left_link: WattLinkData
    right_link: WattLinkData
    left_rod: RodData | None = None
    right_rod: RodData | None = None


def on_ball(graph: SuspensionGraph, ball: Vector) -> Revolute:
    """Two bodies without mass that pitch and roll about a ball joint, and the hinge for the beam's yaw."""
    at = ball.tolist()
    graph.add("pitch", CHASSIS, Revolute(Y, at))
    graph.add("roll", "pitch", Revolute(X, at))
    return Revolute(Z, at)


@dataclass(frozen=True, eq=False, kw_only=True)
class PushPipeAxle(BeamAxle):
    """A beam with a push pipe and a Panhard rod, led by pitch and roll about the ball joint."""

    template = "push-pipe"
    section = PushPipeData
    rods = (("panhard_rod", "panhard.axle", "panhard.chassis"),)

    def guide(self, graph: SuspensionGraph) -> None:
        """The Panhard rod finds the yaw in closed form."""
        p = self.points
        on_ball(graph, p["ball"])
        axle, roll, chassis = (graph.name(name) for name in ("axle", "roll", CHASSIS))
        ends = p["ball"], p["ball"] + Z, p["panhard.axle"], p["panhard.chassis"]
        given = graph.name("panhard_rod") in self.parts
        graph.use(SpindleTieRod(*ends, axle, graph.name("panhard_rod") if given else None, roll, chassis))


@dataclass(frozen=True, eq=False, kw_only=True)
class DeDionAxle(BeamAxle):
    """A beam on a ball joint with a Watt linkage, led by pitch and roll about the ball joint."""

    template = "de-dion"
    final_drive = "chassis"
    section = DeDionData
    rods = (
        ("left_rod", "left_link.centre", "left_link.chassis"),
        ("right_rod", "right_link.centre", "right_link.chassis"),
    )
    independent = ("pitch", "roll")
    along = (("centre_link.pivot", 0, "left_link.centre"),)

    def guide(self, graph: SuspensionGraph) -> None:
        """Two outer links find the yaw and the angle of the middle link."""
        p = self.points
        graph.add("axle", "roll", on_ball(graph, p["ball"]))
        graph.add("centre_link", "axle", Revolute(X, p["centre_link.pivot"].tolist()))
        for side in ("left", "right"):
            C, H = p[f"{side}_link.centre"], p[f"{side}_link.chassis"]
            graph.close("centre_link", CHASSIS, Distance(C.tolist(), H.tolist()), f"{side}_link")
        for side in ("left", "right"):
            graph.rod(
                f"{side}_rod", "centre_link", p[f"{side}_link.centre"], CHASSIS, p[f"{side}_link.chassis"]
            )
