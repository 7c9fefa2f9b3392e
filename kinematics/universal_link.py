"""A link on a universal joint, whose far end follows a point of another body.

The axes a1 (on the carrier) and a2 (on the link) are perpendicular; n = a1 × a2.  Unlike a rod's, they need
not be square to the link.  With d0 from the joint to the far end in the design pose, and d in the carrier's
axes now, d = Rot(a1, χ) Rot(a2, ζ) d0 (`ce_dynamics.embedding.closed_forms.formulas.two_turns`).  It is
singular where the plane of both axes contains the link.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import concatenate, cross
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.embedding.closed_forms.formulas import two_turns
from ce_dynamics.embedding.closed_forms.step import set_moving
from ce_dynamics.embedding.closures.loop import hinge_at_rest
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge, rows_of
from ce_dynamics.kinematics.hardpoints import Point, check_fields, length_between
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE
from ce_dynamics.mechanism.hinges.closures import PointOnLine
from ce_dynamics.mechanism.hinges.universal import Universal


@dataclass(eq=False, repr=False)
class UniversalLink(ClosedForm):
    """The body of a link; the loop it belongs to keeps its length.

    The axes of its ``hinge`` on the carrier are perpendicular, and the link is not in their plane.  U is its
    far end in the design pose, which is fixed on ``anchor`` [m].
    """

    hinge: Universal
    U: Point
    link: str
    carrier: str
    anchor: str

    def __post_init__(self) -> None:
        owner, hinge = f"link {self.link!r}", self.hinge
        check_fields(self, owner)
        length = length_between(hinge.at, self.U, owner, "its ends")
        steep = number(cross(hinge.axis1, hinge.axis2) @ (self.U - hinge.at)) / length
        skew = abs(number(hinge.axis1 @ hinge.axis2))
        if decide(skew > ANGULAR_TOLERANCE, f"{owner}: the axes of its joint are not perpendicular"):
            raise ModelError(f"{owner}: the axes of its universal joint have to be perpendicular")
        if decide(abs(steep) <= ANGULAR_TOLERANCE, f"{owner} lies in the plane of its axes"):
            raise ModelError(f"{owner} lies in the plane of its joint's axes; choose others")
        self._branch = 1.0 if decide(steep > 0.0, "side of a link's axes") else -1.0
        self.determines = (self.link,)
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
        carrier, hinge = motion.carrier(self.link), self.hinge
        target, at = motion.point(self.anchor, self.U), carrier.point(hinge.at, motion.theta_dot)
        d = carrier.R.T @ (target.r - at.r)
        turns = two_turns(hinge.axis1, hinge.axis2, self.U - hinge.at, d, self._branch)
        (line,) = self.cuts()
        set_moving(motion, {self.link: hinge_at_rest(concatenate(turns), 2, motion.N)}, rows_of(line))
