"""Long traced functions in segments that are compiled one by one.

The time to compile a function grows faster than its length (150,000 instructions: two minutes at once, ten
seconds in segments).  A segment reads what earlier segments have kept in a common array and appends what
later ones need.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from ce_dynamics.compiler.function import TracedFunction
from ce_dynamics.compiler.graph import Node
from ce_dynamics.compiler.operations import LOGICAL, Op, arity

SEGMENT = 8000
"""Instructions of a segment."""


class Segment(NamedTuple):
    """A part of a function.

    Attributes
    ----------
    function : TracedFunction
        Of the inputs of the whole and ``kept``; its outputs are ``keep`` and ``result``.
    keep_at, result_at : int
        Where its outputs begin in what all segments keep, and in the results.
    """

    function: TracedFunction
    keep_at: int
    result_at: int


class Segmented(NamedTuple):
    """A function of one output in segments.

    Attributes
    ----------
    segments : tuple of Segment
        In the order in which they must be run.
    n_kept : int
        Length of the common array.
    order : tuple of int
        For each result its place in the output of the whole.
    """

    segments: tuple[Segment, ...]
    n_kept: int
    order: tuple[int, ...]


def split(traced: TracedFunction, length: int = SEGMENT) -> Segmented:
    """Cut a function with one output into segments of at most `length` instructions."""
    (wanted,) = traced.outputs
    n_segments, home = homes(traced, length)
    read_by = readers(traced, home)
    keep: list[list[int]] = [[] for _ in range(n_segments)]
    for node, where in read_by.items():
        if any(k != home[node] for k in where):
            keep[home[node]].append(node)
    slot = {node: k for k, node in enumerate(node for nodes in keep for node in nodes)}
    # an output that is a constant or an input can be written anywhere: by the first segment
    results: list[list[int]] = [[] for _ in range(n_segments)]
    for place, node in enumerate(wanted):
        results[home[node] if arity(traced.instructions[node][0]) else 0].append(place)
    bounds = [bisect_left(home, k) for k in range(n_segments + 1)]
    segments = []
    keep_at = result_at = 0
    for k in range(n_segments):
        nodes = [wanted[place] for place in results[k]]
        function = rebuild(traced, range(*bounds[k : k + 2]), slot, keep[k], nodes)
        segments.append(Segment(function, keep_at, result_at))
        keep_at += len(keep[k])
        result_at += len(results[k])
    return Segmented(tuple(segments), len(slot), tuple(place for places in results for place in places))


def homes(traced: TracedFunction, length: int) -> tuple[int, list[int]]:
    """Number of segments, and the segment of each instruction."""
    home = []
    count = 0
    for op, _, _, _ in traced.instructions:
        home.append(count // length)
        count += arity(op) > 0
    return (home[-1] + 1 if home else 1), home


def readers(traced: TracedFunction, home: list[int]) -> dict[int, set[int]]:
    """For each value that is computed the segments that read it."""
    read: dict[int, set[int]] = {}
    for n, (op, a, b, c) in enumerate(traced.instructions):
        for operand in (a, b, c)[: arity(op)]:
            if arity(traced.instructions[operand][0]):
                read.setdefault(operand, set()).add(home[n])
    return dict(sorted(read.items()))


def rebuild(
    traced: TracedFunction,
    own: range,
    slot: dict[int, int],
    keep: list[int],
    results: list[int],
) -> TracedFunction:
    """The segment with the given instructions as a function of its own."""
    whole = traced.instructions
    instructions: list[Node] = []
    numbers: list[float] = []
    number: dict[int, int] = {}
    constants: dict[float, int] = {}
    n_inputs = len(traced.input_shapes)

    def append(instruction: Node) -> int:
        instructions.append(instruction)
        return len(instructions) - 1

    def constant(value: float) -> int:
        if value not in constants:
            numbers.append(value)
            constants[value] = append((int(Op.CONST), len(numbers) - 1, -1, -1))
        return constants[value]

    def fetch(node: int) -> int:
        """The instruction here that holds a value of the whole."""
        if node not in number:
            op, a, b, _ = whole[node]
            if op == Op.CONST:
                number[node] = constant(traced.numbers[a])
            elif op == Op.INPUT:
                number[node] = append((int(Op.INPUT), a, b, -1))
            else:
                kept = append((int(Op.INPUT), n_inputs, slot[node], -1))
                number[node] = append((int(Op.NE), kept, constant(0.0), -1)) if op in LOGICAL else kept
        return number[node]

    def plain(node: int) -> int:
        """A value as a number: conditions as 0 or 1."""
        here = fetch(node)
        if whole[node][0] in LOGICAL:
            return append((int(Op.SELECT), here, constant(1.0), constant(0.0)))
        return here

    for n in own:
        op, a, b, c = whole[n]
        if arity(op):
            count = arity(op)
            operands = [fetch(operand) for operand in (a, b, c)[:count]] + [-1] * (3 - count)
            number[n] = append((op, operands[0], operands[1], operands[2]))
    outputs = (tuple(plain(node) for node in keep), tuple(fetch(node) for node in results))
    return TracedFunction(
        name=f"{traced.name}_{own.start}",
        input_shapes={**traced.input_shapes, "kept": (max(1, len(slot)),)},
        output_shapes={"keep": (len(keep),), "result": (len(results),)},
        instructions=tuple(instructions),
        numbers=tuple(numbers),
        outputs=outputs,
    )
