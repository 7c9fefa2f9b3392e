"""Whether all is well with a run whose every row was observed: all questions in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.compiler.rows import address
from ce_dynamics.compiler.stored_rows.code import Floats, code
from ce_dynamics.compiler.stored_rows.columns import Bounds
from ce_dynamics.compiler.stored_rows.headings import Ahead


class Glance:
    """Whether all numbers are finite and within bounds, and all is calm ahead.

    Parameters
    ----------
    widths : sequence of int
        Numbers in a row of states, inputs, outputs, closures and gearing.
    bounds : sequence of Bounds
        Of columns of closures, outputs, inputs and gearing.
    ahead : Ahead or None
        None where nothing heads for anything.
    most : float
        Bound of what is watched ahead.
    """

    def __init__(
        self, widths: Sequence[int], bounds: Sequence[Bounds], ahead: Ahead | None, most: float
    ) -> None:
        y, u, outputs, closures, gearing = widths
        strides = closures, outputs, u, gearing
        rows = [(stride, *each.given) for stride, each in zip(strides, bounds, strict=True)]
        self._kept = bounds, ahead, np.array(rows, dtype=np.int64), np.array((y, u, outputs), dtype=np.int64)
        self._given = address(self._kept[2]), address(self._kept[3]), None if ahead is None else ahead.given
        self._size, self._most = 1 if ahead is None else ahead.size, most

    def all_well(self, t: Floats, *tables: Floats) -> bool:
        """Of two rows or more of states, inputs, outputs, closures and gearing."""
        whole = [x if x.flags.c_contiguous else np.ascontiguousarray(x) for x in (t, *tables)]
        memory = np.empty(self._size)
        return bool(code().glance(*map(address, whole), len(t), *self._given, address(memory), self._most))
