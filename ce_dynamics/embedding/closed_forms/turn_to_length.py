"""A revolute hinge turned until the two ends of a leg, or of a distance, are as far apart as that is long.

The body turns by φ about the axis u through E, fixed on the carrier
(`ce_dynamics.embedding.closed_forms.formulas.turn_equation`), on the branch of the design pose.  A distance
is a leg without a slide.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_equation
from ce_dynamics.embedding.closed_forms.leg_length import LegLength
from ce_dynamics.embedding.closed_forms.step import Step
from ce_dynamics.embedding.closures.closure_errors import ClosureErrors, one_closure
from ce_dynamics.embedding.closures.loop import at_rest
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute

DEAD = 1e-3
"""Smallest sine of the angle to a dead point of a design pose whose branch is certain."""


class TurnToLength(Step):
    """The revolute hinge of a body that holds one end of a leg or a distance, from where the other end is.

    Parameters
    ----------
    body : Body
    hinge : Revolute
        Its inboard hinge.
    edge : LegLength or LoopClosure
        The latter a `Distance`.
    on_foot : bool
        Whether the leg's foot, the first end, is on the body, otherwise the second.
    welded : tuple of Body
        Bodies on Fixed hinges that are found with it.
    """

    def __init__(
        self, body: Body, hinge: Revolute, edge: CutEdge, on_foot: bool, welded: tuple[Body, ...]
    ) -> None:
        (foot, at_foot), (anchor, at_anchor) = edge.attachments
        self.body, self.hinge, self.edge, self.welded = body, hinge, edge, welded
        self.at, self.other, self.at_other = (
            (at_foot, anchor, at_anchor) if on_foot else (at_anchor, foot, at_foot)
        )
        self.determines = (body.name, *(other.name for other in welded))
        self.closes = (edge.name,)
        delta = self.at_other - hinge.at
        self._B = float(np.cross(hinge.axis, self._across) @ delta)
        radius = float(np.linalg.norm(self._across)) * float(np.linalg.norm(delta))
        self.regular = abs(self._B) > DEAD * radius

    @property
    def _across(self) -> Array:
        """f'."""
        u, f = self.hinge.axis, self.at - self.hinge.at
        across: Array = f - u * (u @ f)
        return across

    @property
    def how(self) -> str:
        return f"in closed form: {self.body.name!r} turns until {self.edge.name!r} closes, as long as it is"

    def positions(self, motion: SubgraphMotion) -> dict[str, HingeMotion]:
        at = motion.point(self.body.carrier.name, self.hinge.at)
        target = motion.point(self.other.name, self.at_other)
        c = self._turned(motion.carrier(self.body.name).R.T @ (target.r - at.r), square_of(self.edge, motion))
        return {self.body.name: at_rest(c, 1, motion.N)}

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        return one_closure(self.edge, motion)

    def _turned(self, delta: Array, square: Array) -> Array:
        """(cos φ, sin φ)."""
        A, B, C = turn_equation(self.hinge.axis, self.at - self.hinge.at, delta, square)
        return solve_turn(A, B, C, -float(np.sign(self._B)))


def square_of(edge: CutEdge, motion: SubgraphMotion) -> Scalar:
    """ℓ² [m²]."""
    if isinstance(edge, LegLength):
        return edge.stretched(motion)[0]
    distance = getattr(edge, "closure", None)
    assert isinstance(distance, Distance), "as `is_length` tells"
    return distance.length**2


def is_length(edge: CutEdge) -> bool:
    """Return True if a closure keeps a length, and nothing else."""
    return isinstance(edge, LegLength) or isinstance(getattr(edge, "closure", None), Distance)


def turn_to_length(block: Block) -> TurnToLength | None:
    """The closed form of a part of the closures that is one length and one revolute hinge."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 1:
        return None
    (edge,), (body,) = block.closures, moving
    if not is_length(edge) or not isinstance(body.inboard, Revolute):
        return None
    on_foot, on_anchor = rigidly_on(edge.body_a, body), rigidly_on(edge.body_b, body)
    other = edge.body_b if on_foot else edge.body_a
    if on_foot == on_anchor or carried(other, body):
        return None
    welded = tuple(member for member in block.dependent if member is not body)
    linkage = TurnToLength(body, body.inboard, edge, on_foot, welded)
    return linkage if linkage.regular else None


def rigidly_on(end: Body, body: Body) -> bool:
    """Return True if a body is another, or welded to it by Fixed hinges."""
    while end is not body:
        if end.is_ground or not isinstance(end.inboard, Fixed):
            return False
        end = end.carrier
    return True


def carried(end: Body, body: Body) -> bool:
    """Return True if a body moves with another."""
    while not end.is_ground:
        if end is body:
            return True
        end = end.carrier
    return False
