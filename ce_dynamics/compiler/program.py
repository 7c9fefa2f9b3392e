"""Programs: compiled functions that read and write named arrays they share."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.compiled_function import CompiledFunction
from ce_dynamics.compiler.rows import address


class Program:
    """Compiled functions on common arrays, found by the names of their inputs and outputs.

    Parameters
    ----------
    functions : mapping of str to CompiledFunction or None
        None stands for a function that is missing.
    arrays : mapping of str to array, optional
        Arrays by name, contiguous and at least as large as the functions need; others are made, of zeros.

    Attributes
    ----------
    arrays : dict of str to array
        Write into them and read from them; replacing an entry has no effect.
    calls : (2 functions,) int array
        Addresses of each function and of its table of arguments, in the given order; 0 where one is missing.
    """

    def __init__(
        self,
        functions: Mapping[str, CompiledFunction | None],
        arrays: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        self._functions = {name: f for name, f in functions.items() if f is not None}
        self.arrays: dict[str, NDArray[np.float64]] = dict(arrays or {})
        self._tables: dict[str, NDArray[np.int64]] = {}
        for name, function in self._functions.items():
            shapes = function.input_shapes | function.output_shapes
            for array, shape in shapes.items():
                if array not in self.arrays:
                    self.arrays[array] = np.zeros(shape)
            pointers = [address(self.arrays[array]) for array in shapes]
            self._tables[name] = np.array(pointers, dtype=np.int64)
        addresses = [
            (self._functions[name].table_address, address(self._tables[name]))
            if name in self._functions
            else (0, 0)
            for name in functions
        ]
        self.calls = np.array(addresses, dtype=np.int64).reshape(-1)

    def run(self, name: str) -> None:
        """Evaluate a function on the present content of the arrays."""
        self._functions[name]._call(ctypes.c_void_p(self._tables[name].ctypes.data))

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self._functions,)  # arrays belong to one process
