"""A bar and a slide in a plane whose ends meet, a line and a circle; or two slides.

The bar turns about P and is f long (from P to what it ends in), n the direction of its axis; D leads from P
to where it must end.  A slide that is beside the bar, or carries it, moves D along a direction t:

    |D_0 + t s| = |f|:   s = −t·D_0 + σ √((t·D_0)² − |D_0|² + |f|²),   σ = sign t·D of the design pose,

D_0 at s = 0.  A slide that is carried by the bar makes it longer along a, f = f_0 + a s:

    |f_0 + a s| = |D|:   s = −a·f_0 + σ √((a·f_0)² − |f_0|² + |D|²),   σ = sign a·f of the design pose.

Two slides are two lines: t_x s_x + t_y s_y = D_0, side by side with −t_y.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot
from ce_dynamics.embedding.blocks import chain
from ce_dynamics.embedding.closed_forms.formulas import solve_slide
from ce_dynamics.embedding.closed_forms.planar_pair import (
    End,
    Placed,
    PlanarPair,
    angle,
    prismatic,
    resting,
    revolute,
)
from ce_dynamics.embedding.closed_forms.turn_to_length import DEAD
from ce_dynamics.embedding.motion import BodyMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body

UNMOVED = array((0.0,))


class BarOnSlide(PlanarPair):
    """x on a prismatic hinge carries y on a revolute one, or x turns and y slides beside it."""

    def __init__(self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...]) -> None:
        bar, slide = (y, x) if x in chain(y) else (x, y)
        super().__init__(x, y, closes, end, other, welded, revolute(bar).axis)
        self.bar, self.slide = bar, slide
        self.sign = -1.0 if self.serial else 1.0
        D = self.flat((other.at if self.serial else end.at) - revolute(bar).at)
        self.sigma, self.regular = branch(self.sign * prismatic(slide).axis, D)

    @property
    def how(self) -> str:
        return (
            f"in closed form: {self.bar.name!r} and the slide {self.slide.name!r} meet, a circle and a line"
        )

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> Placed:
        hinge = revolute(self.bar)
        if self.serial:
            middle = self.turned(self.slide, carrier, UNMOVED, self.inner, motion)
            t, R = carrier.turned(prismatic(self.slide).axis), middle.R
            D = self.far(motion).r - middle.point(hinge.at, motion.theta_dot).r
            f = self.lever(hinge, self.outer, self.end.at, motion)
        else:
            guide = motion.carrier(self.slide.name)
            moved = self.turned(self.slide, guide, UNMOVED, self.outer, motion)
            t, R = guide.turned(prismatic(self.slide).axis), carrier.R
            D = moved.point(self.other.at, motion.theta_dot).r - self.foot(motion, self.bar).r
            f = self.lever(hinge, self.inner, self.end.at, motion)
        D, t = D - n * dot(n, D), self.sign * t
        s = solve_slide(t, D, dot(f, f), self.sigma)
        D = D + t * s
        c_bar, c_slide = angle(f, R.T @ D, self.n), array((s,))
        if self.serial:
            return Placed(c_slide, c_bar, -t, cross(n, D))
        return Placed(c_bar, c_slide, cross(n, D), -t)


class BarWithSlide(PlanarPair):
    """x on a revolute hinge carries y on a prismatic one: a telescope in a plane."""

    def __init__(self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...]) -> None:
        super().__init__(x, y, closes, end, other, welded, revolute(x).axis)
        self.sigma, self.regular = branch(prismatic(y).axis, self.flat(end.at - revolute(x).at))

    @property
    def how(self) -> str:
        return (
            f"in closed form: {self.x.name!r} and the slide {self.y.name!r} on it are a telescope in a plane"
        )

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> Placed:
        hinge, a = revolute(self.x), prismatic(self.y).axis
        D = self.far(motion).r - self.foot(motion, self.x).r
        D = D - n * dot(n, D)
        seen = self.seen(hinge, self.inner, motion)
        a = seen.turned(a)
        moved = self.turned(self.y, seen, UNMOVED, self.outer, motion)
        f = self.flat(moved.point(self.end.at, motion.theta_dot).r)
        s = solve_slide(a, f, dot(D, D), self.sigma)
        c_x = angle(f + a * s, carrier.R.T @ D, self.n)
        now = self.turned(self.x, carrier, c_x, self.inner, motion)
        return Placed(c_x, array((s,)), cross(n, D), now.turned(prismatic(self.y).axis))


class TwoSlides(PlanarPair):
    """x and y on prismatic hinges; see `PlanarPair`."""

    def __init__(
        self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...], n: Array
    ) -> None:
        super().__init__(x, y, closes, end, other, welded, n)
        self.regular = abs(float(np.cross(prismatic(x).axis, prismatic(y).axis) @ self.n)) > DEAD

    @property
    def how(self) -> str:
        return f"in closed form: the slides {self.x.name!r} and {self.y.name!r} meet, two lines"

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> Placed:
        t_x = carrier.turned(prismatic(self.x).axis)
        moved = self.turned(self.x, carrier, UNMOVED, self.inner, motion)
        guide = moved if self.serial else motion.carrier(self.y.name)
        t_y = guide.turned(prismatic(self.y).axis) * (1.0 if self.serial else -1.0)
        D = self.gap(motion, resting(UNMOVED, motion.N), resting(UNMOVED, motion.N)).r
        over = cross(t_y, n)
        per = 1.0 / dot(t_x, over)
        s_x, s_y = dot(D, over) * per, dot(D, cross(n, t_x)) * per
        return Placed(array((s_x,)), array((s_y,)), t_x, t_y)


def branch(axis: Array, lever: Array) -> tuple[float, bool]:
    """σ, and whether the design pose is far from where both branches meet."""
    cosine = float(axis @ lever) / max(float(np.linalg.norm(lever)), np.finfo(float).tiny)
    return float(np.sign(cosine)), abs(cosine) > DEAD
