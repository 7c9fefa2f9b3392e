"""Closure errors at thousands of states: the physics traced once and run on many numbers at a time."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, norm, zeros
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closures.closure_errors import closure_errors


def closure_errors_at(embedding: Embedding, q: Array, u: Array | None = None) -> Array:
    """Error of every closure (M, closures) at coordinates (M, n_q) and inputs (M, n_u); NaN unassembled."""
    layout = Layout(embedding)
    inputs = zeros(len(q), len(layout.u)) if u is None else u

    def errors(q: Array, u: Array) -> dict[str, Array]:
        instant = Instant(embedding, layout, q, zeros(embedding.n_v), layout.split(layout.y0)[2], u)
        motions = instant.outward.motions
        return {
            "errors": array(
                norm(closure_errors(motions[S.name], [loop]).residual)
                for S in embedding.aggregates
                for loop in S.closures
            )
        }

    traced = trace("closures", errors, {"q": embedding.n_q, "u": len(layout.u)})
    return np.asarray(traced.evaluate_many(q=q, u=inputs)["errors"])
