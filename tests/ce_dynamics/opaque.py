"""A scalar that shows its value to nobody, standing in for a traced one.

It offers exactly the operations that physics may use on traced scalars.  Code that branches on a value, hands
it to `math` or lets NumPy turn it into a float fails with it.
"""

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.tables import Table


class OpaqueTruth:
    def __init__(self, value: bool) -> None:
        self._hidden = value

    def __bool__(self) -> bool:
        raise TypeError("a traced condition was branched on")

    def where(self, if_true: Any, if_false: Any) -> Any:
        return Opaque(reveal_scalar(if_true if self._hidden else if_false))


def hidden(operation: Callable[..., Any], *, truth: bool = False) -> Any:
    """Return the method that applies an operation to hidden floats and plain ones."""

    def method(self: "Opaque", *others: Any) -> Any:
        if not all(isinstance(other, (Opaque, int, float, np.floating, np.integer)) for other in others):
            return NotImplemented  # arrays take over, entry by entry
        result = operation(self._hidden, *map(reveal_scalar, others))
        return OpaqueTruth(result) if truth else Opaque(result)

    return method


class Opaque:
    def __init__(self, value: float) -> None:
        self._hidden = float(value)

    def _refuse(self) -> NoReturn:
        raise TypeError("the value of a traced scalar was asked for")

    __bool__ = __float__ = __int__ = __index__ = _refuse
    __add__ = __radd__ = hidden(operator.add)
    __mul__ = __rmul__ = hidden(operator.mul)
    __sub__, __rsub__ = hidden(operator.sub), hidden(lambda a, b: b - a)
    __truediv__, __rtruediv__ = hidden(operator.truediv), hidden(lambda a, b: b / a)
    __lt__, __le__ = hidden(operator.lt, truth=True), hidden(operator.le, truth=True)
    __gt__, __ge__ = hidden(operator.gt, truth=True), hidden(operator.ge, truth=True)
    __neg__, __abs__ = hidden(operator.neg), hidden(abs)
    sin, cos, tan, tanh = hidden(math.sin), hidden(math.cos), hidden(math.tan), hidden(math.tanh)
    arcsin, arccos, arctan = hidden(math.asin), hidden(math.acos), hidden(math.atan)
    sqrt, exp, log, floor = hidden(math.sqrt), hidden(math.exp), hidden(math.log), hidden(math.floor)
    arctan2, arctan2_of = hidden(math.atan2), hidden(lambda x, y: math.atan2(y, x))

    def __pow__(self, exponent: int) -> "Opaque":
        assert isinstance(exponent, int)
        return Opaque(self._hidden**exponent)

    def look_up(self, table: Table, offset: int) -> "Opaque":
        """The number of a table at this index plus an offset."""
        return Opaque(table.at(self._hidden, offset))


def opaque(values: Array) -> Array:
    hidden = np.empty(np.shape(values), dtype=object)
    for index, value in np.ndenumerate(values):
        hidden[index] = Opaque(value)
    return hidden


def reveal(values: Array) -> Array:
    """The floats behind an array of floats and hidden ones."""
    return array(reveal_scalar(value) for value in values.flat).reshape(values.shape)


def reveal_scalar(value: Any) -> float:
    return value._hidden if isinstance(value, Opaque) else float(value)
