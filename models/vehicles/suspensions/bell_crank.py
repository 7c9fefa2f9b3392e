"""Steering of a beam axle by a bell crank on it: a drag link turns the crank, tie rods turn both knuckles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, RodData, Vector, body, rod
from ce_dynamics.models.vehicles.suspensions.graph import STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.linked import LinkedCorner
from ce_dynamics.models.vehicles.suspensions.points import check_apart, check_off, measure_wheel_turn
from ce_dynamics.models.vehicles.suspensions.toe_bar import Ends


class CrankData(BodyData):
    """A crank that turns on the beam about the line through ``pivot`` and ``shaft``.

    ``drag_link`` is its point for the drag link, ``left_rod`` and ``right_rod`` are those for the tie rods.
    """

    pivot: Point
    shaft: Point
    drag_link: Point
    left_rod: Point
    right_rod: Point


class BellCrankData(Section):
    """Crank, drag link from the steering to it, tie rods from it to the knuckles' points K."""

    steering: Point
    crank: CrankData
    drag_link: RodData | None = None
    tie_rods: RodData | None = None


@dataclass(frozen=True, eq=False)
class BellCrank:
    """The gear in vehicle coordinates; see `CrankData` for its points."""

    end: Vector
    pivot: Vector
    axis: Vector
    knob: Vector
    rods_on_crank: tuple[Vector, Vector]
    crank: BodyParameters
    drag_link: RodData | None
    tie_rods: RodData | None

    @classmethod
    def of(cls, name: str, data: BellCrankData, origin: Vector) -> BellCrank:
        """Build the gear from its data."""
        c = data.crank
        owner = f"{name}.steering_gear"
        check_apart(owner, [("steering", data.steering, "crank.drag_link", c.drag_link)])
        check_apart(owner, [("crank.pivot", c.pivot, "crank.shaft", c.shaft)])
        check_off(owner, [("crank.drag_link", c.drag_link, "the crank's axis", c.pivot, c.shaft)])
        along = np.array(c.shaft) - np.array(c.pivot)
        end, pivot, knob, left, right = (
            origin + np.array(point)
            for point in (data.steering, c.pivot, c.drag_link, c.left_rod, c.right_rod)
        )
        axis = along / magnitude(along)
        return cls(end, pivot, axis, knob, (left, right), body(c, origin), data.drag_link, data.tie_rods)

    def rods(self, axle: str, ends: Ends) -> Mapping[str, BodyParameters]:
        """Bodies of crank, drag link and tie rods, the latter where they have mass."""
        found = {f"{axle}.crank": self.crank}
        if self.drag_link is not None:
            found[f"{axle}.drag_link"] = rod(self.drag_link, self.knob, self.end)
        if self.tie_rods is not None:
            for end, inner in zip(ends, self.rods_on_crank, strict=True):
                found[f"{end.name}.tie_rod"] = rod(self.tie_rods, end.points["K"], inner)
        return found

    def connect(self, graph: Graph, ends: Ends) -> None:
        """Crank and knuckles, each in closed form."""
        axle, crank = graph.name("axle"), graph.name("crank")
        drag_link = graph.name("drag_link") if self.drag_link is not None else None
        turned = self.pivot, self.pivot + self.axis, self.knob, self.end
        graph.use(SpindleTieRod(*turned, crank, drag_link, axle, graph.name(STEERING)))
        for end, inner in zip(ends, self.rods_on_crank, strict=True):
            tie_rod = f"{end.name}.tie_rod" if self.tie_rods is not None else None
            points = end.points["D"], end.points["F"], end.points["K"], inner
            graph.use(SpindleTieRod(*points, f"{end.name}.knuckle", tie_rod, axle, crank))

    def wheel_angle(self, ends: Ends, end: LinkedCorner, L: Vector) -> Scalar:
        """Angle of the wheel at an end with the drag link's end at L and the beam as designed [rad]."""
        hinge = Revolute(self.axis, at=self.pivot)
        crank = RotationToDistance(hinge, self.knob, self.end, f"{end.name} crank", "drag link")
        c, s = crank.configuration(L - self.pivot)
        inner = self.rods_on_crank[0 if end.name == ends[0].name else 1]
        now = self.pivot + rotate_about(hinge.axis, c, s, inner - self.pivot)
        D, F, K = (end.points[name] for name in "DFK")
        return measure_wheel_turn(end.name, D, F, K, inner, now, end.wheel.axis)
