"""Compiled functions of a model for several lanes, on buffers of one thread."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian
from ce_dynamics.simulation.integrators.blocks import block_of
from ce_dynamics.simulation.monitors.charts import Charts


class Code(NamedTuple):
    """Compiled functions of a model, for several lanes.

    Attributes
    ----------
    dynamics : CompiledFunction or None
        ẏ of y and u; None if it is not wanted.
    control : CompiledFunction or None
        u of t, y and the held inputs; None if these are all.
    observation : CompiledFunction or None
        Outputs and closure errors of y and u; None if they are not wanted.
    sample : CompiledFunction or None
        The state after sampled controllers have looked, of y and u; None if there are none.
    period : float
        Time between samples [s], 0 if there are none.
    observer : Code or None
        What observes in place of this, if that has other lanes or another precision.
    jacobian : CompiledJacobian or None
        ∂ẏ/∂y of y and u, for implicit methods.
    charts : Charts or None
        That states leave for others on the way; None if there are none.
    """

    dynamics: CompiledFunction | None
    control: CompiledFunction | None
    observation: CompiledFunction | None
    sample: CompiledFunction | None = None
    period: float = 0.0
    observer: Code | None = None
    jacobian: CompiledJacobian | None = None
    charts: Charts | None = None

    @property
    def shapes(self) -> tuple[int, int, int]:
        """How many states, inputs and lanes there are."""
        function = self.dynamics or self.observation
        assert function is not None, "one of them is wanted"
        (n, lanes), (m, _) = (function.input_shapes[name] for name in ("y", "u"))
        return n, m, lanes


class LaneBuffers:
    """What the compiled functions of a model read and write, the lane being the last axis everywhere.

    Parameters
    ----------
    code : Code

    Attributes
    ----------
    time, state, held, u, rate, outputs, closures, gearing, sampled : arrays
        ``held`` are the inputs that are given, ``u`` those that a law makes of them; the same without a law.
    made : (1,) int array
        How often sampled controllers have looked.
    addresses : list of int
        Of dynamics, control, observation and sample with their tables; 0 for what there is not.
    charts : Charts or None
    calls, model : int arrays
        As the kernels see them, see `ce_dynamics.simulation.integrators.kernels`.
    """

    def __init__(self, code: Code) -> None:
        self._code, self.charts = code, code.charts
        n, m, lanes = code.shapes
        self.n, self.lanes = n, lanes
        self.time, self.state, self.rate = np.zeros((1, lanes)), np.zeros((n, lanes)), np.zeros((n, lanes))
        self.held = np.zeros((m, lanes))
        self.u = self.held if code.control is None else np.zeros((m, lanes))
        shapes = {} if code.observation is None else code.observation.output_shapes
        self.outputs = np.zeros(shapes.get("outputs", (0, lanes)))
        self.closures = np.zeros(shapes.get("closure", (0, lanes)))
        self.gearing = np.zeros(shapes.get("gearing", (0, lanes)))
        self.sampled = np.zeros((n, lanes))
        self.period, self.made = np.array([code.period]), np.zeros(1, dtype=np.int64)
        arguments = (
            (code.dynamics, (self.state, self.u, self.rate)),
            (code.control, (self.time, self.state, self.held, self.u)),
            (code.observation, (self.state, self.u, self.outputs, self.closures, self.gearing)),
            (code.sample, (self.state, self.u, self.sampled)),
        )
        self._tables = [np.array([a.ctypes.data for a in given], dtype=np.int64) for _, given in arguments]
        self.addresses: list[int] = []
        for (function, _), table in zip(arguments, self._tables, strict=True):
            self.addresses += [0, 0] if function is None else [function.table_address, table.ctypes.data]
        self.calls = np.array(self.addresses, dtype=np.int64)
        flat = (part.reshape(-1) for part in (self.time, self.state, self.rate, self.sampled))
        self.model = block_of((self.calls, *flat, self.period, self.made))

    def on_fresh_charts(self, y: Floats, lanes: Iterable[int]) -> list[int]:
        """Take the states of some lanes in place from worn charts to fresh ones; whose were worn."""
        if self.charts is None:
            return []
        renewed = []
        for lane in lanes:
            state = y[:, lane].copy()
            if self.charts.renew(state):
                y[:, lane] = state
                renewed.append(lane)
        return renewed
