"""Write a traced function as LLVM IR text.

Layout
------
``void evaluate(double* in_0, ..., double* out_0, ...)`` takes one pointer per input and output, in their
order, to flat C-ordered arrays.  With `lanes` > 1 every entry is that many consecutive doubles, one per
instance (``[entry, lane]``); the instances are independent.  Arrays of different arguments must not overlap.
``void evaluate_table(double** arguments)`` does the same with the pointers taken from a table.

Floating point
--------------
No fast-math flag is set: the code equals the instructions to the last bit in any context. What the
flag ``contract`` would bring is done before, where the whole function is seen
(`ce_dynamics.compiler.codegen.fused`). No flag that assumes away NaN or infinities is ever allowed: NaN is
how "cannot be assembled" leaves compiled code. The harmless ones are not worth their freedom: on a 14-DoF
vehicle with four closed-form wishbone corners (9,970 instructions, one core of an AMD EPYC of family 25,
one lane / four lanes, µs per call, repeatable to 0.05)

=================================  ====  ====
none                               1.77  1.88
contract                           1.60  1.68
contract arcp                      1.59  1.66
contract nsz                       1.63  1.69
contract reassoc nsz               1.58  1.68
contract arcp reassoc nsz afn      1.57  1.62
=================================  ====  ====

Instructions stay in the order of tracing: depth first they run slower, because formulas as written keep
related values close together.
With pairs (`ce_dynamics.compiler.codegen.pairs`) the second of two moves to the place of the first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.compiler.codegen.elementary_calls import (
    FARTHEST,
    FARTHEST_SINGLE,
    Family,
    calls_together,
    find_missing,
    function_name,
    number_type,
    results_type,
    trace_formula,
)
from ce_dynamics.compiler.codegen.emit_pairs import PairWriter
from ce_dynamics.compiler.codegen.fused import CodeArrays, code_of
from ce_dynamics.compiler.codegen.writer import Writer
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op

EMITTER_VERSION = 11
"""Raise whenever text or machine code of an unchanged graph changes: it is part of the cache key."""

ENTRY = "evaluate"
TABLE_ENTRY = "evaluate_table"

FENCE = '  fence syncscope("singlethread") seq_cst'
"""Ends straight-line code, and is no instruction of the processor.

LLVM's quickest selector of instructions goes backwards, and hands over to the next one for good where it
meets an unknown operation.  It has no multiply-add either, but would hand over each of these on its own.
"""


def emit_llvm(
    traced: TracedFunction,
    lanes: int = 1,
    fuse: bool = True,
    single: bool = False,
    pairs: bool = False,
) -> str:
    """Return the LLVM IR of a traced function as one piece of straight-line code.

    ``fuse`` uses fused multiply-add; ``single`` computes in single precision, while inputs and outputs stay
    doubles.  ``pairs`` computes equal formulas two at a time, with one lane in double precision and fused
    multiply-add.
    """
    writer = Writer(lanes, written_out=fuse, single=single)
    straight_line(writer, traced, code_of(traced, fuse), pairs)
    return module(writer, traced)


def straight_line(writer: Writer, traced: TracedFunction, code: CodeArrays, pairs: bool = False) -> None:
    """Write all instructions between loads of the inputs and stores of the outputs."""
    kind, lines = number_type(writer.lanes), writer.lines
    writer.begin(f"define void @{ENTRY}({parameters(traced)}) nounwind {{")
    values: list[str] = []
    for n, (op, operands) in enumerate(zip(code.op.tolist(), code.operands.tolist(), strict=True)):
        name = f"%v{n}"
        if op == Op.CONST:
            name = writer.literal(traced.numbers[operands[0]])
        elif op == Op.INPUT:
            lines.append(f"  %p{n} = getelementptr {kind}, ptr %in{operands[0]}, i64 {operands[1]}")
            lines.append(f"  {writer.as_double(name)} = load {kind}, ptr %p{n}, align 8")
            writer.narrow_to_single(name)
        elif op == Op.LOOKUP:
            key, offset = (traced.numbers[traced.instructions[k][1]] for k in operands[1:])
            writer.looked_up[name] = key, int(offset)
        values.append(name)
    value: Callable[[int], str] = values.__getitem__
    if pairs:
        paired = PairWriter(writer, traced, code, values)
        paired.write()
        value = paired.value
    else:
        instructions(writer, code, values)
    for k, nodes in enumerate(traced.outputs):
        for entry, node in enumerate(nodes):
            lines.append(f"  %o{k}.{entry} = getelementptr {kind}, ptr %out{k}, i64 {entry}")
            lines.append(
                f"  store {kind} {writer.widen(value(node), f'%s{k}.{entry}')}, ptr %o{k}.{entry}, align 8"
            )
    lines += [FENCE, "  ret void", "}", ""]


def instructions(writer: Writer, code: CodeArrays, values: list[str]) -> None:
    """Write the instructions in the order of tracing, operands of grouped calls before these."""
    op, operands = code.op.tolist(), code.operands.tolist()
    groups = calls_together(code) if writer.written_out and writer.lanes == 1 else {}
    missing = code.computes.tolist()

    def write(n: int) -> None:
        missing[n] = False
        group = groups.get(n)
        if group is None:
            writer.operation(values[n], op[n], [values[k] for k in operands[n] if k >= 0])
            return
        for member in find_missing(group, operands, missing):
            if missing[member]:
                write(member)
        for member in group:
            missing[member] = False
        writer.call_together([(values[m], op[m], values[operands[m][0]]) for m in group])

    for n in np.flatnonzero(code.computes).tolist():
        if missing[n]:
            write(n)


def arguments(traced: TracedFunction) -> list[str]:
    """Return names of the pointers to inputs and outputs."""
    names = [f"%in{k}" for k in range(len(traced.input_shapes))]
    return names + [f"%out{k}" for k in range(len(traced.output_shapes))]


def parameters(traced: TracedFunction) -> str:
    """Return the same as parameters of a function."""
    attributes = {"i": "readonly", "o": "writeonly"}
    return ", ".join(f"ptr noalias {attributes[name[1]]} {name}" for name in arguments(traced))


def define_formulas(writer: Writer) -> None:
    """Write the formulas of elementary functions that have been called."""
    for family, lanes in sorted(writer.functions, key=lambda called: (called[0].name, called[1])):
        formula = Writer(lanes, single=writer.single)
        define_formula(formula, family)
        writer.lines += formula.lines
        writer.declarations |= formula.declarations


def define_formula(writer: Writer, family: Family) -> None:
    """Write the formula of a family as a function of the module."""
    traced, kind = trace_formula(family, writer.single), writer.type
    code = code_of(traced)
    results = results_type(family, writer.lanes, writer.single)
    writer.begin(f"define internal {results} @{function_name(family, writer.lanes)}({kind} %x) nounwind {{")
    writer.lines.append("entry:")
    values = [
        writer.literal(traced.numbers[a]) if op == Op.CONST else "%x" if op == Op.INPUT else f"%v{n}"
        for n, (op, (a, _, _)) in enumerate(zip(code.op.tolist(), code.operands.tolist(), strict=True))
    ]
    instructions(writer, code, values)
    found = [values[node] for node in traced.outputs[0]]
    if family.reduces_angles:
        found = _far_angles_by_the_library(writer, family, found)
    result = "poison"
    for k, value in enumerate(found):
        writer.lines.append(f"  %r{k} = insertvalue {results} {result}, {kind} {value}, {k}")
        result = f"%r{k}"
    writer.lines += [f"  ret {results} {result}", "}", ""]


def _far_angles_by_the_library(writer: Writer, family: Family, near: list[str]) -> list[str]:
    """Return results of a formula, and of the library for angles whose reduction would lose digits."""
    add, kind = writer.lines.append, writer.type
    writer.operation("%size", Op.FABS, ["%x"])
    writer.operation("%far", Op.LT, [writer.literal(FARTHEST_SINGLE if writer.single else FARTHEST), "%size"])
    some = "%far"
    if writer.lanes > 1:
        some, reduce = "%some", f"@llvm.vector.reduce.or.v{writer.lanes}i1"
        writer.declarations.add(f"declare i1 {reduce}({writer.logical})")
        add(f"  %some = call i1 {reduce}({writer.logical} %far)")
    add(f"  br i1 {some}, label %library, label %end")
    add("library:")
    chosen = []
    for k, op in enumerate(family.operations):
        writer.operation(f"%l{k}", op, ["%x"])
        writer.operation(f"%c{k}", Op.SELECT, ["%far", f"%l{k}", near[k]])
        chosen.append(f"%c{k}")
    add("  br label %end")
    add("end:")
    for k, (value, choice) in enumerate(zip(near, chosen, strict=True)):
        add(f"  %e{k} = phi {kind} [ {value}, %entry ], [ {choice}, %library ]")
    return [f"%e{k}" for k in range(len(near))]


def module(writer: Writer, traced: TracedFunction) -> str:
    """Return the module: the written lines, declarations, formulas and the entry that takes a table."""
    define_formulas(writer)
    text = [
        *sorted(writer.declarations),
        "",
        *writer.lines,
        f"define void @{TABLE_ENTRY}(ptr %table) nounwind {{",
    ]
    for k, argument in enumerate(arguments(traced)):
        text.append(f"  %slot{k} = getelementptr ptr, ptr %table, i64 {k}")
        text.append(f"  {argument} = load ptr, ptr %slot{k}")
    text.append(f"  tail call void @{ENTRY}({', '.join('ptr ' + a for a in arguments(traced))}) noinline")
    return "\n".join([*text, "  ret void", "}", ""])
