"""A rod that has mass: its body points from a ball joint of one body at a point of another.

That the rod keeps its length is a matter of the loop it belongs to (`Distance`, or a linkage that holds it);
this one only finds the two angles of the rod's body, whose axis passes through the far end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.kinematics.aim import Aim
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, expect_hinge
from ce_dynamics.kinematics.hardpoints import Point, check_fields
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.hinges.closures import Distance, PointOnLine
from ce_dynamics.mechanism.hinges.universal import Universal


@dataclass(eq=False, repr=False)
class Rod(ClosedForm):
    """The body of a rod between two bodies.

    Parameters
    ----------
    P, Q : points
        Its ends: the ball joint on ``carrier`` and the point of ``anchor`` that it aims at, in the design
        pose [m].
    rod, carrier, anchor : str
        Names of the bodies.
    fixed_length : bool
        Whether the loop keeps the distance PQ.
    axes : pair of 3-vectors, optional
        Of the universal hinge at P: one on ``carrier``, one on the rod, which is perpendicular to the first
        and to PQ, with PQ on the side of their product.  Else both are perpendicular to PQ; which they are
        matters where springs act on them.

    Raises
    ------
    ModelError
        If the points coincide, or the axes are not perpendicular as required.
    """

    P: Point
    Q: Point
    rod: str
    carrier: str
    anchor: str
    fixed_length: bool = True
    axes: tuple[ArrayLike, ArrayLike] | None = None

    def __post_init__(self) -> None:
        owner = f"rod {self.rod!r}"
        check_fields(self, owner)
        checks.flag(f"{owner}: fixed_length", self.fixed_length)
        hinge = None if self.axes is None else Universal(*self.axes, at=self.P.tolist())
        self.aim = Aim(self.P, self.Q, self.fixed_length, owner, "PQ", hinge)
        self.determines = (self.rod,)
        self.closes = tuple(cut.name for cut in self.cuts())

    def without_closure(self, edge: CutEdge) -> Rod:
        """Return the same once a closure is open: of any length, where it was that which kept it."""
        closure = getattr(edge, "closure", None)
        if not (self.fixed_length and isinstance(closure, Distance)):
            return self
        at = (closure.at_parent, closure.at_child)
        ends = {body.name: nominal(point) for body, point in zip(edge.bodies, at, strict=True)}
        own = {self.carrier: nominal(self.P), self.anchor: nominal(self.Q)}
        if ends.keys() != own.keys() or any(np.any(ends[name] != own[name]) for name in own):
            return self
        return replace(self, fixed_length=False)

    def joints(self) -> tuple[Joint, ...]:
        """Return the rod on its carrier."""
        return (Joint(self.rod, self.carrier, self.aim.hinge),)

    def cuts(self) -> tuple[Cut, ...]:
        """Keep Q on the rod's axis."""
        axis = PointOnLine((self.Q - self.P).tolist(), at=self.Q.tolist())
        return (Cut(f"{self.rod}/{self.anchor}", self.rod, self.anchor, axis),)

    def solve(self, motion: SubgraphMotion) -> None:
        expect_hinge(motion, self.rod, self.aim.hinge)
        Q = motion.point(self.anchor, self.Q)
        motion.set(self.rod, self.aim.solve(motion.carrier(self.rod), Q, motion.theta_dot))
