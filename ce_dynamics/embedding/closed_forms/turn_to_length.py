"""A revolute hinge turned until the two ends of a leg, or of a distance, are as far apart as that is long.

The body turns by φ about the axis u through E, fixed on the carrier
(`ce_dynamics.embedding.closed_forms.formulas.turn_equation`), on the branch of the design pose.  Rates and
accelerations follow from the row of `LegLength`, linear in them; a distance is a leg without a slide.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, zeros
from ce_dynamics.embedding.blocks import Block
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_equation
from ce_dynamics.embedding.closed_forms.leg_length import LegLength
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, across
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute

DEAD = 1e-3
"""Smallest sine of the angle to a dead point of a design pose whose branch is certain."""


class TurnToLength(Linkage):
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

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        set_welded(motion, self.welded)  # some may carry what turns
        u, carrier = self.hinge.axis, motion.carrier(self.body.name)
        at = motion.point(self.body.carrier.name, self.hinge.at)
        target = motion.point(self.other.name, self.at_other)
        square, slope = stretched(self.edge, motion)
        c = self._turned(carrier.R.T @ (target.r - at.r), square)
        still = HingeMotion(c, zeros(1, motion.N), zeros(1), zeros(1))
        held = across(self.body, carrier, still, motion.theta_dot, turns=True)
        end = held.point(self.at, motion.theta_dot)
        d = target.r - end.r
        per_b = 1.0 / dot(d, cross(carrier.turned(u), end.r - at.r))
        row = d @ (target.J - end.J)
        drift = dot(d, target.drift - end.drift)
        sliding = slide_of(self.edge)
        slide = None if sliding is None else motion.hinge_motions[sliding.name]
        if slide is not None:
            row, drift = row - slope * slide.X[0], drift - slope * slide.eta[0]
        X, eta = (per_b * row)[np.newaxis], array((per_b * drift,))
        moved = across(self.body, carrier, HingeMotion(c, X, eta, zeros(1)), motion.theta_dot, turns=True)
        end = moved.point(self.at, motion.theta_dot)
        v = target.v - end.v
        missing = dot(d, target.a - end.a) + dot(v, v)
        if slide is not None:
            s_dot = dot(slide.X[0], motion.theta_dot) + slide.eta[0]
            missing = missing - s_dot * s_dot - slope * slide.bias[0]
        motion.set(self.body.name, HingeMotion(c, X, eta, array((per_b * missing,))))

    def _turned(self, delta: Array, square: Array) -> Array:
        """(cos φ, sin φ)."""
        A, B, C = turn_equation(self.hinge.axis, self.at - self.hinge.at, delta, square)
        return solve_turn(A, B, C, -float(np.sign(self._B)))


def set_welded(motion: SubgraphMotion, bodies: tuple[Body, ...]) -> None:
    """Set Fixed hinges."""
    for body in bodies:
        c = body.inboard.configuration(body.inboard.neutral)
        motion.set(body.name, HingeMotion(c, zeros(0, motion.N), zeros(0), zeros(0)))


def stretched(edge: CutEdge, motion: SubgraphMotion) -> tuple[Scalar, Scalar]:
    """ℓ², and half its derivative by s."""
    if isinstance(edge, LegLength):
        return edge.stretched(motion)
    distance = getattr(edge, "closure", None)
    assert isinstance(distance, Distance), "as `is_length` tells"
    return distance.length**2, 0.0


def slide_of(edge: CutEdge) -> Body | None:
    """The slide on which a length depends."""
    return edge.leg.slide if isinstance(edge, LegLength) else None


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
