"""Traced functions inside other traced functions: their instructions written once more, for other arguments.

What both have in common is there once, so that a function and its directional derivatives, each called by
itself, cost what their joint evaluation costs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import COMPARISONS, UNARY, Op
from ce_dynamics.compiler.tracing.traced import Traced, node_of, wrap


def call(traced: TracedFunction, **arguments: Any) -> dict[str, Array]:
    """A traced function at arrays of floats or of traced scalars.

    Parameters
    ----------
    traced : TracedFunction
    **arguments : arrays
        One per input, of its shape.

    Returns
    -------
    dict of str to array
        By the names of the outputs.

    Raises
    ------
    TypeError, ValueError
        If names or shapes are not those of the function, or entries were traced in different graphs.

    Examples
    --------
    >>> from ce_dynamics.compiler import trace
    >>> square = trace("square", lambda x: {"y": x * x}, {"x": ()})
    >>> fourth = trace("fourth", lambda x: {"y": call(square, x=call(square, x=x)["y"])["y"]}, {"x": ()})
    >>> fourth.evaluate(x=3.0), fourth.n_instructions
    ({'y': array(81.)}, 2)
    """
    if set(arguments) != set(traced.input_shapes):
        raise TypeError(f"{traced.name} takes the inputs {list(traced.input_shapes)}, got {list(arguments)}")
    given = []
    for name, shape in traced.input_shapes.items():
        argument = np.asarray(arguments[name], dtype=object)
        if argument.shape != shape:
            raise ValueError(f"input {name!r} of {traced.name} has shape {argument.shape}, expected {shape}")
        given.append(argument.ravel())
    graph = next((x.graph for entries in given for x in entries if type(x) is Traced), None)
    if graph is None:
        return dict(traced.evaluate(**{name: np.asarray(x, dtype=float) for name, x in arguments.items()}))
    nodes = rebuilt(traced, graph, [[node_of(graph, x) for x in entries] for entries in given])
    found = {}
    for (name, shape), numbers in zip(traced.output_shapes.items(), traced.outputs, strict=True):
        values = np.empty(math.prod(shape), dtype=object)
        values[:] = [wrap(graph, nodes[n]) for n in numbers]
        found[name] = values.reshape(shape) if shape else values[0]
    return found


def rebuilt(
    traced: TracedFunction, graph: Graph, arguments: list[list[int]], marks: frozenset[int] = frozenset()
) -> list[Any]:
    """The instructions in another graph: their nodes there, or truth values that are known.

    Before the instructions in ``marks`` the other graph may be cut, too.
    """
    values: list[Any] = []
    graph.tables.update({table.key: table for table in traced.tables})
    for n, (op, a, b, c) in enumerate(traced.instructions):
        if n in marks:
            graph.mark()
        if op == Op.CONST:
            values.append(graph.constant(traced.numbers[a]))
        elif op == Op.INPUT:
            values.append(arguments[a][b])
        elif op == Op.NEG:
            values.append(graph.neg(values[a]))
        elif op in _ARITHMETIC:
            values.append(_ARITHMETIC[Op(op)](graph, values[a], values[b]))
        elif op == Op.LOOKUP:
            values.append(graph.lookup(values[a], values[b], values[c]))
        elif op == Op.SELECT:
            values.append(selected(graph, values[a], values[b], values[c]))
        elif op in COMPARISONS:
            values.append(graph.compare(op, values[a], values[b]))
        elif op == Op.NOT:
            known = isinstance(values[a], bool)
            values.append(not values[a] if known else graph.logical_not(values[a]))
        elif op in (Op.AND, Op.OR):
            values.append(joined(graph, op, values[a], values[b]))
        elif op in UNARY:
            values.append(graph.unary(op, values[a]))
        else:
            values.append(graph.binary(op, values[a], values[b]))
    return values


_ARITHMETIC = {Op.ADD: Graph.add, Op.SUB: Graph.sub, Op.MUL: Graph.mul, Op.DIV: Graph.div}


def selected(graph: Graph, condition: int | bool, if_true: int, if_false: int) -> int:
    """One of two numbers."""
    if isinstance(condition, bool):
        return if_true if condition else if_false
    return graph.select(condition, if_true, if_false)


def joined(graph: Graph, op: int, i: int | bool, j: int | bool) -> int | bool:
    """Both conditions, or either."""
    for known, other in ((i, j), (j, i)):
        if isinstance(known, bool):
            return other if known is (op == Op.AND) else known
    return graph.logical_and(i, j) if op == Op.AND else graph.logical_or(i, j)
