"""Which inputs the outputs of a function depend on, as its instructions tell, and on which linearly."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op, arity

_LINEAR = {Op.ADD, Op.SUB, Op.NEG}


class Dependencies(NamedTuple):
    """Of one number: the inputs it depends on, as places in all of them one after the other.

    Attributes
    ----------
    on : tuple of int
        Increasing.
    constant : frozenset of int
        Those of them that it changes with by a constant factor, whatever all inputs are.
    """

    on: tuple[int, ...]
    constant: frozenset[int]


def dependencies(function: TracedFunction) -> dict[str, list[Dependencies]]:
    """Of every entry of every output.

    An input that is not among them has no effect on any bit; one that is among them may still have none,
    where terms cancel.

    Parameters
    ----------
    function : TracedFunction
    """
    starts, total = [], 0
    for shape in function.input_shapes.values():
        starts.append(total)
        size = 1
        for length in shape:
            size *= length
        total += size
    on: list[int] = []  # sets of places as bits
    bent: list[int] = []  # those that the number does not follow by a constant factor
    for op, a, b, c in function.instructions:
        operands = (a, b, c)[: arity(op)]
        if not operands:
            on.append(1 << (starts[a] + b) if op == Op.INPUT else 0)
            bent.append(0)
            continue
        depends, curved = 0, 0
        for k in operands:
            depends |= on[k]
            curved |= bent[k]
        if not (
            op in _LINEAR
            or (op == Op.MUL and (on[a] == 0 or on[b] == 0))
            or (op == Op.DIV and on[b] == 0)
            or (op == Op.SELECT and on[a] == 0)
        ):
            curved = depends
        on.append(depends)
        bent.append(curved)
    return {
        name: [Dependencies(places(on[n]), frozenset(places(on[n] & ~bent[n]))) for n in nodes]
        for name, nodes in zip(function.output_shapes, function.outputs, strict=True)
    }


def places(bits: int) -> tuple[int, ...]:
    """The bits that are set, from the lowest."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)
