"""The machine code that answers, and how tables are given to it."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.llvm import link_helper
from ce_dynamics.compiler.stored_rows.columns_source import FINITE, WITHIN
from ce_dynamics.compiler.stored_rows.glance_source import GLANCE
from ce_dynamics.compiler.stored_rows.headings_source import AHEAD, FARTHEST

Floats = NDArray[np.float64]

_POINTER, _COUNT, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class Code(NamedTuple):
    """The functions, and the library that they live in."""

    all_finite: Callable[..., int]
    all_within: Callable[..., int]
    farthest: Callable[..., None]
    calm_ahead: Callable[..., int]
    glance: Callable[..., int]
    library: object


@functools.cache
def code() -> Code:
    """Linked when first asked for."""
    library = link_helper(FINITE + WITHIN + FARTHEST + AHEAD + GLANCE, *Code._fields[:-1])
    signatures: tuple[tuple[Any, ...], ...] = (
        (_COUNT, _POINTER, _COUNT),
        (_COUNT, _POINTER, _COUNT, _COUNT, *3 * (_POINTER,), _COUNT),
        (None, _POINTER, _POINTER, _COUNT, _COUNT, _POINTER, _COUNT, _POINTER, _POINTER),
        (_COUNT, _POINTER, *2 * (_POINTER, _COUNT), _COUNT, _POINTER, _POINTER, _NUMBER),
        (_COUNT, *6 * (_POINTER,), _COUNT, *4 * (_POINTER,), _NUMBER),
    )
    functions: list[Any] = [
        ctypes.CFUNCTYPE(result, *arguments)(library[name])
        for name, (result, *arguments) in zip(Code._fields[:-1], signatures, strict=True)
    ]
    return Code._make([*functions, library])


def with_rows(table: Floats) -> tuple[Floats, int]:
    """A table whose rows are contiguous, and the numbers from one row to the next."""
    if table.strides[1] != table.itemsize:
        table = np.ascontiguousarray(table)
    return table, table.strides[0] // table.itemsize
