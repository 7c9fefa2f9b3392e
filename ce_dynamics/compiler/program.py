"""Programs: compiled functions that read and write named arrays they share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.compiled_function import Binding, CompiledFunction


class Program:
    """Compiled functions on common arrays, found by the names of their inputs and outputs.

    None stands for a function that is missing.  ``calls`` (2 functions,) has the addresses of each function
    and of its table of arguments, in the given order; 0 where one is missing.
    """

    def __init__(
        self,
        functions: Mapping[str, CompiledFunction | None],
        arrays: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        self.arrays: dict[str, NDArray[np.float64]] = dict(arrays or {})
        self._bound: dict[str, Binding] = {}
        for name, function in functions.items():
            if function is not None:
                bound = self._bound[name] = function.bind(self.arrays)
                self.arrays |= bound.inputs | bound.outputs
        addresses = [self._bound[name].addresses if name in self._bound else (0, 0) for name in functions]
        self.calls = np.array(addresses, dtype=np.int64).reshape(-1)

    def run(self, name: str) -> None:
        """Evaluate a function on the present content of the arrays."""
        self._bound[name].run()
