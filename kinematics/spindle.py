"""Spindle and tie rod: the loop E–K–L of (31)–(32), for any upright and a tie-rod end L that may move.

The spindle turns by α about the upright's axis DF until its point K is at the tie rod's length from L; that
is A cos α + B sin α = X.  The tie rod's two angles then follow from the vector K L.  (The printed pair
χ = asin, ζ = atan does not match its own "X then Z" axes; here the angles are those of the universal hinge.)
Where L is carried by the steering link, its velocity and acceleration enter as η_S and η̇_S.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.aim import Aim
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import Point, check_fields, unit_between
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


@dataclass(eq=False, repr=False)
class SpindleTieRod(ClosedForm):
    """Spindle about the upright's axis, held by a tie rod.

    Parameters
    ----------
    D, F : points
        Two points of the spindle's axis on the upright, in the design pose [m].
    K, L : points
        Ends of the tie rod: on the spindle, and on ``anchor`` [m].
    spindle : str
        Name of the body.
    tie_rod : str or None
        Name of the tie rod; None for a rod that is a mere distance and no body.
    upright_link : str
        Body that carries the spindle.
    anchor : str
        Body that carries L: the chassis, or a steering link with prescribed motion.

    Raises
    ------
    ModelError
        For points that coincide, K on the axis, or a design pose that is a dead point.
    """

    D: Point
    F: Point
    K: Point
    L: Point
    spindle: str = "spindle"
    tie_rod: str | None = "tie_rod"
    upright_link: str = "upright_link"
    anchor: str = "chassis"

    def __post_init__(self) -> None:
        owner = f"tie rod of {self.spindle!r}"
        check_fields(self, owner)
        self.spindle_hinge = Revolute(unit_between(self.D, self.F, owner, "DF").tolist(), self.D.tolist())
        self.turn = RotationToDistance(self.spindle_hinge, self.K, self.L, owner, "KL")
        self.rod = Aim(self.K, self.L, True, owner, "KL")
        self.determines = (self.spindle,) if self.tie_rod is None else (self.spindle, self.tie_rod)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the spindle on the upright, the tie rod on the spindle."""
        spindle = Joint(self.spindle, self.upright_link, self.spindle_hinge)
        if self.tie_rod is None:
            return (spindle,)
        return spindle, Joint(self.tie_rod, self.spindle, self.rod.hinge)

    def cuts(self) -> tuple[Cut, ...]:
        """Return the ball joint at L, or the distance KL."""
        if self.tie_rod is None:
            distance = Distance(self.K.tolist(), self.L.tolist())
            return (Cut(f"{self.spindle}/{self.anchor}", self.spindle, self.anchor, distance),)
        ball = Spherical(at=self.L.tolist())
        return (Cut(f"{self.tie_rod}/{self.anchor}", self.tie_rod, self.anchor, ball),)

    def margin(self, motion: SubgraphMotion) -> Scalar:
        L = motion.point(self.anchor, self.L)
        return self.turn.margin(motion.carrier(self.spindle), L, motion.theta_dot)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.spindle, self.spindle_hinge)
        L = motion.point(self.anchor, self.L)
        motion.set(
            self.spindle, self.turn.solve(motion.carrier(self.spindle), L, motion.theta_dot)
        )  # α, (31)
        if self.tie_rod is not None:
            expect_hinge(motion, self.tie_rod, self.rod.hinge)
            # (32) with v_L on the right: its three rows separate, as |KL| leaves α̇ alone.
            motion.set(self.tie_rod, self.rod.solve(motion.carrier(self.tie_rod), L, motion.theta_dot))
