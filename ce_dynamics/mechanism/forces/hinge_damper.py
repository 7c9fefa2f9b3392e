"""Viscous friction of a hinge, whatever coordinates it has."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, check_body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response


class HingeDamper(ForceElement):
    """A load −d v on all velocities of a hinge, such as those of a ball joint in grease.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    damping : float
        d, not negative: [N m s/rad] for angular velocities, [N s/m] for others.

    Raises
    ------
    ModelError
        If the body has no hinge that moves, or the damping is negative or not finite.
    """

    def __init__(self, name: str, body: Body, damping: float) -> None:
        owner = f"hinge damper {name!r}"
        self.name, self.body = checks.name_of("HingeDamper: name", name), check_body(body, owner)
        if body.hinge is None or body.hinge.n_v == 0:
            raise ModelError(f"{owner}: {body.name!r} has no hinge that moves; name the body behind one")
        self.damping = finite_number(damping, owner, "damping", at_least=0.0)
        self.outputs: dict[str, str] = {}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinge = self.body.inboard
        return (self.body.carrier, hinge.at_parent), (self.body, hinge.at_child)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The loads on the hinge."""
        return Response(
            tuple(
                HingeLoad(self.body, k, -self.damping * observer.rate(self.body, k))
                for k in range(self.body.inboard.n_v)
            )
        )
