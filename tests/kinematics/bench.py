"""Runs a linkage of the registry: independent coordinates in, motions and recorded hinge motions out."""

from collections.abc import Sequence
from functools import cache, cached_property

from ce_dynamics.kinematics.checking import BenchState, LinkageBench
from tests.kinematics.loop_equations import LoopEquations
from tests.kinematics.registry import FOLLOWERS, LINKAGES, STEERED, Case

__all__ = ["Bench", "BenchState", "bench"]


class Bench(LinkageBench):
    def __init__(self, name: str) -> None:
        self.case: Case = LINKAGES[name]()
        case = self.case
        assert (case.steering is not None) == (name in STEERED)
        assert (case.linkage.independent is None) == (name in FOLLOWERS)
        super().__init__(case.linkage, case.span, case.carriers, case.steering, case.steering_span)

    @cached_property
    def equations(self) -> LoopEquations:
        """Loop equations of the linkage and, if any, of the steering beside it."""
        steering = self.case.steering
        joints = [*self.joints, *self.steering_joints]
        if steering is None:
            return LoopEquations(joints, self.linkage.cuts(), self.dependents)
        unknown = [*self.dependents, *steering.determines]
        return LoopEquations(joints, (*self.linkage.cuts(), *steering.cuts()), unknown)

    def steering_guess(self, s: float) -> Sequence[float]:
        """Coordinates of the steering's dependent hinges: a parallelogram nearly, link by -s, idler by s."""
        return () if self.case.steering is None else (-s, s)


@cache
def bench(name: str) -> Bench:
    return Bench(name)
