"""Steering by a rack, or by an arm that turns on the chassis and carries the inner ends of drag links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length, ParameterQuantity, Point
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, Vector, add_rigid_body, body
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.base import LedData, Steering
from ce_dynamics.models.vehicles.suspensions.points import check_apart


class RackData(BodyData, LedData):
    """A rack: its mass, its centre of mass in vehicle coordinates, and how far it moves at full lock."""

    travel: Length


@dataclass(frozen=True, eq=False)
class Rack(Steering):
    """A rack in vehicle coordinates with its travel at full lock, either way [m].

    ``sense`` is 1 if it steers to the left as it moves there (tie rods ahead of the steering axes), else −1.
    """

    template = "rack"
    section = RackData

    rack: BodyParameters
    travel: float
    sense: int = -1

    @classmethod
    def of(cls, data: RackData) -> Rack:
        """Build the rack from its data."""
        return cls(body(data, np.zeros(3)), data.travel, actuator=data.actuator, column=data.column)

    def aim(self, corners: Sequence[Corner]) -> Rack:
        """Return the rack that steers these corners to the left when the input is positive."""
        corner = corners[0]
        ahead = corner.wheel_angle(corner.tie_rod_end + np.array((0.0, 1e-3, 0.0)))
        left = decide(ahead > 0.0, f"{corner.name}: the side of the steering axis on which K lies")
        return replace(self, sense=1 if left else -1)

    def add(self, system: System, chassis: Body) -> Body:
        """Add the rack with what leads it."""
        gain = self.phase * self.sense * self.travel
        hinge = Prismatic((0.0, 1.0, 0.0), at=self.rack.com)
        name = f"{self.name}.rack"
        rack = add_rigid_body(system, name, self.rack, chassis, hinge, self.armature(gain))
        self.lead(system, rack, gain)
        return rack

    def move_point(self, point: Vector, steering: float) -> Vector:
        """Return the place of a point of the rack at a steering input."""
        return np.asarray(point + np.array((0.0, steering * self.phase * self.sense * self.travel, 0.0)))

    def full_lock(self, part: float = 1.0) -> tuple[str, str]:
        """Return the rack's travel."""
        return f"{self.name}.travel", f"{1e3 * part * self.travel:.4g} mm"

    def bodies(self) -> tuple[BodyParameters, ...]:
        """Return the rack."""
        return (self.rack,)


class RotaryArmData(BodyData, LedData):
    """An arm in vehicle coordinates: it turns about the line through two points of its shaft."""

    pivot: Point
    shaft: Point
    max_angle: Annotated[float, ParameterQuantity("rad", above=0.0, below=math.pi / 2)]


@dataclass(frozen=True, eq=False)
class RotaryArm(Steering):
    """A rotary arm in vehicle coordinates, with its largest angle at full lock, either way [rad].

    ``sense`` is 1 if a positive angle about the axis through the pivot [m] steers to the left, else −1.
    """

    template = "rotary-arm"
    section = RotaryArmData

    arm: BodyParameters
    pivot: Vector
    axis: Vector
    max_angle: float
    sense: int = 1

    @classmethod
    def of(cls, data: RotaryArmData) -> RotaryArm:
        """Build the arm from its data."""
        check_apart("steering", [("pivot", data.pivot, "shaft", data.shaft)])
        along = np.array(data.shaft) - np.array(data.pivot)
        arm = body(data, np.zeros(3))
        led = {"actuator": data.actuator, "column": data.column}
        return cls(arm, np.array(data.pivot), along / magnitude(along), data.max_angle, **led)  # type: ignore[arg-type]  # as named

    def aim(self, corners: Sequence[Corner]) -> RotaryArm:
        """Return the arm that steers these corners to the left when the input is positive."""
        corner = corners[0]
        turned = corner.wheel_angle(self.move_point(corner.tie_rod_end, 1e-3))
        left = decide(turned > 0.0, f"{corner.name}: the side to which the steering's arm turns the wheel")
        return replace(self, sense=1 if left else -1)

    def add(self, system: System, chassis: Body) -> Body:
        """Add the arm with what leads it."""
        gain = self.phase * self.sense * self.max_angle
        hinge = Revolute(self.axis.tolist(), at=self.pivot.tolist())
        arm = add_rigid_body(system, f"{self.name}.arm", self.arm, chassis, hinge, self.armature(gain))
        self.lead(system, arm, gain)
        return arm

    def move_point(self, point: Vector, steering: float) -> Vector:
        """Return the place of a point of the arm at a steering input."""
        angle = steering * self.phase * self.sense * self.max_angle
        return self.pivot + rotate_about(self.axis, math.cos(angle), math.sin(angle), point - self.pivot)

    def full_lock(self, part: float = 1.0) -> tuple[str, str]:
        """Return the arm's angle."""
        return f"{self.name}.max_angle", f"{math.degrees(part * self.max_angle):.4g} deg"

    def bodies(self) -> tuple[BodyParameters, ...]:
        """Return the arm."""
        return (self.arm,)
