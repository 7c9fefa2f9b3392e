"""The turn of a steered wheel from hardpoints, with the suspension in its design position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, concatenate, cross, dot
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotate_about, rotation_from_quaternion
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal, number
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.builder import add_axle, add_corner
from ce_dynamics.models.vehicles.suspensions.linkages import PlacedJoint
from ce_dynamics.models.vehicles.suspensions.template import CHASSIS, STEERING


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
