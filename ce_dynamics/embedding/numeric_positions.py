"""Poses in which loops that are led straight start.

A loop that other linkages lead needs these to be evaluated at the start, because hinges in the design pose
seldom fit coordinates that start elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.loop import parts_of
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage, find_continued_linkages, is_moved


class SolvedLinkage(Linkage):
    """Hinges of a loop at dependent coordinates q that were found for one state, at rest."""

    def __init__(self, inner: NumericLinkage, q: Array) -> None:
        self.stands_for, self._loop, self._q = inner, inner.loop, q
        self.determines, self.closes = inner.determines, inner.closes

    def solve(self, motion: SubgraphMotion) -> None:
        for body, at, _ in parts_of(self._loop.dependent):
            hinge, n_v, q = body.inboard, body.inboard.n_v, self._q[at]
            known = q if hinge.n_q == n_v else None
            X = zeros(n_v, motion.N)
            motion.set(body.name, HingeMotion(hinge.configuration(q), X, zeros(n_v), zeros(n_v), q=known))


Start = Mapping[str, Array]  # coordinates at the start by body, where they are not of the design pose


def linkages_with_starts(S: Aggregate, start: Start) -> tuple[Linkage, ...]:
    """Return the linkages of an aggregated body; its loops that are led straight start where it starts."""
    if not is_moved(S.independent, start):
        return S.linkages
    moved: dict[Linkage, Linkage] = dict(starting(S, start))
    return tuple(moved.get(linkage, linkage) for linkage in S.linkages)


def can_start_at(S: Aggregate, start: Start) -> bool:
    """Return True if a way leads every loop that is led straight to a start; nothing is compiled for it."""
    return all(moved.start is not None for _, moved in starting(S, start))


def starting(S: Aggregate, start: Start) -> Iterator[tuple[NumericLinkage, NumericLinkage]]:
    """Yield loops that are led straight, each with the same one starting at a start, as they are solved."""
    if S.siblings or S.prescribed or any(linkage.has_free_geometry for linkage in S.linkages):
        yield from ((one, one.starting_at(start)) for one in find_continued_linkages(S.linkages))
        return
    motion = SubgraphMotion(S.parent, (*S.bodies, *S.virtual), np.zeros(S.N))
    for body in S.independent:
        motion.independent(body.name, start.get(body.name, body.inboard.neutral), S.columns(body))
    known = dict(start)
    for linkage in S.linkages:
        if isinstance(linkage, NumericLinkage) and linkage.is_led_straight:
            moved = linkage.starting_at(known)
            yield linkage, moved
            q = np.full_like(linkage.q0, np.nan) if moved.start is None else moved.start.q
            SolvedLinkage(linkage, q).solve(motion)
        else:
            with np.errstate(all="ignore"):
                linkage.solve(motion)
        known |= {name: motion.coordinates(name).astype(float) for name in linkage.determines}
