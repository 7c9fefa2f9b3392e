"""Exact Jacobians, compiled in segments; that of a model, ∂ẏ/∂y, is kept for as long as the model lives."""

from __future__ import annotations

import ctypes
import hashlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.checks import Floats
from ce_dynamics.compiler import CompiledFunction, TracedFunction, cache, compile_function
from ce_dynamics.model import Model
from ce_dynamics.stepping.forward_mode import sparse_forward_jacobian
from ce_dynamics.stepping.segments import Segment, Segmented, split

VERSION = 2
"""Raise whenever derivatives or segments of an unchanged function change: part of the cache key."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class CompiledJacobian:
    """The derivative of one output with respect to one input, without its structural zeros.

    Attributes
    ----------
    functions : tuple of CompiledFunction
        The segments.
    plan : tuple of (keep_at, result_at)
        Where the outputs of each segment go.
    n_kept : int
        Numbers that segments keep for each other.
    rows, columns : (n_entries,) int array
        Positions of the entries.
    shape : (n_rows, n_columns)
        Sizes of the output and the input.
    """

    functions: tuple[CompiledFunction, ...]
    plan: tuple[tuple[int, int], ...]
    n_kept: int
    rows: Integers
    columns: Integers
    shape: tuple[int, int]

    def __call__(self, *inputs: Floats) -> Floats:
        """The Jacobian at given inputs of the function, dense."""
        entries = JacobianCall(self, [np.ascontiguousarray(given, dtype=float) for given in inputs]).run()
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = entries
        return dense


class JacobianCall:
    """Buffers and tables of arguments for one caller.

    Parameters
    ----------
    jacobian : CompiledJacobian
        What is called.
    inputs : sequence of arrays
        Where the inputs of the function are: write into them.

    Attributes
    ----------
    entries : array
        Where the entries are left.
    addresses : list of int
        Of each segment and its table, in turn.
    """

    def __init__(self, jacobian: CompiledJacobian, inputs: Sequence[Floats]) -> None:
        self.jacobian = jacobian
        self.inputs = tuple(inputs)
        self.entries = np.zeros(max(1, len(jacobian.rows)))
        self._kept = np.zeros(max(1, jacobian.n_kept))
        size = self.entries.itemsize
        self._tables = []
        for keep_at, result_at in jacobian.plan:
            pointers = [array.ctypes.data for array in (*self.inputs, self._kept)]
            pointers += [self._kept.ctypes.data + size * keep_at, self.entries.ctypes.data + size * result_at]
            self._tables.append(np.array(pointers, dtype=np.int64))
        self.addresses: list[int] = []
        for function, table in zip(jacobian.functions, self._tables, strict=True):
            self.addresses += [function.table_address, table.ctypes.data]

    def run(self) -> Floats:
        """Evaluate at what is in the inputs; entries in the order of the Jacobian's rows."""
        for function, table in zip(self.jacobian.functions, self._tables, strict=True):
            function._call(ctypes.c_void_p(table.ctypes.data))
        return self.entries[: len(self.jacobian.rows)]


_of_model: WeakKeyDictionary[Model, CompiledJacobian] = WeakKeyDictionary()


def jacobian_of(model: Model) -> CompiledJacobian:
    """The compiled Jacobian of a model; made when first asked for, from the disk if it was made before."""
    if model not in _of_model:
        _of_model[model] = compile_jacobian(model.dynamics.traced, "y_dot", "y")
    return _of_model[model]


def compile_jacobian(traced: TracedFunction, output: str, input: str) -> CompiledJacobian:
    """Compile the derivative of an output with respect to an input."""
    key = hashlib.sha256(f"jacobian {VERSION} {output} {input} {traced.digest()}".encode()).hexdigest()
    known = cache.load(key)
    if known is None:
        sparse = sparse_forward_jacobian(traced, output, input)
        parts = split(sparse.function)
        order = list(parts.order)
        rows, columns = sparse.rows[order], sparse.columns[order]
        cache.store(key, packed(parts, rows, columns))
    else:
        parts, rows, columns = unpacked(known, traced)
    return CompiledJacobian(
        functions=tuple(compile_function(segment.function) for segment in parts.segments),
        plan=tuple((segment.keep_at, segment.result_at) for segment in parts.segments),
        n_kept=parts.n_kept,
        rows=rows.astype(np.int64),
        columns=columns.astype(np.int64),
        shape=(math.prod(traced.output_shapes[output]), math.prod(traced.input_shapes[input])),
    )


def packed(parts: Segmented, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> bytes:
    """Segments and positions as bytes."""
    arrays: dict[str, Any] = {
        "rows": rows,
        "columns": columns,
        "order": np.array(parts.order, dtype=np.int64),
    }
    arrays["plan"] = np.array([(s.keep_at, s.result_at) for s in parts.segments], dtype=np.int64)
    arrays["n_kept"] = np.array(parts.n_kept)
    for k, segment in enumerate(parts.segments):
        function = segment.function
        arrays[f"instructions_{k}"] = np.array(function.instructions, dtype=np.int32)
        arrays[f"numbers_{k}"] = np.array(function.numbers)
        arrays[f"keep_{k}"] = np.array(function.outputs[0], dtype=np.int32)
        arrays[f"result_{k}"] = np.array(function.outputs[1], dtype=np.int32)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def unpacked(content: bytes, traced: TracedFunction) -> tuple[Segmented, NDArray[np.intp], NDArray[np.intp]]:
    """What `packed` was given."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        n_kept = int(arrays["n_kept"])
        segments = []
        for k, (keep_at, result_at) in enumerate(arrays["plan"].tolist()):
            keep, result = arrays[f"keep_{k}"].tolist(), arrays[f"result_{k}"].tolist()
            function = TracedFunction(
                name=f"jacobian_{k}",
                input_shapes={**traced.input_shapes, "kept": (max(1, n_kept),)},
                output_shapes={"keep": (len(keep),), "result": (len(result),)},
                instructions=tuple(map(tuple, arrays[f"instructions_{k}"].tolist())),
                numbers=tuple(arrays[f"numbers_{k}"].tolist()),
                outputs=(tuple(keep), tuple(result)),
            )
            segments.append(Segment(function, keep_at, result_at))
        parts = Segmented(tuple(segments), n_kept, tuple(arrays["order"].tolist()))
        return parts, arrays["rows"], arrays["columns"]
