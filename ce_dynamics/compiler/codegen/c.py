"""Write a traced function as C99: straight-line code on doubles.

Floating point
--------------
Every instruction is one statement and rounds once.  Compilers that join products and sums on their own
(GCC does outside ISO mode) need ``-ffp-contract=off``, else the last digits differ.  NaN is
how "cannot be assembled" leaves the code, which forbids ``-ffast-math``.

Length
------
Compile time grows faster than the length of a function.  A function of more than `PIECE` instructions
is divided into functions of that length; values that later ones read are kept in an array in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import C_FUNCTIONS, LOGICAL, OPERATORS, Op, arity

PIECE = 4000  # instructions of one function of C

INFIX = {op: written.symbol for op, written in OPERATORS.items() if op != Op.POW}
INFIX |= {Op.AND: "&&", Op.OR: "||"}
_TABLE = "ce_dynamics_table_"

PREFIX = {Op.NEG: "-", Op.NOT: "!"}


def c_function(traced: TracedFunction, symbol: str, piece: int = PIECE) -> str:
    """Return the definition of ``void symbol(const double in[], ..., double out[], ...)`` in C99.

    It needs ``<math.h>``; arrays of inputs and outputs must not overlap.  Beyond ``piece`` instructions it is
    divided.
    """
    parts = -(-len(traced.instructions) // piece)
    tables = c_tables(traced)
    if parts <= 1:
        return "\n".join([*tables, _definition(prototype(traced, symbol), list(_straight(traced)))])
    starts = [len(traced.instructions) * k // parts for k in range(parts + 1)]
    slots, size = slots_of(traced, starts)
    inputs = ", ".join(f"const double {name}[]" for name in traced.input_shapes)
    given = ", ".join(traced.input_shapes)
    text, calls = tables, [f"double work[{max(1, size)}];"]
    for k, (start, stop) in enumerate(pairwise(starts)):
        head = f"static void {symbol}_{k}({inputs}, double work[])"
        text.append(_definition(head, list(_piece(traced, start, stop, slots))))
        calls.append(f"{symbol}_{k}({given}, work);")
    read = [_stored(traced, n, slots) for n in range(len(traced.instructions))]
    text.append(_definition(prototype(traced, symbol), [*calls, *_results(traced, read)]))
    return "\n".join(text)


def c_tables(traced: TracedFunction) -> list[str]:
    """Return definitions of the tables that a function looks up, once however many functions of a file do."""
    text = []
    for table in traced.tables:
        name, guard = f"{_TABLE}{table.key}", f"CE_DYNAMICS_TABLE_{table.key}"
        numbers = [literal(x) for x in table.values.tolist()]
        rows = [", ".join(numbers[k : k + 8]) for k in range(0, len(numbers), 8)]
        last = literal(float(table.last))
        text += [
            f"#ifndef {guard}",
            f"#define {guard}",
            f"static const double {name}[{len(numbers)}] = {{",
            ",\n".join(rows),
            "};",
            f"static double {name}_at(double index, int offset)",
            "{",
            "    const double least = index > 0.0 ? index : 0.0;",
            f"    return {name}[(long)(least < {last} ? least : {last}) + offset];",
            "}",
            "#endif",
        ]
    return text


def prototype(traced: TracedFunction, symbol: str) -> str:
    """Return the head of the function, with names and lengths of its arrays."""

    def array(name: str, shape: tuple[int, ...]) -> str:
        return f"double {name}[{max(1, math.prod(shape))}]"

    arrays = [f"const {array(name, shape)}" for name, shape in traced.input_shapes.items()]
    arrays += [array(name, shape) for name, shape in traced.output_shapes.items()]
    return f"void {symbol}({', '.join(arrays)})"


def _definition(head: str, lines: list[str]) -> str:
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}", ""])


def _straight(traced: TracedFunction) -> Iterator[str]:
    values: list[str] = []
    yield from _mark_unused(traced, 0, len(traced.instructions))
    yield from _computed(traced, 0, len(traced.instructions), values)
    yield from _results(traced, values)


def _piece(traced: TracedFunction, start: int, stop: int, slots: dict[int, int]) -> Iterator[str]:
    values = [_stored(traced, n, slots) for n in range(start)]
    yield from _mark_unused(traced, start, stop)
    yield from _computed(traced, start, stop, values)
    for n in range(start, stop):
        if n in slots:
            yield f"work[{slots[n]}] = {values[n]};"


def _mark_unused(traced: TracedFunction, start: int, stop: int) -> Iterator[str]:
    """Yield lines that mark inputs as unused for the compiler."""
    read = {a for op, a, _, _ in traced.instructions[start:stop] if op == Op.INPUT}
    yield from (f"(void){name};" for k, name in enumerate(traced.input_shapes) if k not in read)


def _computed(traced: TracedFunction, start: int, stop: int, values: list[str]) -> Iterator[str]:
    """Yield lines of some instructions, and append the names of their values."""
    inputs = list(traced.input_shapes)
    for n, (op, a, b, c) in enumerate(traced.instructions[start:stop], start):
        if op == Op.CONST:
            values.append(literal(traced.numbers[a]))
            continue
        if op == Op.INPUT:
            text = f"{inputs[a]}[{b}]"
        else:
            text = expression(op, [values[k] for k in (a, b, c) if k >= 0])
        yield f"const {'int' if op in LOGICAL else 'double'} v{n} = {text};"
        values.append(f"v{n}")


def _results(traced: TracedFunction, values: list[str]) -> Iterator[str]:
    for name, nodes in zip(traced.output_shapes, traced.outputs, strict=True):
        if not nodes:
            yield f"(void){name};"
        yield from (f"{name}[{k}] = {values[node]};" for k, node in enumerate(nodes))


def slots_of(traced: TracedFunction, starts: list[int]) -> tuple[dict[int, int], int]:
    """Return the places of values that a later piece or the results read, and the number of places.

    A place is free again after the last piece that reads its value.
    """
    parts = len(starts) - 1
    last: dict[int, int] = {}
    for k, (start, stop) in enumerate(pairwise(starts)):
        for op, *operands in traced.instructions[start:stop]:
            for n in operands[: arity(op)]:
                if n < start and traced.instructions[n][0] != Op.CONST:
                    last[n] = k
    for nodes in traced.outputs:
        last.update((n, parts) for n in nodes if traced.instructions[n][0] != Op.CONST)
    slots: dict[int, int] = {}
    free: list[int] = []
    size = 0
    ending: list[list[int]] = [[] for _ in range(parts + 1)]
    for k, (start, stop) in enumerate(pairwise(starts)):
        for n in range(start, stop):
            if n in last:
                if not free:
                    free.append(size)
                    size += 1
                slots[n] = free.pop()
                ending[last[n]].append(slots[n])
        free += ending[k]  # the next piece may overwrite the inputs of this one
    return slots, size


def _stored(traced: TracedFunction, n: int, slots: dict[int, int]) -> str:
    op, a, _, _ = traced.instructions[n]
    if op == Op.CONST:
        return literal(traced.numbers[a])
    return f"work[{slots[n]}]" if n in slots else ""


def expression(op: int, x: list[str]) -> str:
    """Return the C expression of an operation on operands."""
    if op == Op.LOOKUP:
        key, offset = int(float(x[1])), int(float(x[2]))
        return f"{_TABLE}{key}_at({x[0]}, {offset})"
    if op == Op.SELECT:
        return f"{x[0]} ? {x[1]} : {x[2]}"
    if op in INFIX:
        return f"{x[0]} {INFIX[op]} {x[1]}"
    if op in PREFIX:
        return f"{PREFIX[Op(op)]}{x[0]}"
    return f"{C_FUNCTIONS[op]}({', '.join(x)})"


def literal(x: float) -> str:
    """Return a number as C writes it, to the last bit."""
    if math.isnan(x):
        return "((double)NAN)"
    if math.isinf(x):
        return "((double)INFINITY)" if x > 0 else "(-(double)INFINITY)"
    return repr(x) if x >= 0 else f"({x!r})"
