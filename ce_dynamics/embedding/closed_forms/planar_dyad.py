"""Two bars on parallel axes whose ends meet: a triangle of two known sides and one known from elsewhere.

Bar x turns about P.  Either bar y turns about Q on something else and their ends meet in J (side by side),
or y turns about J on x and its end meets the point Q of something else (one after the other).  In the plane,
with D from P to Q, L = |D|, r1 = |PJ| and r2 = |JQ|,

    J − P = a D + σ h (n × D),   a = (r1² − r2² + L²) / (2 L²),   h = √(r1² / L² − a²),

where n is the direction of the axes and σ that side of PQ on which J is in the design pose.  With r the
velocity that closes the gap at resting hinges, r = b_x φ̇_x + b_y φ̇_y in the plane, and

    φ̇_x = r·(b_y × n) / Δ,   φ̇_y = r·(n × b_x) / Δ,   Δ = b_x·(b_y × n);

accelerations follow in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, sqrt, zeros
from ce_dynamics.embedding.blocks import Block, chain
from ce_dynamics.embedding.closed_forms.turn_to_length import DEAD, rigidly_on, set_welded
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, SubgraphMotion, across
from ce_dynamics.embedding.numeric.linkage import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.planar import Planar
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.system import LoopClosure

PARALLEL = 1e-12
"""Sine between directions that count as parallel."""


class End(NamedTuple):
    """A point of a body in the design pose."""

    body: Body
    at: Array


class PlanarDyad(Linkage):
    """The hinges of two bars from where their other ends are.

    Parameters
    ----------
    x, y : Body
        The bars, on revolute hinges.
    closes : str
        The closure in which they end.
    end : End
        The end of the closure on y; on x where they are side by side.
    other : End
        The other end of the closure.
    welded : tuple of Body
        Bodies on Fixed hinges that are found with them.
    """

    def __init__(self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...]) -> None:
        self.x, self.y, self.end, self.other, self.welded = x, y, end, other, welded
        self.serial = y.carrier is x or rigidly_on(y.carrier, x)
        self.n = revolute(x).axis
        self.flip = float(np.sign(self.n @ revolute(y).axis))
        self.determines = (x.name, y.name, *(body.name for body in welded))
        self.closes = (closes,)
        P = revolute(x).at
        J, Q = (revolute(y).at, other.at) if self.serial else (end.at, revolute(y).at)
        self.f, self.g = self._flat(J - P), self._flat(Q - J if self.serial else J - Q)
        D = self._flat(Q - P)
        side = float(np.cross(D, self.f) @ self.n)
        lengths = [float(np.linalg.norm(v)) for v in (D, self.f, self.g)]
        self.regular = min(lengths) > 0.0 and abs(side) > DEAD * lengths[0] * lengths[1]
        self.sigma = float(np.sign(side))

    def _flat(self, vector: Array) -> Array:
        flat: Array = vector - self.n * (self.n @ vector)
        return flat

    @property
    def how(self) -> str:
        return f"in closed form: {self.x.name!r} and {self.y.name!r} are two sides of a triangle"

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        carrier = motion.carrier(self.x.name)
        P = motion.point(self.x.carrier.name, revolute(self.x).at)
        Q = self._far(motion)
        n = carrier.turned(self.n)
        D = Q.r - P.r
        D = D - n * dot(n, D)
        to_J = self._to_J(D, n)
        c_x = angle(self.f, carrier.R.T @ to_J, self.n)
        if self.serial:
            turned = across(self.x, carrier, resting(c_x, motion.N), motion.theta_dot, turns=True)
            c_y = angle(self.g, turned.R.T @ (D - to_J), self.flip * self.n)
        else:
            c_y = angle(self.g, motion.carrier(self.y.name).R.T @ (to_J - D), self.flip * self.n)
        b_x, b_y = cross(n, D if self.serial else to_J), cross(n, D - to_J) * self.flip
        over = cross(b_y, n)
        per = 1.0 / dot(b_x, over)
        g_x, g_y = over * per, cross(n, b_x) * per
        still = resting(c_x, motion.N), resting(c_y, motion.N)
        gap, closing = self._gap(motion, *still), zeros(1)
        X_x, X_y = (g_x @ gap.J)[np.newaxis], (g_y @ gap.J)[np.newaxis]
        eta_x, eta_y = array((dot(g_x, gap.drift),)), array((dot(g_y, gap.drift),))
        moving = HingeMotion(c_x, X_x, eta_x, closing), HingeMotion(c_y, X_y, eta_y, closing)
        missing = self._gap(motion, *moving).a
        motion.set(self.x.name, moving[0]._replace(bias=array((dot(g_x, missing),))))
        motion.set(self.y.name, moving[1]._replace(bias=array((dot(g_y, missing),))))
        set_welded(motion, self.welded)

    def _far(self, motion: SubgraphMotion) -> PointMotion:
        """Q."""
        if self.serial:
            return motion.point(self.other.body.name, self.other.at)
        return motion.point(self.y.carrier.name, revolute(self.y).at)

    def _to_J(self, D: Array, n: Array) -> Array:
        """J − P."""
        r1, r2 = float(self.f @ self.f), float(self.g @ self.g)
        per_square = 1.0 / dot(D, D)
        a = 0.5 + 0.5 * (r1 - r2) * per_square
        h = self.sigma * sqrt(r1 * per_square - a * a)
        to_J: Array = a * D + h * cross(n, D)
        return to_J

    def _gap(self, motion: SubgraphMotion, x: HingeMotion, y: HingeMotion) -> PointMotion:
        """Motion of the far end of the closure less that of the near one, with the hinges moving as given."""
        bar = across(self.x, motion.carrier(self.x.name), x, motion.theta_dot, turns=True)
        if self.serial:
            second = across(self.y, bar, y, motion.theta_dot, turns=True)
            return less(motion.point(self.other.body.name, self.other.at), self._at(second, self.end, motion))
        second = across(self.y, motion.carrier(self.y.name), y, motion.theta_dot, turns=True)
        return less(self._at(second, self.other, motion), self._at(bar, self.end, motion))

    def _at(self, body: BodyMotion, end: End, motion: SubgraphMotion) -> PointMotion:
        return body.point(end.at, motion.theta_dot)


def revolute(body: Body) -> Revolute:
    """The hinge of a bar."""
    hinge = body.inboard
    assert isinstance(hinge, Revolute)
    return hinge


def resting(c: Array, N: int) -> HingeMotion:
    """A hinge that does not move."""
    return HingeMotion(c, zeros(1, N), zeros(1), zeros(1))


def angle(before: Array, now: Array, n: Array) -> Array:
    """(cos, sin) of the turn about n that takes one vector across n to another of the same length."""
    per_square = 1.0 / float(before @ before)
    return array((dot(before, now) * per_square, dot(np.cross(n, before), now) * per_square))


def less(one: PointMotion, other: PointMotion) -> PointMotion:
    """Differences of two motions."""
    return PointMotion(*(a - b for a, b in zip(one, other, strict=True)))


def planar_dyad(block: Block) -> PlanarDyad | None:
    """The closed form of a part of the closures that is one joint and two bars in a plane."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 2:
        return None
    (edge,) = block.closures
    if not isinstance(edge, LoopClosure) or type(edge.closure) not in (Revolute, Spherical):
        return None
    if not all(isinstance(body.inboard, Revolute) for body in moving):
        return None
    n = revolute(moving[0]).axis
    ends = End(edge.body_a, edge.closure.at_parent), End(edge.body_b, edge.closure.at_child)
    if isinstance(edge.closure, Revolute) and not parallel(edge.closure.axis, n):
        return None
    if not all(keeps_plane(body.inboard, n) for end in ends for body in way(end.body, block.parent)):
        return None
    welded = tuple(body for body in block.dependent if body not in moving)
    for end, other in (ends, ends[::-1]):
        for x, y in ((moving[0], moving[1]), (moving[1], moving[0])):
            serial = rigidly_on(end.body, y) and rigidly_on(y.carrier, x) and x not in chain(other.body)
            beside = rigidly_on(end.body, x) and rigidly_on(other.body, y)
            apart = x not in chain(y) and y not in chain(x)
            if serial or (beside and apart):
                found = PlanarDyad(x, y, edge.name, end, other, welded)
                return found if found.regular else None
    return None


def way(body: Body, root: Body) -> list[Body]:
    """Bodies from one to what carries it, which is left out."""
    bodies = chain(body)
    return bodies[: bodies.index(root)] if root in bodies else bodies[:-1]


def keeps_plane(hinge: Hinge, n: Array) -> bool:
    """Whether a hinge keeps the direction n, and all that moves perpendicular to it."""
    if isinstance(hinge, Fixed):
        return True
    if isinstance(hinge, Revolute):
        return parallel(hinge.axis, n)
    if isinstance(hinge, Planar):
        return parallel(hinge.normal, n)
    return isinstance(hinge, Prismatic) and abs(float(hinge.axis @ n)) < PARALLEL


def parallel(a: Array, b: Array) -> bool:
    """Whether two unit vectors are along one line."""
    return float(np.linalg.norm(np.cross(a, b))) < PARALLEL
