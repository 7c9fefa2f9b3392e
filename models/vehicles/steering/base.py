"""Steering mechanisms: their contract, their drive by an actuator or a column, racks and rotary arms."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length, ParameterQuantity, Point, PositiveFraction
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, Vector, add_rigid_body, body
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.steering.column import ColumnData
from ce_dynamics.models.vehicles.suspensions.points import check_apart

if TYPE_CHECKING:
    from typing_extensions import Self

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

    1. ``template``: its name in data files; ``section``: its data; ``lock``: the number of these that sets
       full lock, with the factor and the unit for people.
    2. `of` makes it of these and refuses, by name, what is no such mechanism.
    3. `aim` sets what it steers; `add` adds its bodies, whose names begin with ``name``, driven by
       the input ``steering``, and returns what carries the tie rods' ends.
    4. `move_point` returns the place of a point of that body at a steering input, from the hardpoints alone.

    ``phase`` is −1 where a positive input steers to the right, as rear axles may; ``sense`` is 1 where a
    positive coordinate of the hinge steers to the left.
    """

    template: ClassVar[str]
    section: ClassVar[type[LedData]]
    lock: ClassVar[tuple[str, float, str]] = ("max_angle", math.degrees(1.0), "deg")

    data: Any
    name: str = field(default="steering", kw_only=True)
    phase: int = field(default=1, kw_only=True)
    sense: int = field(default=-1, kw_only=True)

    @property
    def actuator(self) -> ActuatorData | None:
        led: LedData = self.data
        return led.actuator

    @property
    def column(self) -> ColumnData | None:
        led: LedData = self.data
        return led.column

    @property
    def gain(self) -> float:
        """Coordinate of the hinge that is led at full lock [m] or [rad]."""
        largest: float = getattr(self.data, self.lock[0])
        return self.phase * self.sense * largest

    def full_lock(self, part: float = 1.0) -> tuple[str, str]:
        """Return the key of the number that sets full lock, and a part of it as text with a unit."""
        name, factor, unit = self.lock
        return f"{self.name}.{name}", f"{factor * part * getattr(self.data, name):.4g} {unit}"

    def armature(self) -> list[Any] | None:
        """Return the inertia of the column on the hinge that is led."""
        return None if self.column is None else self.column.armature(self.gain)

    def lead(self, system: System, body: Body) -> None:
        """Let actuator or column lead the hinge of a body."""
        add_position(system, self.name, body, self.gain)
        if self.column is not None:
            self.column.add(system, self.name, body, self.gain)
        else:
            assert self.actuator is not None, "one of both is there"
            system.prescribe(body, self.actuator.drive(self.gain))

    @classmethod
    def of(cls, data: Any) -> Self:
        return cls(data)

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
    def bodies(self) -> tuple[BodyParameters, ...]:
        """Return all its bodies."""


SLIGHT = 1e-3
"""Steering input that shows to which side a mechanism turns the wheels."""


class OneBody(Steering):
    """A mechanism of one body on the chassis, which carries the tie rods' ends; ``part`` is its name."""

    part: ClassVar[str]

    @property
    @abstractmethod
    def hinge(self) -> Hinge:
        """Hinge of the body on the chassis."""

    @cached_property
    def body(self) -> BodyParameters:
        return body(self.data, np.zeros(3))

    def aim(self, corners: Sequence[Corner]) -> Steering:
        corner = corners[0]
        moved = replace(self, phase=1, sense=1).move_point(corner.tie_rod_end, SLIGHT)
        side = f"{corner.name}: the side to which the steering's {self.part} turns the wheel"
        left = decide(corner.wheel_angle(moved) > 0.0, side)
        return replace(self, sense=1 if left else -1)

    def add(self, system: System, chassis: Body) -> Body:
        added = add_rigid_body(
            system, f"{self.name}.{self.part}", self.body, chassis, self.hinge, self.armature()
        )
        self.lead(system, added)
        return added

    def bodies(self) -> tuple[BodyParameters, ...]:
        return (self.body,)


class RackData(BodyData, LedData):
    """A rack: its mass, its centre of mass in vehicle coordinates, and how far it moves at full lock."""

    travel: Length


@dataclass(frozen=True, eq=False)
class Rack(OneBody):
    """A rack, which slides across the vehicle; where it moves to the left, so do the tie rods' ends."""

    template = part = "rack"
    section = RackData
    lock = "travel", 1e3, "mm"

    @property
    def hinge(self) -> Hinge:
        return Prismatic((0.0, 1.0, 0.0), at=self.body.com)

    def move_point(self, point: Vector, steering: float) -> Vector:
        return np.asarray(point + np.array((0.0, steering * self.gain, 0.0)))


class RotaryArmData(BodyData, LedData):
    """An arm in vehicle coordinates: it turns about the line through two points of its shaft."""

    pivot: Point
    shaft: Point
    max_angle: Annotated[float, ParameterQuantity("rad", above=0.0, below=math.pi / 2)]


@dataclass(frozen=True, eq=False)
class RotaryArm(OneBody):
    """An arm that turns on the chassis and carries the inner ends of drag links."""

    template, part = "rotary-arm", "arm"
    section = RotaryArmData

    @classmethod
    def of(cls, data: RotaryArmData) -> Self:
        check_apart("steering", [("pivot", data.pivot, "shaft", data.shaft)])
        return cls(data)

    @property
    def pivot(self) -> Vector:
        """A point of its axis [m]."""
        return np.array(self.data.pivot)

    @cached_property
    def axis(self) -> Vector:
        along = np.array(self.data.shaft) - self.pivot
        return np.asarray(along / magnitude(along))

    @property
    def hinge(self) -> Hinge:
        return Revolute(self.axis.tolist(), at=self.pivot.tolist())

    def move_point(self, point: Vector, steering: float) -> Vector:
        angle = steering * self.gain
        return self.pivot + rotate_about(self.axis, math.cos(angle), math.sin(angle), point - self.pivot)


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
