"""Derivatives of traced functions without their structural zeros."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.tracing.function import TracedFunction


class SparseJacobian(NamedTuple):
    """Jacobian whose structural zeros are left out.

    Attributes
    ----------
    function : TracedFunction
        Of the inputs of the original; its only output holds the entries, ordered by columns, then rows.
    rows, columns : (n_entries,) int
        Positions of the entries; rows number the flattened output, columns the flattened input (C order).
    shape : (size of the output, size of the input)
    """

    function: TracedFunction
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    shape: tuple[int, int]
