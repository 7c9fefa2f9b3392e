"""Trace Python functions of arrays into straight-line scalar functions."""

from __future__ import annotations

import gc
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.tables import Table, known_table
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.compiler.tracing.graph import Graph, Node, marking
from ce_dynamics.compiler.tracing.operations import MEANING, Op, arity
from ce_dynamics.compiler.tracing.traced import node_of, wrap
from ce_dynamics.errors import WrongTypeError

Shape = tuple[int, ...]

_ARITY = [arity(op) for op in sorted(Op)]
_AT_ONCE = 512  # points, whose intermediate values are all kept


@dataclass(frozen=True, eq=False)
class TracedFunction:
    """A function of arrays as a list of scalar instructions, in an order in which they can be run.

    Attributes
    ----------
    name : str
    input_shapes, output_shapes : mapping of name to shape
        In the order of arguments and results; arrays are flattened in C order.
    instructions : tuple of (op, a, b, c)
        Operands are indices of earlier instructions; a constant carries the index in `numbers`, an input
        (input index, flat entry).
    numbers : tuple of float
    outputs : per output, the instruction of each entry
    marks : tuple of int
        Instructions at which a new piece of work begins: where the function may be cut.
    tables : tuple of Table
        Tables; instructions have the keys.
    """

    name: str
    input_shapes: dict[str, Shape]
    output_shapes: dict[str, Shape]
    instructions: tuple[Node, ...]
    numbers: tuple[float, ...]
    outputs: tuple[tuple[int, ...], ...]
    marks: tuple[int, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def n_instructions(self) -> int:
        """Number of arithmetic instructions: constants and inputs are not counted."""
        return sum(1 for op, _, _, _ in self.instructions if _ARITY[op])

    def digest(self) -> str:
        """Return hash of everything that determines the result: equal for equal functions, in any process."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        h = hashlib.sha256()
        h.update(repr((list(self.input_shapes.items()), list(self.output_shapes.items()))).encode())
        h.update(np.asarray(self.instructions, dtype="<i4").tobytes())
        h.update(np.asarray(self.numbers, dtype="<f8").tobytes())
        for nodes in self.outputs:
            h.update(np.asarray(nodes, dtype="<i4").tobytes() + b"|")
        h.update(np.asarray(self.marks, dtype="<i4").tobytes())
        return h.hexdigest()

    def evaluate(self, **inputs: Any) -> dict[str, NDArray[np.float64]]:
        """Interpret the instructions on float64 arrays: slow, for tests and for looking into things.

        Raises
        ------
        TypeError, ValueError
            If names or shapes of the inputs are not those of the function.
        """
        if set(inputs) != set(self.input_shapes):
            raise TypeError(f"{self.name} takes the inputs {list(self.input_shapes)}, got {sorted(inputs)}")
        flat = []
        for name, shape in self.input_shapes.items():
            given = np.asarray(inputs[name], dtype=np.float64)
            if given.shape != shape:
                raise ValueError(f"input {name!r} of {self.name} has shape {given.shape}, expected {shape}")
            flat.append(given.ravel())
        with np.errstate(all="ignore"):
            values = self._interpret(flat)
        return {
            name: np.array([values[n] for n in nodes], dtype=np.float64).reshape(shape)
            for (name, shape), nodes in zip(self.output_shapes.items(), self.outputs, strict=True)
        }

    def evaluate_many(self, **inputs: Any) -> dict[str, NDArray[np.float64]]:
        """Interpret the instructions at many points at once, without machine code.

        Parameters
        ----------
        **inputs : arrays
            Of the function's shapes with the number of points in front.

        Returns
        -------
        dict of str to array
            Of the function's shapes with the number of points in front.
        """
        given = {name: np.asarray(inputs[name], dtype=np.float64) for name in self.input_shapes}
        number = min(len(values) for values in given.values())
        outputs = {name: np.empty((number, *shape)) for name, shape in self.output_shapes.items()}
        for start in range(0, number, _AT_ONCE):
            part = slice(start, min(start + _AT_ONCE, number))
            size = part.stop - start
            flat = [np.ascontiguousarray(values[part].reshape(size, -1).T) for values in given.values()]
            with np.errstate(all="ignore"):
                values = self._interpret(flat)
            for found, nodes in zip(outputs.values(), self.outputs, strict=True):
                rows = found[part].reshape(size, -1)
                for k, n in enumerate(nodes):
                    rows[:, k] = values[n]
        return outputs

    def _interpret(self, flat: list[NDArray[np.float64]]) -> list[Any]:
        values: list[Any] = []
        for op, a, b, c in self.instructions:
            n = _ARITY[op]
            if n == 2:
                values.append(MEANING[op](values[a], values[b]))
            elif n == 1:
                values.append(MEANING[op](values[a]))
            elif n == 3:
                values.append(MEANING[op](values[a], values[b], values[c]))
            else:
                values.append(np.float64(self.numbers[a]) if op == Op.CONST else flat[a][b])
        return values


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Suspend the collector of cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def trace(
    name: str,
    function: Callable[..., Mapping[str, Any]],
    inputs: Mapping[str, int | Shape],
) -> TracedFunction:
    """Run a function on arrays of traced scalars and keep the instructions its results depend on.

    Parameters
    ----------
    name : str
        For messages.
    function : callable
        Called once with one object array per input, by keyword; returns a mapping of output names to arrays
        or scalars (floats or traced scalars).  It must not branch on values.
    inputs : mapping of name to length or shape
        ``()`` passes a traced scalar rather than an array.

    Raises
    ------
    TypeError
        If the function branches on a traced value, or returns something that is no number.
    """
    graph = Graph()
    input_shapes: dict[str, Shape] = {}
    arguments: dict[str, Any] = {}
    for k, (key, size) in enumerate(inputs.items()):
        shape = (size,) if isinstance(size, int) else tuple(size)
        input_shapes[key] = shape
        argument = np.empty(math.prod(shape), dtype=object)
        argument[:] = [wrap(graph, graph.input(k, entry)) for entry in range(argument.size)]
        arguments[key] = argument.reshape(shape) if shape else argument[0]
    # NaN as a constant is a legitimate result, and object arrays raise no floating-point errors of their own.
    working = log_work(f"tracing {name}", lambda: f"{len(graph):,} operations")
    # traced objects have no cycles, and the search for them takes a fifth of the time
    with working, marking(graph), collecting_no_garbage(), np.errstate(invalid="ignore"):
        results = function(**arguments)
    if not isinstance(results, Mapping):
        raise WrongTypeError(
            f"{name} returned a {type(results).__name__}; return a mapping of output names to arrays"
        )
    output_shapes: dict[str, Shape] = {}
    outputs: list[list[int]] = []
    for key, result in results.items():
        value = np.asarray(result, dtype=object)
        output_shapes[key] = value.shape
        try:
            outputs.append([node_of(graph, entry) for entry in value.flat])
        except TypeError as error:
            raise WrongTypeError(f"output {key!r} of {name}: {error}") from error
    return extract(name, graph, input_shapes, output_shapes, outputs)


def extract(
    name: str,
    graph: Graph,
    input_shapes: Mapping[str, Shape],
    output_shapes: Mapping[str, Shape],
    outputs: list[list[int]],
) -> TracedFunction:
    """Keep the live part of a graph, renumbered."""
    nodes = graph.nodes
    live = bytearray(len(nodes))
    for output in outputs:
        for n in output:
            live[n] = 1
    for n in range(len(nodes) - 1, -1, -1):  # operands precede users, so one backward sweep finds all
        if live[n]:
            op, a, b, c = nodes[n]
            count = _ARITY[op]
            if count:
                live[a] = 1
                if count > 1:
                    live[b] = 1
                    if count > 2:
                        live[c] = 1
    number = [-1] * len(nodes)
    instructions: list[Node] = []
    numbers: list[float] = []
    for n, (op, a, b, c) in enumerate(nodes):
        if not live[n]:
            continue
        number[n] = len(instructions)
        count = _ARITY[op]
        if count == 2:
            instructions.append((op, number[a], number[b], -1))
        elif count == 1:
            instructions.append((op, number[a], -1, -1))
        elif count == 3:
            instructions.append((op, number[a], number[b], number[c]))
        elif op == Op.CONST:
            instructions.append((op, len(numbers), -1, -1))
            numbers.append(graph.numbers[a])
        else:
            instructions.append((op, a, b, -1))
    return TracedFunction(
        name=name,
        input_shapes=dict(input_shapes),
        output_shapes=dict(output_shapes),
        instructions=tuple(instructions),
        numbers=tuple(numbers),
        outputs=tuple(tuple(number[n] for n in output) for output in outputs),
        marks=_renumbered(graph.marks, live),
        tables=_tables(instructions, numbers),
    )


def _tables(instructions: list[Node], numbers: list[float]) -> tuple[Table, ...]:
    """Return the tables that instructions look up."""
    keys = sorted({numbers[instructions[b][1]] for op, _, b, _ in instructions if op == Op.LOOKUP})
    return tuple(table for table in map(known_table, keys) if table is not None)


def _renumbered(marks: list[int], live: bytearray) -> tuple[int, ...]:
    """Return marks after dead instructions have gone: before the first live instruction that follows."""
    before = np.concatenate(([0], np.cumsum(np.frombuffer(live, dtype=np.uint8), dtype=np.int64)))
    return tuple(sorted(set(before[marks].tolist()) - {0, int(before[-1])}))
