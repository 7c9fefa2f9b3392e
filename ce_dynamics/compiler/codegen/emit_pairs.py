"""Write straight-line code whose pairs of instructions are done by vector registers of two numbers.

Every number is the same as without pairs, to the last bit, but for the signs of zeros.  Where the two
formulas of a pair differ in signs, as mirror images do, the register holds one of the two numbers negated,
and the sign is remembered: it passes through products, and out of sums where both operands have it.  Where
just one has it, a factor of ±1 in a multiply-add, which is exact, or in a constant that is there anyway, puts
it right.  Operands of comparisons and selections get their own signs first.

Single operands of pairs are put into a register once, except constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ce_dynamics.compiler.codegen.elementary_calls import calls_together, number_type
from ce_dynamics.compiler.codegen.fused import FUSED, MINUS_PRODUCT, PRODUCT_MINUS, PRODUCT_PLUS, CodeArrays
from ce_dynamics.compiler.codegen.pairs import SUMS, Pair, Pairs, as_it_gets_ready
from ce_dynamics.compiler.codegen.writer import COMPARE, Writer
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import COMPARISONS, LOGICAL, Op

Signs = tuple[int, int]

TWO = number_type(2)
CONDITIONS = "<2 x i1>"
PLAIN: Signs = (1, 1)
SIGNS: dict[int, Signs] = {
    Op.ADD: (1, 1),
    Op.SUB: (1, -1),
    PRODUCT_PLUS: (1, 1),
    PRODUCT_MINUS: (1, -1),
    MINUS_PRODUCT: (-1, 1),
}
"""Signs of the two terms of a sum."""


class Register(NamedTuple):
    """A vector register."""

    name: str
    signs: Signs  # signs of its numbers: −1 where a number is stored negated
    constant: bool = False


class PairWriter:
    """Writes the instructions of a function, in pairs where there are any, with a writer for one lane.

    ``values`` are the names of all results; those of constants and inputs are there.
    """

    def __init__(self, writer: Writer, traced: TracedFunction, code: CodeArrays, values: list[str]) -> None:
        self._writer, self._traced, self._values = writer, traced, values
        self._pairs = Pairs(code)
        self._op, self._operands, self._computes = self._pairs.op, self._pairs.operands, self._pairs.computes
        self._calls: dict[int, list[int]] = {}
        self._calls = calls_together(code, self._order_of_tracing(), self._pairs.shape)
        self._there = [not computes for computes in self._computes]
        self._registers: dict[Pair, Register] = {}

    def write(self) -> None:
        """Write everything that computes."""
        for unit in self._order_for_writing():
            pair = self._pairs.of.get(unit[0])
            if pair is not None:
                self._registers[pair] = self._computed(pair)
            elif unit[0] in self._calls:
                operand = {n: self.value(self._operands[n][0]) for n in unit}
                self._writer.call_together([(self._values[n], self._op[n], operand[n]) for n in unit])
            else:
                (n,) = unit
                used = self._pairs.reads(n)
                others = [self._values[k] for k in self._operands[n][len(used) :] if k >= 0]
                given = [*(self.value(k) for k in used), *others]
                self._writer.operation(self._values[n], self._op[n], given)
            for n in unit:
                self._there[n] = pair is None

    def value(self, n: int) -> str:
        """Return the name of one number, taken out of its pair."""
        if not self._there[n]:
            pair = self._pairs.of[n]
            register, half = self._registers[pair], pair.index(n)
            name = self._values[n]
            negated = register.signs[half] < 0
            out = f"{name}.h" if negated else name
            self._line(out, f"extractelement {self._type(n)} {register.name}, i64 {half}")
            if negated:
                self._line(name, f"fneg double {out}")
            self._there[n] = True
        return self._values[n]

    def _order_for_writing(self) -> Iterable[Sequence[int]]:
        """Return the units in the order of writing; ready units precede waiting ones if calls need others."""
        units = list(self._order_of_tracing())
        if not self._calls_need_each_other(units):
            return units
        return as_it_gets_ready(units, [self._pairs.reads(n) for n in range(len(self._op))], self._op)

    def _calls_need_each_other(self, units: Iterable[Sequence[int]]) -> bool:
        after = [False] * len(self._op)
        for unit in units:
            below = any(after[k] for n in unit for k in self._pairs.reads(n))
            if below and unit[0] in self._calls:
                return True
            for n in unit:
                after[n] = below or unit[0] in self._calls
        return False

    def _order_of_tracing(self) -> Iterable[Sequence[int]]:
        """Yield the units in the order of tracing, each after the units that it needs."""
        done = [not computes for computes in self._computes]

        def unit(n: int) -> Sequence[int]:
            return self._pairs.of.get(n) or self._calls.get(n) or (n,)

        for n in range(len(done)):
            ahead = [] if done[n] else [unit(n)]
            while ahead:
                members = ahead[-1]
                needed = [k for m in members for k in self._pairs.reads(m) if not done[k]]
                if done[members[0]]:
                    ahead.pop()
                elif needed:
                    ahead.extend(unit(k) for k in reversed(needed))
                else:
                    yield ahead.pop()
                    for m in members:
                        done[m] = True

    # Pairs

    def _line(self, name: str, text: str) -> str:
        self._writer.lines.append(f"  {name} = {text}")
        return name

    def _call(self, name: str, function: str, given: Sequence[str]) -> str:
        symbol = f"@llvm.{function}.v2f64"
        self._writer.declarations.add(f"declare {TWO} {symbol}({', '.join([TWO] * len(given))})")
        return self._line(name, f"call {TWO} {symbol}({', '.join(f'{TWO} {x}' for x in given)})")

    def _computed(self, pair: Pair) -> Register:
        """Write a pair whose operands are there."""
        op, name = self._op[pair[0]], f"{self._values[pair[0]]}.two"
        operands = [self._operand(*below) for below in self._pairs.match(pair)]
        if op in SUMS:
            return self._sum(name, pair, operands)
        if op in FUSED:
            return self._multiply_add(name, pair, operands)
        if op in COMPARISONS:
            return self._comparison(name, op, operands)
        if op == Op.SELECT:
            return self._choice(name, operands)
        if op == Op.SQRT:
            x = operands[0]
            return Register(self._call(name, "sqrt", [self._times(x.name, x.signs, f"{name}.x")]), PLAIN)
        if op == Op.FABS:
            return Register(self._call(name, "fabs", [operands[0].name]), PLAIN)
        x, y = operands
        instruction = "fmul" if op == Op.MUL else "fdiv"
        return Register(
            self._line(name, f"{instruction} {TWO} {x.name}, {y.name}"), multiply_signs(x.signs, y.signs)
        )

    def _operand(self, a: int, b: int) -> Register:
        """Return the register of two numbers that a pair reads."""
        found = self._registers.get((a, b))
        if found is not None:
            return found
        (a, sign_a), (b, sign_b) = self._pairs.split_sign(a), self._pairs.split_sign(b)
        if self._op[a] == self._op[b] == Op.CONST:
            numbers = (self._traced.numbers[self._operands[k][0]] for k in (a, b))
            return Register(self._literal(*numbers), (sign_a, sign_b), constant=True)
        if (a, b) not in self._registers:
            self._registers[a, b] = self._gathered(a, b)
        register = self._registers[a, b]
        return register._replace(signs=multiply_signs(register.signs, (sign_a, sign_b)))

    def _gathered(self, a: int, b: int) -> Register:
        """Return a register of two numbers that are no pair in this order."""
        name = f"{self._values[a] if self._computes[a] else '%c'}.{a}.with.{b}"
        turned, two = self._registers.get((b, a)), self._type(a)
        if turned is not None and a != b:
            self._line(name, f"shufflevector {two} {turned.name}, {two} poison, <2 x i32> <i32 1, i32 0>")
            return Register(name, turned.signs[::-1])
        kind = two[len("<2 x ") : -1]
        one = self._line(f"{name}.1", f"insertelement {two} poison, {kind} {self.value(a)}, i64 0")
        if a == b:
            self._line(name, f"shufflevector {two} {one}, {two} poison, <2 x i32> zeroinitializer")
        else:
            self._line(name, f"insertelement {two} {one}, {kind} {self.value(b)}, i64 1")
        return Register(name, PLAIN)

    def _type(self, n: int) -> str:
        """Return the type of a register for two results of the kind of instruction n."""
        return CONDITIONS if self._op[n] in LOGICAL else TWO

    def _sum(self, name: str, pair: Pair, operands: Sequence[Register]) -> Register:
        """Return x ± y."""
        x, y = operands
        first, second = self._terms(pair)
        of_x, of_y = (first[0], second[0]), (first[1], second[1])
        of_x, of_y = multiply_signs(of_x, x.signs), multiply_signs(of_y, y.signs)
        apart = multiply_signs(of_x, of_y)
        if apart[0] != apart[1]:
            ones = self._literal(*apart)
            return Register(self._call(name, "fma", [y.name, ones, x.name]), of_x)
        if apart == PLAIN:
            return Register(self._line(name, f"fadd {TWO} {x.name}, {y.name}"), of_x)
        if of_x[0] > 0:
            return Register(self._line(name, f"fsub {TWO} {x.name}, {y.name}"), of_x)
        return Register(self._line(name, f"fsub {TWO} {y.name}, {x.name}"), of_y)

    def _terms(self, pair: Pair) -> tuple[Signs, Signs]:
        """Return signs of the terms of the two sums, in the order of `Pairs.match`."""
        first, second = (SIGNS[self._op[n]] for n in pair)
        if self._op[pair[0]] in SUMS and self._pairs.match(pair)[0][1] != self._operands[pair[1]][0]:
            second = second[::-1]
        return first, second

    def _multiply_add(self, name: str, pair: Pair, operands: Sequence[Register]) -> Register:
        """Return ± a b ± c."""
        a, b, c = operands
        first, second = self._terms(pair)
        of_product = multiply_signs((first[0], second[0]), multiply_signs(a.signs, b.signs))
        of_c = multiply_signs((first[1], second[1]), c.signs)
        apart = multiply_signs(of_product, of_c)
        given = [a.name, b.name, c.name]
        if apart == PLAIN:
            return Register(self._call(name, "fma", given), of_c)
        if apart[0] == apart[1]:
            turned, signs = (2, of_product) if of_product[0] > 0 else (0, of_c)
            given[turned] = self._line(f"{name}.n", f"fneg {TWO} {given[turned]}")
            return Register(self._call(name, "fma", given), signs)
        turned, signs = (1, of_c) if b.constant else (0, of_c) if a.constant else (2, of_product)
        given[turned] = self._times(given[turned], apart, f"{name}.s")
        return Register(self._call(name, "fma", given), signs)

    def _comparison(self, name: str, op: int, operands: Sequence[Register]) -> Register:
        """Return x < y and the like."""
        x, y = operands
        if x.signs == y.signs == (-1, -1):
            x, y = y, x
        elif not x.signs == y.signs == PLAIN:
            x, y = (
                r._replace(name=self._times(r.name, r.signs, f"{name}.{k}")) for k, r in enumerate((x, y))
            )
        return Register(self._line(name, f"fcmp {COMPARE[op]} {TWO} {x.name}, {y.name}"), PLAIN)

    def _choice(self, name: str, operands: Sequence[Register]) -> Register:
        """Return the first number where the condition holds, else the second."""
        condition, x, y = operands
        other = self._times(y.name, multiply_signs(x.signs, y.signs), f"{name}.s")
        text = f"select {CONDITIONS} {condition.name}, {TWO} {x.name}, {TWO} {other}"
        return Register(self._line(name, text), x.signs)

    def _times(self, x: str, signs: Signs, name: str) -> str:
        """Return a register with signs put right: a new one of this name, if any is wrong."""
        if signs == PLAIN:
            return x
        return self._line(name, f"fmul {TWO} {x}, {self._literal(*signs)}")

    def _literal(self, a: float, b: float) -> str:
        literal: Callable[[float], str] = self._writer.literal
        return f"<double {literal(float(a))}, double {literal(float(b))}>"


def multiply_signs(one: Signs, other: Signs) -> Signs:
    """Return signs of products."""
    return one[0] * other[0], one[1] * other[1]
