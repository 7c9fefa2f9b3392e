"""One corner of a vehicle: wheel, tyre, brake, suspension, and the turn of a steered wheel from hardpoints.

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
from ce_dynamics.models.parts.body_contact import GroundSpringData
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
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.sensors import height_above, position
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.builder import add_corner
from ce_dynamics.models.vehicles.tyre_kinds import BuiltTyre, model_of

if TYPE_CHECKING:
    from typing_extensions import Self

from collections.abc import Sequence
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, arctan2, array, concatenate, cross, dot
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotate_about, rotation_from_quaternion
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.models.vehicles.suspensions.builder import add_axle
from ce_dynamics.models.vehicles.suspensions.linkages import PlacedJoint
from ce_dynamics.models.vehicles.suspensions.template import CHASSIS, STEERING


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


def find_wheel_angle(axle: BuiltAxle, corner: str, L: Vector, axis: Vector) -> Scalar:
    """Return the angle of a wheel about the vertical, positive to the left, when L moves [rad].

    The suspension stays in the design position; NaN where the tie rod cannot reach.
    """
    if axle.template.listed:
        if corner not in axle.cache:
            axle.cache[corner] = Bench.of(axle, corner, axis)
        bench: Bench = axle.cache[corner]
        return bench.wheel_angle(np.asarray(nominal(L - find_tie_rod_end(axle, corner)), dtype=float))
    find_steered_joint(axle, corner)
    rod, pin = find_rod(axle, axle.find_carrier(corner)), axle.find_kingpin(corner)
    assert rod is not None, "the steering moves it"
    K, before, now = *rod.points[:2], find_anchor(axle, rod, L)
    if pin is not None:
        return measure_wheel_turn(corner, pin[0][1], pin[1][1], K, before, now, axis)
    fixed, reference = find_guides(axle, corner)
    return measure_upright_turn([*fixed, (K, before, now)], reference, axis)


def find_steered_joint(axle: BuiltAxle, corner: str) -> PlacedJoint:
    """Return the joint by which the steering moves a corner, directly or by way of other bodies."""
    if axle.template.listed:
        held = (joint for joint in axle.joints if STEERING in (joint.one, joint.other))
        return next(joint for joint in held if joint.owner in (axle.name, corner))
    joint = find_rod(axle, axle.find_carrier(corner))
    while joint is not None and joint.other != STEERING:
        joint = find_rod(axle, joint.other)
    if joint is None:
        raise DataError(f"{corner}: a {axle.template.name} suspension has no tie rod and cannot be steered")
    return joint


def find_rod(axle: BuiltAxle, name: str) -> PlacedJoint | None:
    """Return the rod by which the steering, or a body that it turns, holds a body."""
    rods = [joint for joint in axle.joints if joint.kind == "distance" and joint.one == name]
    turned = [joint for joint in rods if joint.other == STEERING]
    others = [joint for joint in rods if joint.other not in (STEERING, CHASSIS)] if axle.gear else []
    return next(iter((*turned, *others)), None)


def find_tie_rod_end(axle: BuiltAxle, corner: str) -> Vector:
    """Return the point that the steering holds, in the design position [m]."""
    joint = find_steered_joint(axle, corner)
    return joint.points[-1 if joint.other == STEERING and len(joint.points) == 2 else 0]


def find_anchor(axle: BuiltAxle, rod: PlacedJoint, L: Vector) -> Vector:
    """Return the place of the far end of a rod for the steering's point at L."""
    if rod.other == STEERING:
        return L
    pin = next(joint for joint in axle.joints if joint.kind == "revolute" and joint.other == rod.other)
    held = find_rod(axle, rod.other)
    assert held is not None, "the steering moves it"
    D, F = pin.points[:2]
    hinge = Revolute(F - D, at=D)
    K, end = held.points[:2]
    turn = RotationToDistance(hinge, K, end, f"{rod.owner} {pin.name}", held.name)
    c, s = turn.configuration(find_anchor(axle, held, L) - D)
    return np.asarray(D + rotate_about(hinge.axis, c, s, rod.points[1] - D))


def find_guides(axle: BuiltAxle, corner: str) -> tuple[list[tuple[Vector, Vector, Vector]], Vector]:
    """Return the rods that guide an upright, and its point whose height stays."""
    side, upright = axle.side(corner), axle.find_carrier(corner)
    own = [joint for joint in axle.joints if joint.owner == corner]
    rods = [joint.points[:2] for joint in own if joint.kind == "distance" and joint.other == CHASSIS]
    ball = next((joint for joint in own if joint.kind == "spherical" and joint.other == upright), None)
    if ball is None:
        return [(U, C, C) for U, C in rods], side.points["W"]
    F, arm = ball.points[0], next(joint for joint in own if joint.other == ball.one)
    pivots = [(F, pivot, pivot) for pivot in arm.points[::-1]]
    return [*pivots, *((U, C, C) for U, C in rods)], F


class Bench(NamedTuple):
    """A listed graph by itself on a chassis at rest, whose steering is shifted."""

    model: Model
    carrier: str
    axis: Vector

    @classmethod
    def of(cls, axle: BuiltAxle, corner: str, axis: Vector) -> Bench:
        """Return the bench of a corner, whose wheel has a spin axis."""
        system = System(gravity=(0.0, 0.0, 0.0))
        body = system.add_body("chassis", mass=1.0, parent=system.ground, hinge=Fixed())
        steering = chassis = body
        for direction, name in zip(np.eye(3), SHIFTS, strict=True):
            for each in (name, f"{name}_rate", f"{name}_acceleration"):
                system.add_input(each, "")
            hinge = Prismatic(direction, at=find_tie_rod_end(axle, corner))
            steering = system.add_body(name, mass=1.0, parent=steering, hinge=hinge)
            system.prescribe(steering, Driven(name))
        add_axle(axle, system, chassis, steering)
        return cls(Model(system), add_corner(axle, corner, system, chassis, steering).name, axis)

    def wheel_angle(self, shift: Vector) -> Scalar:
        """Return the angle of the wheel about the vertical, positive to the left [rad]; NaN out of reach."""
        u = self.model.inputs_with(inputs=dict(zip(SHIFTS, shift.tolist(), strict=True)))
        system = self.model.system
        outward = self.model.instant(self.model.y0, u).outward
        turned = outward.direction(system.find(self.carrier), self.axis, system.find("chassis"))
        forward, left = wheel_frame(self.axis)
        return float(np.arctan2(-float(turned @ forward), float(turned @ left)))


SHIFTS = ("steering_x", "steering_y", "steering_z")


def measure_wheel_turn(
    owner: str, D: Vector, F: Vector, K: Vector, L: Vector, L_now: Vector, axis: Vector
) -> Scalar:
    """Return the wheel's angle about the vertical, positive to the left, when L has moved to `L_now` [rad].

    Kingpin D F, tie rod K L and spin axis are those of the design position.
    """
    kingpin = Revolute(F - D, at=D)
    spindle = RotationToDistance(kingpin, K, L, f"{owner} spindle", "KL")
    forward, left = wheel_frame(axis)
    c, s = spindle.configuration(L_now - D)
    turned = rotate_about(kingpin.axis, c, s, left)
    return number(arctan2(-(turned @ forward), turned @ left))


def wheel_frame(axis: Vector) -> tuple[Vector, Vector]:
    """Return the forward and left of a wheel in the design position, horizontal unit vectors."""
    y = np.array([axis[0], axis[1], 0.0])
    left = y / magnitude(y)
    return np.array([left[1], -left[0], 0.0]), left


STEPS = 8
"""From the design pose to the far ends; each ends with a Newton step, the last with three more."""


def measure_upright_turn(rods: Sequence[tuple[Vector, Vector, Vector]], W: Vector, axis: Vector) -> Scalar:
    """Return the wheel's angle about the vertical, positive to the left [rad]; NaN or far from 0 beyond.

    Rods are (U, C, C_now): five from U on the upright to C, and where C is now; the height of W stays.
    """
    shift, quaternion = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
    for k in range(1, STEPS + 4):
        s = min(k / STEPS, 1.0)
        R = rotation_from_quaternion(quaternion)
        rows, errors = [array((0.0, 0.0, 1.0, 0.0, 0.0, 0.0))], [shift[2]]
        for U, C, now in rods:
            arm, before = R @ (U - W), U - C
            d = W + shift + arm - (C + s * (now - C))
            rows.append(concatenate((d, cross(arm, d))))
            errors.append(0.5 * (dot(d, d) - dot(before, before)))
        step = -PivotedLU(np.stack(rows)).solve(array(errors))
        shift = shift + step[:3]
        quaternion = normalise(quaternion + quaternion_rate(quaternion, step[3:]))
    forward, left = wheel_frame(axis)
    turned: Array = rotation_from_quaternion(quaternion) @ left
    return number(arctan2(-dot(turned, forward), dot(turned, left)))
