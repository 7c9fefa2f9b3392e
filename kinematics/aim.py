"""Turn a body on a universal hinge so that a direction of it points at a target.

The axes a1 (on the carrier) and a2 (on the body) are perpendicular to each other and to the design direction
d0 = a1 × a2.  For the target at d from the centre, in the carrier's axes and with ℓ = |d|,

    d / ℓ = Rot(a1, χ) Rot(a2, ζ) d0 = a1 sin ζ + (d0 cos χ − a2 sin χ) cos ζ,

so sin ζ = a1 · d / ℓ, cos ζ = m / ℓ, cos χ = d0 · d / m, sin χ = −a2 · d / m with m = hypot(a2 · d, d0 · d).
It is singular where d points along a1 (ζ = ±π/2).

Axes may be given that leave the design direction aside, d̂ = d0 cos β + a1 sin β, as long as they are
perpendicular to each other and d̂ lies in the plane across a2: then ζ above is counted from d0, and the
hinge's own angle is ζ − β.

Rates, with the axes e1, e2 turned along (e2 ⊥ d), g = e2 × d (e1 · g = m, |g| = ℓ, e2 · g = 0), and
W = ω + e1 χ̇ + e2 ζ̇ the angular velocity of the body on a carrier that turns with ω: the target moves
from the centre with v = W × d + (ℓ̇ / ℓ) d, hence e2 · v = −W · g and g · v = ℓ² W · e2:

    χ̇ = −(e2 · v + ω · g) / m,      ζ̇ = g · v / ℓ² − ω · e2.

Accelerations a = α × d + W × (W × d) + 2 (ℓ̇ / ℓ) W × d + (ℓ̈ / ℓ) d with α = α0 + e1 χ̈ + e2 ζ̈ give in
the same way

    χ̈ = −(e2 · a + α0 · g − (W · e2)(W · d) + 2 (ℓ̇ / ℓ)(W · g)) / m,
    ζ̈ = (g · a − (W · g)(W · d)) / ℓ² − α0 · e2 − 2 (ℓ̇ / ℓ)(W · e2).
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, sqrt, zeros
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, carry
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.hardpoints import length_between
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, magnitude
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.orientation import Directions


def aiming_universal(at: Array, target: Array, owner: str, names: str) -> Universal:
    """Return a universal hinge at ``at`` with both axes perpendicular to the direction of the target.

    Its first axis is perpendicular to the y or the z axis, whichever is farther from that direction,
    which leaves zeros in the geometry; for an upright or a tie rod this is close to the paper's "X then Z".
    (Other axes would turn the body differently about its own direction.)
    """
    d0 = (target - at) / length_between(at, target, owner, names)
    nearer_z = decide(
        abs(d0[1]) <= abs(d0[2]),
        f"{owner}: of the y and the z axis, the one farther from {names} becomes the other one",
    )
    helper = np.array((0.0, 1.0, 0.0)) if nearer_z else np.array((0.0, 0.0, 1.0))
    a1 = cross(helper, d0)
    a1 = a1 / magnitude(a1)
    return Universal(axis1=a1.tolist(), axis2=cross(d0, a1).tolist(), at=at.tolist())


def check_axes(hinge: Universal, along: Array, owner: str, names: str) -> None:
    """Refuse axes of one's own with which a direction cannot be led as above."""
    for direction, what in ((hinge.axis1, "the first one"), (along, names)):
        cosine = abs(number(hinge.axis2 @ direction))
        if decide(cosine > ANGULAR_TOLERANCE, f"{owner}: its hinge's second axis is not square to {what}"):
            raise ModelError(f"{owner}: its hinge's second axis has to be perpendicular to {what}")
    if not decide(
        number(cross(hinge.axis1, hinge.axis2) @ along) > ANGULAR_TOLERANCE, f"{owner}: the side of {names}"
    ):
        raise ModelError(
            f"{owner}: {names} has to lie on the side of its hinge's first axis × second axis; turn one of "
            "them round, or choose others"
        )


class Aim:
    """A universal hinge that points a direction of its body from its centre ``at`` at a target.

    The target stays at its design distance if ``fixed_length`` (a rod; else a telescope).  ``owner`` and
    ``names`` name the linkage and the two points in messages.  ``hinge`` is what the body must be added with;
    one may be given whose axes are as above, else both are perpendicular to the design direction.
    """

    def __init__(
        self,
        at: Array,
        target: Array,
        fixed_length: bool,
        owner: str,
        names: str,
        hinge: Universal | None = None,
    ) -> None:
        self.hinge = aiming_universal(at, target, owner, names) if hinge is None else hinge
        self.d0 = cross(self.hinge.axis1, self.hinge.axis2)
        self.length = length_between(at, target, owner, names) if fixed_length else None
        if hinge is None:
            self.tilt: tuple[Scalar, Scalar] | None = None
            self.design = np.stack((self.hinge.axis1, self.hinge.axis2, self.d0), axis=1)
        else:
            along = (target - at) / length_between(at, target, owner, names)
            check_axes(hinge, along, owner, names)
            self.tilt = number(self.d0 @ along), number(hinge.axis1 @ along)  # cos β, sin β
            self.design = np.stack((cross(hinge.axis2, along), hinge.axis2, along), axis=1)

    def configuration(self, d: Array, per_length: Scalar, per_m: Scalar) -> Array:
        """Return (cos χ, sin χ, cos ζ, sin ζ) for the target at d, in the carrier's axes."""
        along_1, along_2, along_0 = dot(self.hinge.axis1, d), dot(self.hinge.axis2, d), dot(self.d0, d)
        m = (along_2 * along_2 + along_0 * along_0) * per_m
        c, s = m * per_length, along_1 * per_length
        if self.tilt is not None:
            c_beta, s_beta = self.tilt
            c, s = c * c_beta + s * s_beta, s * c_beta - c * s_beta
        return array((along_0 * per_m, -along_2 * per_m, c, s))

    def solve(self, carrier: BodyMotion, target: PointMotion, theta_dot: Array) -> HingeMotion:
        """Return the motion of the hinge."""
        at = carrier.point(self.hinge.at, theta_dot)
        d, v = target.r - at.r, target.v - at.v
        per_square = 1.0 / dot(d, d) if self.length is None else 1.0 / self.length**2
        per_length = sqrt(dot(d, d)) * per_square if self.length is None else 1.0 / self.length
        across = cross(d, carrier.rotate(self.hinge.axis1))  # d × e1 = m e2
        square = dot(across, across)
        per_m = sqrt(square) / square
        e2 = per_m * across
        g = cross(e2, d)
        c = self.configuration(carrier.R.T @ d, per_length, per_m)
        # The body's directions a2 × d̂, a2 and d̂ of the design pose are along g, e2 and d now.
        now = np.stack((per_length * g, e2, per_length * d), axis=1)
        directions = Directions(now, self.design)
        J, drift = target.J - at.J, target.drift - at.drift
        X = np.stack(  # χ̇ and ζ̇ of (32), where the target is the tie rod's end L
            (
                -per_m * (e2 @ J + g @ carrier.w),
                per_square * (g @ J) - e2 @ carrier.w,
            )
        )
        eta = array(
            (
                -per_m * (dot(e2, drift) + dot(g, carrier.w_drift)),
                per_square * dot(g, drift) - dot(e2, carrier.w_drift),
            )
        )
        body = carry(self.hinge, carrier, HingeMotion(c, X, eta, zeros(2), directions), theta_dot)
        W, alpha, a = body.w_total, body.alpha, target.a - at.a
        stretch = 0.0 if self.length is not None else 2.0 * per_square * dot(d, v)  # 2 ℓ̇ / ℓ
        W_d, W_e2, W_g = dot(W, d), dot(W, e2), dot(W, g)
        bias = array(
            (
                -per_m * (dot(e2, a) + dot(alpha, g) - W_e2 * W_d + stretch * W_g),
                per_square * (dot(g, a) - W_g * W_d) - dot(alpha, e2) - stretch * W_e2,
            )
        )
        return HingeMotion(c, X, eta, bias, directions)


class AimPlanar:
    """A revolute hinge that points a direction of its body at a target which moves in the plane of rotation.

    Its axis is perpendicular to the direction of the target and keeps its direction.
    """

    def __init__(self, hinge: Revolute, target: Array, owner: str, names: str) -> None:
        self.hinge = hinge
        self.d0 = (target - hinge.at) / length_between(hinge.at, target, owner, names)
        self.d1 = cross(hinge.axis, self.d0)

    def solve(self, carrier: BodyMotion, target: PointMotion, theta_dot: Array) -> HingeMotion:
        """Return the motion of the hinge."""
        at = carrier.point(self.hinge.at, theta_dot)
        d = target.r - at.r
        d_i = carrier.R.T @ d
        square = dot(d, d)
        per_square = 1.0 / square
        per_length = sqrt(square) * per_square
        c = array((dot(self.d0, d_i) * per_length, dot(self.d1, d_i) * per_length))
        u = self.hinge.axes(c, carrier.orientation)[0][:, 0]
        g = cross(u, d)
        X = (per_square * (g @ (target.J - at.J)) - u @ carrier.w)[np.newaxis]
        eta = array((per_square * dot(g, target.drift - at.drift) - dot(u, carrier.w_drift),))
        body = carry(self.hinge, carrier, HingeMotion(c, X, eta, zeros(1)), theta_dot)
        stretch = 2.0 * per_square * dot(d, target.v - at.v)  # 2 ℓ̇ / ℓ
        bias = per_square * dot(g, target.a - at.a) - dot(u, body.alpha) - stretch * dot(u, body.w_total)
        return HingeMotion(c, X, eta, array((bias,)))
