"""Steps of a loop in closed form: positions by formulas, rates and accelerations by (13) and (14).

A step states where its hinges are, and which rows of closures keep them there.  With Y_d the errors of these
rows per rate of the step's own hinges, Y those per rate of θ(S) while its hinges rest, and δ̇ the acceleration
errors at θ̈(S) = 0,

    Y_d X + Y = 0,    Y_d η + drift = 0,    Y_d (Ẋ θ̇(S) + η̇) + δ̇ = 0.                            (13), (14)

The three rows of a point, or of an orientation, may be more than there are hinges: what is left then holds by
the closures of other steps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, cross, dot, zeros
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.embedding.closures.loop import ClosureErrors, Loop
from ce_dynamics.embedding.linkage import Limits, Linkage
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion, distribute_rows
from ce_dynamics.embedding.numeric.single_parameter import REMEDY
from ce_dynamics.mechanism.body import Body


class Step(Linkage):
    """Hinges found by formulas for their positions."""

    @abstractmethod
    def positions(self, motion: SubgraphMotion) -> Mapping[str, HingeMotion]:
        """Return the hinges by body, at rest, in the configurations that close the loop."""

    @abstractmethod
    def errors(self, motion: SubgraphMotion) -> ClosureErrors:
        """Return the rows that keep them there, along a motion in which all bodies are known."""

    def find_omitted_direction(self, motion: SubgraphMotion) -> Array | None:
        """Return the direction along which three rows for two hinges are left out; by default across them."""
        return None

    def monitor(self) -> Limits:
        return Limits(remedy=REMEDY)

    def solve(self, motion: SubgraphMotion) -> None:
        set_moving(motion, self.positions(motion), self.errors, self.find_omitted_direction)


def set_moving(
    motion: SubgraphMotion,
    resting: Mapping[str, HingeMotion],
    errors: Callable[[SubgraphMotion], ClosureErrors],
    aside: Callable[[SubgraphMotion], Array | None] | None = None,
) -> None:
    """Set resting hinges with the rates and accelerations that keep rows of closures.

    ``aside`` is for two hinges and three rows: a direction along which the rows are left out.  By default it
    is the one along which neither hinge moves anything.
    """
    size = sum(len(hinge.eta) for hinge in resting.values())
    unit = motion.at_rest(size).trial(distribute_rows(resting, np.eye(size), zeros(size), zeros(size)))
    still = motion.trial(resting)
    solve = solver(errors(unit).Y, None if aside is None else aside(still))
    error = errors(still)
    X = array([-solve(error.Y[:, k]) for k in range(motion.N)]).reshape(motion.N, size).T  # (13)
    eta = -solve(error.drift)
    moving = motion.trial(distribute_rows(resting, X, eta, zeros(size)))
    bias = -solve(errors(moving).delta_dot)  # (14)
    for name, hinge in distribute_rows(resting, X, eta, bias).items():
        motion.set(name, hinge)


def point_errors(motion: SubgraphMotion, one: tuple[Body, Array], other: tuple[Body, Array]) -> ClosureErrors:
    """Return the rows by which a point of one body, given in the design pose, coincides with another."""
    a, b = (motion.point(body.name, at) for body, at in (one, other))
    return ClosureErrors(a.r - b.r, a.J - b.J, a.drift - b.drift, a.a - b.a)


def orientation_errors(one: BodyMotion, other: BodyMotion, about: Array | None = None) -> ClosureErrors:
    """Return the rows by which two bodies that are turned alike stay so.

    They may turn about an axis n of both, at a rate λ: the rows along n then mean nothing, and across it
    the difference of accelerations is λ ω × n.
    """
    delta_dot = one.alpha - other.alpha
    if about is not None:
        rate = dot(about, one.w_total - other.w_total)
        delta_dot = delta_dot - rate * cross(other.w_total, about)
    return ClosureErrors(zeros(3), one.w - other.w, one.w_drift - other.w_drift, delta_dot)


def solver(Y: Array, aside: Array | None = None) -> Callable[[Array], Array]:
    """Return the function that solves Y x = b for x, where b is among what Y can give."""
    rows, size = Y.shape
    if rows == 3:
        dual = dual_basis([Y[:, k] for k in range(size)], aside)
        return lambda b: array([dot(row, b) for row in dual])
    if rows == size == 1:
        per = 1.0 / Y[0, 0]
        return lambda b: array((per * b[0],))
    if rows == size == 2:
        per = 1.0 / (Y[0, 0] * Y[1, 1] - Y[0, 1] * Y[1, 0])
        return lambda b: array(
            ((Y[1, 1] * b[0] - Y[0, 1] * b[1]) * per, (Y[0, 0] * b[1] - Y[1, 0] * b[0]) * per)
        )
    return PivotedLU(Y).solve


def dual_basis(vectors: Sequence[Array], aside: Array | None = None) -> list[Array]:
    """Return the vectors g_i with g_i·b_k = 1 where i = k, else 0, for up to three vectors b.

    Of two vectors b, both g are across ``aside``, of any length; by default across b_1 × b_2.
    """
    if len(vectors) == 1:
        (b,) = vectors
        return [b * (1.0 / dot(b, b))]
    one, other = vectors[:2]
    if len(vectors) == 3:
        third = vectors[2]
    else:
        third = cross(one, other) if aside is None else aside
    over = cross(other, third)
    per = 1.0 / dot(one, over)
    found = [over * per, cross(third, one) * per]
    return found if len(vectors) == 2 else [*found, cross(one, other) * per]


def solve_apart(
    motion: SubgraphMotion,
    parent: Body,
    bodies: Sequence[Body],
    given: Mapping[str, HingeMotion],
    linkages: Sequence[Linkage],
) -> None:
    """Solve linkages of a part in a motion of its own, as seen from its parent, and set what they find.

    ``given`` are the other hinges of the part.
    """
    inside = SubgraphMotion(parent, bodies, motion.theta_dot)
    for name, hinge in given.items():
        inside.set(name, hinge._replace(directions=None))
    for linkage in linkages:
        linkage.solve(inside)
    for linkage in linkages:
        for name in linkage.determines:
            motion.set(name, inside.hinge_motions[name]._replace(directions=None))


class InnerLinkage(Linkage):
    """A linkage inside a part of a loop, whose hinges do not depend on how what carries the part moves."""

    def __init__(self, linkage: Linkage, block: Loop) -> None:
        self.stands_for = self._linkage = linkage
        self.block = block
        self.determines, self.closes = linkage.determines, linkage.closes

    def solve(self, motion: SubgraphMotion) -> None:
        block, known = self.block, motion.hinge_motions
        given = {body.name: known[body.name] for body in block.bodies if body.name in known}
        solve_apart(motion, block.parent, block.bodies, given, (self._linkage,))
