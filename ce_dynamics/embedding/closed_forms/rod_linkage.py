"""A rod between two balls: the hinges of both, from where the balls are and how the rod is turned.

The near ball points the rod, of which e is known in the design pose: with d from F to A in the foot's axes

    d = Rot(a0, q0) Rot(a1, q1) Rot(a2, q2) e,

one of the three angles given.  Where it is the middle one, q2 follows along a0 turned back by it.  Of a
telescope e = e_0 + a s, as of a leg (`ce_dynamics.embedding.closed_forms.leg_linkage`).  Then the rod's
orientation is known, and the far ball is turned by it (`ce_dynamics.embedding.closed_forms.orient`).

Rates: with b_i = a_i × d and r what the velocity of A has more than that of the rod's end while the two
hinges u, v rest, q̇_u = r·(b_v × d) / D, q̇_v = r·(d × b_u) / D, D = b_u·(b_v × d), all as they are now.
Accelerations follow in the same way from what is missing at resting rates.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, zeros
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.ball import Ball
from ce_dynamics.embedding.closed_forms.formulas import inner_turn, turn_between, two_turns
from ce_dynamics.embedding.closed_forms.leg_length import displacement
from ce_dynamics.embedding.closed_forms.orient import axes_now, carried, turn_ball
from ce_dynamics.embedding.closed_forms.rod import Rod
from ce_dynamics.embedding.closed_forms.turn_to_length import set_welded
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion, cross_columns
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body


class RodLinkage(Linkage):
    """Hinges of both balls of a rod.

    Parameters
    ----------
    rod : Rod
    """

    def __init__(self, rod: Rod) -> None:
        self.rod = rod
        self.determines = tuple(body.name for body in rod.bodies)
        self.closes = (rod.edge.name,)
        axes = dict(zip(rod.near.turning, rod.near.axes, strict=True))
        one, other = (axes[body] for body in rod.found)
        self._branch = float(np.sign(np.cross(one, other) @ rod.e))

    @property
    def how(self) -> str:
        what = "a rod" if self.rod.slide is None else "a telescope"
        return f"in closed form: {self.rod.end.name!r} is the end of {what} between two balls"

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        self._point(motion)
        if self.rod.far is not None:
            turn_ball(motion, self.rod.far, motion.body(self.rod.end.name))

    # The near ball

    def _point(self, motion: SubgraphMotion) -> None:
        rod = self.rod
        carrier = motion.body(rod.foot.name)
        foot, ball = motion.point(rod.foot.name, rod.at_foot), motion.point(rod.anchor.name, rod.at_anchor)
        d = ball.r - foot.r
        s = displacement(rod, motion, d)
        c = self._angles(
            motion, carrier.R.T @ d, rod.e if s is None or rod.axis is None else rod.e + rod.axis * s
        )
        now = axes_now(carrier, rod.near, c)
        J = ball.J - foot.J - cross_columns(carrier.w, d)
        drift = ball.drift - foot.drift - cross(carrier.w_drift, d)
        if rod.given is not None:
            lead, b = motion.hinge_motions[rod.given.name], cross(now[rod.given], d)
            J, drift = J - np.outer(b, lead.X[0]), drift - b * lead.eta[0]
        hinges: dict[Body, HingeMotion] = {}
        along = zeros(3)
        if rod.slide is not None and rod.axis is not None:
            along = carrier.turned(turned_by(rod.near, c, rod.axis))
            hinges[rod.slide] = self._slide(motion, s, along, d, J, drift)
            J, drift = J - np.outer(along, hinges[rod.slide].X[0]), drift - along * hinges[rod.slide].eta[0]
        one, other = rod.found
        b1, b2 = cross(now[one], d), cross(now[other], d)
        over = cross(b2, d)
        per_D = 1.0 / dot(b1, over)
        g = {one: over * per_D, other: cross(d, b1) * per_D}
        for body in rod.found:
            X, eta = (g[body] @ J)[np.newaxis], array((dot(g[body], drift),))
            hinges[body] = HingeMotion(c[body], X, eta, zeros(1))
        if rod.given is not None:
            hinges[rod.given] = motion.hinge_motions[rod.given.name]
        reached = carried(rod.near, rod.end, carrier, hinges, motion)
        missing = ball.a - reached.point(rod.at_tip, motion.theta_dot).a
        if rod.slide is not None and rod.slides:
            s_ddot = dot(d, missing) / dot(d, along)
            missing = missing - along * s_ddot
            motion.set(rod.slide.name, hinges[rod.slide]._replace(bias=array((s_ddot,))))
        for body in rod.found:
            motion.set(body.name, hinges[body]._replace(bias=array((dot(g[body], missing),))))
        set_welded(motion, rod.near.welded)

    def _slide(
        self, motion: SubgraphMotion, s: Scalar, along: Array, d: Array, J: Array, drift: Array
    ) -> HingeMotion:
        """Motion of a telescope's slide: given, or ṡ = d·r / d·a; its acceleration is missing yet."""
        rod = self.rod
        assert rod.slide is not None
        if not rod.slides:
            return motion.hinge_motions[rod.slide.name]
        per_along = 1.0 / dot(d, along)
        X, eta = (per_along * (d @ J))[np.newaxis], array((per_along * dot(d, drift),))
        return HingeMotion(array((s,)), X, eta, zeros(1))

    def _angles(self, motion: SubgraphMotion, d: Array, e: Array) -> dict[Body, Array]:
        """(cos, sin) of every hinge of the near ball, for d in the foot's axes."""
        rod, turning, axes = self.rod, self.rod.near.turning, self.rod.near.axes
        if rod.given is None:
            return dict(zip(turning, two_turns(axes[0], axes[1], e, d, self._branch), strict=True))
        known = motion.hinge_motions[rod.given.name].c
        cos, sin = known[0], known[1]
        k = turning.index(rod.given)
        a0, a1, a2 = axes
        found: tuple[Array, ...]
        if k == 0:
            found = two_turns(a1, a2, e, rotate_about(a0, cos, -sin, d), self._branch)
        elif k == 2:
            found = two_turns(a0, a1, rotate_about(a2, cos, sin, e), d, self._branch)
        else:
            back = rotate_about(a1, cos, -sin, a0)
            last = inner_turn(back, a2, e, turned_back(a0, d, back), self._branch)
            out = rotate_about(a1, cos, sin, rotate_about(a2, last[0], last[1], e))
            found = turn_between(a0, out, d), last
        return {rod.given: known, **dict(zip(rod.found, found, strict=True))}


def turned_by(ball: Ball, c: dict[Body, Array], vector: Array) -> Array:
    """A vector of what is behind a ball, in the axes of what carries it."""
    for body, axis in zip(reversed(ball.turning), reversed(ball.axes), strict=True):
        vector = rotate_about(axis, c[body][0], c[body][1], vector)
    return vector


def turned_back(a0: Array, d: Array, back: Array) -> Array:
    """A vector that has along ``back`` what d has along a0, both unit vectors."""
    along: Array = back * dot(a0, d)
    return along
