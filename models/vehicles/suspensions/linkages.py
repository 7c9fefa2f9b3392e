"""Closed forms that solve joints of a suspension, by the names that templates use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.strut import StrutLoop
from ce_dynamics.kinematics.swing_arm import SwingArm
from ce_dynamics.kinematics.universal_link import UniversalLink
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.closures import Distance, PointOnLine, PointOnPlane
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.cylindrical import Cylindrical
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.models.vehicles.bodies import Vector

ON_A_LINE: Mapping[str, Callable[..., Closure]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "cylindrical": Cylindrical,
    "point-on-line": PointOnLine,
    "point-on-plane": PointOnPlane,
}
AT_A_POINT: Mapping[str, Callable[..., Closure]] = {"spherical": Spherical, "fixed": Fixed, "free": Free}
Z = np.array((0.0, 0.0, 1.0))


class PlacedJoint(NamedTuple):
    """A joint of a corner or an axle (``owner``) in vehicle coordinates, its bodies by their full names.

    ``label`` distinguishes it from others of the same two bodies; ``axis`` is its direction, that from the
    first to the second point if None; ``ends`` that a joint on a line is in the middle of its points;
    ``body`` the full name of one that may lie in it.
    """

    name: str
    owner: str
    kind: str
    label: str
    one: str
    other: str
    points: tuple[Vector, ...]
    axis: Vector | None = None
    ends: bool = False
    body: str = ""

    def make_closure(self) -> Closure:
        at, *others = self.points
        if self.kind == "distance":
            return Distance(at.tolist(), others[0].tolist())
        if self.kind == "universal":
            first, second = ((other - at).tolist() for other in others)
            return Universal(first, second, at=at.tolist())
        if self.kind in AT_A_POINT:
            return AT_A_POINT[self.kind](at.tolist())
        along = others[0] - at if self.axis is None else self.axis
        place = 0.5 * (at + others[0]) if self.ends else at
        return ON_A_LINE[self.kind](along.tolist(), at=place.tolist())

    def find_axis_points(self) -> tuple[Vector, Vector]:
        """Return two points of the axis of a revolute joint."""
        return self.points[0], self.points[0] + self.axis if self.axis is not None else self.points[1]

    def make_rod(self, names: Callable[[str], str]) -> ClosedForm:
        """Return the closed form of the body that lies in the joint."""
        ends = names(self.one), names(self.other)
        P, Q = self.points[:2]
        if self.kind == "leaf":
            return Rod(P, Q, self.body, *ends, axes=(Z, cross(Q - P, Z)))
        if self.kind == "point-on-line":  # the other body's point stays on a line of the first body
            return Rod(P, Q, self.body, *ends[::-1], fixed_length=False)
        if len(self.points) > 2:
            joint = Universal(self.points[2] - Q, self.points[3] - Q, at=Q.tolist())
            return UniversalLink(joint, P, self.body, *ends[::-1])
        return Rod(P, Q, self.body, *ends)


class Given(NamedTuple):
    """Joints of a closed form, and full names of bodies: of those of the owner that have mass, and others."""

    joints: tuple[PlacedJoint, ...]
    names: Callable[[str], str]
    has_mass: Callable[[str], bool]

    def name_own(self, body: str) -> str:
        return f"{self.joints[0].owner}.{body}"


def make_spindle(given: Given) -> ClosedForm:
    """Return the closed form of a body on a revolute joint, held by a rod."""
    hinge, rod = given.joints
    body = rod.body if given.has_mass(rod.body) else None
    (D, F), (K, L) = hinge.find_axis_points(), rod.points
    return SpindleTieRod(D, F, K, L, hinge.other, body, given.names(hinge.one), given.names(rod.other))


def make_swing_arm(given: Given) -> ClosedForm:
    """Return the linkage of an arm on a revolute joint that follows a ball joint."""
    hinge, ball = given.joints
    at, ahead = hinge.find_axis_points()
    return SwingArm(at - (ahead - at), ahead, ball.points[0], hinge.other, given.names(hinge.one), ball.other)


def make_strut(given: Given) -> ClosedForm:
    """Return the linkage of an arm, and of an upright on a strut with a tie rod."""
    arm, ball, top, rod = given.joints
    bodies = arm.other, given.name_own("kingpin"), given.name_own("swivel"), top.one
    (A1, A2), (F, S), (K, L) = arm.points, top.points, rod.points
    return StrutLoop(
        A1, A2, ball.points[0], F, S, K, L, *bodies, given.names(top.other), given.names(rod.other)
    )


def make_double_wishbone(given: Given) -> ClosedForm:
    """Return the linkage of two arms, an upright with a tie rod, and a shock absorber if it has mass."""
    lower, upper, D, F, *others = given.joints
    by_kind = {joint.kind: joint for joint in others}
    rod, shock = by_kind["distance"], by_kind.get("cylindrical")
    B, J = (None, None) if shock is None else shock.points
    (A1, A2), (G1, G2), (K, L) = lower.points, upper.points, rod.points
    points = DoubleWishbonePoints(A1, A2, G1, G2, D.points[0], F.points[0], K, L, B, J)
    return DoubleWishbone(
        points,
        DoubleWishboneBodies(
            lower_arm=lower.other,
            upper_arm=upper.other,
            upright_link=given.name_own("upright_link"),
            spindle=rod.one,
            tie_rod=rod.body if given.has_mass(rod.body) else None,
            shock_lower=given.name_own("shock_lower"),
            shock_upper=given.name_own("shock_upper"),
            chassis=given.names(lower.one),
            steering=given.names(rod.other),
        ),
    )


LINKAGES: Mapping[str, Callable[[Given], ClosedForm]] = {
    "spindle": make_spindle,
    "swing-arm": make_swing_arm,
    "strut": make_strut,
    "double-wishbone": make_double_wishbone,
}
"""Functions that solve joints, which each takes in its own order."""


def is_hinge(joint: Closure) -> bool:
    """Return True for a joint that can carry a body."""
    return isinstance(joint, Hinge)


def unit_towards(a: Vector, b: Vector) -> Vector:
    """Return the point one metre from a towards b."""
    return np.asarray(a + (b - a) / magnitude(b - a))
