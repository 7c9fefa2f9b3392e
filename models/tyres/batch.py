"""A function of one operating point as machine code over arrays of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.compiled_function import CompiledFunction
from ce_dynamics.compiler.machine import compile_function
from ce_dynamics.compiler.tracing.function import TracedFunction

FEW = 32
"""Points up to which they are called one after the other from Python, without loading numba."""

LANES = 8
"""Points at once beyond that."""


class TyreBatch:
    """A traced function of one vector ``x`` with one vector ``y`` as result, over rows of points.

    Parameters
    ----------
    traced : TracedFunction
    """

    def __init__(self, traced: TracedFunction) -> None:
        self.traced = traced
        self.function: CompiledFunction = compile_function(traced)
        self._single = self.function.bind()
        (self.n,), (self.m,) = self.function.input_shapes["x"], self.function.output_shapes["y"]

    @cached_property
    def wide(self) -> CompiledFunction:
        """The same for several points at once; every one gets the same bits as alone."""
        return compile_function(self.traced, LANES)

    def one(self, x: Sequence[float]) -> Floats:
        """Return the result at one point; the array is overwritten by the next call."""
        self._single.inputs["x"][:] = x
        self._single.run()
        return self._single.outputs["y"]

    def __call__(self, x: Floats) -> Floats:
        """Return results (N, m) at points (N, n)."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        y = np.empty((len(x), self.m))
        if len(x) <= FEW:
            for k, row in enumerate(x):
                y[k] = self.one(row)
            return y
        from ce_dynamics.models.tyres.batch_kernel import run  # here, because numba takes a second to load

        table = np.empty(2, dtype=np.int64)
        run(self.wide.table_address, x, y, np.empty((self.n, LANES)), np.empty((self.m, LANES)), table)
        return y
