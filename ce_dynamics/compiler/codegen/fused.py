"""Instructions as machine code has them: products join the sums that are their only readers.

a b + c is one instruction of a processor that has fused multiply-add, and rounds once. Which products are
joined is decided here, on the whole function, and not by the code generator, which has only code that is
compiled at once: a function gives the same bits however it is cut.

Where two products could join a sum, the choice does not depend on their order or sign, so that formulas that
are written once and used for both sides of a vehicle are joined alike on both
(`ce_dynamics.compiler.codegen.pairs`).  In functions longer than `LONGEST_ALIKE`, which are compiled in
pieces, it is the first one: equal pieces must be joined alike, independent of their operands in other pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op

PRODUCT_PLUS, PRODUCT_MINUS, MINUS_PRODUCT = 64, 65, 66
"""Operations that exist only here: a b + c, a b - c, c - a b of the operands (a, b, c)."""

FUSED = frozenset((PRODUCT_PLUS, PRODUCT_MINUS, MINUS_PRODUCT))  # all of them

LONGEST_ALIKE = 20_000
"""Instructions of a function whose products join sums alike wherever the formula is the same."""

DEEPEST = 16  # depth to which formulas are compared

_MIX, _STIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class CodeArrays(NamedTuple):
    """The instructions of a function as arrays."""

    op: Integers  # operation of each instruction
    operands: Integers  # as in `TracedFunction.instructions`
    computes: Booleans  # False for constants, for inputs, and for products that have joined a sum
    outputs: list[Integers]  # as in `TracedFunction.outputs`


def code_of(traced: TracedFunction, fuse: bool = True) -> CodeArrays:
    """Return the instructions of a function; with ``fuse``, products join sums."""
    table = np.array(traced.instructions, dtype=np.int64).reshape(-1, 4)
    op, operands = table[:, 0].copy(), table[:, 1:].copy()
    computes = (op != Op.CONST) & (op != Op.INPUT)
    outputs = [np.array(nodes, dtype=np.int64) for nodes in traced.outputs]
    code = CodeArrays(op, operands, computes, outputs)
    if fuse and len(op):
        _fuse(code)
    return code


def _fuse(code: CodeArrays) -> None:
    op, operands, computes, outputs = code
    read = operands[computes]
    readers = np.bincount(np.concatenate((read[read >= 0], *outputs)), minlength=len(op))
    lonely = (op == Op.MUL) & (readers == 1)
    sums = np.flatnonzero((op == Op.ADD) | (op == Op.SUB))
    a, b = operands[sums, 0], operands[sums, 1]
    minus = op[sums] == Op.SUB
    shape = number_formulas(code) if len(op) <= LONGEST_ALIKE else np.zeros_like(op)
    second = lonely[b] & (~lonely[a] | (shape[b] < shape[a]))
    first = lonely[a] & ~second
    for chosen, product, other, joined in (
        (first & ~minus, a, b, PRODUCT_PLUS),
        (second & ~minus, b, a, PRODUCT_PLUS),
        (first & minus, a, b, PRODUCT_MINUS),
        (second & minus, b, a, MINUS_PRODUCT),
    ):
        where, factors = sums[chosen], product[chosen]
        op[where] = joined
        operands[where] = np.column_stack((operands[factors, :2], other[chosen]))
        computes[factors] = False


def number_formulas(code: CodeArrays) -> NDArray[np.uint64]:
    """Return a number for each instruction: the same for formulas alike up to signs, numbers and order.

    It looks `DEEPEST` instructions deep, so that formulas that differ farther down have the same.
    """
    op, operands = code.op, code.operands
    leaf = (op == Op.CONST) | (op == Op.INPUT)
    kinds = np.where(op == Op.SUB, Op.ADD, op).astype(np.uint64) * _MIX
    reads = np.where(leaf[:, np.newaxis] | (operands < 0), len(op), operands)
    found = np.append(kinds, np.uint64(0))  # unused operands read the last one
    for _ in range(DEEPEST):
        below = found[reads]
        below ^= below >> np.uint64(29)
        found[:-1] = kinds + (below * _MIX).sum(axis=1, dtype=np.uint64) * _STIR
    return found[:-1]
