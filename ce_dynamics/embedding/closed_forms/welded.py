"""Bodies on Fixed hinges that no formula and no closure needs to know of."""

from __future__ import annotations

from ce_dynamics.embedding.closed_forms.turn_to_length import set_welded
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.mechanism.body import Body


class Welded(Linkage):
    """Bodies that do not move on what carries them.

    Parameters
    ----------
    bodies : tuple of Body
    """

    closes = ()

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.bodies = bodies
        self.determines = tuple(body.name for body in bodies)

    @property
    def how(self) -> str:
        return "as they are welded"

    def solve(self, motion: SubgraphMotion) -> None:
        set_welded(motion, self.bodies)
