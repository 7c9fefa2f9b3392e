"""Exact Jacobians, compiled and cached for later processes."""

from __future__ import annotations

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
from ce_dynamics.compiler.compiled_function import Binding
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.compiler.llvm import Signature
from ce_dynamics.compiler.machine import load_function
from ce_dynamics.compiler.progress import log_work

VERSION = 3  # raise whenever derivatives of an unchanged function change: part of the cache key

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
        """Return the Jacobian at given inputs of the function, dense."""
        bound = self.bind(*(np.ascontiguousarray(given, dtype=float) for given in inputs))
        bound.run()
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = bound.outputs[self.entries]
        return dense

    @property
    def entries(self) -> str:
        """Name of the function's output."""
        (name,) = self.function.output_shapes
        return name

    def bind(self, *inputs: Floats) -> Binding:
        """Return the function bound to arrays for its inputs, in their order."""
        return self.function.bind(dict(zip(self.function.input_shapes, inputs, strict=True)))


def compile_jacobian(
    traced: TracedFunction, output: str, input: str, lanes: int = 1, single: bool = False
) -> CompiledJacobian:
    """Compile the derivative of an output with respect to an input, or load it if that was done before.

    Lanes and precision are as of `compile_function`; buffers of several lanes are up to the caller.
    """
    wide = "" if (lanes, single) == (1, False) else f" {lanes} {single}"
    key = hashlib.sha256(f"jacobian {VERSION} {output} {input} {traced.digest()}{wide}".encode()).hexdigest()
    shape = math.prod(traced.output_shapes[output]), math.prod(traced.input_shapes[input])
    known = read_note(key)
    if known is not None:
        function = load_function(
            known.signature, lambda: sparse_forward_jacobian(traced, output, input).function, lanes, single
        )
        if function is not None:
            return CompiledJacobian(function, known.rows, known.columns, shape)
    with log_work(f"differentiating {traced.name}, {traced.n_instructions:,} instructions"):
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
    """Note of a Jacobian in the cache: signature, rows and columns."""

    signature: Signature
    rows: Integers
    columns: Integers


def read_note(key: str) -> Noted | None:
    """Return the note of a Jacobian; None if none can be read."""

    def read(note: bytes) -> Noted:
        known = json.loads(note)
        signature = Signature.from_dict(known["signature"])
        return Noted(signature, places(known["rows"]), places(known["columns"]))

    return disk_cache.load_with(key, read)


def places(numbers: Sequence[int] | NDArray[np.intp]) -> Integers:
    """Return rows or columns as the kernels read them."""
    return np.array(numbers, dtype=np.int64)
