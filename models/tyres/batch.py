"""A function of one operating point as machine code over arrays of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.machine import CompiledFunction
from ce_dynamics.compiler.tracing.function import TracedFunction

FEW = 32
"""Points up to which they are called one after the other from Python, without loading numba."""


class Batch:
    """A traced function of one vector ``x`` with one vector ``y`` as result, over rows of points.

    Parameters
    ----------
    traced : TracedFunction
    """

    def __init__(self, traced: TracedFunction) -> None:
        from ce_dynamics.compiler.machine import compile_function  # here, because it loads LLVM

        self.function: CompiledFunction = compile_function(traced)
        self._single = self.function.bind()
        (self.n,), (self.m,) = self.function.input_shapes["x"], self.function.output_shapes["y"]

    def one(self, x: Sequence[float]) -> Floats:
        """The result at one point; the array is overwritten by the next call."""
        self._single.inputs["x"][:] = x
        self._single.run()
        return self._single.outputs["y"]

    def __call__(self, x: Floats) -> Floats:
        """Results (N, m) at points (N, n)."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        y = np.empty((len(x), self.m))
        if len(x) <= FEW:
            for k, row in enumerate(x):
                y[k] = self.one(row)
            return y
        from ce_dynamics.models.tyres.batch_kernel import run  # here, because it loads Numba

        run(self.function.table_address, x, y, np.empty(2, dtype=np.int64))
        return y
