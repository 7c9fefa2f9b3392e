"""Steering of a beam axle by a tie rod to either knuckle, from the steering or from the chassis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, RodData, Vector, rod
from ce_dynamics.models.vehicles.suspensions.graph import STEERING, Graph
from ce_dynamics.models.vehicles.suspensions.kingpin import turned_wheel
from ce_dynamics.models.vehicles.suspensions.linked import LinkedCorner
from ce_dynamics.models.vehicles.suspensions.toe_bar import Ends


class TieRodsData(Section):
    """The left rod's inner end, mirrored for the right one; their outer ends are the knuckles' points K."""

    L: Point
    tie_rods: RodData | None = None


@dataclass(frozen=True, eq=False)
class TieRods:
    """The gear in vehicle coordinates.

    Attributes
    ----------
    end : (3,) array
        Inner end of the left rod [m].
    """

    end: Vector
    tie_rods: RodData | None

    @classmethod
    def of(cls, name: str, data: TieRodsData, origin: Vector) -> TieRods:
        """Build the gear from its data."""
        return cls(origin + np.array(data.L), data.tie_rods)

    def inner(self, end: LinkedCorner) -> Vector:
        """The inner end of the rod on a side."""
        return np.asarray(self.end * np.array((1.0, end.side, 1.0)))

    def rods(self, axle: str, ends: Ends) -> Mapping[str, BodyParameters]:
        """Bodies of the rods, where they have mass."""
        if self.tie_rods is None:
            return {}
        return {f"{end.name}.tie_rod": rod(self.tie_rods, end.points["K"], self.inner(end)) for end in ends}

    def connect(self, graph: Graph, ends: Ends) -> None:
        """Knuckles on their kingpins, each in closed form."""
        for end in ends:
            tie_rod = f"{end.name}.tie_rod" if self.tie_rods is not None else None
            points = end.points["D"], end.points["F"], end.points["K"], self.inner(end)
            names = f"{end.name}.knuckle", tie_rod, graph.name("axle"), graph.name(STEERING)
            graph.use(SpindleTieRod(*points, *names))

    def wheel_angle(self, ends: Ends, end: LinkedCorner, L: Vector) -> Scalar:
        """Angle of the wheel at an end with its rod's inner end at L and the beam as designed [rad]."""
        D, F, K = (end.points[name] for name in "DFK")
        return turned_wheel(end.name, D, F, K, self.inner(end), L, end.wheel.axis)
