"""Selects the independent coordinates of a loop for which the model names none, and the rows that are kept.

The freedoms of a closed pose are the null space N of Y, with one row for every velocity of the hinges and one
column for every freedom.  Velocities can be independent if their rows of N form a regular matrix; Y₁ is then
regular too.  Of redundant closures as many rows are kept as make Y₁ square, and regular in all poses.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import singular_values_and_vectors
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.leading import group_leads
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import HingeComponent, Lead, components

MOST_COMBINATIONS = 3000
MOST_TRIED = 20000  # partial sets of hinges with several coordinates each
MOST_EXCHANGES = 30
CLEARLY = 1.05
SINGULAR = 1e-9


WEAK, MUCH = 0.02, 4.0
"""A smallest singular value of Y₁ below which components of hinges are tried for leaders, and how many times
better they have to be: a loop whose leaders move it that badly is soon at the end of their reach."""


class IndependentChoice:
    """Candidates for the independent coordinates of a sub-graph, in a closed pose.

    Y is the scaled closure Jacobian over the velocities of the free hinges, ``number`` the degrees of
    freedom.
    """

    def __init__(self, Y: Array, free: Sequence[Body], number: int) -> None:
        self.Y, self.number = Y, number
        self.free = [body for body in free if body.inboard.n_v]
        self.owners = [body for body in self.free for _ in range(body.inboard.n_v)]
        _, _, Vt = singular_values_and_vectors(Y)
        self.N = np.asarray(Vt[len(Vt) - number :].T)
        self.searched = True  # False if the last search was cut short: there may be more

    def choose_leads(self, avoid: Collection[Body] = ()) -> list[Lead] | None:
        """Return independent coordinates for the best conditioned Y₁: whole hinges, or components.

        Hinges to avoid are taken only where there is no choice without them; None if not even components of
        the hinges can lead the loop.  Where all whole hinges lead badly, as with a rod between two balls
        whose tilt the rest of the loop can hardly follow, components lead if they do so clearly better.
        """
        whole = self.whole_hinges(avoid)
        if whole is not None:
            quality = self.quality(whole)
            if quality > WEAK or all(body.inboard.n_v < 2 for body in self.free):
                return [*whole]
        found = self.with_components(avoid)
        if whole is not None and (found is None or self.quality(found) < MUCH * quality):
            return [*whole]
        return found

    def choose_among(self, allowed: Collection[Body]) -> list[Lead] | None:
        """Return single coordinates of some hinges only that lead the loop; None if they cannot."""
        found = self.with_components([body for body in self.free if body not in allowed])
        owners = {lead.owner if isinstance(lead, HingeComponent) else lead for lead in found or ()}
        return found if owners <= {*allowed} else None

    def whole_hinges(self, avoid: Iterable[Body] = ()) -> tuple[Body, ...] | None:
        """Return hinges that make the best conditioned Y₁, None if no set of whole hinges can lead.

        Those to avoid are taken only where there is no choice without them.
        """
        avoided = set(avoid)
        preferred = [body for body in self.free if body not in avoided]
        for pool in (preferred, self.free) if len(preferred) < len(self.free) else (self.free,):
            found = self._best(self._selections(pool))
            if found is None:
                found = self._first(pool)
            if found is not None:
                return found
        return None

    def with_components(self, avoid: Iterable[Body] = (), wanted: Collection[Body] = ()) -> list[Lead] | None:
        """Return components of hinges beside wanted hinges; None if there are too few.

        Displacements and single angles come first, hinges to avoid last.  The rows of wanted hinges stay
        where others are exchanged.
        """
        avoided = set(avoid)
        fixed = {k for k, owner in enumerate(self.owners) if owner in wanted}
        known = [c for body in self.free if body not in wanted for c in components(body)]
        at = {component.name: self._row(component) for component in known}
        others = [c for c in known if c.owner not in avoided]
        plain = [c for c in others if len(c.bodies) == 1]
        for tier in (plain, others, known):
            rows = self._choose_greedily([at[c.name] for c in tier], fixed)
            if rows is not None:
                whole, parts = group_leads(c for c in tier if at[c.name] in rows)
                return [*wanted, *whole, *parts]
        return None

    def quality(self, leads: Iterable[Lead]) -> float:
        """Return the smallest singular value of Y₁ where these hinges and components lead."""
        rows = set[int]()
        for lead in leads:
            if isinstance(lead, HingeComponent):
                rows.add(self._row(lead))
            else:
                rows |= {k for k, owner in enumerate(self.owners) if owner is lead}
        return self._quality(rows)

    def _row(self, component: HingeComponent) -> int:
        return self.owners.index(component.owner) + component.velocity

    # Whole hinges

    def _best(self, selections: Iterable[tuple[Body, ...]]) -> tuple[Body, ...] | None:
        """Return the selection with the best conditioned Y₁, None if all are singular."""
        best, found = SINGULAR, None
        for independent in selections:
            rest = [k for k, body in enumerate(self.owners) if body not in independent]
            quality = smallest_singular(self.Y[:, rest])
            if quality > best * (1.0 + 1e-6):
                best, found = quality, independent
        return found

    def _selections(self, pool: Sequence[Body]) -> Iterator[tuple[Body, ...]]:
        """Yield sets of hinges with as many velocities as there are degrees of freedom.

        Where they are very many, those without the hinges that are the worst candidates.
        """
        ranked = [body for body in self._rank() if body in pool]
        for count in range(self.number + 1):
            kept = list(pool)
            while math.comb(len(kept), count) > MOST_COMBINATIONS:
                kept.remove(next(body for body in reversed(ranked) if body in kept))
            for bodies in combinations(kept, count):
                if sum(body.inboard.n_v for body in bodies) == self.number:
                    yield bodies

    def _first(self, pool: Sequence[Body]) -> tuple[Body, ...] | None:
        """Return a set of whole hinges that can lead: the first in the order of the best candidates.

        Every hinge of a set that can lead has rows of N which those before it do not span; a branch in which
        one has not is left.
        """
        ranked = [body for body in self._rank() if body in pool]
        blocks = {
            body: self.N[[k for k, owner in enumerate(self.owners) if owner is body]] for body in ranked
        }
        tried = 0
        # (next candidate, hinges so far, orthonormal basis of what they leave free)
        waiting: list[tuple[int, tuple[Body, ...], Array]] = [(0, (), np.eye(self.number))]
        while waiting:
            k, bodies, left = waiting.pop()
            if left.shape[1] == 0:
                return bodies
            tried += 1
            if tried > MOST_TRIED:
                self.searched = False
                return None
            if k == len(ranked) or sum(body.inboard.n_v for body in ranked[k:]) < left.shape[1]:
                continue
            body = ranked[k]
            waiting.append((k + 1, bodies, left))
            block = blocks[body] @ left
            if len(block) <= left.shape[1]:
                _, singular, Vt = singular_values_and_vectors(block)
                if singular[-1] > SINGULAR:
                    waiting.append((k + 1, (*bodies, body), left @ Vt[len(block) :].T))
        return None

    def _rank(self) -> list[Body]:
        """Rank hinges, the best candidates first: pivoted QR takes the best dependent columns first."""
        import scipy.linalg  # here, because few models need it

        _, _, order = scipy.linalg.qr(self.Y, mode="economic", pivoting=True)
        return list(dict.fromkeys(self.owners[k] for k in reversed(order.tolist())))

    # Single velocities

    def _choose_greedily(self, rows: Sequence[int], fixed: Collection[int] = ()) -> set[int] | None:
        """Return rows of N that are regular together, exchanged while Y₁ gets better; None if there are none.

        A pivoted QR finds a regular set wherever there is one, beside fixed rows in what these leave.
        """
        import scipy.linalg  # here, because few models need it

        number, N = self.number - len(fixed), self.N
        if number < 0 or len(rows) < number:
            return None
        if fixed:
            _, singular, Vt = singular_values_and_vectors(self.N[sorted(fixed)])
            if singular[-1] <= SINGULAR:
                return None
            N = self.N @ Vt[len(fixed) :].T
        found = set(fixed)
        if number:
            _, R, order = scipy.linalg.qr(N[rows].T, mode="economic", pivoting=True)
            if abs(R[number - 1, number - 1]) <= SINGULAR:  # the least of the diagonal
                return None
            found |= {rows[k] for k in order[:number]}
        for _ in range(MOST_EXCHANGES):
            better = self._exchange_first(found, rows, fixed)
            if better is None:
                break
            found = better
        return found

    def _exchange_first(
        self, found: set[int], rows: Sequence[int], fixed: Collection[int] = ()
    ) -> set[int] | None:
        """Exchange the first member that makes Y₁ clearly better; return the set, None if there is none."""
        quality = self._quality(found)
        for out in sorted(found - set(fixed)):
            for other in rows:
                trial = {*found, other} - {out}
                if other not in found and self._quality(trial) > CLEARLY * quality:
                    return trial
        return None

    def _quality(self, found: set[int]) -> float:
        return smallest_singular(self.Y[:, [k for k in range(self.Y.shape[1]) if k not in found]])


logger = logging.getLogger(__name__)

POOR = 1e-3  # quality of a choice below which a warning is logged
MOST_POSES = 40
ROUNDING = 1e-10
"""A row that is smaller than this part of the largest one, in all poses, is rounding and counts as none.

Rounding leaves at most about 1e-15 of the largest row for every body of a chain.  What is small because data
were printed with few digits is at least as large as the geometric tolerance, or the geometry would be
taken as exact (`ce_dynamics.embedding.precision`): 1e-5 by default.  This is in the middle.
"""


class RowChoice:
    """A fixed selection of m independent rows of Y₁, well conditioned over sample poses.

    ``samples`` are scaled Y₁ (rows, m), the first in the design pose.
    """

    def __init__(self, samples: Sequence[Array]) -> None:
        n_rows, m = samples[0].shape
        size = np.max([np.linalg.norm(Y, axis=1) for Y in samples], axis=0)
        counts = size > ROUNDING * np.max(size, initial=0.0)
        scale = np.where(counts, 1.0 / np.where(counts, size, 1.0), 0.0)
        scaled = [Y * scale[:, np.newaxis] for Y in samples]
        references = [smallest_singular(Y) for Y in scaled]
        regular = [(Y, s) for Y, s in zip(scaled, references, strict=True) if s > 1e-7]
        # quality: smallest singular value of the kept rows over that of all rows, worst sample
        self.rows, self.quality = tuple(range(n_rows)), 1.0
        if n_rows == m or not regular:
            self.rows = tuple(range(m))
            return
        best = -1.0
        for rows in candidates(regular[0][0], m):
            worst = min(smallest_singular(Y[list(rows)]) / s for Y, s in regular)
            if worst > best * (1.0 + 1e-9):
                best, self.rows = worst, rows
        self.quality = best


def candidates(Y: Array, m: int) -> Iterator[tuple[int, ...]]:
    """Yield selections of m rows: all; where they are too many, that of a pivoted QR and its neighbours."""
    import scipy.linalg  # here, because few models need it

    useful = [i for i in range(len(Y)) if np.any(Y[i] != 0.0)]
    if math.comb(len(useful), m) <= MOST_COMBINATIONS:
        yield from combinations(useful, m)
        return
    _, _, order = scipy.linalg.qr(Y.T, pivoting=True, mode="economic")
    first = tuple(sorted(order[:m].tolist()))
    yield first
    for out in first:
        for other in order[m:].tolist():
            yield tuple(sorted({*first, other} - {out}))


def smallest_singular(Y: Array) -> float:
    """Return the m-th singular value of a matrix with m columns."""
    return float(np.linalg.svd(Y, compute_uv=False)[-1]) if Y.size else 1.0


def rows_along(kernel: LoopKernel, q0: Array, poses: Sequence[tuple[Array, Array]]) -> RowChoice:
    """Return rows for the design pose and some of many others, which are given by q and p."""
    some = poses[:: max(1, len(poses) // MOST_POSES)]
    return choose_rows(kernel, [kernel(q, p)[1] for q, p in ((q0, kernel.p0), *some)])


def rows_around(kernel: LoopKernel, q: Array, p: Array) -> RowChoice:
    """Return rows for a pose and those around it."""
    m = kernel.loop.m
    samples = [kernel(q, p)[1]]
    for j, scale in enumerate(kernel.column_scales[m:]):
        for amount in (-0.2, -0.05, 0.05, 0.2):
            step = np.zeros(len(kernel.column_scales) - m)
            step[j] = amount * scale
            moved = kernel.move_parameters(p, step)
            found = kernel.newton(q, moved)
            if found.error <= kernel.tolerance:
                samples.append(kernel(found.x, moved)[1])
    return choose_rows(kernel, samples)


def choose_rows(kernel: LoopKernel, samples: list[Array]) -> RowChoice:
    """Return rows for all samples of Y."""
    choice = RowChoice([kernel.scale_columns(Y)[:, : kernel.loop.m] for Y in samples])
    if choice.quality < POOR:
        logger.warning(
            "loop of %r: no fixed choice of rows is well conditioned (quality %.2g); cut it elsewhere",
            kernel.loop.name,
            choice.quality,
        )
    return choice
