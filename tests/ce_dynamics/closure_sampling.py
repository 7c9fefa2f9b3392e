"""Closure errors at thousands of states: the physics traced once and run on many numbers at a time."""

from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, norm, zeros
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closures.loop import closure_errors

LANES = 8


def closure_errors_of(embedding: Embedding) -> "ManyTimes":
    """Return a function for closure errors (M, closures) at (q, u) (M, n_q) and (M, n_u); NaN unassembled."""
    layout = Layout(embedding)

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

    return ManyTimes(trace("closures", errors, {"q": embedding.n_q, "u": len(layout.u)}))


class ManyTimes:
    """Closure errors from a traced function: in NumPy at first, compiled when asked a second time."""

    def __init__(self, traced: TracedFunction) -> None:
        self._traced = traced
        self._asked = False

    def __call__(self, q: Array, u: Array) -> Array:
        """Errors (M, closures)."""
        if not self._asked:
            self._asked = True
            return np.asarray(self._traced.evaluate_many(q=q, u=u)["errors"])
        bound = self._compiled.bind()
        blocks = []
        for k in range(0, len(q), LANES):
            part = np.arange(k, k + LANES) % len(q)
            bound.inputs["q"][:], bound.inputs["u"][:] = q[part].T, u[part].T
            bound.run()
            blocks.append(bound.outputs["errors"].T.copy())
        return np.concatenate(blocks)[: len(q)]

    @cached_property
    def _compiled(self) -> CompiledFunction:
        return compile_function(self._traced, LANES)


def closure_errors_at(embedding: Embedding, q: Array, u: Array | None = None) -> Array:
    """Error of every closure (M, closures) at coordinates (M, n_q) and inputs (M, n_u); NaN unassembled."""
    inputs = zeros(len(q), len(Layout(embedding).u)) if u is None else u
    return closure_errors_of(embedding)(q, inputs)
