"""Double wishbones: the paper's seven bodies as one aggregated body, its spring and damper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Length, Point, triangle_excess
from ce_dynamics.models.vehicles.bodies import (
    BodyData,
    BodyParameters,
    RodData,
    Vector,
    add_rigid_body,
    body,
    remainder,
    rod,
    shift_points,
)
from ce_dynamics.models.vehicles.corner import Corner, CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.points import check_apart, check_off, measure_wheel_turn


class ArmData(BodyData):
    """A control arm: two chassis pivots span its axis, which points from rear to front."""

    front_pivot: Point
    rear_pivot: Point


class ShockHalfData(RodData):
    """Half a shock absorber: a uniform cylinder that starts at its joint and points to the other joint."""

    length: Length


class DoubleWishboneData(CornerData):
    """A corner on two wishbones; letters as in the paper.

    D, F: lower and upper ball joint; K, L: outer and inner tie-rod joint; W: wheel centre.  An upright link
    or tie rod that is not given has no mass; a shock absorber without halves is a force between two points.
    """

    D: Point
    F: Point
    K: Point
    L: Point
    lower_arm: ArmData
    upper_arm: ArmData
    upright: BodyData
    upright_link: RodData | None = None
    tie_rod: RodData | None = None
    shock_lower: ShockHalfData | None = None
    shock_upper: ShockHalfData | None = None
    spring: SpringData
    damper: DamperData


MASSLESS = RodData(mass=0.0, radius=1e-3)
"""For an upright link that is not given."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DoubleWishboneCorner(Corner):
    """A corner on two wishbones.

    The paper's seven bodies are `lower_arm` (AD), `upright_link` (DF), `upper_arm` (FG), `shock_lower` (BI),
    `shock_upper` (HJ), `spindle` (EK) and `tie_rod` (KL); `upright` is the published whole, not a body of the
    model.  Arm angles are positive about the vehicle's forward axis on both sides: the axes A1 A2 and G1 G2
    point from the rear to the front pivot.
    """

    template = "double-wishbone"
    section = DoubleWishboneData

    points: DoubleWishbonePoints
    lower_arm: BodyParameters
    upper_arm: BodyParameters
    upright: BodyParameters  # the whole: upright_link and spindle together
    upright_link: BodyParameters
    spindle: BodyParameters
    tie_rod: BodyParameters | None
    shock_lower: BodyParameters | None
    shock_upper: BodyParameters | None
    spring: SpringData
    damper: DamperData

    @classmethod
    def check(cls, name: str, data: DoubleWishboneData) -> None:
        """Refuse what is no double wishbone."""
        check_geometry(name, data)

    @classmethod
    def make_left(cls, data: DoubleWishboneData, **common: Any) -> DoubleWishboneCorner:
        """The left corner."""
        origin: Vector = common["origin"]
        B, J = origin + np.array(data.damper.arm), origin + np.array(data.damper.chassis)
        points = DoubleWishbonePoints(
            A1=origin + np.array(data.lower_arm.rear_pivot),
            A2=origin + np.array(data.lower_arm.front_pivot),
            G1=origin + np.array(data.upper_arm.rear_pivot),
            G2=origin + np.array(data.upper_arm.front_pivot),
            D=origin + np.array(data.D),
            F=origin + np.array(data.F),
            K=origin + np.array(data.K),
            L=origin + np.array(data.L),
            **({} if data.shock_lower is None else {"B": B, "J": J}),
        )
        D, F, K, L = (getattr(points, letter) for letter in "DFKL")
        upright, upright_link = body(data.upright, origin), rod(data.upright_link or MASSLESS, D, F)
        return cls(
            **common,
            points=points,
            lower_arm=body(data.lower_arm, origin),
            upper_arm=body(data.upper_arm, origin),
            upright=upright,
            upright_link=upright_link,
            spindle=remainder(common["name"], "upright", "upright_link", upright, upright_link),
            tie_rod=None if data.tie_rod is None else rod(data.tie_rod, L, K),
            shock_lower=_shock_half(data.shock_lower, B, J),
            shock_upper=_shock_half(data.shock_upper, J, B),
            spring=shift_points(data.spring, origin),
            damper=shift_points(data.damper, origin),
        )

    def linkage(self, chassis: Body, steering: Body | None) -> DoubleWishbone:
        """The closed-form linkage."""
        carrier = None if steering is None else steering.name
        bodies = DoubleWishboneBodies.with_prefix(
            f"{self.name}.", chassis=chassis.name, steering=carrier, tie_rod=self.tie_rod is not None
        )
        return DoubleWishbone(self.points, bodies)

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """Add the seven bodies, spring and damper; the spindle carries the wheel."""
        linkage = self.linkage(chassis, steering)
        for joint in linkage.joints():
            parameters: BodyParameters = getattr(self, joint.body.removeprefix(f"{self.name}."))
            add_rigid_body(system, joint.body, parameters, joint.carrier, joint.hinge)
        linkage.close(system)
        lower_arm = system.find(f"{self.name}.lower_arm")
        self.spring.add(system, f"{self.name}.spring", chassis, lower_arm)
        self.damper.add(system, f"{self.name}.damper", chassis, lower_arm)
        return system.find(f"{self.name}.spindle")

    def bodies(self) -> tuple[BodyParameters, ...]:
        """The paper's seven bodies of a corner, without those that are not given."""
        given = self.shock_lower, self.shock_upper, self.spindle, self.tie_rod
        return (
            self.lower_arm,
            self.upright_link,
            self.upper_arm,
            *(body for body in given if body is not None),
        )

    def list_derived_bodies(self) -> tuple[tuple[str, BodyParameters], ...]:
        """The spindle, if the upright it is taken from is possible."""
        if triangle_excess(nominal(self.upright.inertia)):
            return ()
        return ((f"{self.name}.spindle (upright without upright_link)", self.spindle),)

    @property
    def kingpin(self) -> tuple[tuple[str, Vector], tuple[str, Vector]]:
        """The ball joints D and F."""
        spindle = f"{self.name}.spindle"
        return (spindle, np.asarray(self.points.D)), (spindle, np.asarray(self.points.F))

    @property
    def drop_link_carrier(self) -> str:
        """The lower arm."""
        return f"{self.name}.lower_arm"

    @property
    def tie_rod_end(self) -> Vector:
        """L in the design position [m]."""
        return np.asarray(self.points.L)

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the arms held, the spindle turns about DF."""
        D, F, K, L_0 = (np.asarray(getattr(self.points, letter)) for letter in "DFKL")
        return measure_wheel_turn(self.name, D, F, K, L_0, L, self.wheel.axis)


def _shock_half(data: ShockHalfData | None, joint: Vector, other: Vector) -> BodyParameters | None:
    if data is None:
        return None
    u = (other - joint) / magnitude(other - joint)
    return rod(data, joint, joint + data.length * u)


def check_geometry(name: str, data: DoubleWishboneData) -> None:
    """Refuse a corner that is no double wishbone (left-side coordinates)."""
    lower, upper = data.lower_arm, data.upper_arm
    apart = (
        ("lower_arm.front_pivot", lower.front_pivot, "lower_arm.rear_pivot", lower.rear_pivot),
        ("upper_arm.front_pivot", upper.front_pivot, "upper_arm.rear_pivot", upper.rear_pivot),
        ("D", data.D, "F", data.F),
        ("K", data.K, "L", data.L),
        ("spring.chassis", data.spring.chassis, "spring.arm", data.spring.arm),
        ("damper.chassis", data.damper.chassis, "damper.arm", data.damper.arm),
    )
    check_apart(name, apart)
    off = (
        ("D", data.D, "the lower arm's axis", lower.front_pivot, lower.rear_pivot),
        ("F", data.F, "the upper arm's axis", upper.front_pivot, upper.rear_pivot),
        ("K", data.K, "the steering axis DF", data.D, data.F),
    )
    check_off(name, off)
    for arm, pivots in (("lower_arm", lower), ("upper_arm", upper)):
        ahead = f"{name}.{arm}: front_pivot must lie ahead of rear_pivot"
        if not decide(pivots.front_pivot[0] > pivots.rear_pivot[0], ahead):
            raise DataError(
                f"{name}.{arm}: front_pivot at x = {pivots.front_pivot[0]:g} m must lie ahead of "
                f"rear_pivot at x = {pivots.rear_pivot[0]:g} m"
            )
    _check_shock(name, data)


def _check_shock(name: str, data: DoubleWishboneData) -> None:
    if data.shock_lower is None and data.shock_upper is None:
        return
    if data.shock_lower is None or data.shock_upper is None:
        raise DataError(
            f"{name}: give both halves of the shock absorber, shock_lower and shock_upper, or none"
        )
    length = magnitude(np.subtract(data.damper.chassis, data.damper.arm))
    halves = (("shock_lower", data.shock_lower.length), ("shock_upper", data.shock_upper.length))
    for half, own in halves:
        if decide(own > length, f"{name}.{half}.length: longer than the whole shock in the design position"):
            raise DataError(
                f"{name}.{half}.length: {own:g} m is longer than the whole shock "
                f"in the design position, {length:.4g} m"
            )
    apart = f"{name}: shock_lower.length and shock_upper.length do not overlap"
    if decide(halves[0][1] + halves[1][1] < length, apart):
        raise DataError(
            f"{name}: shock_lower.length {halves[0][1]:g} m and shock_upper.length {halves[1][1]:g} m do not "
            f"overlap: the shock is {length:.4g} m long in the design position"
        )
