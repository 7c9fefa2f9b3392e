"""Turn a body about one axis until a point of it is at a given distance from a target point.

The body turns by φ about the axis u through E, which is fixed on the carrier; its point F is to be at the
distance ℓ from D.  In the carrier's axes, with δ = D − E and f0 the design offset from E to F (E is the foot
of F on the axis, so that f0 ⊥ u), F − E = f0 cos φ + (u × f0) sin φ and |F − D|² = ℓ² becomes

    A cos φ + B sin φ = C,   A = f0 · δ,   B = (u × f0) · δ,   C = ½ (|δ|² + |f0|² − ℓ²),

the spindle's equation after (31), there with α for φ and X for C.  Its solution needs no
trigonometric function:

    cos φ = (A C − B w) / (A² + B²),   sin φ = (B C + A w) / (A² + B²),   w = ± sqrt(A² + B² − C²).

In general w = A sin φ − B cos φ; it keeps the sign −B of the design pose, where φ = 0, and vanishes at the
dead points that bound the range.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, zeros
from ce_dynamics.compiler.free_numbers import decide, nominal, number
from ce_dynamics.embedding.closed_forms.formulas import solve_turn, turn_margin
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, carry, orient
from ce_dynamics.errors import SingularConfigurationError
from ce_dynamics.kinematics.hardpoints import (
    DEAD_POINT,
    distance_from_axis,
    length_between,
)
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.orientation import AS_DESIGNED, Orientation


class RotationToDistance:
    """A revolute hinge that brings a point F of its body to its design distance from a target D.

    ``point`` and ``target`` are F and D in the design pose.  ``owner`` and ``names`` name the linkage and the
    two points in messages.  A dead point, F, D and the axis in one plane, is refused as the design pose.
    """

    def __init__(self, hinge: Revolute, point: Array, target: Array, owner: str, names: str) -> None:
        length = length_between(point, target, owner, names)
        u = hinge.axis
        radius = distance_from_axis(point, hinge.at, u, owner, names[0])
        self.hinge = hinge
        self.offset = point - hinge.at
        self.foot = u * number(u @ self.offset)  # E, from the hinge point
        self.f0 = self.offset - self.foot
        self.g0 = cross(u, self.f0)
        self.half = 0.5 * (number(self.f0 @ self.f0) - length**2)
        delta = target - hinge.at - self.foot
        reach = radius * magnitude(delta - u * (u @ delta))
        B = number(self.g0 @ delta)
        dead = f"{owner}: points {names} and the axis that {names[0]} turns about lie in one plane"
        if decide(abs(B) <= DEAD_POINT * reach, dead):
            raise SingularConfigurationError(
                f"{owner}: the design pose is a dead point: points {names} and the axis through "
                f"{nominal(hinge.at).tolist()} along {nominal(u).tolist()} lie in one plane, so that the "
                "linkage cannot distinguish its two branches; give hardpoints of a pose away from it"
            )
        # The branch is that of the nominal values of free parameters: others may not change it.
        self.sign = -1.0 if decide(B > 0.0, f"{dead}, or have passed it: another branch") else 1.0

    def equation(self, delta: Array, carrier: Orientation) -> tuple[Scalar, Scalar, Scalar]:
        """Return A, B, C for the target at ``delta`` from the hinge point, seen from ``carrier``.

        |δ − R(α) f0| = ℓ with R(α) of (31): A cos α + B sin α = X
        """
        delta, foot, f0, g0 = carrier.on_body(delta, self.foot, self.f0, self.g0)
        delta = delta - foot
        return dot(f0, delta), dot(g0, delta), 0.5 * dot(delta, delta) + self.half

    def configuration(self, delta: Array, carrier: Orientation = AS_DESIGNED) -> Array:
        """Return (cos φ, sin φ) for the target at ``delta``; NaN where F cannot be brought there."""
        return solve_turn(*self.equation(delta, carrier), self.sign)

    def margin(self, carrier: BodyMotion, target: PointMotion, theta_dot: Array) -> Scalar:
        """Return the sine of the angle to the dead point."""
        delta = target.r - carrier.point(self.hinge.at, theta_dot).r
        return turn_margin(*self.equation(delta, carrier.orientation))

    def solve(self, carrier: BodyMotion, target: PointMotion, theta_dot: Array) -> HingeMotion:
        """Return the motion of the hinge.

        With e = F − D, the closure |e|² = ℓ² gives e · (v_F − v_D) = 0 for the rate and
        e · (a_F − a_D) + |v_F − v_D|² = 0 for the acceleration.
        """
        at = carrier.point(self.hinge.at, theta_dot)
        c = self.configuration(target.r - at.r, carrier.orientation)
        f = orient(carrier.orientation, self.hinge, c).rotate(self.offset)
        e = at.r + f - target.r
        h = cross(f, e)  # e · (ω × f) = ω · h
        lever = -1.0 / dot(self.hinge.axes(c, carrier.orientation)[0][:, 0], h)
        X = lever * (e @ (at.J - target.J) + h @ carrier.w)  # α̇ of (32)
        eta = lever * (dot(e, at.drift - target.drift) + dot(h, carrier.w_drift))
        X, eta = X[np.newaxis], array((eta,))
        turned = carry(self.hinge, carrier, HingeMotion(c, X, eta, zeros(1)), theta_dot)
        F = turned.offset(f, theta_dot)
        v = F.v - target.v
        bias = lever * (dot(e, F.a - target.a) + dot(v, v))
        return HingeMotion(c, X, eta, array((bias,)))
