"""Turn a body on a revolute hinge so that a direction of it points at a target: the planar case of `aim`.

Everything moves in the plane perpendicular to the axis u: with d from the hinge to the target, d0 its design
direction, g = u × d and W = ω + u φ̇,

    cos φ = d0 · d / ℓ,      sin φ = (u × d0) · d / ℓ,
    φ̇ = g · v / ℓ² − ω · u,   φ̈ = g · a / ℓ² − α · u − 2 (ℓ̇ / ℓ)(W · u).

For the shock these are (29) and the first row of (30).
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, sqrt
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion
from ce_dynamics.kinematics.hardpoints import length_between
from ce_dynamics.kinematics.rotated import carry_by_rotation, hinge_axes, hinge_point
from ce_dynamics.mechanism.hinges.revolute import Revolute


class AimPlanar:
    """A revolute hinge that points a direction of its body at a target which moves in the plane of rotation.

    Parameters
    ----------
    hinge : Revolute
        The hinge; its axis is perpendicular to the direction of the target and keeps its direction.
    target : (3,) array
        Design position of the target [m].
    owner, names : str
        Name the linkage and the two points in messages.
    """

    def __init__(self, hinge: Revolute, target: Array, owner: str, names: str) -> None:
        self.hinge = hinge
        self.d0 = (target - hinge.at) / length_between(hinge.at, target, owner, names)
        self.d1 = cross(hinge.axis, self.d0)

    def solve(self, carrier: BodyMotion, target: PointMotion, theta_dot: Array) -> HingeMotion:
        """Motion of the hinge."""
        at = hinge_point(carrier, self.hinge, theta_dot)
        d = target.r - at.r
        d_i = carrier.R.T @ d
        square = dot(d, d)
        per_square = 1.0 / square
        per_length = sqrt(square) * per_square
        c = array((dot(self.d0, d_i) * per_length, dot(self.d1, d_i) * per_length))
        u = hinge_axes(carrier, self.hinge, c)[:, 0]
        g = cross(u, d)
        X = (per_square * (g @ (target.J - at.J)) - u @ carrier.w)[np.newaxis]
        eta = array((per_square * dot(g, target.drift - at.drift) - dot(u, carrier.w_drift),))
        body = carry_by_rotation(carrier, self.hinge, c, X, eta, theta_dot)
        stretch = 2.0 * per_square * dot(d, target.v - at.v)  # 2 ℓ̇ / ℓ
        bias = per_square * dot(g, target.a - at.a) - dot(u, body.alpha) - stretch * dot(u, body.w_total)
        return HingeMotion(c, X, eta, array((bias,)))
