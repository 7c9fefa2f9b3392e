"""A leg pointed at its ball joint: hinges of its foot, and of its slide, in closed form.

With d from the foot to the ball joint on the anchor, in the carrier's axes, and e on the leg,

    d = Rot(a1, χ) Rot(a2, ζ) e

(`ce_dynamics.embedding.closed_forms.formulas.two_turns`), on the branch of the design pose.

Rates: where r is what the velocity of the ball joint has more than that of the leg's tip at χ̇ = ζ̇ = ṡ = 0,

    r = b1 χ̇ + b2 ζ̇ + a ṡ,   b1 = a1 × d,   b2 = a2 × d,

hence ṡ = d·r / d·a and, with what is left of r, χ̇ = r·(b2 × d) / D and ζ̇ = r·(d × b1) / D with
D = b1·(b2 × d).  Accelerations are found in the same way from what is missing at χ̈ = ζ̈ = s̈ = 0.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, dot, sqrt, zeros
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.formulas import ALIGNED, solve_turn, turn_between, two_turns
from ce_dynamics.embedding.closed_forms.leg import Leg
from ce_dynamics.embedding.closed_forms.leg_length import displacement
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import (
    BodyMotion,
    HingeMotion,
    PointMotion,
    SubgraphMotion,
    across,
    cross_columns,
)
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.orientation import Directions


class LegLinkage(Linkage):
    """Hinges of a leg from where its foot and its ball joint are.

    Parameters
    ----------
    leg : Leg
    """

    def __init__(self, leg: Leg) -> None:
        self.leg = leg
        found = [body for body in leg.bodies if body is not leg.slide or leg.slides]
        self.determines = tuple(body.name for body in found)
        self.closes = (leg.edge.name,)
        self._branch = float(np.sign(np.cross(leg.axis1, leg.axis2) @ leg.e))

    @property
    def how(self) -> str:
        what = "a rod" if self.leg.slide is None else "a telescope"
        return f"in closed form: {self.leg.tip.name!r} is the end of {what} on a universal hinge"

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        leg = self.leg
        carrier = motion.body(leg.foot.name)
        foot = motion.point(leg.foot.name, leg.at_foot)
        ball = motion.point(leg.anchor.name, leg.at_anchor)
        d = ball.r - foot.r
        s = displacement(leg, motion, d)
        e = leg.e if s is None or leg.axis is None else leg.e + leg.axis * s
        c1, c2 = self._angles(carrier.R.T @ d, e)
        parts = self._configurations(c1, c2, s, self._directions(carrier, c1, d))
        self._set(motion, carrier, parts, foot, ball)

    # Positions

    def _angles(self, d: Array, e: Array) -> tuple[Array, Array]:
        """(cos χ, sin χ) and (cos ζ, sin ζ) for d in the carrier's axes."""
        a1, a2 = self.leg.axis1, self.leg.axis2
        if not self._square:
            return two_turns(a1, a2, e, d, self._branch)
        inner = solve_turn(0.0, self._branch * sqrt(dot(e, e)), dot(a1, d), -self._branch)
        return turn_between(a1, rotate_about(a2, inner[0], inner[1], e), d), inner

    @property
    def _square(self) -> bool:
        """True if a1, a2 and the line of the leg are perpendicular to each other."""
        a1, a2 = self.leg.axis1, self.leg.axis2
        return self._along_leg and abs(float(a1 @ a2)) < ALIGNED and abs(self._lean(a1)) < ALIGNED

    @property
    def _along_leg(self) -> bool:
        """True if a2 is perpendicular to the line of the leg, along which the slide goes."""
        leg = self.leg
        if abs(self._lean(leg.axis2)) > ALIGNED:
            return False
        return leg.axis is None or float(np.linalg.norm(np.cross(leg.axis, self._line))) < ALIGNED

    @property
    def _line(self) -> Array:
        line: Array = self.leg.e / np.linalg.norm(self.leg.e)
        return line

    def _lean(self, axis: Array) -> float:
        return float(axis @ self._line)

    def _directions(self, carrier: BodyMotion, c1: Array, d: Array) -> Directions | None:
        """Orientation of the leg by a2, its line, and what is perpendicular to both; where that is square."""
        if not self._along_leg:
            return None
        leg = self.leg
        line = d * (1.0 / sqrt(dot(d, d)))
        e2 = carrier.turned(rotate_about(leg.axis1, c1[0], c1[1], leg.axis2))
        now = np.stack((e2, line, cross(e2, line)), axis=1)
        design = np.stack((leg.axis2, self._line, np.cross(leg.axis2, self._line)), axis=1)
        return Directions(now, design)

    def _configurations(
        self, c1: Array, c2: Array, s: Scalar | None, directions: Directions | None
    ) -> dict[str, tuple[Array, Directions | None]]:
        """Configuration of every hinge of the leg, and the orientation behind it where that is known."""
        leg = self.leg
        found: dict[str, tuple[Array, Directions | None]] = {}
        for body in leg.bodies:
            if body is leg.slide:
                assert s is not None
                found[body.name] = array((s,)), None
            elif body not in leg.turning:
                found[body.name] = body.inboard.configuration(body.inboard.neutral), None
            elif len(leg.turning) == 1:
                found[body.name] = concatenate((c1, c2)), directions
            else:
                first = body is leg.turning[0]
                found[body.name] = (c1, None) if first else (c2, directions)
        return found

    # Rates and accelerations

    def _set(
        self,
        motion: SubgraphMotion,
        carrier: BodyMotion,
        parts: dict[str, tuple[Array, Directions | None]],
        foot: PointMotion,
        ball: PointMotion,
    ) -> None:
        leg, d = self.leg, ball.r - foot.r
        J = ball.J - foot.J - cross_columns(carrier.w, d)
        drift = ball.drift - foot.drift - cross(carrier.w_drift, d)
        a1 = carrier.turned(leg.axis1)
        c1, _ = parts[leg.turning[0].name]
        a2 = carrier.turned(rotate_about(leg.axis1, c1[0], c1[1], leg.axis2))
        b1, b2 = cross(a1, d), cross(a2, d)
        over = cross(b2, d)
        per_D = 1.0 / dot(b1, over)
        g1, g2 = over * per_D, cross(d, b1) * per_D
        along: Array | None = None
        X_s, eta_s = zeros(0), 0.0
        if leg.slide is not None and leg.axis is not None:
            along = self._slide_now(carrier, parts, leg.axis, d)
            if leg.slides:
                per_along = 1.0 / dot(d, along)
                X_s, eta_s = per_along * (d @ J), per_along * dot(d, drift)
            else:
                given = motion.hinge_motions[leg.slide.name]
                X_s, eta_s = given.X[0], given.eta[0]
            if not self._along_leg:  # else it is across g1 and g2
                J = J - np.outer(along, X_s)
                drift = drift - along * eta_s
        X = np.stack((g1 @ J, g2 @ J))
        eta = array((dot(g1, drift), dot(g2, drift)))
        none = zeros(2)
        slid = (X_s, eta_s, 0.0)
        if leg.slide is not None and not leg.slides:
            slid = (X_s, eta_s, motion.hinge_motions[leg.slide.name].bias[0])
        missing = ball.a - self._tip(carrier, self._hinges(parts, X, eta, none, slid), motion.theta_dot)
        if leg.slides and along is not None:
            s_ddot = dot(d, missing) / dot(d, along)
            slid = (X_s, eta_s, s_ddot)
            missing = missing if self._along_leg else missing - along * s_ddot
        bias = array((dot(g1, missing), dot(g2, missing)))
        for name, hinge_motion in self._hinges(parts, X, eta, bias, slid).items():
            if name in self.determines:
                motion.set(name, hinge_motion)

    def _slide_now(
        self, carrier: BodyMotion, parts: dict[str, tuple[Array, Directions | None]], axis: Array, d: Array
    ) -> Array:
        """The direction of the slide, in p's axes."""
        if self._along_leg:
            line: Array = d * (np.sign(float(axis @ self.leg.e)) / sqrt(dot(d, d)))
            return line
        (c1, _), (c2, _) = parts[self.leg.turning[0].name], parts[self.leg.turning[-1].name]
        turned = rotate_about(self.leg.axis2, c2[-2], c2[-1], axis)
        return carrier.turned(rotate_about(self.leg.axis1, c1[0], c1[1], turned))

    def _hinges(
        self,
        parts: dict[str, tuple[Array, Directions | None]],
        X: Array,
        eta: Array,
        bias: Array,
        slid: tuple[Array, Scalar, Scalar],
    ) -> dict[str, HingeMotion]:
        """Motion of every hinge of the leg."""
        leg, N = self.leg, X.shape[1]
        found: dict[str, HingeMotion] = {}
        for body in leg.bodies:
            c, directions = parts[body.name]
            if body is leg.slide:
                rows, drift, acceleration = slid[0][np.newaxis], array((slid[1],)), array((slid[2],))
            elif body not in leg.turning:
                rows, drift, acceleration = zeros(0, N), zeros(0), zeros(0)
            else:
                k = leg.turning.index(body)
                part = slice(None) if len(leg.turning) == 1 else slice(k, k + 1)
                rows, drift, acceleration = X[part], eta[part], bias[part]
            found[body.name] = HingeMotion(c, rows, drift, acceleration, directions)
        return found

    def _tip(self, carrier: BodyMotion, hinges: dict[str, HingeMotion], theta_dot: Array) -> Array:
        """Acceleration of the leg's end.

        The expressions are those by which the motion is carried outward later, so that they cost once.
        """
        motion = carrier
        body: Body
        for body in self.leg.bodies:
            motion = across(body, motion, hinges[body.name], theta_dot, turns=True)
        return motion.point(self.leg.at_tip, theta_dot).a
