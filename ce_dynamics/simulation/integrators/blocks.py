"""Blocks: where the arrays of a named tuple are, told to the kernels in one array of integers.

numba takes some 0.1 µs for every array that Python hands over; a step of a small model takes no longer than
that for all of them.  The kernels make the named tuple again from what a block tells; whoever made the block
keeps the arrays.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import ModelError


def block_of(arrays: Iterable[NDArray[np.float64] | NDArray[np.int64]]) -> NDArray[np.int64]:
    """Address and shape of every array, three numbers each."""
    told = []
    for array in arrays:
        if not array.flags.c_contiguous or array.ndim > 2 or array.dtype not in (np.float64, np.int64):
            raise ModelError(f"an array of shape {array.shape} and type {array.dtype} is none of a kernel's")
        told += [array.ctypes.data, *array.shape, *([1] * (2 - array.ndim))]
    return np.array(told, dtype=np.int64)
