"""A revolute hinge turned until the two ends of a leg, or of a distance, are as far apart as that is long.

The body turns by φ about the axis u through E, fixed on the carrier
(`ce_dynamics.embedding.closed_forms.formulas.turn_equation`), on the branch of the design pose.  A distance
is a leg without a slide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_equation
from ce_dynamics.embedding.closed_forms.rod import RodJoints
from ce_dynamics.embedding.closed_forms.step import Step
from ce_dynamics.embedding.closures.loop import (
    ClosureErrors,
    Loop,
    components,
    hinge_at_rest,
    moving_residuals,
    one_closure,
    with_derivatives,
)
from ce_dynamics.embedding.motion import HingeMotion, PointMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body, carries
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute


@dataclass(frozen=True, eq=False)
class LegLength(CutEdge):
    """Stands for the ball joint of a leg where only its length matters: one row instead of three."""

    name: str  # that of the ball joint
    leg: RodJoints
    independent: tuple[str, ...] = ()
    leading: tuple[FunctionCoordinate, ...] = ()
    rows: int = 1
    kind: str = "LegLength"
    through_dead_centres: bool = False

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Foot and anchor, the bodies that the leg joins."""
        return self.leg.foot, self.leg.anchor

    @property
    def body_a(self) -> Body:
        """Foot, the body on which the leg stands."""
        return self.leg.foot

    @property
    def body_b(self) -> Body:
        """Anchor, the body at the leg's ball joint."""
        return self.leg.anchor

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (self.leg.foot, self.leg.at_foot), (self.leg.anchor, self.leg.at_anchor)

    @property
    def length(self) -> float:
        """ℓ_0."""
        return float(np.linalg.norm(self.leg.e))

    def ends(self, motion: SubgraphMotion) -> tuple[PointMotion, PointMotion]:
        """Return foot and ball joint on the anchor."""
        leg = self.leg
        return motion.point(leg.foot.name, leg.at_foot), motion.point(leg.anchor.name, leg.at_anchor)

    def square_at(self, s: Scalar) -> Scalar:
        """Return ℓ² for a displacement of the slide, which means nothing without one."""
        leg = self.leg
        square = float(leg.e @ leg.e)
        if leg.slide is None or leg.axis is None:
            return square
        along = float(leg.axis @ leg.e)
        if along**2 > (1.0 - 1e-15) * square:  # e_0 is along a: ℓ = ±(ℓ_0 ± s)
            return (along + s) ** 2
        return square + s * (2.0 * along + s)


@moving_residuals.register
def _(edge: LegLength, motion: SubgraphMotion) -> list[ScalarMotion]:
    foot, ball = map(components, edge.ends(motion))
    d, slide = ball - foot, edge.leg.slide
    square = edge.square_at(0.0 if slide is None else motion.coordinate(slide.name))
    return with_derivatives([(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 - square) * (0.5 / edge.length)], motion)


DEAD = 1e-3  # smallest sine of the angle to a dead point of a design pose whose branch is certain


class TurnToLength(Step):
    """The revolute hinge of a body that holds one end of a leg or a distance, from where the other end is.

    ``on_foot``: the first end, the leg's foot, is on the body.
    """

    def __init__(self, body: Body, hinge: Revolute, edge: CutEdge, on_foot: bool) -> None:
        (foot, at_foot), (anchor, at_anchor) = edge.attachments
        self.body, self.hinge, self.edge = body, hinge, edge
        self.at, self.other, self.at_other = (
            (at_foot, anchor, at_anchor) if on_foot else (at_anchor, foot, at_foot)
        )
        self.determines = (body.name,)
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
        c = self._turn(motion.carrier(self.body.name).R.T @ (target.r - at.r), square_of(self.edge, motion))
        return {self.body.name: hinge_at_rest(c, 1, motion.N)}

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        return one_closure(self.edge, motion)

    def _turn(self, delta: Array, square: Array) -> Array:
        """Return (cos φ, sin φ)."""
        A, B, C = turn_equation(self.hinge.axis, self.at - self.hinge.at, delta, square)
        return solve_turn(A, B, C, -float(np.sign(self._B)))


def square_of(edge: CutEdge, motion: SubgraphMotion) -> Scalar:
    """Return ℓ² [m²]."""
    if isinstance(edge, LegLength):
        slide = edge.leg.slide
        return edge.square_at(0.0 if slide is None else motion.hinge_motions[slide.name].c[0])
    distance = getattr(edge, "closure", None)
    assert isinstance(distance, Distance), "by `is_length`"
    return distance.length**2


def is_length(edge: CutEdge) -> bool:
    """Return True if a closure keeps a length, and nothing else."""
    return isinstance(edge, LegLength) or isinstance(getattr(edge, "closure", None), Distance)


def turn_to_length(block: Loop) -> TurnToLength | None:
    """Return the closed form of a part of the closures that is one length and one revolute hinge."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 1:
        return None
    (edge,), (body,) = block.closures, moving
    if not is_length(edge) or not isinstance(body.inboard, Revolute):
        return None
    on_foot, on_anchor = rigidly_on(edge.body_a, body), rigidly_on(edge.body_b, body)
    other = edge.body_b if on_foot else edge.body_a
    if on_foot == on_anchor or carries(body, other):
        return None
    linkage = TurnToLength(body, body.inboard, edge, on_foot)
    return linkage if linkage.regular else None


def rigidly_on(end: Body, body: Body) -> bool:
    """Return True if a body is another, or welded to it by Fixed hinges."""
    while end is not body:
        if end.is_ground or not isinstance(end.inboard, Fixed):
            return False
        end = end.carrier
    return True
