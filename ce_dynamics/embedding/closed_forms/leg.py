"""Legs: a rod or a telescope that hangs on a universal hinge and ends in a ball joint.

Foot F of the leg is where the axes a1 (on the carrier) and a2 (on the leg) meet; e leads from F to the ball
joint on the leg, in the axes of the design pose.  Where a slide along a is part of the leg, e = e_0 + a s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.ball import MEET, STEEP, BallJoint
from ce_dynamics.embedding.closed_forms.formulas import ALIGNED, solve_turn, turn_between, two_turns
from ce_dynamics.embedding.closed_forms.rod import RodJoints, RodLinkage, choose_rods, ends_of, is_regular
from ce_dynamics.embedding.closures.loop import hinge_at_rest
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.orientation import Directions


def legs_of(
    closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]
) -> list[RodJoints]:
    """Return the legs among the closures of a sub-graph, each of which ends in one of them."""
    return choose_rods(closures, bodies, lambda edge: legs_at(edge, dependent))


def legs_at(edge: CutEdge, dependent: Collection[Body]) -> Iterable[RodJoints]:
    """Return legs that end in a closure, whatever hangs on them."""
    if isinstance(edge, LoopClosure) and type(edge.closure) is Spherical:
        for tip, at_tip, anchor, at_anchor in ends_of(edge):
            leg = leg_from(edge, tip, at_tip, anchor, at_anchor, dependent)
            if leg is not None:
                yield leg


def leg_from(
    edge: LoopClosure, tip: Body, at_tip: Array, anchor: Body, at_anchor: Array, dependent: Collection[Body]
) -> RodJoints | None:
    """Return the leg that has the given tip, whatever hangs on it."""
    welded: list[Body] = []

    def next_moving(body: Body) -> Body:
        while not body.is_ground and isinstance(body.inboard, Fixed) and body in dependent:
            welded.append(body)
            body = body.carrier
        return body

    body = next_moving(tip)
    slide: Body | None = None
    if not body.is_ground and isinstance(body.inboard, Prismatic):
        slide, body = body, next_moving(body.carrier)
    if body.is_ground or body not in dependent:
        return None
    turning: tuple[Body, ...] = (body,)
    hinge = body.inboard
    if isinstance(hinge, Universal):
        at_foot: Array | None = hinge.at
    else:
        body = next_moving(body.carrier)
        if body.is_ground or body not in dependent:
            return None
        one, turning = body.inboard, (body, *turning)
        if not isinstance(one, Revolute) or not isinstance(hinge, Revolute):
            return None
        at_foot = intersect_axes(one, hinge, float(np.linalg.norm(at_tip - hinge.at)))
    if at_foot is None:
        return None
    near = BallJoint(turning, tuple(reversed(welded)), body.carrier, at_foot)
    leg = RodJoints(edge, near, tip, None, anchor, at_anchor, at_tip, None, slide, slide in dependent)
    return leg if anchor not in leg.bodies and is_regular(leg) else None


def intersect_axes(one: Revolute, other: Revolute, length: float) -> Array | None:
    """Return the point in which the axes of two hinges meet; None if they do not."""
    n = np.cross(one.axis, other.axis)
    square = float(n @ n)
    if square < STEEP**2:
        return None
    apart = other.at - one.at
    if abs(float(n @ apart)) > MEET * max(length, float(np.linalg.norm(apart))) * np.sqrt(square):
        return None
    along = float(np.cross(apart, one.axis) @ n) / square  # on the other axis, from its point
    point: Array = other.at + along * other.axis
    return point


class LegLinkage(RodLinkage):
    """Hinges of a leg from where its foot and its ball joint are.

    With d from the foot to the ball joint on the anchor, in the carrier's axes, d = Rot(a1, χ) Rot(a2, ζ) e
    (`ce_dynamics.embedding.closed_forms.formulas.two_turns`), on the branch of the design pose.
    """

    @property
    def how(self) -> str:
        what = "a rod" if self.rod.slide is None else "a telescope"
        return f"in closed form: {self.rod.end.name!r} is the end of {what} on a universal hinge"

    def _point(self, motion: SubgraphMotion, d: Array, e: Array) -> dict[str, HingeMotion]:
        rod, N = self.rod, motion.N
        carrier = motion.body(rod.foot.name)
        turns = self._turns(carrier.R.T @ d, e)
        if len(rod.near.turning) == 1:
            found = {rod.near.turning[0].name: hinge_at_rest(concatenate(turns), 2, N)}
        else:
            pairs = zip(rod.near.turning, turns, strict=True)
            found = {body.name: hinge_at_rest(c, 1, N) for body, c in pairs}
        outer = rod.near.turning[-1].name
        found[outer] = found[outer]._replace(directions=self._directions(carrier, turns[0], d))
        return found

    def _turns(self, d: Array, e: Array) -> tuple[Array, Array]:
        """Return (cos χ, sin χ) and (cos ζ, sin ζ) for d in the carrier's axes."""
        a1, a2 = self.rod.near.axes
        if not self._square:
            return two_turns(a1, a2, e, d, self._branch)
        inner = solve_turn(0.0, self._branch * sqrt(dot(e, e)), dot(a1, d), -self._branch)
        return turn_between(a1, rotate_about(a2, inner[0], inner[1], e), d), inner

    @property
    def _square(self) -> bool:
        """True if a1, a2 and the line of the leg are perpendicular to each other."""
        a1, a2 = self.rod.near.axes
        return self._along_leg and abs(float(a1 @ a2)) < ALIGNED and abs(self._lean(a1)) < ALIGNED

    @property
    def _along_leg(self) -> bool:
        """True if a2 is perpendicular to the line of the leg, along which the slide goes."""
        axis = self.rod.axis
        if abs(self._lean(self.rod.near.axes[1])) > ALIGNED:
            return False
        return axis is None or float(np.linalg.norm(np.cross(axis, self._line))) < ALIGNED

    @property
    def _line(self) -> Array:
        line: Array = self.rod.e / np.linalg.norm(self.rod.e)
        return line

    def _lean(self, axis: Array) -> float:
        return float(axis @ self._line)

    def _directions(self, carrier: BodyMotion, c1: Array, d: Array) -> Directions | None:
        """Return the leg's orientation by a2: its line, the perpendicular to both, and where it is square."""
        if not self._along_leg:
            return None
        a1, a2 = self.rod.near.axes
        line = d * (1.0 / sqrt(dot(d, d)))
        e2 = carrier.rotate(rotate_about(a1, c1[0], c1[1], a2))
        now = np.stack((e2, line, cross(e2, line)), axis=1)
        design = np.stack((a2, self._line, np.cross(a2, self._line)), axis=1)
        return Directions(now, design)
