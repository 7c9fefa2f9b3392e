"""One corner of a vehicle: wheel, tyre, brake and suspension.

A corner is described once, as the **left** one: x forward, y to the left, z up, measured from its `origin`.
The built corner is in vehicle coordinates, mirrored for the right side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import triangle_excess
from ce_dynamics.models.parts.brake import Brake, BrakeData
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.powertrain.differentials import DrivenWheel, InboardBrake
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.element import RoadTyre, TwinTyre
from ce_dynamics.models.vehicles.bodies import (
    BodyParameters,
    Mirrored,
    Vector,
    WheelParameters,
    add_rigid_body,
)
from ce_dynamics.models.vehicles.sections import CornerData, GroundSpringData
from ce_dynamics.models.vehicles.sensors import height_above, position
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.builder import add_corner
from ce_dynamics.models.vehicles.suspensions.steer_angle import find_tie_rod_end, find_wheel_angle
from ce_dynamics.models.vehicles.tyre_kinds import BuiltTyre, model_of

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, eq=False, kw_only=True)
class Corner(Mirrored):
    """One corner in vehicle coordinates, design position.

    ``side`` is 1 left, −1 right; ``steered`` that the steering carries the inner end of the tie rod;
    ``origin`` that of the data's coordinates, ``W`` the wheel centre [m].
    """

    name: str
    side: int
    steered: bool
    origin: Vector
    W: Vector
    wheel: WheelParameters
    tyre: BuiltTyre
    brake: BrakeData | None
    ground_spring: GroundSpringData | None

    axle: BuiltAxle

    @classmethod
    def of(cls, name: str, data: CornerData, axle: BuiltAxle) -> Self:
        """Return the corner called `name` (``…_left`` or ``…_right``) of an axle from its left-side data."""
        o = np.array(data.origin)
        W = o + np.array(data.W)
        left = cls(
            name=name,
            side=1,
            steered=axle.steered,
            origin=o,
            W=W,
            wheel=WheelParameters.of(data.wheel, W),
            tyre=data.tyre.build(),
            brake=data.brake,
            ground_spring=data.ground_spring,
            axle=axle,
        )
        return replace(left.mirror(), side=-1) if name.endswith("_right") else left

    @property
    def template(self) -> str:
        return self.axle.template.name

    @property
    def points(self) -> Mapping[str, Vector]:
        """Hardpoints by name [m]."""
        return self.axle.side(self.name).points

    @property
    def parts(self) -> Mapping[str, BodyParameters]:
        """Bodies by name, without the wheel."""
        start = f"{self.name}."
        return {n.removeprefix(start): part for n, part in self.axle.parts.items() if n.startswith(start)}

    @property
    def springs(self) -> Mapping[str, SpringData | DamperData]:
        return self.axle.side(self.name).springs

    @property
    def spring(self) -> SpringData:
        """Its spring; `KeyError` if it has none of this name."""
        return cast("SpringData", self.springs["spring"])

    @property
    def damper(self) -> DamperData:
        """Its damper; `KeyError` if it has none of this name."""
        return cast("DamperData", self.springs["damper"])

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Add all but the wheel and return the body that carries it; `steering` carries the tie rod's L."""
        return add_corner(self.axle, self.name, system, chassis, steering)

    def bodies(self) -> tuple[BodyParameters, ...]:
        return tuple(self.parts.values())

    def add_wheel(self, system: System, carrier: Body) -> Body:
        """Add the wheel on its carrier, the axle shaft turning with it; outputs are its centre and travel.

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
        return 1 if self.wheel.twin_spacing is None else 2

    def list_derived_bodies(self) -> tuple[tuple[str, BodyParameters], ...]:
        """Return bodies that are computed as a remainder, by a name with that; of possible wholes only."""
        own = self.axle.side(self.name)
        return tuple(
            (f"{self.name}.{name} ({words.replace(' ', ' without ')})", self.parts[name])
            for name, words in self.axle.template.remainder.items()
            if not triangle_excess(nominal(own.bodies[words.split()[0]].inertia))
        )

    @property
    def kingpin(self) -> tuple[tuple[str, Vector], tuple[str, Vector]] | None:
        """Lower and upper point of the steering axis [m], each with the body it is fixed on; if there are."""
        return self.axle.find_kingpin(self.name)

    @property
    def drop_link_carrier(self) -> str:
        """Name of the body that the drop link of an anti-roll bar hangs on."""
        return self.axle.find_drop_link_carrier(self.name)

    @property
    def tie_rod_end(self) -> Vector:
        """The point that the steering holds, such as L, in the design position [m]."""
        return find_tie_rod_end(self.axle, self.name)

    def wheel_angle(self, L: Vector) -> Scalar:
        """Return the angle of the wheel about the vertical with the tie rod's end at L [rad].

        It is positive to the left; the suspension stays in the design position; NaN out of the rod's reach.
        """
        return find_wheel_angle(self.axle, self.name, L, self.wheel.axis)


def sprung_body(system: System, carrier: Body) -> Body:
    """Return the chassis, or the trailer, that carries a body."""
    trailers, body = system.groups.get("trailer", ()), carrier
    while not body.carrier.is_ground and body.name not in trailers:
        body = body.carrier
    return body
