"""Degrees of freedom of a loop, and a choice of independent coordinates where the user names none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.algebra.newton import largest_residual
from ce_dynamics.embedding.closures.assembly import AROUND, LoopProblem, assemble, null_rows
from ce_dynamics.embedding.closures.choices import MOST_TRIED, IndependentChoice
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import (
    Loop,
    held_at_design,
    moving,
    numerical_rank,
    parts_of,
    rows_of,
    stack_neutral,
    surroundings,
    with_unit_quaternions,
)
from ce_dynamics.errors import IndependentCoordinatesError, OverConstrainedError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.parameters import to_nominal

STILL = 1e-9  # rate of a hinge, per unit of a motion of the loop, that counts as none
SPANNED = 1e-6
"""Rate of a hinge in some way, per unit of a motion of the loop, that counts as none: an axis that turns with
the loop is off by the square of a step, 1e-3, in the third of three poses; poses are closed to 1e-13."""
EXACTLY = 1e-14
"""Singular values of Y below this are rounding, which is a few 1e-16 for every body of a chain."""
BARELY = 1e-4
"""Singular values of Y below this may be relations between axes or points that data of few digits miss."""
ASSEMBLED = 1e-11
"""The same in a pose that was assembled, whose coordinates are known to 1e-13 times some condition."""


def is_holonomic(hinge: Hinge) -> bool:
    """Return True if what a hinge imposes on velocities is what it imposes on positions."""
    return all(condition.holonomic for condition in hinge.constraints)


class Freedoms:
    """Freedoms that the closures leave to the unprescribed hinges of a sub-graph, in a closed pose.

    The closed pose is the design pose, if all closures hold there.  Otherwise it is assembled from the design
    pose, and all hinges move as little as possible.  Y (rows, n) has the velocity errors per unit (1 rad, or
    the loop's size) of the velocities of all free hinges.
    """

    def __init__(self, bodies: Sequence[Body], closures: Sequence[CutEdge], free: Sequence[Body]) -> None:
        members = tuple(sorted(bodies, key=lambda body: body.index))
        parent, siblings = surroundings(members, closures)
        self.free = tuple(body for body in members if body in free)
        loop = Loop(parent, members, tuple(closures), self.free)
        self.loop, siblings = to_nominal((loop, siblings), parent)
        self._given = moving(self.loop.given, stack_neutral(self.loop.given))
        self._held = held_at_design(siblings, self.loop.parent)
        q, self._exactly = self.loop.neutral(), EXACTLY
        residual, self.Y, self._Y_given = self._errors(q)
        if largest_residual(residual) > self.loop.tolerance:
            q, self._exactly = assemble(LoopKernel(self.loop, siblings)), ASSEMBLED
            _, self.Y, self._Y_given = self._errors(q)
        self._problem = LoopProblem(self.loop, q, lambda q: self._errors(q)[:2], self._move)

    def _errors(self, q: Array) -> tuple[Array, Array, Array]:
        """Return residual, scaled Y over the free hinges, and Y over those with prescribed motion."""
        m = self.loop.m
        columns = sum(len(motion.eta) for motion in self._given.values()) + m
        errors = self.loop.errors(q, np.zeros(columns), self._given, self._held)
        Y = np.asarray(errors.Y, dtype=float)
        return np.asarray(errors.residual, dtype=float), Y[:, :m] * self.loop.scales, Y[:, m:]

    @property
    def number(self) -> int:
        """Degrees of freedom."""
        return int(self.Y.shape[1]) - numerical_rank(self.Y)

    @property
    def redundant_rows(self) -> int:
        """Closure conditions more than needed to take the freedoms that are gone."""
        return int(self.Y.shape[0]) - numerical_rank(self.Y)

    @property
    def redundant_exactly(self) -> int:
        """Number of redundant rows that others imply up to rounding, in a closed pose nearby as well."""
        exactly = int(self.Y.shape[0]) - numerical_rank(self.Y, self._exactly)
        return exactly - (self.number - self.number_nearby) if exactly else 0

    @property
    def follows(self) -> bool:
        """True if the free hinges can follow whatever the prescribed ones do."""
        return numerical_rank(np.hstack((self.Y, self._Y_given))) == numerical_rank(self.Y)

    @cached_property
    def number_nearby(self) -> int:
        """Degrees of freedom in a closed pose close by; fewer than ``number`` at a singular design pose."""
        Y = self._Y_nearby
        return self.number if Y is None else int(Y.shape[1]) - numerical_rank(Y)

    @cached_property
    def immobile(self) -> tuple[Body, ...]:
        """Bodies whose hinges could move but for the closures, here and close by."""
        still = self._fixed_bodies(self.Y)
        if still and self._Y_nearby is not None:
            elsewhere = self._fixed_bodies(self._Y_nearby)
            still = tuple(body for body in still if body in elsewhere)
        return still

    @property
    def confined(self) -> tuple[tuple[Body, int], ...]:
        """Hinges that move in fewer ways than they could, though not in none, and in how many.

        Velocities in a few poses span them: a ball joint in a planar mechanism turns about one axis only.
        """
        elsewhere = map(self._problem.close_nearby, AROUND)
        poses = [self.Y, *(Y for Y in elsewhere if Y is not None)]
        if len(poses) <= len(AROUND):
            return ()
        motions = np.hstack([null_rows(Y).T for Y in poses])
        ways = [(body, numerical_rank(motions[part], SPANNED)) for body, _, part in parts_of(self.free)]
        return tuple((body, number) for body, number in ways if 0 < number < body.inboard.n_v)

    @cached_property
    def rolling(self) -> tuple[Body, ...]:
        """Hinges that roll: positions do not determine their place, which depends on the way there."""
        found = tuple(body for body in self.free if not is_holonomic(body.inboard))
        if not found or self._given or self._held:  # these move it as well
            return found
        return tuple(body for body in found if body not in self.immobile)

    def held_within(self, tolerance: float) -> bool:
        """Return True if conditions that agree to a tolerance hold something, or contradict each other."""
        rank = numerical_rank(self.Y, tolerance)
        if rank == numerical_rank(self.Y, self._exactly):
            return False
        if rank < numerical_rank(self.Y):
            return len(self._fixed_bodies(self.Y, rank)) < len(self._fixed_bodies(self.Y))
        try:
            self.refuse_contradiction()
        except OverConstrainedError:
            return True
        return False

    def _fixed_bodies(self, Y: Array, rank: int | None = None) -> tuple[Body, ...]:
        """Return bodies whose hinges no motion that Y allows moves; with its rank, if that is known."""
        _, _, Vt = singular_values_and_vectors(Y)
        rank = numerical_rank(Y) if rank is None else rank
        largest = np.max(np.abs(Vt[rank:]), axis=0, initial=0.0)
        moving = ((body, part) for body, _, part in parts_of(self.free) if body.inboard.n_v)
        return tuple(body for body, part in moving if np.max(largest[part]) < STILL)

    @cached_property
    def _Y_nearby(self) -> Array | None:
        """Y in a closed pose close by, None if there is none."""
        return self._problem.close_nearby()

    def _move(self, q: Array, step: Array) -> Array:
        """Return coordinates moved by a small step of scaled velocities."""
        moved = self.loop.advance(q, step * self.loop.scales)
        return with_unit_quaternions(self.loop.dependent, moved)

    def refuse_contradiction(self) -> None:
        """Refuse redundant conditions that hold together in the design pose only."""
        if self.redundant_rows:
            self._problem.refuse_contradiction()

    @property
    def barely_held(self) -> int:
        """Freedoms that conditions take only by what may be the precision of data, here and close by."""
        here = int(self.Y.shape[1]) - numerical_rank(self._per_size(self.Y), BARELY)
        if here <= self.number or self._Y_nearby is None:  # poses close by take long to find
            return max(here - self.number, 0)
        nearby = int(self._Y_nearby.shape[1]) - numerical_rank(self._per_size(self._Y_nearby), BARELY)
        return max(min(here, nearby) - self.number, 0)

    def _per_size(self, Y: Array) -> Array:
        """Return Y with lengths in sizes of the loop, so that its entries do not depend on units.

        Rows of couplings and written constraints, whose units are not known, have a largest entry of 1.
        """
        scaled = Y.copy()
        for edge, rows in rows_of(self.loop.closures):
            if isinstance(edge, LoopClosure):
                lengths = [one.is_length for one in edge.closure.constraints for _ in range(one.rows)]
                scaled[rows][lengths] /= self.loop.size
            else:
                most = np.max(np.abs(Y[rows]), axis=1, initial=0.0)
                scaled[rows] /= np.where(most > 0.0, most, 1.0)[:, np.newaxis]
        return scaled

    @cached_property
    def choice(self) -> IndependentChoice:
        """Candidates for the independent coordinates."""
        return IndependentChoice(self.Y, self.free, self.number)

    def refuse_choice(self) -> NoReturn:
        """Raise the error for a loop that no hinges can lead."""
        extent = "no set" if self.choice.searched else f"none of {MOST_TRIED} sets"
        raise IndependentCoordinatesError(
            f"the loop of {self.loop.name!r} has {self.number} degrees of freedom, but {extent} of whole "
            f"hinges or of their components among {[body.name for body in self.free]} can be its "
            f"independent coordinates, nor coordinates of the whole loop, because of what else moves it or "
            f"its free geometry; name a FunctionCoordinate, or cut the loop elsewhere"
        )
