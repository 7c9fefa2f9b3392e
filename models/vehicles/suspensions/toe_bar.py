"""Steering of a beam axle: by drag link and toe bar, or by a tie rod to either knuckle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, RodData, Vector, rod
from ce_dynamics.models.vehicles.suspensions.graph import STEERING, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.linked import LinkedCorner
from ce_dynamics.models.vehicles.suspensions.points import check_apart, measure_wheel_turn

Ends = tuple[LinkedCorner, LinkedCorner]
"""Left and right end of a beam."""


class GearData(Section):
    """Drag link from the steering to a knuckle, that on the side where its end is; rods may have mass."""

    steering: Point
    knuckle: Point
    drag_link: RodData | None = None
    toe_bar: RodData | None = None


@dataclass(frozen=True, eq=False)
class SteeringGear:
    """Drag link and toe bar in vehicle coordinates.

    Attributes
    ----------
    end, knuckle : (3,) arrays
        Ends of the drag link: on the steering and on a knuckle [m].
    """

    end: Vector
    knuckle: Vector
    drag_link: RodData | None
    toe_bar: RodData | None

    @classmethod
    def of(cls, name: str, data: GearData, origin: Vector) -> SteeringGear:
        """Build the gear from its data."""
        check_apart(f"{name}.steering_gear", [("steering", data.steering, "knuckle", data.knuckle)])
        ends = origin + np.array(data.steering), origin + np.array(data.knuckle)
        return cls(*ends, data.drag_link, data.toe_bar)

    def sides(self, ends: Ends) -> Ends:
        """The end that the drag link turns, and the other one."""
        left, right = ends
        return (left, right) if float(np.asarray(self.knuckle)[1]) >= 0.0 else (right, left)

    def rods(self, axle: str, ends: Ends) -> Mapping[str, BodyParameters]:
        """Bodies of drag link and toe bar, where they have mass."""
        one, other = self.sides(ends)
        found = {}
        if self.drag_link is not None:
            found[f"{axle}.drag_link"] = rod(self.drag_link, self.knuckle, self.end)
        if self.toe_bar is not None:
            found[f"{axle}.toe_bar"] = rod(self.toe_bar, other.points["K"], one.points["K"])
        return found

    def connect(self, graph: SuspensionGraph, ends: Ends) -> None:
        """Knuckles on their kingpins, each in closed form."""
        one, other = self.sides(ends)
        names = [f"{end.name}.knuckle" for end in (one, other)]
        axle = graph.name("axle")
        drag_link, toe_bar = (
            graph.name(part) if given is not None else None
            for part, given in (("drag_link", self.drag_link), ("toe_bar", self.toe_bar))
        )
        turned = (one.points["D"], one.points["F"], self.knuckle, self.end)
        graph.use(SpindleTieRod(*turned, names[0], drag_link, axle, graph.name(STEERING)))
        follows = (other.points["D"], other.points["F"], other.points["K"], one.points["K"])
        graph.use(SpindleTieRod(*follows, names[1], toe_bar, axle, names[0]))

    def wheel_angle(self, ends: Ends, end: LinkedCorner, L: Vector) -> Scalar:
        """Angle of the wheel at an end with the drag link's end at L and the beam as designed [rad]."""
        one, other = self.sides(ends)
        D, F = one.points["D"], one.points["F"]
        if end.name == one.name:
            return measure_wheel_turn(one.name, D, F, self.knuckle, self.end, L, one.wheel.axis)
        kingpin = Revolute(F - D, at=D)
        knuckle = RotationToDistance(kingpin, self.knuckle, self.end, f"{one.name} knuckle", "drag link")
        c, s = knuckle.configuration(L - D)
        K = D + rotate_about(kingpin.axis, c, s, one.points["K"] - D)
        p = other.points
        return measure_wheel_turn(other.name, p["D"], p["F"], p["K"], one.points["K"], K, other.wheel.axis)


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

    def connect(self, graph: SuspensionGraph, ends: Ends) -> None:
        """Knuckles on their kingpins, each in closed form."""
        for end in ends:
            tie_rod = f"{end.name}.tie_rod" if self.tie_rods is not None else None
            points = end.points["D"], end.points["F"], end.points["K"], self.inner(end)
            names = f"{end.name}.knuckle", tie_rod, graph.name("axle"), graph.name(STEERING)
            graph.use(SpindleTieRod(*points, *names))

    def wheel_angle(self, ends: Ends, end: LinkedCorner, L: Vector) -> Scalar:
        """Angle of the wheel at an end with its rod's inner end at L and the beam as designed [rad]."""
        D, F, K = (end.points[name] for name in "DFK")
        return measure_wheel_turn(end.name, D, F, K, self.inner(end), L, end.wheel.axis)
