"""Instantaneous motion of a carrier as its wheel travels: instant centres, swing arms, roll centre.

A carrier moves like a screw: its angular velocity ω and the velocity v of one of its points, here per metre
of wheel travel.  In a projection its instant centre is where the velocity in the plane vanishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import PLAIN, Array, Scalar, arctan2, array, cross, dot, where

STILL = 1e-12
"""Turning that rounding makes, in rad per metre of travel: the carrier does not turn."""

PARALLEL = 1e-12
"""Difference of the slopes of two lines that rounding makes: they are parallel."""


class Screw(NamedTuple):
    """Motion of a carrier, per unit of what moves it.

    Attributes
    ----------
    w : (3,) array
        Angular velocity.
    r, v : (3,) arrays
        A point and its velocity.
    """

    w: Array
    r: Array
    v: Array

    def at(self, r: Array) -> Array:
        """Velocity of the carrier at a point."""
        velocity: Array = self.v + cross(self.w, r - self.r)
        return velocity

    @property
    def axis_point(self) -> Array:
        """The point of the axis that is nearest to r: r + ω × v / ω²."""
        nearest: Array = self.r + cross(self.w, self.v) / dot(self.w, self.w)
        return nearest


def turning(R: Array, dR: Array) -> Array:
    """ω of a rotation matrix and its derivative: the vector of dR Rᵀ."""
    W = dR @ R.T
    return array((W[2, 1], W[0, 2], W[1, 0]))


def quotient(a: Scalar, b: Scalar) -> Scalar:
    """a/b as in IEEE 754, where both may be known to be zero: a trailing arm has no instant centre ahead."""
    if isinstance(a, PLAIN) and isinstance(b, PLAIN):
        with np.errstate(all="ignore"):
            return float(np.float64(a) / np.float64(b))
    return a / b


def turning_about(w: Scalar) -> Scalar:
    """A component of ω, 0 where it is of rounding alone."""
    return where(w * w < STILL * STILL, 0.0, w)


class SwingArm(NamedTuple):
    """Swing arm of a wheel in one view, from the contact centre to the instant centre.

    Attributes
    ----------
    length : float
        Horizontal, positive towards the middle of the vehicle [m]; infinite where the carrier does not turn.
    angle : float
        Of its line above the horizontal, towards the middle [rad].
    centre : pair of float
        The instant centre: (y, z) in the front view, (x, z) in the side view [m].
    """

    length: Scalar
    angle: Scalar
    centre: tuple[Scalar, Scalar]


def front_swing_arm(screw: Screw, P: Array, side: int) -> SwingArm:
    """In the front view: v_y = v_y(P) − ω_x Δz and v_z = v_z(P) + ω_x Δy vanish at the instant centre."""
    v, w = screw.at(P), turning_about(screw.w[0])
    y, z = quotient(-v[2], w), quotient(v[1], w)
    return SwingArm(-side * y, arctan2(side * v[1], v[2]), (P[1] + y, P[2] + z))


def side_swing_arm(screw: Screw, P: Array, towards: float) -> SwingArm:
    """In the side view: v_x = v_x(P) + ω_y Δz and v_z = v_z(P) − ω_y Δx vanish at the instant centre.

    `towards` is −1 of a front axle, whose middle of the vehicle is behind it, and 1 of a rear one.
    """
    v, w = screw.at(P), turning_about(screw.w[1])
    x, z = quotient(v[2], w), quotient(-v[0], w)
    return SwingArm(towards * x, arctan2(-towards * v[0], v[2]), (P[0] + x, P[2] + z))


def roll_centre(left: tuple[Array, Array], right: tuple[Array, Array]) -> tuple[Scalar, Scalar]:
    """Height above the road and y of the roll centre, from contact centres and their velocities in roll.

    The line through a contact centre at right angles to its velocity has the slope m = −v_y/v_z; the roll
    centre is where the two lines meet.  Where they are parallel its y is NaN, and its height that half-way
    between both in the middle.
    """
    (P, v), (Q, w) = left, right
    m, n = -v[1] / v[2], -w[1] / w[2]
    parallel = (m - n) * (m - n) < PARALLEL * PARALLEL
    y = where(parallel, float("nan"), quotient(m * P[1] - n * Q[1] + Q[2] - P[2], m - n))
    middle = 0.25 * (m - n) * (Q[1] - P[1])
    return where(parallel, middle, P[2] + m * (y - P[1]) - 0.5 * (P[2] + Q[2])), y


def support_angle(v: Array) -> Scalar:
    """tan φ = v_x/v_z: how far a point of the carrier goes forward as it goes up.

    A force F_x there adds F_x tan φ to what the springs carry.
    """
    return v[0] / v[2]
