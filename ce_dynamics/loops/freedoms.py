"""Degrees of freedom of a loop, and a choice of independent coordinates where the user names none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from ce_dynamics.arrays import Array
from ce_dynamics.body import Body
from ce_dynamics.errors import ModelError
from ce_dynamics.formula import nominal
from ce_dynamics.loops.assembly import assembled
from ce_dynamics.loops.closure_errors import numerical_rank
from ce_dynamics.loops.kernel import LoopKernel, largest
from ce_dynamics.loops.row_choice import smallest_singular
from ce_dynamics.loops.trial import Loop, held_at_design, moving, stacked_neutral
from ce_dynamics.system import LoopClosure

MOST_COMBINATIONS = 3000
SINGULAR = 1e-9


class Freedoms:
    """What the closures leave to the unprescribed hinges of a sub-graph, in a pose in which they hold.

    That pose is the design pose where it closes; otherwise one assembled from it, moving all hinges as little
    as possible.

    Parameters
    ----------
    bodies : sequence of Body
    closures : sequence of LoopClosure
    free : sequence of Body
        Bodies whose hinges are not prescribed.

    Attributes
    ----------
    Y : (rows, n) array
        Velocity errors per unit (1 rad, or the loop's size) of the velocities of all free hinges.
    """

    def __init__(self, bodies: Sequence[Body], closures: Sequence[LoopClosure], free: Sequence[Body]) -> None:
        members = tuple(sorted(bodies, key=lambda body: body.index))
        names = {body.name for body in members}
        parent = min((b.carrier for b in members if b.carrier.name not in names), key=lambda body: body.depth)
        ends = [end for loop in closures for end in (loop.body_a, loop.body_b)]
        siblings = tuple(dict.fromkeys(end for end in ends if end.name not in names and end is not parent))
        self.free = tuple(body for body in members if body in free)
        self.loop = Loop(parent, members, tuple(closures), self.free)
        self.Y = self._jacobian(siblings) * self.loop.scales

    def _jacobian(self, siblings: tuple[Body, ...]) -> Array:
        loop = self.loop
        given = moving(loop.given, stacked_neutral(loop.given))
        held = held_at_design(siblings, loop.parent)
        q = loop.neutral()
        if largest(nominal(loop.residual(q, given, held))) > 1e-13 * max(1.0, loop.size):
            q = assembled(LoopKernel(loop, siblings))
        columns = sum(len(motion.eta) for motion in given.values()) + loop.m
        Y = nominal(loop.errors(q, np.zeros(columns), given, held).Y).astype(float)
        return np.asarray(Y[:, : loop.m])

    @property
    def number(self) -> int:
        """Degrees of freedom."""
        return int(self.Y.shape[1]) - numerical_rank(self.Y)

    def chosen(self) -> tuple[Body, ...]:
        """Hinges that make the best conditioned Y₁ when they are the independent ones.

        Raises
        ------
        ModelError
            If no set of whole hinges has the right number of coordinates.
        """
        best, found = SINGULAR, None
        for independent in self._selections():
            Y1 = self.Y[:, self._columns_without(independent)]
            quality = smallest_singular(Y1)
            if quality > best * (1.0 + 1e-6):
                best, found = quality, independent
        if found is None:
            raise ModelError(
                f"the loop of {self.loop.name!r} has {self.number} degrees of freedom, but no set of whole "
                f"hinges among {[body.name for body in self.free]} can be its independent coordinates; split "
                f"a hinge with several coordinates into simpler ones, or cut the loop elsewhere"
            )
        return found

    def _selections(self) -> Iterator[tuple[Body, ...]]:
        """Sets of hinges with as many velocities as there are degrees of freedom."""
        number = self.number
        ranked = self._ranked()
        for count in range(number + 1):
            pool = list(self.free)
            while math.comb(len(pool), count) > MOST_COMBINATIONS:
                pool.remove(next(body for body in reversed(ranked) if body in pool))
            for bodies in combinations(pool, count):
                if sum(body.inboard.n_v for body in bodies) == number:
                    yield bodies

    def _ranked(self) -> list[Body]:
        """Hinges from the best to the worst candidate: pivoted QR takes the best dependent columns first."""
        import scipy.linalg  # here, because most models never ask

        _, _, order = scipy.linalg.qr(self.Y, mode="economic", pivoting=True)
        owners = [body for body in self.free for _ in range(body.inboard.n_v)]
        return list(dict.fromkeys(owners[k] for k in reversed(order.tolist())))

    def _columns_without(self, independent: tuple[Body, ...]) -> list[int]:
        """Columns of Y₁ if the given hinges are independent."""
        owners = [body for body in self.free for _ in range(body.inboard.n_v)]
        return [k for k, body in enumerate(owners) if body not in independent]
