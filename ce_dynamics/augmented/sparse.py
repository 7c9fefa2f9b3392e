"""Traced functions on sparse matrices: exact Jacobians and fast evaluation through CasADi."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import to_casadi, trace
from ce_dynamics.compiler.casadi import ca


def symbolic(
    name: str, function: Callable[..., Mapping[str, Any]], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """Trace a function of vectors and apply it to CasADi columns, known zeros left out of the results."""
    traced = trace(name, function, {key: column.numel() for key, column in inputs.items()})
    results = to_casadi(traced)(*inputs.values())
    if not isinstance(results, tuple):
        results = (results,)
    return {key: ca.sparsify(value) for key, value in zip(traced.output_shapes, results, strict=True)}


class Evaluation:
    """A CasADi function of columns with buffers of its own.

    Parameters
    ----------
    name : str
    inputs, outputs : sequences of casadi.SX
        Of an output only the entries that are not known zeros are stored, column by column.
    """

    def __init__(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        columns = [ca.vertcat(*output.nonzeros()) if output.nnz() else ca.SX(0, 1) for output in outputs]
        self.function = ca.Function(name, list(inputs), [ca.densify(column) for column in columns])
        self.inputs: list[Any] = [np.zeros(column.numel()) for column in inputs]
        self.outputs: list[Any] = [np.zeros(output.nnz()) for output in outputs]
        buffer: Any
        buffer, self._run = self.function.buffer()
        self._buffer = buffer  # keeps the memory that `_run` works on
        for k, values in enumerate(self.inputs):
            if values.size:
                buffer.set_arg(k, memoryview(values))
        for k, values in enumerate(self.outputs):
            if values.size:
                buffer.set_res(k, memoryview(values))

    def __call__(self, *values: Any) -> list[Array]:
        """Evaluate; the results are overwritten by the next call."""
        for store, given in zip(self.inputs, values, strict=True):
            store[:] = given
        self._run()
        return self.outputs

    @property
    def n_instructions(self) -> int:
        """Length of the program."""
        return int(self.function.n_instructions())


def pattern_of(matrix: Any) -> csc_matrix:
    """The sparsity of a CasADi matrix, with ones, in the order in which `Evaluation` stores it."""
    columns, rows = matrix.sparsity().get_ccs()
    return csc_matrix((np.ones(len(rows)), rows, columns), shape=matrix.shape)
