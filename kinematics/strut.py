"""MacPherson strut: an upright that hangs on a ball joint D and slides along a line through the top mount F.

The distance ℓ = |DF| follows from the arm.  On the upright, the strut's line passes D at the distance d, with
p from D to its foot and u along it; F is on the line, s away from the foot, so that ℓ² = d² + s²:

    s = sqrt(ℓ² − d²),    sin γ = d / ℓ,    cos γ = s / ℓ,

γ being the angle between DF and the line.  Three hinges between arm and upright tell the rest one after the
other: a universal one points a body without mass, the kingpin, from D at F; the swivel turns about DF by φ
until the tie rod has its length; on it the upright tilts about n = u × p / d by β = γ_0 − γ, which keeps the
line pointing at F.  With ℓ̇ and ℓ̈

    β̇ = d ℓ̇ / (ℓ s),    β̈ = d (ℓ̈ / (ℓ s) − ℓ̇² (s² + ℓ²) / (ℓ² s³)).

φ: K is at D + f with f = Rot(n, β)(K_0 − D_0) on the swivel, which itself turns about k = DF / ℓ.  With δ
from D to L, f_0 = f − k (k · f) and the rod's length r, |K − L|² = r² becomes A cos φ + B sin φ = C as in
`ce_dynamics.kinematics.rotation_to_distance`, with A = f_0 · δ, B = (k × f_0) · δ and
C = ½ (|δ|² + |f|² − r²) − (k · f)(k · δ).
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decided, number
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_equation
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, SubgraphMotion, oriented
from ce_dynamics.errors import ModelError, SingularConfigurationError
from ce_dynamics.kinematics.aim import Aim
from ce_dynamics.kinematics.base import ClosedForm, expect_hinge
from ce_dynamics.kinematics.edges import Cut, Joint
from ce_dynamics.kinematics.hardpoints import (
    DEAD_POINT,
    SMALLEST_LENGTH,
    Point,
    checked_point,
    distance_from_axis,
    length_between,
    unit_between,
)
from ce_dynamics.kinematics.rotated import hinge_axes, rotated
from ce_dynamics.kinematics.wishbone_loop import hinge_through
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.guides import PointOnLine, PointOnPlane
from ce_dynamics.mechanism.hinges.revolute import Revolute


class StrutLoop(ClosedForm):
    """Kingpin, swivel and upright as functions of the lower arm's angle and of the tie rod's inner end.

    Parameters
    ----------
    A1, A2 : points
        Two points of the lower arm's axis on the chassis, in the design pose [m].
    D : point
        Ball joint of arm and upright [m].
    F, S : points
        Top mount on the chassis, and another point of the strut's line on the upright [m].
    K, L : points
        Ends of the tie rod: on the upright, and on ``anchor`` [m].
    lower_arm, kingpin, swivel, upright, chassis, anchor : str
        Names of the bodies.  The arm is the independent one; kingpin and swivel need no mass.

    Raises
    ------
    ModelError
        For points that coincide or lie on an axis, or a strut that is perpendicular to DF.
    SingularConfigurationError
        If the tie rod is at a dead point in the design pose.
    """

    def __init__(
        self,
        A1: Point,
        A2: Point,
        D: Point,
        F: Point,
        S: Point,
        K: Point,
        L: Point,
        lower_arm: str = "lower_arm",
        kingpin: str = "kingpin",
        swivel: str = "swivel",
        upright: str = "upright",
        chassis: str = "chassis",
        anchor: str = "chassis",
    ) -> None:
        owner = f"strut of {upright!r}"
        a1, a2, self.D, self.F, s, self.K, self.L = (
            checked_point(point, owner, name)
            for point, name in zip(
                (A1, A2, D, F, S, K, L), ("A1", "A2", "D", "F", "S", "K", "L"), strict=True
            )
        )
        self.lower_arm, self.kingpin, self.swivel, self.upright = lower_arm, kingpin, swivel, upright
        self.chassis, self.anchor = chassis, anchor
        self.arm_hinge = hinge_through(a1, a2, owner, "A1 A2")
        distance_from_axis(self.D, self.arm_hinge.at, self.arm_hinge.axis, owner, "D")
        self.aim = Aim(self.D, self.F, False, owner, "DF")
        self.k = unit_between(self.D, self.F, owner, "DF")
        self._lay_out(s, owner)
        self.swivel_hinge = Revolute(self.k.tolist(), self.D.tolist())
        self.tilt_hinge = Revolute(self.n.tolist(), self.D.tolist())
        self.rod = length_between(self.K, self.L, owner, "KL")
        self.sign = self._branch(owner)
        self.independent = lower_arm
        self.determines = (kingpin, swivel, upright)
        self.closes = tuple(cut.name for cut in self.cuts())

    def _lay_out(self, S: Array, owner: str) -> None:
        """u, n, d and γ of the design pose."""
        ell = magnitude(self.F - self.D)
        u = unit_between(S, self.F, owner, "SF")
        s_0 = number(u @ (self.F - self.D))
        if decided(s_0 < 0.0, f"{owner}: the strut's line points away from DF"):
            u, s_0 = -u, -s_0
        p = self.F - self.D - s_0 * u
        d = magnitude(p)
        across = f"{owner}: the strut is perpendicular to DF"
        if decided(s_0 <= DEAD_POINT * ell, across):
            raise ModelError(f"{across}, so that it cannot tell its length; move S or D")
        if decided(d < SMALLEST_LENGTH, f"{owner}: D comes to lie on the strut's line"):
            self.d, self.n = 0.0, self.aim.hinge.axis1  # nothing tilts, about any axis
        else:
            self.d, self.n = d, cross(u, p) / d
        self.cos_0, self.sin_0 = s_0 / ell, self.d / ell
        self.across = cross(self.n, u)

    def _branch(self, owner: str) -> float:
        """Sign of the root for φ, that of the design pose."""
        delta, f = self.L - self.D, self.K - self.D
        f0 = f - self.k * number(self.k @ f)
        reach = distance_from_axis(self.K, self.D, self.k, owner, "K") * magnitude(
            delta - self.k * number(self.k @ delta)
        )
        B = number(cross(self.k, f0) @ delta)
        dead = f"{owner}: points K, L and the axis DF lie in one plane"
        if decided(abs(B) <= DEAD_POINT * reach, dead):
            raise SingularConfigurationError(
                f"{dead} in the design pose, so that the tie rod cannot tell its two branches apart; give "
                "hardpoints of a pose away from it"
            )
        return -1.0 if decided(B > 0.0, f"{dead}, or have passed it: another branch") else 1.0

    def joints(self) -> tuple[Joint, ...]:
        """The arm on the chassis; kingpin, swivel and upright, each on the one before, on it."""
        return (
            Joint(self.lower_arm, self.chassis, self.arm_hinge),
            Joint(self.kingpin, self.lower_arm, self.aim.hinge),
            Joint(self.swivel, self.kingpin, self.swivel_hinge),
            Joint(self.upright, self.swivel, self.tilt_hinge),
        )

    def cuts(self) -> tuple[Cut, ...]:
        """F on the kingpin's axis and in the plane of the strut's line, and the tie rod's length."""
        at, chassis = self.F.tolist(), self.chassis
        line = PointOnLine(self.k.tolist(), at=at)
        plane = PointOnPlane(self.across.tolist(), at=at)
        rod = Distance(self.K.tolist(), self.L.tolist())
        return (
            Cut(f"{self.kingpin}/{chassis}", self.kingpin, chassis, line),
            Cut(f"{self.upright}/{chassis} strut", self.upright, chassis, plane),
            Cut(f"{self.upright}/{self.anchor} tie rod", self.upright, self.anchor, rod),
        )

    def margin(self, motion: SubgraphMotion) -> float:
        k, f, delta = self._seen(motion)
        A, B, C = turn_equation(k, f, delta, self.rod * self.rod)
        return float(np.sqrt(max(0.0, 1.0 - float(C * C / (A * A + B * B)))))

    def _seen(self, motion: SubgraphMotion) -> tuple[Array, Array, Array]:
        """k, f at φ = 0, and δ."""
        D, F = motion.point(self.lower_arm, self.D), motion.point(self.chassis, self.F)
        kingpin = motion.carrier(self.swivel)
        tilt = self._tilt(D, F)
        k, n = kingpin.turned(self.k), kingpin.turned(self.n)
        f = rotate_about(n, tilt.c[0], tilt.c[1], kingpin.turned(self.K - self.D))
        return k, f, motion.point(self.anchor, self.L).r - D.r

    def _tilt(self, D: PointMotion, F: PointMotion) -> HingeMotion:
        """β from the distance DF."""
        e, v, a = F.r - D.r, F.v - D.v, F.a - D.a
        square = dot(e, e)
        s = sqrt(square - self.d * self.d)  # NaN where D is nearer to F than the strut's line is
        ell = sqrt(square)
        cos_gamma, sin_gamma = s / ell, self.d / ell
        c = array(
            (
                self.cos_0 * cos_gamma + self.sin_0 * sin_gamma,
                self.sin_0 * cos_gamma - self.cos_0 * sin_gamma,
            )
        )
        per_length = 1.0 / ell
        rate = per_length * dot(e, v)
        second = per_length * (dot(e, a) + dot(v, v) - rate * rate)
        gain = self.d / (ell * s)
        bias = gain * (second - rate * rate * (s * s + square) / (ell * s * s))
        lever = gain * per_length
        return HingeMotion(
            c,
            (lever * (e @ (F.J - D.J)))[np.newaxis],
            array((lever * dot(e, F.drift - D.drift),)),
            array((bias,)),
        )

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.kingpin, self.aim.hinge)
        expect_hinge(motion, self.swivel, self.swivel_hinge)
        expect_hinge(motion, self.upright, self.tilt_hinge)
        theta_dot = motion.theta_dot
        D, F = motion.point(self.lower_arm, self.D), motion.point(self.chassis, self.F)
        motion.set(self.kingpin, self.aim.solve(motion.carrier(self.kingpin), F, theta_dot))
        tilt = self._tilt(D, F)
        L = motion.point(self.anchor, self.L)
        motion.set(self.swivel, self._turn(motion.carrier(self.swivel), D, L, tilt, theta_dot))
        motion.set(self.upright, tilt)

    def _turn(
        self, kingpin: BodyMotion, D: PointMotion, L: PointMotion, tilt: HingeMotion, theta_dot: Array
    ) -> HingeMotion:
        """φ from the tie rod: e · (v_K − v_L) = 0 and e · (a_K − a_L) + |v_K − v_L|² = 0 with e = K − L."""
        k, n = kingpin.turned(self.k), kingpin.turned(self.n)
        f = rotate_about(n, tilt.c[0], tilt.c[1], kingpin.turned(self.K - self.D))
        A, B, C = turn_equation(k, f, L.r - D.r, self.rod * self.rod)
        c = solve_turn(A, B, C, self.sign)  # NaN where the rod does not reach
        swivel = oriented(kingpin.orientation, self.swivel_hinge, c)
        n_now = swivel.turned(self.n)
        f = rotate_about(n_now, tilt.c[0], tilt.c[1], swivel.turned(self.K - self.D))
        e = D.r + f - L.r
        h = cross(f, e)  # e · (ω × f) = ω · h
        lever = -1.0 / dot(hinge_axes(kingpin, self.swivel_hinge, c)[:, 0], h)
        tilting = dot(n_now, h)
        X = lever * (e @ (D.J - L.J) + h @ kingpin.w + tilting * tilt.X[0])
        eta = lever * (dot(e, D.drift - L.drift) + dot(h, kingpin.w_drift) + tilting * tilt.eta[0])
        X, eta = X[np.newaxis], array((eta,))
        turned = rotated(kingpin, self.swivel_hinge, c, X, eta, theta_dot)
        upright = rotated(turned, self.tilt_hinge, tilt.c, tilt.X, tilt.eta, theta_dot)
        upright = upright._replace(alpha=upright.alpha + tilt.bias[0] * n_now)
        K = upright.offset(f, theta_dot)
        v = K.v - L.v
        return HingeMotion(c, X, eta, array((lever * (dot(e, K.a - L.a) + dot(v, v)),)))
