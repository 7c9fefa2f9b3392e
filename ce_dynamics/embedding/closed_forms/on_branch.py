"""Formulas for a loop that one coordinate leads, with data of its branch: turns, and its ends.

The branch is followed once, as for a table (`ce_dynamics.embedding.numeric.single_parameter`).  Formulas are
used if they give its configurations wherever it was followed.  The rest follows from the branch:

- They may find other configurations beyond its ends, as a parallelogram beyond its change points does.  Where
  they do, the coordinate that leads is NaN outside.
- Angles that they give as cosine and sine have made whole turns: q = w θ + α, α the angle less w θ brought
  within half a turn of the middle of what it is on the branch, w turns of q per turn of θ.  Where the
  parameter goes round, w is how often q does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, where, zeros
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.embedding.closed_forms.step import solve_apart
from ce_dynamics.embedding.closures.compiled_closures import comes_round
from ce_dynamics.embedding.closures.loop import split
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.embedding.numeric.single_parameter import SingleParameter, wrap_angle
from ce_dynamics.mechanism.body import Body

SAMPLES = 40  # points of the branch, and places beyond its ends, at which formulas are compared with it
SAME = 1e-6
"""Difference of rotations, and of displacements per size of the loop, due to rounding near dead centres."""
WIDEST = 2.0 * math.pi - 0.2  # span of an angle that its cosine and sine determine [rad]
GEARS = (0, 1, -1, 2, -2)  # turns of a dependent angle per turn of the parameter that are tried
FULL = 2.0 * math.pi
NEAREST, FARTHEST = 1e-3, 10.0
"""Distances beyond the ends of a slide's reach at which formulas are evaluated, in parts of the reach."""


class Winding(NamedTuple):
    """Turns w of an angle q per turn of θ, and the middle of q − w θ on the branch [rad]."""

    w: int
    middle: float


class OnBranch(Linkage):
    """Formulas, in their order, as long as they are on the branch of ``numeric``; else its table."""

    def __init__(self, formulas: Sequence[Linkage], numeric: NumericLinkage) -> None:
        self.formulas, self.stands_for, self.numeric = tuple(formulas), numeric, numeric
        self.determines, self.closes = numeric.determines, numeric.closes
        numeric.on_branch = self

    @property
    def how(self) -> str:
        return "; ".join(part.how for part in self.formulas) if self.holds else self.numeric.how

    @property
    def why_numeric(self) -> str:
        return "" if self.holds else "its formulas do not stay on its branch"

    def solve(self, motion: SubgraphMotion) -> None:
        if not self.holds:
            self.numeric.solve(motion)
            return
        given = motion.hinge_motions[self._body.name]
        if self._cut:
            loop, hinges = self.numeric.loop, {self._body.name: self._inside(given)}
            solve_apart(motion, loop.parent, loop.bodies, hinges, self.formulas)
        else:
            for part in self.formulas:
                part.solve(motion)
        for body, windings in zip(self.numeric.loop.dependent, self._turns, strict=True):
            if windings:
                found = motion.hinge_motions[body.name]
                q = self._with_turns(body.inboard.coordinates(found.c), given, windings)
                motion.hinge_motions[body.name] = found._replace(q=q)

    # Computed once

    @property
    def _equal(self) -> OnBranch | None:
        """The same formulas of an equal loop, whose answers hold for these."""
        equal = None if self.numeric.equal is None else self.numeric.equal.on_branch
        if not isinstance(equal, OnBranch):
            return None
        same = [type(part) for part in equal.formulas] == [type(part) for part in self.formulas]
        return equal if same else None

    @property
    def _single(self) -> SingleParameter:
        single = self.numeric.single
        assert single is not None, "made for loops that one coordinate leads"
        return single

    @property
    def _body(self) -> Body:
        return self.numeric.parameters[0]

    @cached_property
    def holds(self) -> bool:
        """True if the formulas give the branch's configurations, and determine its turns."""
        if self._equal is not None:
            return self._equal.holds
        theta, q = self._points
        found = self._find_configurations(theta)
        size = max(1.0, self.numeric.loop.size)
        for body in self.numeric.loop.dependent:
            hinge, here = body.inboard, found[body.name]
            there = np.array([hinge.configuration(row) for row in self._of(body, q)])
            # no pose changes by more than four times as much as c: that of a quaternion does
            far = ~np.all(4.0 * np.abs(here - there) <= SAME, axis=1)
            for c, other in zip(here[far], there[far], strict=True):
                pairs = zip(hinge.pose(c), hinge.pose(other), strict=True)
                if not max(float(np.max(np.abs(a - b))) for a, b in pairs) <= SAME * size:
                    return False
        return all(turn is not None for windings in self._turns for turn in windings)

    @cached_property
    def _points(self) -> tuple[Array, Array]:
        """Some points of the branch that are within its reach: θ and q."""
        reach = self._single.reach
        points = [p for p in self._single.branch.points if reach.lower < p.theta < reach.upper]
        some = np.unique(np.linspace(0, len(points) - 1, min(SAMPLES, len(points))).round().astype(int))
        return np.array([points[k].theta for k in some]), np.array([points[k].q for k in some])

    def _of(self, body: Body, q: Array) -> Array:
        """Return coordinates of one body in all points."""
        return split(q.T, self.numeric.loop.dependent)[body.name].T

    def _find_configurations(self, theta: Array) -> dict[str, Array]:
        """Return configurations that the formulas give at many values of the coordinate, by body."""
        found = self._traced.evaluate_many(theta=theta[:, np.newaxis])
        nothing = np.zeros((len(theta), 0))
        return {body.name: found.get(body.name, nothing) for body in self.numeric.loop.dependent}

    @cached_property
    def _traced(self) -> TracedFunction:
        """The formulas as a graph."""
        loop = self.numeric.loop

        def configurations(theta: Array) -> Mapping[str, Array]:
            motion = SubgraphMotion(loop.parent, loop.bodies, zeros(1))
            motion.independent(self._body.name, theta, slice(0, 1))
            for part in self.formulas:
                part.solve(motion)
            found = {body.name: motion.hinge_motions[body.name].c for body in loop.dependent}
            return {name: c for name, c in found.items() if len(c)}

        return trace(f"formulas of {loop.name}", configurations, {"theta": 1})

    @cached_property
    def _cut(self) -> bool:
        """True if the formulas find configurations beyond the ends of the branch."""
        if self._equal is not None:
            return self._equal._cut
        reach = self._single.reach
        if reach.turning:
            return False
        if comes_round(self._body.inboard):
            beyond = FULL - 2.0 * reach.half
            places = reach.upper + beyond * (np.arange(SAMPLES) + 0.5) / SAMPLES
        else:
            off = 2.0 * reach.half * np.geomspace(NEAREST, FARTHEST, SAMPLES // 2)
            places = np.concatenate((reach.lower - off, reach.upper + off))
        found = self._find_configurations(places)
        return bool(np.any(np.all([np.isfinite(c).all(axis=1) for c in found.values()], axis=0)))

    @cached_property
    def _turns(self) -> list[list[Winding | None]]:
        """Windings of the coordinates of each dependent hinge; None if undetermined.

        There are none for hinges whose configurations lose no whole turns.
        """
        if self._equal is not None:
            return self._equal._turns
        theta, q = self._whole
        lost = self.numeric.kernel.comes_round & (np.max(np.abs(q), axis=0) > math.pi)
        of = split(lost, self.numeric.loop.dependent)
        return [
            [self._winding(theta, column) for column in self._of(body, q).T]
            if body.inboard.n_q == body.inboard.n_v and np.any(of[body.name])
            else []
            for body in self.numeric.loop.dependent
        ]

    @property
    def _whole(self) -> tuple[Array, Array]:
        points = self._single.branch.points
        return np.array([p.theta for p in points]), np.array([p.q for p in points])

    def _winding(self, theta: Array, q: Array) -> Winding | None:
        turning = self._single.reach.turning
        turns = (round(float(q[-1] - q[0]) / float(theta[-1] - theta[0])),) if turning else GEARS
        best: Winding | None = None
        narrowest = WIDEST
        for w in turns:
            rest = q - w * theta
            if float(np.ptp(rest)) < narrowest:
                narrowest = float(np.ptp(rest))
                best = Winding(w, 0.5 * float(np.max(rest) + np.min(rest)))
        return best

    # Evaluation, on floats or traced scalars

    def _inside(self, given: HingeMotion) -> HingeMotion:
        """Return the given hinge, NaN outside the reach of the branch."""
        reach, c = self._single.reach, given.c
        if comes_round(self._body.inboard):
            neutral = float(self._body.inboard.neutral[0])
            middle = reach.centre - neutral
            inside = c[0] * math.cos(middle) + c[1] * math.sin(middle) >= math.cos(min(reach.half, math.pi))
            return given._replace(c=array(where(inside, entry, math.nan) for entry in c))
        theta = self._body.inboard.coordinates(c)[0]
        above = where(theta >= reach.lower, theta, math.nan)
        theta = where(theta <= reach.upper, above, math.nan)
        return given._replace(c=self._body.inboard.configuration(array((theta,))))

    def _with_turns(
        self, plain: Array, given: HingeMotion, windings: Sequence[Winding | None]
    ) -> Array | None:
        """Return coordinates with their whole turns; None where those of the parameter are not known."""
        turns = [turn for turn in windings if turn is not None]
        theta: Scalar = 0.0
        if not self._single.reach.turning:
            reduced = self._single.reduce_to_table(self._body.name, given).q
            assert reduced is not None, "set by `reduce_to_table`"
            theta = reduced[0]
        elif given.q is not None:
            theta = given.q[0]
        elif any(turn.w for turn in turns):
            return None
        return array(
            wrap_angle(angle - turn.w * theta, 1, turn.middle) + turn.w * theta
            for angle, turn in zip(plain, turns, strict=True)
        )
