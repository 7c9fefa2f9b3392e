"""One corner of a vehicle: wheel, tyre, brake and suspension.

A corner is described once, as the **left** one: x forward, y to the left, z up, measured from its `origin`.
The built corner is in vehicle coordinates, mirrored for the right side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Damping, Length, Point, Stiffness
from ce_dynamics.models.data.schema import Section, leaves
from ce_dynamics.models.parts.brake import Brake, BrakeData
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.powertrain.differentials import DrivenWheel, InboardBrake
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.tyres.twin import TwinTyre
from ce_dynamics.models.vehicles.bodies import BodyParameters, Mirrored, Vector, add_rigid_body
from ce_dynamics.models.vehicles.sensors import height_above, position
from ce_dynamics.models.vehicles.tyre_kinds import BuiltTyre, TyreData, model_of
from ce_dynamics.models.vehicles.wheel import WheelData, WheelParameters

if TYPE_CHECKING:
    from typing_extensions import Self


class GroundSpringData(Section):
    """A vertical spring and damper at W in place of the tyre; it may pull (validation model "ride")."""

    stiffness: Stiffness
    damping: Damping
    height: Length


class CornerData(Section):
    """One corner, as the left one; every suspension adds its own sections."""

    origin: Point
    W: Point
    wheel: WheelData
    tyre: TyreData
    brake: BrakeData | None
    ground_spring: GroundSpringData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Corner(Mirrored, ABC):
    """One corner in vehicle coordinates, design position.

    Contract of a suspension:

    1. ``template``: its name in data files; ``section``: its data as written.
    2. `make_left` makes the left corner of these; `check` refuses, by name, what is no such suspension.
    3. `add` adds bodies, loops, springs and dampers to a system and returns what carries the wheel.
    4. `bodies` are all that it consists of but the wheel.
    5. `wheel_angle` tells how far the wheel turns when the tie rod's inner end moves.

    Attributes
    ----------
    name : str
        ``front_left`` for instance.
    side : int
        1 left, −1 right.
    steered : bool
        Whether the inner end of the tie rod is carried by the steering.
    origin, W : (3,) arrays
        Of the data's coordinates; wheel centre [m].
    """

    template: ClassVar[str]
    section: ClassVar[type[CornerData]]

    name: str
    side: int
    steered: bool
    origin: Vector
    W: Vector
    wheel: WheelParameters
    tyre: BuiltTyre
    brake: BrakeData | None
    ground_spring: GroundSpringData | None

    @classmethod
    def of(cls, name: str, data: CornerData, steered: bool) -> Self:
        """Return the corner called `name` (``…_left`` or ``…_right``) from its left-side data."""
        check_near(name, data)
        cls.check(name, data)
        check_side(name, data)
        o = np.array(data.origin)
        W = o + np.array(data.W)
        left = cls.make_left(
            data,
            name=name,
            side=1,
            steered=steered,
            origin=o,
            W=W,
            wheel=WheelParameters.of(data.wheel, W),
            tyre=data.tyre.built(),
            brake=data.brake,
            ground_spring=data.ground_spring,
        )
        return replace(left.mirror(), side=-1) if name.endswith("_right") else left

    @classmethod
    @abstractmethod
    def make_left(cls, data: Any, **common: Any) -> Self:
        """Return the left corner; `common` are the fields that all suspensions have, `origin` among them."""

    @classmethod
    @abstractmethod
    def check(cls, name: str, data: Any) -> None:
        """Refuse data that are no such suspension (left-side coordinates)."""

    @abstractmethod
    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Add all but the wheel and return the body that carries it; `steering` carries the tie rod's L."""

    @abstractmethod
    def bodies(self) -> tuple[BodyParameters, ...]:
        """Return all bodies but the wheel."""

    def add_wheel(self, system: System, carrier: Body) -> Body:
        """Add the wheel on its carrier, the axle shaft turning with it; outputs tell its centre and travel.

        Its travel is how far it is above its design position, along z of what its suspension is on.
        """
        wheel = self.wheel
        axle = wheel.axle_inertia * np.outer(wheel.axis, wheel.axis)
        rotor = BodyParameters(wheel.mass, wheel.com, wheel.inertia + axle)
        hinge = Revolute(wheel.axis, at=self.W)
        body = add_rigid_body(system, f"{self.name}.wheel", rotor, carrier, hinge)
        for k, coordinate in enumerate("xyz"):
            centre = partial(position, body=body, at=self.W, ground=system.ground, k=k)
            system.add_output(f"{self.name}.wheel_{coordinate}", "m", centre)
        unit = sprung_body(system, carrier)
        design = self.W[2] - unit.com[2]
        travel = partial(height_above, body=body, at=self.W, unit=unit, design=design)
        system.add_output(f"{self.name}.wheel_travel", "m", travel)
        return body

    def add_wheel_forces(
        self,
        system: System,
        wheel: Body,
        road: Road,
        tyre: TyreModel | None = None,
        brake: Mapping[str, str] | None = None,
        inboard_on: Body | None = None,
    ) -> None:
        """Add the tyres, those of the data or others, and the brake, if there is one, with its inputs.

        The brake is on the wheel's carrier, or on the body ``inboard_on``.
        """
        name, place = f"{self.name}.tyre", (wheel, wheel.carrier, self.W, self.wheel.axis)
        fitted = model_of(self.tyre, self.side) if tyre is None else tyre
        spacing = self.wheel.twin_spacing
        if spacing is None:
            system.add_force(RoadTyre(name, *place, fitted, road, system.ground))
        else:
            outward = 0.5 * spacing * self.side * self.wheel.axis
            system.add_force(TwinTyre(name, *place, fitted, road, system.ground, outward))
        if self.brake is None:
            return
        name = f"{self.name}.brake"
        options: dict[str, Any] = {"parameters": self.brake, **(brake or {})}
        if inboard_on is None:
            system.add_force(Brake(name, wheel, self.W, **options))
        else:
            half_shaft = DrivenWheel(*place)
            system.add_force(InboardBrake(name, half_shaft, inboard_on, **options))

    @property
    def brake_torque(self) -> float:
        """Torque of the brake at full pedal [N m]; 0 without a brake."""
        return 0.0 if self.brake is None else self.brake.max_torque

    @property
    def tyre_count(self) -> int:
        """Tyres on the hub."""
        return 1 if self.wheel.twin_spacing is None else 2

    def list_derived_bodies(self) -> tuple[tuple[str, BodyParameters], ...]:
        """Bodies that are not written but computed, by a name that says of what; most have none."""
        return ()

    @property
    def kingpin(self) -> tuple[tuple[str, Vector], tuple[str, Vector]] | None:
        """Lower and upper point of the steering axis [m], each with the body it is fixed on; if there are."""
        return None

    @property
    @abstractmethod
    def drop_link_carrier(self) -> str:
        """Name of the body that the drop link of an anti-roll bar hangs on."""

    @property
    @abstractmethod
    def tie_rod_end(self) -> Vector:
        """L: the inner end of the tie rod in the design position [m]."""

    @abstractmethod
    def wheel_angle(self, L: Vector) -> Scalar:
        """Angle of the wheel about the vertical, positive to the left, with the tie rod's end at L [rad].

        The suspension stays in the design position; NaN where the tie rod cannot reach.
        """


def sprung_body(system: System, carrier: Body) -> Body:
    """Return the chassis, or the trailer, that carries a body."""
    trailers, body = system.groups.get("trailer", ()), carrier
    while not body.carrier.is_ground and body.name not in trailers:
        body = body.carrier
    return body


FARTHEST = 50.0
"""Of a hardpoint from the origin of its corner [m]: above, a unit was meant that is not written."""


def check_near(name: str, data: CornerData) -> None:
    """Refuse hardpoints that no vehicle has."""
    for key, quantity in leaves(type(data)).items():
        if quantity.unit != "m" or not quantity.components:
            continue
        value: Any = data
        for part in key:
            value = getattr(value, part, None)
        for component, number in zip(quantity.components, value or (), strict=False):
            if not abs(nominal(number)) <= FARTHEST:
                raise DataError(
                    f"{name}.{'.'.join(key)}.{component}: {nominal(number):g} m is no place on a vehicle, at "
                    f"most {FARTHEST:g} m from the corner's origin; check the unit"
                )


def check_side(name: str, data: CornerData) -> None:
    """Refuse a wheel centre that is not on the left."""
    left = f"{name}.W.y: the wheel centre is not on the left"
    if not decide(data.origin[1] + data.W[1] > 0.0, left):
        raise DataError(
            f"{name}.W.y: {data.W[1]:g} m is not on the left; corner values are always given as for the "
            f"left side (y > 0), right corners are mirrored"
        )
