"""The control arms and the upright between them: a spatial four-bar loop A–D–F–G.

Beyond the paper, whose control arms move in one plane: the two axes may have any direction.  The lower arm
turns by θ about its axis; the upper arm follows until F is at the length of the upright from D, and the
upright points from D to F.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.aim import Aim
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import Point, check_fields, unit_between
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


@dataclass(eq=False, repr=False)
class WishboneLoop(ClosedForm):
    """Upper arm and upright as functions of the lower arm's angle.

    Parameters
    ----------
    A1, A2, G1, G2 : points
        Two points of the lower and of the upper arm's axis on the chassis, in the design pose [m].
    D, F : points
        Ball joints of the upright with the lower and the upper arm [m].
    lower_arm, upper_arm, upright_link, chassis : str
        Names of the bodies.  The lower arm is the independent one.

    Raises
    ------
    ModelError
        For points that coincide or lie on an axis, or a design pose that is a dead point.
    """

    A1: Point
    A2: Point
    G1: Point
    G2: Point
    D: Point
    F: Point
    lower_arm: str = "lower_arm"
    upper_arm: str = "upper_arm"
    upright_link: str = "upright_link"
    chassis: str = "chassis"

    def __post_init__(self) -> None:
        owner = f"wishbone loop of {self.lower_arm!r}"
        check_fields(self, owner)
        self.lower_hinge = hinge_through(self.A1, self.A2, owner, "A1 A2")
        self.upper_hinge = hinge_through(self.G1, self.G2, owner, "G1 G2")
        self.upper = RotationToDistance(self.upper_hinge, self.F, self.D, owner, "FD")
        self.upright = Aim(self.D, self.F, True, owner, "DF")
        self.independent = self.lower_arm
        self.determines = (self.upper_arm, self.upright_link)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return the joints: lower and upper arm on the chassis, the upright on the lower arm."""
        return (
            Joint(self.lower_arm, self.chassis, self.lower_hinge),
            Joint(self.upper_arm, self.chassis, self.upper_hinge),
            Joint(self.upright_link, self.lower_arm, self.upright.hinge),
        )

    def cuts(self) -> tuple[Cut, ...]:
        """Return the ball joint at F."""
        name = f"{self.upper_arm}/{self.upright_link}"
        return (Cut(name, self.upper_arm, self.upright_link, Spherical(at=self.F.tolist())),)

    def margin(self, motion: SubgraphMotion) -> Scalar:
        D = motion.point(self.lower_arm, self.D)
        return self.upper.margin(motion.carrier(self.upper_arm), D, motion.theta_dot)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.upper_arm, self.upper_hinge)
        expect_hinge(motion, self.upright_link, self.upright.hinge)
        theta_dot = motion.theta_dot
        D = motion.point(self.lower_arm, self.D)
        motion.set(self.upper_arm, self.upper.solve(motion.carrier(self.upper_arm), D, theta_dot))
        F = motion.point(self.upper_arm, self.F)
        motion.set(self.upright_link, self.upright.solve(motion.carrier(self.upright_link), F, theta_dot))


def hinge_through(start: Array, finish: Array, owner: str, names: str) -> Revolute:
    """Return the revolute hinge whose axis passes through two points, at their middle."""
    return Revolute(unit_between(start, finish, owner, names).tolist(), (0.5 * (start + finish)).tolist())
