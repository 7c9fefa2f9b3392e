"""A traced function cut into pieces whose operands are numbered within the piece."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ce_dynamics.compiler.codegen.fused import FUSED, Booleans, CodeArrays, Integers
from ce_dynamics.compiler.tracing.operations import Op

SHORTEST, LONGEST = 32, 2000
"""Instructions of a piece: fewer are not worth a call, more not the time to compile them."""

NONE, LOCAL, OUTSIDE, CONSTANT = range(4)
"""Origins of an operand: none, the piece itself, another piece or an input, the constants."""

_COMMUTATIVE = [int(op) for op in (Op.ADD, Op.MUL, Op.EQ, Op.NE, Op.AND, Op.OR)]
_COMMUTATIVE += FUSED


class Lists:
    """A list of numbers for every piece, end to end; ``pieces`` has the piece of each, in order."""

    def __init__(self, values: Integers, pieces: Integers, n: int) -> None:
        self.values = values
        self.pieces = pieces
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(pieces, minlength=n)))).astype(np.int64)

    def ranks(self) -> Integers:
        """Return places of the values in the lists they are in."""
        return np.arange(len(self.values)) - self.starts[self.pieces]

    def rows(self, which: Integers) -> Integers:
        """Return the lists of some pieces, which are of one length, as rows."""
        first = which[0]
        return self.values[
            self.starts[which][:, None] + np.arange(self.starts[first + 1] - self.starts[first])
        ]


class Pieces:
    """The instructions of a function that compute something, by their place among those, in pieces.

    They are cut at marks: shorter pieces are put together with the next, longer ones cut in equal parts.
    """

    def __init__(
        self, code: CodeArrays, marks: Sequence[int], shortest: int = SHORTEST, longest: int = LONGEST
    ) -> None:
        self.nodes = np.flatnonzero(code.computes)  # the instruction at each place
        self.place = np.full(len(code.op), -1)  # of each instruction; -1 for those that compute nothing
        self.place[self.nodes] = np.arange(len(self.nodes))
        places = np.searchsorted(self.nodes, np.array(marks, dtype=np.int64)).tolist()
        # first place of each piece, and the end of the last
        self.starts = cuts(places, len(self.nodes), shortest, longest)
        self.piece = np.repeat(np.arange(len(self)), np.diff(self.starts))
        self.op = code.op[self.nodes]
        operands = constants_last(self.op, code.operands[self.nodes], code.op == Op.CONST)
        user, column = np.nonzero(operands >= 0)
        read, piece = operands[user, column], self.piece[user]
        constant = code.op[read] == Op.CONST
        local = self.place[read] >= self.starts[piece]  # an operand comes before its users
        outside = ~(constant | local)
        # constants, one for each time a piece reads it; values from outside, each once, as they appear
        self.constants = Lists(read[constant], piece[constant], len(self))
        self.outside, which = distinct(read[outside], piece[outside], len(self))
        # of the operands at each place: their origin, and their place in the piece, `outside` or `constants`
        self.sources, self.numbers = np.zeros_like(operands), np.full_like(operands, -1)
        self.sources[user, column] = np.select([local, outside], [LOCAL, OUTSIDE], CONSTANT)
        number = self.place[read] - self.starts[piece]
        number[constant] = self.constants.ranks()
        number[outside] = self.outside.ranks()[which]
        self.numbers[user, column] = number

    def __len__(self) -> int:
        return len(self.starts) - 1

    def places(self, which: Integers) -> Integers:
        """Return places of some pieces, which are of one length, in rows."""
        first = which[0]
        return self.starts[which][:, None] + np.arange(self.starts[first + 1] - self.starts[first])


def cuts(marks: Sequence[int], n: int, shortest: int, longest: int) -> Integers:
    """Return the starts of the pieces of n instructions, and n.

    Pieces start at marks and, if marks are far apart, in between.
    """
    bounds = [0]
    for at in (*marks, n):
        if at - bounds[-1] >= shortest or at == n > bounds[-1]:
            bounds.append(at)
    starts: list[int] = []
    for start, stop in itertools.pairwise(bounds):
        parts = -(-(stop - start) // longest)
        starts += [start + (stop - start) * k // parts for k in range(parts)]
    return np.array([*starts, n], dtype=np.int64)


def constants_last(op: Integers, operands: Integers, is_constant: Booleans) -> Integers:
    """Return operands with constants last where they may change places.

    A graph orders such operands by number, which for constants is their first occurrence.
    """
    result = operands.copy()
    swap = np.flatnonzero(np.isin(op, _COMMUTATIVE))
    swap = swap[is_constant[operands[swap, 0]]]
    result[swap, 0], result[swap, 1] = operands[swap, 1], operands[swap, 0]
    return result


def distinct(nodes: Integers, pieces: Integers, n: int) -> tuple[Lists, Integers]:
    """Return the distinct nodes that each piece reads, and the index of each reading among all of these.

    The nodes of a piece are in the order of their first appearance.
    """
    size = int(nodes.max()) + 1 if len(nodes) else 1
    _, first, which = np.unique(pieces * size + nodes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    kept = first[order]
    return Lists(nodes[kept], pieces[kept], n), rank[which]
