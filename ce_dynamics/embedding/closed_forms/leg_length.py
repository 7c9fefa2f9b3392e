"""The length of a leg, all that a leg demands of the rest of a loop.

With d from the foot to the ball joint on the anchor and ℓ² = |e_0 + a s|² = |e_0|² + 2 s a·e_0 + s², the
condition is (|d|² − ℓ²) / (2 ℓ_0) = 0, which to first order is the gap along the leg.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, dot
from ce_dynamics.embedding.closed_forms.leg import Leg
from ce_dynamics.embedding.closed_forms.rod import Rod
from ce_dynamics.embedding.closures.closure_errors import ClosureErrors, one_closure
from ce_dynamics.embedding.closures.loop import closure_residual
from ce_dynamics.embedding.motion import PointMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import FunctionCoordinate
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge


@dataclass(frozen=True, eq=False)
class LegLength(CutEdge):
    """Stands for the ball joint of a leg where only its length matters: one row instead of three.

    Attributes
    ----------
    name : str
        That of the ball joint.
    leg : Leg or Rod
    """

    name: str
    leg: Leg | Rod
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
        """Foot and ball joint on the anchor."""
        leg = self.leg
        return motion.point(leg.foot.name, leg.at_foot), motion.point(leg.anchor.name, leg.at_anchor)

    def stretched(self, motion: SubgraphMotion) -> tuple[Scalar, Scalar]:
        """ℓ², and half its derivative by s."""
        leg = self.leg
        square = float(leg.e @ leg.e)
        if leg.slide is None or leg.axis is None:
            return square, 0.0
        s = motion.hinge_motions[leg.slide.name].c[0]
        along = float(leg.axis @ leg.e)
        if along**2 > (1.0 - 1e-15) * square:  # e_0 is along a: ℓ = ±(ℓ_0 ± s)
            return (along + s) * (along + s), along + s
        return square + s * (2.0 * along + s), along + s


@closure_residual.register
def _(edge: LegLength, motion: SubgraphMotion) -> Array:
    foot, ball = edge.ends(motion)
    d = ball.r - foot.r
    return array(((dot(d, d) - edge.stretched(motion)[0]) * (0.5 / edge.length),))


@one_closure.register
def _(edge: LegLength, motion: SubgraphMotion) -> ClosureErrors:
    foot, ball = edge.ends(motion)
    d, v = ball.r - foot.r, ball.v - foot.v
    square, slope = edge.stretched(motion)
    row = d @ (ball.J - foot.J)
    drift = dot(d, ball.drift - foot.drift)
    bias = dot(d, ball.a - foot.a) + dot(v, v)
    if edge.leg.slide is not None:
        slide = motion.hinge_motions[edge.leg.slide.name]
        s_dot = dot(slide.X[0], motion.theta_dot) + slide.eta[0]
        row = row - slope * slide.X[0]
        drift = drift - slope * slide.eta[0]
        bias = bias - s_dot * s_dot - slope * slide.bias[0]
    per_length = 1.0 / edge.length
    return ClosureErrors(
        array(((dot(d, d) - square) * (0.5 * per_length),)),
        (per_length * row)[np.newaxis],
        array((per_length * drift,)),
        array((per_length * bias,)),
    )
