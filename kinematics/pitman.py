"""Pitman steering (section 5.4): the planar four-bar T–U–V–W whose coupler LUVL carries both L points."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.four_bar import FourBarLoop
from ce_dynamics.kinematics.hardpoints import Axis, Point, check_fields
from ce_dynamics.mechanism.hinges.spherical import Spherical


@dataclass(eq=False, repr=False)
class PitmanSteering(ClosedForm):
    """Pitman arm TU, steering link UV and idler arm VW on the chassis, with parallel hinges.

    The arm is prescribed (or independent); positions, velocities and accelerations of the tie-rod ends are
    those of points of the steering link.

    Parameters
    ----------
    T, U, V, W : points
        Hinges chassis–arm, arm–link, link–idler, idler–chassis, in the design pose [m].
    axis : direction
        Common direction of the hinges.
    arm, link, idler, chassis : str
        Names of the bodies.

    Raises
    ------
    ModelError
        If neighbouring points coincide, or the design pose is a dead point (U, V, W in line).
    """

    T: Point
    U: Point
    V: Point
    W: Point
    axis: Axis
    arm: str = "pitman_arm"
    link: str = "steering_link"
    idler: str = "idler_arm"
    chassis: str = "chassis"

    def __post_init__(self) -> None:
        owner = f"Pitman steering of {self.link!r}"
        check_fields(self, owner)
        # A, D, F, G of the four-bar are T, U, V, W.
        self.loop = FourBarLoop(self.T, self.U, self.V, self.W, self.axis, owner, ("T", "U", "V", "W"))
        self.axis = self.loop.axis
        self._hinges = tuple(self.loop.revolute(at) for at in (self.T, self.U, self.W))
        self.independent = self.arm
        self.determines = (self.link, self.idler)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """Return arm and idler on the chassis, the link on the arm."""
        bodies = (self.arm, self.link, self.idler)
        carriers = (self.chassis, self.arm, self.chassis)
        return tuple(Joint(*row) for row in zip(bodies, carriers, self._hinges, strict=True))

    def cuts(self) -> tuple[Cut, ...]:
        """Return the ball joint at V (in the planar design, one of its three conditions is redundant)."""
        return (Cut(f"{self.link}/{self.idler}", self.link, self.idler, Spherical(at=self.V.tolist())),)

    def margin(self, motion: SubgraphMotion) -> Scalar:
        return self.loop.margin(motion.body(self.chassis), motion.body(self.arm), motion.theta_dot)

    def solve(self, motion: SubgraphMotion) -> None:
        for name, hinge in zip(self.determines, self._hinges[1:], strict=True):
            expect_hinge(motion, name, hinge)
        arm, link, idler = self.loop.bars(motion.body(self.chassis), motion.body(self.arm), motion.theta_dot)
        motion.set(self.link, link.minus(arm).hinge_motion)
        motion.set(self.idler, idler.hinge_motion)
