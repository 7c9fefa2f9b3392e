"""Legs: a rod or a telescope that hangs on a universal hinge and ends in a ball joint.

Foot F of the leg is where the axes a1 (on the carrier) and a2 (on the leg) meet; e leads from F to the ball
joint on the leg, in the axes of the design pose.  Where a slide along a is part of the leg, e = e_0 + a s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, dot, sqrt
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.formulas import (
    ALIGNED,
    solve_slide,
    solve_turn,
    turn_between,
    two_turns,
)
from ce_dynamics.embedding.closed_forms.step import Step, point_errors
from ce_dynamics.embedding.closures.loop import ClosureErrors, hinge_at_rest
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal
from ce_dynamics.mechanism.orientation import Directions

MEET = 1e-12  # distance of two axes, relative to the length of the leg, that counts as none
STEEP = 1e-3
"""Smallest sine of the angles between a1, a2 and e, and cosine of that between e and a, of a leg that is
recognised: nearer to a singular pose the sign that selects its branch would not be certain."""


class Bar(Protocol):
    """A rod or telescope from a point of its foot to a point of its anchor."""

    @property
    def foot(self) -> Body: ...
    @property
    def at_foot(self) -> Array: ...
    @property
    def anchor(self) -> Body: ...
    @property
    def at_anchor(self) -> Array: ...
    @property
    def e(self) -> Array: ...
    @property
    def axis(self) -> Array | None: ...
    @property
    def slide(self) -> Body | None: ...
    @property
    def slides(self) -> bool: ...


def span(bar: Bar, motion: SubgraphMotion) -> Array:
    """Return d, from the foot to the point on the anchor, (3,) [m], in p's axes."""
    d: Array = motion.point(bar.anchor.name, bar.at_anchor).r - motion.point(bar.foot.name, bar.at_foot).r
    return d


def displacement(bar: Bar, motion: SubgraphMotion, d: Array) -> Scalar | None:
    """Return the displacement of the slide [m], given or such that the bar is |d| long; None without one."""
    if bar.slide is None or bar.axis is None:
        return None
    if bar.slides:
        found: Scalar = solve_slide(bar.axis, bar.e, dot(d, d), float(np.sign(bar.axis @ bar.e)))
        return found
    given: Scalar = motion.hinge_motions[bar.slide.name].c[0]
    return given


@dataclass(frozen=True, eq=False)
class Leg:
    """A recognised leg."""

    edge: LoopClosure  # the ball joint that ends it
    bodies: tuple[Body, ...]  # its bodies from the foot outward; those on Fixed hinges among them
    turning: tuple[Body, ...]  # the body on the universal hinge, or the two on revolute hinges
    slide: Body | None  # the body that slides along the leg
    # whether that is found by the leg; otherwise the slide is given, and the leg has a known length
    slides: bool
    foot: Body  # what carries it
    anchor: Body  # what its ball joint holds
    at_foot: Array  # (3,), F in the design pose
    at_anchor: Array  # (3,), the ball joint on the anchor in the design pose
    at_tip: Array  # (3,), the ball joint on the leg in the design pose
    axis1: Array  # (3,), a1
    axis2: Array  # (3,), a2

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
    """Return the legs among the closures of a sub-graph, each of which ends in one of them."""
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
    """Return the leg that ends in a closure; None if there is none that nothing else hangs on."""
    if not isinstance(edge, LoopClosure) or type(edge.closure) is not Spherical:
        return None
    ends = (
        (edge.body_a, edge.closure.at_parent, edge.body_b, edge.closure.at_child),
        (edge.body_b, edge.closure.at_child, edge.body_a, edge.closure.at_parent),
    )
    others = [other for other in closures if other is not edge]
    for tip, at_tip, anchor, at_anchor in ends:
        leg = leg_from(edge, tip, at_tip, anchor, at_anchor, dependent)
        if leg is not None and stand_alone(leg.bodies, others, bodies):
            return leg
    return None


def leg_from(
    edge: LoopClosure, tip: Body, at_tip: Array, anchor: Body, at_anchor: Array, dependent: Collection[Body]
) -> Leg | None:
    """Return the leg that has the given tip, whatever hangs on it."""
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
        meeting = intersect_axes(one, other, float(np.linalg.norm(at_tip - other.at)))
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


def stand_alone(own: Collection[Body], others: Iterable[CutEdge], bodies: Iterable[Body]) -> bool:
    """Return True if no other closure and no other body of the sub-graph depends on the bodies ``own``."""
    if any(not set(own).isdisjoint(other.bodies) for other in others):
        return False
    return not any(body.carrier in own for body in bodies if body not in own)


def intersect_axes(one: Revolute, other: Revolute, length: float) -> Array | None:
    """Return the point in which the axes of two hinges meet; None if they do not."""
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


class LegLinkage(Step):
    """Hinges of a leg from where its foot and its ball joint are.

    With d from the foot to the ball joint on the anchor, in the carrier's axes, d = Rot(a1, χ) Rot(a2, ζ) e
    (`ce_dynamics.embedding.closed_forms.formulas.two_turns`), on the branch of the design pose.
    """

    def __init__(self, leg: Leg) -> None:
        self.leg = leg
        found = [body for body in leg.bodies if body is not leg.slide or leg.slides]
        self.determines = tuple(body.name for body in found)
        self.closes = (leg.edge.name,)
        self.welded = tuple(body for body in found if body is not leg.slide and body not in leg.turning)
        self._branch = float(np.sign(np.cross(leg.axis1, leg.axis2) @ leg.e))

    @property
    def how(self) -> str:
        what = "a rod" if self.leg.slide is None else "a telescope"
        return f"in closed form: {self.leg.tip.name!r} is the end of {what} on a universal hinge"

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        leg = self.leg
        return point_errors(motion, (leg.anchor, leg.at_anchor), (leg.tip, leg.at_tip))

    def find_omitted_direction(self, motion: SubgraphMotion) -> Array:
        return span(self.leg, motion)

    def positions(self, motion: SubgraphMotion) -> dict[str, HingeMotion]:
        leg, N = self.leg, motion.N
        carrier, d = motion.body(leg.foot.name), span(leg, motion)
        s = displacement(leg, motion, d)
        e = leg.e if s is None or leg.axis is None else leg.e + leg.axis * s
        c1, c2 = self._angles(carrier.R.T @ d, e)
        directions = self._directions(carrier, c1, d)
        if len(leg.turning) == 1:
            turning = {leg.turning[0].name: hinge_at_rest(concatenate((c1, c2)), 2, N)}
        else:
            turning = {
                body.name: hinge_at_rest(c, 1, N) for body, c in zip(leg.turning, (c1, c2), strict=True)
            }
        outer = leg.turning[-1].name
        turning[outer] = turning[outer]._replace(directions=directions)
        if s is None or not leg.slides or leg.slide is None:
            return turning
        return turning | {leg.slide.name: hinge_at_rest(array((s,)), 1, N)}

    def _angles(self, d: Array, e: Array) -> tuple[Array, Array]:
        """Return (cos χ, sin χ) and (cos ζ, sin ζ) for d in the carrier's axes."""
        a1, a2 = self.leg.axis1, self.leg.axis2
        if not self._square:
            return two_turns(a1, a2, e, d, self._branch)
        inner = solve_turn(0.0, self._branch * sqrt(dot(e, e)), dot(a1, d), -self._branch)
        return turn_between(a1, rotate_about(a2, inner[0], inner[1], e), d), inner

    @property
    def _square(self) -> bool:
        """True if a1, a2 and the line of the leg are perpendicular to each other."""
        a1, a2 = self.leg.axis1, self.leg.axis2
        return self._along_leg and abs(float(a1 @ a2)) < ALIGNED and abs(self._lean(a1)) < ALIGNED

    @property
    def _along_leg(self) -> bool:
        """True if a2 is perpendicular to the line of the leg, along which the slide goes."""
        leg = self.leg
        if abs(self._lean(leg.axis2)) > ALIGNED:
            return False
        return leg.axis is None or float(np.linalg.norm(np.cross(leg.axis, self._line))) < ALIGNED

    @property
    def _line(self) -> Array:
        line: Array = self.leg.e / np.linalg.norm(self.leg.e)
        return line

    def _lean(self, axis: Array) -> float:
        return float(axis @ self._line)

    def _directions(self, carrier: BodyMotion, c1: Array, d: Array) -> Directions | None:
        """Return the leg's orientation by a2: its line, the perpendicular to both, and where it is square."""
        if not self._along_leg:
            return None
        leg = self.leg
        line = d * (1.0 / sqrt(dot(d, d)))
        e2 = carrier.rotate(rotate_about(leg.axis1, c1[0], c1[1], leg.axis2))
        now = np.stack((e2, line, cross(e2, line)), axis=1)
        design = np.stack((leg.axis2, self._line, np.cross(leg.axis2, self._line)), axis=1)
        return Directions(now, design)
