"""Moves states of a model from worn charts to new ones, and integrates across such changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.charts import charts_of, trace_renewal
from ce_dynamics.compiler import CompiledFunction, TracedFunction, trace
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.simulation.monitors.monitor import Monitor

if TYPE_CHECKING:
    from ce_dynamics.compiled.model import Model


ROUNDING = 1e-9  # largest difference between the two computations of wear


class Charts(Monitor):
    """The loops of a model with coordinates on charts."""

    def __init__(self, model: Model) -> None:
        self._charts, self._model = charts_of(model), model

    def __bool__(self) -> bool:
        return bool(self._charts)

    def look(self, t: float, y: Floats, evaluations: int) -> bool:
        return self.renew(y)

    def measure_use(self, y: Floats) -> float:
        """Return the used share of the range of the most worn chart; 1 is the end."""
        return max((chart.linkage.measure_use(y[chart.q]) for chart in self._charts), default=0.0)

    def renew(self, y: Floats, limit: float = WORN) -> bool:
        """Move a state in place to fresh charts around it if its own are worn; return True if they were."""
        if not self._charts or self._at_most(y) < limit - ROUNDING:
            return False
        worn = [chart for chart in self._charts if chart.linkage.measure_use(y[chart.q]) >= limit]
        for chart in worn:
            y[chart.q], y[chart.v] = chart.linkage.recentre(y[chart.q], y[chart.v])
        return bool(worn)

    def _at_most(self, y: Floats) -> float:
        """Return an upper bound of `wear`, except for rounding; NaN off the charts.

        The bound is computed two hundred times faster than `wear`.
        """
        (wear,) = self._used_share(y)
        return float(wear[0])

    @cached_property
    def _used_share(self) -> CompiledFunction:
        model = self._model
        return model.get_or_make("wear", lambda: model.load_function("wear", partial(trace_wear, model)))


def trace_wear(model: Model) -> TracedFunction:
    """Return the traced upper bound of the wear of the most worn chart, a function of y."""
    return trace("wear", lambda y: {"wear": trace_renewal(model, y)["wear"]}, {"y": len(model.layout.y0)})


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
