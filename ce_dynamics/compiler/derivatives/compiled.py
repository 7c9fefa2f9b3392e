"""Exact Jacobians, compiled, and known again in the next process."""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, disk_cache
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.compiler.machine import load_function
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.compiler.signature import Signature

VERSION = 3
"""Raise whenever derivatives of an unchanged function change: part of the cache key."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class CompiledJacobian:
    """The derivative of one output with respect to one input, without its structural zeros.

    Attributes
    ----------
    function : CompiledFunction
        Of the inputs of the function; its output are the entries.
    rows, columns : (n_entries,) int array
        Positions of the entries.
    shape : (n_rows, n_columns)
        Sizes of the output and the input.
    """

    function: CompiledFunction
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
    """Buffers and the table of arguments for one caller.

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
        Of the function and the table.
    """

    def __init__(self, jacobian: CompiledJacobian, inputs: Sequence[Floats]) -> None:
        self.jacobian = jacobian
        self.inputs = tuple(inputs)
        self.entries = np.zeros(max(1, len(jacobian.rows)))
        pointers = [array.ctypes.data for array in (*self.inputs, self.entries)]
        self._table = np.array(pointers, dtype=np.int64)
        self.addresses = [jacobian.function.table_address, self._table.ctypes.data]

    def run(self) -> Floats:
        """Evaluate at what is in the inputs; entries in the order of the Jacobian's rows."""
        self.jacobian.function._call(ctypes.c_void_p(self._table.ctypes.data))
        return self.entries[: len(self.jacobian.rows)]


def compile_jacobian(
    traced: TracedFunction, output: str, input: str, lanes: int = 1, single: bool = False
) -> CompiledJacobian:
    """Compile the derivative of an output with respect to an input, or load it if that was done before.

    Lanes and precision are as of `compile_function`; buffers of several lanes are up to the caller.
    """
    wide = "" if (lanes, single) == (1, False) else f" {lanes} {single}"
    key = hashlib.sha256(f"jacobian {VERSION} {output} {input} {traced.digest()}{wide}".encode()).hexdigest()
    shape = math.prod(traced.output_shapes[output]), math.prod(traced.input_shapes[input])
    known = noted(key)
    if known is not None:
        function = load_function(
            known.signature, lambda: sparse_forward_jacobian(traced, output, input).function, lanes, single
        )
        if function is not None:
            return CompiledJacobian(function, known.rows, known.columns, shape)
    with at_work(f"differentiating {traced.name}, {traced.n_instructions:,} instructions"):
        sparse = sparse_forward_jacobian(traced, output, input)
    function = compile_function(sparse.function, lanes, single=single)
    content = {
        "signature": function.signature.as_dict(),
        "rows": sparse.rows.tolist(),
        "columns": sparse.columns.tolist(),
    }
    disk_cache.store(key, json.dumps(content).encode())
    return CompiledJacobian(function, places(sparse.rows), places(sparse.columns), shape)


class Noted(NamedTuple):
    """What the cache remembers of a Jacobian."""

    signature: Signature
    rows: Integers
    columns: Integers


def noted(key: str) -> Noted | None:
    """The note of a Jacobian; None if there is none, or if another release has written it."""
    note = disk_cache.load(key)
    if note is None:
        return None
    try:
        known = json.loads(note)
        signature = Signature.from_dict(known["signature"])
        return Noted(signature, places(known["rows"]), places(known["columns"]))
    except (ValueError, KeyError, TypeError):
        return None


def places(numbers: Sequence[int] | NDArray[np.intp]) -> Integers:
    """Rows or columns as the kernels read them."""
    return np.array(numbers, dtype=np.int64)
