"""Rods and telescopes between two balls, each ball made of revolute hinges whose axes meet.

Many files have no ball joints and write three hinges for one, and a weld where the rod ends.  The near ball
is at F on the foot, with the hinges 0, 1 (and 2) outward; one of three is given: it leads the rod's turn
about itself.  The far ball, of three hinges, is at A on the anchor; or a ball joint closes the loop there.
A rod on two hinges that a ball joint ends is a leg (`ce_dynamics.embedding.closed_forms.leg`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, dot
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.closed_forms.ball import STEEP, BallJoint, ball_at, triple_product, turn_ball
from ce_dynamics.embedding.closed_forms.formulas import inner_turn, solve_slide, turn_between, two_turns
from ce_dynamics.embedding.closed_forms.step import Step, point_errors
from ce_dynamics.embedding.closures.loop import ClosureErrors, hinge_at_rest
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.spherical import Spherical


@dataclass(frozen=True, eq=False)
class RodJoints:
    """A recognised rod."""

    edge: LoopClosure  # a weld, or a ball joint if ``far`` is None
    near: BallJoint
    end: Body  # the rod's end at the closure
    far: BallJoint | None
    anchor: Body  # what the far ball is on
    at_anchor: Array  # (3,), A, in the design pose
    at_tip: Array  # (3,), the same on the rod
    given: Body | None  # the hinge of the near ball that leads
    slide: Body | None = None  # the body that slides along a telescope
    # whether that is found with it; otherwise the slide is given, and the telescope has a known length
    slides: bool = False

    @property
    def is_leg(self) -> bool:
        """True if it stands on two axes, or on a universal hinge, and ends in a ball joint."""
        return self.far is None and self.given is None

    @property
    def axis(self) -> Array | None:
        """Axis of the slide; None if there is no slide."""
        hinge = None if self.slide is None else self.slide.inboard
        return hinge.axis if isinstance(hinge, Prismatic) else None

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All of the rod and of its balls but what is given; the slide of a leg, even if that is given."""
        found = [body for body in (*self.near.turning, *self.near.welded) if body is not self.given]
        if self.slide is not None and (self.slides or self.is_leg):
            found.append(self.slide)
        if self.far is not None:
            found += [*self.far.turning, *self.far.welded]
        return tuple(found)

    @property
    def foot(self) -> Body:
        """Foot, the body that carries the near ball."""
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
    def pointing_hinges(self) -> tuple[Body, ...]:
        """The hinges of the near ball that point the rod: two, or a universal one."""
        return tuple(body for body in self.near.turning if body is not self.given)

    @property
    def pointing_axes(self) -> tuple[Array, Array]:
        """Their axes."""
        turning, axes = self.near.turning, self.near.axes
        if self.given is not None:
            axes = tuple(axis for body, axis in zip(turning, axes, strict=True) if body is not self.given)
        one, other = axes
        return one, other


def rods_of(
    closures: Sequence[CutEdge], bodies: Sequence[Body], dependent: Collection[Body]
) -> list[RodJoints]:
    """Return the rods among the closures of a sub-graph, each of which ends in one of them."""
    return choose_rods(closures, bodies, lambda edge: rods_at(edge, bodies, dependent))


def choose_rods(
    closures: Sequence[CutEdge], bodies: Sequence[Body], rods_at: Callable[[CutEdge], Iterable[RodJoints]]
) -> list[RodJoints]:
    """Return of each closure the first rod on which nothing else hangs and that meets none before it."""
    found: list[RodJoints] = []
    taken: set[Body] = set()
    for edge in closures:
        others = [other for other in closures if other is not edge]
        for rod in rods_at(edge):
            own = {*rod.bodies, *(body for body in (rod.given, rod.slide) if body is not None)}
            if stand_alone(own, others, bodies) and not taken & {*own, rod.foot, rod.anchor}:
                found.append(rod)
                taken |= own
                break
    return found


def ends_of(edge: LoopClosure) -> tuple[tuple[Body, Array, Body, Array], ...]:
    """Return both ends of a closure: a body, where it ends, the other body and where that ends."""
    closure = edge.closure
    one, other = (edge.body_a, closure.at_parent), (edge.body_b, closure.at_child)
    return (*one, *other), (*other, *one)


def rods_at(edge: CutEdge, bodies: Sequence[Body], dependent: Collection[Body]) -> Iterable[RodJoints]:
    """Return rods that end in a closure, whatever hangs on them."""
    if not isinstance(edge, LoopClosure):
        return
    closure = edge.closure
    for tip, at_tip, other, at_other in ends_of(edge):
        outer, slide, base = slide_at(tip, dependent)
        near = None if base is None else ball_at(base, bodies, dependent)
        if near is None:
            continue
        near = replace(near, welded=(*near.welded, *outer))
        slides = slide in dependent
        leads = [body for body in near.turning if body not in dependent]
        if len(near.turning) - len(leads) != 2:
            continue
        given = leads[0] if leads else None
        if type(closure) is Spherical:
            rod = RodJoints(edge, near, tip, None, other, at_other, at_tip, given, slide, slides)
            if given is not None and is_regular(rod):  # without it is a leg
                yield rod
        elif type(closure) is Fixed:
            far = ball_at(other, bodies, dependent)
            if far is None or len(far.turning) != 3 or any(b not in dependent for b in far.turning):
                continue
            rod = RodJoints(edge, near, tip, far, far.carrier, far.at, far.at, given, slide, slides)
            if is_regular(rod) and triple_product(*far.axes) > STEEP:
                yield rod


def slide_at(tip: Body, dependent: Collection[Body]) -> tuple[tuple[Body, ...], Body | None, Body | None]:
    """Return the bodies welded to the slide that carries ``tip``, the slide's body and its carrier.

    Without a slide, the result is (), None and ``tip``.  The carrier is None where it is the ground.
    """
    welded: list[Body] = []
    body = tip
    while not body.is_ground and isinstance(body.inboard, Fixed) and body in dependent:
        welded.append(body)
        body = body.carrier
    if body.is_ground or not isinstance(body.inboard, Prismatic):
        return (), None, tip
    return tuple(reversed(welded)), body, None if body.carrier.is_ground else body.carrier


def is_regular(rod: RodJoints) -> bool:
    """Return True if the rod is far enough from its singular poses in the design pose."""
    length = float(np.linalg.norm(rod.e))
    if length == 0.0:
        return False
    if rod.axis is not None and abs(float(rod.axis @ rod.e)) < STEEP * length:
        return False
    return triple_product(*rod.pointing_axes, rod.e / length) > STEEP


def stand_alone(own: Collection[Body], others: Iterable[CutEdge], bodies: Iterable[Body]) -> bool:
    """Return True if no other closure and no other body of the sub-graph depends on the bodies ``own``."""
    if any(not set(own).isdisjoint(other.bodies) for other in others):
        return False
    return not any(body.carrier in own for body in bodies if body not in own)


class RodLinkage(Step):
    """Hinges of both balls of a rod, from where the balls are.

    The near ball points the rod, e in the design pose: with d from F to A in the foot's axes

        d = Rot(a0, q0) Rot(a1, q1) Rot(a2, q2) e,

    one of the three angles given.  Where it is the middle one, q2 follows along a0 turned back by it.  Of a
    telescope e = e_0 + a s.  Then the rod's orientation is known, and the far ball is turned by it.
    """

    def __init__(self, rod: RodJoints) -> None:
        self.rod = rod
        found = (body for body in rod.bodies if body is not rod.slide or rod.slides)
        self.determines = tuple(body.name for body in found)
        self.closes = (rod.edge.name,)
        self._branch = float(np.sign(np.cross(*rod.pointing_axes) @ rod.e))

    @property
    def how(self) -> str:
        what = "a rod" if self.rod.slide is None else "a telescope"
        return f"in closed form: {self.rod.end.name!r} is the end of {what} between two balls"

    def solve(self, motion: SubgraphMotion) -> None:
        super().solve(motion)
        if self.rod.far is not None:
            turn_ball(motion, self.rod.far, lambda trial: trial.body(self.rod.end.name))

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        rod = self.rod
        return point_errors(motion, (rod.anchor, rod.at_anchor), (rod.end, rod.at_tip))

    def find_omitted_direction(self, motion: SubgraphMotion) -> Array:
        return self._span(motion)

    def _span(self, motion: SubgraphMotion) -> Array:
        """Return d, from the foot to the point on the anchor, (3,) [m], in p's axes."""
        rod = self.rod
        d: Array = motion.point(rod.anchor.name, rod.at_anchor).r - motion.point(rod.foot.name, rod.at_foot).r
        return d

    def positions(self, motion: SubgraphMotion) -> dict[str, HingeMotion]:
        rod, d = self.rod, self._span(motion)
        if rod.slide is None or rod.axis is None:
            return self._point(motion, d, rod.e)
        if not rod.slides:
            return self._point(motion, d, rod.e + rod.axis * motion.hinge_motions[rod.slide.name].c[0])
        s = solve_slide(rod.axis, rod.e, dot(d, d), float(np.sign(rod.axis @ rod.e)))
        pointed = self._point(motion, d, rod.e + rod.axis * s)
        return pointed | {rod.slide.name: hinge_at_rest(array((s,)), 1, motion.N)}

    def _point(self, motion: SubgraphMotion, d: Array, e: Array) -> dict[str, HingeMotion]:
        """Return the hinges of the near ball, which take e to d."""
        rod = self.rod
        c = self._angles(motion, motion.body(rod.foot.name).R.T @ d, e)
        return {body.name: hinge_at_rest(c[body], 1, motion.N) for body in rod.pointing_hinges}

    def _angles(self, motion: SubgraphMotion, d: Array, e: Array) -> dict[Body, Array]:
        """Return (cos, sin) of every hinge of the near ball, for d in the foot's axes."""
        rod, turning, axes = self.rod, self.rod.near.turning, self.rod.near.axes
        if rod.given is None:
            return dict(zip(turning, two_turns(axes[0], axes[1], e, d, self._branch), strict=True))
        known = motion.hinge_motions[rod.given.name].c
        cos, sin = known[0], known[1]
        k = turning.index(rod.given)
        a0, a1, a2 = axes
        found: tuple[Array, ...]
        if k == 0:
            found = two_turns(a1, a2, e, rotate_about(a0, cos, -sin, d), self._branch)
        elif k == 2:
            found = two_turns(a0, a1, rotate_about(a2, cos, sin, e), d, self._branch)
        else:
            back = rotate_about(a1, cos, -sin, a0)
            last = inner_turn(back, a2, e, back * dot(a0, d), self._branch)
            out = rotate_about(a1, cos, sin, rotate_about(a2, last[0], last[1], e))
            found = turn_between(a0, out, d), last
        return {rod.given: known, **dict(zip(rod.pointing_hinges, found, strict=True))}
