"""A linkage that stands for another one, and solving apart from the motion that it is part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body


class StandingFor(Linkage):
    """Solves what another linkage does, in another way: all else is told by that.

    Parameters
    ----------
    inner : Linkage
        The other one.
    """

    def __init__(self, inner: Linkage) -> None:
        self.inner = inner
        self.determines, self.closes = inner.determines, inner.closes

    @property
    def how(self) -> str:
        return self.inner.how

    @property
    def why_numeric(self) -> str:
        return self.inner.why_numeric

    def reach(self) -> tuple[float, float] | None:
        return self.inner.reach()

    @property
    def parameter(self) -> str | None:
        return self.inner.parameter

    def monitor(self) -> Limits:
        return self.inner.monitor()

    @property
    def has_free_geometry(self) -> bool:
        return self.inner.has_free_geometry


def solve_apart(
    motion: SubgraphMotion,
    parent: Body,
    bodies: Sequence[Body],
    given: Mapping[str, HingeMotion],
    linkages: Sequence[Linkage],
) -> None:
    """Solve linkages in a motion of their own, as seen from the parent, and set what they find.

    Parameters
    ----------
    motion : SubgraphMotion
        Where the hinges that the linkages determine are set.
    parent, bodies : Body, sequence of Body
        Of the part.
    given : mapping of str to HingeMotion
        Its other hinges by body.
    linkages : sequence of Linkage
        In the order in which they are solved.
    """
    inside = SubgraphMotion(parent, bodies, motion.theta_dot)
    for name, hinge in given.items():
        inside.set(name, hinge._replace(directions=None))
    for linkage in linkages:
        linkage.solve(inside)
    for linkage in linkages:
        for name in linkage.determines:
            motion.set(name, inside.hinge_motions[name]._replace(directions=None))


class InnerLinkage(StandingFor):
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
