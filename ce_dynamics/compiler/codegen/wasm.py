"""Write traced functions as a WebAssembly module: arrays are pieces of memory, which functions fill.

Every operation of a graph without elementary functions is one instruction of WebAssembly, which rounds once.
A value that one operation reads stays on the stack; others are kept in local variables.  As in C
(`ce_dynamics.compiler.codegen.c`), long functions are divided, and values that later
parts read are in memory.

Numbers of sections and instructions are those of the WebAssembly Core Specification 1.0, chapter 5; the
saturating conversion is of version 2.0.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from math import prod

from ce_dynamics.compiler.codegen.c import PIECE, slots_of
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import LOGICAL, Op, arity
from ce_dynamics.errors import ModelError

TYPE, FUNCTION, MEMORY, EXPORT, CODE, DATA = 1, 3, 5, 7, 10, 11  # numbers of sections
F64, I32 = 0x7C, 0x7F
PAGE = 65536  # size of a page of memory [B]
CONDITIONS = frozenset({Op.AND, Op.OR, Op.NOT})  # operations on conditions
INSTRUCTIONS = {
    Op.ADD: b"\xa0",
    Op.SUB: b"\xa1",
    Op.MUL: b"\xa2",
    Op.DIV: b"\xa3",
    Op.COPYSIGN: b"\xa6",
    Op.FABS: b"\x99",
    Op.NEG: b"\x9a",
    Op.CEIL: b"\x9b",
    Op.FLOOR: b"\x9c",
    Op.SQRT: b"\x9f",
    Op.EQ: b"\x61",
    Op.NE: b"\x62",
    Op.LT: b"\x63",
    Op.LE: b"\x65",
    Op.AND: b"\x71",
    Op.OR: b"\x72",
    Op.NOT: b"\x45",
}
AS_NUMBER, END, SELECT = b"\xb7", b"\x0b", b"\x1b"


def wasm_module(functions: Mapping[str, TracedFunction]) -> bytes:
    """Return a module that exports functions without arguments and the memory of their arrays, by name.

    Arrays of one name are one piece of ``memory``; the function of that name returns its address.  Elementary
    functions must be written out (`ce_dynamics.compiler.elementary.written_out`).
    """
    places, size = arrays_of(functions)
    tables: dict[int, tuple[int, float]] = {}
    contents = []
    for traced in functions.values():
        for table in traced.tables:
            if table.key not in tables:
                values = table.values.astype("<f8").tobytes()
                tables[table.key] = size, float(table.last)
                contents.append(b"\x00" + integer(size) + END + with_size(values))
                size += len(values)
    bodies = [with_size(vector([]) + integer(at) + END) for at in places.values()]
    types = [1] * len(bodies)
    exports = [name(what) + b"\x00" + encode_unsigned(k) for k, what in enumerate(places)]
    work = 0
    for what, traced in functions.items():
        parts, slots = parts_of(traced, places, tables, size)
        work = max(work, slots)
        first = len(bodies)
        bodies += map(with_size, parts)
        if len(parts) > 1:
            calls = b"".join(b"\x10" + encode_unsigned(first + k) for k in range(len(parts)))
            bodies.append(with_size(vector([]) + calls + END))
        types += [0] * (len(bodies) - first)
        exports.append(name(what) + b"\x00" + encode_unsigned(len(bodies) - 1))
    exports.append(name("memory") + b"\x02\x00")
    pages = -(-(size + 8 * work) // PAGE)
    return b"".join(
        (
            b"\0asm\x01\0\0\0",
            section(TYPE, [b"\x60\x00\x00", b"\x60\x00\x01" + bytes([I32])]),
            section(FUNCTION, map(encode_unsigned, types)),
            section(MEMORY, [b"\x00" + encode_unsigned(pages)]),
            section(EXPORT, exports),
            section(CODE, bodies),
            section(DATA, contents),
        )
    )


def arrays_of(functions: Mapping[str, TracedFunction]) -> tuple[dict[str, int], int]:
    """Return the address of every array, and the first one behind them [B]."""
    sizes: dict[str, int] = {}
    for what, traced in functions.items():
        shapes = {**traced.input_shapes, **traced.output_shapes}
        if len(shapes) < len(traced.input_shapes) + len(traced.output_shapes):
            raise ModelError(f"module: {what!r} has an array that is input and output")
        for array, shape in shapes.items():
            length = max(1, prod(shape))
            if sizes.setdefault(array, length) != length or array in functions:
                raise ModelError(f"module: array {array!r} has several sizes, or is the name of a function")
    places, end = {}, 0
    for array, length in sizes.items():
        places[array] = end
        end += 8 * length
    return places, end


def parts_of(
    traced: TracedFunction, places: Mapping[str, int], tables: Mapping[int, tuple[int, float]], work: int
) -> tuple[list[bytes], int]:
    """Return the bodies of a function's parts, and the number of values that they keep at address `work`."""
    number = max(1, -(-len(traced.instructions) // PIECE))
    starts = [len(traced.instructions) * k // number for k in range(number + 1)]
    slots, size = slots_of(traced, starts) if number > 1 else ({}, 0)
    kept = {n: work + 8 * slot for n, slot in slots.items()}
    stored: dict[int, list[int]] = {}
    for array, nodes in zip(traced.output_shapes, traced.outputs, strict=True):
        for k, node in enumerate(nodes):
            stored.setdefault(node, []).append(places[array] + 8 * k)
    inputs = [places[array] for array in traced.input_shapes]
    return [part(traced, *ends, inputs, kept, stored, tables) for ends in pairwise(starts)], size


def part(
    traced: TracedFunction,
    start: int,
    stop: int,
    inputs: Sequence[int],
    kept: Mapping[int, int],
    stored: Mapping[int, Sequence[int]],
    tables: Mapping[int, tuple[int, float]],
) -> bytes:
    """Return the body of instructions from `start` to `stop`."""
    instructions = traced.instructions
    uses = Counter(n for op, *operands in instructions[start:stop] for n in operands[: arity(op)])
    code, types = [], list[int]()
    texts: dict[int, bytes] = {}

    def value(n: int, condition: bool) -> bytes:
        op, a, b, _ = instructions[n]
        if op == Op.CONST:
            found, logical = b"\x44" + struct.pack("<d", traced.numbers[a]), False
        elif op == Op.INPUT:
            found, logical = load(inputs[a] + 8 * b), False
        elif n < start:
            found, logical = load(kept[n]), False
        else:
            found, logical = texts[n], op in LOGICAL
        if condition == logical:
            return found
        return found + (b"\x44" + bytes(8) + INSTRUCTIONS[Op.NE] if condition else AS_NUMBER)

    for n, (op, a, b, c) in enumerate(instructions[start:stop], start):
        ends = [*stored.get(n, ()), *([kept[n]] if n in kept else ())]
        if arity(op):
            if op == Op.LOOKUP:
                table, offset = (int(traced.numbers[instructions[k][1]]) for k in (b, c))
                at, last = tables[table]
                text = look_up(value(a, False), at + 8 * offset, last)
            elif op == Op.SELECT:
                text = value(b, False) + value(c, False) + value(a, True) + SELECT
            else:
                operands = (a, b)[: arity(op)]
                text = b"".join(value(k, op in CONDITIONS) for k in operands) + INSTRUCTIONS[Op(op)]
            texts[n] = text
            if uses[n] + len(ends) > 1:
                code.append(text + b"\x21" + encode_unsigned(len(types)))
                texts[n] = b"\x20" + encode_unsigned(len(types))
                types.append(I32 if op in LOGICAL else F64)
        code += (integer(0) + value(n, False) + b"\x39\x03" + encode_unsigned(at) for at in ends)
    runs = [encode_unsigned(len(list(run))) + bytes([kind]) for kind, run in groupby(types)]
    return vector(runs) + b"".join(code) + END


def load(at: int) -> bytes:
    """Return instructions that read a number at an address."""
    return integer(0) + b"\x2b\x03" + encode_unsigned(at)


def look_up(index: bytes, at: int, last: float) -> bytes:
    """Return instructions that read a table at an index, clamped to 0 … `last`; NaN counts as 0."""
    low, high = (b"\x44" + struct.pack("<d", x) for x in (0.0, last))
    return index + low + b"\xa5" + high + b"\xa4\xfc\x02" + integer(3) + b"\x74\x2b\x03" + encode_unsigned(at)


def integer(n: int) -> bytes:
    """Return the instruction that pushes a whole number."""
    return b"\x41" + encode_signed(n)


def encode_unsigned(n: int) -> bytes:
    """Return the LEB128 code of a number from 0 on."""
    found = bytearray()
    while n >= 0x80:
        found.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes((*found, n))


def encode_signed(n: int) -> bytes:
    """Return the LEB128 code of a number from 0 on, in the signed form."""
    found = encode_unsigned(n)
    return found if found[-1] < 0x40 else bytes((*found[:-1], found[-1] | 0x80, 0))


def with_size(content: bytes) -> bytes:
    """Return bytes after their number."""
    return encode_unsigned(len(content)) + content


def vector(items: Iterable[bytes]) -> bytes:
    """Return items after their number."""
    listed = list(items)
    return encode_unsigned(len(listed)) + b"".join(listed)


def section(number: int, items: Iterable[bytes]) -> bytes:
    """Return a section of a module."""
    return bytes([number]) + with_size(vector(items))


def name(text: str) -> bytes:
    """Return a name of an export."""
    return with_size(text.encode("utf-8"))
