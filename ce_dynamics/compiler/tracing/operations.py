"""The operations a traced graph is made of: one table for all that evaluates, prints or compiles them.

`Op` names elementary functions as the mathematical library of C does; `FUNCTIONS` has NumPy's names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.tables import look_up


class Op(IntEnum):
    """Operation codes.  Part of the digest of a traced function: append, never renumber."""

    CONST = 0
    INPUT = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    NEG = 6
    SQRT = 7
    FABS = 8
    SIN = 9
    COS = 10
    TAN = 11
    ASIN = 12
    ACOS = 13
    ATAN = 14
    ATAN2 = 15
    EXP = 16
    LOG = 17
    TANH = 18
    POW = 19
    LT = 20
    LE = 21
    EQ = 22
    NE = 23
    AND = 24
    OR = 25
    NOT = 26
    SELECT = 27
    FLOOR = 28
    CEIL = 29
    SINH = 30
    COSH = 31
    ASINH = 32
    ACOSH = 33
    ATANH = 34
    EXPM1 = 35
    LOG1P = 36
    ERF = 37
    HYPOT = 38
    FMOD = 39
    COPYSIGN = 40
    LOOKUP = 41


LOGICAL = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE, Op.AND, Op.OR, Op.NOT})
"""Operations whose result is a condition, not a number."""

COMPARISONS = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE})  # operations that compare two numbers


def _erf(x: Any) -> Any:
    from scipy.special import erf  # here, because nothing but derivatives from elsewhere needs it

    return erf(x)


MEANING: dict[int, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.SQRT: np.sqrt,
    Op.FABS: np.fabs,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.ATAN2: np.arctan2,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.TANH: np.tanh,
    Op.POW: np.power,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.NOT: np.logical_not,
    Op.SELECT: np.where,
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.ASINH: np.arcsinh,
    Op.ACOSH: np.arccosh,
    Op.ATANH: np.arctanh,
    Op.EXPM1: np.expm1,
    Op.LOG1P: np.log1p,
    Op.ERF: _erf,
    Op.HYPOT: np.hypot,
    Op.FMOD: np.fmod,
    Op.COPYSIGN: np.copysign,
    Op.LOOKUP: look_up,
}
"""Functions of float64 values by IEEE rules (NaN and infinities, never an exception), by operation."""

OPERANDS: dict[int, int] = {op: getattr(meaning, "nin", 1) for op, meaning in MEANING.items()}
OPERANDS[Op.SELECT] = 3
OPERANDS[Op.LOOKUP] = 3  # number of operands that are nodes

UNARY = frozenset(Op(op) for op, n in OPERANDS.items() if n == 1)  # operations of one operand


def arity(op: int) -> int:
    """Return the number of operands that are nodes: 0 for constants and inputs."""
    return OPERANDS.get(op, 0)


class Operator(NamedTuple):
    """Operator of Python: its symbol, and its function of any two scalars."""

    symbol: str
    of: Callable[[Any, Any], Any]


OPERATORS: dict[int, Operator] = {
    Op.ADD: Operator("+", operator.add),
    Op.SUB: Operator("-", operator.sub),
    Op.MUL: Operator("*", operator.mul),
    Op.DIV: Operator("/", operator.truediv),
    Op.POW: Operator("**", operator.pow),
    Op.LT: Operator("<", operator.lt),
    Op.LE: Operator("<=", operator.le),
    Op.EQ: Operator("==", operator.eq),
    Op.NE: Operator("!=", operator.ne),
    Op.AND: Operator("and", operator.and_),
    Op.OR: Operator("or", operator.or_),
}
"""Operators of two operands."""

FUNCTIONS: dict[Op, str] = {op: MEANING[op].__name__ for op in sorted(UNARY - {Op.NEG, Op.NOT, Op.ERF})}
"""Elementary functions of one number, by the names of the methods that NumPy calls on scalars."""

_NOT_IN_C = {*OPERATORS, Op.NEG, Op.NOT, Op.SELECT, Op.LOOKUP} - {Op.POW}
C_FUNCTIONS: dict[int, str] = {op: Op(op).name.lower() for op in MEANING if op not in _NOT_IN_C}
"""Functions that the mathematical library of C has, by their names there."""
