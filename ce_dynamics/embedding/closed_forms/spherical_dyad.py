"""Two bars whose axes meet in a point with that of the hinge that joins them: a triangle on a sphere.

Bar x turns about a_x.  Either bar y turns about a_y on x and its end is hinged to something else about n (one
after the other), or y turns about a_y on something else and x and y are hinged together about n (side by
side).  With n as either side has it, C and C' what carries x and y, Q = Cᵀ C' and n_0 the axis in the design
pose,

    Cᵀ n = Rot(a_x, χ) Rot(a_y, ζ) n_0    or    n_0 = Rot(a_x, −χ) Rot(Q a_y, ζ) Q n_0,

which `ce_dynamics.embedding.closed_forms.formulas.two_turns` solves.  Rates: what the angular velocity of the
one end has more than that of the other at resting hinges is a_x χ̇ ± a_y ζ̇ + n λ, λ the rate of the hinge
between; what their angular accelerations have, a_x χ̈ ± a_y ζ̈ + n λ̇ + λ ω × n.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.embedding.blocks import Block, chain
from ce_dynamics.embedding.closed_forms.ball import crossing, off_line, scale, triple
from ce_dynamics.embedding.closed_forms.formulas import two_turns
from ce_dynamics.embedding.closed_forms.leg import MEET, STEEP
from ce_dynamics.embedding.closed_forms.orient import rates_per_spin
from ce_dynamics.embedding.closed_forms.planar_dyad import way
from ce_dynamics.embedding.closed_forms.planar_pair import resting, revolute
from ce_dynamics.embedding.closed_forms.turn_to_length import rigidly_on, set_welded
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion, across
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.loop_closure import LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


class SphericalDyad(Linkage):
    """The hinges of two bars on a sphere.

    Parameters
    ----------
    x, y : Body
        The bars, on revolute hinges.
    closes : str
        The hinge in which they end.
    axis : (3,) array
        n_0.
    other : Body
        What that hinge holds: y where they are side by side.
    welded : tuple of Body
        Bodies on Fixed hinges that are found with them.
    """

    def __init__(
        self, x: Body, y: Body, closes: str, axis: Array, other: Body, welded: tuple[Body, ...]
    ) -> None:
        self.x, self.y, self.axis, self.other, self.welded = x, y, axis, other, welded
        self.serial = y.carrier is x or rigidly_on(y.carrier, x)
        self.determines = (x.name, y.name, *(body.name for body in welded))
        self.closes = (closes,)
        a_x, a_y = revolute(x).axis, revolute(y).axis
        self.regular = triple(a_x, a_y, axis) > STEEP
        self._branch = float(np.sign(np.cross(a_x, a_y) @ axis))

    @property
    def how(self) -> str:
        return f"in closed form: {self.x.name!r} and {self.y.name!r} are two sides of a triangle on a sphere"

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        set_welded(motion, self.welded)  # some may carry what turns
        a_x, a_y, n_0 = revolute(self.x).axis, revolute(self.y).axis, self.axis
        inner = motion.carrier(self.x.name)
        if self.serial:
            outer = motion.body(self.other.name)
            n = outer.turned(n_0)
            c_x, c_y = two_turns(a_x, a_y, n_0, inner.R.T @ n, self._branch)
            second = inner.turned(rotate_about(a_x, c_x[0], c_x[1], a_y))
        else:
            outer = motion.carrier(self.y.name)
            Q = inner.R.T @ outer.R
            back, c_y = two_turns(a_x, Q @ a_y, Q @ n_0, n_0, self._branch)
            c_x = array((back[0], -back[1]))
            n = inner.turned(rotate_about(a_x, c_x[0], c_x[1], n_0))
            second = -outer.turned(a_y)
        rows = rates_per_spin([inner.turned(a_x), second, n])
        w, drift = outer.w - inner.w, outer.w_drift - inner.w_drift
        hinges = [
            resting(c, motion.N)._replace(X=(row @ w)[np.newaxis], eta=array((dot(row, drift),)))
            for c, row in ((c_x, rows[0]), (c_y, rows[1]))
        ]
        near, far = self._ends(motion, inner, outer, hinges)
        spin = dot(rows[2], outer.w_total - inner.w_total)
        missing = far.alpha - near.alpha - spin * cross(near.w_total, n)
        for body, hinge, row in zip((self.x, self.y), hinges, rows, strict=False):
            motion.set(body.name, hinge._replace(bias=array((dot(row, missing),))))

    def _ends(
        self, motion: SubgraphMotion, inner: BodyMotion, outer: BodyMotion, hinges: list[HingeMotion]
    ) -> tuple[BodyMotion, BodyMotion]:
        """Motion of what the hinge between joins, with the bars' hinges moving as given."""
        bar = across(self.x, inner, hinges[0], motion.theta_dot, turns=True)
        if self.serial:
            return across(self.y, bar, hinges[1], motion.theta_dot, turns=True), outer
        return bar, across(self.y, outer, hinges[1], motion.theta_dot, turns=True)


def spherical_dyad(block: Block) -> SphericalDyad | None:
    """The closed form of a part of the closures that is one hinge and two bars on a sphere."""
    moving = [body for body in block.dependent if body.inboard.n_v]
    if len(block.closures) != 1 or len(moving) != 2:
        return None
    (edge,) = block.closures
    if not isinstance(edge, LoopClosure) or type(edge.closure) is not Revolute:
        return None
    if not all(isinstance(body.inboard, Revolute) for body in moving):
        return None
    closure = edge.closure
    centre = crossing(revolute(moving[0]), closure)
    ends = (edge.body_a, edge.body_b)
    if centre is None or not keeps_point(closure, centre, closure):
        return None
    if not all(keeps_point(body.inboard, centre, closure) for end in ends for body in way(end, block.parent)):
        return None
    welded = tuple(body for body in block.dependent if body not in moving)
    for end, other in (ends, ends[::-1]):
        for x, y in ((moving[0], moving[1]), (moving[1], moving[0])):
            serial = rigidly_on(end, y) and rigidly_on(y.carrier, x) and x not in chain(other)
            beside = rigidly_on(end, x) and rigidly_on(other, y)
            apart = x not in chain(y) and y not in chain(x)
            if serial or (beside and apart):
                found = SphericalDyad(x, y, edge.name, closure.axis, other, welded)
                return found if found.regular else None
    return None


def keeps_point(hinge: Hinge, point: Array, like: Revolute) -> bool:
    """Return True if a hinge leaves a point where it is."""
    if isinstance(hinge, Revolute):
        return off_line(hinge, point) <= MEET * scale(hinge, like)
    if isinstance(hinge, Spherical):
        off = float(np.linalg.norm(np.asarray(hinge.at, dtype=float) - point))
        return off <= MEET * max(1e-3, float(np.linalg.norm(point)))
    return isinstance(hinge, Fixed)
