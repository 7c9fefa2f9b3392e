"""Hinges at the end of a weld: a loop that a weld closes behind a hinge is closed by that hinge.

From the weld inward there may be hinges that are given, which are then counted from the weld's other side;
behind them comes what is peeled off, a dependent revolute hinge or a ball of three.  What is left of the weld
is the revolute or ball joint there: one or three unknowns and rows less.  Their angles follow from how the
other side is turned (`ce_dynamics.embedding.closed_forms.ball`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.embedding.closed_forms.ball import (
    STEEP,
    BallJoint,
    ball_at,
    coaxial,
    triple_product,
    turn_ball,
)
from ce_dynamics.embedding.closed_forms.rod import stand_alone
from ce_dynamics.embedding.closures.loop import ClosureErrors, one_closure
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, SubgraphMotion, carry
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


@dataclass(frozen=True, eq=False)
class Peel:
    """Hinges that are peeled off a weld."""

    edge: LoopClosure  # the weld
    ball: BallJoint  # one hinge, or three
    given: tuple[Body, ...]  # bodies on given hinges between the ball and the weld, from the weld inward
    welded: tuple[Body, ...]  # bodies on dependent Fixed hinges between the ball and the weld
    other: Body  # body on the weld's other side

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies whose hinges the peel determines."""
        return (*self.ball.turning, *self.ball.welded, *self.welded)

    @property
    def closure(self) -> CutEdge:
        """Closure that replaces the weld."""
        if self.given:
            return BallBehind(self.edge.name, self)
        at = self.ball.at
        if len(self.ball.turning) > 1:
            return replace(self.edge, body_a=self.ball.carrier, body_b=self.other, closure=Spherical(at))
        pin = Revolute(self.ball.axes[0], at)
        return replace(
            self.edge, body_a=self.ball.carrier, body_b=carrier_within_pin(self.other, pin), closure=pin
        )

    def motion_behind_ball(self, motion: SubgraphMotion) -> BodyMotion:
        """Return the motion of the body behind the ball, as the weld's other side carries it."""
        reached = motion.body(self.other.name)
        for body in self.given:
            c, X, eta, bias, _, _ = motion.hinge_motions[body.name]
            back = HingeMotion(array((c[0], -c[1])), -X, -eta, -bias)
            reached = carry(body.inboard, reached, back, motion.theta_dot)
        return reached


def carrier_within_pin(body: Body, pin: Revolute) -> Body:
    """Return the carrier of a body that turns about the pin's own axis; otherwise return the body."""
    inner = body
    while not inner.is_ground and isinstance(inner.inboard, Fixed):
        inner = inner.carrier
    if not inner.is_ground and isinstance(inner.inboard, Revolute) and coaxial(inner.inboard, pin):
        return inner.carrier
    return body


@dataclass(frozen=True, eq=False)
class BallBehind(CutEdge):
    """A ball joint, one side of which hinges carry that are given but lie on the other side of the tree."""

    name: str
    peel: Peel
    independent: tuple[str, ...] = ()
    leading: tuple[FunctionCoordinate, ...] = ()
    rows: int = 3
    kind: str = "BallBehind"
    through_dead_centres: bool = False

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Carrier of the ball, and body on the weld's other side."""
        return self.peel.ball.carrier, self.peel.other

    @property
    def body_a(self) -> Body:
        """Carrier of the ball."""
        return self.peel.ball.carrier

    @property
    def body_b(self) -> Body:
        """The weld's other side."""
        return self.peel.other

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        at = self.peel.ball.at
        return (self.body_a, at), (self.body_b, at)

    def ends(self, motion: SubgraphMotion) -> tuple[PointMotion, PointMotion]:
        """Return the ball on either side."""
        at = self.peel.ball.at
        return motion.point(self.body_a.name, at), self.peel.motion_behind_ball(motion).point(
            at, motion.theta_dot
        )


@one_closure.register
def _(edge: BallBehind, motion: SubgraphMotion) -> ClosureErrors:
    one, other = edge.ends(motion)
    return ClosureErrors(one.r - other.r, one.J - other.J, one.drift - other.drift, one.a - other.a)


class PeelLinkage(Linkage):
    """The hinges that are peeled off a weld."""

    def __init__(self, peel: Peel) -> None:
        self.peel = peel
        self.determines = tuple(body.name for body in peel.bodies)
        self.closes = (peel.edge.name,)

    @property
    def how(self) -> str:
        ball = self.peel.ball
        what = "a hinge" if len(ball.turning) == 1 else "a ball of three hinges"
        return f"in closed form: {ball.turning[-1].name!r} is on {what} at the end of {self.peel.edge.name!r}"

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        turn_ball(motion, self.peel.ball, self.peel.motion_behind_ball)


def peel_of(
    edge: CutEdge, others: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]
) -> Peel | None:
    """Return the best peel off one side of a weld, a ball before a single hinge; None if there is none."""
    if not isinstance(edge, LoopClosure) or type(edge.closure) is not Fixed:
        return None
    sides = (edge.body_a, edge.body_b), (edge.body_b, edge.body_a)
    found = [peel for tip, other in sides for peel in peels(edge, tip, other, bodies, dependent)]
    free = [peel for peel in found if stands_alone(peel, others, bodies)]
    return max(free, key=lambda peel: (len(peel.ball.turning), -len(peel.given)), default=None)


def stands_alone(peel: Peel, others: Sequence[CutEdge], bodies: Sequence[Body]) -> bool:
    """Return True if nothing else depends on where the bodies are, nor does the weld's other side."""
    own = {*peel.bodies, *peel.given}
    return peel.other not in own and stand_alone(own, others, bodies)


def peels(
    edge: LoopClosure, tip: Body, other: Body, bodies: Sequence[Body], dependent: Collection[Body]
) -> Iterator[Peel]:
    """Yield the peels off the side of a weld that ends in ``tip``."""
    given: list[Body] = []
    welded: list[Body] = []
    body = tip
    while not body.is_ground and body in bodies:
        hinge = body.inboard
        if isinstance(hinge, Fixed) and body in dependent:
            welded.append(body)
        elif isinstance(hinge, Revolute) and body not in dependent:
            given.append(body)
        else:
            break
        body = body.carrier
    if body.is_ground or body not in bodies:
        return
    ball = ball_at(body, bodies, dependent)
    hinged = ball is not None and len(ball.turning) == 3 and all(b in dependent for b in ball.turning)
    if ball is not None and hinged and triple_product(*ball.axes) > STEEP:
        yield Peel(edge, ball, tuple(given), tuple(welded), other)
    hinge = body.inboard
    if not given and isinstance(hinge, Revolute):
        yield Peel(edge, BallJoint((body,), (), body.carrier, hinge.at), (), tuple(welded), other)
