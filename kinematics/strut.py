"""MacPherson strut: an upright that hangs on a ball joint D and slides along a line through the top mount F.

The distance ℓ = |DF| follows from the arm.  On the upright, the strut's line passes D at the distance d, with
p from D to its foot and u along it; F is on the line, s away from the foot, so that ℓ² = d² + s²:

    s = sqrt(ℓ² − d²),    sin γ = d / ℓ,    cos γ = s / ℓ,

γ being the angle between DF and the line.  Three hinges between arm and upright give the rest one after the
other: a universal one points a body without mass, the kingpin, from D at F; the swivel turns about DF by φ
until the tie rod has its length; on it the upright tilts about n = u × p / d by β = γ_0 − γ, which keeps the
line pointing at F.

φ: K is at D + f with f = Rot(n, β)(K_0 − D_0) on the swivel, which itself turns about k = DF / ℓ until K is
at the tie rod's length from L (`ce_dynamics.embedding.closed_forms.formulas.turn_equation`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_equation, turn_margin
from ce_dynamics.embedding.closed_forms.step import set_moving
from ce_dynamics.embedding.closures.loop import hinge_at_rest
from ce_dynamics.embedding.motion import PointMotion, SubgraphMotion
from ce_dynamics.errors import ModelError, SingularConfigurationError
from ce_dynamics.kinematics.aim import Aim
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge, rows_of
from ce_dynamics.kinematics.hardpoints import (
    DEAD_POINT,
    SMALLEST_LENGTH,
    Point,
    check_fields,
    distance_from_axis,
    length_between,
    unit_between,
)
from ce_dynamics.kinematics.wishbone_loop import hinge_through
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.closures import Distance, PointOnLine, PointOnPlane
from ce_dynamics.mechanism.hinges.revolute import Revolute


@dataclass(eq=False, repr=False)
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

    A1: Point
    A2: Point
    D: Point
    F: Point
    S: Point
    K: Point
    L: Point
    lower_arm: str = "lower_arm"
    kingpin: str = "kingpin"
    swivel: str = "swivel"
    upright: str = "upright"
    chassis: str = "chassis"
    anchor: str = "chassis"

    def __post_init__(self) -> None:
        owner = f"strut of {self.upright!r}"
        check_fields(self, owner)
        self.arm_hinge = hinge_through(self.A1, self.A2, owner, "A1 A2")
        distance_from_axis(self.D, self.arm_hinge.at, self.arm_hinge.axis, owner, "D")
        self.aim = Aim(self.D, self.F, False, owner, "DF")
        self.k = unit_between(self.D, self.F, owner, "DF")
        self._lay_out(owner)
        self.swivel_hinge = Revolute(self.k.tolist(), self.D.tolist())
        self.tilt_hinge = Revolute(self.n.tolist(), self.D.tolist())
        self.rod = length_between(self.K, self.L, owner, "KL")
        self.sign = self._branch(owner)
        self.independent = self.lower_arm
        self.determines = (self.kingpin, self.swivel, self.upright)
        self.closes = tuple(cut.name for cut in self.cuts())

    def _lay_out(self, owner: str) -> None:
        """Set n, d and γ of the design pose."""
        ell = magnitude(self.F - self.D)
        u = unit_between(self.S, self.F, owner, "SF")
        s_0 = number(u @ (self.F - self.D))
        if decide(s_0 < 0.0, f"{owner}: the strut's line points away from DF"):
            u, s_0 = -u, -s_0
        p = self.F - self.D - s_0 * u
        d = magnitude(p)
        across = f"{owner}: the strut is perpendicular to DF"
        if decide(s_0 <= DEAD_POINT * ell, across):
            raise ModelError(f"{across}, so that its length is undetermined; move S or D")
        if decide(d < SMALLEST_LENGTH, f"{owner}: D comes to lie on the strut's line"):
            self.d, self.n = 0.0, self.aim.hinge.axis1  # nothing tilts, about any axis
        else:
            self.d, self.n = d, cross(u, p) / d
        self.cos_0, self.sin_0 = s_0 / ell, self.d / ell
        self.across = cross(self.n, u)

    def _branch(self, owner: str) -> float:
        """Return the sign of the root for φ, that of the design pose."""
        delta, f = self.L - self.D, self.K - self.D
        f0 = f - self.k * number(self.k @ f)
        reach = distance_from_axis(self.K, self.D, self.k, owner, "K") * magnitude(
            delta - self.k * number(self.k @ delta)
        )
        B = number(cross(self.k, f0) @ delta)
        dead = f"{owner}: points K, L and the axis DF lie in one plane"
        if decide(abs(B) <= DEAD_POINT * reach, dead):
            raise SingularConfigurationError(
                f"{dead} in the design pose, so that the tie rod cannot distinguish its two branches; give "
                "hardpoints of a pose away from it"
            )
        return -1.0 if decide(B > 0.0, f"{dead}, or have passed it: another branch") else 1.0

    def joints(self) -> tuple[Joint, ...]:
        """Return the arm on the chassis; kingpin, swivel and upright, each on the one before, on it."""
        return (
            Joint(self.lower_arm, self.chassis, self.arm_hinge),
            Joint(self.kingpin, self.lower_arm, self.aim.hinge),
            Joint(self.swivel, self.kingpin, self.swivel_hinge),
            Joint(self.upright, self.swivel, self.tilt_hinge),
        )

    def cuts(self) -> tuple[Cut, ...]:
        """Return F on the kingpin's axis and in the plane of the strut's line, and the tie rod's length."""
        at, chassis = self.F.tolist(), self.chassis
        line = PointOnLine(self.k.tolist(), at=at)
        plane = PointOnPlane(self.across.tolist(), at=at)
        rod = Distance(self.K.tolist(), self.L.tolist())
        return (
            Cut(f"{self.kingpin}/{chassis}", self.kingpin, chassis, line),
            Cut(f"{self.upright}/{chassis} strut", self.upright, chassis, plane),
            Cut(f"{self.upright}/{self.anchor} tie rod", self.upright, self.anchor, rod),
        )

    def margin(self, motion: SubgraphMotion) -> Scalar:
        return turn_margin(*self._equation(motion))

    def _equation(self, motion: SubgraphMotion) -> tuple[Scalar, Scalar, Scalar]:
        """Return A, B, C of A cos φ + B sin φ = C, for the turn about DF that fits the tie rod's length."""
        D, F = motion.point(self.lower_arm, self.D), motion.point(self.chassis, self.F)
        kingpin, tilt = motion.carrier(self.swivel), self._tilt(D, F)
        f = rotate_about(kingpin.rotate(self.n), tilt[0], tilt[1], kingpin.rotate(self.K - self.D))
        delta = motion.point(self.anchor, self.L).r - D.r
        return turn_equation(kingpin.rotate(self.k), f, delta, self.rod * self.rod)

    def _tilt(self, D: PointMotion, F: PointMotion) -> Array:
        """Return (cos β, sin β) from the distance DF."""
        square = dot(F.r - D.r, F.r - D.r)
        s = sqrt(square - self.d * self.d)  # NaN where D is nearer to F than the strut's line is
        ell = sqrt(square)
        cos_gamma, sin_gamma = s / ell, self.d / ell
        return array(
            (
                self.cos_0 * cos_gamma + self.sin_0 * sin_gamma,
                self.sin_0 * cos_gamma - self.cos_0 * sin_gamma,
            )
        )

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.kingpin, self.aim.hinge)
        expect_hinge(motion, self.swivel, self.swivel_hinge)
        expect_hinge(motion, self.upright, self.tilt_hinge)
        F = motion.point(self.chassis, self.F)
        motion.set(self.kingpin, self.aim.solve(motion.carrier(self.kingpin), F, motion.theta_dot))
        _, plane, rod = self.cuts()
        turn = solve_turn(*self._equation(motion), self.sign)  # NaN where the rod does not reach
        tilt = self._tilt(motion.point(self.lower_arm, self.D), F)
        # The tilt of the upright does not depend on the swivel's rate: F is on the swivel's axis.
        turned = motion.trial({self.swivel: hinge_at_rest(turn, 1, motion.N)})
        set_moving(turned, {self.upright: hinge_at_rest(tilt, 1, motion.N)}, rows_of(plane))
        motion.set(self.upright, turned.hinge_motions[self.upright])
        set_moving(motion, {self.swivel: hinge_at_rest(turn, 1, motion.N)}, rows_of(rod))
