"""Every closed-form linkage that the generic checks run on: a new linkage is one more entry of LINKAGES."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ce_dynamics.kinematics.base import ClosedForm, Composite, Joint
from ce_dynamics.kinematics.double_wishbone import (
    DoubleWishbone,
    DoubleWishboneBodies,
    DoubleWishbonePoints,
    planar_double_wishbone,
)
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.kinematics.pitman import PitmanSteering
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.kinematics.shock import Shock
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.strut import StrutLoop
from ce_dynamics.kinematics.universal_link import UniversalLink
from ce_dynamics.kinematics.wishbone_loop import WishboneLoop
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.universal import Universal
from tests.kinematics.symbolic import cases as symbolic


@dataclass(frozen=True)
class Case:
    """A linkage and the surroundings it is tried in."""

    linkage: ClosedForm
    # independent hinges, one coordinate each, and the interval to sample
    span: Mapping[str, tuple[float, float]]
    # joints outside the linkage that carry it; their hinges are independent too
    carriers: tuple[Joint, ...] = ()
    # a linkage beside S whose independent hinge is prescribed, within ``steering_span``
    steering: ClosedForm | None = None
    steering_span: tuple[float, float] = (-0.5, 0.5)


# Hardpoints of the HMMWV (reference data, section 1), left side, from the corner's origin.
FRONT = DoubleWishbonePoints(
    A1=(0.223, 0.307, 0.0), A2=(-0.223, 0.307, 0.0),
    G1=(-0.048, 0.446, 0.245), G2=(-0.268, 0.478, 0.196),
    D=(-0.036, 0.787, -0.118), F=(-0.053, 0.716, 0.215),
    K=(-0.176, 0.821, -0.016), L=(-0.250, 0.448, 0.054),
    B=(0.097, 0.543, -0.047), J=(0.104, 0.510, 0.197),
)  # fmt: skip
REAR = DoubleWishbonePoints(
    A1=(0.223, 0.307, 0.0), A2=(-0.223, 0.307, 0.0),
    G1=(0.349, 0.462, 0.228), G2=(0.077, 0.462, 0.224),
    D=(0.036, 0.787, -0.118), F=(0.036, 0.716, 0.216),
    K=(0.170, 0.821, -0.009), L=(0.223, 0.416, 0.059),
    B=(-0.097, 0.543, -0.047), J=(-0.104, 0.502, 0.256),
)  # fmt: skip
HALF_WHEELBASE = 1.688965


def moved(points: DoubleWishbonePoints, side: float, x: float) -> DoubleWishbonePoints:
    """Hardpoints of a corner at x, mirrored in y for side = -1."""
    values = {
        name: np.array((1.0, side, 1.0)) * point + np.array((x, 0.0, 0.0))
        for name, point in vars(points).items()
        if point is not None
    }
    return DoubleWishbonePoints(**values)


def flattened(points: DoubleWishbonePoints) -> DoubleWishbonePoints:
    """A corner like the given one whose arms and shock are planar: both arm axes and all offsets along x."""
    values = {name: np.array(point) for name, point in vars(points).items()}
    values["G2"] = values["G1"] - (0.22, 0.0, 0.0)
    values["F"][0] = values["D"][0]
    values["J"][0] = values["B"][0]
    return DoubleWishbonePoints(**values)


def turned(points: DoubleWishbonePoints, R: np.ndarray) -> DoubleWishbonePoints:
    return DoubleWishbonePoints(**{name: R @ np.array(point) for name, point in vars(points).items()})


def rotation(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """Rotation matrix by the quaternion (cos, sin · axis) of half the angle."""
    w, (x, y, z) = math.cos(angle / 2), math.sin(angle / 2) * np.array(axis) / np.linalg.norm(axis)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


TILT = rotation((0.3, -1.0, 0.4), 0.7)


def pitman() -> PitmanSteering:
    """The HMMWV's steering (reference data, section 2): a frame turned 18.5° about y."""
    R = rotation((0.0, 1.0, 0.0), 2.0 * math.acos(0.98699637))
    at = np.array((1.24498, 0.0, 0.101322))
    T, U, V, W = (
        at + R @ np.array(p)
        for p in ((0.0, 0.249, 0.0), (0.129, 0.249, 0.0), (0.129, -0.325, 0.0), (0.0, -0.325, 0.0))
    )
    return PitmanSteering(T, U, V, W, R @ np.array((0.0, 0.0, 1.0)))


def corner(points: DoubleWishbonePoints, side: float, x: float, steered: bool, tie_rod: bool = True) -> Case:
    """An HMMWV corner; the front ones with the Pitman steering beside them."""
    bodies = DoubleWishboneBodies.with_prefix(
        "", steering="steering_link" if steered else None, tie_rod=tie_rod
    )
    linkage = DoubleWishbone(moved(points, side, x), bodies)
    # The lower arm's angle is about -x (from A1 to A2 as moved): jounce changes sign with the side.
    return Case(linkage, {"lower_arm": (-0.4, 0.4)}, steering=pitman() if steered else None)


def four_bar(
    points: tuple[tuple[float, float], ...], axis_turn: np.ndarray, span: tuple[float, float]
) -> Case:
    """A four-bar in a plane given by a rotation of the x–y plane, its points offset along the axis."""
    A, D, F, G = (axis_turn @ np.array((*p, 0.1 * k)) for k, p in enumerate(points))
    return Case(FourBar(A, D, F, G, axis_turn @ np.array((0.0, 0.0, 1.0))), {"crank": span})


def shock_on_arm(planar: bool) -> Case:
    """A shock between an arm that turns about a skew axis and the ground."""
    B, J = TILT @ np.array((0.3, 0.05, 0.0)), TILT @ np.array((0.35, 0.4, 0.0 if planar else 0.12))
    axis = TILT @ np.array((0.0, 0.0, 1.0))
    arm = Joint("lower_arm", "chassis", Revolute(axis.tolist()))
    return Case(Shock(B, J, axis if planar else None), {"lower_arm": (-1.0, 1.0)}, (arm,))


def spindle_on_universal() -> Case:
    """A spindle on an upright with two degrees of freedom of its own, L carried by the steering."""
    points = moved(FRONT, 1.0, HALF_WHEELBASE)
    assert points.K is not None
    assert points.L is not None
    upright = Joint("upright_link", "chassis", Universal((1.0, 0.1, 0.0), (0.0, 1.0, 0.2), (1.6, 0.5, 0.1)))
    linkage = SpindleTieRod(points.D, points.F, points.K, points.L, anchor="steering_link")
    return Case(linkage, {"upright_link": (-0.15, 0.15)}, (upright,), pitman(), (-0.3, 0.3))


def wishbone_loop() -> Case:
    p = turned(FRONT, TILT)
    return Case(WishboneLoop(p.A1, p.A2, p.G1, p.G2, p.D, p.F), {"lower_arm": (-0.6, 0.4)})


def strut(R: np.ndarray, steered: bool, d: float = 1.0, skew: bool = False) -> Case:
    """A MacPherson corner with the body of its tie rod; ``d`` scales how far the strut's line passes D.

    A skew tie rod is on a universal joint whose axes are not square to it.
    """
    points = {
        "A1": (-0.3, 0.36, 0.01), "A2": (0.02, 0.35, 0.0), "D": (0.0, 0.77, -0.05), "F": (-0.03, 0.6, 0.72),
        "K": (-0.15, 0.77, 0.15), "L": (-0.2, 0.35, 0.18),
    }  # fmt: skip
    D, F = (np.array(points[name]) for name in "DF")
    S = D + 0.35 * (F - D) + d * np.array((0.004, -0.02, -0.006))
    at = {
        name: R @ np.array(point) + np.array((1.2, 0.0, 0.1)) for name, point in (points | {"S": S}).items()
    }
    anchor = "steering_link" if steered else "chassis"
    loop = StrutLoop(**at, upright="spindle", anchor=anchor)
    rod: ClosedForm = Rod(at["K"], at["L"], "tie_rod", "spindle", anchor)
    if skew:
        joint = Universal(R @ (0.2, 0.5, 1.0), R @ (1.0, 0.4, -0.4), at=at["K"])
        rod = UniversalLink(joint, at["L"], "tie_rod", "spindle", anchor)
    tube = Rod(at["F"], at["S"], "strut", "chassis", "spindle", fixed_length=False)
    linkage = Composite([loop, rod, tube], "lower_arm")
    return Case(linkage, {"lower_arm": (-0.25, 0.25)}, steering=pitman() if steered else None)


def planar_corner() -> Case:
    return Case(planar_double_wishbone(flattened(FRONT)), {"lower_arm": (-0.4, 0.4)})


PLANE_XZ = rotation((1.0, 0.0, 0.0), math.pi / 2)
CRANK_ROCKER = ((0.0, 0.0), (0.2, 0.3), (1.1, 0.8), (1.2, -0.1))
CROSSED = ((0.0, 0.0), (0.2, 0.3), (1.0, -0.7), (1.2, 0.1))

STEERED = {
    "spindle", "strut in skew axes", "strut with a skew tie rod", "front left", "front right",
    "tie rod as distance",
}  # fmt: skip
"""Those with a steering beside them."""
FOLLOWERS = {"shock, planar", "shock, spatial", "spindle"}
"""Those without an independent hinge of their own.  Both are known without building any: some are derived."""

LINKAGES: dict[str, Callable[[], Case]] = {
    "four-bar": lambda: four_bar(CRANK_ROCKER, PLANE_XZ, (-3.0, 3.0)),
    "four-bar, skew": lambda: four_bar(CRANK_ROCKER, TILT, (-3.0, 3.0)),
    "four-bar, crossed": lambda: four_bar(CROSSED, TILT, (-3.0, 3.0)),
    "Pitman steering": lambda: Case(pitman(), {"pitman_arm": (-0.6, 0.6)}),
    "shock, planar": lambda: shock_on_arm(True),
    "shock, spatial": lambda: shock_on_arm(False),
    "spindle": spindle_on_universal,
    "wishbone loop": wishbone_loop,
    "planar double wishbone": planar_corner,
    "strut in skew axes": lambda: strut(TILT, True),
    "strut with a skew tie rod": lambda: strut(TILT, True, skew=True),
    "front left": lambda: corner(FRONT, 1.0, HALF_WHEELBASE, True),
    "front right": lambda: corner(FRONT, -1.0, HALF_WHEELBASE, True),
    "rear left": lambda: corner(REAR, 1.0, -HALF_WHEELBASE, False),
    "rear right": lambda: corner(REAR, -1.0, -HALF_WHEELBASE, False),
    "tie rod as distance": lambda: corner(FRONT, 1.0, HALF_WHEELBASE, True, tie_rod=False),
    "skew double wishbone": lambda: Case(DoubleWishbone(turned(FRONT, TILT)), {"lower_arm": (-0.4, 0.4)}),
    "four-bar by equations": lambda: Case(symbolic.four_bar(), {"crank": (-3.0, 3.0)}),
    "slider-crank by equations, driven by the piston": lambda: Case(
        symbolic.slider_crank(independent="piston"), {"piston": (-0.12, 0.01)}
    ),
    "four-bar by equations, slotted lever": lambda: Case(
        symbolic.inverted_slider_crank(), {"crank": (-3.0, 3.0)}
    ),
    "double arms by equations": lambda: Case(symbolic.planar_wishbone(), {"lower_arm": (-0.4, 0.4)}),
    "RSSR by equations": lambda: Case(symbolic.rssr(), {"crank": (-0.3, 1.2)}),
}
