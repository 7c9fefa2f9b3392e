"""Contract of every steering mechanism, and its drive by an actuator or a column."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.column import ColumnData

Frequency = Annotated[float, ParameterQuantity("Hz", above=0.0)]


class ActuatorData(Section):
    """Second-order servo between the steering input and the mechanism."""

    natural_frequency: Frequency
    damping_ratio: PositiveFraction

    def drive(self, gain: float) -> SecondOrderActuator:
        """Return the drive that the input ``steering`` moves; `gain` is its value at full input."""
        return SecondOrderActuator(
            "steering", gain, 2.0 * math.pi * self.natural_frequency, self.damping_ratio
        )


class LedData(Section):
    """Data of the drive of a mechanism: an actuator that follows the input ``steering``, or a column.

    ``ratio`` is the angle of a steering wheel over that of the road wheels, both at full lock.  A column
    has torques, and a lock instead of the ratio.
    """

    actuator: ActuatorData | None = None
    column: ColumnData | None = None
    ratio: PositiveFraction | None = None

    @model_validator(mode="after")
    def _is_led(self) -> LedData:
        if (self.actuator is None) == (self.column is None):
            both = "both of them" if self.actuator is not None else "neither of them"
            raise ValueError(f"what leads the steering: actuator or column; there is {both}")
        if self.ratio is not None and self.column is not None:
            raise ValueError("ratio has no effect beside a column, whose lock sets it; leave it out")
        return self


def position_of(name: str) -> str:
    """Name of the output that `add_position` adds."""
    return f"{name}.position"


def rate_of(name: str) -> str:
    """Name of the output of its rate."""
    return f"{name}.position_rate"


def add_position(system: System, name: str, body: Body, gain: Any) -> None:
    """Add outputs of where a steering is, and its rate: a body's hinge, ``gain`` at full lock."""
    system.add_output(position_of(name), "1", partial(part_of_lock, body=body, gain=gain))
    system.add_output(rate_of(name), "1/s", partial(rate_of_lock, body=body, gain=gain))


def part_of_lock(observer: Observer, body: Body, gain: Any) -> Scalar:
    """Return the coordinate of a hinge as part of that at full lock, positive to the left."""
    return observer.coordinate(body) / gain


def rate_of_lock(observer: Observer, body: Body, gain: Any) -> Scalar:
    """Return the rate of that [1/s]."""
    return observer.rate(body) / gain


@dataclass(frozen=True, eq=False)
class Steering(ABC):
    """A steering mechanism in vehicle coordinates, design position.

    Contract:

    1. ``template``: its name in data files; ``section``: its data as written.
    2. `of` makes it of these and refuses, by name, what is no such mechanism.
    3. `aim` sets what it steers; `add` adds its bodies, whose names begin with ``name``, driven by
       the input ``steering``, and returns what carries the tie rods' ends.
    4. `move_point` returns the place of a point of that body at a steering input, from the hardpoints alone.
    5. `full_lock` names the number that sets full lock, in a unit for people.

    ``phase`` is −1 where a positive input steers to the right, as rear axles may; either ``actuator`` or
    ``column`` moves it.
    """

    template: ClassVar[str]
    section: ClassVar[type[Section]]

    name: str = field(default="steering", kw_only=True)
    phase: int = field(default=1, kw_only=True)
    actuator: ActuatorData | None = field(default=None, kw_only=True)
    column: ColumnData | None = field(default=None, kw_only=True)

    def armature(self, gain: Any) -> list[Any] | None:
        """Return inertia of the column on the hinge that leads, whose coordinate at full lock is ``gain``."""
        return None if self.column is None else self.column.armature(gain)

    def lead(self, system: System, body: Body, gain: Any) -> None:
        """Let actuator or column lead the hinge of a body, whose coordinate at full lock is ``gain``."""
        add_position(system, self.name, body, gain)
        if self.column is not None:
            self.column.add(system, self.name, body, gain)
        else:
            assert self.actuator is not None, "one of both is there"
            system.prescribe(body, self.actuator.drive(gain))

    @classmethod
    @abstractmethod
    def of(cls, data: Any) -> Steering:
        """Build the mechanism from its data."""

    def aim(self, corners: Sequence[Corner]) -> Steering:
        """Return the mechanism, turned such that a positive input steers these corners to the left."""
        return self

    @abstractmethod
    def add(self, system: System, chassis: Body) -> Body:
        """Add it and return the body that carries the inner ends of the tie rods."""

    @abstractmethod
    def move_point(self, point: Vector, steering: float) -> Vector:
        """Return the place of a point of the link at a steering input; NaN out of the mechanism's reach."""

    @abstractmethod
    def full_lock(self, part: float = 1.0) -> tuple[str, str]:
        """Return the key of the number that sets full lock, and a part of it as text with a unit."""

    @abstractmethod
    def bodies(self) -> tuple[BodyParameters, ...]:
        """Return all its bodies."""


LOCKS = 1.0, -1.0
"""Steering inputs at full lock: to the left, to the right."""


def compute_wheel_angle(mechanism: Steering, corner: Corner, steering: float) -> Scalar:
    """Compute the wheel's angle about the vertical, positive to the left [rad]; NaN for an open linkage."""
    return corner.wheel_angle(mechanism.move_point(corner.tie_rod_end, steering))


def steering_reach(mechanism: Steering, corner: Corner, lock: float) -> float:
    """Return the steering input reachable from 0 towards a lock; 1 if the linkage can be assembled there."""
    with np.errstate(invalid="ignore"):
        if not math.isnan(nominal(compute_wheel_angle(mechanism, corner, lock))):
            return 1.0
        reached, beyond = 0.0, 1.0
        for _ in range(40):
            middle = 0.5 * (reached + beyond)
            if math.isnan(nominal(compute_wheel_angle(mechanism, corner, lock * middle))):
                beyond = middle
            else:
                reached = middle
    return reached
