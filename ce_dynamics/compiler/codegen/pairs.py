"""Pairs of instructions that are one formula of two values each: a vector register does both at once.

Formulas are written once and traced for the left and the right side of a vehicle, or for the legs of a robot.
What they give there differs in numbers and, as mirror images do, in signs, not in shape.  Two instructions
have the same shape if they are the same operation, up to signs and to the order of commuting operands, of
operands of the same shape; constants are all alike, and so are the entries of one input.  Instructions of
the same shape are as far from the inputs, so they do not need each other, and pairs can be computed in some
order whatever they are.

Pairs are found from the results downwards, so that the operands of a pair are pairs as well wherever they can
be, in the same order.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from ce_dynamics.compiler.codegen.fused import FUSED, PRODUCT_PLUS, CodeArrays
from ce_dynamics.compiler.codegen.writer import LIBM
from ce_dynamics.compiler.tracing.operations import COMPARISONS, Op, arity

SUMS = frozenset((int(Op.ADD), int(Op.SUB)))
PAIRED = FUSED | SUMS | {int(op) for op in (Op.MUL, Op.DIV, Op.SQRT, Op.FABS, Op.SELECT, *COMPARISONS)}
"""Operations of which a vector register does two in the time of one."""

USED = {int(op): arity(op) for op in Op} | dict.fromkeys(FUSED, 3) | {int(Op.LOOKUP): 1}
"""Number of operands that are computed."""

Pair = tuple[int, int]


class Pairs:
    """The pairs of a function."""

    def __init__(self, code: CodeArrays) -> None:
        self.op: list[int] = code.op.tolist()
        self.operands: list[list[int]] = code.operands.tolist()
        self.computes: list[bool] = code.computes.tolist()
        self.shape = self._shapes()
        self.of: dict[int, Pair] = {}  # by each of its two instructions
        free: dict[int, list[int]] = {}
        for n in filter(self._may_be_paired, range(len(self.op))):
            free.setdefault(self.shape[n], []).append(n)
        for n in reversed(range(len(self.op))):
            if n in self.of or not self._may_be_paired(n):
                continue
            alike = free[self.shape[n]]
            while alike and (alike[-1] in self.of or alike[-1] == n):
                alike.pop()
            if alike:
                self._join(alike[-1], n)

    def reads(self, n: int) -> list[int]:
        """Return the operands of an instruction."""
        return self.operands[n][: USED.get(self.op[n], 0)]

    def match(self, pair: Pair) -> list[Pair]:
        """Return the operands of a pair: those of the first in their order, each with its counterpart."""
        first, second = pair
        ours, theirs = self.reads(first), self.reads(second)
        if len(ours) > 1 and self.shape[ours[0]] != self.shape[theirs[0]]:
            theirs = [theirs[1], theirs[0], *theirs[2:]]
        return list(zip(ours, theirs, strict=True))

    def split_sign(self, n: int) -> tuple[int, int]:
        """Return the instruction that one negates, and the sign; itself if it negates none."""
        sign = 1
        while self.op[n] == Op.NEG:
            n, sign = self.operands[n][0], -sign
        return n, sign

    def _may_be_paired(self, n: int) -> bool:
        return self.computes[n] and self.op[n] in PAIRED

    def _join(self, first: int, second: int) -> None:
        """Make a pair, and pairs of its operands as far down as they are free."""
        ahead = [(first, second)]
        while ahead:
            pair = a, b = ahead.pop()
            taken = a == b or a in self.of or b in self.of
            if taken or not (self._may_be_paired(a) and self._may_be_paired(b)):
                continue
            self.of[a] = self.of[b] = pair
            for x, y in self.match(pair):
                below = self.split_sign(x)[0], self.split_sign(y)[0]
                if self.shape[below[0]] == self.shape[below[1]]:
                    ahead.append(below)

    def _shapes(self) -> list[int]:
        """Return a number for each shape."""
        numbers: dict[tuple[int, ...], int] = {}
        shapes: list[int] = []
        for op, (a, b, c) in zip(self.op, self.operands, strict=True):
            if op == Op.NEG:
                shapes.append(shapes[a])
                continue
            key: tuple[int, ...]
            if op in SUMS or op == Op.MUL:
                x, y = shapes[a], shapes[b]
                kind = op if op == Op.MUL else int(Op.ADD)
                key = (kind, x, y) if x < y else (kind, y, x)
            elif op in FUSED:
                x, y = shapes[a], shapes[b]
                key = (PRODUCT_PLUS, x, y, shapes[c]) if x < y else (PRODUCT_PLUS, y, x, shapes[c])
            elif op == Op.CONST:
                key = (op,)
            elif op == Op.INPUT:
                key = (op, a)
            elif op == Op.LOOKUP:
                key = (op, shapes[a], b, c)
            else:
                key = (op, *(shapes[k] for k in (a, b, c) if k >= 0))
            shapes.append(numbers.setdefault(key, len(numbers)))
        return shapes


Unit = Sequence[int]

PER_CYCLE = 2.0  # instructions that are done in a cycle; a call is as many as it has been given

CALL, GATHERING = 80, 6  # cycles until a call is done, and of putting arguments together

INSTRUCTIONS_OF_CALL = 40

CYCLES: dict[int, int] = {
    **dict.fromkeys((int(op) for op in LIBM), CALL),
    **dict.fromkeys((int(op) for op in (Op.FABS, Op.COPYSIGN, Op.NEG, Op.SELECT)), 2),
    **dict.fromkeys(FUSED, 4),
    Op.DIV: 13,
    Op.SQRT: 20,
}
"""Until a result is there, by operation; of others `USUAL`."""

USUAL = 3


def as_it_gets_ready(
    units: Sequence[Unit], reads: Sequence[Sequence[int]], op: Sequence[int]
) -> Iterator[Unit]:
    """Yield units in their order, but for those whose operands are not there yet.

    ``reads`` and ``op`` are the operands and the operation of each instruction.
    """
    place = {n: k for k, unit in enumerate(units) for n in unit}
    readers: list[list[int]] = [[] for _ in units]
    missing = [0] * len(units)
    for k, unit in enumerate(units):
        for j in {place[m] for n in unit for m in reads[n] if m in place}:
            readers[j].append(k)
            missing[k] += 1
    there = [0.0] * len(units)
    ready, waiting = [k for k, n in enumerate(missing) if n == 0], list[tuple[float, int]]()
    now = 0.0
    while ready or waiting:
        if not ready:
            now = max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            heapq.heappush(ready, heapq.heappop(waiting)[1])
        k = heapq.heappop(ready)
        yield units[k]
        cycles = CYCLES.get(op[units[k][0]], USUAL) + (GATHERING if len(units[k]) > 2 else 0)
        for j in readers[k]:
            missing[j] -= 1
            there[j] = max(there[j], now + cycles)
            if missing[j] == 0:
                heapq.heappush(waiting, (there[j], j))
        now += (INSTRUCTIONS_OF_CALL if cycles >= CALL else 1) / PER_CYCLE
