"""A scalar that shows its value to nobody, standing in for a traced one.

It offers exactly the operations that physics may use on traced scalars.  Code that branches on a value, hands
it to `math` or lets NumPy turn it into a float fails with it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.tables import Table


class Opaque:
    """A hidden float."""

    def __init__(self, value: float) -> None:
        self._hidden = float(value)

    def _refuse(self) -> NoReturn:
        raise TypeError("the value of a traced scalar was asked for")

    __bool__ = __float__ = __int__ = __index__ = _refuse

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], wrap: type[Any]) -> Any:
        if isinstance(other, Opaque):
            return wrap(operation(self._hidden, other._hidden))
        if isinstance(other, (int, float, np.floating, np.integer)):
            return wrap(operation(self._hidden, float(other)))
        return NotImplemented  # arrays take over, entry by entry

    def __add__(self, other: Any) -> Any:
        return self._with(other, operator.add, Opaque)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, operator.add, Opaque)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, operator.sub, Opaque)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a, Opaque)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, Opaque)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, operator.mul, Opaque)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, operator.truediv, Opaque)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a, Opaque)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt, OpaqueTruth)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le, OpaqueTruth)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt, OpaqueTruth)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge, OpaqueTruth)

    def __pow__(self, exponent: int) -> Opaque:
        assert isinstance(exponent, int)
        return Opaque(self._hidden**exponent)

    def __neg__(self) -> Opaque:
        return Opaque(-self._hidden)

    def __abs__(self) -> Opaque:
        return Opaque(abs(self._hidden))

    def sin(self) -> Opaque:
        return Opaque(math.sin(self._hidden))

    def cos(self) -> Opaque:
        return Opaque(math.cos(self._hidden))

    def tan(self) -> Opaque:
        return Opaque(math.tan(self._hidden))

    def arcsin(self) -> Opaque:
        return Opaque(math.asin(self._hidden))

    def arccos(self) -> Opaque:
        return Opaque(math.acos(self._hidden))

    def arctan(self) -> Opaque:
        return Opaque(math.atan(self._hidden))

    def sqrt(self) -> Opaque:
        return Opaque(math.sqrt(self._hidden))

    def exp(self) -> Opaque:
        return Opaque(math.exp(self._hidden))

    def log(self) -> Opaque:
        return Opaque(math.log(self._hidden))

    def tanh(self) -> Opaque:
        return Opaque(math.tanh(self._hidden))

    def arctan2(self, x: Any) -> Any:
        """Angle of the point (x, self)."""
        return self._with(x, math.atan2, Opaque)

    def arctan2_of(self, y: Any) -> Any:
        """Angle of the point (self, y)."""
        return self._with(y, lambda a, b: math.atan2(b, a), Opaque)

    def floor(self) -> Opaque:
        return Opaque(math.floor(self._hidden))

    def look_up(self, table: Table, offset: int) -> Opaque:
        """The number of a table at this index plus an offset."""
        return Opaque(table.at(self._hidden, offset))


class OpaqueTruth:
    """A hidden truth value."""

    def __init__(self, value: bool) -> None:
        self._hidden = value

    def __bool__(self) -> bool:
        raise TypeError("a traced condition was branched on")

    def where(self, if_true: Any, if_false: Any) -> Any:
        return Opaque(reveal_scalar(if_true if self._hidden else if_false))


def opaque(values: Array) -> Array:
    """The same array with every entry hidden."""
    hidden = np.empty(np.shape(values), dtype=object)
    for index, value in np.ndenumerate(values):
        hidden[index] = Opaque(value)
    return hidden


def reveal(values: Array) -> Array:
    """The floats behind an array of floats and hidden ones."""
    return array(reveal_scalar(value) for value in values.flat).reshape(values.shape)


def reveal_scalar(value: Any) -> float:
    """The float behind a scalar."""
    return value._hidden if isinstance(value, Opaque) else float(value)
