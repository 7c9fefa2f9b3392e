"""Several linkages of one aggregated body, solved one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.edges import Cut, Joint


class Composite(ClosedForm):
    """Linkages that build on each other, each given after those it needs.

    Parameters
    ----------
    parts : sequence of ClosedForm
        In the order of solution; joints that several parts name (a shared arm) must be the same.
    independent : str or None
        Body whose inboard hinge is the independent coordinate of the whole.
    """

    def __init__(self, parts: Sequence[ClosedForm], independent: str | None) -> None:
        self.parts = tuple(parts)
        self.independent = independent
        self.determines = tuple(name for part in self.parts for name in part.determines)
        self.closes = tuple(name for part in self.parts for name in part.closes)

    def joints(self) -> tuple[Joint, ...]:
        """Hinges of all parts; a hinge that a later part repeats is listed once."""
        by_body: dict[str, Joint] = {}
        for part in self.parts:
            for joint in part.joints():
                by_body.setdefault(joint.body, joint)
        return tuple(by_body.values())

    def cuts(self) -> tuple[Cut, ...]:
        """Closures of all parts."""
        return tuple(cut for part in self.parts for cut in part.cuts())

    def margin(self, motion: SubgraphMotion) -> float:
        return min(part.margin(motion) for part in self.parts)

    def solve(self, motion: SubgraphMotion) -> None:
        for part in self.parts:
            part.solve(motion)
