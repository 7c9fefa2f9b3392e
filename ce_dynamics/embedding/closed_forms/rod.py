"""Rods between two balls, each ball made of revolute hinges whose axes meet.

Many files know no ball joints and write three hinges for one, and a weld where the rod ends.  The near ball
is at F on the foot, with the hinges 0, 1 (and 2) outward; one of three is given: it leads the rod's turn
about itself.  The far ball, of three hinges, is at A on the anchor; or a ball joint closes the loop there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closed_forms.leg import MEET, STEEP
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.system import CutEdge, LoopClosure


@dataclass(frozen=True, eq=False)
class Ball:
    """Revolute hinges whose axes meet.

    Attributes
    ----------
    turning : tuple of Body
        On these hinges, from the carrier outward: two or three.
    welded : tuple of Body
        On Fixed hinges between and behind them, that are found with them.
    carrier : Body
        What carries them.
    at : (3,) array
        Where the axes meet in the design pose.
    """

    turning: tuple[Body, ...]
    welded: tuple[Body, ...]
    carrier: Body
    at: Array

    @property
    def axes(self) -> tuple[Array, ...]:
        """Of the hinges, in the design pose."""
        hinges = [body.inboard for body in self.turning]
        return tuple(hinge.axis for hinge in hinges if isinstance(hinge, Revolute))


@dataclass(frozen=True, eq=False)
class Rod:
    """A recognised rod.

    Attributes
    ----------
    edge : LoopClosure
        A weld, or a ball joint if ``far`` is None.
    near : Ball
    end : Body
        The rod's end at the closure.
    far : Ball or None
    anchor : Body
        What the far ball is on.
    at_anchor : (3,) array
        A, in the design pose.
    at_tip : (3,) array
        The same on the rod.
    given : Body or None
        The hinge of the near ball that leads.
    """

    edge: LoopClosure
    near: Ball
    end: Body
    far: Ball | None
    anchor: Body
    at_anchor: Array
    at_tip: Array
    given: Body | None
    slide: Body | None = None
    slides: bool = False
    axis: Array | None = None

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All of the rod and of its balls but what is given."""
        found = [body for body in (*self.near.turning, *self.near.welded) if body is not self.given]
        if self.far is not None:
            found += [*self.far.turning, *self.far.welded]
        return tuple(found)

    @property
    def foot(self) -> Body:
        """What the near ball is on."""
        return self.near.carrier

    @property
    def at_foot(self) -> Array:
        """F."""
        return self.near.at

    @property
    def e(self) -> Array:
        """From F to the rod's other end, in the design pose."""
        return self.at_tip - self.at_foot

    @property
    def found(self) -> tuple[Body, Body]:
        """The two hinges of the near ball that point the rod."""
        one, other = (body for body in self.near.turning if body is not self.given)
        return one, other


def rods_of(closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]) -> list[Rod]:
    """The rods among the closures of a sub-graph, each of which ends in one of them."""
    found: list[Rod] = []
    taken: set[Body] = set()
    for edge in closures:
        others = [other for other in closures if other is not edge]
        for rod in rods_at(edge, bodies, dependent):
            own = {*rod.bodies, *({rod.given} if rod.given else ())}
            if alone(own, others, bodies) and not taken & {*own, rod.foot, rod.anchor}:
                if any({rod.foot, rod.anchor} & set(other.bodies) for other in found):
                    continue
                found.append(rod)
                taken |= own
                break
    return found


def alone(own: Collection[Body], others: Iterable[CutEdge], bodies: Iterable[Body]) -> bool:
    """Whether no other closure, and no other body of the sub-graph, depends on where these bodies are."""
    if any(set(own) & set(other.bodies) for other in others):
        return False
    return not any(body.carrier in own for body in bodies if body not in own)


def rods_at(edge: CutEdge, bodies: Sequence[Body], dependent: Collection[Body]) -> Iterable[Rod]:
    """Rods that end in a closure, whatever hangs on them."""
    if not isinstance(edge, LoopClosure):
        return
    closure = edge.closure
    ends = (
        (edge.body_a, closure.at_parent, edge.body_b, closure.at_child),
        (edge.body_b, closure.at_child, edge.body_a, closure.at_parent),
    )
    for tip, at_tip, other, at_other in ends:
        near = ball_at(tip, bodies, dependent)
        if near is None:
            continue
        leads = [body for body in near.turning if body not in dependent]
        if len(near.turning) - len(leads) != 2:
            continue
        given = leads[0] if leads else None
        if type(closure) is Spherical:
            rod = Rod(edge, near, tip, None, other, at_other, at_tip, given)
            if given is not None and is_regular(rod):  # without it is a leg
                yield rod
        elif type(closure) is Fixed:
            far = ball_at(other, bodies, dependent)
            if far is None or len(far.turning) != 3 or any(b not in dependent for b in far.turning):
                continue
            rod = Rod(edge, near, tip, far, far.carrier, far.at, far.at, given)
            if is_regular(rod) and triple(*far.axes) > STEEP:
                yield rod


def ball_at(tip: Body, bodies: Sequence[Body], dependent: Collection[Body]) -> Ball | None:
    """The two or three hinges that carry a body and whose axes meet; None if there are none."""
    turning: list[Body] = []
    welded: list[Body] = []
    body = tip
    while not body.is_ground and body in bodies and len(turning) < 3:
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
    ball = Ball(tuple(reversed(turning)), tuple(reversed(welded)), body, np.zeros(3))
    at = meeting(ball)
    return None if at is None else Ball(ball.turning, ball.welded, body, at)


def carriers(inner: Body, tip: Body) -> list[Body]:
    """Bodies from the tip to an inner one, both included."""
    chain = [tip]
    while chain[-1] is not inner:
        chain.append(chain[-1].carrier)
    return chain


def meets(hinge: Revolute, turning: Sequence[Body]) -> bool:
    """Whether an axis meets those of hinges further out, and is not parallel to the next."""
    if not turning:
        return True
    outer = [body.inboard for body in turning]
    following = [each for each in outer if isinstance(each, Revolute)]
    if float(np.linalg.norm(np.cross(hinge.axis, following[-1].axis))) < STEEP:
        return False
    if len(following) == 1:
        return distance_of_lines(hinge, following[0]) <= MEET * scale(hinge, following[0])
    point = crossing(following[1], following[0])
    return point is not None and off_line(hinge, point) <= MEET * scale(hinge, following[0])


def scale(one: Revolute, other: Revolute) -> float:
    """The length that rounding of positions goes with."""
    return max(1e-3, float(np.linalg.norm(one.at)), float(np.linalg.norm(other.at)))


def distance_of_lines(one: Revolute, other: Revolute) -> float:
    """Shortest distance of two axes that are not parallel."""
    n = np.cross(one.axis, other.axis)
    return abs(float(n @ (other.at - one.at))) / float(np.linalg.norm(n))


def crossing(one: Revolute, other: Revolute) -> Array | None:
    """Where two axes meet, or are nearest to each other; None if they are parallel."""
    n = np.cross(one.axis, other.axis)
    square = float(n @ n)
    if square < STEEP**2:
        return None
    along = float(np.cross(other.at - one.at, one.axis) @ n) / square
    point: Array = other.at + along * other.axis
    return point


def off_line(hinge: Revolute, point: Array) -> float:
    """Distance of a point from an axis."""
    return float(np.linalg.norm(np.cross(hinge.axis, point - hinge.at)))


def meeting(ball: Ball) -> Array | None:
    """Where the axes of a ball meet."""
    hinges = [body.inboard for body in ball.turning]
    axes = [hinge for hinge in hinges if isinstance(hinge, Revolute)]
    return crossing(axes[0], axes[1])


def triple(a: Array, b: Array, c: Array) -> float:
    """How far three directions are from one plane."""
    return abs(float(np.cross(a, b) @ c))


def is_regular(rod: Rod) -> bool:
    """Whether the rod is far enough from its singular poses in the design pose."""
    length = float(np.linalg.norm(rod.e))
    if length == 0.0:
        return False
    axes = dict(zip(rod.near.turning, rod.near.axes, strict=True))
    one, other = (axes[body] for body in rod.found)
    return triple(one, other, rod.e / length) > STEEP
