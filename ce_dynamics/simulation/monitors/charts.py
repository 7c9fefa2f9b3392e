"""Moves states of a model from worn charts to new ones, and integrates across such changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.charts import charts_of, trace_renewal
from ce_dynamics.compiler import CompiledFunction, TracedFunction, trace
from ce_dynamics.embedding.charts import WORN

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model


class Charts:
    """The loops of a model with coordinates on charts."""

    def __init__(self, model: Model) -> None:
        self._charts, self._model = charts_of(model), model

    def __bool__(self) -> bool:
        return bool(self._charts)

    def measure_use(self, y: Floats) -> float:
        """Return the used share of the range of the most worn chart; 1 is the end, infinity is beyond it."""
        return self._renewed(y)[1] if self._charts else 0.0

    def renew(self, y: Floats, limit: float = WORN) -> bool:
        """Move a state in place to fresh charts around it if its own are worn; return True if they were.

        A state that is beyond its charts stays.
        """
        if not self._charts:
            return False
        fresh, wear = self._renewed(y)
        if limit <= wear < math.inf:
            y[: len(fresh)] = fresh
            return True
        return False

    def _renewed(self, y: Floats) -> tuple[Floats, float]:
        """Return the state on fresh charts, without the work of an audited run, and the largest wear."""
        fresh, (wear,) = self._renewal(y[: len(self._model.layout.y0)])
        return fresh, float(wear) if np.isfinite(fresh).all() else math.inf

    @cached_property
    def _renewal(self) -> CompiledFunction:
        model = self._model
        trace_it = partial(trace_charts, model)
        return model.get_or_make("renewal", lambda: model.load_function("renewal", trace_it))


def trace_charts(model: Model) -> TracedFunction:
    """Return `trace_renewal` as a traced function of y."""
    return trace("renewal", partial(trace_renewal, model), {"y": len(model.layout.y0)})


class SolutionPieces(NamedTuple):
    """Solution joined from pieces, with the fields of an `OdeResult` that are read."""

    t: Floats
    y: Floats
    success: bool
    message: str


def solve_across_charts(
    charts: Charts,
    solve: Callable[..., Any],
    t_store: Floats,
    y0: Floats,
    after_step: Callable[[float, Floats], float],
) -> SolutionPieces:
    """Solve from chart to chart; every piece ends where a chart is worn.

    ``solve((t0, t1), y0, t_eval=..., events=...)`` is `scipy.integrate.solve_ivp` with its other arguments.
    """

    def worn(t: float, y: Floats) -> float:
        return WORN - min(charts.measure_use(y), 2.0)

    worn.terminal = True  # type: ignore[attr-defined]
    t, y, t_end = float(t_store[0]), np.array(y0), float(t_store[-1])
    charts.renew(y)
    times: list[Floats] = []
    states: list[Floats] = []
    while True:
        left = t_store[t_store >= t] if not times else t_store[t_store > t]
        piece = solve((t, t_end), y, t_eval=left, events=[after_step, worn])
        if len(piece.t) or not times:
            times.append(piece.t)
            states.append(piece.y)
        if piece.status != 1 or not len(piece.t_events[1]):
            break
        t, y = float(piece.t_events[1][-1]), np.array(piece.y_events[1][-1])
        charts.renew(y, 0.9 * WORN)  # the root was found to some accuracy
    return SolutionPieces(np.concatenate(times), np.hstack(states), bool(piece.success), str(piece.message))
