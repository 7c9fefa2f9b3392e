"""Rack steering: a bar that slides along y and carries the inner ends of the tie rods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ce_dynamics.compiler.free_numbers import decided
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, Vector, add_rigid_body, body
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.base import LedData, Steering


class RackData(BodyData, LedData):
    """A rack: its mass, its centre of mass in vehicle coordinates, and how far it moves at full lock."""

    travel: Length


@dataclass(frozen=True, eq=False)
class Rack(Steering):
    """A rack in vehicle coordinates.

    Attributes
    ----------
    rack : BodyParameters
    travel : float
        At full lock, either way [m].
    sense : int
        1 if the rack moves to the left to steer to the left (tie rods ahead of the steering axes), else −1.
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

    def aimed(self, corners: Sequence[Corner]) -> Rack:
        """The rack that steers these corners to the left when the input is positive."""
        corner = corners[0]
        ahead = corner.wheel_angle(corner.tie_rod_end + np.array((0.0, 1e-3, 0.0)))
        left = decided(ahead > 0.0, f"{corner.name}: the side of the steering axis on which K lies")
        return replace(self, sense=1 if left else -1)

    def add(self, system: System, chassis: Body) -> Body:
        """Add the rack with what leads it."""
        gain = self.phase * self.sense * self.travel
        hinge = Prismatic((0.0, 1.0, 0.0), at=self.rack.com)
        name = f"{self.name}.rack"
        rack = add_rigid_body(system, name, self.rack, chassis, hinge, self.armature(gain))
        self.lead(system, rack, gain)
        return rack

    def moved(self, point: Vector, steering: float) -> Vector:
        """Return the place of a point of the rack at a steering input."""
        return np.asarray(point + np.array((0.0, steering * self.phase * self.sense * self.travel, 0.0)))

    def full_lock(self, part: float = 1.0) -> tuple[str, str]:
        """The rack's travel."""
        return f"{self.name}.travel", f"{1e3 * part * self.travel:.4g} mm"

    def bodies(self) -> tuple[BodyParameters, ...]:
        """The rack."""
        return (self.rack,)
