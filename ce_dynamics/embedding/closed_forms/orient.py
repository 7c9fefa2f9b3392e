"""Hinges whose axes meet, from how what is behind them is turned: one hinge, or a ball of three.

With R_o and R the orientations of what carries them and of what is behind, Q = R_oᵀ R.  One hinge about c
turns by atan2(c·(u × Q u), u·Q u), u any unit vector across c.  Of three hinges,
Q = Rot(c0, k0) Rot(c1, k1) Rot(c2, k2): k0 and k1 take c2 to Q c2, and −k2 takes Rot(c1, −k1) c0 to Qᵀ c0.

Rates: with ω the angular velocity across them and the axes as they are now, c·ω for one hinge, and of three
ω·(c1 × c2) / E and so on round, E = c0·(c1 × c2).  Accelerations follow in the same way from what is missing
at resting rates.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, zeros
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.ball import Ball
from ce_dynamics.embedding.closed_forms.formulas import turn_between, two_turns
from ce_dynamics.embedding.closed_forms.turn_to_length import set_welded
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion, across
from ce_dynamics.mechanism.body import Body


def turn_ball(motion: SubgraphMotion, ball: Ball, behind: BodyMotion) -> None:
    """Set the hinges of a ball so that what is behind it is turned as given."""
    carrier = motion.body(ball.carrier.name)
    c = angles(ball, carrier.R.T @ behind.R)
    rows = rates_per_spin(list(axes_now(carrier, ball, c).values()))
    w, drift = behind.w - carrier.w, behind.w_drift - carrier.w_drift
    hinges = {
        body: HingeMotion(c[body], (row @ w)[np.newaxis], array((dot(row, drift),)), zeros(1))
        for body, row in zip(ball.turning, rows, strict=True)
    }
    missing = behind.alpha - carried(ball, ball.turning[-1], carrier, hinges, motion).alpha
    for body, row in zip(ball.turning, rows, strict=True):
        motion.set(body.name, hinges[body]._replace(bias=array((dot(row, missing),))))
    set_welded(motion, ball.welded)


def angles(ball: Ball, Q: Array) -> dict[Body, Array]:
    """(cos, sin) of every hinge."""
    if len(ball.turning) == 1:
        (c,) = ball.axes
        u = across_axis(c)
        now = Q @ u
        return {ball.turning[0]: array((dot(u, now), dot(np.cross(c, u), now)))}
    c0, c1, c2 = ball.axes
    k0, k1 = two_turns(c0, c1, c2, Q @ c2, float(np.sign(np.cross(c0, c1) @ c2)))
    k2 = turn_between(c2, rotate_about(c1, k1[0], -k1[1], c0), Q.T @ c0)
    return dict(zip(ball.turning, (k0, k1, array((k2[0], -k2[1]))), strict=True))


def across_axis(c: Array) -> Array:
    """A unit vector across an axis."""
    u = np.cross(c, np.eye(3)[int(np.argmin(np.abs(c)))])
    result: Array = u / np.linalg.norm(u)
    return result


def rates_per_spin(axes: list[Array]) -> list[Array]:
    """Return the rate of each hinge per angular velocity across the hinges, one row (3,) for each axis."""
    if len(axes) == 1:
        return axes
    n0, n1, n2 = axes
    over = cross(n1, n2)
    per_E = 1.0 / dot(n0, over)
    return [over * per_E, cross(n2, n0) * per_E, cross(n0, n1) * per_E]


def axes_now(carrier: BodyMotion, ball: Ball, c: dict[Body, Array]) -> dict[Body, Array]:
    """The axes of a ball's hinges, in p's axes."""
    found: dict[Body, Array] = {}
    for k, body in enumerate(ball.turning):
        axis = ball.axes[k]
        for inner, inner_axis in zip(reversed(ball.turning[:k]), reversed(ball.axes[:k]), strict=True):
            axis = rotate_about(inner_axis, c[inner][0], c[inner][1], axis)
        found[body] = carrier.turned(axis)
    return found


def carried(
    ball: Ball, tip: Body, carrier: BodyMotion, hinges: dict[Body, HingeMotion], motion: SubgraphMotion
) -> BodyMotion:
    """Motion of a body behind a ball.

    The expressions are those by which the motion is carried outward later, so that they cost once.
    """
    way: list[Body] = []
    body = tip
    while body is not ball.carrier:
        way.append(body)
        body = body.carrier
    reached = carrier
    for body in reversed(way):
        c = body.inboard.configuration(body.inboard.neutral) if body in ball.welded else None
        still = None if c is None else HingeMotion(c, zeros(0, motion.N), zeros(0), zeros(0))
        hinge = hinges[body] if still is None else still
        reached = across(body, reached, hinge, motion.theta_dot, turns=True)
    return reached
