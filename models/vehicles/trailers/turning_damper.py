"""Viscous friction about one of a hinge's axes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response


class TurningDamper(ForceElement):
    """A torque −d v on one velocity of a hinge, whatever coordinates it has.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    component : int
        Which of its velocities.
    damping : float
        d [N m s/rad].
    """

    outputs: Mapping[str, str] = MappingProxyType({"torque": "N*m"})

    def __init__(self, name: str, body: Body, component: int, damping: float) -> None:
        self.name, self.body, self.component, self.damping = name, body, component, damping

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinge = self.body.inboard
        return (self.body.carrier, hinge.at_parent), (self.body, hinge.at_child)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The torque."""
        torque = -self.damping * observer.rate(self.body, self.component)
        return Response((HingeLoad(self.body, self.component, torque),), outputs={"torque": torque})
