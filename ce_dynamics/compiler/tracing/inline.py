"""Traced functions inside others, functions of fewer outputs, and the entries that outputs depend on.

Expressions shared with the surroundings exist once, so that a function and its directional
derivatives, each called by itself, cost as much as their joint evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import COMPARISONS, UNARY, Op, arity
from ce_dynamics.compiler.tracing.traced import Traced, node_of, wrap


def call(traced: TracedFunction, **arguments: Any) -> dict[str, Array]:
    """Return a traced function at arrays of floats or of traced scalars.

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
    nodes = rebuild(traced, graph, [[node_of(graph, x) for x in entries] for entries in given])
    found = {}
    for (name, shape), numbers in zip(traced.output_shapes.items(), traced.outputs, strict=True):
        values = np.empty(math.prod(shape), dtype=object)
        values[:] = [wrap(graph, nodes[n]) for n in numbers]
        found[name] = values.reshape(shape) if shape else values[0]
    return found


def rebuild(
    traced: TracedFunction, graph: Graph, arguments: list[list[int]], marks: frozenset[int] = frozenset()
) -> list[Any]:
    """Return the instructions in another graph: their nodes there, or truth values that are known.

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
            values.append(select_number(graph, values[a], values[b], values[c]))
        elif op in COMPARISONS:
            values.append(graph.compare(op, values[a], values[b]))
        elif op == Op.NOT:
            known = isinstance(values[a], bool)
            values.append(not values[a] if known else graph.logical_not(values[a]))
        elif op in (Op.AND, Op.OR):
            values.append(join_conditions(graph, op, values[a], values[b]))
        elif op in UNARY:
            values.append(graph.unary(op, values[a]))
        else:
            values.append(graph.binary(op, values[a], values[b]))
    return values


_ARITHMETIC = {Op.ADD: Graph.add, Op.SUB: Graph.sub, Op.MUL: Graph.mul, Op.DIV: Graph.div}


def select_number(graph: Graph, condition: int | bool, if_true: int, if_false: int) -> int:
    """Return one of two numbers."""
    if isinstance(condition, bool):
        return if_true if condition else if_false
    return graph.select(condition, if_true, if_false)


def join_conditions(graph: Graph, op: int, i: int | bool, j: int | bool) -> int | bool:
    """Return both conditions, or either."""
    for known, other in ((i, j), (j, i)):
        if isinstance(known, bool):
            return other if known is (op == Op.AND) else known
    return graph.logical_and(i, j) if op == Op.AND else graph.logical_or(i, j)


def with_entries(traced: TracedFunction, output: str, entries: Collection[int]) -> TracedFunction:
    """Return the same function, but of one output only some entries are computed.

    Parameters
    ----------
    traced : TracedFunction
    output : str
        Name of the output.
    entries : collection of int
        Places of the selected entries in the flattened output; the others are 0.

    Returns
    -------
    TracedFunction
        Function with the same shapes, and the same bits in the selected entries.

    Examples
    --------
    >>> from ce_dynamics.compiler import trace
    >>> f = trace("f", lambda x: {"y": [x + 1.0, x * x], "z": x - 1.0}, {"x": ()})
    >>> with_entries(f, "y", [1]).evaluate(x=3.0)
    {'y': array([0., 9.]), 'z': array(2.)}
    """
    graph = Graph()
    graph.nodes = list(traced.instructions)
    graph.numbers = list(traced.numbers)
    graph.marks = list(traced.marks)
    zero = len(graph.nodes)
    graph.nodes.append((int(Op.CONST), len(graph.numbers), -1, -1))
    graph.numbers.append(0.0)
    wanted = frozenset(entries)
    outputs = [
        [n if name != output or k in wanted else zero for k, n in enumerate(nodes)]
        for name, nodes in zip(traced.output_shapes, traced.outputs, strict=True)
    ]
    return extract(traced.name, graph, traced.input_shapes, traced.output_shapes, outputs)


_LINEAR = {Op.ADD, Op.SUB, Op.NEG}


class Dependencies(NamedTuple):
    """Inputs on which one number depends, as indices into all inputs end to end."""

    on: tuple[int, ...]  # indices of the inputs, increasing
    # indices of inputs with which the number changes by a constant factor, at any values of the inputs
    constant: frozenset[int]


def dependencies(function: TracedFunction) -> dict[str, list[Dependencies]]:
    """Return the `Dependencies` of every entry of every output.

    An input outside ``on`` has no effect on any bit.  An input in ``on`` may still have no effect, where
    terms cancel.
    """
    starts, total = [], 0
    for shape in function.input_shapes.values():
        starts.append(total)
        size = 1
        for length in shape:
            size *= length
        total += size
    on: list[int] = []  # sets of places as bits
    bent: list[int] = []  # those that the number does not follow by a constant factor
    for op, a, b, c in function.instructions:
        operands = (a, b, c)[: arity(op)]
        if not operands:
            on.append(1 << (starts[a] + b) if op == Op.INPUT else 0)
            bent.append(0)
            continue
        depends, curved = 0, 0
        for k in operands:
            depends |= on[k]
            curved |= bent[k]
        if not (
            op in _LINEAR
            or (op == Op.MUL and (on[a] == 0 or on[b] == 0))
            or (op == Op.DIV and on[b] == 0)
            or (op == Op.SELECT and on[a] == 0)
        ):
            curved = depends
        on.append(depends)
        bent.append(curved)
    return {
        name: [Dependencies(set_bits(on[n]), frozenset(set_bits(on[n] & ~bent[n]))) for n in nodes]
        for name, nodes in zip(function.output_shapes, function.outputs, strict=True)
    }


def set_bits(bits: int) -> tuple[int, ...]:
    """Return the bits that are set, from the lowest."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
