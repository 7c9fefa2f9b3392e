"""Scalars that carry their first and second derivatives along a motion: exact rows for relations users write.

What is computed from points, directions and hinge coordinates of a moving sub-graph depends on the rates θ̇
and on time.  A `ScalarMotion` holds such a number x together with

    ẋ = J θ̇ + drift,    and ẍ at θ̈ = 0,

and hands all of them through arithmetic and the elementary functions of `ce_dynamics.algebra.arrays` by the
chain rule, f(x)¨ = f′ ẍ + f″ ẋ².  A relation that is written once on numbers so yields its Jacobian rows
and its acceleration bias without being differentiated by anyone, on floats and on traced scalars alike.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.arrays import (
    PLAIN,
    Array,
    Scalar,
    arctan2,
    broadcast_operator,
    cos,
    exp,
    log,
    sin,
    sqrt,
    where,
)


class MovingCondition:
    """A comparison of moving scalars whose outcome is not known before compiled code runs."""

    __slots__ = ("condition",)
    __array_ufunc__ = None

    def __init__(self, condition: Any) -> None:
        self.condition = condition

    def where(self, if_true: Any, if_false: Any) -> Any:
        """Return if_true where the condition holds, else if_false, with the derivatives of the selected."""
        moving = if_true if isinstance(if_true, ScalarMotion) else if_false
        if not isinstance(moving, ScalarMotion):
            return where(self.condition, if_true, if_false)
        a, b = moving.like(if_true), moving.like(if_false)
        return ScalarMotion(*(where(self.condition, x, y) for x, y in zip(a.parts, b.parts, strict=True)))

    def __and__(self, other: Any) -> Any:
        return condition_of(self.condition & condition_on_values(other))

    def __or__(self, other: Any) -> Any:
        return condition_of(self.condition | condition_on_values(other))

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Any:
        return condition_of(~self.condition)

    def __bool__(self) -> bool:
        return bool(self.condition)  # refused by traced conditions, with their message


def condition_on_values(condition: Any) -> Any:
    """Return the condition on values behind one on moving scalars."""
    return condition.condition if isinstance(condition, MovingCondition) else condition


def condition_of(outcome: Any) -> Any:
    """Return a comparison's outcome, so that `where` can select moving scalars by it."""
    return bool(outcome) if isinstance(outcome, (bool, np.bool_)) else MovingCondition(outcome)


def by_chain_rule(
    function: Callable[[Any], Any], derivatives: Callable[[Any, Any], tuple[Any, Any]]
) -> Callable[[ScalarMotion], ScalarMotion]:
    """Return a method that applies a function f, of which f' and f'' follow from x and f(x)."""

    def method(self: ScalarMotion) -> ScalarMotion:
        value = function(self.value)
        return self.apply(value, *derivatives(self.value, value))

    return method


class ScalarMotion:
    """A number x that moves: J = ∂ẋ/∂θ̇ (N,), ``drift`` = ẋ at θ̇ = 0, ``rate`` = J θ̇ + drift, ẍ at θ̈ = 0."""

    __slots__ = ("J", "acceleration", "drift", "rate", "value")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]  # compares by value

    def __init__(self, value: Scalar, J: Array, drift: Scalar, rate: Scalar, acceleration: Scalar) -> None:
        self.value = value
        self.J = J
        self.drift = drift
        self.rate = rate
        self.acceleration = acceleration

    @property
    def parts(self) -> tuple[Scalar, Array, Scalar, Scalar, Scalar]:
        """Everything it holds, in the order of the arguments."""
        return self.value, self.J, self.drift, self.rate, self.acceleration

    @classmethod
    def at_rest(cls, value: Scalar, J: Array) -> ScalarMotion:
        """Return a number with the columns J and zero rates."""
        return cls(value, J, 0.0, 0.0, 0.0)

    @classmethod
    def of(cls, value: Any, N: int) -> ScalarMotion:
        """Return a moving scalar unchanged, another number as one of N columns with zero rates."""
        return value if isinstance(value, ScalarMotion) else cls.at_rest(value, np.zeros(N))

    def like(self, value: Any) -> ScalarMotion:
        """Return the same with as many columns as this one has."""
        return ScalarMotion.of(value, len(self.J))

    def apply(self, value: Scalar, d1: Scalar, d2: Scalar) -> ScalarMotion:
        """Return f(x), whose value and derivatives f′ and f″ at x are given."""
        curved = d2 * (self.rate * self.rate)
        return ScalarMotion(
            value, self.J * d1, self.drift * d1, self.rate * d1, self.acceleration * d1 + curved
        )

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(operator.add, self, other)
        b = self.like(other)
        return ScalarMotion(*(x + y for x, y in zip(self.parts, b.parts, strict=True)))

    __radd__ = __add__

    def __neg__(self) -> ScalarMotion:
        return ScalarMotion(*(-x for x in self.parts))

    def __pos__(self) -> ScalarMotion:
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(operator.sub, self, other)
        b = self.like(other)
        return ScalarMotion(*(x - y for x, y in zip(self.parts, b.parts, strict=True)))

    def __rsub__(self, other: Any) -> Any:
        return -(self - other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(operator.mul, self, other)
        if not isinstance(other, ScalarMotion):
            return ScalarMotion(*(x * other for x in self.parts))
        a, b = self, other
        return ScalarMotion(
            a.value * b.value,
            a.J * b.value + b.J * a.value,
            a.drift * b.value + b.drift * a.value,
            a.rate * b.value + b.rate * a.value,
            a.acceleration * b.value + b.acceleration * a.value + 2.0 * (a.rate * b.rate),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(operator.truediv, self, other)
        return self * (other.reciprocal() if isinstance(other, ScalarMotion) else 1.0 / other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.reciprocal() * other

    def reciprocal(self) -> ScalarMotion:
        """Return 1 / x."""
        inverse = 1.0 / self.value
        square = inverse * inverse
        return self.apply(inverse, -square, 2.0 * square * inverse)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, PLAIN):
            return exp(log(self) * exponent)
        p = float(exponent)
        if p == 0.0:
            return self.like(1.0)
        if p == 1.0:
            return self
        if p == 0.5:
            return sqrt(self)
        x = self.value
        d2 = p * (p - 1.0) * power(x, p - 2.0)
        return self.apply(power(x, p), p * power(x, p - 1.0), d2)

    def __rpow__(self, base: Any) -> Any:
        return exp(self * log(base))

    def __abs__(self) -> Any:
        return where(self < 0.0, -self, self)

    # Comparisons are those of the values

    def __lt__(self, other: Any) -> Any:
        return compare(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return compare(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return compare(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return compare(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return compare(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return compare(operator.ne, self, other)

    # Elementary functions, by the names that `ce_dynamics.algebra.arrays` uses

    sin = by_chain_rule(arrays.sin, lambda x, s: (cos(x), -s))
    cos = by_chain_rule(arrays.cos, lambda x, c: (-sin(x), -c))
    tan = by_chain_rule(arrays.tan, lambda x, t: (d1 := 1.0 + t * t, 2.0 * t * d1))
    arcsin = by_chain_rule(arrays.arcsin, lambda x, f: (d1 := 1.0 / sqrt(1.0 - x * x), x * d1 * d1 * d1))
    arccos = by_chain_rule(arrays.arccos, lambda x, f: (d1 := -1.0 / sqrt(1.0 - x * x), x * d1 * d1 * d1))
    arctan = by_chain_rule(arrays.arctan, lambda x, f: (d1 := 1.0 / (1.0 + x * x), -2.0 * x * d1 * d1))
    sqrt = by_chain_rule(arrays.sqrt, lambda x, r: (d1 := 0.5 / r, -0.5 * d1 / x))
    exp = by_chain_rule(arrays.exp, lambda x, e: (e, e))
    log = by_chain_rule(arrays.log, lambda x, f: (d1 := 1.0 / x, -d1 * d1))
    tanh = by_chain_rule(arrays.tanh, lambda x, t: (d1 := 1.0 - t * t, -2.0 * t * d1))

    def arctan2(self, x: Any) -> ScalarMotion:
        """Return the angle of the point (x, self)."""
        return angle_of(self, self.like(x))

    def arctan2_of(self, y: Any) -> ScalarMotion:
        """Return the angle of the point (self, y), for a plain number y."""
        return angle_of(self.like(y), self)

    def conjugate(self) -> ScalarMotion:
        """Return the number itself: `numpy.vdot` calls this."""
        return self

    def __float__(self) -> float:
        raise TypeError(
            "a moving scalar has no float value: use the functions of ce_dynamics.algebra.arrays "
            "(sin, sqrt, where, ...), not those of math or numpy"
        )

    def __bool__(self) -> bool:
        raise TypeError("a moving scalar has no truth value; use ce_dynamics.algebra.arrays.where, not if")

    def __repr__(self) -> str:
        return f"<moving scalar {self.value!r}, rate {self.rate!r}>"


def compare(relation: Callable[[Any, Any], Any], a: ScalarMotion, b: Any) -> Any:
    """Return a comparison of values."""
    return condition_of(relation(a.value, b.value if isinstance(b, ScalarMotion) else b))


def angle_of(y: ScalarMotion, x: ScalarMotion) -> ScalarMotion:
    """Return the angle of a moving point: α̇ = (x ẏ − y ẋ)/r², α̈ = (x ÿ − y ẍ − 2 α̇ (x ẋ + y ẏ))/r²."""
    factor = 1.0 / (x.value * x.value + y.value * y.value)
    across_x, across_y = x.value * factor, y.value * factor
    rate = across_x * y.rate - across_y * x.rate
    stretch = across_x * x.rate + across_y * y.rate
    return ScalarMotion(
        arctan2(y.value, x.value),
        y.J * across_x - x.J * across_y,
        y.drift * across_x - x.drift * across_y,
        rate,
        across_x * y.acceleration - across_y * x.acceleration - 2.0 * rate * stretch,
    )


def power(x: Scalar, p: float) -> Scalar:
    """Return x to a plain power; NaN, not a complex number, of a negative base."""
    if not isinstance(x, PLAIN):
        return x ** (int(p) if p.is_integer() else p)
    with np.errstate(all="ignore"):
        result = float(np.float_power(x, p))
    return result if math.isfinite(result) or math.isnan(result) else math.copysign(math.inf, result)
