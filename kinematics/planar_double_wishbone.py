"""The paper's own double wishbone: planar arms (15)–(27), planar shock (28)–(30), spindle (31)–(32)."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.compiler.free_numbers import decided, nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.composite import Composite
from ce_dynamics.kinematics.double_wishbone import DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.four_bar_linkage import FourBar
from ce_dynamics.kinematics.hardpoints import checked_point, unit_between
from ce_dynamics.kinematics.shock import Shock
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, magnitude


def planar_double_wishbone(
    points: DoubleWishbonePoints,
    bodies: DoubleWishboneBodies | None = None,
) -> Composite:
    """The planar corner: four-bar, shock and spindle on one lower arm.

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
    b = DoubleWishboneBodies() if bodies is None else bodies
    owner = f"planar double wishbone of {b.lower_arm!r}"
    A1, A2, G1, G2 = (checked_point(getattr(points, name), owner, name) for name in ("A1", "A2", "G1", "G2"))
    axis = unit_between(A1, A2, owner, "A1 A2")
    lean = magnitude(cross(axis, unit_between(G1, G2, owner, "G1 G2")))
    if decided(lean > ANGULAR_TOLERANCE, f"{owner}: the axes A1 A2 and G1 G2 are not parallel"):
        apart = np.arcsin(min(nominal(lean), 1.0))
        raise ModelError(
            f"{owner}: the axes A1 A2 and G1 G2 are {apart:g} rad apart, which must be less than "
            f"{ANGULAR_TOLERANCE:g}; use DoubleWishbone for arms whose axes are not parallel"
        )
    A, G = 0.5 * (A1 + A2), 0.5 * (G1 + G2)
    parts: list[ClosedForm] = [
        FourBar(A, points.D, points.F, G, axis, b.lower_arm, b.upright_link, b.upper_arm, b.chassis)
    ]
    if points.K is not None and points.L is not None:
        parts.append(
            SpindleTieRod(
                points.D, points.F, points.K, points.L, b.spindle, b.tie_rod, b.upright_link, b.anchor
            )
        )
    if points.B is not None and points.J is not None:
        parts.append(Shock(points.B, points.J, axis, b.shock_lower, b.shock_upper, b.lower_arm, b.chassis))
    return Composite(parts, b.lower_arm)
