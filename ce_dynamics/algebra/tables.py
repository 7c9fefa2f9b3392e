"""Tables of numbers that physics looks up: known by their content, so that code can name them."""

from __future__ import annotations

import hashlib
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.arrays import PLAIN, Scalar

_KEY_BITS = 52  # a key is a whole number that a float holds exactly: an operand like any other


class Table:
    """A list of numbers, of which some neighbours are read at a time.

    `at` takes indices from 0 to ``len(values) - 1 - reach``, ``reach`` being the largest offset.
    """

    values: NDArray[np.float64]  # read-only
    reach: int
    key: int  # of the content: equal tables have equal keys, in every process

    def __new__(cls, values: ArrayLike, reach: int = 0) -> Table:
        """Return one object for equal tables."""
        numbers = np.array(values, dtype=np.float64).ravel()
        if not 0 <= reach < numbers.size:
            raise ValueError(f"reach {reach} must be at least 0 and less than {numbers.size} values")
        digest = hashlib.sha256(b"%d %d " % (numbers.size, reach) + numbers.tobytes()).digest()
        key = int.from_bytes(digest[:8], "little") >> (64 - _KEY_BITS)
        known = _KNOWN.get(key)
        if known is not None:
            return known
        table = super().__new__(cls)
        numbers.setflags(write=False)
        table.values, table.reach, table.key = numbers, int(reach), key
        _KNOWN[key] = table
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.values, self.reach)

    @property
    def last(self) -> int:
        """The largest index."""
        return self.values.size - 1 - self.reach

    def at(self, index: Scalar, offset: int = 0) -> Scalar:
        """Return the number at an index, a whole number as a float or traced scalar, plus an offset.

        Indices beyond the ends are replaced by the ends, and NaN by 0: this only keeps memory safe.  The
        caller defines values outside the table.
        """
        if not 0 <= offset <= self.reach:
            raise ValueError(f"offset {offset} must be between 0 and the table's reach {self.reach}")
        if isinstance(index, PLAIN):
            return float(look_up(index, self.key, offset))
        return index.look_up(self, offset)


_KNOWN: WeakValueDictionary[int, Table] = WeakValueDictionary()


def known_table(key: float) -> Table | None:
    """Return the table of a key, while anything holds it."""
    return _KNOWN.get(int(key))


def look_up(index: Any, key: Any, offset: Any) -> Any:
    """Return values of the table of a key at indices; see `Table.at`."""
    table = known_table(float(np.ravel(key)[0]))
    if table is None:
        raise LookupError("a table that is looked up is gone; keep the object that it belongs to")
    valid = np.clip(np.nan_to_num(np.asarray(index, dtype=np.float64), nan=0.0), 0.0, float(table.last))
    return table.values[valid.astype(np.int64) + np.int64(offset)]
