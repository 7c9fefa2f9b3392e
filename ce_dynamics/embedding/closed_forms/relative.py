"""A closed form solved as seen from a body whose own motion is not known yet."""

from __future__ import annotations

from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import SubgraphMotion


class Relative(Linkage):
    """A linkage inside a part of a loop, whose hinges do not depend on how what carries the part moves.

    Parameters
    ----------
    linkage : Linkage
    block : Block
        The part, all hinges of which are given but those that the linkage determines.
    """

    def __init__(self, linkage: Linkage, block: Block) -> None:
        self.linkage, self.block = linkage, block
        self.determines, self.closes = linkage.determines, linkage.closes

    @property
    def how(self) -> str:
        return self.linkage.how

    @property
    def why_numeric(self) -> str:
        return self.linkage.why_numeric

    def reach(self) -> tuple[float, float] | None:
        return self.linkage.reach()

    @property
    def parameter(self) -> str | None:
        return self.linkage.parameter

    def monitor(self) -> Limits:
        return self.linkage.monitor()

    def solve(self, motion: SubgraphMotion) -> None:
        block = self.block
        inside = SubgraphMotion(block.parent, block.bodies, motion.theta_dot)
        for body in block.bodies:
            if body.name in motion.hinge_motions:
                inside.set(body.name, motion.hinge_motions[body.name]._replace(directions=None))
        self.linkage.solve(inside)
        for name in self.determines:
            motion.set(name, inside.hinge_motions[name]._replace(directions=None))
