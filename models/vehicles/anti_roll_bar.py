"""Anti-roll bars: two arms on a lateral axis of the chassis, twisted against each other, on drop links."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, Point
from ce_dynamics.models.vehicles.bodies import BodyData, BodyParameters, add_rigid_body, body, image
from ce_dynamics.models.vehicles.suspensions.points import check_apart, check_off


class AntiRollBarData(BodyData):
    """A bar's left half, relative to the vehicle's origin; the right half is its mirror image.

    The half turns about the lateral axis through ``pivot``; a drop link of constant length joins its ``end``
    to ``link``, a point of the suspension.
    """

    pivot: Point
    end: Point
    link: Point
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]

    @property
    def half(self) -> BodyParameters:
        return body(self, np.zeros(3))

    def check(self, axle: str) -> None:
        """Refuse points that make no bar."""
        name = f"{axle}.anti_roll_bar"
        check_apart(name, [("end", self.end, "link", self.link)])
        beside = (self.pivot[0], self.pivot[1] + 1.0, self.pivot[2])
        check_off(name, [("end", self.end, "the bar's axis", self.pivot, beside)])
        if not decide(self.end[1] > 0.0, f"{name}.end: not on the left"):
            raise DataError(
                f"{name}.end: y = {self.end[1]:g} m is not on the left; give the left half (y > 0)"
            )

    def add(self, system: System, axle: str, chassis: Body, links: tuple[Body, Body]) -> None:
        """Add both halves, hung on the suspensions' bodies `links` (left, right), and the torsion between."""
        halves = []
        points = [np.array(point) for point in (self.pivot, self.end, self.link)]
        left = "left", self.half, points, links[0]
        right = "right", self.half.mirror(), [image(point) for point in points], links[1]
        for side, half, (pivot, end, link), carrier in (left, right):
            along = pivot + np.array((0.0, 1.0, 0.0))
            name = f"{axle}_{side}.anti_roll_bar"
            drop_link = SpindleTieRod(pivot, along, end, link, name, None, chassis.name, carrier.name)
            (joint,) = drop_link.joints()
            halves.append(add_rigid_body(system, name, half, chassis, joint.hinge))
            drop_link.close(system)
        first, second = halves
        system.add_force(TwistSpring(f"{axle}.anti_roll_bar", first, second, self.stiffness, self.damping))


class TwistSpring(ForceElement):
    """Spring and damper on the difference of the angles of parallel hinges: the first gets −k Δ − c Δ̇."""

    outputs: Mapping[str, str] = MappingProxyType({"twist": "rad", "torque": "N*m"})

    def __init__(self, name: str, one: Body, other: Body, stiffness: float, damping: float) -> None:
        self.name = name
        self.one, self.other = one, other
        self.stiffness, self.damping = stiffness, damping

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinges = [(body, body.inboard) for body in (self.one, self.other)]
        carried = tuple((body, hinge.at_child) for body, hinge in hinges)
        return (*carried, *((body.carrier, hinge.at_parent) for body, hinge in hinges))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        twist = observer.coordinate(self.one, 0) - observer.coordinate(self.other, 0)
        rate = observer.rate(self.one) - observer.rate(self.other)
        torque = -self.stiffness * twist - self.damping * rate
        return Response(
            loads=(HingeLoad(self.one, 0, torque), HingeLoad(self.other, 0, -torque)),
            outputs={"twist": twist, "torque": torque},
            potential=0.5 * self.stiffness * twist * twist,
        )
