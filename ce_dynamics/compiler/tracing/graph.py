"""A hash-consed graph of scalar operations: every value exists once, structural zeros and ones never exist.

Nodes are numbered in order of creation, so operands always precede their users.  A node is the tuple
(op, a, b, c) of its operation code and operand nodes (-1 where unused).  A constant carries the index of its
value in `Graph.numbers` as a; an input carries (input index, entry) as (a, b).

Folding and its assumptions
---------------------------------
* 0 x and 0 / x become 0: a structural zero means "no such term", so it also swallows NaN and infinities.
  For the same reason the signs of zeros are not tracked (-0.0 is stored as 0.0; 0 - x is -x; x + 0 is x).
* x - x becomes 0; this too loses a NaN in x, but only where the result does not depend on x by structure.
* Signs move outwards ((-a) b = -(a b)) and vanish into sums (a + (-b) = a - b), so that terms that differ in
  sign only are computed once.  These are exact in floating point.
* Nothing else is re-associated and x / x is kept: rounding and NaN stay those of the written formula.

Marks
-----
A function that runs over bodies marks the start of each body.  Long functions are compiled in pieces between
marks, equal pieces once (`ce_dynamics.compiler.codegen.outliner`).  A mark changes no result.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.tracing.operations import MEANING, Op

Node = tuple[int, int, int, int]

# plain ints: comparing IntEnum members costs a Python call in this innermost code
_CONST, _INPUT = int(Op.CONST), int(Op.INPUT)
_ADD, _SUB, _MUL, _DIV, _NEG = int(Op.ADD), int(Op.SUB), int(Op.MUL), int(Op.DIV), int(Op.NEG)
_SQRT, _FABS, _POW = int(Op.SQRT), int(Op.FABS), int(Op.POW)
_LT, _LE, _EQ, _NE = int(Op.LT), int(Op.LE), int(Op.EQ), int(Op.NE)
_AND, _OR, _NOT, _SELECT = int(Op.AND), int(Op.OR), int(Op.NOT), int(Op.SELECT)
_LOOKUP = int(Op.LOOKUP)
_ODD = frozenset(
    int(op) for op in (Op.SIN, Op.TAN, Op.ASIN, Op.ATAN, Op.TANH, Op.SINH, Op.ASINH, Op.ATANH, Op.ERF)
)
_EVEN = frozenset(int(op) for op in (Op.FABS, Op.COS, Op.COSH))
_COMMUTATIVE_LOGIC = frozenset((_EQ, _NE, _AND, _OR))


def exact_reciprocal(x: float) -> float | None:
    """Return 1/x if that is exact and normal (x a power of two), else None."""
    if math.frexp(x)[0] not in (0.5, -0.5):
        return None
    reciprocal = 1.0 / x
    return reciprocal if math.isfinite(reciprocal) and abs(reciprocal) >= 2.2250738585072014e-308 else None


class Graph:
    """Builder of a graph; all methods take and return node numbers."""

    __slots__ = ("_index", "_number_node", "carriers", "formulas", "marks", "nodes", "numbers", "tables")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.numbers: list[float] = []
        self.marks: list[int] = []
        self._index: dict[Node, int] = {}
        self._number_node: dict[float, int] = {}
        self.carriers: dict[int, object] = {}
        """Objects that user code holds for nodes, kept so that equal values are the same Python object."""
        self.formulas: dict[int, tuple[Any, Any]] = {}
        """By id: formulas of free parameters (`ce_dynamics.compiler.free_numbers`) and what they are here."""
        self.tables: dict[int, Table] = {}
        """By key: what is looked up, kept until the function is made."""

    def __len__(self) -> int:
        return len(self.nodes)

    def mark(self) -> None:
        """Let a new piece of work begin here."""
        self.marks.append(len(self.nodes))

    def _intern(self, key: Node) -> int:
        index = self._index
        n = index.get(key)
        if n is None:
            n = index[key] = len(self.nodes)
            self.nodes.append(key)
        return n

    def constant(self, value: float) -> int:
        """Return the node of a constant; all NaNs are one, both zeros are one."""
        if value != value:
            value = math.nan  # this very object, so that the dictionary finds it
        elif value == 0.0:
            value = 0.0
        n = self._number_node.get(value)
        if n is None:
            n = len(self.nodes)
            self.nodes.append((_CONST, len(self.numbers), -1, -1))
            self.numbers.append(value)
            self._number_node[value] = n
        return n

    def input(self, which: int, entry: int) -> int:
        """Return the node of one entry of one input."""
        return self._intern((_INPUT, which, entry, -1))

    def value(self, n: int) -> float | None:
        """Return the number a node is known to be, or None."""
        op, a, _, _ = self.nodes[n]
        return self.numbers[a] if op == _CONST else None

    # -- sums ----------------------------------------------------------------------------------------------

    def add(self, i: int, j: int) -> int:
        """Return i + j."""
        nodes = self.nodes
        op_i, a_i, _, _ = nodes[i]
        op_j, a_j, _, _ = nodes[j]
        if op_i == _CONST:
            x = self.numbers[a_i]
            if x == 0.0:
                return j
            if op_j == _CONST:
                return self.constant(x + self.numbers[a_j])
        elif op_j == _CONST and self.numbers[a_j] == 0.0:
            return i
        if op_j == _NEG:
            return self.neg(self.add(a_i, a_j)) if op_i == _NEG else self.sub(i, a_j)
        if op_i == _NEG:
            return self.sub(j, a_i)
        key = (_ADD, i, j, -1) if i < j else (_ADD, j, i, -1)
        index = self._index
        n = index.get(key)
        if n is None:
            n = index[key] = len(nodes)
            nodes.append(key)
        return n

    def sub(self, i: int, j: int) -> int:
        """Return i - j."""
        if i == j:
            return self.constant(0.0)
        nodes = self.nodes
        op_i, a_i, _, _ = nodes[i]
        op_j, a_j, _, _ = nodes[j]
        if op_i == _CONST:
            x = self.numbers[a_i]
            if x == 0.0:
                return self.neg(j)
            if op_j == _CONST:
                return self.constant(x - self.numbers[a_j])
        elif op_j == _CONST and self.numbers[a_j] == 0.0:
            return i
        if op_j == _NEG:
            return self.sub(a_j, a_i) if op_i == _NEG else self.add(i, a_j)
        if op_i == _NEG:
            return self.neg(self.add(a_i, j))
        index = self._index
        key = (_SUB, i, j, -1)
        n = index.get(key)
        if n is None:
            n = index.get((_SUB, j, i, -1))
            if n is not None:  # j - i exists: share it, and move the sign outwards
                return self.neg(n)
            n = index[key] = len(nodes)
            nodes.append(key)
        return n

    def neg(self, i: int) -> int:
        """Return -i."""
        op, a, _, _ = self.nodes[i]
        if op == _NEG:
            return a
        if op == _CONST:
            return self.constant(-self.numbers[a])
        return self._intern((_NEG, i, -1, -1))

    # -- products ------------------------------------------------------------------------------------------

    def mul(self, i: int, j: int) -> int:
        """Return i j."""
        nodes = self.nodes
        op_i, a_i, _, _ = nodes[i]
        op_j, a_j, _, _ = nodes[j]
        if op_i == _CONST:
            x = self.numbers[a_i]
            if op_j == _CONST:
                y = self.numbers[a_j]
                return self.constant(0.0 if x == 0.0 or y == 0.0 else x * y)
            return self._scaled(x, i, j)
        if op_j == _CONST:
            return self._scaled(self.numbers[a_j], j, i)
        if op_i == _NEG:
            return self.mul(a_i, a_j) if op_j == _NEG else self.neg(self.mul(a_i, j))
        if op_j == _NEG:
            return self.neg(self.mul(i, a_j))
        key = (_MUL, i, j, -1) if i < j else (_MUL, j, i, -1)
        index = self._index
        n = index.get(key)
        if n is None:
            n = index[key] = len(nodes)
            nodes.append(key)
        return n

    def _scaled(self, x: float, constant: int, j: int) -> int:
        """Return product of the number x (that is the node `constant`) and a node j that is no constant."""
        if x == 0.0:
            return self.constant(0.0)
        if x == 1.0:
            return j
        op, a, _, _ = self.nodes[j]
        if x < 0.0:
            positive = self.constant(-x)
            return self._scaled(-x, positive, a) if op == _NEG else self.neg(self._scaled(-x, positive, j))
        if op == _NEG:
            return self.neg(self._scaled(x, constant, a))
        return self._intern((_MUL, constant, j, -1) if constant < j else (_MUL, j, constant, -1))

    def div(self, i: int, j: int) -> int:
        """Return i / j by IEEE rules."""
        op_i, a_i, _, _ = self.nodes[i]
        op_j, a_j, _, _ = self.nodes[j]
        if op_j == _CONST:
            y = self.numbers[a_j]
            if y == 1.0:
                return i
            if op_i == _CONST:
                return self._fold(_DIV, i, j)
            if y < 0.0:
                return self.neg(self.div(i, self.constant(-y)))
            reciprocal = exact_reciprocal(y)
            if reciprocal is not None:
                return self.mul(i, self.constant(reciprocal))
        elif op_i == _CONST:
            x = self.numbers[a_i]
            if x == 0.0:
                return i
            if x < 0.0:
                return self.neg(self.div(self.constant(-x), j))
        if op_i == _NEG:
            return self.div(a_i, a_j) if op_j == _NEG else self.neg(self.div(a_i, j))
        if op_j == _NEG:
            return self.neg(self.div(i, a_j))
        return self._intern((_DIV, i, j, -1))

    def power(self, i: int, exponent: int) -> int:
        """Return i to a whole power, by repeated squaring."""
        if exponent < 0:
            return self.div(self.constant(1.0), self.power(i, -exponent))
        result = self.constant(1.0)
        square = i
        while exponent:
            if exponent & 1:
                result = self.mul(result, square)
            exponent >>= 1
            if exponent:
                square = self.mul(square, square)
        return result

    # -- functions -----------------------------------------------------------------------------------------

    def unary(self, op: int, i: int) -> int:
        """Return an elementary function of one number (not neg, not logical)."""
        op_i, a, _, _ = self.nodes[i]
        if op_i == _CONST:
            return self._fold(op, i)
        if op_i == _NEG:
            if op in _EVEN:
                return self.unary(op, a)
            if op in _ODD:
                return self.neg(self.unary(op, a))
        elif op == _FABS and op_i in (_FABS, _SQRT):
            return i
        return self._intern((op, i, -1, -1))

    def binary(self, op: int, i: int, j: int) -> int:
        """Return an elementary function of two numbers (not an arithmetic operator, not logical)."""
        if self.nodes[i][0] == _CONST and self.nodes[j][0] == _CONST:
            return self._fold(op, i, j)
        return self._intern((op, i, j, -1))

    def lookup(self, i: int, table: int, offset: int) -> int:
        """Return the number at index i of a table; its key and the offset are constants (`Op.LOOKUP`)."""
        if self.nodes[i][0] == _CONST:
            return self._fold(_LOOKUP, i, table, offset)
        return self._intern((_LOOKUP, i, table, offset))

    def _fold(self, op: int, *operands: int) -> int:
        with np.errstate(all="ignore"):
            return self.constant(float(MEANING[op](*(np.float64(self.value(n)) for n in operands))))

    # -- conditions ----------------------------------------------------------------------------------------

    def compare(self, op: int, i: int, j: int) -> int | bool:
        """Return a comparison (LT, LE, EQ, NE); a plain bool if both sides are known."""
        if self.nodes[i][0] == _CONST and self.nodes[j][0] == _CONST:
            return bool(MEANING[op](self.value(i), self.value(j)))
        if i > j and op in _COMMUTATIVE_LOGIC:
            i, j = j, i
        return self._intern((op, i, j, -1))

    def logical_and(self, i: int, j: int) -> int:
        """Return both conditions."""
        return i if i == j else self._intern((_AND, i, j, -1) if i < j else (_AND, j, i, -1))

    def logical_or(self, i: int, j: int) -> int:
        """Return either condition."""
        return i if i == j else self._intern((_OR, i, j, -1) if i < j else (_OR, j, i, -1))

    def logical_not(self, i: int) -> int:
        """Return the opposite of a condition.

        It is not the opposite comparison: not (a < b) holds for NaN, b <= a does not.
        """
        op, a, _, _ = self.nodes[i]
        return a if op == _NOT else self._intern((_NOT, i, -1, -1))

    def select(self, condition: int, if_true: int, if_false: int) -> int:
        """Return the number if_true where the condition holds, else if_false."""
        if if_true == if_false:
            return if_true
        op, a, _, _ = self.nodes[condition]
        if op == _NOT:
            condition, if_true, if_false = a, if_false, if_true
        return self._intern((_SELECT, condition, if_true, if_false))


_tracing: ContextVar[Graph | None] = ContextVar("tracing", default=None)


def mark() -> None:
    """Mark the begin of a separate piece of work; it has no effect unless a function is traced."""
    graph = _tracing.get()
    if graph is not None:
        graph.mark()


@contextlib.contextmanager
def marking(graph: Graph) -> Iterator[None]:
    """Let marks go to a graph."""
    token = _tracing.set(graph)
    try:
        yield
    finally:
        _tracing.reset(token)
