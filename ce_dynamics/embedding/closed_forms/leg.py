"""Legs: a rod or a telescope that hangs on a universal hinge and ends in a ball joint.

Foot F of the leg is where the axes a1 (on the carrier) and a2 (on the leg) meet; e leads from F to the ball
joint on the leg, in the axes of the design pose.  Where a slide along a is part of the leg, e = e_0 + a s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.loop_closure import LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal

MEET = 1e-12
"""Distance of two axes, relative to the length of the leg, that counts as none."""
STEEP = 1e-3
"""Smallest sine of the angles between a1, a2 and e, and cosine of that between e and a, of a leg that is
recognised: nearer to a singular pose the sign that selects its branch would not be certain."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A recognised leg.

    Attributes
    ----------
    edge : LoopClosure
        The ball joint that ends it.
    bodies : tuple of Body
        Its bodies from the foot outward; those on Fixed hinges among them.
    turning : tuple of Body
        The body on the universal hinge, or the two on revolute hinges.
    slide : Body or None
        The body that slides along the leg.
    slides : bool
        Whether that is found by the leg; otherwise the slide is given, and the leg has a known length.
    foot : Body
        What carries it.
    anchor : Body
        What its ball joint holds.
    at_foot : (3,) array
        F in the design pose.
    at_anchor : (3,) array
        The ball joint on the anchor in the design pose.
    at_tip : (3,) array
        The ball joint on the leg in the design pose.
    axis1, axis2 : (3,) arrays
        a1, a2.
    axis : (3,) array or None
        a, of the slide.
    """

    edge: LoopClosure
    bodies: tuple[Body, ...]
    turning: tuple[Body, ...]
    slide: Body | None
    slides: bool
    foot: Body
    anchor: Body
    at_foot: Array
    at_anchor: Array
    at_tip: Array
    axis1: Array
    axis2: Array

    @property
    def tip(self) -> Body:
        """The body that the ball joint is on."""
        return self.bodies[-1]

    @property
    def e(self) -> Array:
        """e_0."""
        return self.at_tip - self.at_foot

    @property
    def axis(self) -> Array | None:
        """a, of the slide."""
        hinge = None if self.slide is None else self.slide.inboard
        return hinge.axis if isinstance(hinge, Prismatic) else None


def legs_of(closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]) -> list[Leg]:
    """The legs among the closures of a sub-graph, each of which ends in one of them."""
    found: list[Leg] = []
    taken: set[Body] = set()
    for edge in closures:
        leg = leg_at(edge, closures, bodies, dependent)
        if leg is not None and not taken & {*leg.bodies, leg.foot, leg.anchor} and stands_outside(leg, found):
            found.append(leg)
            taken |= set(leg.bodies)
    return found


def stands_outside(leg: Leg, others: Iterable[Leg]) -> bool:
    """Return True if a leg neither stands on nor holds a body of another."""
    return not any({leg.foot, leg.anchor} & set(other.bodies) for other in others)


def leg_at(
    edge: CutEdge, closures: Iterable[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]
) -> Leg | None:
    """The leg that ends in a closure; None if there is none that nothing else hangs on."""
    if not isinstance(edge, LoopClosure) or type(edge.closure) is not Spherical:
        return None
    ends = (
        (edge.body_a, edge.closure.at_parent, edge.body_b, edge.closure.at_child),
        (edge.body_b, edge.closure.at_child, edge.body_a, edge.closure.at_parent),
    )
    others = [other for other in closures if other is not edge]
    for tip, at_tip, anchor, at_anchor in ends:
        leg = leg_from(edge, tip, at_tip, anchor, at_anchor, dependent)
        if leg is not None and alone(leg, others, bodies):
            return leg
    return None


def leg_from(
    edge: LoopClosure, tip: Body, at_tip: Array, anchor: Body, at_anchor: Array, dependent: Collection[Body]
) -> Leg | None:
    """The leg that has the given tip, whatever hangs on it."""
    chain: list[Body] = []  # from the tip to the foot

    def next_moving(body: Body) -> Body:
        while not body.is_ground and isinstance(body.inboard, Fixed) and body in dependent:
            chain.append(body)
            body = body.carrier
        return body

    turning: tuple[Body, ...]
    body = next_moving(tip)
    slide: Body | None = None
    if not body.is_ground and isinstance(body.inboard, Prismatic):
        slide = body
        chain.append(body)
        body = next_moving(body.carrier)
    if body.is_ground or body not in dependent:
        return None
    if isinstance(body.inboard, Universal):
        hinge = body.inboard
        turning, axes, at_foot = (body,), (hinge.axis1, hinge.axis2), hinge.at
        chain.append(body)
    else:
        outer = body
        chain.append(body)
        inner = next_moving(body.carrier)
        if inner.is_ground or inner not in dependent:
            return None
        one, other = inner.inboard, outer.inboard
        if not isinstance(one, Revolute) or not isinstance(other, Revolute):
            return None
        chain.append(inner)
        turning, axes = (inner, outer), (one.axis, other.axis)
        meeting = where_axes_meet(one, other, float(np.linalg.norm(at_tip - other.at)))
        if meeting is None:
            return None
        at_foot = meeting
    foot = chain[-1].carrier
    leg = Leg(
        edge,
        tuple(reversed(chain)),
        turning,
        slide,
        slide in dependent,
        foot,
        anchor,
        at_foot,
        at_anchor,
        at_tip,
        *axes,
    )
    return leg if anchor not in chain and is_regular(leg) else None


def alone(leg: Leg, others: Iterable[CutEdge], bodies: Iterable[Body]) -> bool:
    """Return True if no other closure, and no other body of the sub-graph, depends on where the leg is."""
    own = set(leg.bodies)
    if any(own & set(other.bodies) for other in others):
        return False
    return not any(body.carrier in own for body in bodies if body not in own)


def where_axes_meet(one: Revolute, other: Revolute, length: float) -> Array | None:
    """The point in which the axes of two hinges meet; None if they do not."""
    n = np.cross(one.axis, other.axis)
    square = float(n @ n)
    if square < STEEP**2:
        return None
    apart = other.at - one.at
    if abs(float(n @ apart)) > MEET * max(length, float(np.linalg.norm(apart))) * np.sqrt(square):
        return None
    along = float(np.cross(apart, one.axis) @ n) / square  # on the other axis, from its point
    point: Array = other.at + along * other.axis
    return point


def is_regular(leg: Leg) -> bool:
    """Return True if the leg is far enough from its singular poses in the design pose."""
    e = leg.e
    length = float(np.linalg.norm(e))
    if length == 0.0:
        return False
    steep = abs(float(np.cross(leg.axis1, leg.axis2) @ e)) / length
    if leg.axis is not None and abs(float(leg.axis @ e)) < STEEP * length:
        return False
    return steep > STEEP
