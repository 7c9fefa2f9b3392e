"""An embedding for positions at one state on floats: what is led straight is led by its compiled closures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.closed_forms.standing_for import StandingFor
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage


class Placed(StandingFor):
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


def on_numbers(embedding: Embedding, q: Array) -> Embedding:
    """An embedding that has the same positions at independent coordinates q, and no rates of such loops."""
    aggregates = tuple(placed(embedding, S, q) for S in embedding.aggregates)
    owner = {body.name: S for S in aggregates for body in S.bodies}
    return replace(embedding, aggregates=aggregates, owner=owner)


def placed(embedding: Embedding, S: Aggregate, q: Array) -> Aggregate:
    """An aggregated body whose loops that are led straight are where they are at q."""
    return replace(S, linkages=tuple(placed_linkage(embedding, S, linkage, q) for linkage in S.linkages))


def placed_linkage(embedding: Embedding, S: Aggregate, linkage: Linkage, q: Array) -> Linkage:
    """What stands for a linkage at q; the linkage itself where it is to be asked."""
    if not (isinstance(linkage, NumericLinkage) and set(linkage.kernel.parameters) <= set(S.independent)):
        return linkage
    p = np.concatenate([np.zeros(0), *(q[embedding.q_of[body.name]] for body in linkage.kernel.parameters)])
    found = linkage.led_to(p)
    return linkage if found is None else Placed(linkage, found)
