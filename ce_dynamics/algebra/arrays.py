"""Elementary functions for physics that runs on floats and on traced scalars alike.

Arrays are NumPy arrays: of ``float64`` for plain evaluation, of objects (floats mixed with traced scalars)
while a model is being compiled.  NumPy's own ufuncs refuse the mixture, so physics code takes its elementary
functions, comparisons and selections from here and never branches on a value (see `where`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scalar: TypeAlias = Any  # a float or a traced scalar

Array: TypeAlias = NDArray[Any]  # an array of floats or of traced scalars

PLAIN = (float, int, np.floating, np.integer, np.bool_)  # types of plain numbers

LARGEST = sys.float_info.max
USUAL = frozenset((float, int, np.float64))
"""Types of most plain numbers, which are recognised without a look at each."""


def array(values: Iterable[Any]) -> Array:
    """Stack scalars or rows into an array: ``float64`` if every entry is a plain number, else of objects."""
    values = list(values)
    if USUAL.issuperset(map(type, values)):
        return np.array(values, dtype=np.float64)
    stacked = np.array(values, dtype=object)
    return stacked.astype(np.float64) if is_plain(stacked) else stacked


def is_plain(value: Array) -> bool:
    """Return True if an array holds plain numbers only."""
    entries = np.asarray(value)
    if entries.dtype == np.float64 or USUAL.issuperset(map(type, entries.flat)):
        return True
    return all(isinstance(entry, PLAIN) for entry in entries.flat)


def _elementwise(plain: np.ufunc, least: float = -LARGEST, most: float = LARGEST) -> Callable[[Any], Any]:
    """Return a ufunc for floats and traced scalars; between the bounds it is finite and warns of nothing."""
    method = plain.__name__

    def scalar(x: Scalar) -> Scalar:
        return ieee(x) if isinstance(x, PLAIN) else getattr(x, method)()

    def ieee(x: Scalar) -> np.float64:
        if least <= x <= most:
            return np.float64(plain(x))
        with np.errstate(all="ignore"):
            return np.float64(plain(x))

    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return array(scalar(entry) for entry in x.flat).reshape(x.shape)
        return scalar(x)

    function.__name__ = function.__qualname__ = method
    function.__doc__ = (
        f"Elementwise {method} of floats or traced scalars; NaN outside its domain, as in IEEE 754."
    )
    return function


sin = _elementwise(np.sin)
cos = _elementwise(np.cos)
tan = _elementwise(np.tan)
arcsin = _elementwise(np.arcsin, -1.0, 1.0)
arccos = _elementwise(np.arccos, -1.0, 1.0)
arctan = _elementwise(np.arctan)
sqrt = _elementwise(np.sqrt, 0.0)
exp = _elementwise(np.exp, -700.0, 700.0)  # e^±700 is within the range of floats
log = _elementwise(np.log, 1.0 / LARGEST)
tanh = _elementwise(np.tanh)
floor = _elementwise(np.floor)


def absolute(x: Scalar) -> Scalar:
    """Return |x| of a float or a traced scalar."""
    return abs(x)


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """Return the angle of the point (x, y), in (-π, π]."""
    if isinstance(y, PLAIN):
        return math.atan2(y, x) if isinstance(x, PLAIN) else x.arctan2_of(y)
    return y.arctan2(x)


def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    """Select without branching: ``if_true`` where the condition holds, else ``if_false``.

    Both alternatives are evaluated, so neither may be relied upon to be finite when it is not selected.
    Arrays are selected entry by entry by one scalar condition.
    """
    if isinstance(if_true, np.ndarray) or isinstance(if_false, np.ndarray):
        chosen_true, chosen_false = np.broadcast_arrays(if_true, if_false)
        pairs = zip(chosen_true.flat, chosen_false.flat, strict=True)
        return array(where(condition, a, b) for a, b in pairs).reshape(chosen_true.shape)
    if isinstance(condition, PLAIN):
        return if_true if condition else if_false
    return condition.where(if_true, if_false)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller of two scalars; b where either is NaN."""
    return where(a < b, a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the larger of two scalars; b where either is NaN."""
    return where(a > b, a, b)


def dot(a: Array, b: Array) -> Scalar:
    """Return the inner product of two vectors."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def cross(a: Array, b: Array) -> Array:
    """Return the vector product a × b of two 3-vectors."""
    a0, a1, a2 = a.tolist()  # numbers of Python, whose products are the same and cost a tenth
    b0, b1, b2 = b.tolist()
    return array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def skew(a: Array) -> Array:
    """Return the matrix ã with ã b = a × b."""
    a0, a1, a2 = a.tolist()
    return array((0.0, -a2, a1, a2, 0.0, -a0, -a1, a0, 0.0)).reshape(3, 3)


def norm(a: Array) -> Scalar:
    """Return the euclidean length of a vector."""
    return sqrt(dot(a, a))


def zeros(*shape: int) -> Array:
    """Return an array of zeros (structural zeros: products with them fold away while tracing)."""
    return np.zeros(shape)


def concatenate(parts: Sequence[Array]) -> Array:
    """Join vectors end to end, keeping ``float64`` where every entry is a plain number."""
    return array(entry for part in parts for entry in part)


def broadcast_operator(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Apply an operator between a scalar and an array, entry by entry."""
    if not isinstance(a, np.ndarray):
        values, shape = [function(a, y) for y in b.flat], b.shape
    else:
        values, shape = [function(x, b) for x in a.flat], a.shape
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result.reshape(shape) if shape else values[0]
