"""Write an outlined function (`ce_dynamics.compiler.codegen.outliner`) as LLVM IR text.

Every kind of piece is a function ``kind(work, work, bases, numbers)`` of the work space, once to read and
once to write (the slots are different ones), and of a piece's rows in the tables. The rows of all pieces
follow each other in the order in which the pieces run; a loop over the pieces calls their kinds and moves
on in both tables.

The work space is allocated at every call, so that several threads may be in one function; if there is no
memory, all outputs are NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.compiler.codegen.emit import ENTRY, module, parameters
from ce_dynamics.compiler.codegen.outliner import Address, Outline, PieceKind
from ce_dynamics.compiler.codegen.segments import CONSTANT, LOCAL, NONE
from ce_dynamics.compiler.codegen.writer import Writer
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import LOGICAL, Op

LINE = 64  # bytes of a cache line: the lanes of a slot shall be in one

_DRIVER = """\
define internal void @run(ptr %work) nounwind {{
entry:
  br label %test
test:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %bases = phi ptr [ @bases, %entry ], [ %next_bases, %body ]
  %numbers = phi ptr [ @numbers, %entry ], [ %next_numbers, %body ]
  %more = icmp ult i64 %k, {n_pieces}
  br i1 %more, label %body, label %end
body:
  %piece = getelementptr i32, ptr @order, i64 %k
  %number = load i32, ptr %piece, align 4
  %index = zext i32 %number to i64
  %kind = getelementptr {{ ptr, i64, i64 }}, ptr @kinds, i64 %index
  %code = load ptr, ptr %kind, align 8
  %at_n_bases = getelementptr i8, ptr %kind, i64 8
  %n_bases = load i64, ptr %at_n_bases, align 8
  %at_n_numbers = getelementptr i8, ptr %kind, i64 16
  %n_numbers = load i64, ptr %at_n_numbers, align 8
  call void %code(ptr %work, ptr %work, ptr %bases, ptr %numbers)
  %next_bases = getelementptr i32, ptr %bases, i64 %n_bases
  %next_numbers = getelementptr double, ptr %numbers, i64 %n_numbers
  %next = add i64 %k, 1
  br label %test
end:
  ret void
}}

define internal void @collect(ptr noalias %work, ptr noalias %slots, i64 %n, ptr noalias %out) nounwind {{
entry:
  br label %test
test:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %end
body:
  %place = getelementptr i32, ptr %slots, i64 %k
  %slot = load i32, ptr %place, align 4
  %index = zext i32 %slot to i64
  %from = getelementptr {type}, ptr %work, i64 %index
  %value = load {type}, ptr %from, align 8
  %into = getelementptr {type}, ptr %out, i64 %k
  store {type} %value, ptr %into, align 8
  %next = add i64 %k, 1
  br label %test
end:
  ret void
}}
"""
"""The loop over the pieces, and the one over the entries of an output."""

IMPORTS = ("malloc", "free", "memcpy", "memset")  # functions of the C library that the code calls


def emit_outline(traced: TracedFunction, parts: Outline, lanes: int = 1, *, fuse: bool = True) -> str:
    """Return the LLVM IR of a function in pieces."""
    writer = Writer(lanes, written_out=fuse)
    for number, kind in enumerate(parts.kinds):
        _KindWriter(writer, kind).write(number)
    writer.lines += [*tables(parts), _DRIVER.format(type=writer.type, n_pieces=len(parts.order))]
    writer.lines += entry(writer, traced, parts)
    return module(writer, traced)


def tables(parts: Outline) -> list[str]:
    """Return kinds, rows of the pieces, slots of the outputs."""
    bases = [iter(kind.bases) for kind in parts.kinds]
    numbers = [iter(kind.numbers) for kind in parts.kinds]
    rows = [f"{{ ptr, i64, i64 }} {{ ptr @kind{k}, i64 {kind.bases.shape[1]}, i64 {kind.numbers.shape[1]} }}"
            for k, kind in enumerate(parts.kinds)]  # fmt: skip
    lines = [
        f"@kinds = internal constant [{len(rows)} x {{ ptr, i64, i64 }}] [{', '.join(rows)}]",
        data("order", np.array(parts.order, dtype="<i4")),
        data("bases", concatenate([next(bases[kind]) for kind in parts.order]).astype("<i4")),
        data("numbers", concatenate([next(numbers[kind]) for kind in parts.order]).astype("<f8")),
    ]
    lines += [data(f"slots{k}", slots.astype("<i4")) for k, slots in enumerate(parts.outputs)]
    return lines


def concatenate(rows: list[NDArray[Any]]) -> NDArray[Any]:
    """Return rows end to end."""
    return np.concatenate([np.zeros(0), *rows])


def data(name: str, values: NDArray[Any]) -> str:
    """Return a constant array, as bytes."""
    content = values.tobytes()
    text = "".join(f"\\{byte:02X}" for byte in content)
    return f'@{name} = internal constant [{len(content)} x i8] c"{text}", align {LINE}'


def entry(writer: Writer, traced: TracedFunction, parts: Outline) -> list[str]:
    """Fill the work space, run the pieces, collect the outputs."""
    size = 8 * writer.lanes
    sizes = [math.prod(shape) for shape in traced.input_shapes.values()]
    lines = [
        f"define void @{ENTRY}({parameters(traced)}) nounwind {{",
        f"  %memory = call ptr @malloc(i64 {size * parts.n_slots + LINE})",
        "  %none = icmp eq ptr %memory, null",
        "  br i1 %none, label %fail, label %begin",
        "begin:",
        "  %address = ptrtoint ptr %memory to i64",
        f"  %beyond = add i64 %address, {LINE - 1}",
        f"  %aligned = and i64 %beyond, {-LINE}",
        "  %work = inttoptr i64 %aligned to ptr",
    ]
    at = 0
    for k, n in enumerate(sizes):
        lines.append(f"  %to{k} = getelementptr {writer.type}, ptr %work, i64 {at}")
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %to{k}, ptr %in{k}, i64 {n * size}, i1 false)")
        at += n
    for k, value in enumerate(parts.given.tolist()):
        lines.append(f"  %given{k} = getelementptr {writer.type}, ptr %work, i64 {at + k}")
        lines.append(f"  store {writer.type} {writer.literal(value)}, ptr %given{k}, align 8")
    lines.append("  call void @run(ptr %work)")
    for k, slots in enumerate(parts.outputs):
        lines.append(f"  call void @collect(ptr %work, ptr @slots{k}, i64 {len(slots)}, ptr %out{k})")
    lines += ["  call void @free(ptr %memory)", "  ret void", "fail:"]
    for k, slots in enumerate(parts.outputs):  # a double of ones is NaN
        lines.append(
            f"  call void @llvm.memset.p0.i64(ptr %out{k}, i8 -1, i64 {len(slots) * size}, i1 false)"
        )
    writer.declarations |= {
        "declare ptr @malloc(i64) nounwind",
        "declare void @free(ptr) nounwind",
        "declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1)",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    }
    return [*lines, "  ret void", "}", ""]


class _KindWriter:
    """Writes the function of one kind: values are fetched where first read, stored where made."""

    def __init__(self, writer: Writer, kind: PieceKind) -> None:
        self.writer = writer
        self.kind = kind
        self.names: dict[tuple[int, int], str] = {}
        self.pointers: dict[tuple[str, int], str] = {}

    def write(self, number: int) -> None:
        """Append the function to the lines of the writer."""
        kind, lines = self.kind, self.writer.lines
        pointers = "ptr noalias readonly %from, ptr noalias writeonly %into"
        pointers += ", ptr noalias readonly %bases, ptr noalias readonly %numbers"
        self.writer.begin(f"define internal void @kind{number}({pointers}) nounwind {{")
        rows = zip(kind.op.tolist(), kind.sources.tolist(), kind.operands.tolist(), strict=True)
        for place, (op, sources, numbers) in enumerate(rows):
            given = [(source, n) for source, n in zip(sources, numbers, strict=True) if source != NONE]
            operands = [self.operand(source, n, reads_truth(op, k)) for k, (source, n) in enumerate(given)]
            self.writer.operation(f"%v{place}", op, operands)
            if place in kind.exports:
                self.export(place, op)
        lines += ["  ret void", "}", ""]

    def operand(self, source: int, number: int, is_truth: bool) -> str:
        """Name of an operand; fetches it if it has not been read before."""
        if source == LOCAL:
            return f"%v{number}"
        if source == CONSTANT:
            value = self.kind.constants[number]
            if isinstance(value, float):
                return self.writer.literal(value)
            number = value
        key = source, number
        if key not in self.names:
            self.names[key] = (
                self.number(number) if source == CONSTANT else self.fetch_from_slot(number, is_truth)
            )
        return self.names[key]

    def number(self, column: int) -> str:
        """Fetch a number from the piece's row."""
        writer, name = self.writer, f"%n{column}"
        scalar = name if writer.lanes == 1 else f"{name}.s"
        writer.lines.append(f"  {name}.p = getelementptr double, ptr %numbers, i64 {column}")
        writer.lines.append(f"  {scalar} = load double, ptr {name}.p, align 8")
        if writer.lanes > 1:
            many = f"<{writer.lanes} x double>"
            writer.lines.append(f"  {name}.1 = insertelement {many} poison, double {scalar}, i64 0")
            mask = f"<{writer.lanes} x i32> zeroinitializer"
            writer.lines.append(f"  {name} = shufflevector {many} {name}.1, {many} poison, {mask}")
        return name

    def fetch_from_slot(self, number: int, is_truth: bool) -> str:
        """Fetch a value from its slot."""
        writer, name = self.writer, f"%x{number}"
        slot = self.slot("from", self.kind.outside[number], name)
        loaded = f"{name}.d" if is_truth else name
        writer.lines.append(f"  {loaded} = load {writer.type}, ptr {slot}, align 8")
        if is_truth:
            writer.lines.append(f"  {name} = fcmp une {writer.type} {loaded}, {writer.literal(0.0)}")
        return name

    def export(self, place: int, op: int) -> None:
        """Store a value in its slot; conditions as 1 or 0."""
        writer, name = self.writer, f"%v{place}"
        if op in LOGICAL:
            one, zero = writer.literal(1.0), writer.literal(0.0)
            choice = f"{writer.logical} {name}, {writer.type} {one}, {writer.type} {zero}"
            writer.lines.append(f"  {name}.d = select {choice}")
        slot = self.slot("into", self.kind.exports[place], name)
        stored = f"{name}.d" if op in LOGICAL else name
        writer.lines.append(f"  store {writer.type} {stored}, ptr {slot}, align 8")

    def slot(self, work: str, address: Address, name: str) -> str:
        """Name of the pointer to a slot."""
        base = self.base(work, address.base)
        self.writer.lines.append(
            f"  {name}.p = getelementptr {self.writer.type}, ptr {base}, i64 {address.offset}"
        )
        return f"{name}.p"

    def base(self, work: str, column: int) -> str:
        """Name of the pointer to a base."""
        if column < 0:
            return f"%{work}"
        key = work, column
        if key not in self.pointers:
            name = self.pointers[key] = f"%{work}{column}"
            self.writer.lines += [
                f"  {name}.p = getelementptr i32, ptr %bases, i64 {column}",
                f"  {name}.i = load i32, ptr {name}.p, align 4",
                f"  {name}.w = zext i32 {name}.i to i64",
                f"  {name} = getelementptr {self.writer.type}, ptr %{work}, i64 {name}.w",
            ]
        return self.pointers[key]


def reads_truth(op: int, k: int) -> bool:
    """Return True if the k-th operand of an operation is a condition."""
    return op in (Op.AND, Op.OR, Op.NOT) or (op == Op.SELECT and k == 0)
