"""Corners on arms and links: MacPherson, five-link, multi-link, trailing arms, rigid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, concatenate, cross, dot
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.strut import StrutLoop
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.vehicles.bodies import BodyData, RodData, Vector
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, STEERING, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.linked import HingedData, LinkData, LinkedCorner, MassiveLinkData
from ce_dynamics.models.vehicles.suspensions.points import wheel_frame


class MacPhersonData(CornerData):
    """A corner on a strut.

    D: ball joint of lower arm and upright; F: the strut's top mount on the chassis; S: a point of the strut's
    axis on the upright; K, L: outer and inner tie-rod joint.  The strut is the part that does not turn with
    the upright; without it, and without a rod, these have no mass.
    """

    D: Point
    F: Point
    S: Point
    K: Point
    L: Point
    lower_arm: HingedData
    upright: BodyData
    strut: BodyData | None = None
    tie_rod: RodData | None = None
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class MacPhersonCorner(LinkedCorner):
    """A corner on a strut: spring and damper act between chassis and upright."""

    template = "macpherson"
    section = MacPhersonData
    rods = (("tie_rod", "K", "L"),)
    carrier, arm, bar = "upright", "upright", "lower_arm"
    apart = (("lower_arm.front_pivot", "lower_arm.rear_pivot"), ("F", "S"), ("K", "L"), ("D", "F"))
    off = (("D", "lower_arm.front_pivot", "lower_arm.rear_pivot"), ("K", "D", "F"))
    pins = (("upright", "D"), (CHASSIS, "F"))

    def connect(self, graph: SuspensionGraph) -> None:
        """Arm, upright and tie rod in closed form; the strut and the rod where they have mass."""
        p = self.points
        axis = p["lower_arm.rear_pivot"], p["lower_arm.front_pivot"]
        arm, kingpin, swivel, upright, chassis, anchor = (
            graph.name(name) for name in ("lower_arm", "kingpin", "swivel", "upright", CHASSIS, STEERING)
        )
        points = (*axis, p["D"], p["F"], p["S"], p["K"], p["L"])
        graph.use(StrutLoop(*points, arm, kingpin, swivel, upright, chassis, anchor))
        graph.rod("strut", CHASSIS, p["F"], "upright", p["S"], fixed_length=False)
        graph.rod("tie_rod", "upright", p["K"], STEERING, p["L"])


STEPS = 8
"""From the design pose to the far ends; each ends with a Newton step, the last with three more."""


def measure_upright_turn(rods: Sequence[tuple[Vector, Vector, Vector]], W: Vector, axis: Vector) -> Scalar:
    """Angle of the wheel about the vertical, positive to the left [rad]; far from 0 or NaN if out of reach.

    Parameters
    ----------
    rods : sequence of (U, C, C_now)
        Five rods from U on the upright to C; where C is now.
    W : (3,) array
        A point of the upright in the design pose whose height stays, such as the wheel centre.
    axis : (3,) array
        Spin axis in the design pose.
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


LINKS = ("link_1", "link_2", "link_3", "link_4")


class FiveLinkData(CornerData):
    """A corner on five rods: four links in any order, and the tie rod from K to L."""

    K: Point
    L: Point
    link_1: LinkData
    link_2: LinkData
    link_3: LinkData
    link_4: LinkData
    tie_rod: RodData | None = None
    upright: BodyData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveLinkCorner(LinkedCorner):
    """A corner on five rods, led by the wheel's travel; spring and damper act on the upright."""

    template = "five-link"
    section = FiveLinkData
    rods = (("tie_rod", "K", "L"),)
    independent = (Component("upright", "z"),)
    carrier, arm, bar = "upright", "upright", "upright"
    apart = (*((f"{link}.chassis", f"{link}.upright") for link in LINKS), ("K", "L"))

    def connect(self, graph: SuspensionGraph) -> None:
        """The upright on no hinge, counted from the wheel's centre, and the rods."""
        p = self.points
        graph.add("upright", CHASSIS, Free(self.W.tolist()))
        ends = [(link, p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"]) for link in LINKS]
        ends.append(("tie_rod", p["K"], STEERING, p["L"]))
        for name, U, inner, C in ends:
            graph.link(name, "upright", U, inner, C)

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the wheel at its height, the rods lead the upright."""
        p = self.points
        fixed = [(p[f"{link}.upright"], p[f"{link}.chassis"], p[f"{link}.chassis"]) for link in LINKS]
        return measure_upright_turn([*fixed, (p["K"], p["L"], L)], self.W, self.wheel.axis)


PIVOTS = ("front_pivot", "rear_pivot")


class MultiLinkData(CornerData):
    """A corner on an upper arm with ball joint F, two links and the tie rod from K to L."""

    F: Point
    K: Point
    L: Point
    upper_arm: HingedData
    lateral_link: LinkData
    trailing_link: MassiveLinkData
    tie_rod: RodData | None = None
    upright: BodyData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiLinkCorner(LinkedCorner):
    """A corner led by its upper arm; spring and damper act on the trailing link."""

    template = "multi-link"
    section = MultiLinkData
    rods = (("tie_rod", "K", "L"),)
    independent = ("upper_arm",)
    carrier, arm, bar = "upright", "trailing_link", "trailing_link"
    apart = (("upper_arm.front_pivot", "upper_arm.rear_pivot"), ("K", "L"))
    off = (("F", "upper_arm.front_pivot", "upper_arm.rear_pivot"),)

    def connect(self, graph: SuspensionGraph) -> None:
        """The upright on the arm's ball joint, held by the links and the tie rod."""
        p = self.points
        graph.turning("upper_arm", CHASSIS, *(p[f"upper_arm.{pivot}"] for pivot in PIVOTS[::-1]))
        graph.add("upright", "upper_arm", Spherical(p["F"].tolist()))
        for link in ("lateral_link", "trailing_link"):
            graph.link(link, "upright", p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"], self.joint(link))
        graph.link("tie_rod", "upright", p["K"], STEERING, p["L"])

    def joint(self, link: str) -> Universal | None:
        """The universal joint of a link on the chassis; None for a rod."""
        if f"{link}.first" not in self.points:
            return None
        C, first, second = (self.points[f"{link}.{end}"] for end in ("chassis", "first", "second"))
        return Universal(first - C, second - C, at=C.tolist())

    def wheel_angle(self, L: Vector) -> Scalar:
        """With the upper arm in the design position, the rods turn the upright about its ball joint."""
        p = self.points
        fixed = [(p["F"], p[f"upper_arm.{pivot}"], p[f"upper_arm.{pivot}"]) for pivot in PIVOTS]
        fixed += [
            (p[f"{link}.upright"], p[f"{link}.chassis"], p[f"{link}.chassis"])
            for link in ("lateral_link", "trailing_link")
        ]
        return measure_upright_turn([*fixed, (p["K"], p["L"], L)], p["F"], self.wheel.axis)


class HingedArmData(BodyData):
    """A trailing arm on a ball joint."""

    pivot: Point


class ThreeLinkData(CornerData):
    """A corner on a trailing arm and two links; the links' outer ends are called ``upright``."""

    trailing_arm: HingedArmData
    upper_link: LinkData
    lower_link: LinkData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeLinkCorner(LinkedCorner):
    """A corner on a trailing arm and two links, led by the pitch of the arm."""

    template = "three-link"
    section = ThreeLinkData
    independent = (Component("trailing_arm", "pitch"),)
    carrier = arm = bar = "trailing_arm"
    apart = (("upper_link.chassis", "upper_link.upright"), ("lower_link.chassis", "lower_link.upright"))

    def connect(self, graph: SuspensionGraph) -> None:
        """The arm on its ball joint, held by the links."""
        p = self.points
        graph.add("trailing_arm", CHASSIS, Spherical(p["trailing_arm.pivot"].tolist()))
        for link in ("upper_link", "lower_link"):
            graph.link(link, "trailing_arm", p[f"{link}.upright"], CHASSIS, p[f"{link}.chassis"])


class SingleWishboneData(CornerData):
    """A corner on one wishbone; D, F: two points of the kingpin, which is fixed on the arm; K, L: tie rod."""

    D: Point
    F: Point
    K: Point
    L: Point
    control_arm: HingedData
    upright: BodyData
    tie_rod: RodData | None = None
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class SingleWishboneCorner(LinkedCorner):
    """A corner on one wishbone: spring and damper act on the arm."""

    template = "single-wishbone"
    section = SingleWishboneData
    rods = (("tie_rod", "K", "L"),)
    carrier, arm, bar = "upright", "control_arm", "control_arm"
    apart = (("control_arm.front_pivot", "control_arm.rear_pivot"), ("D", "F"), ("K", "L"))
    off = (("K", "D", "F"),)
    pins = (("upright", "D"), ("upright", "F"))

    def connect(self, graph: SuspensionGraph) -> None:
        """The arm on the chassis, the upright on the arm, held by the tie rod."""
        p = self.points
        graph.turning("control_arm", CHASSIS, p["control_arm.rear_pivot"], p["control_arm.front_pivot"])
        tie_rod = graph.name("tie_rod") if "tie_rod" in self.parts else None
        names = (graph.name("upright"), tie_rod, graph.name("control_arm"), graph.name(STEERING))
        graph.use(SpindleTieRod(p["D"], p["F"], p["K"], p["L"], *names))


class TrailingData(BodyData):
    """An arm; its axis passes through an outer and an inner pivot on the chassis."""

    outer_pivot: Point
    inner_pivot: Point


class TrailingArmData(CornerData):
    """A corner on one arm."""

    trailing_arm: TrailingData
    spring: SpringData
    damper: DamperData


class SwingAxleData(CornerData):
    """A corner on a half axle that swings about an axis along the vehicle."""

    swing_arm: HingedData
    spring: SpringData
    damper: DamperData


@dataclass(frozen=True, eq=False, kw_only=True)
class SemiTrailingArmCorner(LinkedCorner):
    """A corner on an arm whose axis lies between along and across the vehicle."""

    template = "semi-trailing-arm"
    section = TrailingArmData
    carrier = arm = bar = "trailing_arm"
    apart = (("trailing_arm.outer_pivot", "trailing_arm.inner_pivot"),)
    off = (("W", "trailing_arm.outer_pivot", "trailing_arm.inner_pivot"),)

    def connect(self, graph: SuspensionGraph) -> None:
        """The arm on the chassis."""
        p = self.points
        graph.turning("trailing_arm", CHASSIS, p["trailing_arm.inner_pivot"], p["trailing_arm.outer_pivot"])


class TrailingArmCorner(SemiTrailingArmCorner):
    """The same whose axis lies across the vehicle."""

    template = "trailing-arm"


@dataclass(frozen=True, eq=False, kw_only=True)
class SwingAxleCorner(LinkedCorner):
    """A corner on a half axle."""

    template = "swing-axle"
    section = SwingAxleData
    carrier = arm = bar = "swing_arm"
    apart = (("swing_arm.front_pivot", "swing_arm.rear_pivot"),)
    off = (("W", "swing_arm.front_pivot", "swing_arm.rear_pivot"),)

    def connect(self, graph: SuspensionGraph) -> None:
        """The half axle on the chassis."""
        p = self.points
        graph.turning("swing_arm", CHASSIS, p["swing_arm.rear_pivot"], p["swing_arm.front_pivot"])


class RigidData(CornerData):
    """A corner whose wheel turns on the chassis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RigidCorner(LinkedCorner):
    """A wheel on the chassis."""

    template = "rigid"
    section = RigidData

    def connect(self, graph: SuspensionGraph) -> None:
        """Nothing."""

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """The chassis carries the wheel."""
        return chassis

    @property
    def drop_link_carrier(self) -> str:
        """None: a bar whose ends move with its middle does nothing."""
        axle = self.name.rpartition("_")[0]
        raise DataError(
            f"axles.{axle}: an anti-roll bar does nothing where wheels turn on the chassis; "
            "leave anti_roll_bar out, or choose a suspension"
        )
