"""The four-bar as the chain A–D–F of the paper, cut at G."""

from __future__ import annotations

from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.base import ClosedForm, expect_hinge
from ce_dynamics.kinematics.edges import Cut, Joint
from ce_dynamics.kinematics.four_bar_loop import FourBarBars, FourBarLoop, Turning
from ce_dynamics.kinematics.hardpoints import Point


class FourBar(ClosedForm):
    """Crank AD, coupler DF and rocker FG between two points of a frame; hinges about one common axis.

    The hinge angles are ∠NDO at D and ∠OFG at F; the closure's is ∠RGA at G (22).  Their rates are
    [p − 1, q − p, −q] θ̇ (27).

    Parameters
    ----------
    A, D, F, G : points
        Hinges frame–crank, crank–coupler, coupler–rocker, rocker–frame, in the design pose [m].
    axis : direction
        Common direction of the hinges.
    crank, coupler, rocker, frame : str
        Names of the bodies.  The crank is the independent one.

    Raises
    ------
    ModelError
        If neighbouring points coincide, or the design pose is a dead point (D, F, G in line).
    """

    def __init__(
        self,
        A: Point,
        D: Point,
        F: Point,
        G: Point,
        axis: Point,
        crank: str = "crank",
        coupler: str = "coupler",
        rocker: str = "rocker",
        frame: str = "ground",
    ) -> None:
        self.loop = FourBarLoop(A, D, F, G, axis, f"four-bar of {crank!r}")
        self.crank, self.coupler, self.rocker, self.frame = crank, coupler, rocker, frame
        self._hinges = tuple(self.loop.revolute(at) for at in (self.loop.A, self.loop.D, self.loop.F))
        self._closure = self.loop.revolute(self.loop.G)
        self.independent = crank
        self.determines = (coupler, rocker)
        self.closes = tuple(cut.name for cut in self.cuts())

    def joints(self) -> tuple[Joint, ...]:
        """The chain frame–crank–coupler–rocker."""
        bodies = (self.crank, self.coupler, self.rocker)
        carriers = (self.frame, self.crank, self.coupler)
        return tuple(Joint(*row) for row in zip(bodies, carriers, self._hinges, strict=True))

    def cuts(self) -> tuple[Cut, ...]:
        """The hinge at G, whose coordinate is the angle of the frame relative to the rocker."""
        return (Cut(f"{self.rocker}/{self.frame}", self.rocker, self.frame, self._closure),)

    def bars(self, motion: SubgraphMotion) -> FourBarBars:
        """Motion of all bars relative to the frame."""
        return self.loop.bars(motion.body(self.frame), motion.body(self.crank), motion.theta_dot)

    def closure_turning(self, motion: SubgraphMotion) -> Turning:
        """∠RGA less its design value, and its rate −q θ̇."""
        rocker = self.bars(motion).rocker
        return Turning(rocker.turned._replace(sin=-rocker.turned.sin), rocker.rate.geared(-1.0, 0.0))

    def margin(self, motion: SubgraphMotion) -> float:
        return self.loop.margin(motion.body(self.frame), motion.body(self.crank), motion.theta_dot)

    def solve(self, motion: SubgraphMotion) -> None:
        for name, hinge in zip(self.determines, self._hinges[1:], strict=True):
            expect_hinge(motion, name, hinge)
        crank, coupler, rocker = self.bars(motion)
        motion.set(self.coupler, coupler.minus(crank).hinge_motion)  # p − 1
        motion.set(self.rocker, rocker.minus(coupler).hinge_motion)  # q − p
