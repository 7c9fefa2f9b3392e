"""Long functions in pieces, equal pieces compiled once.

A traced function is straight-line: a chain of a thousand loops repeats the instructions of one loop a
thousand times, and code generation takes longer per instruction the longer the function is. Here it is cut
at its marks (`ce_dynamics.compiler.tracing.graph`). In each piece, operands are numbered within the
piece (`ce_dynamics.compiler.codegen.segments`); pieces that then read the same are of one *kind* and
need machine code once. Differences between the pieces of a kind are in tables:

* Inputs, and values that another piece reads, live in slots of a common work space. Slots that differ by
  the same amount from piece to piece are reached from one *base*; only bases are in the table.
* Constants that differ. Those that are the same in all pieces of a kind are in its code.

The slots of a piece are used again when the last piece that reads them has run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.codegen.fused import CodeArrays, Integers
from ce_dynamics.compiler.codegen.segments import CONSTANT, LONGEST, SHORTEST, Pieces
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op

Floats = NDArray[np.float64]


class Address(NamedTuple):
    """A slot: its distance from a base; base -1 is the beginning of the work space."""

    base: int
    offset: int


@dataclass(frozen=True, eq=False)
class PieceKind:
    """Pieces that differ in numbers only."""

    op: Integers
    sources: Integers  # as in `Pieces`
    operands: Integers
    outside: list[Address]  # slots of the values read from outside
    constants: list[float | int]  # a number, or (int) where it is in the piece's row of `numbers`
    exports: dict[int, Address]  # slots by the places whose values are read outside
    bases: Integers
    numbers: Floats  # the pieces' rows of the tables, in the order in which the pieces run


@dataclass(frozen=True, eq=False)
class Outline:
    """A function in pieces."""

    kinds: list[PieceKind]
    order: list[int]  # kind of each piece, in the order in which the pieces run
    n_slots: int  # length of the work space.  The inputs come first, then ``given``
    given: Floats  # constants that are outputs
    outputs: list[Integers]  # slots of the entries of each output


def outline(
    traced: TracedFunction, code: CodeArrays, shortest: int = SHORTEST, longest: int = LONGEST
) -> Outline:
    """Cut a function into pieces of so many instructions and sort them by kind."""
    pieces = Pieces(code, traced.marks, shortest, longest)
    values = np.array([*traced.numbers, 0.0])
    order, members = kinds_of(pieces, find_table_reads(pieces, code, values))
    slots, given = fix_slots(traced, code)
    exports = exports_of(pieces, members, code)
    sizes = np.array([len(exports[kind]) for kind in order], dtype=np.int64)
    starts, n_slots = allocate_slots(sizes, last_readers(pieces, code), n_inputs(traced) + len(given))
    for who, places in zip(members, exports, strict=True):
        slots[pieces.nodes[pieces.places(who)[:, places]]] = starts[who][:, None] + np.arange(len(places))
    kinds = []
    for who, places in zip(members, exports, strict=True):
        own = pieces.places(who)
        outside = slots[pieces.outside.rows(who)]
        addresses, bases = address_slots(np.hstack((outside, slots[pieces.nodes[own[:, places]]])))
        constants, numbers = tabulate_constants(values[code.operands[pieces.constants.rows(who), 0]])
        kinds.append(
            PieceKind(
                op=pieces.op[own[0]],
                sources=pieces.sources[own[0]],
                operands=pieces.numbers[own[0]],
                outside=addresses[: outside.shape[1]],
                constants=constants,
                exports=dict(zip(places.tolist(), addresses[outside.shape[1] :], strict=True)),
                bases=bases,
                numbers=numbers,
            )
        )
    return Outline(kinds, order, n_slots, values[code.operands[given, 0]], [slots[o] for o in code.outputs])


def n_inputs(traced: TracedFunction) -> int:
    """Return the number of entries of all inputs."""
    return sum(int(np.prod(shape)) for shape in traced.input_shapes.values())


def find_table_reads(pieces: Pieces, code: CodeArrays, values: Floats) -> Integers:
    """Return, for each place that reads a table, a number of table and offset, else 0: part of the code."""
    found = np.zeros(len(pieces.nodes), dtype=np.int64)
    reading = np.flatnonzero(pieces.op == Op.LOOKUP)
    pairs = values[code.operands[code.operands[pieces.nodes[reading], 1:], 0]]
    if len(pairs):
        found[reading] = 1 + np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    return found


def kinds_of(pieces: Pieces, read: Integers) -> tuple[list[int], list[Integers]]:
    """Return the kind of each piece and the pieces of each kind; `read` holds tables and offsets by place."""
    numbers = np.where(pieces.sources == CONSTANT, 0, pieces.numbers)
    text = np.column_stack((pieces.op, read, pieces.sources, numbers)).astype(np.int32)
    known: dict[bytes, int] = {}
    order = [
        known.setdefault(text[start:stop].tobytes(), len(known))
        for start, stop in zip(pieces.starts[:-1], pieces.starts[1:], strict=True)
    ]
    members: list[list[int]] = [[] for _ in known]
    for k, kind in enumerate(order):
        members[kind].append(k)
    return order, [np.array(who, dtype=np.int64) for who in members]


def exports_of(pieces: Pieces, members: list[Integers], code: CodeArrays) -> list[Integers]:
    """Return the places of each kind whose values are read outside at least one of its pieces."""
    read = np.zeros(len(code.op), dtype=bool)
    for nodes in (pieces.outside.values, *code.outputs):
        read[nodes] = True
    exported = read[pieces.nodes]
    return [np.flatnonzero(exported[pieces.places(who)].any(axis=0)) for who in members]


def fix_slots(traced: TracedFunction, code: CodeArrays) -> tuple[Integers, Integers]:
    """Return slots by instruction, completed where no piece writes them, and the constant outputs."""
    slots = np.full(len(code.op), -1)
    sizes = [int(np.prod(shape)) for shape in traced.input_shapes.values()]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    inputs = np.flatnonzero(code.op == Op.INPUT)
    slots[inputs] = starts[code.operands[inputs, 0]] + code.operands[inputs, 1]
    wanted = np.unique(np.concatenate((np.zeros(0, dtype=np.int64), *code.outputs)))
    given = wanted[code.op[wanted] == Op.CONST]
    slots[given] = starts[-1] + np.arange(len(given))
    return slots, given


def last_readers(pieces: Pieces, code: CodeArrays) -> Integers:
    """Return the last piece that reads something of each piece; the number of pieces for outputs."""
    last = np.arange(len(pieces))
    readings = [(pieces.outside.values, pieces.outside.pieces)]
    readings += [(nodes, np.full(len(nodes), len(pieces))) for nodes in code.outputs]
    for nodes, readers in readings:
        at = pieces.place[nodes]
        np.maximum.at(last, pieces.piece[at[at >= 0]], readers[at >= 0])
    return last


def allocate_slots(sizes: Integers, last: Integers, start: int) -> tuple[Integers, int]:
    """Return the first slot of each piece and the number of slots; a slot is reused once it has been read."""
    free: dict[int, list[int]] = {}
    done: dict[int, list[int]] = {}
    starts = np.zeros_like(sizes)
    end = start
    for k, (size, reader) in enumerate(zip(sizes.tolist(), last.tolist(), strict=True)):
        if free.get(size):
            starts[k] = free[size].pop()
        else:
            starts[k] = end
            end += size
        done.setdefault(reader, []).append(k)
        for other in done.pop(k, ()):
            free.setdefault(int(sizes[other]), []).append(int(starts[other]))
    return starts, end


def address_slots(slots: Integers) -> tuple[list[Address], Integers]:
    """Return slots (n_pieces, n) as bases and offsets; slots with equal differences everywhere share one."""
    addresses: list[Address] = []
    columns: list[Integers] = []
    known: dict[bytes, tuple[int, int]] = {}
    known[np.zeros(len(slots), dtype=np.int64).tobytes()] = -1, 0
    for column in np.ascontiguousarray(slots.T):
        key = (column - column[0]).tobytes()
        if key not in known:
            known[key] = len(columns), int(column[0])
            columns.append(column)
        base, first = known[key]
        addresses.append(Address(base, int(column[0]) - first))
    return addresses, np.array(columns, dtype=np.int64).reshape(-1, len(slots)).T


def tabulate_constants(values: Floats) -> tuple[list[float | int], Floats]:
    """Return constants (n_pieces, n) as numbers if they are the same in all pieces, else as table columns."""
    constants: list[float | int] = []
    columns: list[Floats] = []
    known: dict[bytes, int] = {}
    for column in np.ascontiguousarray(values.T):
        if (column.view(np.int64) == column.view(np.int64)[0]).all():
            constants.append(float(column[0]))
            continue
        key = column.tobytes()
        if key not in known:
            known[key] = len(columns)
            columns.append(column)
        constants.append(known[key])
    return constants, np.array(columns, dtype=np.float64).reshape(-1, len(values)).T
