"""An arm that follows a ball joint round its axis: the body of a wishbone whose loop is solved elsewhere.

That the joint stays on its circle about the arm's axis is a matter of the loop it belongs to (two distances
to points of the axis, for example); this one only finds the arm's angle.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.aim import AimPlanar
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import Point, check_fields, distance_from_axis, unit_between
from ce_dynamics.mechanism.hinges.closures import PointOnPlane
from ce_dynamics.mechanism.hinges.revolute import Revolute


@dataclass(eq=False, repr=False)
class SwingArm(ClosedForm):
    """An arm on ``carrier`` whose ball joint is a point of another body.

    Parameters
    ----------
    A1, A2 : points
        Two points of the arm's axis on the carrier, in the design pose [m].
    F : point
        Ball joint with ``anchor`` [m].
    arm, carrier, anchor : str
        Names of the bodies.

    Raises
    ------
    ModelError
        If points coincide, or F is on the axis.
    """

    A1: Point
    A2: Point
    F: Point
    arm: str
    carrier: str
    anchor: str

    def __post_init__(self) -> None:
        owner = f"arm {self.arm!r}"
        check_fields(self, owner)
        u = unit_between(self.A1, self.A2, owner, "A1 A2")
        distance_from_axis(self.F, self.A1, u, owner, "F")
        foot = self.A1 + u * number(u @ (self.F - self.A1))
        self.hinge = Revolute(u.tolist(), foot.tolist())
        self.normal = cross(u, self.F - foot)
        self.aim = AimPlanar(self.hinge, self.F, owner, "F")
        self.determines = (self.arm,)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the arm on its carrier."""
        return (Joint(self.arm, self.carrier, self.hinge),)

    def cuts(self) -> tuple[Cut, ...]:
        """Keep F in the plane of the arm through its axis."""
        plane = PointOnPlane(self.normal.tolist(), at=self.F.tolist())
        return (Cut(f"{self.arm}/{self.anchor}", self.arm, self.anchor, plane),)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.arm, self.hinge)
        F = motion.point(self.anchor, self.F)
        motion.set(self.arm, self.aim.solve(motion.carrier(self.arm), F, motion.theta_dot))
