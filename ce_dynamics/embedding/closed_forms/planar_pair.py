"""Two hinges in a plane that a joint at the end of two bars determines: rates, whatever the positions are.

Between the two hinges, and between a hinge and the joint, there may be others, whose coordinates are given:
a bar is then as long as these make it.  With r the velocity that closes the gap at resting hinges and b_x,
b_y what the joint's two sides part by per unit rate of either hinge, r = b_x φ̇_x + b_y φ̇_y in the plane, and

    φ̇_x = r·(b_y × n) / Δ,   φ̇_y = r·(n × b_x) / Δ,   Δ = b_x·(b_y × n),

n the direction perpendicular to the plane; accelerations follow in the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, zeros
from ce_dynamics.embedding.blocks import chain
from ce_dynamics.embedding.closed_forms.turn_to_length import set_welded
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import (
    BodyMotion,
    HingeMotion,
    PointMotion,
    SubgraphMotion,
    across,
    at_rest,
)
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute


class End(NamedTuple):
    """A point of a body in the design pose."""

    body: Body
    at: Array


class Placed(NamedTuple):
    """Configurations c_x, c_y of the two hinges, and the vectors b_x, b_y."""

    c_x: Array
    c_y: Array
    b_x: Array
    b_y: Array


class PlanarPair(Linkage):
    """The hinges of two bodies from where the other ends of their chain are.

    Parameters
    ----------
    x, y : Body
        The bodies; y is carried by x (one after the other), or neither by the other (side by side).
    closes : str
        The joint in which they end.
    end : End
        The end of the joint on y; on x where they are side by side.
    other : End
        The other end of the joint; on y where they are side by side.
    welded : tuple of Body
        Bodies on Fixed hinges that are found with them.
    n : (3,) array
        The direction perpendicular to the plane in the design pose.

    Attributes
    ----------
    regular : bool
        Whether the design pose is far enough from where two branches meet.
    """

    regular: bool

    def __init__(
        self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...], n: Array
    ) -> None:
        self.x, self.y, self.end, self.other, self.welded, self.n = x, y, end, other, welded, n
        self.serial = x in chain(y)
        self.determines = (x.name, y.name, *(body.name for body in welded))
        self.closes = (closes,)
        self.inner = between(x, y.carrier) if self.serial else between(x, end.body)
        self.outer = between(y, end.body if self.serial else other.body)

    @abstractmethod
    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> Placed:
        """Positions: the hinges' configurations, from those of what carries them."""

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        set_welded(motion, self.welded)  # some may carry what turns
        carrier = motion.carrier(self.x.name)
        n = carrier.turned(self.n)
        c_x, c_y, b_x, b_y = self.place(motion, carrier, n)
        over = cross(b_y, n)
        per = 1.0 / dot(b_x, over)
        g_x, g_y = over * per, cross(n, b_x) * per
        gap, closing = self.gap(motion, resting(c_x, motion.N), resting(c_y, motion.N)), zeros(1)
        X_x, X_y = (g_x @ gap.J)[np.newaxis], (g_y @ gap.J)[np.newaxis]
        eta_x, eta_y = array((dot(g_x, gap.drift),)), array((dot(g_y, gap.drift),))
        moving = HingeMotion(c_x, X_x, eta_x, closing), HingeMotion(c_y, X_y, eta_y, closing)
        missing = self.gap(motion, *moving).a
        motion.set(self.x.name, moving[0]._replace(bias=array((dot(g_x, missing),))))
        motion.set(self.y.name, moving[1]._replace(bias=array((dot(g_y, missing),))))

    # What positions and rates are found from

    def gap(self, motion: SubgraphMotion, x: HingeMotion, y: HingeMotion) -> PointMotion:
        """Motion of the far end of the joint less that of the near one, with the hinges moving as given."""
        theta_dot, given = motion.theta_dot, motion.hinge_motions
        bar = across(self.x, motion.carrier(self.x.name), x, theta_dot, turns=True)
        bar = along(bar, self.inner, given, theta_dot)
        carrier = bar if self.serial else motion.carrier(self.y.name)
        second = along(across(self.y, carrier, y, theta_dot, turns=True), self.outer, given, theta_dot)
        if self.serial:
            return less(self.far(motion), second.point(self.end.at, theta_dot))
        return less(second.point(self.other.at, theta_dot), bar.point(self.end.at, theta_dot))

    def far(self, motion: SubgraphMotion) -> PointMotion:
        """The other end of two bars one after the other."""
        return motion.point(self.other.body.name, self.other.at)

    def foot(self, motion: SubgraphMotion, body: Body) -> PointMotion:
        """The hinge point of x or of a y beside it."""
        return motion.point(body.carrier.name, body.inboard.at)

    def lever(self, hinge: Revolute, way: Sequence[Body], at: Array, motion: SubgraphMotion) -> Array:
        """From a hinge to a point behind it in the plane, as seen from the body on it."""
        if not way:
            return self.flat(at - hinge.at)
        return self.flat(self.seen(hinge, way, motion).point(at, motion.theta_dot).r)

    def seen(self, hinge: Revolute, way: Sequence[Body], motion: SubgraphMotion) -> BodyMotion:
        """The last of given hinges' bodies as seen from the body on a hinge, at its hinge point."""
        return along(at_rest(hinge.at, motion.N), way, motion.hinge_motions, motion.theta_dot)

    def flat(self, vector: Array) -> Array:
        """A vector of the design pose, without what is along n."""
        flat: Array = vector - self.n * dot(self.n, vector)
        return flat

    def turned(
        self, body: Body, carrier: BodyMotion, c: Array, way: Sequence[Body], motion: SubgraphMotion
    ) -> BodyMotion:
        """The last of given hinges' bodies behind a hinge at rest."""
        moved = across(body, carrier, resting(c, motion.N), motion.theta_dot, turns=True)
        return along(moved, way, motion.hinge_motions, motion.theta_dot)


def between(inner: Body, outer: Body) -> tuple[Body, ...]:
    """Bodies on hinges that move, from the one behind a body outward to another."""
    bodies = chain(outer)
    way = bodies[: bodies.index(inner)]
    return tuple(body for body in reversed(way) if not isinstance(body.inboard, Fixed))


def along(
    base: BodyMotion, way: Sequence[Body], hinges: Mapping[str, HingeMotion], theta_dot: Array
) -> BodyMotion:
    """The last of the bodies behind another, across hinges that are given."""
    for body in way:
        base = across(body, base, hinges[body.name], theta_dot, turns=True)
    return base


def revolute(body: Body) -> Revolute:
    """The hinge of a bar."""
    hinge = body.inboard
    assert isinstance(hinge, Revolute)
    return hinge


def prismatic(body: Body) -> Prismatic:
    """The hinge of a slide."""
    hinge = body.inboard
    assert isinstance(hinge, Prismatic)
    return hinge


def resting(c: Array, N: int) -> HingeMotion:
    """A hinge that does not move."""
    return HingeMotion(c, zeros(1, N), zeros(1), zeros(1))


def angle(before: Array, now: Array, n: Array) -> Array:
    """(cos, sin) of the turn about n that takes one vector across n to another of the same length."""
    per_square = 1.0 / dot(before, before)
    return array((dot(before, now) * per_square, dot(cross(n, before), now) * per_square))


def less(one: PointMotion, other: PointMotion) -> PointMotion:
    """Differences of two motions."""
    return PointMotion(*(a - b for a, b in zip(one, other, strict=True)))
