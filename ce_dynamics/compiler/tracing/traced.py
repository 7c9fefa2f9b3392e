"""Traced scalars: replace floats in NumPy object arrays and record operations.

`Traced` behaves like a float under arithmetic, comparison and elementary functions, but every result is a
node of a `Graph`.  Results that are known numbers come back as plain floats, so structural zeros stay
visible.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ce_dynamics.algebra.arrays import PLAIN, broadcast_operator
from ce_dynamics.algebra.tables import Table
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import FUNCTIONS, OPERATORS, Op

_LARGEST_MULTIPLIED_POWER = 32
_CONST = int(Op.CONST)


def wrap(graph: Graph, n: int) -> Any:
    """Return the value of a numeric node for user code: a float if known, else its one Traced."""
    carrier = graph.carriers.get(n)
    if carrier is None:
        node = graph.nodes[n]
        carrier = graph.numbers[node[1]] if node[0] == _CONST else Traced(graph, n)
        graph.carriers[n] = carrier
    return carrier


def node_of(graph: Graph, value: Any) -> int:
    """Return the node of a float or traced scalar in a graph."""
    if type(value) is Traced:
        if value.graph is not graph:
            raise TypeError("a traced scalar of one trace was used in another; pass it as an input instead")
        return value.node
    if isinstance(value, PLAIN):
        return graph.constant(float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return node_of(graph, value[()])
    if isinstance(value, Condition):
        raise TypeError("a traced condition is not a number; use condition.where(if_true, if_false)")
    if hasattr(value, "to_graph"):  # a formula of free parameters
        return node_of(graph, value.to_graph(graph))
    raise TypeError(
        f"cannot use a {type(value).__name__} as a traced scalar; allowed are floats and traced scalars"
    )


class Condition:
    """A truth value that is only known when the compiled function runs.

    Combine with ``&``, ``|``, ``~``; use with `where`.
    """

    __slots__ = ("graph", "node")
    __array_ufunc__ = None

    def __init__(self, graph: Graph, node: int) -> None:
        self.graph = graph
        self.node = node

    def where(self, if_true: Any, if_false: Any) -> Any:
        """Return if_true where the condition holds, else if_false; both floats or traced scalars."""
        graph = self.graph
        return wrap(graph, graph.select(self.node, node_of(graph, if_true), node_of(graph, if_false)))

    def __and__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return self if other else False
        return Condition(self.graph, self.graph.logical_and(self.node, self._other(other)))

    def __or__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return True if other else self
        return Condition(self.graph, self.graph.logical_or(self.node, self._other(other)))

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Condition:
        return Condition(self.graph, self.graph.logical_not(self.node))

    def _other(self, other: Any) -> int:
        if hasattr(other, "to_graph"):  # a condition on free parameters
            other = other.to_graph(self.graph)
        if not isinstance(other, Condition):
            raise TypeError(
                f"cannot combine a traced condition with a {type(other).__name__}; compare on both sides"
            )
        if other.graph is not self.graph:
            raise TypeError("a traced condition of one trace was used in another")
        return other.node

    def __bool__(self) -> bool:
        raise TypeError(
            "the truth of a traced comparison is not known while a model is being compiled; "
            "do not branch on values (if, and, or, not, min, max): "
            "use where, minimum and maximum of ce_dynamics.algebra.arrays, and &, |, ~"
        )

    def __repr__(self) -> str:
        return f"<traced condition {self.node}>"


def _arithmetic(op: Op) -> tuple[Any, Any]:
    """Return the operator method and its reflection for one two-operand method of Graph."""
    function = OPERATORS[op].of
    build: Callable[[Graph, int, int], int] = getattr(Graph, op.name.lower())

    def forward(self: Traced, other: Any) -> Any:
        graph = self.graph
        if type(other) is Traced and other.graph is graph:
            n = build(graph, self.node, other.node)
        elif isinstance(other, np.ndarray):
            return broadcast_operator(function, self, other)
        elif isinstance(other, Condition):
            node_of(graph, other)
        elif type(other) is Traced or isinstance(other, PLAIN):
            n = build(graph, self.node, node_of(graph, other))
        else:
            return NotImplemented
        carrier = graph.carriers.get(n)
        return wrap(graph, n) if carrier is None else carrier

    def reflect(self: Traced, other: Any) -> Any:
        graph = self.graph
        if isinstance(other, np.ndarray):
            return broadcast_operator(function, other, self)
        if not isinstance(other, PLAIN):
            return NotImplemented
        return wrap(graph, build(graph, graph.constant(float(other)), self.node))

    return forward, reflect


def _function(op: Op) -> Callable[[Traced], Any]:
    code, name = int(op), FUNCTIONS[op]

    def method(self: Traced) -> Any:
        graph = self.graph
        return wrap(graph, graph.unary(code, self.node))

    method.__name__ = name
    method.__doc__ = f"{name} of this scalar; NaN outside its domain."
    return method


def _comparison(op: Op, swapped: bool = False) -> Callable[[Traced, Any], Any]:
    code, function = int(op), OPERATORS[op].of

    def method(self: Traced, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(function, *((other, self) if swapped else (self, other)))
        if type(other) is not Traced and not isinstance(other, PLAIN):
            return NotImplemented
        graph = self.graph
        i, j = self.node, node_of(graph, other)
        result = graph.compare(code, j, i) if swapped else graph.compare(code, i, j)
        return result if isinstance(result, bool) else Condition(graph, result)

    return method


class Traced:
    """A scalar of a graph.  Immutable; equal values of one graph are the same object.

    Under NumPy it lives as an element of object arrays; ``float_array * traced`` and ``np.float64 * traced``
    come back here (``__array_ufunc__ = None``) and give object arrays and scalars.
    """

    __slots__ = ("graph", "node")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, graph: Graph, node: int) -> None:
        self.graph = graph
        self.node = node

    __add__, __radd__ = _arithmetic(Op.ADD)
    __sub__, __rsub__ = _arithmetic(Op.SUB)
    __mul__, __rmul__ = _arithmetic(Op.MUL)
    __truediv__, __rtruediv__ = _arithmetic(Op.DIV)

    __lt__ = _comparison(Op.LT)
    __le__ = _comparison(Op.LE)
    __gt__ = _comparison(Op.LT, swapped=True)
    __ge__ = _comparison(Op.LE, swapped=True)
    __eq__ = _comparison(Op.EQ)
    __ne__ = _comparison(Op.NE)

    def __neg__(self) -> Any:
        return wrap(self.graph, self.graph.neg(self.node))

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Any:
        return wrap(self.graph, self.graph.unary(Op.FABS, self.node))

    def __pow__(self, exponent: Any) -> Any:
        """Return whole powers up to 32 by multiplication, 0.5 by the square root, others by ``pow``."""
        graph = self.graph
        if isinstance(exponent, np.ndarray):
            return broadcast_operator(operator.pow, self, exponent)
        if isinstance(exponent, PLAIN):
            p = float(exponent)
            if abs(p) <= _LARGEST_MULTIPLIED_POWER and p.is_integer():
                return wrap(graph, graph.power(self.node, int(p)))
            if p == 0.5:
                return wrap(graph, graph.unary(Op.SQRT, self.node))
        elif type(exponent) is not Traced:
            return NotImplemented
        return wrap(graph, graph.binary(Op.POW, self.node, node_of(graph, exponent)))

    def __rpow__(self, base: Any) -> Any:
        if isinstance(base, np.ndarray):
            return broadcast_operator(operator.pow, base, self)
        if not isinstance(base, PLAIN):
            return NotImplemented
        graph = self.graph
        return wrap(graph, graph.binary(Op.POW, node_of(graph, base), self.node))

    def arctan2(self, x: Any) -> Any:
        """Return the angle of the point (x, self)."""
        return wrap(self.graph, self.graph.binary(Op.ATAN2, self.node, node_of(self.graph, x)))

    def arctan2_of(self, y: Any) -> Any:
        """Return the angle of the point (self, y): for a plain number y."""
        return wrap(self.graph, self.graph.binary(Op.ATAN2, node_of(self.graph, y), self.node))

    def hypot(self, y: Any) -> Any:
        """Return the length of (self, y) without overflow."""
        return wrap(self.graph, self.graph.binary(Op.HYPOT, self.node, node_of(self.graph, y)))

    def look_up(self, table: Table, offset: int) -> Any:
        """Return the number of a table at this index plus an offset; see `Table.at`."""
        graph = self.graph
        graph.tables[table.key] = table
        key, place = graph.constant(float(table.key)), graph.constant(float(offset))
        return wrap(graph, graph.lookup(self.node, key, place))

    def conjugate(self) -> Traced:
        """Return the scalar itself, for NumPy's vdot: traced scalars are real."""
        return self

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(
            f"a traced scalar has no {what} while a model is being compiled: its value is only known when "
            "the compiled function runs; use the functions of ce_dynamics.algebra.arrays (sin, sqrt, where, "
            "minimum, ...) and no branches on values"
        )

    def __bool__(self) -> bool:
        self._refuse("truth value (if, and, or, not); compare and use ce_dynamics.algebra.arrays.where")

    def __float__(self) -> float:
        self._refuse("float value")

    def __int__(self) -> int:
        self._refuse("integer value")

    def __repr__(self) -> str:
        op, a, b, c = self.graph.nodes[self.node]
        return f"<traced {Op(op).name.lower()} {[k for k in (a, b, c) if k >= 0]} = node {self.node}>"


for _op in FUNCTIONS:
    setattr(Traced, FUNCTIONS[_op], _function(_op))
