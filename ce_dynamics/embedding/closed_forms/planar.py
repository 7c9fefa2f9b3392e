"""Two hinges in a plane that a joint at the end of two bodies determines: bars, or slides, or one of each.

Between the two hinges, and between a hinge and the joint, there may be others, whose coordinates are given: a
bar is then as long as these make it.  The two bodies x and y hang one on the other and end in something else
(in series), or on different things and end in each other (side by side).  n is the direction across the
plane; D leads from the hinge P of a bar to where its end has to be.

Two bars are sides of a triangle (`ce_dynamics.embedding.closed_forms.formulas.third_corner`).  A slide that
is beside a bar f, or carries it, moves D along a direction t, so that |D_0 + t s| = |f|.  A slide that is
carried by the bar makes it longer along a, so that |f_0 + a s| = |D|
(`ce_dynamics.embedding.closed_forms.formulas.solve_slide`).  Two slides are two lines: t_x s_x + t_y s_y =
D_0, side by side with −t_y.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot
from ce_dynamics.embedding.closed_forms.formulas import solve_slide, third_corner
from ce_dynamics.embedding.closed_forms.step import Step, point_errors
from ce_dynamics.embedding.closed_forms.turn_to_length import DEAD
from ce_dynamics.embedding.closures.loop import ClosureErrors, Loop, hinge_at_rest
from ce_dynamics.embedding.motion import (
    BodyMotion,
    HingeMotion,
    PointMotion,
    SubgraphMotion,
    at_rest as body_at_rest,
    carry,
)
from ce_dynamics.mechanism.body import Body, ancestors, carries, chain_between
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.planar import Planar
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical

PARALLEL = 1e-12  # sine between directions that count as parallel [-]
UNMOVED = array((0.0,))  # configuration of a slide in the design pose


class PlanarEnd(NamedTuple):
    """A point of a body in the design pose."""

    body: Body
    at: Array


class Dyad(NamedTuple):
    """Two bodies in a plane and the joint in which they end."""

    x: Body  # the bodies; y is carried by x (in series), or neither by the other (side by side)
    y: Body
    closes: str  # the joint in which they end
    end: PlanarEnd  # the end of the joint on y; on x where they are side by side
    other: PlanarEnd  # the other end of the joint; on y where they are side by side
    n: Array  # (3,), the direction across the plane in the design pose

    @property
    def serial(self) -> bool:
        """True if x carries y."""
        return carries(self.x, self.y)


class PlanarPair(Step):
    """The hinges of two bodies from where the other ends of their chain are."""

    regular: bool  # True if the design pose is far enough from where two branches meet

    def __init__(self, dyad: Dyad) -> None:
        self.x, self.y, closes, self.end, self.other, self.n = dyad
        self.serial = dyad.serial
        self.determines = (self.x.name, self.y.name)
        self.closes = (closes,)
        self.inner = find_bodies_between(self.x, self.y.carrier if self.serial else self.end.body)
        self.outer = find_bodies_between(self.y, self.end.body if self.serial else self.other.body)

    @abstractmethod
    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> tuple[Array, Array]:
        """Return the configurations of both hinges, for the carrier of x and n as it is now."""

    def positions(self, motion: SubgraphMotion) -> dict[str, HingeMotion]:
        carrier = motion.carrier(self.x.name)
        c_x, c_y = self.place(motion, carrier, carrier.rotate(self.n))
        return {self.x.name: hinge_at_rest(c_x, 1, motion.N), self.y.name: hinge_at_rest(c_y, 1, motion.N)}

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        return point_errors(motion, (self.other.body, self.other.at), (self.end.body, self.end.at))

    def find_omitted_direction(self, motion: SubgraphMotion) -> Array:
        return motion.carrier(self.x.name).rotate(self.n)

    # Data for positions

    def pose_hinge(self, motion: SubgraphMotion, body: Body, c: Array) -> SubgraphMotion:
        """Return the motion with one of the two hinges in a configuration."""
        return motion.trial({body.name: hinge_at_rest(c, 1, motion.N)})

    def far_end(self, motion: SubgraphMotion) -> PointMotion:
        """Return the other end of two bodies in series."""
        return motion.point(self.other.body.name, self.other.at)

    def foot(self, motion: SubgraphMotion, body: Body) -> PointMotion:
        """Return the hinge point of x, or of a y beside it."""
        return motion.point(body.carrier.name, body.inboard.at)

    def lever(self, hinge: Revolute, way: Sequence[Body], at: Array, motion: SubgraphMotion) -> Array:
        """Return the vector from a hinge to a point behind it in the plane, as seen from the body on it."""
        if not way:
            return self.flat(at - hinge.at)
        return self.flat(self.relative_motion(hinge, way, motion).point(at, motion.theta_dot).r)

    def relative_motion(self, hinge: Revolute, way: Sequence[Body], motion: SubgraphMotion) -> BodyMotion:
        """Return the last of given hinges' bodies as seen from the body on a hinge, at its hinge point."""
        reached = body_at_rest(hinge.at, motion.N)
        for body in way:
            hinge_motion = motion.hinge_motions[body.name]
            reached = carry(body.inboard, reached, hinge_motion, motion.theta_dot)
        return reached

    def flat(self, vector: Array) -> Array:
        """Return a vector of the design pose without what is along n."""
        flat: Array = vector - self.n * dot(self.n, vector)
        return flat


class PlanarBars(PlanarPair):
    """Two bars on revolute hinges."""

    def __init__(self, dyad: Dyad) -> None:
        super().__init__(dyad)
        P = revolute(self.x).at
        J, Q = revolute(self.y).at, self.other.at
        if not self.serial:
            J, Q = self.end.at, revolute(self.y).at
        f, g, D = self.flat(J - P), self.flat(Q - J), self.flat(Q - P)
        side = float(np.cross(D, f) @ self.n)
        lengths = [float(np.linalg.norm(v)) for v in (D, f, g)]
        self.regular = min(lengths) > 0.0 and abs(side) > DEAD * lengths[0] * lengths[1]
        self.sigma = float(np.sign(side))

    @property
    def how(self) -> str:
        return f"in closed form: {self.x.name!r} and {self.y.name!r} are two sides of a triangle"

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> tuple[Array, Array]:
        x, y = revolute(self.x), revolute(self.y)
        Q = self.far_end(motion) if self.serial else self.foot(motion, self.y)
        D = Q.r - self.foot(motion, self.x).r
        D = D - n * dot(n, D)
        f = self.lever(x, self.inner, y.at if self.serial else self.end.at, motion)
        g = self.lever(y, self.outer, self.end.at if self.serial else self.other.at, motion)
        to_J = third_corner(D, n, dot(f, f), dot(g, g), self.sigma)
        c_x = angle(f, carrier.R.T @ to_J, self.n)
        if self.serial:
            middle = self.pose_hinge(motion, self.x, c_x).carrier(self.y.name)
            return c_x, angle(g, middle.R.T @ (D - to_J), y.axis)
        return c_x, angle(g, motion.carrier(self.y.name).R.T @ (to_J - D), y.axis)


class BarOnSlide(PlanarPair):
    """x on a prismatic hinge carries y on a revolute one, or x turns and y slides beside it."""

    def __init__(self, dyad: Dyad) -> None:
        super().__init__(dyad)
        self.bar, self.slide = (self.y, self.x) if self.serial else (self.x, self.y)
        self.sign = -1.0 if self.serial else 1.0
        D = self.flat((self.other.at if self.serial else self.end.at) - revolute(self.bar).at)
        self.sigma, self.regular = branch(self.sign * prismatic(self.slide).axis, D)

    @property
    def how(self) -> str:
        return (
            f"in closed form: {self.bar.name!r} and the slide {self.slide.name!r} meet, a circle and a line"
        )

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> tuple[Array, Array]:
        hinge, guide = revolute(self.bar), motion.carrier(self.slide.name)
        unmoved = self.pose_hinge(motion, self.slide, UNMOVED)
        t = self.sign * guide.rotate(prismatic(self.slide).axis)
        way = self.outer if self.serial else self.inner
        f = self.lever(hinge, way, self.end.at, motion)
        D = (self.far_end(motion) if self.serial else unmoved.point(self.other.body.name, self.other.at)).r
        D = D - unmoved.point(self.bar.carrier.name, hinge.at).r
        D = D - n * dot(n, D)
        s = solve_slide(t, D, dot(f, f), self.sigma)
        c_bar = angle(f, unmoved.carrier(self.bar.name).R.T @ (D + t * s), self.n)
        return (array((s,)), c_bar) if self.serial else (c_bar, array((s,)))


class BarWithSlide(PlanarPair):
    """x on a revolute hinge carries y on a prismatic one: a telescope in a plane."""

    def __init__(self, dyad: Dyad) -> None:
        super().__init__(dyad)
        lever = self.flat(self.end.at - revolute(self.x).at)
        self.sigma, self.regular = branch(prismatic(self.y).axis, lever)

    @property
    def how(self) -> str:
        return (
            f"in closed form: {self.x.name!r} and the slide {self.y.name!r} on it are a telescope in a plane"
        )

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> tuple[Array, Array]:
        D = self.far_end(motion).r - self.foot(motion, self.x).r
        D = D - n * dot(n, D)
        seen = self.relative_motion(revolute(self.x), self.inner, motion)
        a = seen.rotate(prismatic(self.y).axis)
        moved = carry(self.y.inboard, seen, hinge_at_rest(UNMOVED, 1, motion.N), motion.theta_dot)
        for body in self.outer:
            moved = carry(body.inboard, moved, motion.hinge_motions[body.name], motion.theta_dot)
        f = self.flat(moved.point(self.end.at, motion.theta_dot).r)
        s = solve_slide(a, f, dot(D, D), self.sigma)
        return angle(f + a * s, carrier.R.T @ D, self.n), array((s,))


class TwoSlides(PlanarPair):
    """x and y on prismatic hinges."""

    def __init__(self, dyad: Dyad) -> None:
        super().__init__(dyad)
        across_both = np.cross(prismatic(self.x).axis, prismatic(self.y).axis)
        self.regular = abs(float(across_both @ self.n)) > DEAD

    @property
    def how(self) -> str:
        return f"in closed form: the slides {self.x.name!r} and {self.y.name!r} meet, two lines"

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> tuple[Array, Array]:
        unmoved = self.pose_hinge(self.pose_hinge(motion, self.x, UNMOVED), self.y, UNMOVED)
        t_x = carrier.rotate(prismatic(self.x).axis)
        t_y = unmoved.carrier(self.y.name).rotate(prismatic(self.y).axis) * (1.0 if self.serial else -1.0)
        D = self.errors(unmoved).residual
        over = cross(t_y, n)
        per = 1.0 / dot(t_x, over)
        return array((dot(D, over) * per,)), array((dot(D, cross(n, t_x)) * per,))


def planar_dyad(block: Loop) -> PlanarPair | None:
    """Return the closed form of a part of the closures that is one joint and two bodies in a plane."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 2:
        return None
    (edge,) = block.closures
    if not isinstance(edge, LoopClosure) or type(edge.closure) not in (Revolute, Spherical):
        return None
    n = normal(moving, edge.closure)
    if n is None or (isinstance(edge.closure, Revolute) and not parallel(edge.closure.axis, n)):
        return None
    ends = PlanarEnd(edge.body_a, edge.closure.at_parent), PlanarEnd(edge.body_b, edge.closure.at_child)
    if not all(keeps_plane(body.inboard, n) for end in ends for body in way(end.body, block.parent)):
        return None
    for end, other in (ends, ends[::-1]):
        for x, y in ((moving[0], moving[1]), (moving[1], moving[0])):
            x_end, y_end, x_other, y_other = (carries(a, b.body) for b in (end, other) for a in (x, y))
            serial = y_end and carries(x, y) and not x_other
            beside = x_end and y_other
            apart = not (x_end and y_end) and not (x_other and y_other)
            form = form_of(x, y, serial) if serial or (beside and apart) else None
            if form is not None:
                # counted about the axis of the first bar, or of a plane with slides alone
                turning = [body.inboard for body in (x, y) if isinstance(body.inboard, Revolute)]
                across_plane = turning[0].axis if turning else n
                found = form(Dyad(x, y, edge.name, end, other, across_plane))
                return found if found.regular else None
    return None


def form_of(x: Body, y: Body, serial: bool) -> type[PlanarPair] | None:
    """Return the closed form for the hinges of x and y; None where x and y have to change places."""
    match isinstance(x.inboard, Revolute), isinstance(y.inboard, Revolute):
        case False, False:
            return TwoSlides
        case True, True:
            return PlanarBars
        case True, False:
            return BarWithSlide if serial else BarOnSlide
        case _:
            return BarOnSlide if serial else None


def normal(moving: Sequence[Body], joint: Closure) -> Array | None:
    """Return the direction of revolute axes, or across slides; None where other hinges are among them."""
    hinges = [body.inboard for body in moving]
    if not all(isinstance(hinge, Revolute | Prismatic) for hinge in hinges):
        return None
    turning = [hinge.axis for hinge in (*hinges, joint) if isinstance(hinge, Revolute)]
    if turning:
        return turning[0]
    one, other = (hinge.axis for hinge in hinges if isinstance(hinge, Prismatic))
    both: Array = np.cross(one, other)
    length = float(np.linalg.norm(both))
    return both / length if length > PARALLEL else None


def way(body: Body, root: Body) -> list[Body]:
    """Return the bodies from one inward to what carries it, which is left out."""
    return chain_between(body, root)[:-1] if carries(root, body) else ancestors(body)[:-1]


def keeps_plane(hinge: Hinge, n: Array) -> bool:
    """Return True if a hinge keeps the direction n, and all that moves perpendicular to it."""
    if isinstance(hinge, Fixed):
        return True
    if isinstance(hinge, Revolute):
        return parallel(hinge.axis, n)
    if isinstance(hinge, Planar):
        return parallel(hinge.normal, n)
    return isinstance(hinge, Prismatic) and abs(float(hinge.axis @ n)) < PARALLEL


def parallel(a: Array, b: Array) -> bool:
    """Return True if two unit vectors are along one line."""
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL


def find_bodies_between(inner: Body, outer: Body) -> tuple[Body, ...]:
    """Return the bodies on hinges that move, from the one behind a body outward to another."""
    bodies = reversed(chain_between(outer, inner)[:-1])
    return tuple(body for body in bodies if not isinstance(body.inboard, Fixed))


def revolute(body: Body) -> Revolute:
    """Return the hinge of a bar."""
    hinge = body.inboard
    assert isinstance(hinge, Revolute)
    return hinge


def prismatic(body: Body) -> Prismatic:
    """Return the hinge of a slide."""
    hinge = body.inboard
    assert isinstance(hinge, Prismatic)
    return hinge


def angle(before: Array, now: Array, n: Array) -> Array:
    """Return (cos, sin) of the turn about n that takes one vector across n to another of the same length."""
    per_square = 1.0 / dot(before, before)
    return array((dot(before, now) * per_square, dot(cross(n, before), now) * per_square))


def branch(axis: Array, lever: Array) -> tuple[float, bool]:
    """Return σ, and True if the design pose is far from where both branches meet."""
    cosine = float(axis @ lever) / max(float(np.linalg.norm(lever)), np.finfo(float).tiny)
    return float(np.sign(cosine)), abs(cosine) > DEAD
