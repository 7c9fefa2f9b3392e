"""Double wishbone corner: seven bodies, three loops, one degree of freedom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, cross
from ce_dynamics.compiler.free_numbers import decide, nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, Composite
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.kinematics.hardpoints import Point, check_body_names, check_point, unit_between
from ce_dynamics.kinematics.shock import Shock
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.wishbone_loop import WishboneLoop
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, magnitude


@dataclass(frozen=True)
class DoubleWishbonePoints:
    """Hardpoints of a corner in the design pose [m], named as in the paper's figure 5.

    Attributes
    ----------
    A1, A2 : points
        Axis of the lower arm on the chassis.
    G1, G2 : points
        Axis of the upper arm on the chassis.
    D, F : points
        Ball joints of the upright with the lower and the upper arm.
    K, L : points, optional
        Tie rod: on the spindle, and on the chassis or the steering link.
    B, J : points, optional
        Shock: on the lower arm and on the chassis.
    """

    A1: Point
    A2: Point
    G1: Point
    G2: Point
    D: Point
    F: Point
    K: Point | None = None
    L: Point | None = None
    B: Point | None = None
    J: Point | None = None

    def __post_init__(self) -> None:
        for one, other in (("K", "L"), ("B", "J")):
            if (getattr(self, one) is None) != (getattr(self, other) is None):
                raise ModelError(f"double wishbone: give both points {one} and {other}, or neither")


@dataclass(frozen=True)
class DoubleWishboneBodies:
    """Names of the bodies of a corner and of what it attaches to.

    Attributes
    ----------
    tie_rod : str or None
        None for a tie rod that is a mere distance and no body.
    steering : str or None
        Body that carries L; None for the chassis.
    """

    lower_arm: str = "lower_arm"
    upper_arm: str = "upper_arm"
    upright_link: str = "upright_link"
    spindle: str = "spindle"
    tie_rod: str | None = "tie_rod"
    shock_lower: str = "shock_lower"
    shock_upper: str = "shock_upper"
    chassis: str = "chassis"
    steering: str | None = None

    def __post_init__(self) -> None:
        optional = {"tie_rod", "steering"}
        given = {name: body for name, body in vars(self).items() if body is not None or name not in optional}
        check_body_names("double wishbone", **given)

    @classmethod
    def with_prefix(
        cls,
        prefix: str,
        chassis: str = "chassis",
        steering: str | None = None,
        tie_rod: bool = True,
    ) -> DoubleWishboneBodies:
        """Return default names with a prefix such as ``"FL_"``."""
        own = {
            name: f"{prefix}{name}"
            for name in ("lower_arm", "upper_arm", "upright_link", "spindle", "shock_lower", "shock_upper")
        }
        rod = f"{prefix}tie_rod" if tie_rod else None
        return cls(**own, tie_rod=rod, chassis=chassis, steering=steering)

    @property
    def anchor(self) -> str:
        """Body that carries L."""
        return self.chassis if self.steering is None else self.steering


class DoubleWishbone(Composite):
    """The spatial double wishbone with its spindle, tie rod and shock absorber.

    The lower arm is independent.  Without K and L there is no spindle and no tie rod; without B and J
    there is no shock.

    The turning of the upright link, the tie rod and the shock about their own lengths is a matter of the
    universal hinges chosen here; give the mass of the real upright to the spindle, whose pose the loops
    determine.

    Parameters
    ----------
    points : DoubleWishbonePoints
    bodies : DoubleWishboneBodies

    Raises
    ------
    ModelError
        For hardpoints that coincide or lie on the axis they turn about, or a design pose at a dead point.
    """

    def __init__(self, points: DoubleWishbonePoints, bodies: DoubleWishboneBodies | None = None) -> None:
        points, b = check_corner(points, bodies)
        self.points, self.bodies = points, b
        arms = WishboneLoop(
            points.A1, points.A2, points.G1, points.G2, points.D, points.F,
            b.lower_arm, b.upper_arm, b.upright_link, b.chassis,
        )  # fmt: skip
        super().__init__([arms, *parts_on_arms(points, b, None)], b.lower_arm)


def check_corner(
    points: DoubleWishbonePoints, bodies: DoubleWishboneBodies | None
) -> tuple[DoubleWishbonePoints, DoubleWishboneBodies]:
    """Return a user's hardpoints and names of bodies, the defaults if none are given."""
    owner = "double wishbone"
    checks.instance(f"{owner}: points", points, DoubleWishbonePoints, "DoubleWishbonePoints(...)")
    if bodies is None:
        return points, DoubleWishboneBodies()
    return points, checks.instance(f"{owner}: bodies", bodies, DoubleWishboneBodies, "names of bodies")


def planar_double_wishbone(
    points: DoubleWishbonePoints,
    bodies: DoubleWishboneBodies | None = None,
) -> Composite:
    """Return the planar corner: four-bar, shock and spindle on one lower arm.

    The spanning tree is the paper's: the upper arm hangs on the upright and the loop is cut at G.

    Parameters
    ----------
    points : DoubleWishbonePoints
        With parallel arm axes; the shock perpendicular to them.
    bodies : DoubleWishboneBodies

    Raises
    ------
    ModelError
        If the arm axes are not parallel or the shock is out of plane: use `DoubleWishbone`.
    """
    points, b = check_corner(points, bodies)
    owner = f"planar double wishbone of {b.lower_arm!r}"
    A1, A2, G1, G2 = (check_point(getattr(points, name), owner, name) for name in ("A1", "A2", "G1", "G2"))
    axis = unit_between(A1, A2, owner, "A1 A2")
    lean = magnitude(cross(axis, unit_between(G1, G2, owner, "G1 G2")))
    if decide(lean > ANGULAR_TOLERANCE, f"{owner}: the axes A1 A2 and G1 G2 are not parallel"):
        apart = np.arcsin(min(nominal(lean), 1.0))
        raise ModelError(
            f"{owner}: the axes A1 A2 and G1 G2 are {apart:g} rad apart, which must be less than "
            f"{ANGULAR_TOLERANCE:g}; use DoubleWishbone for arms whose axes are not parallel"
        )
    A, G = 0.5 * (A1 + A2), 0.5 * (G1 + G2)
    arms = FourBar(A, points.D, points.F, G, axis, b.lower_arm, b.upright_link, b.upper_arm, b.chassis)
    return Composite([arms, *parts_on_arms(points, b, axis)], b.lower_arm)


def parts_on_arms(
    points: DoubleWishbonePoints, b: DoubleWishboneBodies, axis: Array | None
) -> Iterator[ClosedForm]:
    """Yield the spindle with its tie rod and the shock, planar about an axis, as far as there are points."""
    if points.K is not None and points.L is not None:
        D, F, K, L = points.D, points.F, points.K, points.L
        yield SpindleTieRod(D, F, K, L, b.spindle, b.tie_rod, b.upright_link, b.anchor)
    if points.B is not None and points.J is not None:
        yield Shock(points.B, points.J, axis, b.shock_lower, b.shock_upper, b.lower_arm, b.chassis)
