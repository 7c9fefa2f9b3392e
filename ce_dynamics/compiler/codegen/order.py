"""In which order instructions go where functions are called one after the other.

A processor looks some hundred instructions ahead.  Where a formula is a chain of calls, as that of a tyre is,
and stands by itself, it finds nothing else to do while each of them takes its 80 cycles.  So instructions go
in their order as far as what they read is there: what waits lets others go first.  It does not matter that
the latencies are those of one processor: they decide about the order only.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from ce_dynamics.compiler.codegen.fused import FUSED
from ce_dynamics.compiler.codegen.writer import LIBM
from ce_dynamics.compiler.tracing.operations import Op

Unit = Sequence[int]

PER_CYCLE = 2.0
"""Instructions that are done in a cycle; a call is as many as it has been given."""

CALL, GATHERING = 80, 6
"""Cycles until a call is done, and of putting four arguments together."""

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
    """Units in their order, but for those whose operands are not there yet.

    Parameters
    ----------
    units : sequence of sequences of int
        Instructions that are computed at once, in an order in which that can be done.
    reads : sequence of sequences of int
        For each instruction: its operands.
    op : sequence of int
        For each instruction: its operation.
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
