"""Legs: a rod or a telescope that hangs on a universal hinge and ends in a ball joint.

Foot F of the leg is where the axes a1 (on the carrier) and a2 (on the leg) meet; e leads from F to the ball
joint on the leg, in the axes of the design pose.  Where a slide along a is part of the leg, e = e_0 + a s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.ball import BallJoint, ball_at
from ce_dynamics.embedding.closed_forms.formulas import ALIGNED, two_turns
from ce_dynamics.embedding.closed_forms.rod import (
    RodJoints,
    RodLinkage,
    choose_rods,
    ends_of,
    is_regular,
    slide_at,
)
from ce_dynamics.embedding.closures.loop import hinge_at_rest
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.orientation import Directions


def legs_of(
    closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]
) -> list[RodJoints]:
    """Return the legs among the closures of a sub-graph, each of which ends in one of them."""
    return choose_rods(closures, bodies, lambda edge: legs_at(edge, bodies, dependent))


def legs_at(edge: CutEdge, bodies: Sequence[Body], dependent: Collection[Body]) -> Iterable[RodJoints]:
    """Return legs that end in a closure, whatever hangs on them."""
    if not isinstance(edge, LoopClosure) or type(edge.closure) is not Spherical:
        return
    for tip, at_tip, anchor, at_anchor in ends_of(edge):
        outer, slide, base = slide_at(tip, dependent)
        near = None if base is None else foot_at(base, bodies, dependent)
        if near is not None:
            near = replace(near, welded=(*near.welded, *outer))
            leg = RodJoints(edge, near, tip, None, anchor, at_anchor, at_tip, None, slide, slide in dependent)
            if anchor not in leg.bodies and is_regular(leg):
                yield leg


def foot_at(tip: Body, bodies: Sequence[Body], dependent: Collection[Body]) -> BallJoint | None:
    """Return the universal hinge, or the two hinges whose axes meet, that carry ``tip``."""
    body, welded = tip, list[Body]()
    while not body.is_ground and isinstance(body.inboard, Fixed) and body in dependent:
        welded.append(body)
        body = body.carrier
    if not body.is_ground and isinstance(body.inboard, Universal):
        foot: BallJoint | None = BallJoint((body,), tuple(reversed(welded)), body.carrier, body.inboard.at)
    else:
        foot = ball_at(tip, bodies, dependent, most=2)
    return foot if foot is not None and all(body in dependent for body in foot.turning) else None


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
        a1, a2 = rod.near.axes
        turns = two_turns(a1, a2, e, carrier.R.T @ d, self._branch)
        if len(rod.near.turning) == 1:
            found = {rod.near.turning[0].name: hinge_at_rest(concatenate(turns), 2, N)}
        else:
            pairs = zip(rod.near.turning, turns, strict=True)
            found = {body.name: hinge_at_rest(c, 1, N) for body, c in pairs}
        outer = rod.near.turning[-1].name
        found[outer] = found[outer]._replace(directions=self._directions(carrier, turns[0], d))
        return found

    @property
    def _along_leg(self) -> bool:
        """True if a2 is perpendicular to the line of the leg, along which the slide goes."""
        axis = self.rod.axis
        if abs(float(self.rod.near.axes[1] @ self._line)) > ALIGNED:
            return False
        return axis is None or float(np.linalg.norm(np.cross(axis, self._line))) < ALIGNED

    @property
    def _line(self) -> Array:
        line: Array = self.rod.e / np.linalg.norm(self.rod.e)
        return line

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
