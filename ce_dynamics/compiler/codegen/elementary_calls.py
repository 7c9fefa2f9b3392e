"""Elementary functions in machine code: formulas for many arguments at once in place of calls one by one.

A call into the C mathematics library takes one number and some 25 cycles.  The formulas of
`ce_dynamics.compiler.elementary` are arithmetic, which vector registers do for 4 or 8 arguments in the same
time: for the lanes of a function, and in a function without lanes for up to eight arguments that do not
depend on each other (tyres of a vehicle, the functions of one formula).  Each argument is treated by itself,
so that results do not depend on the other calls of the group.

Used where the processor has fused multiply-add; code without (`fused=False`) calls the library, as C does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.compiler import elementary
from ce_dynamics.compiler.codegen.fused import CodeArrays
from ce_dynamics.compiler.tracing.function import TracedFunction, extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.compiler.tracing.traced import node_of, wrap

WIDEST = 8
"""Arguments that are taken together in a function without lanes: what a register of
AVX-512 holds, or two of AVX2."""

DEEPEST = 100
"""Calls one after the other beyond which every call is made by itself: the search for what it needs nests."""

FARTHEST, FARTHEST_SINGLE = 2.0**19, 2.0**13
"""Angles beyond which the reduction by parts of π/2 loses digits, and the library is called."""


class Family(NamedTuple):
    """Operations that one function of the machine code computes from the same number."""

    name: str
    operations: tuple[int, ...]  # in the order of its results
    # the results, of a traced scalar and the coefficients of a precision
    formula: Callable[[Any, elementary.FormulaCoefficients], tuple[Any, ...]]
    reduces_angles: bool  # whether arguments beyond `FARTHEST` go to the library


FAMILIES = (
    Family("sincos", (Op.SIN, Op.COS), lambda x, c: (elementary.sine(x, c), elementary.cosine(x, c)), True),
    Family("tan", (Op.TAN,), lambda x, c: (elementary.tangent(x, c),), True),
    Family("atan", (Op.ATAN,), lambda x, c: (elementary.arctangent(x, c),), False),
)

FAMILY: dict[int, Family] = {op: family for family in FAMILIES for op in family.operations}
"""By operation.  The others are rare, and their formulas longer than a call, or not for infinities."""


@functools.cache
def trace_formula(family: Family, single: bool = False) -> TracedFunction:
    """Return the formula of a family as instructions."""
    graph = Graph()
    coefficients = elementary.SINGLE if single else elementary.DOUBLE
    found = family.formula(wrap(graph, graph.input(0, 0)), coefficients)
    results = [node_of(graph, value) for value in found]
    return extract(family.name, graph, {"x": ()}, {"y": (len(results),)}, [results])


def calls_together(
    code: CodeArrays, units: Iterable[Sequence[int]] | None = None, shape: Sequence[int] | None = None
) -> dict[int, list[int]]:
    """Return the calls that a function without lanes makes together: for each, the instructions of its group.

    Calls of one family that need equally long chains of other calls do not need each other.  A group has up
    to `WIDEST` arguments, in the order of the instructions.

    ``units`` are instructions that are computed at once (none of them calls), in an order in which that can
    be done; one by one, in their order, if not given.  Calls whose arguments have the same number in
    ``shape`` are neighbours.
    """
    op, operands = code.op.tolist(), code.operands.tolist()
    depth = [0] * len(operands)
    kinds: dict[tuple[Family, int], dict[int, list[int]]] = {}
    for unit in ((n,) for n in np.flatnonzero(code.computes).tolist()) if units is None else units:
        most = max(depth[k] for n in unit for k in operands[n] if k >= 0)
        for n in unit:
            family = FAMILY.get(op[n])
            depth[n] = most if family is None else most + 1
            if family is not None and depth[n] <= DEEPEST:
                kinds.setdefault((family, depth[n]), {}).setdefault(operands[n][0], []).append(n)
    group_of = {}
    for of_argument in kinds.values():
        found = [of_argument[argument] for argument in group_by_shape(sorted(of_argument), shape)]
        for k in range(0, len(found), WIDEST):
            group = [n for calls in found[k : k + WIDEST] for n in calls]
            group_of.update(dict.fromkeys(group, group))
    return group_of


def group_by_shape(items: Sequence[int], shape: Sequence[int] | None) -> Sequence[int]:
    """Return instructions in their order, each with all others of its shape."""
    if shape is None:
        return items
    groups: dict[int, list[int]] = {}
    for n in items:
        groups.setdefault(shape[n], []).append(n)
    return [n for group in groups.values() for n in group]


def find_missing(
    group: Sequence[int], operands: Sequence[Sequence[int]], missing: Sequence[bool]
) -> list[int]:
    """Return instructions that are missing and that a group reads, directly or not, in their order."""
    found: set[int] = set()
    ahead = list(group)
    while ahead:
        for k in operands[ahead.pop()]:
            if k >= 0 and missing[k] and k not in found:
                found.add(k)
                ahead.append(k)
    return sorted(found)


def lanes_for(n: int) -> int:
    """Return lanes of the function that takes n arguments together: the next power of two."""
    return 1 << (n - 1).bit_length()


def number_type(lanes: int, single: bool = False) -> str:
    """Return the LLVM's type of a number in all lanes."""
    scalar = "float" if single else "double"
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def results_type(family: Family, lanes: int, single: bool = False) -> str:
    """Return the LLVM's type of the results of a family."""
    return f"{{ {', '.join([number_type(lanes, single)] * len(family.operations))} }}"


def function_name(family: Family, lanes: int) -> str:
    """Name of the function in machine code."""
    return f"{family.name}_of_{lanes}"
