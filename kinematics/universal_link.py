"""A link on a universal joint, whose far end follows a point of another body.

The axes a1 (on the carrier) and a2 (on the link) are perpendicular; n = a1 × a2.  Unlike a rod's, they need
not be square to the link.  Of its direction d0 = s1 a1 + s2 a2 + s0 n in the design pose

    Rot(a1, χ) Rot(a2, ζ) d0 = d / ℓ = t1 a1 + t2 a2 + t0 n

holds for the target at d, in the carrier's axes and at the distance ℓ, where with m = ±√(s1² + s0² − t1²),
of the sign of s0,

    (cos ζ, sin ζ) = (s0 m + s1 t1, s0 t1 − s1 m) / (s1² + s0²),
    (cos χ, sin χ) = (s2 t2 + m t0, s2 t0 − m t2) / (s2² + m²).

It is singular where m = 0: there the plane of both axes contains the link.

Rates, with the axes e1, e2 turned along, T = (e1 × e2) · d and W = ω + e1 χ̇ + e2 ζ̇ on a carrier that turns
with ω: the target moves with v = W × d, hence

    χ̇ = −(e2 · v + ω · (e2 × d)) / T,      ζ̇ = (e1 · v + ω · (e1 × d)) / T,

and with a' = a − W × (W × d) and α = α0 + e1 χ̈ + e2 ζ̈ in the same way

    χ̈ = −(e2 · a' + α0 · (e2 × d)) / T,      ζ̈ = (e1 · a' + α0 · (e1 × d)) / T.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import array, cross, dot, sqrt
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import (
    Point,
    carry_by_rotation,
    check_point,
    hinge_axes,
    hinge_point,
    length_between,
)
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE
from ce_dynamics.mechanism.hinges.closures import PointOnLine
from ce_dynamics.mechanism.hinges.universal import Universal


class UniversalLink(ClosedForm):
    """The body of a link; the loop it belongs to keeps its length.

    Parameters
    ----------
    hinge : Universal
        Of the link on its carrier, with perpendicular axes.
    U : point
        Far end in the design pose, which is fixed on ``anchor`` [m].
    link, carrier, anchor : str
        Names of the bodies.

    Raises
    ------
    ModelError
        If the axes are not perpendicular, or the link lies in their plane.
    """

    def __init__(self, hinge: Universal, U: Point, link: str, carrier: str, anchor: str) -> None:
        owner = f"link {link!r}"
        self.hinge, self.U = hinge, check_point(U, owner, "U")
        self.link, self.carrier, self.anchor = link, carrier, anchor
        self.length = length_between(hinge.at, self.U, owner, "its ends")
        self.across = cross(hinge.axis1, hinge.axis2)
        d0 = (self.U - hinge.at) / self.length
        self.design = tuple(number(axis @ d0) for axis in (hinge.axis1, hinge.axis2, self.across))
        skew = abs(number(hinge.axis1 @ hinge.axis2))
        if decide(skew > ANGULAR_TOLERANCE, f"{owner}: the axes of its joint are not perpendicular"):
            raise ModelError(f"{owner}: the axes of its universal joint have to be perpendicular")
        if decide(abs(self.design[2]) <= ANGULAR_TOLERANCE, f"{owner} lies in the plane of its axes"):
            raise ModelError(f"{owner} lies in the plane of its joint's axes; choose others")
        self.determines = (link,)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the link on its carrier."""
        return (Joint(self.link, self.carrier, self.hinge),)

    def cuts(self) -> tuple[Cut, ...]:
        """Keep U on the link's line."""
        line = PointOnLine((self.U - self.hinge.at).tolist(), at=self.U.tolist())
        return (Cut(f"{self.link}/{self.anchor}", self.link, self.anchor, line),)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.link, self.hinge)
        carrier, theta_dot = motion.carrier(self.link), motion.theta_dot
        target, at = motion.point(self.anchor, self.U), hinge_point(carrier, self.hinge, theta_dot)
        d, a = target.r - at.r, target.a - at.a
        local = carrier.R.T @ d / self.length
        t1, t2, t0 = (dot(axis, local) for axis in (self.hinge.axis1, self.hinge.axis2, self.across))
        s1, s2, s0 = self.design
        one, two = s1 * s1 + s0 * s0, t2 * t2 + t0 * t0
        m = sqrt(one - t1 * t1) * (1.0 if decide(s0 > 0.0, "side of a link's axes") else -1.0)
        c = array(
            (
                (s2 * t2 + m * t0) / two,
                (s2 * t0 - m * t2) / two,
                (s0 * m + s1 * t1) / one,
                (s0 * t1 - s1 * m) / one,
            )
        )
        axes = hinge_axes(carrier, self.hinge, c)
        e1, e2 = axes[:, 0], axes[:, 1]
        g1, g2 = cross(e1, d), cross(e2, d)
        per_T = 1.0 / dot(cross(e1, e2), d)
        J, drift = target.J - at.J, target.drift - at.drift
        X = per_T * np.stack((-(e2 @ J + g2 @ carrier.w), e1 @ J + g1 @ carrier.w))
        eta = per_T * array(
            (-(dot(e2, drift) + dot(g2, carrier.w_drift)), dot(e1, drift) + dot(g1, carrier.w_drift))
        )
        body = carry_by_rotation(carrier, self.hinge, c, X, eta, theta_dot)
        W = body.w_total
        rest = a - cross(W, cross(W, d))
        later = -(dot(e2, rest) + dot(body.alpha, g2)), dot(e1, rest) + dot(body.alpha, g1)
        bias = per_T * array(later)
        motion.set(self.link, HingeMotion(c, X, eta, bias))
