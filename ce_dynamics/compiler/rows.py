"""Machine code called once per row of arrays, in one call from Python.

What calls it is the same for all functions: it moves every pointer in the table of arguments by the size of
a row.  It is compiled once in a process, in about a millisecond.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.llvm import link_helper

AT_ONCE = 1000  # rows between which Python gets its turn: an interrupt waits for some ten milliseconds

SOURCE = """
define void @rows(ptr %function, ptr %table, ptr %sizes, i64 %m, i64 %n) {
entry:
  br label %row
row:
  %k = phi i64 [0, %entry], [%k1, %moved]
  call void %function(ptr %table)
  br label %argument
argument:
  %j = phi i64 [0, %row], [%j1, %argument]
  %place = getelementptr ptr, ptr %table, i64 %j
  %of = getelementptr i64, ptr %sizes, i64 %j
  %here = load ptr, ptr %place
  %size = load i64, ptr %of
  %next = getelementptr i8, ptr %here, i64 %size
  store ptr %next, ptr %place
  %j1 = add i64 %j, 1
  %more = icmp slt i64 %j1, %m
  br i1 %more, label %argument, label %moved
moved:
  %k1 = add i64 %k, 1
  %on = icmp slt i64 %k1, %n
  br i1 %on, label %row, label %end
end:
  ret void
}
"""

_BYTE: Any = ctypes.c_char
_ROWS = ctypes.CFUNCTYPE(None, *3 * (ctypes.c_void_p,), *2 * (ctypes.c_int64,))


@functools.cache
def _rows() -> tuple[Callable[[int, int, int, int, int], None], object]:
    """Return the caller, and the library that it lives in."""
    library = link_helper(SOURCE, "rows")
    return _ROWS(library["rows"]), library


def address(array: NDArray[np.generic]) -> int:
    """Return the address of the first entry of an array."""
    try:
        return ctypes.addressof(_BYTE.from_buffer(array))  # a third of the time of the other way
    except (TypeError, ValueError, BufferError):  # not writable, in pieces, or empty
        place: int = array.__array_interface__["data"][0]
        return place


def call_rows(table_address: int, arrays: Sequence[NDArray[np.float64]], n: int) -> None:
    """Call ``void f(double** arguments)`` for each of n rows of contiguous arrays, inputs and outputs."""
    m = len(arrays)
    places = (ctypes.c_int64 * m)(*map(address, arrays))
    sizes = (ctypes.c_int64 * m)(*[array.strides[0] for array in arrays])
    rows, _ = _rows()
    for first in range(0, n, AT_ONCE):
        rows(table_address, ctypes.addressof(places), ctypes.addressof(sizes), m, min(AT_ONCE, n - first))
