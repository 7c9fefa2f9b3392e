"""Force elements of tests."""

from collections.abc import Mapping

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response


class HingeInput(ForceElement):
    """An input that acts on the first component of a hinge."""

    attachments = ()

    def __init__(self, name: str, body: Body, acts: str) -> None:
        self.name, self.body, self.inputs = name, body, (acts,)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response((HingeLoad(self.body, 0, u[self.inputs[0]]),))
