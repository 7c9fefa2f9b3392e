"""Whether all numbers are finite, and whether columns stay within bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.compiler.rows import address
from ce_dynamics.compiler.stored_rows.code import Floats, code, with_rows


def all_finite(*arrays: Floats) -> bool:
    """Whether all numbers of some arrays are."""
    for array in arrays:
        whole = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        if not code().all_finite(address(whole), whole.size):
            return False
    return True


class Bounds:
    """Between which numbers some columns of a table should be.

    Parameters
    ----------
    columns : sequence of int
    lower, upper : sequences of float
        Of each; these are allowed.

    Attributes
    ----------
    given : tuple of int
        Addresses of these, and their number: what machine code is given.
    """

    def __init__(self, columns: Sequence[int], lower: Sequence[float], upper: Sequence[float]) -> None:
        self._columns = np.array(columns, dtype=np.int64)
        self._bounds = np.array((lower, upper), dtype=float)
        places = address(self._columns), address(self._bounds[0]), address(self._bounds[1])
        self.given = *places, len(columns)

    def __reduce__(self) -> tuple[type[Bounds], tuple[list[int], list[float], list[float]]]:
        return Bounds, (self._columns.tolist(), *self._bounds.tolist())  # addresses are those of a process

    def hold(self, table: Floats) -> bool:
        """Whether they are in all rows; NaN is not."""
        if not len(self._columns):
            return True
        table, stride = with_rows(table)
        return bool(code().all_within(address(table), stride, len(table), *self.given))
