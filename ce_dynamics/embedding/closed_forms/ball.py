"""Balls: two or three revolute hinges, one behind the other, whose axes meet in a point; or a universal one.

Their angles follow from how what is behind them is turned.  With R_o and R the orientations of what carries
them and of what is behind, Q = R_oᵀ R.  One hinge about c turns by atan2(c·(u × Q u), u·Q u), u any unit
vector across c.  Of three hinges, Q = Rot(c0, k0) Rot(c1, k1) Rot(c2, k2): k0 and k1 take c2 to Q c2, and −k2
takes Rot(c1, −k1) c0 to Qᵀ c0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, dot
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.formulas import turn_between, two_turns
from ce_dynamics.embedding.closed_forms.step import orientation_errors, set_moving
from ce_dynamics.embedding.closures.loop import hinge_at_rest
from ce_dynamics.embedding.motion import BodyMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute

MEET = 1e-12  # distance of two axes, relative to that of their points from the origin, that counts as none
STEEP = 1e-3
"""Smallest sine of the angles between a1, a2 and e, and cosine of that between e and a, of a leg that is
recognised: nearer to a singular pose the sign that selects its branch would not be certain."""


@dataclass(frozen=True, eq=False)
class BallJoint:
    """Revolute hinges whose axes meet, or a universal hinge."""

    turning: tuple[Body, ...]  # on these hinges, from the carrier outward: two or three, or one
    welded: tuple[Body, ...]  # on Fixed hinges between and behind them
    carrier: Body  # what carries them
    at: Array  # (3,), where the axes meet in the design pose

    @property
    def axes(self) -> tuple[Array, ...]:
        """Axes of the hinges, in the design pose."""
        hinges = [body.inboard for body in self.turning]
        return tuple(getattr(hinge, name) for hinge in hinges for name in hinge.directions)


def ball_at(
    tip: Body, bodies: Sequence[Body], dependent: Collection[Body], most: int = 3
) -> BallJoint | None:
    """Return the two or three hinges that carry a body and whose axes meet; None if there are none."""
    turning: list[Body] = []
    welded: list[Body] = []
    body = tip
    while not body.is_ground and body in bodies and len(turning) < most:
        hinge = body.inboard
        if isinstance(hinge, Fixed):
            if body not in dependent:
                break
            welded.append(body)
        elif isinstance(hinge, Revolute) and meets(hinge, turning):
            turning.append(body)
        else:
            break
        body = body.carrier
    while welded and turning and welded[-1].carrier is body and welded[-1] not in carriers(turning[-1], tip):
        body = welded.pop()  # it carries the ball
    if len(turning) < 2:
        return None
    inner, outer = (body.inboard for body in reversed(turning[-2:]))
    assert isinstance(inner, Revolute)
    assert isinstance(outer, Revolute)
    at = crossing(inner, outer)
    return None if at is None else BallJoint(tuple(reversed(turning)), tuple(reversed(welded)), body, at)


def carriers(inner: Body, tip: Body) -> list[Body]:
    """Return bodies from the tip to an inner one, both included."""
    chain = [tip]
    while chain[-1] is not inner:
        chain.append(chain[-1].carrier)
    return chain


def meets(hinge: Revolute, turning: Sequence[Body]) -> bool:
    """Return True if an axis meets those of hinges further out, and is not parallel to the next."""
    if not turning:
        return True
    outer = [body.inboard for body in turning]
    following = [each for each in outer if isinstance(each, Revolute)]
    if float(np.linalg.norm(np.cross(hinge.axis, following[-1].axis))) < STEEP:
        return False
    if len(following) == 1:
        n = np.cross(hinge.axis, following[0].axis)
        apart = abs(float(n @ (following[0].at - hinge.at))) / float(np.linalg.norm(n))
        return apart <= MEET * scale(hinge, following[0])
    point = crossing(following[1], following[0])
    return point is not None and off_line(hinge, point) <= MEET * scale(hinge, following[0])


def scale(one: Revolute, other: Revolute) -> float:
    """Return the length that rounding of positions goes with."""
    return max(1e-3, float(np.linalg.norm(one.at)), float(np.linalg.norm(other.at)))


def crossing(one: Revolute, other: Revolute) -> Array | None:
    """Return the point of ``other`` that meets or is nearest to ``one``, (3,) [m]; None if parallel."""
    n = np.cross(one.axis, other.axis)
    square = float(n @ n)
    if square < STEEP**2:
        return None
    along = float(np.cross(other.at - one.at, one.axis) @ n) / square
    point: Array = other.at + along * other.axis
    return point


def off_line(hinge: Revolute, point: Array) -> float:
    """Return the distance of a point from an axis."""
    return float(np.linalg.norm(np.cross(hinge.axis, point - hinge.at)))


def triple_product(a: Array, b: Array, c: Array) -> float:
    """Return the absolute triple product of three directions, which is 0 in one plane."""
    return abs(float(np.cross(a, b) @ c))


def coaxial(one: Revolute, other: Revolute) -> bool:
    """Return True if two axes are one line, but for rounding."""
    askew = float(np.linalg.norm(np.cross(one.axis, other.axis)))
    return askew < MEET and off_line(one, other.at) <= MEET * scale(one, other)


def turn_ball(
    motion: SubgraphMotion, ball: BallJoint, behind: Callable[[SubgraphMotion], BodyMotion]
) -> None:
    """Set the hinges of a ball so that what is behind it is turned as a body is in a motion."""
    c = angles(ball, motion.body(ball.carrier.name).R.T @ behind(motion).R)
    resting = {body.name: hinge_at_rest(c[body], 1, motion.N) for body in ball.turning}
    tip = ball.turning[-1].name
    set_moving(motion, resting, lambda trial: orientation_errors(behind(trial), trial.body(tip)))


def angles(ball: BallJoint, Q: Array) -> dict[Body, Array]:
    """Return (cos, sin) of every hinge."""
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
    """Return a unit vector across an axis."""
    u = np.cross(c, np.eye(3)[int(np.argmin(np.abs(c)))])
    result: Array = u / np.linalg.norm(u)
    return result
