"""One operation after another as lines of LLVM IR, for any number of lanes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np

from ce_dynamics.algebra.tables import known_table
from ce_dynamics.compiler.codegen.elementary_calls import (
    FAMILY,
    Family,
    function_name,
    lanes_for,
    number_type,
    results_type,
)
from ce_dynamics.compiler.codegen.fused import FUSED, PRODUCT_MINUS, PRODUCT_PLUS
from ce_dynamics.compiler.tracing.operations import C_FUNCTIONS, Op

_ARITHMETIC: dict[int, str] = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
COMPARE: dict[int, str] = {Op.LT: "olt", Op.LE: "ole", Op.EQ: "oeq", Op.NE: "une"}
"""LLVM's names of comparisons: none holds for NaN but that it differs."""
_LOGIC = {Op.AND: "and", Op.OR: "or"}
_INTRINSIC = {op: C_FUNCTIONS[op] for op in (Op.SQRT, Op.FABS, Op.FLOOR, Op.CEIL, Op.COPYSIGN)}

LIBM = {op: name for op, name in C_FUNCTIONS.items() if op not in _INTRINSIC}
"""Operations that are calls into the C mathematics library, lane by lane."""


def table_symbol(key: int) -> str:
    """Name of a table in machine code."""
    return f"ce_dynamics_table_{key}"


def number_of(literal: str) -> float:
    """Return the number that `Writer.literal` wrote."""
    digits = literal[literal.index("0x") + 2 :][:16]
    number: float = struct.unpack(">d", bytes.fromhex(digits))[0]
    return number


class Writer:
    """Turns operations into lines."""

    def __init__(self, lanes: int, *, written_out: bool = False, single: bool = False) -> None:
        self.lanes = lanes
        self.written_out = written_out
        self.single = single
        self.scalar = "float" if single else "double"
        self.type = number_type(lanes, single)  # of numbers
        self.logical = "i1" if lanes == 1 else f"<{lanes} x i1>"  # of conditions
        bits = "f32" if single else "f64"
        self.suffix = bits if lanes == 1 else f"v{lanes}{bits}"
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self.functions: set[tuple[Family, int]] = set()  # called formulas, and for how many lanes
        self.known: dict[tuple[str, str], str] = {}  # in this function: results by formula and argument
        # key of the table and offset by the name of a result: single precision would round them
        self.looked_up: dict[str, tuple[float, int]] = {}

    def begin(self, line: str) -> None:
        """Begin a function."""
        self.lines.append(line)
        self.known = {}

    def literal(self, x: float) -> str:
        """Return a number, the same in all lanes."""
        if self.single:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))  # written with the digits of a double all the same
        bits = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return bits if self.lanes == 1 else "<" + ", ".join([f"{self.scalar} {bits}"] * self.lanes) + ">"

    def as_double(self, name: str) -> str:
        """Return the name of the double that becomes this value."""
        return f"{name}.d" if self.single else name

    def narrow_to_single(self, name: str) -> None:
        """Let a name be the double of that name in single precision."""
        if self.single:
            wide = number_type(self.lanes)
            self.lines.append(f"  {name} = fptrunc {wide} {self.as_double(name)} to {self.type}")

    def widen(self, value: str, name: str) -> str:
        """Return the name of a value as a double."""
        if not self.single:
            return value
        self.lines.append(f"  {name} = fpext {self.type} {value} to {number_type(self.lanes)}")
        return name

    def operation(self, name: str, op: int, x: list[str]) -> None:
        """Let a name be the result of an operation."""
        arithmetic = _ARITHMETIC.get(op)
        if arithmetic is not None:
            self.lines.append(f"  {name} = {arithmetic} {self.type} {x[0]}, {x[1]}")
        elif op in FUSED:
            self._fused(name, op, x)
        else:
            self._other(name, Op(op), x)

    def _fused(self, name: str, op: int, x: list[str]) -> None:
        if op != PRODUCT_PLUS:
            turned = 2 if op == PRODUCT_MINUS else 0
            self.lines.append(f"  {name}.n = fneg {self.type} {x[turned]}")
            x = [*x[:turned], f"{name}.n", *x[turned + 1 :]]
        self._intrinsic(name, "fma", x)

    def _intrinsic(self, name: str, function: str, x: list[str]) -> None:
        symbol = f"@llvm.{function}.{self.suffix}"
        self.declarations.add(f"declare {self.type} {symbol}({', '.join([self.type] * len(x))})")
        operands = ", ".join(f"{self.type} {y}" for y in x)
        self.lines.append(f"  {name} = call {self.type} {symbol}({operands})")

    def _other(self, name: str, op: Op, x: list[str]) -> None:
        add: Callable[[str], None] = self.lines.append
        kind, logical = self.type, self.logical
        if op == Op.NEG:
            add(f"  {name} = fneg {kind} {x[0]}")
        elif op == Op.SELECT:
            add(f"  {name} = select {logical} {x[0]}, {kind} {x[1]}, {kind} {x[2]}")
        elif op in COMPARE:
            add(f"  {name} = fcmp {COMPARE[op]} {kind} {x[0]}, {x[1]}")
        elif op in _LOGIC:
            add(f"  {name} = {_LOGIC[op]} {logical} {x[0]}, {x[1]}")
        elif op == Op.NOT:
            true = "true" if self.lanes == 1 else "<" + ", ".join(["i1 true"] * self.lanes) + ">"
            add(f"  {name} = xor {logical} {x[0]}, {true}")
        elif op in _INTRINSIC:
            self._intrinsic(name, _INTRINSIC[op], x)
        elif op == Op.LOOKUP:
            self._lookup(name, x)
        elif self.written_out and op in FAMILY:
            self._result(name, op, self._formula(name, FAMILY[op], self.lanes, x[0]))
        elif op in LIBM:
            self._call(name, LIBM[op], x)
        else:
            raise NotImplementedError(f"operation {op.name} has no machine code")

    def _lookup(self, name: str, x: list[str]) -> None:
        """Read a table.  The code generator computes shared parts of neighbouring reads once."""
        add, kind, many = self.lines.append, self.type, f"<{self.lanes} x i64>"
        key, offset = self.looked_up.get(name) or (number_of(x[1]), int(number_of(x[2])))
        table = known_table(key)
        if table is None:
            raise LookupError("a table that is looked up is gone; keep the object that it belongs to")
        symbol, zero, last = table_symbol(table.key), self.literal(0.0), self.literal(float(table.last))
        self.declarations.add(f"@{symbol} = external constant double, align 8")
        # not below zero, nor NaN; not beyond the end
        add(f"  {name}.g = fcmp ogt {kind} {x[0]}, {zero}")
        add(f"  {name}.l = select {self.logical} {name}.g, {kind} {x[0]}, {kind} {zero}")
        add(f"  {name}.b = fcmp olt {kind} {name}.l, {last}")
        add(f"  {name}.i = select {self.logical} {name}.b, {kind} {name}.l, {kind} {last}")
        whole = "i64" if self.lanes == 1 else many
        add(f"  {name}.w = fptosi {kind} {name}.i to {whole}")
        if self.lanes == 1:
            add(f"  {name}.a = getelementptr double, ptr @{symbol}, i64 {name}.w")
            add(f"  {name}.o = getelementptr double, ptr {name}.a, i64 {offset}")
            add(f"  {self.as_double(name)} = load double, ptr {name}.o, align 8")
            self.narrow_to_single(name)
            return
        result = "poison"
        for lane in range(self.lanes):
            at = f"{name}.{lane}"
            add(f"  {at}.w = extractelement {many} {name}.w, i64 {lane}")
            add(f"  {at}.a = getelementptr double, ptr @{symbol}, i64 {at}.w")
            add(f"  {at}.o = getelementptr double, ptr {at}.a, i64 {offset}")
            add(f"  {self.as_double(at)} = load double, ptr {at}.o, align 8")
            if self.single:
                add(f"  {at} = fptrunc double {at}.d to float")
            target = name if lane == self.lanes - 1 else f"{at}.r"
            add(f"  {target} = insertelement {kind} {result}, {self.scalar} {at}, i64 {lane}")
            result = target

    def call_together(self, calls: Sequence[tuple[str, int, str]]) -> None:
        """Let names be the results of operations of one family, with the argument of each, in one call."""
        arguments = list(dict.fromkeys(x for _, _, x in calls))
        if len(arguments) == 1:
            for name, op, x in calls:
                self.operation(name, op, [x])
            return
        lanes, first = lanes_for(len(arguments)), calls[0][0]
        kind, gathered = number_type(lanes, self.single), "poison"
        for lane in range(lanes):
            target, argument = f"{first}.x{lane}", arguments[min(lane, len(arguments) - 1)]
            self.lines.append(
                f"  {target} = insertelement {kind} {gathered}, {self.scalar} {argument}, i64 {lane}"
            )
            gathered = target
        found = self._formula(first, FAMILY[calls[0][1]], lanes, gathered)
        for op in sorted({op for _, op, _ in calls}):
            self._result(f"{first}.{op}", op, found, lanes)
        for name, op, x in calls:
            self.lines.append(f"  {name} = extractelement {kind} {first}.{op}, i64 {arguments.index(x)}")

    def _formula(self, name: str, family: Family, lanes: int, x: str) -> str:
        """Call the formula of a family; gives the name of its results."""
        key = (family.name, x)
        if key not in self.known:
            self.functions.add((family, lanes))
            self.known[key] = f"{name}.f"
            function = f"{results_type(family, lanes, self.single)} @{function_name(family, lanes)}"
            self.lines.append(f"  {name}.f = call {function}({number_type(lanes, self.single)} {x})")
        return self.known[key]

    def _result(self, name: str, op: int, found: str, lanes: int | None = None) -> None:
        """Let a name be the result of an operation among those of a formula."""
        family = FAMILY[op]
        kind = results_type(family, self.lanes if lanes is None else lanes, self.single)
        self.lines.append(f"  {name} = extractvalue {kind} {found}, {family.operations.index(op)}")

    def _call(self, name: str, function: str, x: list[str]) -> None:
        add = self.lines.append
        # memory(none): errno is not read; sin and cos of one angle may then become one call
        signature = ", ".join(["double"] * len(x))
        self.declarations.add(f"declare double @{function}({signature}) nounwind willreturn memory(none)")
        if self.lanes == 1:
            wide = [self.widen(y, f"{name}.{k}") for k, y in enumerate(x)]
            given = ", ".join(f"double {y}" for y in wide)
            add(f"  {self.as_double(name)} = call double @{function}({given})")
            self.narrow_to_single(name)
            return
        result = "poison"
        for lane in range(self.lanes):
            for k, y in enumerate(x):
                given = f"{name}.{lane}.{k}"
                add(f"  {self.as_double(given)} = extractelement {self.type} {y}, i64 {lane}")
                if self.single:
                    add(f"  {given} = fpext float {given}.d to double")
            arguments = ", ".join(f"double {name}.{lane}.{k}" for k in range(len(x)))
            add(f"  {self.as_double(f'{name}.{lane}')} = call double @{function}({arguments})")
            if self.single:
                add(f"  {name}.{lane} = fptrunc double {name}.{lane}.d to float")
            target = name if lane == self.lanes - 1 else f"{name}.{lane}.r"
            add(f"  {target} = insertelement {self.type} {result}, {self.scalar} {name}.{lane}, i64 {lane}")
            result = target
