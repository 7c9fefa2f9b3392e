"""Two bars whose axes meet in a point with that of the hinge that joins them: a triangle on a sphere.

Bar x turns about a_x.  Either bar y turns about a_y on x and its end is hinged to something else about n (one
after the other), or y turns about a_y on something else and x and y are hinged together about n (side by
side).  With n as either side has it, C and C' what carries x and y, Q = Cᵀ C' and n_0 the axis in the design
pose,

    Cᵀ n = Rot(a_x, χ) Rot(a_y, ζ) n_0    or    n_0 = Rot(a_x, −χ) Rot(Q a_y, ζ) Q n_0,

which `ce_dynamics.embedding.closed_forms.formulas.two_turns` solves.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.embedding.closed_forms.ball import MEET, STEEP, crossing, off_line, scale, triple_product
from ce_dynamics.embedding.closed_forms.formulas import two_turns
from ce_dynamics.embedding.closed_forms.planar import revolute, way
from ce_dynamics.embedding.closed_forms.step import Step, orientation_errors
from ce_dynamics.embedding.closed_forms.turn_to_length import rigidly_on
from ce_dynamics.embedding.closures.loop import ClosureErrors, Loop, hinge_at_rest
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body, carries
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical


class SphericalDyad(Step):
    """The hinges of bars x and y on a sphere; their joint holds ``other``, or y if they are side by side."""

    def __init__(self, x: Body, y: Body, edge: LoopClosure, other: Body) -> None:
        assert isinstance(edge.closure, Revolute), "as `spherical_dyad` finds it"
        self.x, self.y, self.other = x, y, other
        self.edge, self.axis = edge, edge.closure.axis
        self.serial = y.carrier is x or rigidly_on(y.carrier, x)
        self.determines = (x.name, y.name)
        self.closes = (edge.name,)
        a_x, a_y = revolute(x).axis, revolute(y).axis
        self.regular = triple_product(a_x, a_y, self.axis) > STEEP
        self._branch = float(np.sign(np.cross(a_x, a_y) @ self.axis))

    @property
    def how(self) -> str:
        return f"in closed form: {self.x.name!r} and {self.y.name!r} are two sides of a triangle on a sphere"

    def positions(self, motion: SubgraphMotion) -> dict[str, HingeMotion]:
        a_x, a_y, n_0 = revolute(self.x).axis, revolute(self.y).axis, self.axis
        inner = motion.carrier(self.x.name)
        if self.serial:
            n = motion.body(self.other.name).rotate(n_0)
            c_x, c_y = two_turns(a_x, a_y, n_0, inner.R.T @ n, self._branch)
        else:
            Q = inner.R.T @ motion.carrier(self.y.name).R
            back, c_y = two_turns(a_x, Q @ a_y, Q @ n_0, n_0, self._branch)
            c_x = array((back[0], -back[1]))
        return {self.x.name: hinge_at_rest(c_x, 1, motion.N), self.y.name: hinge_at_rest(c_y, 1, motion.N)}

    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        one, other = (motion.body(body.name) for body in self.edge.bodies)
        return orientation_errors(one, other, self.find_omitted_direction(motion))

    def find_omitted_direction(self, motion: SubgraphMotion) -> Array:
        return motion.body(self.edge.body_a.name).rotate(self.axis)


def spherical_dyad(block: Loop) -> SphericalDyad | None:
    """Return the closed form of a part of the closures that is one hinge and two bars on a sphere."""
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
    for end, other in (ends, ends[::-1]):
        for x, y in ((moving[0], moving[1]), (moving[1], moving[0])):
            serial = rigidly_on(end, y) and rigidly_on(y.carrier, x) and not carries(x, other)
            beside = rigidly_on(end, x) and rigidly_on(other, y)
            apart = not carries(x, y) and not carries(y, x)
            if serial or (beside and apart):
                found = SphericalDyad(x, y, edge, other)
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
