"""Charts of loops in the state of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, maximum
from ce_dynamics.embedding.charts import ChartLinkage
from ce_dynamics.embedding.whole_loop import chart_of

if TYPE_CHECKING:
    from ce_dynamics.compiled.compiled_system import CompiledSystem


class LoopChart(NamedTuple):
    """Chart of a loop, with the slices of its q and v in the state y."""

    linkage: ChartLinkage
    q: slice
    v: slice


def charts_of(model: CompiledSystem) -> list[LoopChart]:
    """Return all loops of a model with coordinates on charts."""
    embedding, n_q = model.embedding, len(model.layout.q)
    found = []
    for S in embedding.aggregates:
        linkage = chart_of(S)
        if linkage is not None:
            name = linkage.coordinate.name
            v = embedding.v_of[name]
            found.append(LoopChart(linkage, embedding.q_of[name], slice(n_q + v.start, n_q + v.stop)))
    return found


def trace_renewal(model: CompiledSystem, y: Array) -> dict[str, Array]:
    """Return ``y_renewed``, the state on fresh charts, and ``wear``, the used share of its own charts."""
    renewed, wear = np.array(y, dtype=object), [0.0]
    for chart in charts_of(model):
        worn, renewed[chart.q], renewed[chart.v] = chart.linkage.renewal(y[chart.q], y[chart.v])
        wear = [maximum(wear[0], worn)]
    return {"y_renewed": array(renewed), "wear": array(wear)}
