"""Where coordinates of stored states go, and whether all is calm where they head for.

A coordinate heads for where it comes in twice the time to the next row at its rate: on the way into a dead
centre, the distance that is left is half the time left times the rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.compiler.compiled_function import CompiledFunction
from ce_dynamics.compiler.rows import address
from ce_dynamics.compiler.stored_rows.code import Floats, code, with_rows


class Farthest(NamedTuple):
    """Where a coordinate goes farthest, and where it heads farthest.

    Attributes
    ----------
    rows : list of int
        Of the lowest and the highest value, and of the lowest and the highest one that it heads for.
    values : list of float
        These; infinite where there is one row only.
    """

    rows: list[int]
    values: list[float]


class Coordinates:
    """Coordinates in a table of states, and their rates.

    Parameters
    ----------
    columns : sequence of (int, int)
        Of each, and of its rate.
    """

    def __init__(self, columns: Sequence[tuple[int, int]]) -> None:
        self._columns = np.array(columns, dtype=np.int64).reshape(-1, 2)
        self._given = address(self._columns), len(self._columns)

    def __reduce__(self) -> tuple[type[Coordinates], tuple[list[list[int]]]]:
        return Coordinates, (self._columns.tolist(),)

    def farthest(self, t: Floats, table: Floats) -> list[Farthest]:
        """Of each, in rows that are finite, at these times."""
        m = len(self._columns)
        rows, values = np.empty((m, 4), dtype=np.int64), np.empty((m, 4))
        if m:
            table, stride = with_rows(table)
            t = np.ascontiguousarray(t)
            code().farthest(
                address(t), address(table), stride, len(t), *self._given, address(rows), address(values)
            )
        return list(map(Farthest, rows.tolist(), values.tolist()))


class Ahead:
    """Whether a number that a function observes is small wherever coordinates head for.

    Parameters
    ----------
    observation : CompiledFunction
        Of y and u; its third output is asked.
    columns : sequence of (int, int)
        Of each coordinate in y, and of its rate.
    watched : sequence of int
        For each, the place of its number in the output.  It depends on the coordinate itself, on no other of
        these, and where it is ``moved`` on the rest of y and u.
    moved : sequence of bool
    """

    def __init__(
        self,
        observation: CompiledFunction,
        columns: Sequence[tuple[int, int]],
        watched: Sequence[int],
        moved: Sequence[bool],
    ) -> None:
        self._observation = observation  # keeps the code alive
        m = len(columns)
        shapes = [*observation.input_shapes.values(), *observation.output_shapes.values()]
        sizes = [len(shapes), 4 * m, 4 * m, 2 * m, *(int(np.prod(shape)) for shape in shapes)]
        _, rows, values, done, *offsets, self.size = np.cumsum([0, *sizes]).tolist()
        (y, u, _, _, gearing), (n_y, n_u) = offsets, sizes[4:6]
        heads = (m, n_y, n_u, len(shapes), rows, values, done, observation.table_address, y, u, gearing)
        given = (*heads, *np.ravel(columns).tolist(), *watched, *map(int, moved), *offsets)
        self._given = np.array(given, dtype=np.int64)
        self.given = address(self._given)

    def calm(self, t: Floats, Y: Floats, U: Floats, most: float) -> bool:
        """Whether no number is above a bound, nor NaN, wherever coordinates head for from two rows or more.

        What a coordinate has passed in these rows is not asked again, unless something else moves its number.
        """
        (Y, dy), (U, du) = with_rows(Y), with_rows(U)
        t, memory = np.ascontiguousarray(t), np.empty(self.size)
        places = address(t), address(Y), dy, address(U), du, len(t)
        return bool(code().calm_ahead(*places, self.given, address(memory), most))
