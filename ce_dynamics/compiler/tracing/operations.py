"""The operations a traced graph is made of: codes, names, number of operands and plain-number meaning."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np


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


LOGICAL = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE, Op.AND, Op.OR, Op.NOT})
"""Operations whose result is a condition, not a number."""

COMPARISONS = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE})
"""Operations that compare two numbers."""

UNARY = frozenset(
    {
        Op.NEG,
        Op.SQRT,
        Op.FABS,
        Op.SIN,
        Op.COS,
        Op.TAN,
        Op.ASIN,
        Op.ACOS,
        Op.ATAN,
        Op.EXP,
        Op.LOG,
        Op.TANH,
        Op.NOT,
    }
    | {Op.FLOOR, Op.CEIL, Op.SINH, Op.COSH, Op.ASINH, Op.ACOSH, Op.ATANH, Op.EXPM1, Op.LOG1P, Op.ERF}
)
"""Operations of one operand."""


def arity(op: int) -> int:
    """Number of operands that are nodes: 0 for constants and inputs."""
    if op in (Op.CONST, Op.INPUT):
        return 0
    if op == Op.SELECT:
        return 3
    return 1 if op in UNARY else 2


def _erf(x: Any) -> Any:
    from scipy.special import erf  # only derivatives coming back from CasADi ever need it

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
}
"""What each operation does to float64 values, by IEEE rules (NaN and infinities, never an exception)."""
