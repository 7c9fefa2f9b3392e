"""An embedding for positions at one state: what is led straight is led by its compiled closures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closed_forms.standing_for import StandingFor
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage, find_continued_linkages


class SolvedLinkage(StandingFor):
    """Hinges of a loop at coordinates that were found for one state, at rest.

    Parameters
    ----------
    inner : NumericLinkage
    q : (n_q,) array
        Dependent coordinates.
    """

    def __init__(self, inner: NumericLinkage, q: Array) -> None:
        super().__init__(inner)
        self._loop, self._q = inner.loop, q

    def solve(self, motion: SubgraphMotion) -> None:
        for body, q in zip(self._loop.dependent, self._loop.split(self._q).values(), strict=True):
            hinge, n_v = body.inboard, body.inboard.n_v
            known = q if hinge.n_q == n_v else None
            X = zeros(n_v, motion.N)
            motion.set(body.name, HingeMotion(hinge.configuration(q), X, zeros(n_v), zeros(n_v), q=known))


def led_from_outside(embedding: Embedding) -> list[NumericLinkage]:
    """Loops that are led straight, by nothing but independent coordinates."""
    return [
        linkage
        for S in embedding.aggregates
        for linkage in find_continued_linkages(S.linkages)
        if set(linkage.parameters) <= set(S.independent)
    ]


def continue_linkages(embedding: Embedding, q: Array) -> dict[Linkage, Array]:
    """Dependent coordinates of such loops at independent coordinates q, where no more is asked for."""
    found: dict[Linkage, Array] = {}
    for linkage in led_from_outside(embedding):
        parts = (q[embedding.q_of[body.name]] for body in linkage.parameters)
        coordinates = linkage.continue_to(np.concatenate([np.zeros(0), *parts]))
        if coordinates is not None:
            found[linkage] = coordinates
    return found


def with_placed(embedding: Embedding, found: Mapping[Linkage, Array]) -> Embedding:
    """An embedding that has the same positions, and no rates of loops whose coordinates are given."""
    aggregates = tuple(
        replace(S, linkages=tuple(place_linkage(linkage, found.get(linkage)) for linkage in S.linkages))
        for S in embedding.aggregates
    )
    owner = {body.name: S for S in aggregates for body in S.bodies}
    return replace(embedding, aggregates=aggregates, owner=owner)


def place_linkage(linkage: Linkage, q: Array | None) -> Linkage:
    """Return a `SolvedLinkage` at q if the linkage is numeric and q is known; else the linkage itself."""
    return SolvedLinkage(linkage, q) if isinstance(linkage, NumericLinkage) and q is not None else linkage
