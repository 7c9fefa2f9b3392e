"""Write a traced function as LLVM IR text.

Layout
------
``void evaluate(double* in_0, ..., double* out_0, ...)`` takes one pointer per input and output, in their
order, to flat C-ordered arrays.  With `lanes` > 1 every entry is that many consecutive doubles, one per
instance ([entry][lane]); the instances are independent.  Arrays of different arguments must not overlap.
``void evaluate_table(double** arguments)`` does the same with the pointers taken from a table.

Floating point
--------------
Only the flag ``contract`` (a b + c may be one fused operation) is set: it brings 10 % and rounds less.  No
flag that assumes away NaN or infinities is ever allowed: NaN is how "cannot be assembled" leaves compiled
code.  The harmless ones are not worth their freedom: on a 14-DoF vehicle with four closed-form wishbone
corners (9,970 instructions, one core of an AMD EPYC of family 25, one lane / four lanes, µs per call,
repeatable to 0.05)

=================================  ====  ====
none                               1.77  1.88
contract                           1.60  1.68
contract arcp                      1.59  1.66
contract nsz                       1.63  1.69
contract reassoc nsz               1.58  1.68
contract arcp reassoc nsz afn      1.57  1.62
=================================  ====  ====

Instructions stay in the order of tracing: ordering them depth first instead costs some per cent (``python -m
tests.benchmarks history`` measures it), because formulas as written keep related values close together.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from ce_dynamics.compiler.function import TracedFunction
from ce_dynamics.compiler.operations import Op

EMITTER_VERSION = 1
"""Raise whenever the text for an unchanged graph changes: it is part of the cache key."""

ENTRY = "evaluate"
TABLE_ENTRY = "evaluate_table"

FLAGS = "contract"

_ARITHMETIC = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_COMPARE = {Op.LT: "olt", Op.LE: "ole", Op.EQ: "oeq", Op.NE: "une"}
_LOGIC = {Op.AND: "and", Op.OR: "or"}
_INTRINSIC = {Op.SQRT: "sqrt", Op.FABS: "fabs", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.COPYSIGN: "copysign"}

LIBM = {
    Op.SIN: "sin",
    Op.COS: "cos",
    Op.TAN: "tan",
    Op.ASIN: "asin",
    Op.ACOS: "acos",
    Op.ATAN: "atan",
    Op.ATAN2: "atan2",
    Op.EXP: "exp",
    Op.LOG: "log",
    Op.TANH: "tanh",
    Op.POW: "pow",
    Op.SINH: "sinh",
    Op.COSH: "cosh",
    Op.ASINH: "asinh",
    Op.ACOSH: "acosh",
    Op.ATANH: "atanh",
    Op.EXPM1: "expm1",
    Op.LOG1P: "log1p",
    Op.ERF: "erf",
    Op.HYPOT: "hypot",
    Op.FMOD: "fmod",
}
"""Operations that are calls into the C mathematics library, lane by lane."""

_TWO_OPERANDS = frozenset({Op.ATAN2, Op.POW, Op.HYPOT, Op.FMOD, Op.COPYSIGN})


def emit_llvm(traced: TracedFunction, lanes: int = 1, flags: str = FLAGS) -> str:
    """LLVM IR of a traced function.

    Parameters
    ----------
    traced : TracedFunction
    lanes : int
        Number of instances evaluated at once.
    flags : str
        Fast-math flags of arithmetic instructions.
    """
    return _Emitter(traced, lanes, flags).module()


class _Emitter:
    """Turns instructions into lines; one value name or literal per instruction."""

    def __init__(self, traced: TracedFunction, lanes: int, flags: str) -> None:
        self.traced = traced
        self.lanes = lanes
        self.flags = flags
        self.type = "double" if lanes == 1 else f"<{lanes} x double>"
        self.logical = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self.values: list[str] = []

    def module(self) -> str:
        self._body()
        n_in, n_out = len(self.traced.input_shapes), len(self.traced.output_shapes)
        parameters = [f"ptr noalias readonly %in{k}" for k in range(n_in)]
        parameters += [f"ptr noalias writeonly %out{k}" for k in range(n_out)]
        arguments = [f"%in{k}" for k in range(n_in)] + [f"%out{k}" for k in range(n_out)]
        text = [*sorted(self.declarations), "", f"define void @{ENTRY}({', '.join(parameters)}) nounwind {{"]
        text += [*self.lines, "  ret void", "}", "", f"define void @{TABLE_ENTRY}(ptr %table) nounwind {{"]
        for k, argument in enumerate(arguments):
            text.append(f"  %slot{k} = getelementptr ptr, ptr %table, i64 {k}")
            text.append(f"  {argument} = load ptr, ptr %slot{k}")
        text.append(f"  tail call void @{ENTRY}({', '.join('ptr ' + a for a in arguments)}) noinline")
        text += ["  ret void", "}", ""]
        return "\n".join(text)

    def _body(self) -> None:
        lines, values, kind, flags = self.lines, self.values, self.type, self.flags
        for n, (op, a, b, c) in enumerate(self.traced.instructions):
            if op == Op.CONST:
                values.append(self.literal(self.traced.numbers[a]))
                continue
            name = f"%v{n}"
            values.append(name)
            arithmetic = _ARITHMETIC.get(op)  # type: ignore[call-overload]
            if arithmetic is not None:
                lines.append(f"  {name} = {arithmetic} {flags} {kind} {values[a]}, {values[b]}")
            elif op == Op.INPUT:
                lines.append(f"  %p{n} = getelementptr {kind}, ptr %in{a}, i64 {b}")
                lines.append(f"  {name} = load {kind}, ptr %p{n}, align 8")
            else:
                self._other(name, Op(op), [values[k] for k in (a, b, c) if k >= 0])
        for k, nodes in enumerate(self.traced.outputs):
            for entry, node in enumerate(nodes):
                lines.append(f"  %o{k}.{entry} = getelementptr {kind}, ptr %out{k}, i64 {entry}")
                lines.append(f"  store {kind} {values[node]}, ptr %o{k}.{entry}, align 8")

    def literal(self, x: float) -> str:
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return bits if self.lanes == 1 else "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"

    def _other(self, name: str, op: Op, x: list[str]) -> None:
        add: Callable[[str], None] = self.lines.append
        kind, logical = self.type, self.logical
        if op == Op.NEG:
            add(f"  {name} = fneg {kind} {x[0]}")
        elif op == Op.SELECT:
            add(f"  {name} = select {logical} {x[0]}, {kind} {x[1]}, {kind} {x[2]}")
        elif op in _COMPARE:
            add(f"  {name} = fcmp {_COMPARE[op]} {kind} {x[0]}, {x[1]}")
        elif op in _LOGIC:
            add(f"  {name} = {_LOGIC[op]} {logical} {x[0]}, {x[1]}")
        elif op == Op.NOT:
            true = "true" if self.lanes == 1 else "<" + ", ".join(["i1 true"] * self.lanes) + ">"
            add(f"  {name} = xor {logical} {x[0]}, {true}")
        elif op in _INTRINSIC:
            symbol = f"@llvm.{_INTRINSIC[op]}.{self.suffix}"
            self.declarations.add(f"declare {kind} {symbol}({', '.join([kind] * len(x))})")
            add(f"  {name} = call {kind} {symbol}({', '.join(f'{kind} {y}' for y in x)})")
        elif op in LIBM:
            self._call(name, LIBM[op], x)
        else:
            raise NotImplementedError(f"operation {op.name} has no machine code")

    def _call(self, name: str, function: str, x: list[str]) -> None:
        add = self.lines.append
        # memory(none): nobody reads errno; sin and cos of one angle may then become one call
        signature = ", ".join(["double"] * len(x))
        self.declarations.add(f"declare double @{function}({signature}) nounwind willreturn memory(none)")
        if self.lanes == 1:
            add(f"  {name} = call double @{function}({', '.join(f'double {y}' for y in x)})")
            return
        result = "poison"
        for lane in range(self.lanes):
            for k, y in enumerate(x):
                add(f"  {name}.{lane}.{k} = extractelement {self.type} {y}, i64 {lane}")
            arguments = ", ".join(f"double {name}.{lane}.{k}" for k in range(len(x)))
            add(f"  {name}.{lane} = call double @{function}({arguments})")
            target = name if lane == self.lanes - 1 else f"{name}.{lane}.r"
            add(f"  {target} = insertelement {self.type} {result}, double {name}.{lane}, i64 {lane}")
            result = target
