"""A closed form solved as seen from a body whose own motion is not known yet."""

from __future__ import annotations

from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.closed_forms.standing_for import StandingFor, solve_apart
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion


class Relative(StandingFor):
    """A linkage inside a part of a loop, whose hinges do not depend on how what carries the part moves.

    Parameters
    ----------
    linkage : Linkage
    block : Block
        The part, all hinges of which are given but those that the linkage determines.
    """

    def __init__(self, linkage: Linkage, block: Block) -> None:
        super().__init__(linkage)
        self.block = block

    def solve(self, motion: SubgraphMotion) -> None:
        block, known = self.block, motion.hinge_motions
        given = {body.name: known[body.name] for body in block.bodies if body.name in known}
        solve_apart(motion, block.parent, block.bodies, given, (self.inner,))
