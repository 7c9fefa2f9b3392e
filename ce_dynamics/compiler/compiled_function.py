"""Functions in machine code, and the ways to call them."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.codegen import emit
from ce_dynamics.compiler.llvm import Signature, address
from ce_dynamics.compiler.tracing.function import Shape, TracedFunction
from ce_dynamics.errors import ModelError

_EVALUATE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_EVALUATE_ROW = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)  # keeps the lock: a row is too short to hand it over


class CodeKind(NamedTuple):
    """Kind of machine code; see `ce_dynamics.compiler.machine.compile_function`."""

    lanes: int = 1
    fused: bool = True
    single: bool = False


ONE_LANE = CodeKind()


class CompiledFunction:
    """Machine code of a traced function.

    Attributes
    ----------
    signature : Signature
    lanes : int
    address : int
        Of ``void f(double* in_0, ..., double* out_0, ...)``, for callers such as numba; valid while this
        object lives.
    table_address : int
        Of ``void f(double** arguments)``, with the same pointers in a table.
    kind : CodeKind
    input_shapes, output_shapes : dict of name to shape
        Of the arrays of a call: with lanes > 1 the last axis is the lane.
    """

    def __init__(
        self,
        traced: TracedFunction | Callable[[], TracedFunction],
        kind: CodeKind,
        library: Any,
        signature: Signature,
        tables: Sequence[Table] = (),
    ) -> None:
        self.kind, self.lanes = kind, kind.lanes
        self._traced = traced
        self._tables = tuple(tables)  # the code reads their memory
        self.signature = signature
        self._library = library
        self.address: int = library[emit.ENTRY]
        self.table_address: int = library[emit.TABLE_ENTRY]
        self._call = _EVALUATE(self.table_address)
        extra = () if kind.lanes == 1 else (kind.lanes,)
        self.input_shapes: dict[str, Shape] = {k: s + extra for k, s in signature.input_shapes.items()}
        self.output_shapes: dict[str, Shape] = {k: s + extra for k, s in signature.output_shapes.items()}

    @property
    def name(self) -> str:
        """Name of the traced function."""
        return self.signature.name

    @property
    def traced(self) -> TracedFunction:
        """The instructions; traced now where the code was loaded without them.

        Raises
        ------
        ModelError
            If they differ from those of the code because their source has changed since.
        """
        if not isinstance(self._traced, TracedFunction):
            traced = self._traced()
            if traced.digest() != self.signature.digest:
                raise ModelError(
                    f"{self.name} is traced to other instructions than it was compiled from: its system has "
                    "been changed since; compile the system again"
                )
            self._traced = traced
        return self._traced

    def __call__(self, *arrays: Any) -> tuple[NDArray[np.float64], ...]:
        """Evaluate; one array per input, in order.

        Raises
        ------
        TypeError
            If the number of arrays is wrong or one does not hold real numbers.
        ValueError
            If a shape is wrong.
        """
        if len(arrays) != len(self.input_shapes):
            raise TypeError(
                f"{self.name} takes the arrays {list(self.input_shapes)}, got {len(arrays)} arrays"
            )
        inputs = [
            self._checked(name, shape, given)
            for (name, shape), given in zip(self.input_shapes.items(), arrays, strict=True)
        ]
        outputs = tuple(np.empty(shape) for shape in self.output_shapes.values())
        self._call(_table([*inputs, *outputs]))
        return outputs

    def _checked(self, name: str, shape: Shape, given: Any) -> NDArray[np.float64]:
        array = np.asarray(given)
        if array.dtype.kind not in "fiub":
            raise TypeError(
                f"input {name!r} of {self.name} has dtype {array.dtype}; allowed are real numbers"
            )
        if array.shape != shape:
            raise ValueError(f"input {name!r} of {self.name} has shape {array.shape}, expected {shape}")
        # not ascontiguousarray: that would make arrays out of scalars
        return np.asarray(array, dtype=np.float64, order="C")

    def at_rows(self, *arrays: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Evaluate at every row: arrays have one axis more, the first, and so have the results."""
        n = len(arrays[0])
        given = [np.ascontiguousarray(array, dtype=np.float64) for array in arrays]
        wanted = [(n, *shape) for shape in self.input_shapes.values()]
        if [array.shape for array in given] != wanted:
            raise ValueError(f"inputs of {self.name} are {[a.shape for a in given]}, expected {wanted}")
        outputs = tuple(np.empty((n, *shape)) for shape in self.output_shapes.values())
        each = [*given, *outputs]
        steps = np.outer(np.arange(n), [array.strides[0] for array in each])
        places = np.array([address(array) for array in each]) + steps
        evaluate, first = _EVALUATE_ROW(self.table_address), address(places)
        for place in range(first, first + places.nbytes, places.itemsize * len(each)):
            evaluate(place)
        return outputs

    def bind(self, arrays: Mapping[str, NDArray[np.float64]] | None = None) -> Binding:
        """Return the function bound to arrays, the cheapest way to call it; see `Binding`."""
        return Binding(self, arrays)

    def __repr__(self) -> str:
        return f"<compiled {self.name}: {self.signature.n_instructions} instructions, {self.lanes} lane(s)>"


class Binding:
    """A compiled function bound to arrays: write `inputs`, call `run()`, read `outputs`.

    Parameters
    ----------
    function : CompiledFunction
    arrays : mapping of str to array, optional
        Arrays by name, contiguous and at least as large as the function needs; others are made, of zeros.

    Attributes
    ----------
    inputs, outputs : dict of name to float64 array
        Write into them; replacing an entry of the dictionary has no effect.
    run : callable without arguments
    addresses : (int, int)
        Of ``void f(double** arguments)`` and of the table of arguments, for compiled loops.
    """

    __slots__ = ("_function", "_table", "addresses", "inputs", "outputs", "run")

    def __init__(
        self, function: CompiledFunction, arrays: Mapping[str, NDArray[np.float64]] | None = None
    ) -> None:
        self._function = function  # keeps the code alive
        given = arrays or {}
        self.inputs, self.outputs = (
            {name: given[name] if name in given else np.zeros(shape) for name, shape in shapes.items()}
            for shapes in (function.input_shapes, function.output_shapes)
        )
        self._table = _table([*self.inputs.values(), *self.outputs.values()])
        # an address converted once and a call without keyword handling
        table = ctypes.addressof(self._table)
        self.addresses = function.table_address, table
        self.run: Callable[[], None] = functools.partial(function._call, ctypes.c_void_p(table))

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledFunction.bind, (self._function,)  # buffers are one's own


def _table(arrays: list[NDArray[np.float64]]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*map(address, arrays))


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
